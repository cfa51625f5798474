## list = patterns (FORMAT): "sparse" matrices, or matrices in "blocks", of small whole numbers and
## halves, so that sums are exact: with empty lines, a full column and a full row, one entry or
## block, none, blocks of 1 x 1 and rectangular ones, each class, NaN and Inf.
## SPDX-License-Identifier: BSD-3-Clause

function list = patterns (format)

  if (strcmp (format, "sparse"))
    A = sparse ([1, 3, 3, 4, 2], [1, 1, 4, 4, 5], [2, -1, 3, 1, -2], 5, 6);
    hub = sparse (7, 7);
    hub(:,3) = 1:7;
    hub(2,:) = -3:3;
    wide = sparse ([1, 1, 2], [1, 400, 399], [1, 2, 3], 2, 400);
    list = {A, A.', hub, A * complex(1, 2), hub > 0, sparse(3, 4), sparse(1, 5), sparse(0, 3), ...
            sparse(3, 0), sparse(-3), sparse(2, 3, 5, 3, 3), wide, sparse([0, 2, 0, -3]), ...
            sparse([0; 2; 0]), sparse([1, NaN; 0, Inf]), sparse(toeplitz (1:5))};
  else
    hub = eye (5);
    hub(:,3) = 1;
    hub(2,:) = 1;
    some = [1, 0, 1, 0; 0, 0, 0, 0; 0, 1, 1, 0; 1, 0, 0, 0];
    band = toeplitz ([1, 1, 0, 0]);
    list = {filled(some, [2, 2]), filled(hub, [2, 2]), filled(band, [3, 3]), ...
            filled(some(1:3,:), [2, 3]), filled(some(:,1:3), [3, 2]), filled(some, [1, 1]), ...
            filled(some, [1, 4]), filled(1, [3, 3]), filled(zeros (2, 3), [2, 2]), ...
            blocksparse(0, 4, [2, 2]), blocksparse(4, 0, [2, 2]), ...
            single(filled (band, [2, 2])), filled(some, [2, 2]) * complex(1, 2), ...
            single(filled (hub, [1, 1]) * complex(1, -1))};
  endif

endfunction
