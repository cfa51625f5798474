## GONE = with_variable (NAME, VALUE): a variable of the environment, until the variable GONE ends.
## SPDX-License-Identifier: BSD-3-Clause

function gone = with_variable (name, value)

  setenv (name, value);
  gone = onCleanup (@() unsetenv (name));

endfunction
