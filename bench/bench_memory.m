## bench_memory.m - measures the most device memory that a product takes, with nvidia-smi.
##
##   octave --path octave --path build/package bench/bench_memory.m >FILE.csv
##
## Each product runs three times with Backend "gpu" and without a limit, while nvidia-smi writes the
## device memory in use every 10 ms.  The columns are the MB of the operands (a matrix that is both
## operands counts once) and of the result; the most MB in use, less the MB before (the driver's
## context, the loaded kernels); and the percentage beyond operands and result.  Nothing else may
## use the GPU meanwhile.
##
## SPDX-License-Identifier: BSD-3-Clause
1; # a script

addpath (fileparts (mfilename ("fullpath"))); # bytes_of

function S = random_blocks (make, b, n, each)
  J = zeros (each, n);
  for i = 1:n
    J(:,i) = randperm (n, each);
  endfor
  S = blocksparse (kron ((1:n)', ones (each, 1)), J(:), make (b, b, n * each), b * n, b * n);
endfunction

function text = query ()
  text = "nvidia-smi -i 0 --query-gpu=memory.used --format=csv,noheader,nounits";
endfunction

## The largest of nvidia-smi's numbers, in MB.
function mb = most_of (text)
  mb = max (sscanf (text, "%d")) * 2^20 / 1e6;
endfunction

function row (name, A, B, same = false)
  file = tempname ();
  gpumm (ones (1000), ones (1000), "Backend", "gpu");
  gpumm_reset ();
  [~, now] = system (query ());
  before = most_of (now);
  [~, pid] = system ([query() " -lms 10 >" file " & echo $!"]);
  for i = 1:3
    C = [];
    [C, info] = gpumm (A, B, "Backend", "gpu");
  endfor
  pause (0.1);
  system (["kill " strtrim(pid)]);
  most = most_of (fileread (file));
  unlink (file);
  operands = bytes_of (A) + (! same) * bytes_of (B);
  known = 1e-6 * (operands + bytes_of (C));
  printf ("%s,%s,%s,%.0f,%.0f,%.0f,%.0f\n", name, info.algorithm, strrep (info.kernel, ",", ";"), ...
          1e-6 * operands, 1e-6 * bytes_of (C), most - before, 100 * (most - before - known) / known);
  fflush (stdout);
endfunction

rand ("twister", 1);
if (! gpumm_available ("gpu"))
  error ("there is no GPU");
endif
printf ("# bench_memory.m, %s\n", gpumm_info ().devices(1).name);
printf ("product,algorithm,kernel,operands_mb,result_mb,device_mb,more_percent\n");
real_blocks = @(m, n, k) rand (m, n, k) - 0.5;
whole_blocks = @(m, n, k) uint16 (randi (100, m, n, k));

S = random_blocks (real_blocks, 9, 4000, 40);
row ("blocks 9x9 by themselves", S, S, true);
S = random_blocks (real_blocks, 4, 200000, 20);
row ("blocks 4x4 by full 256 columns", S, rand (800000, 256) - 0.5);
row ("full 256 rows by blocks 4x4", rand (256, 800000) - 0.5, S);
S = random_blocks (whole_blocks, 4, 8192, 122);
row ("uint16 blocks 4x4 by themselves", S, S, true);
S = random_blocks (whole_blocks, 8, 4096, 537);
row ("uint16 blocks 8x8 by themselves", S, S, true);
S = sprand (1e6, 1e6, 8e-6);
row ("sparse by sparse", S, S, true);
S = sprand (400000, 400000, 4e-5);
row ("sparse by full 256 columns", S, rand (400000, 256));
row ("full 256 rows by sparse", rand (256, 400000), S);
A = rand (12000) - 0.5;
row ("full by full", A, A(:,end:-1:1));
