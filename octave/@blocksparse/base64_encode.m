## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## base64_encode (...): computed from the full matrix.

function varargout = base64_encode (varargin)

  [varargout{1:nargout}] = by_full ("base64_encode", varargin{:});

endfunction
