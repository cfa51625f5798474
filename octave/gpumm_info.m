## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## -*- texinfo -*-
## @deftypefn  {} {} gpumm_info ()
## @deftypefnx {} {@var{info} =} gpumm_info ()
## Tell what @code{gpumm} was built with and what it finds on this machine.
##
## Without an output argument the answer is printed: an @samp{x} marks each algorithm and kernel
## that cannot run here, and the line says why.  @var{info} is a struct with the fields
##
## @table @code
## @item version, build
## Of gpumm, and what it was built with.
## @item backends
## A cell array: @qcode{"cpu"}, and @qcode{"gpu"} where one can be used.
## @item why_no_gpu
## Why there is no @qcode{"gpu"}; empty if there is one.
## @item devices
## A struct array of the GPUs: @code{index}, @code{name}, @code{capability} (compute capability),
## @code{multiprocessors}, @code{memory_total} and @code{memory_free} (bytes), @code{driver} and
## @code{runtime} (the CUDA version of each).
## @item algorithms, summaries
## Cell arrays: the names that the option @qcode{"Algorithm"} takes, and a line about each.
## @item cannot_run
## A cell array: for each algorithm why it cannot run on this machine; empty if it can.
## @item kernels
## A struct array of the kernels of full matrices: @code{algorithm}, @code{name}, @code{types} (as BLAS
## names them: s, d, c, z), @code{tile_m}, @code{tile_n} and @code{tile_k} (the part of the product
## that a block of threads makes, and its step along k), @code{thread_m} and @code{thread_n} (the
## part that a thread makes), @code{capability} (the lowest compute capability that it needs),
## @code{automatic} (may @qcode{"auto"} take it?  Not if its error bound is wider than that of plain
## arithmetic).  Without a GPU these are the kernels that run on the CPU, for study.
## @item sparse_kernels
## A struct array of the kernels with sparse operands, plain or by blocks: @code{algorithm},
## @code{name} and @code{capability}.
## @item tuned
## A struct array of the tables that @code{gpumm_tune} may have stored: @code{index} and
## @code{device} (each GPU and last, with index -1, the kernels on the CPU), @code{file},
## @code{lines} (the number of lines in use), @code{ignored} (the number of lines that are damaged
## or name kernels that do not run here), @code{why} (why no line is in use), and @code{header}, the
## first lines that the file must have.
## @end table
##
## @example
## @group
## any (strcmp ("blas", gpumm_info ().algorithms))
##   @result{} ans = 1
## @end group
## @end example
## @seealso{gpumm, gpumm_available, gpumm_tune}
## @end deftypefn

function info = gpumm_info ()

  s = __gpumm_info__ ();
  r = struct ("version", s.version, "build", s.build, "backends", {{"cpu"}}, ...
              "why_no_gpu", s.why, "devices", s.devices, ...
              "algorithms", {{s.algorithms.name}}, "summaries", {{s.algorithms.summary}}, ...
              "cannot_run", {cell(1, numel (s.algorithms))}, ...
              "kernels", s.kernels, "sparse_kernels", s.sparse_kernels, "tuned", s.tuned);
  if (s.gpus > 0)
    r.backends{end+1} = "gpu";
  endif
  for i = 1:numel (s.algorithms)
    r.cannot_run{i} = "";
    if (s.algorithms(i).on_device)
      r.cannot_run{i} = why_not (s.algorithms(i).name, r);
    endif
  endfor

  if (nargout > 0)
    info = r;
  else
    show (r);
  endif

endfunction

## Why no kernel of the algorithm runs here.  Without a GPU the tables list those of the CPU.
function why = why_not (algorithm, r)

  why = "";
  needs = [r.kernels(strcmp ({r.kernels.algorithm}, algorithm)).capability, ...
           r.sparse_kernels(strcmp ({r.sparse_kernels.algorithm}, algorithm)).capability];
  if (isempty (r.devices) && isempty (needs))
    why = ["it needs a GPU: " r.why_no_gpu];
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

function show (r)
  printf ("gpumm %s (%s)\n", r.version, r.build);
  printf ("backends: %s\n", strjoin (r.backends, ", "));
  if (isempty (r.devices))
    printf ("no GPU: %s\n", r.why_no_gpu);
  endif
  for d = r.devices.'
    printf (["device %d: %s, compute capability %.1f, %.1f of %.1f GB free, driver for CUDA %s, " ...
             "runtime %s\n"], d.index, d.name, d.capability, 1e-9 * d.memory_free, ...
            1e-9 * d.memory_total, d.driver, d.runtime);
  endfor
  for t = r.tuned.'
    if (t.index >= 0 || t.lines > 0)
      name = {sprintf("device %d", t.index), "kernels on the CPU"}{1 + (t.index < 0)};
      if (isempty (t.why))
        printf ("%s: tuned by %d lines of %s (%d ignored)\n", name, t.lines, t.file, t.ignored);
      else
        printf ("%s: no tuned table in use: %s\n", name, t.why);
      endif
    endif
  endfor
  printf ("algorithms:\n");
  for i = 1:numel (r.algorithms)
    print_row (sprintf ("%-15s %s", r.algorithms{i}, r.summaries{i}), r.cannot_run{i});
  endfor
  place = "";
  if (isempty (r.devices))
    place = ", on the CPU for study";
  endif
  if (! isempty (r.kernels))
    printf ("kernels%s:\n", place);
    printf ("    %-22s %-5s %-14s %s\n", "name", "types", "tile m x n x k", "a thread");
    for k = r.kernels.'
      tile = thread = "-"; # strassen has those of the kernel below it
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

## What cannot run here has an x before it and the reason behind it; why there is no GPU is said above.
function print_row (text, why)
  mark = " ";
  if (! isempty (why))
    mark = "x";
    if (strncmp (why, "it needs a GPU", 14))
      why = "it needs a GPU";
    endif
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
%! assert (islogical ([info.kernels.automatic]));
%! assert ([info.tuned.index], [0:numel(info.devices)-1, -1]);
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
