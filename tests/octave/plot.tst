## plot.tst - gpumm_plot measures what it says, and draws it without a display.
## SPDX-License-Identifier: BSD-3-Clause

## whether gnuplot, which draws without a display, is there
%!function yes = can_draw ()
%!  [status, ~] = system (sprintf ("%s --version", gnuplot_binary ()));
%!  yes = have_window_system () || (status == 0 ...
%!        && any (strcmp (available_graphics_toolkits (), "gnuplot")));
%!endfunction

## draws to a file; every axes that shows has labels with words, and texts name what is drawn
%!function d = draw (what, names, varargin)
%!  [folder, gone] = scratch ();
%!  file = fullfile (folder, "a.png");
%!  [h, d] = gpumm_plot (what, varargin{:}, "File", file);
%!  assert (isfigure (h));
%!  assert (fileread (file)(1:4), "\x89PNG");
%!  assert (stat (file).size > 5000);
%!  texts = get (findall (h, "type", "text"), "string");
%!  for name = names
%!    assert (any (strcmp (name{1}, texts)));
%!  endfor
%!  a = findobj (h, "type", "axes", "visible", "on");
%!  assert (! isempty (a));
%!  for i = 1:numel (a)
%!    assert (numel (get (get (a(i), "xlabel"), "string")) > 5);
%!  endfor
%!  close (h);
%!  ## the data draw the same figure again, measuring nothing
%!  [h, e] = gpumm_plot (what, "Data", d);
%!  assert (e, d);
%!  close (h);
%!endfunction

%!testif ; can_draw ()
%! kernels = {"*", "loops", "naive", "tiled_8"};
%! d = draw ("rates", kernels, "Sizes", [33, 16], "Kernels", kernels, "Backend", "cpu");
%! assert (d.sizes, [16, 33]);
%! assert (size (d.gflops), [4, 2]);
%! assert (all (d.gflops(:) > 0));
%! assert (d.gflops, 2e-9 * d.sizes .^ 3 ./ d.seconds, -1e-12);

%!testif ; can_draw ()
%! d = draw ("block size", {"n = 16", "n = 33"}, "Sizes", [16, 33], "Backend", "cpu");
%! k = gpumm_info ().kernels;
%! assert (d.tiles, cellfun (@(name) k(strcmp ({k.name}, name)).tile_m, d.kernels));
%! assert (any (d.tiles == 16) && any (d.tiles == 32));
%! assert (all (d.seconds(:) > 0));

%!testif ; can_draw ()
%! d = draw ("strassen", {"register", "strassen_register_1"}, "Sizes", [32, 64], "Backend", "cpu");
%! at = strcmp (d.kernels, "register");
%! assert (d.ratio(at,:), [1, 1]);
%! if (isnan (d.crossover))
%!   assert (! d.ahead(end));
%! else
%!   assert (all (d.ahead(d.sizes >= d.crossover)));
%! endif

## A crossover is what more than chance puts ahead: of kernels of a made-up GPU, with times that
## vary by 10 %.
%!function d = strassen_with (share)
%!  body = sprintf (["C = A * B; n = rows (A); trace.seconds = n ^ 3 * (1 + 0.1 * rand ());\n" ...
%!                   "if (strncmp (name, 'strassen', 8))\n" ...
%!                   "  trace.seconds *= 1 - %g * (n >= 20);\nendif"], share);
%!  info = ["s.devices = struct ('name', 'Made-up 9000'); s.algorithms = {'strassen'}; " ...
%!          "s.kernels = struct ('algorithm', {'tiled', 'register', 'strassen', 'strassen'}, " ...
%!          "'name', {'', '', 'strassen_register_1', 'strassen_register_2'});"];
%!  head = "[C, trace] = gpumm_kernel (name, A, B, varargin)";
%!  gone = with_functions ({"gpumm_kernel", head, body; ...
%!                          "gpumm_available", "yes = gpumm_available (~)", "yes = true;"; ...
%!                          "gpumm_info", "s = gpumm_info ()", info});
%!  [h, d] = gpumm_plot ("strassen", "Sizes", [8, 16, 24, 32]);
%!  close (h);
%!  assert ({d.backend, d.device}, {"gpu", "Made-up 9000"});
%!endfunction
%!testif ; can_draw ()
%! state = rand ("twister");
%! unwind_protect
%!   rand ("twister", 3);
%!   for round = 1:3
%!     d = strassen_with (0);
%!     assert (isnan (d.crossover) && ! any (d.ahead));
%!   endfor
%!   d = strassen_with (0.2);
%!   assert (d.crossover, 24);
%!   assert (d.ahead, [false, false, true, true]);
%! unwind_protect_cleanup
%!   rand ("twister", state);
%! end_unwind_protect
%!error id=gpumm:bad-value gpumm_plot ("strassen", "Kernels", {"tiled"}, "Sizes", 8)
%!error <^gpumm_plot: Kernels must be of \*, loops, naive> gpumm_plot ("rates", "Kernels", {"none"})
%!error <^gpumm_plot: unknown option "Size"; valid options are Sizes> gpumm_plot ("rates", "Size")

