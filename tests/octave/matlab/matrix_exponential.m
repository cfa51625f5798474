% matrix_exponential - diffusion on a grid: exp (A t) by scaling, a series and squaring
n = 4;
e = ones(n - 1, 1);
L = gpuArray(diag(e, 1) + diag(e, -1) - 2 * eye(n));
I = eye(n, "like", L);
A = kron(L, I) + kron(I, L);
t = 0.5;

squarings = max(0, ceil(log2(gather(norm(A * t, 1))))) + 1;
B = A * t / 2^squarings;
E = eye(n^2, "gpuArray");
term = E;
for k = 1:16
    term = term * B / k;
    E = E + term;
end
for k = 1:squarings
    E = E * E;
end
u = zeros(n^2, 1, "gpuArray");
u(6) = 1;
u = E * u;
[E, u] = gather(E, u);
result = [trace(E); u];
