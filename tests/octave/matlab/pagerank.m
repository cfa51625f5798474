% pagerank - ranks of the pages of a small web, by the power method
from = [1 1 2 2 3 3 3 4 6 6 7 8 8];
to = [2 6 3 4 4 5 6 1 1 7 8 6 7];
n = max([from to]);
links = sparse(to, from, 1, n, n);
out = full(sum(links, 1));
dangling = gpuArray(double(out == 0));
out(out == 0) = 1;
P = gpuArray(links * spdiags(1 ./ out', 0, n, n));

damping = 0.85;
rank = ones(n, 1, 'gpuArray') / n;
for step = 1:100
    old = rank;
    rank = damping * (P * rank + (dangling * rank) / n) + (1 - damping) / n;
    if sum(abs(rank - old)) < 1e-10
        break
    end
end
[rank, order] = sort(rank, 'descend');
for i = 1:3
    fprintf('%d: %.4f\n', order(i), rank(i));
end
result = gather([rank, order]);
