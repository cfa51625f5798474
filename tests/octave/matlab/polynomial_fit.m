% polynomial_fit - least squares and a square system by the backslash
% waits for: X \ Y
t = gpuArray.linspace(-1, 1, 60)';
y = exp(t) .* cos(3 * t);
degree = 5;
V = ones(numel(t), degree + 1, "like", t);
for k = degree:-1:1
    V(:, k) = V(:, k+1) .* t;
end
p = V \ y;
worst = max(abs(polyval(p, t) - y));

H = V' * V;
q = H \ (V' * y);
fprintf('largest error %g\n', worst);
result = gather([p, q]);
