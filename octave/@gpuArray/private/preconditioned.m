## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## Octave's solver NAME (A, B, TOL, MAXIT, M1, M2, ...).  Octave takes any error of M1 and M2 for a
## singular matrix and returns zeros, so both are tried before.

function varargout = preconditioned (name, args)

  forms = {{}}; # what M1 and M2 get after the vector
  if (strcmp (name, "bicg"))
    forms = {{"notransp"}, {"transp"}};
  endif
  for i = 5:min (6, numel (args))
    M = args{i};
    is_function = is_function_handle (M) || ischar (M);
    if (is_function || (strcmp (class (M), "gpuArray") && ! isempty (M)))
      b = gpuArray (args{2})(:,1);
      for form = forms
        try
          if (is_function)
            feval (M, b, form{1}{:}, args{8:end});
          else
            M \ b;
          endif
        catch err
          if (strncmp (err.identifier, "gpumm:", 6))
            rethrow (err);
          endif
        end_try_catch
      endfor
    endif
  endfor
  [varargout{1:max (1, nargout)}] = builtin (name, args{:});

endfunction