%!testif ; can_draw ()
%! names = {"naive", "tiled_8", "tiled_32"};
%! d = draw ("roofline", names, "Sizes", 64, "Kernels", names, "Ceilings", [10, 5], ...
%!           "Backend", "cpu");
%! assert (d.ceilings, [10, 5]);
%! ## 2 operations for 8 sectors of A a warp and one of B; tiles: 2 n^3 for 16 n^3 / b + 8 n^2 bytes
%! n = 64;
%! assert (d.intensity(1), 2 * n ^ 3 / (32 * (9 * n ^ 3 / 32 + n ^ 2 / 4)), -1e-12);
%! b = [8; 32];
%! assert (d.intensity(2:3), 2 * n ^ 3 ./ (16 * n ^ 3 ./ b + 8 * n ^ 2), -1e-12);

## of larger sizes the intensity comes from counts at 64
%!testif ; can_draw ()
%! names = {"naive", "tiled_16", "register_64x64x8"};
%! d = draw ("roofline", names, "Sizes", 128, "Kernels", names, "Ceilings", [10, 5], ...
%!           "Backend", "cpu");
%! for i = 1:3
%!   [~, t] = gpumm_kernel (names{i}, ones (128, 64), ones (64, 128), "Backend", "cpu");
%!   loads = 2 * t.load.total.sectors; # of half of k
%!   assert (d.intensity(i), 2 * 128 ^ 3 / (32 * (loads + t.store.total.sectors)), -1e-12);
%! endfor

## ceilings are measured, too
%!testif ; can_draw ()
%! d = draw ("roofline", {"naive"}, "Sizes", 16, "Kernels", {"naive"}, "Backend", "cpu");
%! assert (all (d.ceilings > 0.01) && all (isfinite (d.ceilings)));

## no figure is left behind by an error
%!testif ; can_draw ()
%! before = numel (get (0, "children"));
%! fail ("gpumm_plot (\"rates\", \"Kernels\", {\"none\"}, \"Sizes\", 8)");
%! fail ("gpumm_plot (\"rates\", \"Data\", struct (\"what\", \"rates\"))");
%! assert (numel (get (0, "children")), before);

%!testif ; ! gpumm_available ("gpu")
%! check_error ("gpumm:no-device", "GPU", @() gpumm_plot ("rates", "Backend", "gpu"));

## what names and labels say is drawn, and run by nobody
%!testif ; can_draw ()
%! [folder, gone] = scratch ("cd");
%! [h, d] = gpumm_plot ("rates", "Sizes", [8, 16], "Kernels", {"naive", "tiled_8"}, ...
%!                      "Backend", "cpu");
%! close (h);
%! d.kernels = {"`touch ran1`", "a\"; system ('touch ran2'); #\n\\140touch ran3\\140 \xff"};
%! d.backend = "gpu";
%! d.device = "GPU `touch ran4`\" $(touch ran5) _^{@";
%! for kind = {"png", "svg", "pdf"}
%!   file = ["a;`touch ran6`$(touch ran7)'\"\\\n." kind{1}];
%!   h = gpumm_plot ("rates", "Data", d, "File", file);
%!   close (h);
%!   assert (stat (file).size > 1000);
%!   fail ("gpumm_plot (\"rates\", \"Data\", d, \"File\", \"/dev/full/a.png\")");
%! endfor
%! assert (numel (readdir (".")), 5);

## What gnuplot says about itself is kept from the user, unless it fails.
%!testif ; system ("gnuplot --version > /dev/null 2>&1") == 0
%! [folder, gone] = scratch ("cd");
%! csvwrite ("a.csv", magic (4));
%! [~, gnuplot] = system ("command -v gnuplot");
%! for works = [true, false]
%!   fid = fopen ("gnuplot", "w");
%!   fprintf (fid, "#!/bin/sh\necho '   line 0: warning: old syntax' >&2\n%s\n", ...
%!            {"echo it is broken >&2; exit 1", ["exec " strtrim(gnuplot) " \"$@\""]}{1 + works});
%!   fclose (fid);
%!   system ("chmod +x gnuplot");
%!   code = ["gpumm_demo ({\"a.csv\"}, pwd ()); gpumm_plot (\"rates\", \"Sizes\", 8, " ...
%!           "\"Kernels\", {\"*\"}, \"Backend\", \"cpu\", \"File\", \"a.png\");"];
%!   [status, said] = system (["env -u DISPLAY -u WAYLAND_DISPLAY PATH=\"$PWD:$PATH\" " ...
%!                             another_octave(code) " 2>&1"]);
%!   has = @(text) ! isempty (strfind (said, text));
%!   ## The demo goes on without a figure.
%!   found = [has("old syntax"), has("it is broken"), has("no figure: it needs gnuplot"), status];
%!   assert (isequal (found, ! works * [1, 1, 1, 1]), "it said: %s", said);
%! endfor
