## faults = fail_each (WHAT, IDENTIFIERS, F, R): calls F () while the n-th allocation ("memory") or
## call of a device ("device") fails, for every n. Each call must raise an error with one of
## IDENTIFIERS or return R, to 1e-3; nothing may leak, and the next call must be right. How many
## calls failed.
## SPDX-License-Identifier: BSD-3-Clause

function faults = fail_each (what, identifiers, f, R)

  R = full (R);
  is_right = @(C) size_equal (C, R) && strcmp (class (C), class (R)) ...
                  && all ((abs (double (full (C)) - double (R)) <= 1e-3)(:));
  gpumm_reset ();
  check (is_right (f ()), f, "a wrong result"); # what is opened and kept at first use is no leak
  gpumm_reset ();
  alive = __gpumm_fault__ ("live");
  faults = 0;
  for n = 1:10000
    err = [];
    __gpumm_fault__ (what, n);
    try
      C = f ();
    catch err
    end_try_catch
    calls = __gpumm_fault__ (what, 0);
    if (isempty (err))
      check (is_right (C), f, "a wrong result");
    else
      says_who = any (regexp (err.message, '^[a-z_]+: .{9}'));
      check (any (strcmp (err.identifier, identifiers)) && says_who, f, ...
             [err.identifier, ": ", err.message]);
      faults++;
    endif
    C = []; # which may hold memory of the device
    gpumm_reset ();
    check (__gpumm_fault__ ("live") == alive, f, "memory is missing");
    check (is_right (f ()), f, "a wrong result after a fault"); # the session is usable at once
    gpumm_reset ();
    check (__gpumm_fault__ ("live") == alive, f, "memory is missing after a right result");
    if (calls < n)
      return;
    endif
  endfor
  error ("%s: no end of faults", func2str (f));

endfunction

## some thousand times: assert takes longer than the product
function check (yes, f, text)
  if (! yes)
    error ("%s: %s", func2str (f), text);
  endif
endfunction
