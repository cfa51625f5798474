## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## -*- texinfo -*-
## @deftypefn  {} {} gpumm_info ()
## @deftypefnx {} {@var{info} =} gpumm_info ()
## Print or return how @code{gpumm} was built and what it finds on this machine.
##
## Without an output argument @code{gpumm_info} prints a summary.  An @samp{x} marks each algorithm
## and kernel that cannot run here, and the line says why.
##
## With an output argument @code{gpumm_info} prints nothing and returns the struct @var{info}.  To
## see one field, store @var{info} first:
##
## @example
## @group
## info = gpumm_info ();
## info.backends@{1@}
##   @result{} ans = cpu
## @end group
## @end example
##
## (Octave evaluates @code{gpumm_info ().backends} at the prompt as a call without an output
## argument, which prints the summary and then fails.)
##
## The fields of @var{info} are
##
## @table @code
## @item version, build
## The version of gpumm, and the compiler, Octave and CUDA that it was built with.
## @item backends
## A cell array: @qcode{"cpu"}, and @qcode{"gpu"} if a GPU can be used.
## @item why_no_gpu
## Why there is no @qcode{"gpu"}; empty if there is one.
## @item devices
## A struct array of the GPUs: @code{index}, @code{name}, @code{capability} (compute capability),
## @code{multiprocessors}, @code{driver} and @code{runtime} (the CUDA version of each), and in bytes
## @code{memory_total}, @code{memory_free}, @code{memory_used} (what gpuArrays of this session hold)
## and @code{memory_kept} (what is kept for the next ones; @code{gpumm_reset} releases it); also
## @code{clock_khz}, @code{compute_mode} (CUDA's number) and @code{has_timeout} (the system stops
## kernels that run for seconds).
## @item algorithms, summaries
## Cell arrays: the names for the option @qcode{"Algorithm"}, and a line about each algorithm.
## @item cannot_run
## A cell array: the reason why an algorithm cannot run on this machine; empty if it can.
## @item kernels
## A struct array of the kernels of full matrices: @code{algorithm}, @code{name}, @code{types} (BLAS
## letters: s, d, c, z), @code{tile_m}, @code{tile_n} and @code{tile_k} (the part of the product
## that a block of threads computes, and its step along k), @code{thread_m} and @code{thread_n} (the
## part that a thread computes) and @code{capability} (the lowest compute capability).  Without a
## GPU these are the kernels that run on the CPU, for study.
## @item sparse_kernels
## A struct array of the kernels with sparse operands, plain or by blocks: @code{algorithm},
## @code{name} and @code{capability}.
## @end table
##
## @example
## @group
## any (strcmp ("blas", gpumm_info ().algorithms))
##   @result{} ans = 1
## @end group
## @end example
## @seealso{gpumm, gpumm_available}
## @end deftypefn

function info = gpumm_info ()

  s = __gpumm_info__ ();
  r = struct ("version", s.version, "build", s.build, "backends", {{"cpu"}}, ...
              "why_no_gpu", s.why, "devices", s.devices, ...
              "algorithms", {{s.algorithms.name}}, "summaries", {{s.algorithms.summary}}, ...
              "cannot_run", {cell(1, numel (s.algorithms))}, ...
              "kernels", s.kernels, "sparse_kernels", s.sparse_kernels);
  if (s.gpus > 0)
    r.backends{end+1} = "gpu";
  endif
  short = cell (size (r.cannot_run));
  for i = 1:numel (s.algorithms)
    short{i} = r.cannot_run{i} = "";
    if (! isempty (s.algorithms(i).missing))
      short{i} = "its library is missing";
      r.cannot_run{i} = [short{i} ": " s.algorithms(i).missing];
    elseif (s.algorithms(i).on_device)
      [short{i}, details] = why_not (s.algorithms(i).name, r);
      r.cannot_run{i} = [short{i}, details];
    endif
  endfor

  if (nargout > 0)
    info = r;
  else
    show (r, short);
  endif

endfunction

## Why no kernel of the algorithm runs here, and details that the summary has in a line of its own.
## Without a GPU the tables list the kernels that run on the CPU.
function [why, details] = why_not (algorithm, r)

  why = details = "";
  needs = [r.kernels(strcmp ({r.kernels.algorithm}, algorithm)).capability, ...
           r.sparse_kernels(strcmp ({r.sparse_kernels.algorithm}, algorithm)).capability];
  if (isempty (r.devices) && isempty (needs))
    why = "it needs a GPU";
    details = [": " r.why_no_gpu];
  elseif (! isempty (r.devices) && ! isempty (needs))
    why = too_new (min (needs), r);
  endif

