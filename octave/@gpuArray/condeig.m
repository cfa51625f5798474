## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## condeig (...): an error that says gather. Octave's own catches errors and returns another result.

function varargout = condeig (varargin)

  [varargout{1:max (1, nargout)}] = of_numbers ("condeig", varargin);

endfunction
