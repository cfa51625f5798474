## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## f = __gui_window__ (pixels)
##
## The window of gpumm_gui, with letters `pixels` high.  It reads the choices; __gui_check__ checks
## them, __gui_compare__ runs them, and __gui_bars__ draws the times.
##
## getappdata (f, "gpumm") is its state: `pixels`; `handles` of its controls, by their tags; `own`,
## the edited matrices A and B; `shown`, the name of the matrix in the table; the last `results`;
## `running`; `stop`, whether the user pressed Stop; `area` and `below`, the places of the results
## and of the window's messages.

function f = __gui_window__ (pixels)

  f = figure ("visible", "off", "name", "gpumm: ways to multiply two matrices", ...
              "numbertitle", "off", "menubar", "none", "toolbar", "none", "units", "pixels", ...
              "color", 0.94 * [1, 1, 1], "handlevisibility", "callback", "tag", "gpumm_gui");
  if (! strcmp (get (f, "__graphics_toolkit__"), "qt"))
    graphics_toolkit (f, "qt");
  endif
  screen = get (0, "screensize");
  room = screen(3:4) - [20, 60]; # less the desktop's panels and the window's frame
  ## The choices need this many letters in lay_out.
  pixels = min (pixels, floor (min (room ./ [63, 37])));
  sizes = min ([90, 56] * pixels, room);
  set (f, "position", [screen(1:2) + floor((screen(3:4) - sizes) / 2), sizes]);

  setappdata (f, "gpumm", struct ("pixels", pixels, "handles", make_controls (f, pixels), ...
                                  "own", struct ("A", [], "B", []), "shown", "A", ...
                                  "results", [], "running", false, "stop", false, ...
                                  "below", zeros (1, 3), "area", zeros (1, 4)));
  lay_out (f);
  changed (f);
  set (f, "sizechangedfcn", @(varargin) guarded (f, @lay_out), ...
       "closerequestfcn", @(varargin) close_window (f), "visible", "on");

endfunction

## Octave and the toolkit deadlock if a window is deleted while it is drawn (seen in 7.3).  So hide
## it first and let the toolkit finish.
function close_window (f)

  set (f, "sizechangedfcn", "", "visible", "off");
  drawnow ();
  pause (0.05);
  delete (f);

endfunction

## ---- controls -----------------------------------------------------------------------------------

