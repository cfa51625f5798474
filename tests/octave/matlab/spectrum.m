% spectrum - the strongest frequencies of a noisy signal
% waits for: fft
Fs = 500;
n = 400;
t = gpuArray((0:n-1) / Fs);
gpurng(2);
signal = 0.7 * sin(2*pi*50*t) + sin(2*pi*120*t) + 0.1 * randn(size(t), "gpuArray");

Y = fft(signal);
P = abs(Y / n);
P = P(1:n/2+1);
P(2:end-1) = 2 * P(2:end-1);
f = Fs * (0:n/2) / n;
[peaks, order] = sort(P, "descend");
order = gather(order(1:2));
result = [f(order), gather(peaks(1:2))];
