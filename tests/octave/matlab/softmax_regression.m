% softmax_regression - train a linear classifier of three classes by gradient descent
gpurng(7);
n = 150;
classes = 3;
labels = repmat((1:classes)', n / classes, 1);
X = randn(n, 2) + 3 * [cos(2*labels), sin(2*labels)];
X = gpuArray([X, ones(n, 1)]);
Y = gpuArray(double(labels == 1:classes));

W = zeros(3, classes, "gpuArray");
rate = 0.5;
losses = zeros(1, 20, "gpuArray");
for epoch = 1:20
    scores = X * W;
    scores = scores - max(scores, [], 2);
    P = exp(scores) ./ sum(exp(scores), 2);
    losses(epoch) = -mean(sum(Y .* log(P), 2));
    W = W - rate * (X' * (P - Y)) / n;
end
[~, guess] = max(X * W, [], 2);
accuracy = mean(gather(guess) == labels);
fprintf('loss %.4f, accuracy %.3f\n', losses(end), accuracy);
result = [gather(losses), accuracy];
