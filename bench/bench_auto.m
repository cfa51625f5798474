## bench_auto.m - times cublas, "emulated" and "auto", from host array to host array.
##
##   octave-cli --no-history --norc --path octave --path build/package bench/bench_auto.m FILE.csv
##              [SETS [ALGORITHMS]]
##
## A set is a type, by BLAS letter, and a size: s8192.  Products are square.  Data are uniform in
## (-1/2, 1/2), also real and imaginary parts.  tic and toc surround the call; the result is cleared
## before.  The median is of 7 calls, from size 10000 on of 4.  The first call is reported
## separately: in it "auto" may measure the device.
## SPDX-License-Identifier: BSD-3-Clause
1;

function X = operand (type, n)
  X = rand (n) - 0.5;
  if (any (type == "cz"))
    X = complex (X, rand (n) - 0.5);
  endif
  if (any (type == "sc"))
    X = single (X);
  endif
endfunction

args = argv ();
if (isempty (args))
  error ("bench_auto: usage: bench_auto.m FILE.csv [SETS [ALGORITHMS]]");
endif
sets = {"s8192", "s16384", "d8192", "d16384", "c4096", "c8192", "z8192"};
algorithms = {"cublas", "emulated", "auto"};
if (numel (args) > 1)
  sets = strsplit (args{2}, ",");
endif
if (numel (args) > 2)
  algorithms = strsplit (args{3}, ",");
endif

devices = gpumm_info ().devices;
if (isempty (devices))
  error ("bench_auto: there is no GPU");
endif
rand ("twister", 1);
file = fopen (args{1}, "w");
fprintf (file, "# bench/bench_auto.m %s\n# %s\n", strjoin (args.', " "), devices(1).name);
fprintf (file, "type,n,algorithm,first_ms,median_ms,least_ms,most_ms,upload_ms,compute_ms,%s\n",
         "download_ms,kernel");
for s = sets
  type = s{1}(1);
  n = str2double (s{1}(2:end));
  A = operand (type, n);
  B = operand (type, n);
  for name = algorithms
    times = zeros (1, 5);
    if (n < 10000)
      times = zeros (1, 8);
    endif
    for i = 1:numel (times)
      clear C;
      tic ();
      [C, info] = gpumm (A, B, "Algorithm", name{1});
      times(i) = 1e3 * toc ();
    endfor
    t = info.seconds;
    line = sprintf ("%s,%d,%s,%.2f,%.2f,%.2f,%.2f,%.2f,%.2f,%.2f,\"%s\"", type, n, name{1}, ...
                    times(1), median (times(2:end)), min (times(2:end)), max (times(2:end)), ...
                    1e3 * t.upload, 1e3 * t.compute, 1e3 * t.download, info.kernel);
    fprintf (file, "%s\n", line);
    printf ("%s\n   %s\n", line, info.reason);
  endfor
endfor
fclose (file);
