% count_groups - how often each value comes, and a mean of each group
% waits for: unique (issue 75)
gpurng(29);
n = 400;
group = gpuArray.randi(6, n, 1) * 10;
value = gpuArray.rand(n, 1) + group;

[names, ~, place] = unique(group);
counts = accumarray(place, 1);
sums = accumarray(place, value);
means = sums ./ counts;
assert(sum(counts) == n)
[~, most] = max(counts);
fprintf('%d comes most\n', gather(names(most)));
result = gather([names, counts, means]);