function h = make_controls (f, pixels)

  font = {"fontunits", "pixels", "fontsize", pixels};
  label = @(tag, text, varargin) uicontrol (f, "style", "text", "tag", tag, "string", text, ...
                                            "horizontalalignment", "left", font{:}, ...
                                            "backgroundcolor", get (f, "color"), varargin{:});
  red = {"foregroundcolor", [0.75, 0.1, 0]};
  control = @(tag, style, varargin) uicontrol (f, "style", style, "tag", tag, font{:}, varargin{:});
  grey = {"backgroundcolor", get(f, "color")};
  update = {"callback", @(varargin) guarded(f, @changed)};
  c = __gui_check__ ();

  h.head_sizes = label ("head_sizes", "Sizes of C = A*B", "fontweight", "bold");
  says = struct ("m", "m, rows of A, C", "k", "k, the inner size", "n", "n, columns of B, C");
  for size = "mkn"
    h.(["name_" size]) = label (["name_" size], says.(size));
    h.(size) = control (size, "edit", "string", sprintf ("%d", c.(size)), update{:});
    h.(["wrong_" size]) = label (["wrong_" size], "", red{:});
  endfor

  h.head_matrices = label ("head_matrices", "Elements", "fontweight", "bold");
  for X = "AB"
    h.(["name_" X]) = label (["name_" X], {"A, m x k", "B, k x n"}{(X == "B") + 1});
    h.(["fill_" X]) = control (["fill_" X], "popupmenu", "string", ...
                               [__gui_fill__(), {"edited in the table"}], ...
                               "callback", @(varargin) guarded (f, @chose_fill, X));
    h.(["wrong_" X]) = label (["wrong_" X], "", red{:});
  endfor

  h.head_kernels = label ("head_kernels", "Kernels to compare", "fontweight", "bold");
  h.wrong_kernels = label ("wrong_kernels", "", red{:});
  [gpu, why] = gpumm_available ("gpu");
  for product = __gui_product__ ({"cpu", "gpu"}{1 + gpu})
    tag = box_of (product{1});
    h.(tag) = control (tag, "checkbox", "string", __gui_name__ (product{1}), grey{:}, ...
                       "value", 1, update{:});
  endfor

  h.head_backend = label ("head_backend", "Kernels run on", "fontweight", "bold");
  h.gpu = control ("gpu", "radiobutton", "string", "GPU", grey{:}, "value", gpu, ...
                   "enable", {"off", "on"}{1 + gpu}, ...
                   "callback", @(varargin) guarded (f, @chose_backend, "gpu"));
  h.cpu = control ("cpu", "radiobutton", "string", "CPU, for study", grey{:}, "value", ! gpu, ...
                   "callback", @(varargin) guarded (f, @chose_backend, "cpu"));
  if (gpu)
    why = gpumm_info ().devices(1).name;
  else
    why = ["no GPU: " why];
  endif
  h.why_backend = label ("why_backend", "", "userdata", why);

  h.compute = control ("compute", "pushbutton", "string", "Compute", "fontweight", "bold", ...
                       "callback", @(varargin) guarded (f, @compute));
  h.stop = control ("stop", "pushbutton", "string", "Stop", "enable", "off", ...
                    "callback", @(varargin) guarded (f, @stop));
  h.status = label ("status", "", "userdata", "");

  h.logarithmic = control ("logarithmic", "checkbox", "string", "logarithmic", grey{:}, ...
                           "value", 0, "callback", @(varargin) guarded (f, @draw));
  h.head_table = label ("head_table", "Matrix", "fontweight", "bold");
  for X = "ABC"
    h.(["show_" X]) = control (["show_" X], "radiobutton", "string", X, grey{:}, ...
                               "value", X == "A", ...
                               "callback", @(varargin) guarded (f, @chose_shown, X));
  endfor
  h.about_table = label ("about_table", "");
  h.table = uitable (f, "tag", "table", font{:}, "units", "pixels", ...
                     "celleditcallback", @(~, event) guarded (f, @edited, event));

endfunction

## The tag of a kernel's box; blas and cublas share one.
function tag = box_of (kernel)
  tag = ["box_" strrep(strrep (kernel, "*", "octave"), "cublas", "blas")];
endfunction

## ---- layout -------------------------------------------------------------------------------------

## Places everything: the choices in a column on the left, the window's messages below them, the
## results on the right.
function lay_out (f)

  s = getappdata (f, "gpumm");
  h = s.handles;
  p = s.pixels;
  row = round (1.8 * p);
  gap = round (0.7 * p);
  sizes = get (f, "position")(3:4);
  left = 25 * p;
  top = sizes(2) - gap;

  y = top;
  put = @(name, x, width, y) set (h.(name), "position", [gap + x, y, width, row - 3]);
  y -= row;
  put ("head_sizes", 0, left, y);
  for size = "mkn"
    y -= row;
    put (["name_" size], 0, 10 * p, y);
    put (size, 10 * p, 5 * p, y);
    put (["wrong_" size], 15.5 * p, left - 15.5 * p, y);
  endfor
  y -= row + gap;
  put ("head_matrices", 0, left, y);
  for X = "AB"
    y -= row;
    put (["name_" X], 0, 10 * p, y);
    put (["fill_" X], 10 * p, left - 10 * p, y);
    y -= row * ! isempty (get (h.(["wrong_" X]), "string"));
    put (["wrong_" X], 0, left, y);
    set (h.(["wrong_" X]), "visible", {"on", "off"}{1 + isempty(get (h.(["wrong_" X]), "string"))});
  endfor
  y -= row + gap;
  put ("head_kernels", 0, 12 * p, y);
  put ("wrong_kernels", 12 * p, left - 12 * p, y);
  products = __gui_product__ ("cpu");
  for i = 1:numel (products)
    at = mod (i - 1, 2);
    y -= row * (at == 0);
    put (box_of (products{i}), at * left / 2, left / 2, y);
  endfor
  y -= row + gap;
  put ("head_backend", 0, left, y);
  y -= row;
  put ("gpu", 0, left / 2, y);
  put ("cpu", left / 2, left / 2, y);
  y -= put_text (h.why_backend, get (h.why_backend, "userdata"), [gap, y, left], p);
  y -= gap + 1.3 * row;
  set (h.compute, "position", [gap, y, 0.6 * left, 1.3 * row]);
  set (h.stop, "position", [gap + 0.65 * left, y, 0.35 * left, 1.3 * row]);
  s.below = [gap, y - gap, left];

  x = left + 3 * gap;
  width = sizes(1) - x - gap;
  bottom = gap;
  height = top - bottom;
  table = [x, bottom, width, floor(0.42 * height)];
  set (h.table, "position", table);
  y = table(2) + table(4) + 2;
  set (h.head_table, "position", [x, y, 4.5 * p, row - 3]);
  for i = 1:3
    set (h.(["show_" "ABC"(i)]), "position", [x + (1.8 + 3.2 * i) * p, y, 3.2 * p, row - 3]);
  endfor
  set (h.about_table, "position", [x + 15 * p, y, width - 15 * p, row - 3]);
  y += row + gap;
  set (h.logarithmic, "position", [x + width - 9 * p, top - 2.1 * row, 9 * p, row - 3]);
  s.area = round ([x, y, width, top - y]);
  setappdata (f, "gpumm", s);
  say (f);
  draw (f);

