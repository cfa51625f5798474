## measure.m - times products; most of the Octave benchmarks use it.
##
## seconds = measure (product, repeats): calls product `repeats` times.  A time covers the call and
## the assignment of its result, which is cleared before the next call.
## SPDX-License-Identifier: BSD-3-Clause

function seconds = measure (product, repeats)

  seconds = zeros (1, repeats);
  for i = 1:repeats
    begun = tic ();
    C = product ();
    seconds(i) = toc (begun);
    clear C
  endfor

endfunction
