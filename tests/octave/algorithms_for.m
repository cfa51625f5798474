## names = algorithms_for (A, B): the algorithms that multiply A by B on any machine: on the CPU, or on
## the host device.
## SPDX-License-Identifier: BSD-3-Clause

function names = algorithms_for (A, B)

  names = {};
  for name = gpumm_info ().algorithms
    try
      gpumm (A, B, "Algorithm", name{1}, "Backend", "cpu");
      names{end+1} = name{1};
    catch err
      if (! strcmp (err.identifier, "gpumm:unsupported"))
        rethrow (err);
      endif
    end_try_catch
  endfor
  if (numel (names) < 2)
    error ("algorithms_for: only %d algorithms were found", numel (names));
  endif

endfunction
