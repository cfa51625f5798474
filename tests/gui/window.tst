## window.tst - the window of gpumm_gui, as its user sees it. Run by tests/gui/run.
## SPDX-License-Identifier: BSD-3-Clause

## a window, and its controls by their tags; it is closed when CLOSES ends
%!function [f, h, closes] = open_window (varargin)
%!  f = gpumm_gui (varargin{:});
%!  closes = onCleanup (@() close (f(isfigure (f))));
%!  h = struct ();
%!  for x = findobj (f, "-not", "tag", "").'
%!    h.(get (x, "tag")) = x;
%!  endfor
%!  settle ();
%!endfunction

## what the toolkit does when a control was pressed
%!function press (control)
%!  if (any (strcmp (get (control, "style"), {"checkbox", "radiobutton"})))
%!    set (control, "value", ! get (control, "value"));
%!  endif
%!  feval (get (control, "callback"), control, []);
%!endfunction

%!function fill_in (control, value)
%!  if (ischar (value))
%!    set (control, "string", value);
%!  else
%!    set (control, "value", value);
%!  endif
%!  feval (get (control, "callback"), control, []);
%!endfunction

## m, k and n
%!function fill_sizes (h, varargin)
%!  for i = 1:3
%!    fill_in (h.("mkn"(i)), varargin{i});
%!  endfor
%!endfunction

## fills A or B in the way of this name
%!function choose (popup, name)
%!  fill_in (popup, find (strcmp (get (popup, "string"), name)));
%!endfunction

## and `*`: to draw the bars of all kernels takes most of the time of a test
%!function only_tiled (h)
%!  for box = {"box_loops", "box_naive", "box_register", "box_blas"}
%!    press (h.(box{1}));
%!  endfor
%!endfunction

## types into the table
%!function edit_element (h, i, j, typed)
%!  data = get (h.table, "data");
%!  event = struct ("Indices", [i, j], "PreviousData", data{i,j}, "NewData", typed, ...
%!                  "EditData", typed, "Error", "");
%!  data{i,j} = typed;
%!  set (h.table, "data", data);
%!  feval (get (h.table, "celleditcallback"), h.table, event);
%!endfunction

