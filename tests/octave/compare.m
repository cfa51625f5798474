## text = compare (F, OPERANDS, TOL, NAME, VALUE, ...): calls F with OPERANDS, a cell array of
## values of the host, and with the same values as gpuArrays. "" if both calls give the same value,
## class, size, format and complexness, or errors with the same identifier; else what differs, in
## words.
##
## TOL is the largest error of an element, or a function of the host's result that says it; 0 means
## equal.  The names are:
##
##   "there"    each row says which operands are on the device; all of them
##   "outputs"  how many results are compared; 1
##   "refuses"  may the device refuse what the host computes, with an error that says gather? false;
##              or a function of OPERANDS that says it
##   "oracle"   what is called on the host in the place of F
##   "ids"      have both errors the same identifier? true
## SPDX-License-Identifier: BSD-3-Clause

function text = compare (f, operands, tol = 0, varargin)

  how = struct ("there", true (1, numel (operands)), "outputs", 1, "refuses", false, ...
                "oracle", f, "ids", true);
  for i = 1:2:numel (varargin)
    how.(varargin{i}) = varargin{i+1};
  endfor
  if (is_function_handle (how.refuses))
    how.refuses = how.refuses (operands);
  endif
  text = "";
  [wanted, err] = results (how.oracle, operands, how.outputs);
  for there = how.there.'
    given = operands;
    for i = find (there.')
      if (isnumeric (given{i}) || islogical (given{i}))
        given{i} = __gpuarray__ (given{i});
      endif
    endfor
    [given, said] = results (f, given, how.outputs);
    if (! isempty (said) || ! isempty (err))
      text = wrong_error (said, err, how.refuses, how.ids);
    else
      for i = 1:how.outputs
        limit = tol;
        if (is_function_handle (tol))
          limit = tol (wanted{i});
        endif
        text = [text, difference(given{i}, wanted{i}, limit)];
      endfor
    endif
    if (! isempty (text))
      text = sprintf ("%s of %s, on the device %s: %s", func2str (f), ...
                      strjoin (cellfun (@shown, operands, "UniformOutput", false), " and "), ...
                      mat2str (there.'), text);
      return;
    endif
  endfor

endfunction

function [values, err] = results (f, operands, n)

  values = cell (1, n);
  err = [];
  try
    [values{:}] = f (operands{:});
  catch err
  end_try_catch

endfunction

## What is wrong with the device's error SAID, where the host has ERR.  Octave lacks assignments of
## some classes to scalars.
function text = wrong_error (said, err, may_refuse, has_ids)

  text = "";
  is_refusal = ! isempty (said) && strcmp (said.identifier, "gpumm:gpuArray:gather");
  if (isempty (said))
    if (isempty (regexp (err.message, "assignment of .* to indexed .* scalar", "once")))
      text = ["no error: " err.message];
    endif
  elseif (is_refusal && isempty (regexp (said.message, 'gather|full \(', "once")))
    text = ["the error does not say what to write: " said.message];
  elseif (isempty (err))
    if (! (may_refuse && is_refusal))
      text = ["error: " said.message];
    endif
  elseif (has_ids && ! is_refusal && ! isempty (err.identifier)
          && ! strcmp (said.identifier, err.identifier))
    text = sprintf ("error %s and not %s: %s", said.identifier, err.identifier, said.message);
  endif

endfunction
