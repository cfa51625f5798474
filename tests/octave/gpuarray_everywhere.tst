## gpuarray_everywhere.tst - a gpuArray goes where a matrix goes: loops, ranges, indices, sizes,
## texts, cells and files. Each statement runs twice, with gpuArrays and with the values of the host.
## SPDX-License-Identifier: BSD-3-Clause

## ---- statements ---------------------------------------------------------------------------------

## What a statement prints, or its error. Warnings are not asked: they name where they come from.
%!function said = run (statement, is_there)
%!  statement_operands (is_there);
%!  try
%!    said = evalc (statement);
%!  catch err
%!    said = err.message;
%!  end_try_catch
%!  said = regexprep (said, 'warning: called from\n(    .*\n)*', "");
%!endfunction

%!test <*74>
%! for statement = {
%!   "1:k", "k:5", "k:-1:1", "0:q", "class (0:q)", "0:q/5:q", "1:n", "class (1:n)", "n:k", "5:k", "b:k", ...
%!   "-k:k", "1:k+1", "(1:k)'", "x(1:k)", "x(k:end)", "M(2:k, k)", "1:[]", "1:(3i)", "'a':100", ...
%!   "for i = 1:k, disp (i); end", "for i = k:5, disp (class (i)); end", "for i = 1:n, disp (i); end", ...
%!   "for i = 0:q, disp (i); end", "for i = 5:k, disp (i); end", "for c = M, disp (c); end", ...
%!   "for c = v, disp (c); end", "for c = k, disp (c); end", "for c = C, disp (size (c)); end", ...
%!   "for c = zeros (0, 3, 'like', M), disp (size (c)); end", "for c = S, disp (full (c)'); end", ...
%!   "j = 0 * k; while (j < k) j += 1; end, j", "j = k; do j--; until (j == 0); j", ...
%!   "if (k > 2) disp (1); else disp (2); end", "if (M) disp (1); end", "if (M > 1) disp (1); end", ...
%!   "switch (k) case 3, disp (1); otherwise disp (2); end", ...
%!   "switch (3) case k, disp (1); otherwise disp (2); end", ...
%!   "switch (k) case {1, 3}, disp (1); otherwise disp (2); end", ...
%!   "switch (3) case {n, k}, disp (1); otherwise disp (2); end", ...
%!   "a(k) = 5", "a{k} = 1; size (a)", "a(2).f = k; a(2).f", "a = 'hello'; a(v)", "a = 1:4; a(k) = []", ...
%!   "a = magic (4); a(k, :)", "a = magic (4); a(v, n)", "a = magic (4); a(end, k)", ...
%!   "a = magic (4); a(v > 1, 1)", "a = {1, 2, 3}; a{k}", "a = {1, 2, 3}; a(v)", "zeros (k, n)", ...
%!   "ones (v)", "cell (n, k)", "cell (v)", "size (cell (k))", "repmat ('ab', 1, k)", "eye (k)", ...
%!   "reshape (1:6, k, n)", "reshape (1:6, [], k)", "resize (magic (4), k, n)", ...
%!   "sum (magic (4), n)", "max (magic (4), [], n)", "size (ones (2, 3, 4), k)", "cat (n, [1, 2], [3, 4])", ...
%!   "circshift (1:5, k)", "speye (k)", "sparse (k, n)", "blanks (k)", "nchoosek (5, k)", "primes (20)(k)", ...
%!   "linspace (0, 1, k)", "colon (1, k)", "bitshift (8, k)", "dec2bin (k)", "hilb (k)", ...
%!   "sprintf ('%d,', v)", "sprintf ('%*d', k, 5)", "fprintf ('%g %s\n', q, 'a')", "printf ('%d\n', v)", ...
%!   "sprintf ('%s %d;', v, 'a', k, 'bc', 4)", "sprintf ('%s', M(1:2) + 60)", "sprintf ('%x %5.2f', n, M)", ...
%!   "num2str (M)", "num2str (q, k)", "mat2str (M)", "mat2str (b)", "int2str (q)", "char (64 + k)", ...
%!   "disp (M)", "disp ({M})", "disp (struct ('f', M))", "a = {k, M}", "a.f = v", "isequal (M, magic (4))", ...
%!   "isequal (magic (4), M)", "isequal (magic (4), M, magic (4))", "isequal ({M}, {magic(4)})", ...
%!   "isequal (struct ('f', M), struct ('f', magic (4)))", "isequal (M, v)", "error ('%d of %d', k, n)", ...
%!   "warning ('off', sprintf ('gpumm:none%d', k))", "cellfun (@(x) x + 1, {k, q})", ...
%!   "cellfun (@numel, {M, v})", "cellfun ('isempty', {M, v})", ...
%!   "cellfun (@(x, y) x * y, {k, q}, {2, k})", "cellfun (@isreal, {M, 1i})", "arrayfun (@(x) x * k, 1:3)", ...
%!   "struct ('a', {{M}}).a{1}", ...
%!   "cell2mat ({M, M; M, M})", "cell2mat ({k, n; n, k})", "struct2cell (struct ('a', k)){1}", ...
%!   "getfield (struct ('a', M), 'a', {k, n})", "setfield (struct ('a', magic (4)), 'a', {k, n}, 1).a", ...
%!   "subsref (magic (4), substruct ('()', {k, v}))", "nthargout (n, @max, [1, 9, 2])", ...
%!   "strjoin (cellfun (@num2str, {k, n}, 'UniformOutput', false))", "func2str (@(x) x(1:k))", ...
%!   "f = @(x) x(1:k); f (5:9)", "merge (k > 2, 'a', 'b')", "polyfit (0:4, [1, 4, 2, 8, 5], n)", "meshgrid (1:k, 1:n)", ...
%!   "ndgrid (v)", "quad (@(t) t * k, 0, 1)", "fzero (@(t) t - k, [0, 5])", "interp1 (1:4, 1:4, q)"}
%!   there = run (statement{1}, true);
%!   here = run (statement{1}, false);
%!   assert (strcmp (strrep (there, "gpuArray", "double"), here), ...
%!           "%s: gpuArray: %s\nhost: %s", statement{1}, there, here);
%! endfor

