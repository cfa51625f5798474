% calculus - derivatives and integrals of a table of values
n = 101;
x = gpuArray.linspace(0, 2*pi, n);
h = x(2) - x(1);
y = sin(x) .* exp(-x / 4);

slope = gradient(y, h);
second = diff(y, 2) / h^2;
area = trapz(x, y);
running = cumtrapz(x, y);
arc = sum(hypot(diff(x), diff(y)));

[X, Y] = meshgrid(gpuArray(-1:0.25:1));
F = X .* exp(-X.^2 - Y.^2);
[Fx, Fy] = gradient(F, 0.25);
steepest = max(sqrt(Fx.^2 + Fy.^2), [], 'all');
turns = x(find(slope(1:end-1) .* slope(2:end) < 0));
result = gather([slope, second, area, running, arc, steepest, turns]);
