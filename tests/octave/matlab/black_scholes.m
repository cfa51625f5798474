% black_scholes - prices of European calls and puts
% waits for: erfc (issue 76)
n = 500;
gpurng(3);
S = 20 + 80 * rand(n, 1, 'gpuArray');
K = 20 + 80 * rand(n, 1, 'gpuArray');
T = 0.1 + 2 * gpuArray.rand(n, 1);
rate = 0.03;
sigma = 0.2;

cdf = @(x) 0.5 * erfc(-x / sqrt(2));
d1 = (log(S ./ K) + (rate + sigma^2 / 2) * T) ./ (sigma * sqrt(T));
d2 = d1 - sigma * sqrt(T);
discounted = K .* exp(-rate * T);
call = S .* cdf(d1) - discounted .* cdf(d2);
put = call - S + discounted;
result = gather([call, put]);