%!function words = said (h)
%!  words = strjoin (cellstr (get (h.status, "string")).', " ");
%!endfunction

%!function r = results (f)
%!  r = getappdata (f, "gpumm").results;
%!endfunction

## all words in the part with the bars
%!function words = texts (f)
%!  words = get (findall (f, "type", "text"), "string");
%!  words = words(! cellfun (@isempty, words));
%!endfunction

%!function yes = has_text (f, pattern)
%!  yes = any (! cellfun (@isempty, regexp (texts (f), pattern)));
%!endfunction

%!function check_table (h, X)
%!  shown = cellfun (@str2double, get (h.table, "data"));
%!  assert (shown, X(1:min (end, 30),1:min (end, 30)), -1e-4);
%!endfunction

## Everything lies in the window, and nothing over another thing.
%!function check_layout (f)
%!  sizes = get (f, "position")(3:4);
%!  controls = findobj (f, "type", "uicontrol", "visible", "on", "-not", "string", "");
%!  places = cell2mat (get ([controls; findobj(f, "type", "uitable")], "position"));
%!  places(end+1,:) = getappdata (f, "gpumm").area;
%!  logarithmic = findobj (f, "tag", "logarithmic"); # in the area of the bars
%!  tags = [get(controls, "tag"); {"table"; "area"}];
%!  for i = 1:rows (places)
%!    p = places(i,:);
%!    if (any (p(1:2) < 0) || any (p(1:2) + p(3:4) > sizes) || any (p(3:4) < 5))
%!      error ("%s is not in the window of %d x %d: %s", tags{i}, sizes, mat2str (p));
%!    endif
%!    for j = 1:i - 1
%!      q = places(j,:);
%!      common = min (p(1:2) + p(3:4), q(1:2) + q(3:4)) - max (p(1:2), q(1:2));
%!      if (all (common > 0) && ! any (strcmp (tags([i, j]), "logarithmic")))
%!        error ("%s lies over %s", tags{i}, tags{j});
%!      endif
%!    endfor
%!  endfor
%!endfunction

## Sizes are filled in, Compute is pressed, and results, bars and table are those of A*B.
%!test
%! [f, h, closes] = open_window ();
%! assert (regexp (said (h), '^4 194 304 operations, about .* of memory\. Press Compute\.$'), 1);
%! assert (has_text (f, "Press Compute"));
%! screenshot ("1-opened");
%! fill_sizes (h, "33", " 17 ", "4.0e1");
%! press (h.compute);
%! r = results (f);
%! assert ([r.m, r.n, r.k], [33, 40, 17]);
%! assert (r.C, r.A * r.B, 17 * eps () * norm (r.A) * norm (r.B));
%! assert (all (r.right) && ! r.stopped);
%! assert (said (h), "Done: 6 products; all agree with A*B up to rounding.");
%! assert (get (h.show_C, "value") == 1);
%! check_table (h, r.C);
%! names = {"loops", "naive", "tiled", "register", {"blas", "cublas"}{1 + gpumm_available("gpu")}, ...
%!          "A*B"};
%! for name = names
%!   assert (sum (strcmp (name{1}, texts (f))), 1);
%! endfor
%! assert (sum (strcmp ("right", texts (f))), 6);
%! bars = findobj (findobj (f, "type", "axes", "visible", "on"), "type", "patch");
%! assert (numel (bars), 12);
%! ends = cellfun (@max, get (bars, "xdata"));
%! for seconds = [r.seconds; r.total].'
%!   assert (any (abs (ends / (1e3 * seconds) - 1) < 1e-9));
%! endfor
%! assert (has_text (f, '^m = 33, k = 17, n = 40 \('));
%! screenshot ("2-computed");
%! bars = findobj (f, "type", "axes", "visible", "on");
%! assert (get (bars, "xscale"), "linear");
%! assert (get (bars, "xlim")(1), 0); # bars begin at zero unless one asks for other
%! press (h.logarithmic);
%! assert (get (findobj (f, "type", "axes", "visible", "on"), "xscale"), "log");
%! press (h.show_A);
%! check_table (h, r.A);
%! assert ([get(h.show_A, "value"), get(h.show_C, "value")] == [1, 0]);
%! press (h.show_B);
%! check_table (h, r.B);
%! press (h.show_B);
%! assert (get (h.show_B, "value") == 1); # one is always shown
%! screenshot ("3-logarithmic");

## Fills and a choice of kernels.
%!test
%! [f, h, closes] = open_window ();
%! fill_sizes (h, "3", "4", "2");
%! choose (h.fill_A, "counting");
%! check_table (h, [1 2 3 4; 5 6 7 8; 9 10 11 12]);
%! choose (h.fill_B, "identity");
%! check_table (h, eye (4, 2));
%! only_tiled (h);
%! press (h.compute);
%! assert (results (f).kernels, {"tiled"; "*"});
%! check_table (h, [1 2; 5 6; 9 10]);
%! choose (h.fill_B, "ones");
%! press (h.compute);
%! check_table (h, [10 10; 26 26; 42 42]);
%! press (h.box_tiled);
%! press (h.box_octave);
%! assert (get (h.wrong_kernels, "string"), "choose at least one");
%! press (h.compute);
%! assert (results (f).kernels, {"tiled"; "*"});

## Sizes that are none: it is said beside them, and nothing is computed.
%!test
%! [f, h, closes] = open_window ();
%! bad = {"is missing", {"", "  "}; "must be 1 or more", {"0", "-3"}; ...
%!        "must be whole", {"2.5"}; "is too large", {"Inf"}; ...
%!        "is not a number", {"abc", "12x", "NaN", "2i", "[1 2]", "4,5", "a long line of words"}};
%! for size = "mkn"
%!   for kind = bad.'
%!     for typed = kind{2}
%!       fill_in (h.(size), typed{1});
%!       assert (get (h.(["wrong_" size]), "string"), kind{1});
%!       assert (said (h), "Correct what is marked in red.");
%!     endfor
%!   endfor
%! endfor
%! press (h.compute);
%! assert (isempty (results (f)));
%! assert (get (h.compute, "enable"), "on");
%! fill_sizes (h, "0", "abc", "2.5");
%! check_layout (f);
%! screenshot ("4-bad-sizes");
%! fill_in (h.m, "2");
%! assert (get (h.wrong_m, "string"), "");
%! fill_sizes (h, "2", "2", "2");
%! press (h.compute);
%! assert (all (results (f).right));

## Sizes that are too large: it is said why, at once and when Compute is pressed.
%!test
%! [f, h, closes] = open_window ();
%! fill_sizes (h, "1e6", "128", "1e6");
%! pattern = '^C = A\*B is too large: it needs 64 TB of memory, and the limit is .*$';
%! assert (regexp (said (h), pattern), 1);
%! press (h.compute);
%! assert (isempty (results (f)));
%! assert (regexp (said (h), pattern), 1);
%! screenshot ("5-too-large");
%! fill_sizes (h, "1e12", "1e12", "1e6");
%! assert (regexp (said (h), '^C = A\*B is too large: it needs .* PB of memory, '), 1);
%! assert (isempty (get (h.table, "data")));
%! fill_sizes (h, "9000", "9000", "9000");
%! pattern = '^C = A\*B is too (slow: it takes .* and the limit is 30 s$|large)';
%! assert (regexp (said (h), pattern), 1);
%! press (h.compute);
%! assert (isempty (results (f)));

## Elements typed into the table: numbers, NaN and Inf are taken, other words are not.
%!test
%! [f, h, closes] = open_window ();
%! only_tiled (h);
%! fill_sizes (h, "2", "2", "2");
%! fill_in (h.fill_A, numel (get (h.fill_A, "string")));
%! check_table (h, zeros (2));
%! edit_element (h, 1, 1, "1.23456789");
%! edit_element (h, 1, 2, "-2");
%! for typed = {"abc", "2i", "1,5", "1 5", ".", "-", "1e", "e1", "1e5e5", "0x1", "-NaN", "NA", "[1]", ""}
%!   edit_element (h, 2, 1, typed{1});
%!   assert (said (h), ['"' typed{1} '" is not a number: A(2, 1) stays as it was.']);
%! endfor
%! edit_element (h, 1, 1, "1.2346"); # as shown: opened and left
%! A = [1.23456789, -2; 0, 0];
%! check_table (h, A);
%! choose (h.fill_B, "counting");
%! edit_element (h, 2, 1, "NaN");
%! assert (get (h.fill_B, "value"), numel (get (h.fill_B, "string")));
%! press (h.compute);
%! r = results (f);
%! assert (r.A, A);
%! assert (r.B, [1 2; NaN 4]);
%! assert (r.C, A * [1 2; NaN 4], 1e-12);
%! assert (all (r.right));
%! check_table (h, r.C);
%! screenshot ("6-own-elements");
%! edit_element (h, 1, 1, "7"); # C is not for writing
%! check_table (h, r.C);
%! press (h.show_B);
%! edit_element (h, 2, 1, "-Inf");
%! press (h.compute);
%! assert (results (f).C, A * [1 2; -Inf 4], 1e-12);
%! press (h.show_A);
%! fill_in (h.m, "3"); # the elements there are stay
%! fill_in (h.k, "1");
%! check_table (h, [1.23456789; 0; 0]);
%! edit_element (h, 3, 1, "1e200");
%! assert (said (h), "A has an element below 1e-150 or above 1e150: A(3, 1) stays as it was.");
%! check_table (h, [1.23456789; 0; 0]);
%! check_layout (f);
%! edit_element (h, 3, 1, "1");
%! press (h.compute);
%! assert (results (f).A, [1.23456789; 0; 1]);

## Where there is no GPU the choice is grey, and it is said why.
%!testif ; ! gpumm_available ("gpu")
%! [f, h, closes] = open_window ();
%! assert (get (h.gpu, "enable"), "off");
%! assert (get (h.cpu, "value") == 1);
%! [~, why] = gpumm_available ("gpu");
%! assert (strjoin (cellstr (get (h.why_backend, "string")).', " "), ["no GPU: " why]);
%! press (h.gpu); # even so
%! assert (said (h), ["no GPU can be used: " why]);
%! press (h.compute);
%! assert (isempty (results (f)));
%! press (h.cpu);
%! press (h.compute);
%! assert (all (results (f).right));
%! assert (has_text (f, "CPU, kernels for study"));
%! assert (has_text (f, "^On a GPU fewer loads take less time"));
%! loads = results (f).loads;
%! assert (loads(2) == 2 * 128^3 && loads(3) < loads(2));
%! assert (has_text (f, '^4\.19 M$'));

%!testif ; gpumm_available ("gpu")
%! [f, h, closes] = open_window ();
%! assert ([get(h.gpu, "value"), get(h.cpu, "value")] == [1, 0]);
%! name = gpumm_info ().devices(1).name;
%! assert (strjoin (cellstr (get (h.why_backend, "string")).', " "), name);
%! press (h.compute);
%! assert (results (f).backend, "gpu");
%! assert (all (results (f).right));
%! press (h.cpu);
%! press (h.compute);
%! assert (results (f).backend, "cpu");

## A GPU that is made up, for machines without: it is named, chosen at first, and asked for; its
## transfers are seen, and what fails on it is said.
%!test
%! body = ["asked = strjoin (varargin, ' ');\n" ...
%!         "if (! isempty (strfind (asked, 'register')))\n" ...
%!         "  error ('gpumm:device-failed', 'gpumm: the device failed');\nendif\nC = A * B;\n" ...
%!         "info = struct ('kernel', asked, 'seconds', struct ('compute', 2e-4, 'total', 5e-3));"];
%! gone = with_functions ( ...
%!   {"gpumm_available", "[yes, why] = gpumm_available (~)", "yes = true; why = '';"
%!    "gpumm_info", "s = gpumm_info ()", "s.devices = struct ('name', 'Made-up 9000'); s.kernels = struct ('name', {});"
%!    "gpumm", "[C, info] = gpumm (A, B, varargin)", body});
%! [f, h, closes] = open_window ();
%! assert (get (h.gpu, "enable"), "on");
%! assert ([get(h.gpu, "value"), get(h.cpu, "value")] == [1, 0]);
%! assert (get (h.why_backend, "string"), {"Made-up 9000"});
%! press (h.compute);
%! r = results (f);
%! assert (r.ran, {"Algorithm loops Backend cpu"; "Algorithm naive Backend gpu"; ...
%!                 "Algorithm tiled Backend gpu"; ""; "Algorithm cublas Backend gpu"; "*"});
%! assert (r.total(2) - r.seconds(2), 4.8e-3, 1e-12);
%! assert (r.failed{4}, "gpumm: the device failed");
%! assert (said (h), "A kernel could not run; the reason is beside it.");
%! assert (has_text (f, '\(Made-up 9000\)$'));
%! assert (! has_text (f, "fewer loads"));
%! screenshot ("10-gpu");
%! assert (get (h.box_blas, "string"), "cublas");
%! press (h.cpu);
%! assert (get (h.box_blas, "string"), "blas");
%! press (h.compute);
%! assert (results (f).ran{5}, "Algorithm blas Backend cpu");

## does something when the window says so
%!function press_at (h, words, action)
%!  if (! isempty (strfind (said (h), words)))
%!    action ();
%!  endif
%!endfunction

## Stop, pressed while the third product runs, keeps the first two.
%!test
%! [f, h, closes] = open_window ();
%! press (h.stop); # nothing runs
%! addlistener (h.status, "string", ...
%!              @(varargin) press_at (h, ": tiled", @() press (h.stop)));
%! press (h.compute);
%! r = results (f);
%! assert (r.stopped);
%! assert (r.ran(1:2), {"loops"; "naive"});
%! assert (all (cellfun (@isempty, r.ran(3:6))));
%! assert (all (isnan (r.seconds(3:6))));
%! assert (said (h), "Stopped: 2 of 6 kernels have run.");
%! assert ({get(h.compute, "enable"), get(h.stop, "enable")}, {"on", "off"});
%! assert (sum (strcmp ("not run: stopped", texts (f))), 4);
%! screenshot ("7-stopped");

## Compute, pressed again while it runs, does nothing; the window, closed then, ends quietly.
%!test
%! [f, h, closes] = open_window ();
%! addlistener (h.status, "string", @(varargin) press_at (h, "naive", @() press (h.compute)));
%! addlistener (h.status, "string", @(varargin) press_at (h, ": register", @() close (f)));
%! printed = evalc ("press (h.compute); settle ();");
%! assert (! isfigure (f));
%! assert (printed, "");

## A wrong product, and a kernel that cannot run, are shown as what they are.
%!test
%! [f, h, closes] = open_window ();
%! press (h.compute);
%! s = getappdata (f, "gpumm");
%! s.results.right(2) = false;
%! s.results.error(2) = 1e12;
%! s.results.failed{4} = "CUDA: out of memory";
%! s.results.ran{4} = "";
%! s.results.seconds(4) = s.results.total(4) = NaN;
%! setappdata (f, "gpumm", s);
%! press (h.logarithmic);
%! press (h.logarithmic);
%! assert (sum (strcmp ("WRONG", texts (f))), 1);
%! assert (sum (strcmp ("right", texts (f))), 4);
%! assert (has_text (f, "could not run: CUDA: out of memory"));
%! screenshot ("8-wrong");

## Larger letters, up to what the screen has room for; other sizes of the window.
%!test
%! for pixels = [10, 13, 18, 30]
%!   [f, h, closes] = open_window ("FontSize", pixels);
%!   if (pixels != 18)
%!     only_tiled (h);
%!   endif
%!   press (h.compute);
%!   assert (all (results (f).right));
%!   check_layout (f);
%!   if (pixels == 18)
%!     screenshot ("9-larger-letters");
%!   endif
%!   if (pixels == 13)
%!     for sizes = [1000, 600; 1270, 780].'
%!       set (f, "position", [5, 5, sizes.']);
%!       wait_for ("results as wide as the window", ...
%!                 @() abs (sizes(1) - sum (getappdata (f, "gpumm").area([1, 3]))) < 20);
%!       check_layout (f);
%!     endfor
%!   endif
%!   clear closes
%! endfor

## By mouse and keys: a size is typed, and Compute clicked without Enter; an element is edited. A
## click is only on its way when xdotool ends: each step waits for what it brings about.
%!function status = to_window (f, what)
%!  [status, ~] = system (sprintf ("xdotool search --onlyvisible --name '^%s$' %s", ...
%!                                 get (f, "name"), what));
%!endfunction
%!function click (f, control, dx, dy, times = 1)
%!  x = get (control, "position")(1) + dx;
%!  y = get (f, "position")(4) - get (control, "position")(2) - dy;
%!  assert (to_window (f, sprintf (["mousemove --window %%1 %d %d " ...
%!                                  "click --repeat %d --delay 20 1"], x, y, times)), 0);
%!endfunction
%!function type_in (words)
%!  assert (system (["xdotool key ctrl+a && xdotool type --delay 20 '" words "'"]), 0);
%!endfunction

## whether the screen shows nothing in the table where column 8 would be
%!function yes = is_narrow (f, h)
%!  screen = screen_pixels ();
%!  place = round (get (h.table, "position"));
%!  corner = get (f, "position")(1:2) + place(1:2); # the lower left
%!  x = corner(1) + round (7.5 * 91) + (20:80);
%!  y = rows (screen) - corner(2) - place(4) + (30:200);
%!  yes = isscalar (unique (screen(y,x,:)));
%!endfunction
%!test
%! [f, h, closes] = open_window ();
%! wait_for ("the window", @() to_window (f, "windowfocus --sync") == 0); # as desktops do
%! sizes = {h.m, "9"; h.k, "7"; h.n, "10"; h.compute, ""};
%! for i = 1:4
%!   click (f, sizes{i,1}, 20, 10);
%!   if (i > 1) # a size is taken when the next control is clicked
%!     wait_for ("a size as it was typed", ...
%!               @() strcmp (get (sizes{i-1,1}, "string"), sizes{i-1,2}));
%!   endif
%!   if (i < 4)
%!     type_in (sizes{i,2});
%!   endif
%! endfor
%! wait_for ("results", @() ! isempty (results (f)) && ! getappdata (f, "gpumm").running);
%! r = results (f);
%! assert ([r.m, r.k, r.n], [9, 7, 10]);
%! wait_for ("C, wider than A, on the screen", @() ! is_narrow (f, h));
%! click (f, h.show_A, 8, 10);
%! wait_for ("A in the table", @() columns (get (h.table, "data")) == 7);
%! wait_for ("A on the screen", @() is_narrow (f, h));
%! check_table (h, r.A);
%! click (f, h.table, 60, get (h.table, "position")(4) - 35, 2);
%! type_in ("2.5");
%! assert (system ("xdotool key Return"), 0);
%! wait_for ("the element as it was typed", @() strcmp (get (h.table, "data"){1,1}, "2.5"));
%! click (f, h.box_naive, 8, 10);
%! wait_for ("the choice without naive", @() get (h.box_naive, "value") == 0);
%! click (f, h.compute, 50, 15);
%! wait_for ("new results", @() numel (results (f).kernels) == 5 ...
%!                              && ! getappdata (f, "gpumm").running);
%! s = results (f);
%! assert (s.kernels, {"loops"; "tiled"; "register"; ...
%!                     {"blas", "cublas"}{1 + gpumm_available("gpu")}; "*"});
%! assert (s.A(1,1), 2.5);
%! assert (s.A(2:end), r.A(2:end));
%! assert (all (s.right));

## One window after another, and no figure is left.
%!test
%! assert (isempty (findall (0, "type", "figure")));
