## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## elementwise (A, B, NAME): the operator A NAME B, or -A.  A or B or both are blocksparse.
##
## Two matrices with the same block size, or a matrix and a number, give a blocksparse if zeros stay
## zero.  All other operations use full matrices.

function C = elementwise (A, B, name)

  C = [];
  if (isa (A, "blocksparse") && isa (B, "blocksparse"))
    if (isequal (blocksize (A), blocksize (B)) && isequal (size (A), size (B)) ...
        && any (strcmp (name, {"plus", "minus", "times"})))
      C = merged (struct (A), struct (B), name);
    endif
  elseif (strcmp (name, "uminus"))
    s = struct (A);
    s.values = -s.values;
    C = blocksparse (s);
  elseif (is_factor (A) && isa (B, "blocksparse") && any (strcmp (name, {"times", "ldivide"})))
    C = scaled (struct (B), @(x) feval (name, A, x), name, A);
  elseif (isa (A, "blocksparse") && is_factor (B) ...
          && any (strcmp (name, {"times", "rdivide", "power"})))
    C = scaled (struct (A), @(x) feval (name, x, B), name, B);
  endif
  if (! isa (C, "blocksparse"))
    C = by_full (name, A, B);
  endif

endfunction

function yes = is_factor (x)
  yes = (isnumeric (x) || islogical (x) || ischar (x)) && numel (x) == 1 && isfinite (x) ...
        && ! issparse (x) && ! isa (x, "blocksparse");
endfunction

function C = scaled (s, f, name, factor)
  C = [];
  values = f (s.values);
  if (strcmp (name, "power"))
    stays = isreal (factor) && factor > 0;
  else
    stays = strcmp (name, "times") || factor != 0;
  endif
  if (stays)
    s.values = values;
    C = blocksparse (s);
  endif
endfunction

## The result has blocks where S or T has one, because NaN * 0 is NaN.  A product of finite elements
## needs only the places where both have a block.
function C = merged (s, t, name)
  p = places (s);
  q = places (t);
  if (strcmp (name, "times") && all (isfinite (s.values(:))) && all (isfinite (t.values(:))))
    at = intersect (p, q);
  else
    at = union (p, q);
  endif
  at = at(:);
  C = from_places (s, at, feval (name, spread (s, p, at), spread (t, q, at)));
endfunction

## The blocks of s, which are at p, at the places `at`.
function values = spread (s, p, at)
  given = reshape (s.values, s.block_rows * s.block_cols, []);
  if (isequal (p(:), at)) # often: then nothing is copied
    values = given;
    return;
  endif
  values = zeros (rows (given), numel (at), class (given));
  [there, from] = ismember (at, p);
  values(:,there) = given(:,from(there));
endfunction
