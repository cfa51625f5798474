## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## Octave's function NAME, which puts parts of the array ARGS{1} into cells: of a gpuArray they stay
## on its device.  The other arguments are sizes, dimensions or places.

function C = parts_of (name, args)

  X = args{1};
  if (! isgpuarray (X))
    C = by_values (name, args);
    return;
  endif
  if (strcmp (name, "num2cell"))
    X = full (X); # as Octave's
  endif
  places = reshape (1:numel (X), size (X));
  C = by_values (name, {places, args{2:end}});
  C = cellfun (@(part) part_at (X, part), C, "UniformOutput", false);

endfunction

## Each part is a block of X, from its first place to its last.
function Y = part_at (X, places)

  if (isempty (places))
    last = num2cell (size (places));
    first = num2cell (ones (size (last)));
  else
    [first, last] = deal (cell (1, ndims (X)));
    [first{:}] = ind2sub (size (X), places(1));
    [last{:}] = ind2sub (size (X), places(end));
  endif
  index = cellfun (@(a, b) a:b, first, last, "UniformOutput", false);
  Y = X(index{:});

endfunction
