## measure.m - how every benchmark here takes time.
##
## seconds = measure (product, repeats): product is called that many times; each time is that of
## the assignment of its result alone, which is cleared before the next.
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
