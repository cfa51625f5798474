## tune.tst - gpumm_tune: what it measures, stores and prints, and when gpumm uses it.
## SPDX-License-Identifier: BSD-3-Clause

## Runs f (folder), with that new folder for the user's configuration, and leaves nothing behind.
%!function with_folder (f)
%!  folder = tempname ();
%!  mkdir (folder);
%!  before = {getenv("XDG_CONFIG_HOME"), getenv("GPUMM_TUNED")};
%!  unwind_protect
%!    setenv ("XDG_CONFIG_HOME", folder);
%!    unsetenv ("GPUMM_TUNED");
%!    gpumm_reset ();
%!    f (folder);
%!  unwind_protect_cleanup
%!    setenv ("GPUMM_TUNED", before{2});
%!    if (isempty (before{1}))
%!      unsetenv ("XDG_CONFIG_HOME");
%!    else
%!      setenv ("XDG_CONFIG_HOME", before{1});
%!    endif
%!    gpumm_reset ();
%!    confirm_recursive_rmdir (false, "local");
%!    rmdir (folder, "s");
%!  end_unwind_protect
%!endfunction

%!function [T, said] = tune (varargin)
%!  said = evalc ("T = gpumm_tune (varargin{:});");
%!endfunction

%!function write (file, text)
%!  fid = fopen (file, "wb");
%!  assert (fid >= 0);
%!  fputs (fid, text);
%!  fclose (fid);
%!endfunction

## The kernel and the reason of a product of n x n by an algorithm, on the CPU.
%!function [kernel, reason] = what_ran (n, algorithm, type = "double")
%!  A = cast (rand (n) - 0.5, type);
%!  [C, info] = gpumm (A, A, "Algorithm", algorithm, "Backend", "cpu");
%!  assert (C, A * A, 1e3 * eps (type));
%!  kernel = info.kernel;
%!  reason = info.reason;
%!endfunction

