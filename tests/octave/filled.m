## S = filled (P, B): numbers in blocks of B where P is true, as patterns needs them.
## SPDX-License-Identifier: BSD-3-Clause

function S = filled (P, b)

  A = kron (double (P), ones (b));
  S = blocksparse (A .* (reshape (mod ((1:numel (A)) * 7, 5) - 2, size (A)) + (A != 0) * 0.5), b);

endfunction
