% game_of_life - a glider on a torus, by shifted copies of the board
n = 24;
board = false(n, "gpuArray");
board(2:4, 2:4) = [0 1 0; 0 0 1; 1 1 1];
board(12, 10:12) = true;

left = [n, 1:n-1];
right = [2:n, 1];
for generation = 1:20
    cells = double(board);
    rows = cells(left, :) + cells + cells(right, :);
    neighbours = rows(:, left) + rows + rows(:, right) - cells;
    board = neighbours == 3 | (board & neighbours == 2);
end
alive = sum(board(:));
fprintf('%d cells live\n', alive);
[row, col] = find(gather(board));
result = [gather(alive); row; col];