## Measured, stored, used.
%!function check_stored (folder)
%!  [T, said] = tune ("Backend", "cpu", "Types", "d", "Sizes", [16, 9], "Repeats", 2, ...
%!                    "Figure", fullfile (folder, "f.png"));
%!  assert (T.sizes, [9, 16]);
%!  assert (T.types, "d");
%!  kernels = gpumm_info ().kernels;
%!  assert (T.kernels, {kernels([kernels.automatic]).name});
%!  assert (! any (isnan (T.gflops(strncmp (T.kernels, "tiled", 5),:))(:)));
%!  assert (all (isnan (T.gflops) | T.gflops > 0));
%!  assert ({T.winners.type}, {"d", "d"});
%!  assert ([T.winners.n], [9, 16]);
%!  assert ([T.winners.from], [9, 12]); # sqrt (9 * 16)
%!  for j = 1:2
%!    w = T.winners(j);
%!    assert (w.gflops, T.gflops(strcmp (T.kernels, w.kernel),j));
%!    seconds = 2e-9 * w.n ^ 3 ./ [w.gflops, max(T.gflops(:,j))];
%!    assert (seconds(1) <= 1.03 * seconds(2) + 1.1e-6);
%!  endfor
%!  for algorithm = {"naive", "tiled", "register"}
%!    assert (sum (strcmp ({T.best.algorithm}, algorithm{1})), 2);
%!  endfor
%!  assert (! isempty (strfind (said, "double, n = 9 16")), said);
%!  assert (! isempty (strfind (said, T.winners(2).kernel)), said);
%!  ## the file
%!  assert (strncmp (T.file, folder, numel (folder)));
%!  lines = strsplit (fileread (T.file), "\n");
%!  assert (! isempty (strfind (lines{1}, T.version)));
%!  assert (! isempty (strfind (lines{2}, T.device)));
%!  at = find (strcmp (lines, "type,from,algorithm,kernel,gflops"));
%!  assert (numel (lines) - 1 - at, numel (T.best));
%!  b = T.best(end);
%!  assert (lines{end-1}, sprintf ("d,%d,%s,%s,%.3f", b.from, b.algorithm, b.kernel, ...
%!                                 max (b.gflops, 0.001)));
%!  assert (numel (dir (fullfile (folder, "gpumm"))), 3); # ., .. and it
%!  ## used
%!  t = gpumm_info ().tuned(end);
%!  assert (t.file, T.file);
%!  assert ([t.lines, t.ignored], [numel(T.best), 0]);
%!  assert (t.why, "");
%!  for b = T.best
%!    [kernel, reason] = what_ran (b.n, b.algorithm);
%!    assert (kernel, b.kernel);
%!    assert (! isempty (strfind (reason, ["; tuned: ", kernel])), reason);
%!  endfor
%!  ## not for another type or size, or what was asked for by its own name
%!  [~, reason] = what_ran (16, "tiled", "single");
%!  assert (isempty (strfind (reason, "tuned:")));
%!  [~, reason] = what_ran (8, "tiled");
%!  assert (isempty (strfind (reason, "tuned:")));
%!  [kernel, reason] = what_ran (16, "tiled_20");
%!  assert (kernel, "tiled_20");
%!  assert (isempty (strfind (reason, "tuned:")));
%!  ## the figure
%!  if (! isempty (T.figure))
%!    fid = fopen (T.figure, "rb");
%!    assert (fread (fid, 4, "uint8=>char").', "\x89PNG");
%!    fclose (fid);
%!  else
%!    assert (! isempty (strfind (said, "no figure: it needs gnuplot")));
%!  endif
%!endfunction
%!test with_folder (@check_stored)

## A file decides, as far as it is of this device; what is damaged in it does not matter.
%!function check_files (folder)
%!  t = gpumm_info ().tuned(end);
%!  assert (! isempty (strfind (t.why, "gpumm_tune")), t.why);
%!  mkdir (fileparts (t.file));
%!  lines = "d,10,tiled,tiled_10,5\n";
%!  for good = {[t.header, lines], [t.header, "rubbish\n", lines, "d,10,none,none,9\nd,1"]}
%!    write (t.file, good{1});
%!    assert (! strcmp (what_ran (20, "tiled"), "tiled_10")); # it was read before
%!    gpumm_reset ();
%!    assert (what_ran (20, "tiled"), "tiled_10");
%!    setenv ("GPUMM_TUNED", "0");
%!    assert (! strcmp (what_ran (20, "tiled"), "tiled_10"));
%!    assert (! isempty (strfind (gpumm_info ().tuned(end).why, "GPUMM_TUNED")));
%!    unsetenv ("GPUMM_TUNED");
%!    assert (what_ran (20, "tiled"), "tiled_10");
%!    unlink (t.file);
%!    gpumm_reset ();
%!    what_ran (20, "tiled"); # reads that there is none
%!  endfor
%!  for change = {{t.device, "another"}, {"driver: ", "driver: 1"}, {"runtime: ", "runtime: 1"}, ...
%!                {"# gpumm ", "# gpumm 9"}}
%!    header = strrep (t.header, change{1}{:});
%!    assert (! strcmp (header, t.header));
%!    write (t.file, [header, lines]);
%!    gpumm_reset ();
%!    [kernel, reason] = what_ran (20, "tiled");
%!    assert (! strcmp (kernel, "tiled_10"));
%!    assert (isempty (strfind (reason, "tuned:")));
%!    assert (! isempty (strfind (gpumm_info ().tuned(end).why, "another gpumm")));
%!  endfor
%!  write (t.file, [t.header, lines, lines, "d,10,tiled,tiled_99,7\n"]);
%!  gpumm_reset ();
%!  u = gpumm_info ().tuned(end);
%!  assert ([u.lines, u.ignored], [2, 1]);
%!  said = evalc ("gpumm_info ()");
%!  assert (! isempty (strfind (said, "tuned by 2 lines")), said);
%!endfunction
%!test with_folder (@check_files)

## Nowhere to store: told before the measuring.
%!function check_unwritable (folder)
%!  write (fullfile (folder, "file"), "");
%!  setenv ("XDG_CONFIG_HOME", fullfile (folder, "file"));
%!  gpumm_reset ();
%!  for round = 1:2
%!    err = [];
%!    try
%!      said = evalc ("gpumm_tune (\"Backend\", \"cpu\", \"Sizes\", 8);");
%!    catch err
%!    end_try_catch
%!    assert (! isempty (err));
%!    assert (err.identifier, "gpumm:unwritable");
%!    assert (! isempty (strfind (err.message, "gpumm")), err.message);
%!    ## then: no folder at all
%!    home = getenv ("HOME");
%!    setenv ("XDG_CONFIG_HOME", "");
%!    unsetenv ("HOME");
%!    gpumm_reset ();
%!  endfor
%!  setenv ("HOME", home);
%!  ## what is not stored needs no folder
%!  T = tune ("Backend", "cpu", "Sizes", 8, "Types", "s", "Store", false, "Figure", false);
%!  assert (T.file, "");
%!  assert (T.figure, "");
%!  assert (isempty (dir (fullfile (folder, "gpumm"))));
%!endfunction
%!test with_folder (@check_unwritable)

## With a gpumm of known speed: rows that are wrong, do not run, are too slow, or cost much a call.
%!function check_choice (folder)
%!  lines = {"function [C, info] = gpumm (A, B, varargin)", ...
%!           "  o = struct (varargin{:});", ...
%!           "  n = rows (A);", ...
%!           "  C = A * B;", ...
%!           "  s = n ^ 3 * 1e-9;", ...
%!           "  switch (o.Algorithm)", ...
%!           "    case \"tiled_8\" # fast and wrong", ...
%!           "      s /= 10;", ...
%!           "      C(end) += 1e-6 * (n == 64);", ...
%!           "    case \"tiled_10\"", ...
%!           "      error (\"gpumm:unsupported\", \"not here\");", ...
%!           "    case \"tiled_16\" # slow", ...
%!           "      s *= 21;", ...
%!           "    case \"tiled_32\" # costs much a call", ...
%!           "      s = s / 2 + 0.1;", ...
%!           "    case \"tiled_32_unpadded\"", ...
%!           "      s *= 3;", ...
%!           "    case \"tiled_20\"", ...
%!           "      s *= 1.02;", ...
%!           "    case \"register_32x32x4\" # the fastest, then but by chance not, then not", ...
%!           "      s = s * (1 - 0.02 * (n > 100)) + 9e-7 * (n < 100) + 4e-6 * (n < 50);", ...
%!           "    case \"register_64x64x8\"", ...
%!           "    otherwise", ...
%!           "      s *= 2;", ...
%!           "  endswitch", ...
%!           "  info = struct (\"flops\", 2 * n ^ 3, \"seconds\", struct (\"compute\", s));", ...
%!           "endfunction"};
%!  write (fullfile (folder, "gpumm.m"), sprintf ("%s\n", lines{:}));
%!  ## files of this folder come before those of the package
%!  warning ("off", "Octave:shadowed-function", "local");
%!  addpath (folder);
%!  unwind_protect
%!    [T, said] = tune ("Backend", "cpu", "Types", "d", "Sizes", [32, 64, 512, 640, 768], ...
%!                      "Figure", false);
%!    warning ("off", "gpumm:wrong-result", "local");
%!    [~, quiet] = tune ("Backend", "cpu", "Types", "d", "Sizes", 64, "Figure", false);
%!  unwind_protect_cleanup
%!    rmpath (folder);
%!    clear gpumm;
%!  end_unwind_protect
%!  of = @(name) T.gflops(strcmp (T.kernels, name),:);
%!  assert (! isempty (strfind (said, "tiled_8 is wrong at n = 64")), said);
%!  assert (isempty (strfind (quiet, "is wrong")), quiet);
%!  assert (of ("tiled_8"), NaN (1, 5));
%!  assert (of ("tiled_10"), NaN (1, 5));
%!  assert (of ("tiled_16"), [2, 2, 2, NaN, NaN] / 21, 1e-9);
%!  assert (of ("tiled_20"), 2 / 1.02 * ones (1, 5), 1e-9);
%!  n = T.sizes;
%!  assert (of ("tiled_32"), 2e-9 * n .^ 3 ./ (n .^ 3 * 5e-10 + 0.1), 1e-9);
%!  kernel_of = @(algorithm) {T.best(strcmp ({T.best.algorithm}, algorithm)).kernel};
%!  assert (kernel_of ("tiled"), {"tiled_20", "tiled_20", "tiled_20", "tiled_32", "tiled_32"});
%!  assert (kernel_of ("register"), [{"register_64x64x8"}, repmat({"register_32x32x4"}, 1, 4)]);
%!  assert ({T.winners.kernel}, [{"register_64x64x8", "register_32x32x4", "register_32x32x4", ...
%!                                "tiled_32", "tiled_32"}]);
%!  ## of a class the fastest comes first
%!  for w = T.winners
%!    b = T.best([T.best.n] == w.n);
%!    assert (b(1), w);
%!    assert (issorted ([b(2:end).gflops], "descend"));
%!  endfor
%!endfunction
%!test with_folder (@check_choice)

## On a GPU: "auto" takes the winner, and says so.
%!function check_gpu (folder)
%!  T = tune ("Types", "ds", "Sizes", [64, 512], "Repeats", 3, "Figure", false);
%!  assert (T.device, gpumm_info ().devices(1).name);
%!  for w = T.winners
%!    A = rand (w.n);
%!    if (w.type == "s")
%!      A = single (A);
%!    endif
%!    [C, info] = gpumm (A, A, "Backend", "gpu");
%!    assert (strtok (info.kernel), w.kernel);
%!    assert (! isempty (strfind (info.reason, ["; tuned: ", w.kernel])), info.reason);
%!    assert (C, A * A, 1e3 * w.n * eps (class (A)));
%!  endfor
%!  t = gpumm_info ().tuned(1);
%!  write (t.file, [t.header, "d,64,naive,naive,1\n"]);
%!  gpumm_reset ();
%!  [~, info] = gpumm (A, A, "Backend", "gpu");
%!  assert (isempty (strfind (info.reason, "tuned:"))); # A is single
%!  A = rand (100);
%!  [~, info] = gpumm (A, A, "Backend", "gpu");
%!  assert (info.kernel, "naive");
%!endfunction
%!testif ; gpumm_available ("gpu")
%! with_folder (@check_gpu);
