## text = wrong_advice (SAID, LIST, NAME, EXPECTED): a refusal SAID tells the user what to write:
## what is wrong with that code, or "".
##
## In the code X is the first gpuArray of LIST, and Y the argument that follows it.  Where the code
## calls NAME, X, Y, Z, X4, ... are the arguments, and the value is that in the cell EXPECTED, if it
## has one, full or sparse.
## SPDX-License-Identifier: BSD-3-Clause

function text = wrong_advice (said, list, name = "?", expected = {})

  text = "";
  advice = regexp (said, '(?:[Ww]rite|Use) (.*)$', "tokens", "once");
  if (isempty (advice))
    text = ["no advice: " said];
    return;
  endif
  [I, J, P, Z, ALPHA, BETA, C] = deal (1, 1, 2, 3, 3, 4, 5);
  is_there = cellfun (@(x) strcmp (class (x), "gpuArray"), list);
  X = S = A = list{find (is_there, 1)};
  Y = B = list{end};
  calls = @(code) ! isempty (strfind (code, [name " ("]));
  if (calls (advice{1}))
    [X, Y, Z, X4, X5, X6, X7, X8, X9] = [list, cell(1, 9)]{1:9};
  elseif (! any (strcmp (name, {"?", "angle", "gammaln", "inverse"})) # Octave has two names
          && ! strncmp (said, "gpuArray: ", 10) && ! strncmpi (said, [name ":"], numel (name) + 1))
    text = ["names another function: " said];
    return;
  endif
  for code = regexp (strtrim (advice{1}), ',? or (?:use )?|, (?=\w+ \(X\))', "split")
    try
      value = [];
      eval (["value = " code{1} ";"]);
      if (! isempty (expected) && calls (code{1}))
        wanted = values (expected{1});
        tol = 0;
        if (isfloat (wanted))
          tol = 1e5 * eps (class (wanted)) * (1 + abs (wanted)); # a GPU rounds otherwise
        endif
        if (! isempty (difference (values (value), wanted, tol)))
          text = "another value";
        endif
      endif
    catch err
      text = err.message;
    end_try_catch
    if (! isempty (text))
      text = sprintf ("%s: its advice %s: %s", strtrim (said), code{1}, text);
      return;
    endif
  endfor

endfunction

function x = values (x)

  if (isnumeric (x) || islogical (x))
    x = full (gather (x));
  endif

endfunction
