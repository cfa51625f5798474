% clean_data - missing values and outliers in a table of measurements
gpurng(19);
data = 20 + 2 * randn(100, 4);
data([5 17 120 333]) = NaN;
data([50 260]) = [500 -80];
G = gpuArray(data);

missing = isnan(G);
fprintf('%d values are missing\n', sum(missing, "all"));
filled = G;
for j = 1:size(G, 2)
    column = G(:, j);
    middle = median(column(~missing(:, j)));
    away = abs(column - middle);
    outlier = away > 6 * median(away(~missing(:, j)));
    column(missing(:, j) | outlier) = middle;
    filled(:, j) = column;
end
scaled = (filled - mean(filled)) ./ std(filled);
corr = scaled' * scaled / (size(G, 1) - 1);
changed = sum(filled ~= G);
whole = G(all(~missing, 2), :);
result = gather([corr; changed; max(whole)]);
