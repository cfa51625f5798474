## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## trace.name, as for a struct.

function varargout = subsref (trace, index)

  if (numel (trace) != 1)
    error ("gpumm:unsupported", ["gpumm_kernel: an array of traces has no fields; " ...
                                 "struct (traces) is an array of structs"]);
  endif
  [varargout{1:max (1, nargout)}] = subsref (trace.fields, index);

endfunction
