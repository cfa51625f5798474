## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## -*- texinfo -*-
## @deftypefn  {} {} gpumm_gui ()
## @deftypefnx {} {@var{h} =} gpumm_gui ("FontSize", @var{pixels})
## @deftypefnx {} {@var{results} =} gpumm_gui (@var{choices})
## Compare the ways to multiply two matrices, in a window.
##
## Choose the sizes of @w{C = A*B}, the elements of A and B, and the kernels, and press
## @emph{Compute}.  For each kernel the window shows its time as a bar, its rate, the elements that it
## loads from memory, and whether its product agrees with @code{A*B}.  A GPU waits for these loads.  A
## CPU, where the kernels run for study, does not: there @qcode{"tiled"} is slow.  A table shows the
## elements of A, B and C; you can edit A and B.
## The window refuses a choice that cannot be computed, or that takes too much memory or time, and
## says why.
##
## The window needs a display and an Octave with the Qt toolkit: @command{octave}, with or without
## @option{--no-gui}, but not @command{octave-cli}.  If one of them is missing, the error is
## @code{gpumm:no-display}; the lessons (@code{gpumm_lessons}) show the same without a window.
## @var{h} is the window, a figure.  @qcode{"FontSize"} is the height of the letters in pixels, 9 to
## 30, by default 13; a small screen limits it.
##
## With a struct @var{choices}, @code{gpumm_gui} computes the same comparison without a window, in
## any Octave.  Fields that you leave out have the values of a new window:
##
## @table @code
## @item m, n, k
## The sizes: A is m x k, B is k x n.  The default is 128, or the size of the matrix that you give.
## @item A, B
## @qcode{"random"} (the default: from -0.5 to 0.5, the same numbers each time), @qcode{"ones"},
## @qcode{"identity"}, @qcode{"counting"} (1, 2, 3 along the rows), or a matrix, real and full.
## @item kernels
## A cell array of @qcode{"loops"}, the three loops of the definition on the CPU; @qcode{"naive"},
## @qcode{"tiled"} and @qcode{"register"}, kernels of @code{gpumm_info ()}; @qcode{"cublas"} on a
## GPU or @qcode{"blas"} on the CPU, the library; and @qcode{"*"}, Octave's own product.  The
## default is all of them.
## @item backend
## Where the kernels and the library run: @qcode{"auto"} (the default), the GPU if there is one;
## @qcode{"gpu"}; or @qcode{"cpu"}, where the kernels run for study.
## @item seconds, bytes
## The limits on time, by default 30 s, and on memory, by default half of the free memory.  Time and
## memory are estimated before the start, the time from a small product of each kernel.
## @end table
##
## @var{results} is a struct with m, n and k, A, B, and the fields
##
## @table @code
## @item C
## The product of the first kernel, or a wrong product if there is one.
## @item kernels, ran
## Cell arrays with one cell per kernel: the name that you chose, and the row of
## @code{gpumm_info ().kernels} that ran.
## @item seconds, total
## The time of the kernel alone, and of the whole call with its transfers; the fastest run counts.
## @item loads
## The elements of A and B that the kernel loads from global memory; NaN for the others.
## @item gflops
## 2mnk operations divided by @code{seconds}.
## @item error, right
## The largest difference of an element from @code{A*B}, in units of k eps |A| |B|; and whether it
## is at most 1: two products that round differently may differ by that much.
## @item failed
## Why a kernel could not run; empty if it ran.
## @item backend, device, flops, stopped
## Where the kernels ran; 2mnk; whether @emph{Stop} ended the computation.
## @end table
##
## @example
## @group
## r = gpumm_gui (struct ("A", [1 2; 3 4], "B", [5 6; 7 8]));
## r.C
##   @result{} ans =
##        19   22
##        43   50
## all (r.right)
##   @result{} ans = 1
## @end group
## @end example
##
## Errors have the identifiers @code{gpumm:no-display}, @code{gpumm:no-device},
## @code{gpumm:too-large}, @code{gpumm:unknown-option}, @code{gpumm:missing-value} and
## @code{gpumm:bad-value}.
## @seealso{gpumm_kernel, gpumm_plot, gpumm_source, gpumm}
## @end deftypefn

function r = gpumm_gui (varargin)

  if (nargin == 1 && isstruct (varargin{1}))
    r = compare (varargin{1});
    return;
  endif
  is_size = @(x) isnumeric (x) && isreal (x) && isscalar (x) && x >= 9 && x <= 30;
  o = __options_of__ ("gpumm_gui", varargin, ...
                      {"FontSize", 13, is_size, "a number of pixels, 9 to 30"});
  if (! have_window_system ())
    no_display ("there is no display");
  elseif (! any (strcmp (available_graphics_toolkits (), "qt")))
    no_display (["this Octave has no Qt toolkit; octave and octave --no-gui have it, " ...
                 "octave-cli does not"]);
  endif
  h = __quietly__ (@() __gui_window__ (o.fontsize));
  if (nargout > 0)
    r = h;
  endif

endfunction

function no_display (why)
  error ("gpumm:no-display", ...
         ["gpumm_gui: %s. gpumm_gui (choices) computes the same without a window, and the " ...
          "lessons show it (gpumm_lessons)"], why);
endfunction

function r = compare (choices)

  demand (isscalar (choices), "CHOICES must be one struct");
  valid = fieldnames (__gui_check__ ());
  for field = fieldnames (choices).'
    if (! any (strcmp (field{1}, valid)))
      error ("gpumm:unknown-option", "gpumm_gui: unknown choice \"%s\"; valid choices are %s", ...
             field{1}, strjoin (valid, ", "));
    endif
  endfor
  [c, wrong] = __gui_check__ (choices);
  for field = {"m", "n", "k", "A", "B"}
    demand (isempty (wrong.(field{1})), "%s %s", field{1}, wrong.(field{1}));
  endfor
  demand (isempty (wrong.kernels), "%s", wrong.kernels);
  if (strncmp (wrong.backend, "no GPU", 6))
    error ("gpumm:no-device", "gpumm_gui: %s", wrong.backend);
  endif
  demand (isempty (wrong.backend), "%s", wrong.backend);
  demand (isempty (wrong.limits), "%s", wrong.limits);
  if (! isempty (wrong.size))
    error ("gpumm:too-large", "gpumm_gui: m = %d, n = %d, k = %d: %s", c.m, c.n, c.k, wrong.size);
  endif
  r = __gui_compare__ (c);

endfunction

function demand (yes, varargin)
  if (! yes)
    error ("gpumm:bad-value", "gpumm_gui: %s", sprintf (varargin{:}));
  endif
endfunction

%!error id=gpumm:missing-value gpumm_gui ("FontSize")
%!error id=gpumm:unknown-option gpumm_gui ("Size", 3)
%!error id=gpumm:unknown-option gpumm_gui (3)
%!error id=gpumm:bad-value gpumm_gui ("FontSize", 8)
%!error id=gpumm:unknown-option gpumm_gui (struct ("l", 3))
%!error id=gpumm:bad-value gpumm_gui (struct ("m", {3, 4}))
