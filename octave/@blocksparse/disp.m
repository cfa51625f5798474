## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## disp (S): what it is, and how many elements of each block are not zero.

function text = disp (S)

  ## A pattern of more blocks is summed up in at most so many rows and columns.
  most = 16;

  grid = [S.rows / S.block_rows, S.cols / S.block_cols];
  form = "";
  if (iscomplex (S.values))
    form = "complex ";
  endif
  t = sprintf ("%dx%d blocksparse %s%s: %d of %d blocks of %dx%d, %d nonzeros\n", S.rows, ...
               S.cols, form, class (S.values), numel (S.column), prod (grid), S.block_rows, ...
               S.block_cols, nnz (S));
  if (all (grid > 0))
    step = ceil (grid / most);
    counts = sum (reshape (S.values != 0, S.block_rows * S.block_cols, []), 1)(:);
    at = [floor((block_rows (S) - 1) / step(1)), floor(double (S.column) / step(2))] + 1;
    counts = accumarray (at, counts, ceil (grid ./ step));
    if (any (step > 1))
      t = [t, sprintf("  in rectangles of %dx%d blocks:\n", step)];
    endif
    width = numel (sprintf ("%d", max (counts(:))));
    cells = arrayfun (@(n) sprintf ("%*d", width + 2, n), counts, "UniformOutput", false);
    cells(counts == 0) = sprintf ("%*s", width + 2, ".");
    for i = 1:rows (cells)
      t = [t, "  ", cells{i,:}, "\n"];
    endfor
  endif
  if (nargout > 0)
    text = t;
  else
    fputs (stdout, t);
  endif

endfunction
