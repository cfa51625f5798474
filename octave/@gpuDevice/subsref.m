## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## D.NAME

function value = subsref (D, index)

  if (! strcmp (index(1).type, ".") || numel (D) != 1)
    error ("gpumm:unsupported", "gpuDevice: a device has fields only, for example D.Name");
  endif
  s = fields_of (D);
  name = index(1).subs;
  if (! isfield (s, name))
    error ("gpumm:bad-value", "gpuDevice: there is no field %s; there are %s", name, ...
           strjoin (fieldnames (s).', ", "));
  endif
  value = s.(name);
  if (numel (index) > 1)
    value = subsref (value, index(2:end));
  endif

endfunction
