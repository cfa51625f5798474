## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## NAME (...) with gathered arguments.  The results are gpuArrays.  For empty arrays, whose many
## rules Octave knows, and which move no data, and for rules that differ between versions of Octave.

function varargout = by_host (name, varargin)

  varargin = on_host (varargin);
  [varargout{1:max (1, nargout)}] = feval (name, varargin{:});
  for i = 1:numel (varargout)
    varargout{i} = __gpuarray__ (varargout{i});
  endfor

endfunction
