% gram_schmidt - an orthogonal basis of the columns of a matrix, column by column
n = 12;
A = gpuArray(hilb(n) + eye(n));
Q = zeros(n, "like", A);
R = zeros(n, "like", A);
for j = 1:n
    v = A(:, j);
    for pass = 1:2
        part = Q(:, 1:j-1)' * v;
        v = v - Q(:, 1:j-1) * part;
        R(1:j-1, j) = R(1:j-1, j) + part;
    end
    R(j, j) = norm(v);
    Q(:, j) = v / R(j, j);
end
orthogonal = norm(Q' * Q - eye(n), "fro");
exact = norm(Q * R - A, "fro");
assert(gather(orthogonal) < 1e-12 && gather(exact) < 1e-12)
result = gather(R);
