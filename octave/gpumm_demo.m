## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## -*- texinfo -*-
## @deftypefn  {} {} gpumm_demo ()
## @deftypefnx {} {} gpumm_demo (@var{files})
## @deftypefnx {} {} gpumm_demo (@var{files}, @var{folder})
## @deftypefnx {} {@var{results} =} gpumm_demo (@dots{})
## Multiply real matrices with @code{gpumm}, check the products against Octave's own, and draw how
## long each took.
##
## Without @var{files} the demo multiplies its own matrices: the stiffness matrix of a helical spring
## by finite elements, squared, once as a sparse matrix and once by its blocks of 3 x 3, and applied
## to displacements; the discrete cosine transform of a picture; the covariances of a table of
## measurements.  Without a GPU it also counts what two kernels do.
##
## @var{files} is a cell array of one or two file names.  The demo multiplies two matrices as they
## are.  From one square matrix A it computes @code{A*A}, from a matrix of any other shape
## @code{A'*A}.  The files may be Matrix Market files (@file{.mtx}), files of @code{save} or MATLAB
## (@file{.mat}) and tables (@file{.csv}).  The first line of a table may be a header: a line without
## a number.  One @file{.mat} file with exactly two matrices is enough for both.  Octave's
## @code{load} reads @file{.mat} files, and @code{load} runs functions that a file may hold: use only
## @file{.mat} files that you trust.
##
## For each product the demo prints what ran and why, the time (on a GPU also the times of the stages),
## the time of Octave's product, and the largest error of an element in units of @w{n eps |A| |B|},
## where @var{n} is the number of terms in the sum of the element.  The fastest of several runs counts.
## An error above 1 ends the demo with the error @code{gpumm:demo:check}.
##
## The demo writes the figure to @file{gpumm_demo.png} in @var{folder}, by default the current folder.
## The figure needs gnuplot and no display.
##
## @var{results} is a struct array with an element for each product: @code{title}, @code{info} (as
## from @code{gpumm}), @code{seconds} (of the call of gpumm), @code{octave_seconds} (of Octave's
## product), @code{error} and @code{terms}.
##
## @example
## @group
## folder = tempname ();
## mkdir (folder);
## file = fullfile (folder, "magic.mtx");
## mmwrite (file, magic (4));
## said = evalc ("results = gpumm_demo (@{file@}, folder);");
## results.title
##   @result{} ans = A*A
## results.terms
##   @result{} ans = 4
## confirm_recursive_rmdir (false, "local");
## rmdir (folder, "s");
## @end group
## @end example
## @seealso{gpumm, gpumm_info, mmread}
## @end deftypefn

function results = gpumm_demo (files = {}, folder = ".")

  ## A message that ends with a newline comes without the lines of this file that led to it.
  try
    r = demo (files, folder);
  catch err
    if (isempty (regexp (err.identifier, '^(gpumm|Octave:nonconformant)', "once")))
      rethrow (err);
    endif
    error (err.identifier, "%s\n", err.message);
  end_try_catch
  if (nargout > 0)
    results = r;
  endif

endfunction

function r = demo (files, folder)

  if (ischar (files) && isrow (files))
    files = {files};
  endif
  if (! iscellstr (files) || numel (files) > 2)
    error ("gpumm:demo:argument", "gpumm_demo: FILES must be a cell array of at most two names");
  endif
  if (! (ischar (folder) && isrow (folder) && isfolder (folder)))
    error ("gpumm:demo:argument", "gpumm_demo: FOLDER must be the name of a directory");
  endif

  own = octaves_own_products ();
  started = tic ();
  say_where ();
  if (isempty (files))
    [r, panels] = own_matrices ();
    if (! gpumm_available ("gpu"))
      show_counts ();
    endif
  else
    [r, panels] = matrices_from (files);
  endif

  figure_file = fullfile (folder, "gpumm_demo.png");
  if (__demo_figure__ (figure_file, r, panels))
    printf ("\nfigure: %s\n", figure_file);
  else
    printf ("\nno figure: it needs gnuplot (package gnuplot-nox)\n");
  endif
  printf ("%d product%s right to rounding, in %.0f s\n", numel (r),
          {"s", ""}{1 + (numel (r) == 1)}, toc (started));

endfunction

function say_where ()

  s = gpumm_info ();
  printf ("gpumm %s. ", s.version);
  if (isempty (s.devices))
    printf ("No GPU can be used (%s): all products run on the CPU.\n", s.why_no_gpu);
  else
    printf ("GPU: %s.\n", strjoin ({s.devices.name}, ", "));
  endif
  ## The first products start CUDA and the threads of the BLAS, so they are not timed.
  A = ones (500);
  for backend = s.backends
    gpumm (A, A, "Backend", backend{1});
  endfor
  A * A;

