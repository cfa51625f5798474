## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## disp (trace): the trace as a table of about ten lines.
## text = disp (trace)

function text = disp (trace)

  words = table (struct (trace));
  if (nargout > 0)
    text = words;
  else
    printf ("%s", words);
  endif

endfunction

function text = table (t)

  on = t.device;
  if (strcmp (t.backend, "cpu"))
    on = "the CPU, for study";
    if (strcmp (t.kernel, "loops"))
      on = "the CPU";
    endif
  endif
  lines = {sprintf("%s on %s: C is %d x %d, k = %d, %s", t.kernel, on, t.m, t.n, t.k, t.precision)};
  lines{end+1} = sprintf ("  time          %.3g ms, %.3g GFLOPS", 1e3 * t.seconds, ...
                          1e-9 * t.flops.needed / t.seconds);
  shared = "";
  if (t.shared_bytes > 0)
    shared = sprintf (", %d bytes of shared memory each", t.shared_bytes);
  endif
  if (! isnan (t.grid(1)))
    lines{end+1} = sprintf ("  grid          %d x %d blocks, %d x %d threads%s", t.grid, ...
                            t.threads, shared);
    lines{end+1} = sprintf (["  tile          a block computes %d x %d elements of C in steps of " ...
                             "%d along k, a thread %d x %d"], t.tile, t.thread);
    shared = "";
  endif
  if (t.launches > 1 || ! isempty (shared))
    lines{end+1} = sprintf ("  launches      %d, of %d blocks in all%s", t.launches, t.blocks, ...
                            shared);
  endif
  if (! isnan (t.occupancy))
    lines{end+1} = sprintf (["  occupancy     %.0f %% of a multiprocessor's threads; %d registers " ...
                             "a thread"], 100 * t.occupancy, t.registers);
  endif
  if (isnan (t.flops.done))
    lines{end+1} = sprintf ("  operations    %d needed; what the kernel did is not counted", ...
                            t.flops.needed);
    text = sprintf ("%s\n", lines{:});
    return;
  endif
  lines{end+1} = sprintf (["  operations    %d needed, %d done, %.3g for each byte of global " ...
                           "memory; %d barriers"], t.flops.needed, t.flops.done, t.intensity, ...
                          t.barriers);
  lines{end+1} = sprintf ("  %-14s%12s%12s%12s", "global memory", "elements", "requests", "sectors");
  for way = {"load", "store"}
    names = {"A", "B", "C", "temporaries"};
    names = names(cellfun (@(name) t.(way{1}).(name).elements > 0, names));
    if (numel (names) > 1) # else the total says the same again
      names{end+1} = "total";
    endif
    for what = names
      x = t.(way{1}).(what{1});
      lines{end+1} = sprintf ("  %-14s%12d%12d%12d", [way{1} " " what{1}], x.elements, ...
                                x.requests, x.sectors);
    endfor
  endfor
  if (t.shared.load.elements + t.shared.store.elements > 0)
    lines{end+1} = sprintf ("  %-14s%12s%12s%12s%12s", "shared memory", "elements", "requests", ...
                            "passes", "conflicts");
    for way = {"load", "store"}
      x = t.shared.(way{1});
      lines{end+1} = sprintf ("  %-14s%12d%12d%12d%12d", way{1}, x.elements, x.requests, ...
                              x.passes, x.conflicts);
    endfor
  endif
  text = sprintf ("%s\n", lines{:});

endfunction
