% newton_fractal - which root of z^3 = 1 is found from each point, by a function of one element
n = 16;
x = gpuArray.linspace(-1.5, 1.5, n);
[re, im] = meshgrid(x, x);
start = complex(re, im);

step = @(z) z - (z^3 - 1) / (3 * z^2);
z = start;
for k = 1:12
    z = arrayfun(step, z);
end
distance = @(z, root) abs(z - root);
roots3 = exp(2i * pi * (0:2) / 3);
D = zeros(n, n, 3, "gpuArray");
for k = 1:3
    D(:, :, k) = arrayfun(distance, z, roots3(k));
end
[near, which] = min(D, [], 3);
result = gather(which .* (near < 1e-3));