endfunction

## ---- the demo's own matrices --------------------------------------------------------------------

function [r, panels] = own_matrices ()

  [r1, panel1] = spring ();
  [r2, panel2] = picture ();
  [r3, panel3] = table ();
  r = [r1, r2, r3];
  panels = [panel1, panel2, panel3];

endfunction

function [r, panels] = spring ()

  [K, nodes, corners] = __demo_stiffness__ (161, 8);
  n = rows (nodes);
  heading (["A helical spring in %d bricks: K, its stiffness matrix, has %d unknowns and %.1f " ...
            "nonzeros a row"], rows (corners), 3 * n, nnz (K) / rows (K));

  r = multiply ("K*K", "the spring's stiffness matrix squared: sparse times sparse", K, K);
  S = blocksparse (K, 3);
  r(2) = multiply ("S*S", "the same, with K stored by its blocks of 3 x 3: blocksparse", S, S);

  ## Displacements: three shifts, three small rotations, a pull and a shear that are the same
  ## everywhere, and waves along the spring.
  x = nodes(:,1);
  y = nodes(:,2);
  z = nodes(:,3);
  zero = zeros (n, 1);
  one = ones (n, 1);
  shapes = {[one, zero, zero], [zero, one, zero], [zero, zero, one], ...
            [-y, x, zero], [zero, -z, y], [z, zero, -x], ...
            [x, zero, zero], [y, zero, zero]};
  for wave = 1:20
    s = sin (wave * pi * z / max (z));
    shapes = [shapes, {[s .* x, s .* y, zero], [-s .* y, s .* x, zero], [zero, zero, s]}];
  endfor
  U = cell2mat (cellfun (@(shape) shape.'(:), shapes, "UniformOutput", false));
  meaning = sprintf ("the forces of %d displacements of it: sparse times full", columns (U));
  [r(3), F] = multiply ("K*U", meaning, K, U);

  scale = max (abs (nonzeros (K))) * max (abs (U(:)));
  rigid = max (abs (F(:,1:6))(:)) / scale;
  work = U.' * F;
  lowest = min (eig ((work + work.') / 2)) / scale;
  ratio = work(7,7) / work(8,8);  # (lambda + 2 mu) / mu, of Poisson's ratio 0.3
  asymmetry = max (abs (nonzeros (K - K.'))) / max (abs (nonzeros (K)));
  confirm (isempty (asymmetry) || asymmetry < 1e-14, "K is symmetric");
  confirm (rigid < 1e-12, "a spring that moves as a whole feels no force, %.0e of the largest",
           rigid);
  confirm (abs (ratio - 3.5) < 1e-10, "a pull takes %.4g times the work of a shear", ratio);
  confirm (lowest > -1e-9, "no displacement takes negative work");

  few = 480;
  [i, j] = find (K(1:few,1:few));
  panels = struct ("kind", {"mesh", "spy"}, ...
                   "title", {sprintf("a spring of %d bricks", rows (corners)), ...
                             sprintf("K: first %d of %d rows", few, rows (K))}, ...
                   "data", {{nodes, 161, 8}, {i, j, few}});

endfunction

function [r, panels] = picture ()

  n = 2048;
  I = __demo_image__ (n);
  heading ("A picture of %d x %d pixels, in single: its cosine transform is D*I*D'", n, n);

  ## The orthogonal matrix of the discrete cosine transform (DCT-II).
  D = sqrt (2 / n) * cos (pi / n * (0:n-1).' .* ((0:n-1) + 0.5));
  D(1,:) /= sqrt (2);
  D = single (D);

  [r, half] = multiply ("D*I", "the transform of each column of the picture: full times full", D,
                        I);
  [r(2), T] = multiply ("(D*I)*D'", "then of each row: full times full, transposed", half, D,
                        "TransposeB", "transpose");

  ## Most of the transform is near zero and may go: so pictures are compressed.
  kept = 0.03;
  sorted = sort (abs (T(:)), "descend");
  small = abs (T) < sorted(round (kept * n ^ 2));
  T_small = T;
  T_small(small) = 0;
  back = gpumm (gpumm (D, T_small, "TransposeA", "transpose"), D);
  distortion = -10 * log10 (mean ((back(:) - I(:)) .^ 2));
  confirm (abs (sumsq (double (T(:))) / sumsq (double (I(:))) - 1) < 1e-4,
           "the transform keeps the sum of squares");
  confirm (distortion > 25, "%g %% of the transform give the picture back, %.0f dB above the noise",
           100 * kept, distortion);

  both = [I(:,1:n/2), min(max (back(:,n/2+1:n), 0), 1)];
  panels = struct ("kind", "picture", "title",
                   sprintf ("right half from %g %% of D*I*D'", 100 * kept), "data", {{both}});

endfunction

function [r, panels] = table ()

  samples = 40000;
  sensors = 800;
  hidden = 5;
  heading ("A table of %d measurements by %d sensors that feel %d hidden causes and noise", samples,
           sensors, hidden);

  state = {rand("twister"), randn("twister")};
  unwind_protect
    rand ("twister", 1);
    randn ("twister", 1);
    X = randn (samples, hidden) * (rand (hidden, sensors) - 0.5) + 0.5 * randn (samples, sensors);
  unwind_protect_cleanup
    rand ("twister", state{1});
    randn ("twister", state{2});
  end_unwind_protect
  X -= mean (X);

  [r, S] = multiply ("X'*X", "the covariances of all sensors: full, transposed, times itself", X, X,
                     "TransposeA", "transpose");
  variance = sort (eig (S / (samples - 1)), "descend");
  confirm (issymmetric (S, 1e-12 * norm (S, 1)), "the covariances are symmetric");
  confirm (variance(hidden) > 10 * variance(hidden+1),
           "%d eigenvalues stand out, one for each hidden cause", hidden);

  panels = struct ("kind", "spectrum", "title", "eigenvalues of the covariances", "data",
                   {{variance}});

endfunction

## Without a GPU its kernels run on the CPU, warp by warp, and each access is counted.
function show_counts ()

  A = rand (64);
  heading ("What two kernels would do on a GPU, counted on the CPU: C = A*B, 64 x 64, double");
  printf ("\n    %-10s %12s %12s %14s %18s\n", "kernel", "operations", "loads", "from shared",
          "operations a byte");
  loads = [];
  for name = {"naive", "tiled_16"}
    [~, t] = gpumm_kernel (name{1}, A, A, "Backend", "cpu");
    printf ("    %-10s %12d %12d %14d %18.2f\n", name{1}, t.flops.done, t.load.total.elements,
            t.shared.load.elements, t.intensity);
    loads(end+1) = t.load.total.elements;
  endfor
  printf (["    Tiles in shared memory spare %g of %g loads from the GPU's memory.  Try\n" ...
           "    gpumm_kernel (\"tiled\", A, A)\n"], loads(1) - loads(2), loads(1));

endfunction

## ---- matrices from files ------------------------------------------------------------------------

function [r, panels] = matrices_from (files)

  [matrices, names, headers] = __demo_load__ (files);
  for k = 1:numel (matrices)
    heading ("%s: %s", names{k}, describe (matrices{k}));
    if (! isempty (headers{k}))
      printf ("    its first line is taken as a header: %s\n", headers{k});
    endif
  endfor
  A = matrices{1};
  if (numel (matrices) == 2)
    r = multiply ("A*B", "the product of the two", A, matrices{2});
  elseif (issquare (A))
    r = multiply ("A*A", "the matrix times itself", A, A);
  else
    r = multiply ("A'*A", "the matrix, transposed, times itself", A, A, "TransposeA", "transpose");
  endif

  panels = struct ("kind", {}, "title", {}, "data", {});
  for k = 1:numel (matrices)
    panels(k) = struct ("kind", "density", "title",
                        sprintf ("%s: %s", "AB"(k), names{k}), "data", {{matrices{k}}});
  endfor

endfunction

function str = describe (A)

  str = sprintf ("%d x %d, %s%s", rows (A), columns (A), {"", "complex "}{1 + iscomplex(A)},
                 class (A));
  if (issparse (A))
    str = sprintf ("%s, sparse with %d nonzeros", str, nnz (A));
  endif

endfunction

## ---- a product ----------------------------------------------------------------------------------

## Multiplies op (A) * op (B) with gpumm and with Octave, each for a second or 20 times; prints both,
## and raises an error if the products differ by more than rounding.
function [r, C] = multiply (title, meaning, A, B, varargin)

  printf ("\n  %s: %s\n", title, meaning);
  plain_A = plain (A);
  plain_B = plain (B);
  seconds = octave_seconds = Inf;
  spent = runs = 0;
  while (runs < 20 && spent < 1)
    C = [];
    started = tic ();
    [C, this] = gpumm (A, B, varargin{:});
    took = toc (started);
    if (took < seconds)
      seconds = took;
      info = this;
    endif
    spent += took;
    runs++;
  endwhile
  spent = runs = 0;
  while (runs < 20 && spent < 1)
    expected = [];
    started = tic ();
    expected = octave_product (plain_A, plain_B, varargin{:});
    took = toc (started);
    octave_seconds = min (octave_seconds, took);
    spent += took;
    runs++;
  endwhile

  [err, terms] = compare (plain (C), expected, plain_A, plain_B, varargin{:});
  r = struct ("title", title, "info", info, "seconds", seconds, "octave_seconds", octave_seconds,
              "error", err, "terms", terms);
  show (r);
  if (! (err <= 1))
    error ("gpumm:demo:check", "gpumm_demo: %s is wrong: its error is %g n eps |A||B|", title, err);
  endif

endfunction

## What Octave's own product takes.
function X = plain (X)

  if (isa (X, "blocksparse"))
    X = sparse (X);
  endif

endfunction

function C = octave_product (A, B, option = "", ~)

  switch (option)
    case "TransposeA"
      C = A.' * B;
    case "TransposeB"
      C = A * B.';
    otherwise
      C = A * B;
  endswitch

endfunction

## See largest_error; terms is the largest number of terms that an element sums.
function [err, terms] = compare (C, expected, A, B, varargin)

  terms = 0;
  if (size_equal (C, expected))
    terms = max (1, most_terms (A, B, varargin{:}));
  endif
  err = largest_error (C, expected, terms, ...
                       @() octave_product (abs (A), abs (B), varargin{:}));

endfunction

function n = most_terms (A, B, option = "", ~)

  if (strcmp (option, "TransposeA"))
    A = A.';
  elseif (strcmp (option, "TransposeB"))
    B = B.';
  endif
  n = columns (A);
  if (issparse (A))
    n = min (n, full (max ([0; sum(A != 0, 2)])));
  endif
  if (issparse (B))
    n = min (n, full (max ([0, sum(B != 0, 1)])));
  endif

endfunction

function show (r)

  info = r.info;
  s = info.seconds;
  printf ("    ran on   %s (%s), algorithm %s, kernel %s\n", info.backend, info.device.name,
          info.algorithm, info.kernel);
  printf ("    why      %s\n", reason_of (info));
  printf ("    gpumm    %s, %s", duration (r.seconds), rate (info.flops, r.seconds));
  if (strcmp (info.backend, "gpu"))
    printf (": up %s, compute %s, down %s, the rest %s", duration (s.upload),
            duration (s.compute), duration (s.download),
            duration (max (0, r.seconds - s.upload - s.compute - s.download)));
  endif
  ratio = r.octave_seconds / r.seconds;
  if (ratio >= 1.1)
    verdict = sprintf ("gpumm is %.3g times as fast", ratio);
  elseif (ratio <= 1 / 1.1)
    verdict = sprintf ("gpumm takes %.3g times as long", 1 / ratio);
  else
    verdict = "both take the same time, to 10 %";
  endif
  printf ("\n    Octave   %s, %s: %s\n", duration (r.octave_seconds),
          rate (info.flops, r.octave_seconds), verdict);
  if (r.error <= 1)
    verdict = "right to rounding";
  else
    verdict = "WRONG";
  endif
  printf ("    check    %s: largest error %.2g n eps |A||B|, n = %d\n", verdict, r.error, r.terms);
  fflush (stdout);

endfunction

## The reason without what the first line of the demo has said already.
function str = reason_of (info)

  str = strrep (info.reason, ["no GPU can be used: " gpumm_info().why_no_gpu], "");
  str = regexprep (str, '^[;, ]+', "");
  if (isempty (str))
    str = "without a GPU gpumm calls the BLAS that Octave calls";
    if (! strcmp (info.algorithm, "blas"))
      str = sprintf ("without a GPU %s is the way", info.algorithm);
    endif
  endif

endfunction

function str = duration (seconds)

  if (seconds >= 1 || seconds == 0)
    str = sprintf ("%.3g s", seconds);
  else
    str = sprintf ("%.3g ms", 1e3 * seconds);
  endif

endfunction

function str = rate (flops, seconds)

  str = sprintf ("%.3g GFLOPS", flops / seconds / 1e9);

endfunction

function heading (template, varargin)

  printf (["\n" template "\n"], varargin{:});

endfunction

## Prints a statement about the results, which must be true.
function confirm (yes, template, varargin)

  str = sprintf (template, varargin{:});
  if (! yes)
    error ("gpumm:demo:check", "gpumm_demo: this should be true but is not: %s", str);
  endif
  printf ("    sense    %s\n", str);

endfunction
