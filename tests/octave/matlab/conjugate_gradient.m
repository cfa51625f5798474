% conjugate_gradient - solve A x = b for a symmetric positive definite matrix
n = 40;
A = gpuArray(gallery("minij", n)) / n + eye(n, "gpuArray");
b = A * ones(n, 1, "gpuArray");

x = zeros(n, 1, "like", b);
r = b - A * x;
p = r;
rho = r' * r;
tol = 1e-10 * norm(b);
for k = 1:10*n
    q = A * p;
    alpha = rho / (p' * q);
    x = x + alpha * p;
    r = r - alpha * q;
    if norm(r) < tol
        break
    end
    old = rho;
    rho = r' * r;
    p = r + (rho / old) * p;
end
result = gather(x);
