% moving_mean - smooth a series by running sums, and by an exponential mean
gpurng(23);
n = 120;
t = gpuArray((1:n)');
series = 10 + 0.05 * t + sin(t / 8) + 0.3 * randn(n, 1, "gpuArray");

window = 7;
total = cumsum([zeros(1, 1, "like", series); series]);
smooth = (total(window+1:end) - total(1:end-window)) / window;

% movmean has shorter windows at the ends
centred = movmean(series, window);
half = (window - 1) / 2;
same = max(abs(centred(half+1:end-half) - smooth)) < 1e-10;

% a weight for each distance
weights = 0.8 .^ abs(t - t');
weights = weights ./ sum(weights, 2);
weighted = weights * series;
result = [gather(centred); gather(weighted); gather(same)];
