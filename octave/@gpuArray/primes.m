## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## primes (...) of numbers; else an error that says gather. Octave's own says less.

function varargout = primes (varargin)

  [varargout{1:max (1, nargout)}] = of_numbers ("primes", varargin);

endfunction
