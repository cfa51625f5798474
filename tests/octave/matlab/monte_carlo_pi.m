% monte_carlo_pi - the area of a circle by random points, with its standard error
if canUseGPU
    device = gpuDevice;
    fprintf('%s\n', device.Name);
end
gpurng(1);

n = 5000;
batches = 4;
shares = zeros(batches, 1, "gpuArray");
for i = 1:batches
    x = rand(n, 1, "gpuArray");
    y = rand(n, 1, "gpuArray");
    inside = x.^2 + y.^2 <= 1;
    shares(i) = mean(inside);
end
estimate = 4 * mean(shares);
spread = 4 * std(shares) / sqrt(batches);
result = gather([estimate, spread]);
