## empty_call.m - a function that does nothing but call a MEX file that does nothing: what any
## function written as gpumm.m is must cost.
## SPDX-License-Identifier: BSD-3-Clause

function empty_call (A, B)

  empty_mex (A, B);

endfunction
