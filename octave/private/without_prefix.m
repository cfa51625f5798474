## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## -*- texinfo -*-
## @deftypefn {} {@var{s} =} without_prefix (@var{err})
## What error () takes to raise @var{err}, an error that a gateway raised, as one of gpumm's own: without the gateway's name, which Octave puts before the message of an error in a MEX file.
## @end deftypefn

function s = without_prefix (err)

  s = struct ("message", regexprep (err.message, '^__gpumm_\w+__: ', ""), ...
              "identifier", err.identifier);

endfunction