endfunction

## Folds the text into lines of at most `most` characters.
function lines = folded (text, most)

  words = strsplit (text, " ");
  lines = words(1);
  for word = words(2:end)
    if (numel (lines{end}) + 1 + numel (word{1}) <= most)
      lines{end} = [lines{end} " " word{1}];
    else
      lines{end+1} = word{1};
    endif
  endfor

endfunction

## ---- choices ------------------------------------------------------------------------------------

## Runs a callback and shows its error in the window, unless the window was closed meanwhile.
function guarded (f, what, varargin)

  try
    if (isfigure (f))
      what (f, varargin{:});
    endif
  catch err
    if (isfigure (f))
      say (f, err.message, true);
    endif
  end_try_catch

endfunction

## Shows a message below the buttons; without an argument, the last message again.
function say (f, words, is_wrong = false)

  s = getappdata (f, "gpumm");
  h = s.handles.status;
  if (nargin > 1)
    set (h, "userdata", words, ...
         "foregroundcolor", {[0, 0, 0], [0.75, 0.1, 0]}{1 + is_wrong});
  endif
  put_text (h, get (h, "userdata"), s.below, s.pixels);

endfunction

## Puts words in lines of place(3) pixels below place(1:2); returns the height of all lines.
function height = put_text (h, words, place, pixels)

  lines = folded (words, floor (place(3) / (0.62 * pixels)));
  height = 1.5 * pixels * numel (lines);
  set (h, "string", lines, "position", [place(1), place(2) - height, place(3), height]);

endfunction

## The present choices in the controls.
function c = choices (s)

  h = s.handles;
  c = struct ("m", get (h.m, "string"), "n", get (h.n, "string"), "k", get (h.k, "string"));
  fills = __gui_fill__ ();
  for X = "AB"
    at = get (h.(["fill_" X]), "value");
    if (at <= numel (fills))
      c.(X) = fills{at};
    else
      c.(X) = s.own.(X);
    endif
  endfor
  c.backend = {"cpu", "gpu"}{1 + (get (h.gpu, "value") > 0)};
  products = __gui_product__ (c.backend);
  c.kernels = products(cellfun (@(name) get (h.(box_of (name)), "value") > 0, products));

endfunction

