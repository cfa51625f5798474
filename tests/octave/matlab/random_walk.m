% random_walk - many walks at a time: where they end, how far they come
gpurng(11);
walks = 50;
steps = 100;
moves = 2 * gpuArray.randi(2, steps, walks) - 3;
position = cumsum(moves, 1);

final = position(end, :);
farthest = max(abs(position));
highest = cummax(position);
record = sum(diff(highest) > 0);
crossings = sum(position(1:end-1, :) .* position(2:end, :) < 0);
first = any(position == 10);

fprintf('mean distance %.2f, %d walks came to 10\n', mean(abs(final)), sum(first));
[m, s] = deal(mean(final), std(final));
result = [gather(m), gather(s), gather(farthest), gather(record), gather(crossings)];
