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
## Without @var{files} the demo multiplies its own matrices: the stiffness matrix of a helical
## spring by finite elements, squared, once as a sparse matrix and once by its blocks of 3 x 3, and
## applied to displacements; the discrete cosine transform of a picture; the covariances of a table
## of measurements.
##
## @var{files} is a cell array of one or two file names.  The demo multiplies two matrices as they
## are.  From one square matrix A it computes @code{A*A}, from a matrix of any other shape
## @code{A'*A}.  The files may be Matrix Market files (@file{.mtx}), files of @code{save} or MATLAB
## (@file{.mat}) and tables (@file{.csv}).  Commas, semicolons or tabs separate the numbers of a
## table, one kind in all of it, and numbers have a decimal point.  The first line of a table may be
## a header: a line without a number.  One @file{.mat} file with exactly two matrices is enough for
## both.  Octave's @code{load} reads @file{.mat} files, and @code{load} runs functions that a file
## may hold: use only @file{.mat} files that you trust.
##
## For each product the demo prints what ran and why, the time (on a GPU also the times of the
## stages), the time of Octave's product, and the largest error of an element in units of
## @w{n eps |A| |B|}, where @var{n} is the number of terms in the sum of the element.  The fastest
## of several runs counts.  An error above 1 ends the demo with the error @code{gpumm:demo:check}.
##
## The demo writes the figure to @file{gpumm_demo.png} in @var{folder}, by default the current
## folder.  The figure needs gnuplot and no display.
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
  s = gpumm_info ();
  printf ("gpumm %s. ", s.version);
  if (isempty (s.devices))
    printf ("No GPU can be used (%s): all products run on the CPU.\n", s.why_no_gpu);
  else
    printf ("GPU: %s.\n", strjoin ({s.devices.name}, ", "));
  endif
  A = ones (500);
  for backend = s.backends # the first products start CUDA and threads, so they are not timed
    gpumm (A, A, "Backend", backend{1});
  endfor
  if (isempty (files))
    r = [spring(), picture(), measurements()];
  else
    r = product_of_files (files);
  endif

  figure_file = fullfile (folder, "gpumm_demo.png");
  if (__draw_png__ (figure_file, [20, 1.5 + 1.5 * numel(r)], @() draw (r), "gpumm_demo"))
    printf ("\nfigure: %s\n", figure_file);
  else
    printf ("\nno figure: it needs gnuplot (package gnuplot-nox)\n");
  endif
  printf ("%d product%s right, in %.0f s\n", numel (r), "s"(numel (r) != 1),
          toc (started));

endfunction

## ---- the demo's own matrices --------------------------------------------------------------------

