% mandelbrot - how many steps each point stays bounded, by a loop over the whole grid
steps = 40;
n = 48;
x = gpuArray.linspace(-2.1, 0.7, n);
y = gpuArray.linspace(-1.23, 1.23, n);
[re, im] = meshgrid(x, y);
c = complex(re, im);

z = c;
count = ones(size(z), "gpuArray");
for k = 1:steps
    z = z.^2 + c;
    inside = abs(z) <= 2;
    count = count + inside;
end
shade = log(count);
result = gather(shade);
