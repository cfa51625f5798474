## bench_narrow.m - times products of data that a narrower type holds exactly, between host arrays.
##
##   octave-cli --no-history --norc --path octave --path PACKAGE bench/bench_narrow.m FILE.csv
##              LABEL [SETS [ALGORITHMS [DATA]]]
##
## PACKAGE is the directory with the gateways (build/package).  LABEL names the build in the rows,
## which are appended to FILE.csv: run this in turn with a build that uploads wide numbers, to see
## the gain.  A set is a type, by BLAS letter, and a size: d8192.
##
## The data are "fractions", uniform in (-1/2, 1/2), which no narrower type holds; "singles",
## fractions rounded to single; integers from 1 to 30000 and from 1 to 100; and "sparse", 0 and 1,
## with one 1 in twenty.  Products are square, by "auto".  tic and toc surround the call; the result
## is cleared before.  Times are in milliseconds: the median of 15 calls, from size 4096 on of 7,
## from 10000 on of 4.  The result of a first, untimed call is checked.
## SPDX-License-Identifier: BSD-3-Clause
1;

## Repeats a block of 1024: drawing all numbers would take longer than all products.
function X = operand (type, n, data)
  m = 1024;
  switch (data)
    case {"fractions", "singles"}
      X = rand (m) - 0.5;
    case "sparse"
      X = double (rand (m) < 0.05);
    otherwise
      X = randi (str2double (data), m);
  endswitch
  if (strcmp (data, "singles"))
    X = double (single (X));
  endif
  if (type == "s")
    X = single (X);
  endif
  X = repmat (X, n / m, n / m);
endfunction

args = argv ();
if (numel (args) < 2)
  error ("bench_narrow: usage: bench_narrow.m FILE.csv LABEL [SETS [ALGORITHMS [DATA]]]");
endif
sets = {"d1024", "d2048", "d4096", "d8192", "d16384", "s1024", "s2048", "s4096", "s8192", "s16384"};
algorithms = {"auto"};
all_data = {"fractions", "singles", "30000", "100", "sparse"};
if (numel (args) > 2)
  sets = strsplit (args{3}, ",");
endif
if (numel (args) > 3)
  algorithms = strsplit (args{4}, ",");
endif
if (numel (args) > 4)
  all_data = strsplit (args{5}, ",");
endif

devices = gpumm_info ().devices;
if (isempty (devices))
  error ("bench_narrow: there is no GPU");
endif
rand ("twister", 1);
fresh = ! exist (args{1}, "file");
file = fopen (args{1}, "a");
if (fresh)
  fprintf (file, "# bench/bench_narrow.m\n# %s\n", devices(1).name);
  fprintf (file, "build,type,n,data,algorithm,median_ms,least_ms,most_ms,upload_ms,%s\n",
           "compute_ms,download_ms,megabytes_up,kernel");
endif
for s = sets
  type = s{1}(1);
  n = str2double (s{1}(2:end));
  for data = all_data
    if (type == "s" && strcmp (data{1}, "singles"))
      continue;
    endif
    A = operand (type, n, data{1});
    B = operand (type, n, data{1});
    for name = algorithms
      C = gpumm (A, B, "Algorithm", name{1});
      t = ones (n, 1, class (A));
      assert (C * t, A * (B * t), 10 * n^2.5 * eps (class (A)) * max (max (A)) * max (max (B)));
      times = zeros (1, 4 + 3 * (n < 10000) + 8 * (n < 4096));
      for i = 1:numel (times)
        clear C;
        tic ();
        [C, info] = gpumm (A, B, "Algorithm", name{1});
        times(i) = 1e3 * toc ();
      endfor
      t = info.seconds;
      line = sprintf ("%s,%s,%d,%s,%s,%.3f,%.3f,%.3f,%.2f,%.2f,%.2f,%.1f,\"%s\"", args{2}, type, ...
                      n, data{1}, name{1}, median (times), min (times), max (times), ...
                      1e3 * t.upload, 1e3 * t.compute, 1e3 * t.download, 1e-6 * info.bytes.up, ...
                      info.kernel);
      fprintf (file, "%s\n", line);
      printf ("%s\n", line);
    endfor
  endfor
endfor
fclose (file);