function r = spring ()

  [K, nodes] = stiffness (161, 8);
  printf ("\nA helical spring: K, its stiffness matrix, has %d unknowns and %.1f nonzeros a row\n",
          rows (K), nnz (K) / rows (K));
  r = multiply ("K*K", "the spring's stiffness matrix squared: sparse times sparse", K, K);
  S = blocksparse (K, 3);
  r(2) = multiply ("S*S", "the same, with K stored by its blocks of 3 x 3: blocksparse", S, S);

  ## Displacements: three shifts, three small rotations, a pull and a shear that are the same
  ## everywhere, and waves along the spring.
  [x, y, z] = num2cell (nodes, 1){:};
  zero = zeros (size (x));
  one = ones (size (x));
  shapes = {[one, zero, zero], [zero, one, zero], [zero, zero, one], ...
            [-y, x, zero], [zero, -z, y], [z, zero, -x], [x, zero, zero], [y, zero, zero]};
  for wave = 1:20
    s = sin (wave * pi * z / max (z));
    shapes = [shapes, {[s .* x, s .* y, zero], [-s .* y, s .* x, zero], [zero, zero, s]}];
  endfor
  U = cell2mat (cellfun (@(shape) shape.'(:), shapes, "UniformOutput", false));
  [r(3), F] = multiply ("K*U", "the forces of 68 displacements of it: sparse times full", K, U);

  scale = max (abs (nonzeros (K))) * max (abs (U(:)));
  work = U.' * F;
  confirm (max (abs (K - K.')(:)) < 1e-14 * max (abs (K(:))), "K is symmetric");
  confirm (max (abs (F(:,1:6))(:)) < 1e-12 * scale,
           "a spring that moves as a whole feels no force");
  confirm (abs (work(7,7) / work(8,8) - 3.5) < 1e-10, # (lambda + 2 mu) / mu
           "a pull takes 3.5 times the work of a shear");
  confirm (min (eig ((work + work.') / 2)) > -1e-9 * scale, "no displacement takes negative work");

endfunction

## The stiffness matrix of a helical spring: linear elasticity in trilinear bricks (Q1), with 2 x 2
## x 2 Gauss points. The wire has side^2 nodes in each section. Unknown 3 (a - 1) + i is the
## displacement of node a along axis i, so K consists of 3 x 3 blocks. The null space of K is the
## six motions of a rigid body. Source: T. J. R. Hughes, The Finite Element Method, 1987, chapters
## 2 and 3.
function [K, nodes] = stiffness (sections, side)

  poisson = 0.3;
  lambda = poisson / ((1 + poisson) * (1 - 2 * poisson)); # in units of Young's modulus
  mu = 1 / (2 * (1 + poisson));

  angle = 5 * pi * linspace (0, 1, sections); # 2.5 turns
  [u, v] = ndgrid (0.22 * linspace (-1, 1, side)); # across the wire; the coil's radius is 1
  x = (1 + u(:)) .* cos (angle);
  y = (1 + u(:)) .* sin (angle);
  z = v(:) + 0.4 / pi * angle;
  nodes = [x(:), y(:), z(:)];

  ## Local axes are radial, along the wire, axial: in this order they are right-handed.
  far = mod (floor ((0:7).' ./ [1, 2, 4]), 2) == 1;
  id = reshape (1:rows (nodes), side, side, sections);
  for a = 1:8
    corners(:,a) = id((1:end-1) + far(a,1), (1:end-1) + far(a,3), (1:end-1) + far(a,2))(:);
  endfor
  bricks = rows (corners);
  X = reshape (nodes(corners,:), bricks, 8, 3);
  V = zeros (bricks, 3, 8, 3, 8);
  for point = (2 * far - 1).' / sqrt (3)
    [G, volume] = gradients (X, 2 * far - 1, point.');
    for a = 1:8
      for b = 1:8
        P = G(:,:,a) .* reshape (G(:,:,b), bricks, 1, 3);
        k = lambda * P + mu * permute (P, [1, 3, 2]) ...
            + mu * sum (G(:,:,a) .* G(:,:,b), 2) .* reshape (eye (3), 1, 3, 3);
        V(:,:,a,:,b) += reshape (volume .* k, bricks, 3, 1, 3);
      endfor
    endfor
  endfor
  unknown = reshape (3 * (corners - 1), bricks, 1, 8) + (1:3);
  row = repmat (unknown, [1, 1, 1, 3, 8]);
  col = repmat (reshape (unknown, bricks, 1, 1, 3, 8), [1, 3, 8]);
  K = sparse (row(:), col(:), V(:), 3 * rows (nodes), 3 * rows (nodes));

endfunction

## The gradients of the shape functions N_a = prod (1 + sign(a,d) xi(d)) / 8 in all bricks:
## G(:,c,a) is the derivative of N_a along axis c at the local point xi, VOLUME the Gauss point's
## share.
function [G, volume] = gradients (X, sign, xi)

  f = 1 + sign .* xi;
  dN = sign .* [f(:,2) .* f(:,3), f(:,1) .* f(:,3), f(:,1) .* f(:,2)] / 8;
  for d = 1:3
    J{d} = reshape (sum (X .* dN(:,d).', 2), [], 3); # the derivative of the place by xi(d)
  endfor
  N = [cross(J{2}, J{3}, 2)(:), cross(J{3}, J{1}, 2)(:), cross(J{1}, J{2}, 2)(:)];
  volume = dot (J{1}, reshape (N(:,1), [], 3), 2); # det J; a Gauss weight is 1
  G = reshape (N * dN.', [], 3, 8) ./ volume;

endfunction

function r = picture ()

  n = 2048;
  [x, y] = meshgrid (linspace (-1, 1, n));
  I = 0.5 - 0.2 * y + 0.1 * (mod (floor (4 * x ./ (1.2 + y)) + floor (6 * y), 2) - 0.5);
  for ball = [-0.4, 0.3, 0.6; -0.1, 0.35, -0.5; 0.4, 0.3, 0.2; 0.95, 0.7, 0.45]
    normal = {x - ball(1), y - ball(2)};
    height = sqrt (max (ball(3) ^ 2 - normal{1} .^ 2 - normal{2} .^ 2, 0));
    light = max (height - 0.5 * normal{1} - 0.6 * normal{2}, 0) / (1.3 * ball(3));
    I(height > 0) = (ball(4) * (0.15 + 0.85 * light))(height > 0);
  endfor
  I = single (I);
  printf ("\nA picture of %d x %d pixels, in single: its cosine transform is D*I*D'\n", n, n);

  ## The orthogonal matrix of the discrete cosine transform (DCT-II).
  D = sqrt (2 / n) * cos (pi / n * (0:n-1).' .* ((0:n-1) + 0.5));
  D(1,:) /= sqrt (2);
  D = single (D);
  [r, half] = multiply ("D*I", "the transform of each column: full times full", D, I);
  [r(2), T] = multiply ("(D*I)*D'", "then of each row: full times full, transposed", half, D,
                        "TransposeB");

  ## Most of the transform is near zero and may go: so pictures are compressed.
  T_small = T;
  T_small(abs (T) < sort (abs (T(:)), "descend")(round (0.03 * n ^ 2))) = 0;
  back = gpumm (gpumm (D, T_small, "TransposeA", "transpose"), D);
  distortion = -10 * log10 (mean ((back(:) - I(:)) .^ 2));
  confirm (abs (sumsq (double (T(:))) / sumsq (double (I(:))) - 1) < 1e-4,
           "the transform keeps the sum of squares");
  confirm (distortion > 25, "3 %% of the transform give the picture back, %.0f dB above the noise",
           distortion);

endfunction

function r = measurements ()

  printf ("\nA table of 40000 measurements by 800 sensors that feel 5 hidden causes and noise\n");
  state = {rand("twister"), randn("twister")};
  unwind_protect
    rand ("twister", 1);
    randn ("twister", 1);
    X = randn (40000, 5) * (rand (5, 800) - 0.5) + 0.5 * randn (40000, 800);
  unwind_protect_cleanup
    rand ("twister", state{1});
    randn ("twister", state{2});
  end_unwind_protect
  X -= mean (X);
  [r, S] = multiply ("X'*X", "the covariances of all sensors: full, transposed, times itself", X, X,
                     "TransposeA");
  variance = sort (eig (S / (rows (X) - 1)), "descend");
  confirm (issymmetric (S, 1e-12 * norm (S, 1)), "the covariances are symmetric");
  confirm (variance(5) > 10 * variance(6), "5 eigenvalues stand out, one for each hidden cause");

endfunction

## Prints a statement about the results, which must be true.
function confirm (yes, template, varargin)

  str = sprintf (template, varargin{:});
  if (! yes)
    error ("gpumm:demo:check", "gpumm_demo: this should be true but is not: %s", str);
  endif
  printf ("    sense    %s\n", str);

endfunction

## ---- matrices from files ------------------------------------------------------------------------

function r = product_of_files (files)

  matrices = {};
  for k = 1:numel (files)
    matrices = [matrices, matrices_of(files{k}, 3 - numel (files))];
  endfor
  A = matrices{1};
  if (numel (matrices) == 2)
    r = multiply ("A*B", "the product of the two", A, matrices{2});
  elseif (issquare (A))
    r = multiply ("A*A", "the matrix times itself", A, A);
  else
    r = multiply ("A'*A", "the matrix, transposed, times itself", A, A, "TransposeA");
  endif

endfunction

## The matrices in a file, at most MOST, as double, single or logical.
function matrices = matrices_of (file, most)

  if (strncmp (file, "-", 1))
    file = ["./" file]; # otherwise load reads the name as an option
  endif
  [~, name, ext] = fileparts (file);
  names = {""};
  header = "";
  switch (lower (ext))
    case ".mtx"
      matrices = {mmread(file)};
    case ".csv"
      [matrices{1}, header] = read_table (file);
    case ".mat"
      [matrices, names] = read_mat (file, most);
    otherwise
      error ("gpumm:demo:file", "gpumm_demo: %s is not named .mtx, .mat or .csv", file);
  endswitch
  for k = 1:numel (matrices)
    A = matrices{k};
    if (isinteger (A)) # Octave multiplies none, so there is nothing to compare with
      if (any (abs (double (A(:))) > flintmax ()))
        error ("gpumm:demo:file", "gpumm_demo: %s has integers that a double cannot hold", file);
      endif
      A = matrices{k} = double (A);
    endif
    title = [names{k}, name, ext];
    title(title < 32 | title == 127) = "?"; # a terminal obeys control characters
    printf ("\n%s: %d x %d, %s%s", title, size (A), {"", "complex "}{1 + iscomplex(A)}, class (A));
    if (issparse (A))
      printf (", sparse with %d nonzeros", nnz (A));
    endif
    printf ("\n");
    if (! isempty (header))
      printf ("    its first line is taken as a header: %s\n", header);
    endif
  endfor

endfunction

## The numeric and logical matrices of a .mat file, and the field A of its structs: the SuiteSparse
## collection stores a matrix in Problem.A.  NAMES are "VARIABLE in ".
function [matrices, names] = read_mat (file, most)

  ## load would execute functions in the file.  A compressed MATLAB file may hide them.
  bytes = __read_text__ (file, "gpumm_demo", "gpumm:demo:file");
  if (strncmp (bytes, "\x1f\x8b", 2))
    error ("gpumm:demo:file", "gpumm_demo: %s is compressed; uncompress it (gunzip)", file);
  endif
  for what = {"function handle", "function_handle", "type: inline", "inline function"}
    if (! isempty (strfind (bytes, what{1})))
      error ("gpumm:demo:file", "gpumm_demo: %s holds functions; save the matrices alone", file);
    endif
  endfor
  clear bytes;
  try
    content = load (file);
  catch err
    error ("gpumm:demo:file", "gpumm_demo: cannot read %s: %s", file, err.message);
  end_try_catch
  if (! isstruct (content)) # a file of bare numbers
    content = struct ("matrix", content);
  endif
  matrices = names = {};
  for [value, name] = content
    if (isstruct (value) && isscalar (value) && isfield (value, "A"))
      value = value.A;
      name = [name ".A"];
    endif
    if ((isnumeric (value) || islogical (value)) && ndims (value) == 2)
      matrices{end+1} = value;
      names{end+1} = name;
    endif
  endfor
  if (isempty (matrices))
    error ("gpumm:demo:file", "gpumm_demo: there is no numeric matrix in %s", file);
  elseif (numel (matrices) > most)
    error ("gpumm:demo:file",
           "gpumm_demo: %s holds %d matrices (%s); save only the one to multiply", file,
           numel (matrices), strjoin (names, ", "));
  endif
  names = strcat (names, {" in "});

endfunction

## A table of numbers.  One kind of separator, a comma, a semicolon or a tab, is between the numbers
## of all lines: "1,5;2,5" may be two numbers or four.  A first line without a number is a header.
## (dlmread would read "--4" and "4x" as 4.)
function [A, header] = read_table (file)

  text = __read_text__ (file, "gpumm_demo", "gpumm:demo:file");
  ## A regular expression refuses broken UTF-8, and a terminal obeys control characters.
  text(text > 126 | (text < 32 & ! isspace (text))) = "?";
  text = ["\n" regexprep(regexprep (text, '\r\n?', "\n"), '\s+$', "")];
  word = '[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|[iI][nN][fF]|[nN][aA][nN]?)';
  number = ['[ ]*' word '[ ]*(?:[\n,;\t]|$)'];
  numbers = ['[\n,;\t](?:[ ]*' word ')+[ ]*(?:[\n,;\t]|$)']; # blanks do not separate: no header
  header = strtok (text, "\n");
  line = isempty (regexp (["\n" header], numbers, "once")); # lines of the header
  text(1:line*(numel (header) + 1)) = "";
  header = strjoin (strtrim (ostrsplit (header, ",;\t")), ", ")(1:line*min (end, 70));
  if (isempty (text))
    error ("gpumm:demo:file", "gpumm_demo: %s has no numbers", file);
  endif
  refuse = @(at, template, varargin) error ("gpumm:demo:file", ["gpumm_demo: %s:%d: " template], ...
                                            file, line + sum (text(1:at) == "\n"), varargin{:});
  field = @(at) regexp (text(at+1:end), '^[^\n,;\t]*', "once", "match");
  separators = "Separate numbers by commas, semicolons or tabs, and write a decimal point";
  stops = find (any (text == ",;\t\n".', 1));
  is_break = text(stops) == "\n";
  between = stops(! is_break);
  wrong = between(text(between) != text(between(1:min (1, end))));
  if (! isempty (wrong))
    refuse (wrong(1), "two kinds of separators in the table. %s", separators);
  endif
  wrong = regexp (text, ['[\n,;\t](?!' number ')'], "once");
  if (! isempty (wrong))
    hint = {"", [". " separators]}{1 + any (strtrim (field (wrong)) == " ")};
    refuse (wrong, "\"%s\" is not a number%s", field (wrong), hint);
  endif
  width = diff ([find(is_break), numel(stops) + 1]);
  wrong = find (width != width(1), 1);
  if (! isempty (wrong))
    refuse (stops(is_break)(wrong), "%d numbers in the line, but %d in the first", width(wrong), ...
            width(1));
  endif
  blank = text;
  blank(stops) = " ";
  values = sscanf (blank, "%f").';
  is_word = false (size (values)); # Inf, the only word with an f
  is_word(lookup (stops, find (lower (text) == "f"))) = true;
  wrong = stops(isinf (values) & ! is_word);
  if (! isempty (wrong))
    refuse (wrong(1), "\"%s\" is beyond the largest double", field (wrong(1)));
  endif
  A = reshape (values, width(1), []).';

endfunction

## ---- a product ----------------------------------------------------------------------------------

## Multiplies A * B, or one of them transposed, with gpumm and with Octave; prints the times, and
## raises an error if the products differ by more than rounding.
function [r, C] = multiply (title, meaning, A, B, transposed = "")

  printf ("\n  %s: %s\n", title, meaning);
  [options, product, in_A, in_B] = deal ({}, @(A, B) A * B, 2, 1);
  if (strcmp (transposed, "TransposeA"))
    [options, product, in_A] = deal ({transposed, "transpose"}, @(A, B) A.' * B, 1);
  elseif (strcmp (transposed, "TransposeB"))
    [options, product, in_B] = deal ({transposed, "transpose"}, @(A, B) A * B.', 2);
  endif
  [seconds, C, info] = fastest (@() timed (@() gpumm (A, B, options{:})));
  [A, terms_of_A] = octave_factor (A, in_A);
  [B, terms_of_B] = octave_factor (B, in_B);
  [octave_seconds, expected] = fastest (@() timed (@() deal (product (A, B), [])));

  terms = max (1, min (terms_of_A, terms_of_B));
  err = largest_error (octave_factor (C, 1), expected, terms, @() product (abs (A), abs (B)));
  r = struct ("title", title, "info", info, "seconds", seconds, "octave_seconds", octave_seconds,
              "error", err, "terms", terms);
  show (r);
  if (! (err <= 1))
    error ("gpumm:demo:check", "gpumm_demo: %s is wrong: its error is %g n eps |A||B|", title, err);
  endif

endfunction

## For fastest (): C = f () and its seconds, and what f tells about itself.
function [C, seconds, info] = timed (f)

  started = tic ();
  [C, info] = f ();
  seconds = toc (started);

endfunction

## A factor for Octave's own product, which takes no blocksparse, and the largest number of terms
## that a product sums along this dimension of it.
function [X, terms] = octave_factor (X, dim)

  if (isa (X, "blocksparse"))
    X = sparse (X);
  endif
  terms = size (X, dim);
  if (issparse (X))
    terms = full (max ([0; sum(X != 0, dim)(:)]));
  endif

endfunction

function show (r)

  info = r.info;
  s = info.seconds;
  printf ("    ran on   %s (%s), algorithm %s, kernel %s\n", info.backend, info.device.name,
          info.algorithm, info.kernel);
  printf ("    why      %s\n", strrep (info.reason, [": " gpumm_info().why_no_gpu], ""));
  printf ("    gpumm    %s, %s GFLOPS", in_units (r.seconds),
          __three_digits__ (1e-9 * info.flops / r.seconds));
  if (strcmp (info.backend, "gpu"))
    printf (": up %s, compute %s, down %s", in_units (s.upload), in_units (s.compute),
            in_units (s.download));
  endif
  printf ("\n    Octave   %s, %s GFLOPS: gpumm is %s times as fast\n",
          in_units (r.octave_seconds), __three_digits__ (1e-9 * info.flops / r.octave_seconds),
          __three_digits__ (r.octave_seconds / r.seconds));
  check = sprintf ("as Octave's product: the error bound is used to %.2g %%", 100 * r.error);
  if (r.error == 0)
    check = "equal to Octave's product";
  elseif (! (r.error <= 1))
    check = "WRONG: beyond the error bound";
  endif
  printf ("    check    %s\n", check);
  fflush (stdout);

endfunction

function str = in_units (seconds)

  str = [__three_digits__(1e3 * seconds), " ms"];
  if (seconds >= 1 || seconds == 0)
    str = [__three_digits__(seconds), " s"];
  endif

endfunction

## Draws the times as bars, gpumm's above Octave's.
function draw (results)

  axes ("position", [0.08, 0.1, 0.9, 0.86], "fontsize", 14);
  longest = max ([results.seconds, results.octave_seconds]);
  for k = 1:numel (results)
    r = results(k);
    label = sprintf ("gpumm: %s, %s on %s", in_units (r.seconds), r.info.kernel,
                     r.info.device.name);
    bars = {k - 0.4, r.seconds, [86, 180, 233] / 255, label; ...
            k, r.octave_seconds, [85, 85, 85] / 255, ["Octave: " in_units(r.octave_seconds)]};
    for bar = bars.'
      [y, seconds, colour, label] = bar{:};
      rectangle ("position", [0, y, seconds, 0.35], "facecolor", colour, "edgecolor", "none");
      text (seconds + 0.01 * longest, y + 0.17, __drawn_text__ (label), "fontsize", 13, ...
            "interpreter", "none");
    endfor
  endfor
  axis ([0, 1.6 * longest, 0.4, numel(results) + 0.6], "ij");
  set (gca (), "ytick", 1:numel (results), "yticklabel", {results.title}, "ticklength", [0, 0]);
  xlabel ("seconds for the whole call, the fastest of several", "fontsize", 14);

endfunction
