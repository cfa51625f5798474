## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## print_trace (t): prints the trace of gpumm_kernel as a table of about ten lines.

function print_trace (t)

  on = t.device;
  if (strcmp (t.backend, "cpu"))
    on = {"the CPU, for study", "the CPU"}{1 + strcmp(t.kernel, "loops")};
  endif
  printf ("%s on %s: C is %d x %d, k = %d, %s\n", t.kernel, on, t.m, t.n, t.k, t.precision);
  printf ("  time          %s ms, %s GFLOPS\n", __three_digits__ (1e3 * t.seconds),
          __three_digits__ (1e-9 * t.flops.needed / t.seconds));
  shared = "";
  if (t.shared_bytes > 0)
    shared = sprintf (", %d bytes of shared memory each", t.shared_bytes);
  endif
  if (! isnan (t.grid(1)))
    printf ("  grid          %d x %d blocks, %d x %d threads%s\n", t.grid, t.threads, shared);
    printf (["  tile          a block computes %d x %d elements of C in steps of %d along k, " ...
             "a thread %d x %d\n"], t.tile, t.thread);
    shared = "";
  endif
  if (t.launches > 1 || ! isempty (shared))
    printf ("  launches      %d, of %d blocks in all%s\n", t.launches, t.blocks, shared);
  endif
  if (! isnan (t.occupancy))
    printf ("  occupancy     %.0f %% of a multiprocessor's threads; %d registers a thread\n",
            100 * t.occupancy, t.registers);
  endif
  if (isnan (t.flops.done))
    printf ("  operations    %d needed; what the kernel did is not counted\n", t.flops.needed);
    return;
  endif
  printf (["  operations    %d needed, %d done, %s for each byte of global memory; " ...
           "%d barriers\n"], t.flops.needed, t.flops.done, __three_digits__ (t.intensity), ...
          t.barriers);
  print_accesses (t);

endfunction

function print_accesses (t)

  printf ("  %-14s%12s%12s%12s\n", "global memory", "elements", "requests", "sectors");
  for way = {"load", "store"}
    names = {"A", "B", "C", "temporaries"};
    names = names(cellfun (@(name) t.(way{1}).(name).elements > 0, names));
    if (numel (names) > 1) # else the total says the same again
      names{end+1} = "total";
    endif
    for what = names
      x = t.(way{1}).(what{1});
      printf ("  %-14s%12d%12d%12d\n", [way{1} " " what{1}], x.elements, x.requests, x.sectors);
    endfor
  endfor
  if (t.shared.load.elements + t.shared.store.elements > 0)
    printf ("  %-14s%12s%12s%12s%12s\n", "shared memory", "elements", "requests", "passes",
            "conflicts");
    for way = {"load", "store"}
      x = t.shared.(way{1});
      printf ("  %-14s%12d%12d%12d%12d\n", way{1}, x.elements, x.requests, x.passes, x.conflicts);
    endfor
  endif

endfunction
