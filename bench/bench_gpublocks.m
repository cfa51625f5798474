## bench_gpublocks.m - sign iterations on matrices in blocks: on the device, and from host memory.
##
##   octave-cli --path OCTAVE --path PACKAGE bench_gpublocks.m [N [BLOCK ...]] > FILE.csv
##
## X = 1.5 X - 0.5 X^3 with blocks below 1e-8 dropped, 20 steps, of a banded matrix with N block rows
## (20000) in blocks of 23 x 23 and 9 x 9.  Seconds are medians of three runs after one that is not
## counted.  What is uploaded before and gathered after is not counted.  From host memory two steps, which
## take many times as long as 20 on the device, and two on the device beside them.
##
## "product" is X * X of the last X: its rate on the device, with all that the operator does, and beside it
## the rate of the kernel alone that gpumm takes for the same operands from host memory.
##
## SPDX-License-Identifier: BSD-3-Clause
1;

function X = step (X)
  X = dropblocks (1.5 * X - 0.5 * X ^ 3, 1e-8);
endfunction

function [seconds, X] = sign_of (X, steps = 20)
  tic;
  for i = 1:steps
    X = step (X);
  endfor
  finish (X);
  seconds = toc;
endfunction

function finish (X)
  if (strcmp (class (X), "gpuArray"))
    wait (gpuDevice ());
  endif
endfunction

## Diagonal blocks of both signs, and off them blocks that fall by a factor of 20 a step: three on each side.
function S = banded (n, b)
  [I, D] = ndgrid (1:n, -3:3);
  J = I + D;
  inside = J >= 1 & J <= n;
  I = I(inside);
  J = J(inside);
  blocks = (rand (b, b, numel (I)) - 0.5) .* reshape (20 .^ -abs (I - J), 1, 1, []) / b;
  on = find (I == J).';
  blocks(:,:,on) += eye (b) .* reshape ((-1) .^ I(on), 1, 1, []);
  S = blocksparse (I, J, blocks, n * b, n * b);
  S = (S + S') * 0.4; # its norm is below the square root of 3
endfunction

function seconds = product_seconds (X)
  finish (X);
  tic;
  for i = 1:5
    Y = X * X;
  endfor
  finish (Y);
  seconds = toc / 5;
endfunction

n = 20000;
sizes = [23, 9];
given = argv ();
if (! isempty (given) && ! isnan (str2double (given{1})))
  n = str2double (given{1});
endif
if (numel (given) > 1)
  sizes = cellfun (@str2double, given(2:end)).';
endif
rand ("twister", 1);
info = gpumm_info ();
printf ("# gpumm %s; %s\n", info.version, strtrim (evalc ("disp (info.devices)")));
printf ("work,block,who,block_rows,blocks,seconds,gflops,kernel\n");
for b = sizes
  S = banded (n, b);
  line = @(work, who, X, seconds, gflops, kernel) printf ("%s,%d,%s,%d,%d,%.4f,%.0f,%s\n", work, b, who, ...
                                                          n, nnzb (X), seconds, gflops, kernel);
  G = gpuArray (S);
  [~, X] = sign_of (G);
  line ("sign", "resident", X, median (arrayfun (@(k) sign_of (G), 1:3)), NaN, "");
  memory = gpuDevice ();
  printf ("# device memory: %.2f GB in use, %.2f GB kept\n", memory.UsedMemory / 1e9, ...
          memory.CachedMemory / 1e9);
  [~, Z] = sign_of (G, 2);
  line ("sign, 2 steps", "resident", Z, median (arrayfun (@(k) sign_of (G, 2), 1:3)), NaN, "");
  [seconds, Y] = sign_of (S, 2);
  line ("sign, 2 steps", "from host", Y, seconds, NaN, "");
  assert (norm (gather (Z) - Y, "fro") <= 1e-12 * norm (Y, "fro"));
  Y = gather (X);
  [~, told] = gpumm (Y, Y);
  [~, told] = gpumm (Y, Y);
  product_seconds (X);
  seconds = product_seconds (X);
  line ("product", "resident", X, seconds, 1e-9 * told.flops / seconds, "");
  line ("product", "from host", X, told.seconds.compute, 1e-9 * told.flops / told.seconds.compute, told.kernel);
endfor
