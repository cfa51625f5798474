## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## O = parse_options (LIST): the options of gpumm, checked, as a struct.
##
## LIST is the cell array of names and values; {} gives the defaults.  The fields are what
## __gpumm_multiply__ reads; alpha and beta keep the user's class, and is_scaled says whether Alpha,
## Beta or C was given.  The names and their checks are in mex/options.c.

function o = parse_options (list)

  o = __gpumm_options__ (list{:});
  has_c = o.c > 0;
  o.is_scaled = o.alpha || o.beta || has_c;
  o.alpha = given (list, o.alpha, 1);
  o.beta = given (list, o.beta, double (has_c));
  if (has_c)
    o.c = list{o.c};
  else
    o.c = [];
    if (o.beta != 0)
      error ("gpumm:bad-value", "gpumm: Beta is not 0 and there is no C to multiply with it");
    endif
  endif

endfunction

## Value I of the list, or the default X where I is 0.
function x = given (list, i, x)
  if (i > 0)
    x = gather (list{i});
    if (isreal (x) || issparse (x))
      x = full (x); # it would make complex (2, 0) real, which counts beside Inf
    endif
  endif
endfunction
