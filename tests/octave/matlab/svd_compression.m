% svd_compression - an image by its first singular vectors
% waits for: svd
[x, y] = meshgrid(linspace(-2, 2, 40), linspace(-2, 2, 30));
img = exp(-x.^2 - y.^2) + 0.3 * sin(3 * x .* y);
G = gpuArray(img);

[U, S, V] = svd(G, "econ");
s = diag(S);
energy = cumsum(s.^2) / sum(s.^2);
k = gather(find(energy > 0.999, 1));
approx = U(:, 1:k) * S(1:k, 1:k) * V(:, 1:k)';
err = norm(G - approx, "fro") / norm(G, "fro");
fprintf('rank %d, error %g\n', k, err);
approx = gather(uint8(100 * approx));
result = [gather(s); k; gather(err); double(approx(:))];
