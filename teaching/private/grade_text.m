## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## text = grade_text (x)
##
## The value x as a word for grade_value: class, size and bytes.  Other values than numbers,
## logicals and characters become {1} or {}, which is never an answer, and an array of more than
## 10000 elements is cut, because no answer is that long.

function text = grade_text (x)

  if (isa (x, "gpuArray"))
    x = gather (x);
  endif
  if (! (isnumeric (x) || islogical (x) || ischar (x)))
    text = {"other", "empty"}{1 + isempty (x)}; # {} is not answered yet
    return;
  endif
  if (numel (x) > 1e4)
    x = x(1:1e4);
  endif
  x = full (x)(:,:);
  parts = {x};
  if (iscomplex (x))
    parts = {real(x), imag(x)};
  endif
  text = sprintf ("%s:%dx%d", class (x), size (x));
  for part = parts
    part = part{1}(:);
    if (islogical (part) || ischar (part))
      part = uint8 (part);
    endif
    text = [text, ":", sprintf("%02x", typecast (part, "uint8"))];
  endfor

endfunction
