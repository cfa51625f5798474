## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## -*- texinfo -*-
## @deftypefn  {} {} gpumm_blas ()
## @deftypefnx {} {@var{s} =} gpumm_blas ()
## Print or return what gpumm's BLAS does for this session.
##
## With this BLAS, Octave's own @code{A*B}, @code{A\b}, @code{chol}, @code{inv} and @code{qr} of
## large matrices run on the GPU, without a change to the program.  @code{eig} and @code{svd} stay on
## the CPU.  To switch the BLAS on, start Octave by @samp{./setup octave --blas}, or with the file
## that @code{gpumm_blas} prints in @env{LD_PRELOAD}.
##
## Without an output argument, @code{gpumm_blas} prints whether the BLAS is on, and for each routine
## the calls on the GPU and on the CPU.  If the BLAS is off, @code{gpumm_blas} prints the command to
## type.  It also prints the counts of @code{gpumm_mtimes}, which is for @code{A*B} alone and can be
## switched on at any time.
##
## With an output argument, @code{gpumm_blas} returns the struct @var{s} with the fields
##
## @table @code
## @item on
## True if gpumm's BLAS is on.
## @item file
## The file of gpumm's BLAS, for @env{LD_PRELOAD}.
## @item below
## The file of the BLAS that computes on the CPU.
## @item calls
## A struct array: @code{routine}, the numbers of calls @code{gpu} and @code{cpu}, and their
## @code{gpu_seconds} and @code{cpu_seconds}.  Small calls are not counted.
## @end table
##
## @example
## @group
## printf ("%s computes on the CPU\n", gpumm_blas ().below);
##   @print{} @dots{} computes on the CPU
## @end group
## @end example
##
## @seealso{gpumm, gpumm_mtimes, gpumm_info}
## @end deftypefn

function s = gpumm_blas ()

  [calls, below] = __gpumm_blas__ ();
  folder = fileparts (which ("__gpumm_blas__"));
  s.on = isstruct (calls);
  s.file = fullfile (folder, "libgpumm_blas.so");
  s.below = below;
  s.calls = calls;
  if (! s.on)
    s.calls = struct ("routine", {}, "gpu", {}, "cpu", {}, "gpu_seconds", {}, "cpu_seconds", {});
  endif
  if (nargout > 0)
    return;
  endif

  [multiplies, count] = gpumm_mtimes ();
  if (multiplies)
    printf ("gpumm_mtimes is on: %d products A*B on the GPU, %d on the CPU.\n", count.gpu, ...
            count.cpu);
  else
    printf ("gpumm_mtimes is off.  To let gpumm compute A*B, type gpumm_mtimes (true).\n");
  endif
  if (s.on)
    printf ("gpumm's BLAS is on.  On the CPU, %s computes.\n", s.below);
    [yes, why] = gpumm_available ("gpu");
    if (! yes)
      printf ("All calls run on the CPU: %s.\n", why);
    endif
    printf ("%-10s %12s %12s %12s %12s\n", "routine", "on the GPU", "seconds", "on the CPU", ...
            "seconds");
    for call = s.calls
      printf ("%-10s %12d %12.3f %12d %12.3f\n", call.routine, call.gpu, call.gpu_seconds, call.cpu,
              call.cpu_seconds);
    endfor
  else
    printf (["gpumm's BLAS is off.  For A\\b, chol, inv and qr start Octave with it:\n" ...
             "  LD_PRELOAD=%s octave\n"], ...
            __quoted_word__ (s.file));
  endif
  clear s;

endfunction

%!test
%! s = gpumm_blas ();
%! assert (exist (s.file, "file"), 2);
%! assert (exist (s.below, "file"), 2);
%!test
%! s = gpumm_blas ();
%! said = evalc ("gpumm_blas");
%! if (s.on)
%!   assert (! isempty (strfind (said, "gpumm's BLAS is on")));
%! else
%!   assert (fieldnames (s.calls), {"routine"; "gpu"; "cpu"; "gpu_seconds"; "cpu_seconds"});
%!   assert (size (s.calls), [0, 0]);
%!   assert (! isempty (strfind (said, ["LD_PRELOAD='" s.file "' octave"])));
%! endif
