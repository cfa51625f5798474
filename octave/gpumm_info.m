## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## -*- texinfo -*-
## @deftypefn  {} {} gpumm_info ()
## @deftypefnx {} {@var{info} =} gpumm_info ()
## Tell what @code{gpumm} was built with and what it finds on this machine.
##
## Without an output argument it is printed; @var{info} is a struct with the fields
##
## @table @code
## @item version, build
## Of gpumm, and what it was built with.
## @item backends
## A cell array: @qcode{"cpu"}, and @qcode{"gpu"} where one can be used.
## @item why_no_gpu
## Why there is no @qcode{"gpu"}, in a sentence; empty where there is one.
## @item devices
## A struct array of the GPUs: @code{index}, @code{name}, @code{capability} (compute capability),
## @code{multiprocessors}, @code{memory_total} and @code{memory_free} (bytes), @code{driver} and
## @code{runtime} (the CUDA version of each).
## @item algorithms, summaries
## Cell arrays: the names that the option @qcode{"Algorithm"} takes, and a line about each.
## @item kernels
## A struct array of the kernels for the GPU: @code{algorithm}, @code{name}, @code{types} (as BLAS
## names them: s, d, c, z), @code{tile_m}, @code{tile_n} and @code{tile_k} (the part of the product
## that a block of threads makes, and its step along k), @code{thread_m} and @code{thread_n} (the
## part that a thread makes), @code{capability} (the lowest that it needs), @code{automatic}
## (whether @qcode{"auto"} may take it, which it may not where its error bound is wider than that of
## plain arithmetic).
## @item sparse_kernels
## Alike, of kernels with sparse operands, plain or by blocks: @code{algorithm}, @code{name} and
## @code{capability}.
## @item tuned
## A struct array of the tables that @code{gpumm_tune} may have stored: @code{index} and
## @code{device} (of each GPU and, last, with the index -1, of the kernels on the CPU), @code{file},
## @code{lines} (how many of the file's are in use), @code{ignored} (how many are not, as they are
## damaged or of kernels that do not run here), @code{why} (why none is, in a sentence), and
## @code{header}, with which the file must begin.
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
              "kernels", s.kernels, "sparse_kernels", s.sparse_kernels, "tuned", s.tuned);
  if (s.gpus > 0)
    r.backends{end+1} = "gpu";
  endif

  if (nargout > 0)
    info = r;
  else
    show (r);
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
    printf ("  %-10s %s\n", r.algorithms{i}, r.summaries{i});
  endfor
  if (! isempty (r.kernels))
    printf ("kernels:\n  %-28s %-5s %-14s %-8s %s\n", "name", "types", "tile m x n x k", ...
            "a thread", "needs");
    for k = r.kernels.'
      printf ("  %-28s %-5s %-14s %-8s %.1f\n", k.name, k.types, ...
              sprintf ("%dx%dx%d", k.tile_m, k.tile_n, k.tile_k), ...
              sprintf ("%dx%d", k.thread_m, k.thread_n), k.capability);
    endfor
  endif
  if (! isempty (r.sparse_kernels))
    printf ("kernels of sparse products:\n");
    for k = r.sparse_kernels.'
      printf ("  %-28s %-29s %.1f\n", k.name, k.algorithm, k.capability);
    endfor
  endif
endfunction

%!test
%! info = gpumm_info ();
%! assert (ischar (info.version) && ischar (info.build));
%! assert (any (strcmp (info.backends, "cpu")));
%! assert (any (strcmp (info.backends, "gpu")), gpumm_available ("gpu"));
%! assert (iscellstr (info.algorithms) && ! isempty (info.algorithms));
%! assert (numel (info.summaries), numel (info.algorithms));
%! assert (numel (info.devices) > 0, gpumm_available ("gpu"));
%! assert (islogical ([info.kernels.automatic]));
%! assert ([info.tuned.index], [0:numel(info.devices)-1, -1]);
%!test
%! text = evalc ("gpumm_info ()");
%! assert (! isempty (strfind (text, "algorithms:")));
