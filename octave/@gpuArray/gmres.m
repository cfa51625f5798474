## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## gmres (...): an error that says gather. Octave's own catches errors and returns another result.

function varargout = gmres (varargin)

  [varargout{1:max (1, nargout)}] = of_numbers ("gmres", varargin);

endfunction