## After a choice: shows what is wrong or the estimate, and the matrices.
function [c, fine] = changed (f)

  s = getappdata (f, "gpumm");
  [c, wrong] = __gui_check__ (choices (s));
  if (isempty ([wrong.m, wrong.n, wrong.k]) && ! isempty ([wrong.A, wrong.B]))
    s = fit_own (s, c);
    setappdata (f, "gpumm", s);
    [c, wrong] = __gui_check__ (choices (s));
  endif

  were = get ([s.handles.wrong_A, s.handles.wrong_B], "string");
  for name = {"m", "n", "k", "A", "B", "kernels"}
    set (s.handles.(["wrong_" name{1}]), "string", wrong.(name{1}));
  endfor
  if (! isequal (cellfun (@isempty, were), cellfun (@isempty, {wrong.A; wrong.B})))
    lay_out (f); # A and B have a line for errors only if there is one
  endif
  fine = all (cellfun (@isempty, struct2cell (wrong)));
  if (! isempty (wrong.size))
    say (f, ["C = A*B is " wrong.size], true);
  elseif (! isempty (wrong.backend))
    say (f, wrong.backend, true);
  elseif (! fine)
    say (f, "Correct what is marked in red.", true);
  elseif (! s.running)
    e = c.estimate;
    say (f, sprintf ("%s operations, about %s and %s of memory. Press Compute.", ...
                     grouped (2 * c.m * c.n * c.k), e.said{:}));
  endif
  fill_table (f, c, wrong);

endfunction

## The user's own matrices keep their elements when sizes change; new elements are 0.  A size above
## 80 MB is probably a typing error, so the matrices are not resized.
function s = fit_own (s, c)

  most = 1e7;
  for X = "AB"
    own = s.own.(X);
    to = {[c.m, c.k], [c.k, c.n]}{1 + (X == "B")};
    if (isnumeric (c.(X)) && ! isequal (size (own), to) && prod (to) <= most)
      s.own.(X) = resize (own, to);
    endif
  endfor

endfunction

## The number with its digits in groups of three: 1 234 567.
function text = grouped (x)
  text = sprintf ("%.0f", x);
  text = fliplr (regexprep (fliplr (text), '(\d{3})(?=\d)', "$1 "));
endfunction

function chose_fill (f, X)

  chose_shown (f, X);
  changed (f);

endfunction

function chose_backend (f, backend)

  h = getappdata (f, "gpumm").handles;
  set (h.gpu, "value", strcmp (backend, "gpu"));
  set (h.cpu, "value", strcmp (backend, "cpu"));
  set (h.box_blas, "string", __gui_product__ (backend){5});
  changed (f);

endfunction

## ---- the table ----------------------------------------------------------------------------------

function chose_shown (f, X)

  s = getappdata (f, "gpumm");
  for Y = "ABC"
    set (s.handles.(["show_" Y]), "value", Y == X);
  endfor
  s.shown = X;
  setappdata (f, "gpumm", s);
  [c, wrong] = __gui_check__ (choices (s));
  fill_table (f, c, wrong);

endfunction

function n = most_shown ()
  n = 30; # rows and columns; the toolkit is slow with more
endfunction

function fill_table (f, c, wrong)

  s = getappdata (f, "gpumm");
  X = s.shown;
  part = [];
  about = "";
  if (X == "C")
    if (isempty (s.results) || isempty (s.results.C))
      about = "not computed yet";
    else
      sizes = size (s.results.C);
      part = s.results.C(1:min (end, most_shown ()),1:min (end, most_shown ()));
      about = "of the results above";
    endif
  elseif (can_show (wrong, X))
    sizes = {[c.m, c.k], [c.k, c.n]}{1 + (X == "B")};
    part = __gui_fill__ (c.(X), sizes(1), sizes(2), c.seeds(1 + (X == "B")), most_shown ());
    about = "double-click an element to change it";
  endif
  if (! isempty (part))
    first = "";
    if (any (sizes > most_shown ()))
      first = sprintf ("the first %d x %d of ", size (part));
    endif
    about = sprintf ("%s%d x %d; %s", first, sizes, about);
  endif
  set (s.handles.about_table, "string", about);
  text = arrayfun (@shown, part, "UniformOutput", false);
  set (s.handles.table, "data", text, "columneditable", repmat (X != "C", 1, columns (part)), ...
       "columnwidth", repmat ({7 * s.pixels}, 1, columns (part)));

endfunction

## Is A or B valid, and does it fit the memory?
function yes = can_show (wrong, X)
  yes = isempty ([wrong.m, wrong.n, wrong.k, wrong.(X), wrong.size]);
