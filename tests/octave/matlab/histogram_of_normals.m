% histogram_of_normals - bins of normal numbers beside the density
gpurng(17);
n = 3000;
x = gpuArray.randn(n, 1);
width = 0.5;
edges = gpuArray.colon(-3, width, 3);

inBin = x >= edges(1:end-1) & x < edges(2:end);
counts = sum(inBin);
density = counts / (n * width);
centres = edges(1:end-1) + width / 2;
exact = exp(-centres.^2 / 2) / sqrt(2*pi);
worst = max(abs(density - exact));
below = cumsum(counts) / n;

skew = mean((x - mean(x)).^3) / std(x)^3;
for i = 1:numel(counts)
    fprintf('%5.2f %5d\n', gather(centres(i)), counts(i));
end
result = gather([counts, below, worst, skew]);