endfunction

function why = too_new (capability, r)

  why = "";
  if (! isempty (r.devices) && capability > max ([r.devices.capability]))
    why = sprintf ("it needs compute capability %.1f", capability);
  endif

endfunction

function show (r, cannot_run)
  printf ("gpumm %s (%s)\n", r.version, r.build);
  printf ("backends: %s\n", strjoin (r.backends, ", "));
  if (isempty (r.devices))
    printf ("no GPU: %s\n", r.why_no_gpu);
  endif
  for d = r.devices.'
    printf (["device %d: %s, compute capability %.1f, %.1f of %.1f GB free, " ...
             "driver for CUDA %s, runtime %s\n"], d.index, d.name, d.capability, ...
            1e-9 * d.memory_free, 1e-9 * d.memory_total, d.driver, d.runtime);
  endfor
  printf ("algorithms:\n");
  for i = 1:numel (r.algorithms)
    print_row (sprintf ("%-15s %s", r.algorithms{i}, r.summaries{i}), cannot_run{i});
  endfor
  place = "";
  if (isempty (r.devices))
    place = ", on the CPU for study";
  endif
  if (! isempty (r.kernels))
    printf ("kernels%s:\n", place);
    printf ("    %-22s %-5s %-14s %s\n", "name", "types", "tile m x n x k", "a thread");
    for k = r.kernels.'
      tile = thread = "-"; # strassen's tiles are its base kernel's
      if (k.tile_m * k.tile_n > 1)
        tile = sprintf ("%dx%dx%d", k.tile_m, k.tile_n, k.tile_k);
        thread = sprintf ("%dx%d", k.thread_m, k.thread_n);
      endif
      print_row (sprintf ("%-22s %-5s %-14s %s", k.name, k.types, tile, thread), ...
                 too_new (k.capability, r));
    endfor
  endif
  if (! isempty (r.sparse_kernels))
    printf ("kernels of sparse products%s:\n", place);
    for k = r.sparse_kernels.'
      print_row (sprintf ("%-22s %s", k.name, k.algorithm), too_new (k.capability, r));
    endfor
  endif
  printf ("x: cannot run here\n");
endfunction

## Rows that cannot run here begin with an x and end with the reason.
function print_row (text, why)
  mark = " ";
  if (! isempty (why))
    mark = "x";
    text = sprintf ("%s (%s)", text, why);
  endif
  printf ("  %s %s\n", mark, text);
endfunction

%!test
%! info = gpumm_info ();
%! assert (ischar (info.version) && ischar (info.build));
%! assert (any (strcmp (info.backends, "cpu")));
%! assert (any (strcmp (info.backends, "gpu")), gpumm_available ("gpu"));
%! assert (iscellstr (info.algorithms) && ! isempty (info.algorithms));
%! assert (numel (info.summaries), numel (info.algorithms));
%! assert (iscellstr (info.cannot_run) && numel (info.cannot_run) == numel (info.algorithms));
%! assert (info.cannot_run(ismember (info.algorithms, {"blas", "loops", "tiled"})), {"", "", ""});
%! assert (numel (info.devices) > 0, gpumm_available ("gpu"));
%!test
%! text = evalc ("gpumm_info ()");
%! assert (! isempty (strfind (text, "algorithms:")));
%!testif ; ! gpumm_available ("gpu")
%! info = gpumm_info ();
%! for name = {"cublas", "emulated"}
%!   why = info.cannot_run{strcmp(info.algorithms, name{1})};
%!   assert (why, ["it needs a GPU: " info.why_no_gpu]);
%!   try
%!     gpumm (1, 1, "Algorithm", name{1});
%!     error ("no error");
%!   catch err
%!     assert (err.identifier, "gpumm:unsupported");
%!   end_try_catch
%! endfor
%! text = evalc ("gpumm_info ()");
%! assert (! isempty (regexp (text, '\n  x cublas [^\n]*\(it needs a GPU\)\n')));
%! assert (! isempty (regexp (text, '\n    tiled  ')));