## Octave 11's cellfun and structfun collect numbers of their own classes only.
%!test <*74>
%! numbers = cellfun (@(x) x(1), {gpuArray([2, 1]), gpuArray([3, 1])}, "UniformOutput", false);
%! assert (cellfun (@isgpuarray, numbers) && isequal (numbers, {2, 3}));
%! if (compare_versions (version (), "11", "<"))
%!   assert (gather (cellfun (@(x) x(1), {gpuArray([2, 1]), gpuArray([3, 1])})), [2, 3]);
%!   assert (gather (structfun (@(x) x(1), struct ("a", gpuArray ([2, 1]), "b", 3))), [2; 3]);
%! endif

## A range is one of the host, and a column in a loop stays there.
%!test <*74>
%! k = gpuArray (3);
%! for i = 1:k
%!   assert (class (i), "double");
%! endfor
%! for c = gpuArray (magic (3))
%!   assert (isgpuarray (c) && isequal (size (c), [3, 1]));
%! endfor
%! assert (class (1:k), "double");
%! assert (! isobject (k));

## ---- cells --------------------------------------------------------------------------------------

%!function [y, said] = tried (f, x)
%!  y = {};
%!  said = "";
%!  try
%!    y = f (x);
%!  catch err
%!    said = err.message;
%!  end_try_catch
%!endfunction
%!function k = kinds (parts)
%!  k = cellfun (@(x) {class(x), size(x), issparse(x)}, parts, "UniformOutput", false);
%!endfunction
%!test <*74>
%! arrays = {magic(4), single(magic (4)), int8(magic (4)), magic(4) > 5, magic(4) + 1i, ...
%!           reshape(1:24, 2, 3, 4), zeros(0, 3), 5, sparse(magic (4)), 1:4, sparse(1:4), ...
%!           sparse(3), zeros(2, 0, 2), (1:4)'};
%! calls = {@(x) num2cell(x), @(x) num2cell(x, 1), @(x) num2cell(x, 2), @(x) num2cell(x, [1, 2]), ...
%!          @(x) num2cell(x, 3), @(x) num2cell(x, 0), @(x) num2cell(x, 2.5), ...
%!          @(x) mat2cell(x, [1, 3], [2, 2]), @(x) mat2cell(x, [1, 3]), @(x) mat2cell(x, [2, 0, 2], 4), ...
%!          @(x) mat2cell(x, 1, [1, 3]), @(x) mat2cell(x, 2, [1, 2], [3, 1]), @(x) mat2cell(x), ...
%!          @(x) mat2cell(x, 0, 3), @(x) mat2cell(x, gpuArray ([1, 3]), gpuArray (4)), ...
%!          @(x) cellslices(x, [1, 2], [2, 4]), @(x) cellslices(x, [1, 2], [2, 2], 1), ...
%!          @(x) cellslices(x, [2, 3], [1, 2], 2), @(x) cellslices(x, [1, 2], [1, 2], gpuArray (3))};
%! for x = arrays
%!   for f = calls
%!     what = [func2str(f{1}), " of ", disp(x{1})];
%!     [y, error_y] = tried (f{1}, x{1});
%!     [z, error_z] = tried (f{1}, gpuArray (x{1}));
%!     if (issparse (x{1}) && ! isempty (error_y))
%!       assert (! isempty (error_z), what); # Octave has another text for sparse matrices
%!     else
%!       assert (strcmp (error_z, error_y), "%s: %s, not %s", what, error_z, error_y);
%!     endif
%!     assert (all (cellfun (@isgpuarray, z)(:)), what);
%!     z = cellfun (@gather, z, "UniformOutput", false);
%!     assert (isequal (z, y) && isequal (kinds (z), kinds (y)), what);
%!   endfor
%! endfor

## There and back
%!test <*74>
%! G = gpuArray (magic (6));
%! assert (gather (cell2mat (mat2cell (G, [1, 2, 3], [4, 2]))), magic (6));
%! assert (gather (cell2mat (num2cell (G))), magic (6));

## ---- files --------------------------------------------------------------------------------------

## The bytes that a statement writes to the file f
%!function bytes = written (statement, is_there)
%!  statement_operands (is_there);
%!  f = [tempname(), ".png"];
%!  unwind_protect
%!    eval ([statement ";"]);
%!    fid = fopen (f);
%!    bytes = fread (fid)';
%!    fclose (fid);
%!  unwind_protect_cleanup
%!    unlink (f);
%!  end_unwind_protect
%!endfunction

%!test <*74>
%! for statement = {
%!   "dlmwrite (f, M)", "dlmwrite (f, M / 3, 'delimiter', ' ', 'precision', k)", "csvwrite (f, v)", ...
%!   "fid = fopen (f, 'w'); fwrite (fid, M); fclose (fid)", ...
%!   "fid = fopen (f, 'w'); fwrite (fid, M, 'double'); fclose (fid)", ...
%!   "fid = fopen (f, 'w'); fwrite (fid, v, 'int16', k); fclose (fid)", ...
%!   "fid = fopen (f, 'w'); fprintf (fid, '%g,', M); fclose (fid)", ...
%!   "fid = fopen (f, 'w'); fdisp (fid, M); fclose (fid)"}
%!   there = written (statement{1}, true);
%!   assert (! isempty (there) && isequal (there, written (statement{1}, false)), statement{1});
%! endfor

## the part of a PNG file without the time at which it was written
%!function data = pixels (bytes)
%!  data = bytes(strfind (char (bytes), "IDAT")(1):strfind (char (bytes), "IDAT")(end)+8);
%!endfunction
%!testif HAVE_MAGICK <*74>
%! for statement = {"imwrite (M / 16, f)", "imwrite (U, f)", "imwrite (C, f)", "imwrite (M, gray (16), f)"}
%!   there = pixels (written (statement{1}, true));
%!   assert (isequal (there, pixels (written (statement{1}, false))), statement{1});
%! endfor
