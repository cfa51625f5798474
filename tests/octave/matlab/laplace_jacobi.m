% laplace_jacobi - Jacobi's iteration with a sparse matrix
n = 6;
e = ones(n, 1);
T = spdiags([-e 2*e -e], -1:1, n, n);
A = kron(speye(n), T) + kron(T, speye(n));
d = full(diag(A));
R = A - spdiags(d, 0, n^2, n^2);
b = A * linspace(0, 1, n^2)';

G = gpuArray(R);
assert(issparse(G))
d = gpuArray(d);
b = gpuArray(b);
x = zeros(size(b), "like", b);
for step = 1:100
    new = (b - G * x) ./ d;
    change = norm(new - x, Inf);
    x = new;
    if change < 1e-4
        break
    end
end
result = gather([norm(G * x + d .* x - b); x]);
