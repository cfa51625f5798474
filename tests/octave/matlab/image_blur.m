% image_blur - smooth an image and find its edges, by shifts in place of a convolution
[x, y] = meshgrid(1:40, 1:30);
img = uint8(127 + 60 * sin(x / 4) + 60 * cos(y / 5));
img(10:20, 15:25) = 255;
G = single(gpuArray(img)) / 255;

weights = [1 2 1; 2 4 2; 1 2 1] / 16;
blurred = zeros(size(G), "like", G);
for i = -1:1
    for j = -1:1
        blurred = blurred + weights(i+2, j+2) * circshift(G, [i j]);
    end
end
dx = circshift(blurred, [0 -1]) - circshift(blurred, [0 1]);
dy = circshift(blurred, [-1 0]) - circshift(blurred, [1 0]);
edges = sqrt(dx.^2 + dy.^2);
mask = edges > 0.1;
result = [gather(sum(mask(:))); double(gather(uint8(255 * blurred(:, 20))))];
