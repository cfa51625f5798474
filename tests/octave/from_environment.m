## x = from_environment (NAME, DEFAULT): the number in this variable of the environment.
## SPDX-License-Identifier: BSD-3-Clause

function x = from_environment (name, default_value)

  x = str2double (getenv (name));
  if (isnan (x))
    x = default_value;
  endif

endfunction
