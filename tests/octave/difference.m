## text = difference (GIVEN, WANTED, TOL): what is wrong with GIVEN, of a device or not, beside the
## host's WANTED: class, size, format, complexness, stored zeros, blocks, values.  "" if nothing is.
##
## TOL, a number or a matrix, is the largest error of an element; 0 means equal, NaN too. Complex
## numbers with imaginary parts of zero count as real, as Octave narrows them. Of complex numbers of
## a full array that are not finite, a GPU decides which part is NaN and which Inf; Octave 11 says
## otherwise for 1 / 0 of a sparse matrix than of a full one.
## SPDX-License-Identifier: BSD-3-Clause

function text = difference (given, wanted, tol = 0)

  text = "";
  if (strcmp (class (given), "gpuArray"))
    [given, text] = gathered (given);
    ## most results are equal real arrays
    if (isempty (text) && strcmp (class (given), class (wanted)) && isreal (given) && isreal (wanted) ...
        && size_equal (given, wanted) && ! issparse (given) && ! issparse (wanted) ...
        && ! strcmp (class (given), "blocksparse") && all ((given == wanted)(:)))
      return;
    endif
  endif
  if (iscell (wanted) || ischar (wanted) || isstruct (wanted))
    if (! isequal (given, wanted))
      text = "another value";
    endif
    return;
  endif
  is_blocks = strcmp (class (wanted), "blocksparse");
  if (! is_blocks && ! issparse (wanted))
    wanted = full (wanted); # of a diagonal matrix
  endif
  if (iscomplex (given))
    given = narrowed (given);
  endif
  if (iscomplex (wanted))
    wanted = narrowed (wanted);
  endif
  if (! isempty (text))
    return;
  elseif (! strcmp (class (given), class (wanted)))
    text = sprintf ("class %s and not %s", class (given), class (wanted));
  elseif (is_blocks && ! strcmp (underlyingType (given), underlyingType (wanted)))
    text = sprintf ("%s and not %s", underlyingType (given), underlyingType (wanted));
  elseif (issparse (given) != issparse (wanted))
    text = sprintf ("sparse: %d and not %d", issparse (given), issparse (wanted));
  elseif (! size_equal (given, wanted))
    text = sprintf ("size %s and not %s", mat2str (size (given)), mat2str (size (wanted)));
  elseif (iscomplex (given) != iscomplex (wanted) && (iscomplex (given) || ! any (tol(:))))
    text = sprintf ("complex: %d and not %d", iscomplex (given), iscomplex (wanted));
  else
    if (is_blocks)
      text = other_blocks (struct (given), struct (wanted), ! any (tol(:)));
      given = full (given);
      wanted = full (wanted);
    endif
    same = given == wanted | (isnan (given) & isnan (wanted));
    if (! all (same(:)) && any (tol(:)))
      same |= abs (double (given) - double (wanted)) <= tol;
    endif
    if (! all (same(:)) && iscomplex (wanted) && ! issparse (wanted)
        && (gpumm_available ("gpu") || divides_by_sparse_zeros ()))
      same |= ! isfinite (given) & ! isfinite (wanted);
    endif
    if (isempty (text) && ! all (same(:)))
      text = sprintf ("%s and not %s", mat2str (full (given(:).'), 17), ...
                      mat2str (full (wanted(:).'), 17));
    endif
  endif

endfunction

## X of the host, and what is wrong with its parts that are seen on the device alone.
function [x, text] = gathered (G)

  text = "";
  kind = typeinfo (G);
  x = __gpuarray__ ("gather", {G});
  if (strcmp (kind, "gpuArray"))
    if (! strcmp (__gpuarray__ ("type", G), class (x)))
      text = sprintf ("class %s on the device", __gpuarray__ ("type", G));
    endif
  elseif (strcmp (kind, "blocksparse gpuArray"))
    stored = numel (struct (x).column);
    if (nnzb (G) != stored)
      text = sprintf ("nnzb is %d and not %d", nnzb (G), stored);
    endif
  elseif (issparse (x) && ! isscalar (x) && (nnz (G) != nnz (x) || any (nonzeros (x) == 0)))
    text = "stored zeros";
  endif

endfunction

function x = narrowed (x)

  if (! any (imag (full (x))(:)))
    x = real (x);
  endif

endfunction

function text = other_blocks (g, w, is_exact)

  text = "";
  if (g.block_rows != w.block_rows || g.block_cols != w.block_cols)
    text = "other blocks";
  elseif (is_exact && ! (isequal (g.start, w.start) && isequal (g.column, w.column)))
    text = "another pattern";
  endif

endfunction

function yes = divides_by_sparse_zeros ()

  z = complex ([0, 1]);
  yes = ! isequaln (full (1 ./ sparse (z)), 1 ./ z);

endfunction
