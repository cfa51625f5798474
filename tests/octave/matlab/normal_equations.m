% normal_equations - fit a curve by Cholesky's factor of the normal equations
gpurng(13);
m = 200;
t = linspace(0, 1, m)';
y = 1 - 2*t + 3*t.^2 + 0.05 * randn(m, 1);
t = gpuArray(t);
y = gpuArray(y);

A = [ones(m, 1, "gpuArray"), t, t.^2, cos(4*t)];
R = chol(A' * A);
x = R \ (R' \ (A' * y));
residual = y - A * x;
rmse = norm(residual) / sqrt(m);

% weighted: points far away count less
w = 1 ./ (1 + (residual / rmse).^2);
Rw = chol(A' * (w .* A));
xw = Rw \ (Rw' \ (A' * (w .* y)));
if any(isnan(xw))
    error('the fit failed');
end
result = gather([x, xw]);
