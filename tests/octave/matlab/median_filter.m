% median_filter - remove single wrong pixels from an image
img = repmat(uint8(8 * (1:24)), 20, 1);
img(5:7:end) = 255;
img(3:11:end) = 0;
G = gpuArray(img);

[rows, cols] = size(G);
padded = G([1 1:rows rows], [1 1:cols cols]);
stack = zeros(rows, cols, 9, "uint8", "gpuArray");
k = 0;
for i = 0:2
    for j = 0:2
        k = k + 1;
        stack(:, :, k) = padded(i + (1:rows), j + (1:cols));
    end
end
sorted = sort(stack, 3);
smooth = sorted(:, :, 5);
difference = abs(double(smooth) - double(G));
changed = nnz(difference > 0);
result = [double(gather(smooth)); gather(changed) * ones(1, cols)];
