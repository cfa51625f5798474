## bench_mtimes.m - times Octave's own operator * without and with gpumm_mtimes.
##
##   octave-cli --no-history --path octave --path build/package bench/bench_mtimes.m FILE.csv
##
## Set OPENBLAS_CORETYPE=SkylakeX or Haswell if OpenBLAS does not know the processor (see
## bench/run).
##
## S is sparse, n x n, with about d random elements a column; v is a column, V has four columns, A is full, n x n.
## The two ways take turns; times are medians in milliseconds.  The results are compared first.  The products
## stand in a function, because within @() Octave does not tell S'*v from a transpose and a product.
## SPDX-License-Identifier: BSD-3-Clause
1;

function C = multiply (work, S, v, V)
  switch (work)
    case "S*v"
      C = S * v;
    case "S'*v"
      C = S' * v;
    case "v'*S"
      C = v' * S;
    case "S*V"
      C = S * V;
    case "S'*V"
      C = S' * V;
    case {"S*S", "A*A"}
      C = S * S;
    case {"S'*S", "A'*A"}
      C = S' * S;
  endswitch
endfunction

function compare (file, n, d, work, varargin)
  product = @() multiply (work, varargin{:});
  gpumm_mtimes (false);
  right = product ();
  gpumm_mtimes (true);
  C = product ();
  assert (norm (C - right, 1) <= 1e-10 * norm (right, 1));
  clear C right
  tic ();
  product ();
  count = max (1, ceil (0.02 / toc ())); # calls of a measurement
  ms = zeros (11, 2);
  for r = 1:rows (ms) # take turns, because other work on the machine disturbs them
    for way = 1:2
      gpumm_mtimes (way == 2);
      begun = tic ();
      for i = 1:count
        product ();
      endfor
      ms(r,way) = 1e3 * toc (begun) / count;
    endfor
  endfor
  gpumm_mtimes (false);
  ms = median (ms);
  fprintf (file, "%s,%d,%d,%.4f,%.4f,%.2f\n", work, n, d, ms, ms(1) / ms(2));
  printf ("%-6s n %7d d %3d: octave %10.3f ms, gpumm_mtimes %10.3f ms, %.2f\n", work, n, d, ms, ms(1) / ms(2));
  fflush (stdout);
endfunction

rand ("twister", 1);
name = argv (){end};
file = fopen (name, "w");
s = gpumm_info ();
where = s.devices;
if (isempty (where))
  where = "no GPU";
else
  where = where(1).name;
endif
fprintf (file, "# octave-cli --path octave --path build/package bench/bench_mtimes.m\n");
fprintf (file, "# %s; %d cores; %s; Octave %s; gpumm %s (%s)\n", where, nproc (), ...
         strtrim (version ("-blas")), version (), s.version, s.build);
fprintf (file, "work,n,d,octave_ms,gpumm_ms,ratio\n");
for n = [3e3, 1e4, 1e5, 5e5]
  for d = [3, 10, 50]
    if (n * d > 1e7)
      continue;
    endif
    S = sprand (n, n, d / n);
    v = rand (n, 1);
    V = rand (n, 4);
    for work = {"S*v", "S'*v", "v'*S", "S*V", "S'*V", "S*S", "S'*S"}(1:merge (n * d^2 < 3e7, 7, 5))
      compare (file, n, d, work{1}, S, v, V);
    endfor
  endfor
endfor
for n = [256, 500, 1000, 2000]
  A = rand (n);
  compare (file, n, n, "A*A", A);
  compare (file, n, n, "A'*A", A);
endfor
fclose (file);
