## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## Octave's function NAME for the values of its arguments: what it draws or writes is of the host.

function varargout = by_values (name, args)

  [args{:}] = gather (args{:}); # others stay as they are
  [varargout{1:nargout}] = feval (name, args{:});

endfunction
