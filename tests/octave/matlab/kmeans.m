% kmeans - groups of points in the plane, by steps of Lloyd's algorithm
gpurng(5);
centres = [0 0; 4 4; 0 5];
k = size(centres, 1);
points = [];
for i = 1:k
    points = [points; centres(i, :) + randn(60, 2, "gpuArray")];
end

guess = points([1 70 130], :);
for step = 1:10
    dist = zeros(size(points, 1), k, 'like', points);
    for i = 1:k
        dist(:, i) = sum((points - guess(i, :)).^2, 2);
    end
    [~, group] = min(dist, [], 2);
    old = guess;
    for i = 1:k
        guess(i, :) = mean(points(group == i, :), 1);
    end
    if max(abs(guess(:) - old(:))) < 1e-12
        break
    end
end
sizes = sum(group == 1:k);
result = gather([guess, sizes']);