endfunction

function text = shown (x)
  text = sprintf ("%.5g", x);
endfunction

## After the user typed an element: a valid number makes the matrix the user's own.
function edited (f, event)

  s = getappdata (f, "gpumm");
  X = s.shown;
  [c, wrong] = __gui_check__ (choices (s));
  typed = strtrim (event.NewData);
  [value, is_number] = typed_number (typed);
  if (X == "C" || ! can_show (wrong, X))
    fill_table (f, c, wrong);
    return;
  elseif (strcmp (typed, event.PreviousData)) # unchanged: keep the digits that are not shown
    return;
  elseif (! is_number)
    fill_table (f, c, wrong);
    say (f, sprintf ("\"%s\" is not a number: %s(%d, %d) stays as it was.", typed, X, ...
                     event.Indices), true);
    return;
  endif
  sizes = {[c.m, c.k], [c.k, c.n]}{1 + (X == "B")};
  Y = __gui_fill__ (c.(X), sizes(1), sizes(2), c.seeds(1 + (X == "B")));
  Y(event.Indices(1),event.Indices(2)) = value;
  with_it = rmfield (c, {"seeds", "estimate"});
  with_it.(X) = Y;
  [~, wrong_with_it] = __gui_check__ (with_it);
  if (! isempty (wrong_with_it.(X)))
    fill_table (f, c, wrong);
    say (f, sprintf ("%s %s: %s(%d, %d) stays as it was.", X, wrong_with_it.(X), X, ...
                     event.Indices), true);
    return;
  endif
  s.own.(X) = Y;
  setappdata (f, "gpumm", s);
  set (s.handles.(["fill_" X]), "value", numel (__gui_fill__ ()) + 1);
  changed (f);

endfunction

## ---- computing ----------------------------------------------------------------------------------

function compute (f)

  if (getappdata (f, "gpumm").running)
    return;
  endif
  [c, fine] = changed (f);
  if (! fine)
    return;
  endif
  set_running (f, true);
  unwind_protect
    r = __gui_compare__ (c, @(share, text) go_on (f, share, text));
  unwind_protect_cleanup
    if (isfigure (f))
      set_running (f, false);
    endif
  end_unwind_protect
  if (! isfigure (f)) # closed meanwhile
    return;
  endif

  s = getappdata (f, "gpumm");
  s.results = r;
  setappdata (f, "gpumm", s);
  draw (f);
  if (! isempty (r.C))
    chose_shown (f, "C");
  endif
  ran = ! cellfun (@isempty, r.ran);
  if (any (ran & ! r.right))
    say (f, "A product differs from A*B: see the column \"check\".", true);
  elseif (! all (cellfun (@isempty, r.failed)))
    say (f, "A kernel could not run; the reason is beside it.", true);
  elseif (r.stopped)
    say (f, sprintf ("Stopped: %d of %d kernels have run.", sum (ran), numel (ran)));
  else
    say (f, sprintf ("Done: %d products; all agree with A*B up to rounding.", sum (ran)));
  endif

endfunction

function set_running (f, yes)

  s = getappdata (f, "gpumm");
  s.running = yes;
  s.stop = false;
  setappdata (f, "gpumm", s);
  set (s.handles.compute, "enable", {"on", "off"}{1 + yes});
  set (s.handles.stop, "enable", {"off", "on"}{1 + yes});

endfunction

## Between two kernels the window shows the next name and handles Stop and closing.
function yes = go_on (f, share, text)

  yes = isfigure (f);
  if (yes)
    say (f, sprintf ("%d %%: %s", round (100 * share), text));
    drawnow ();
    yes = isfigure (f) && ! getappdata (f, "gpumm").stop;
  endif

endfunction

function stop (f)

  s = getappdata (f, "gpumm");
  s.stop = s.running;
  setappdata (f, "gpumm", s);
  say (f, "Stopping after this kernel.");

endfunction

function draw (f)
  s = getappdata (f, "gpumm");
  __gui_bars__ (f, s.area, s.pixels, s.results, get (s.handles.logarithmic, "value") > 0);
endfunction
