## blocksparse.tst - matrices sparse by blocks: the class, and its products against full ones.
## SPDX-License-Identifier: BSD-3-Clause

## a full matrix of m x n blocks, about half of them zero, of any class
%!function A = blocky (m, n, b, name, is_complex = false)
%!  A = floor (20 * rand (m * b(1), n * b(2))) - 10;
%!  if (is_complex)
%!    A = complex (A, floor (20 * rand (size (A))) - 10);
%!  endif
%!  A .*= kron (rand (m, n) < 0.5, ones (b));
%!  if (any (strcmp (name, {"int8", "uint8", "uint16", "int64"})))
%!    A *= 5; # so that products saturate
%!  endif
%!  A = feval (name, A);
%!endfunction

%!shared classes
%! classes = {"double", "single", "int8", "int16", "int32", "int64", "uint8", "uint16", ...
%!            "uint32", "uint64"};

## from full and sparse and back, all classes and shapes
%!test
%! rand ("twister", 1);
%! for name = classes
%!   for b = {[1, 1], [2, 2], [3, 2], [1, 4], [5, 1]}
%!     A = blocky (4, 3, b{1}, name{1});
%!     S = blocksparse (A, b{1});
%!     assert (full (S), A);
%!     assert (underlyingType (S), name{1});
%!     assert (size (S), size (A));
%!     assert (nnz (S), sum (A(:) != 0));
%!     assert (full (S.'), A.');
%!     assert (full (S'), A');
%!     assert (sparse (S), sparse (double (A)));
%!     assert (S(:,:), A);
%!     assert (blocksize (S), b{1});
%!   endfor
%! endfor

%!test # from sparse, complex, with nothing in it
%! A = sprand (12, 18, 0.1);
%! A(3,4) = 2i;
%! S = blocksparse (A, [4, 3]);
%! assert (full (S), full (A));
%! assert (full (S'), full (A'));
%! assert (iscomplex (S) && ! isreal (S));
%! assert (sparse (S), A);
%! Z = blocksparse (sparse (8, 4), 2);
%! assert (nnzb (Z), 0);
%! assert (full (Z), zeros (8, 4));
%! assert (full (blocksparse (8, 4, 2, "int16")), zeros (8, 4, "int16"));
%! assert (full (Z'), zeros (4, 8));
%! assert (nnzb (blocksparse (zeros (0, 4), 2)), 0);

%!test # NaN is kept, stored zeros are not
%! S = blocksparse ([NaN, 0, 0, 0], [1, 2]);
%! assert (nnzb (S), 1);
%! S = blocksparse ([2, 1], [1, 1], cat (3, [1, 2], [0, 0]), 2, 2);
%! assert (nnzb (S), 1);
%! assert (full (S), [0, 0; 1, 2]);
%! assert (nnzb (single (blocksparse ([1e-60, 0, 0, 1], [1, 2]))), 1);

%!test # as sparse: zeros of blocks are not stored, NaN is, and what is damaged is told
%! S = blocksparse (single ([NaN, 0, 0, 0; 0, 1+2i, 0, 0]), 2);
%! A = sparse (S);
%! assert (A, sparse ([1, 2], [1, 2], [NaN, 1+2i], 2, 4));
%! assert (nzmax (A), 2);
%! A = sparse (blocksparse (complex (ones (2), [0, 0; 0, 1])(:,1), [2, 1]));
%! assert (isreal (A) && isequal (A, sparse ([1; 1])));
%! s = struct (S);

%!test # blocks in any order
%! rand ("twister", 2);
%! A = blocky (5, 4, [2, 3], "double");
%! S = blocksparse (A, [2, 3]);
%! [I, J] = ndgrid (1:5, 1:4);
%! order = randperm (20);
%! blocks = zeros (2, 3, 20);
%! for t = 1:20
%!   blocks(:,:,t) = S{I(order(t)),J(order(t))};
%! endfor
%! T = blocksparse (I(order), J(order), blocks, 10, 12);
%! assert (isequal (S, T));
%! assert (nnzb (T), nnzb (S));

%!test # what is refused
%! [d, n, z, c] = {"duplicate", "index", "size", "class"}{:};
%! both = "blocks 1 and 3 both have block row 1 and block column 2";
%! for row = {d, both, {[1, 2, 1], [2, 1, 2], ones(2, 2, 3), 4, 4}
%!            n, "", {[1, 3], [1, 1], ones(2, 2, 2), 4, 4}
%!            n, "", {[1, 1], [1, 1.5], ones(2, 2, 2), 4, 4}
%!            n, "", {[1, 1, 1], [1, 2], ones(2, 2, 2), 4, 4}; n, "", {{1}, 1, 5, 4, 4}
%!            z, "5x4 does not divide into blocks of 2x2", {ones(5, 4), 2}; z, "", {ones(4), 0}
%!            z, "", {ones(4), [1, 2, 3]}; z, "", {ones(2, 2, 2), 2}; z, "", {-1, 2, 1}
%!            z, "", {Inf, 2, 1}; z, "", {{2}, 2, 1}; z, "", {1, 1, 5, "a", 4}
%!            z, "", {1, 1, ones(2, 2, 1, 2), 4, 4}; z, "", {1, 2^31, 5, 1, 2^31}
%!            z, 'more than 2\^31 - 1 rows or columns', {2^24, 2^31, 1}
%!            z, 'or more than 2\^53 blocks', {2^23, 2^31 - 1, 1}
%!            c, "", {{1}, 1}; c, "", {2, 2, 1, "logical"}}.'
%!   [id, text] = error_of (@blocksparse, row{3}{:});
%!   assert (id, ["gpumm:blocksparse:", row{1}]);
%!   assert (any (regexp (text, ["^blocksparse: .*", row{2}])), text);
%! endfor
%!error <Invalid call> blocksparse ()

%!test # sizes and indices of narrow classes do not round each other
%! assert (size (blocksparse (int8 (4), 1000, 2)), [4, 1000]);
%! S = blocksparse (1, uint16 (250), [1, 2; 3, 4], single (2), int16 (500));
%! assert (size (S), [2, 500]);
%! assert (S{int8(1),250}, [1, 2; 3, 4]);
%! assert (blocksize (blocksparse (eye (4), sparse (2))), [2, 2]);

%!test # the last block column that there can be
%! S = blocksparse (1, 2^31 - 1, 5, 1, 2^31 - 1);
%! assert ([S{1,2^31-1}, S{1,2^31-2}], [5, 0]);

## elements and blocks
%!test
%! rand ("twister", 3);
%! A = blocky (6, 5, [3, 2], "int32");
%! S = blocksparse (A, [3, 2]);
%! assert (S(5,7), A(5,7));
%! assert (S(4:9,[9, 1, 1]), A(4:9,[9, 1, 1]));
%! assert (S(:,3), A(:,3));
%! assert (S(end,:), A(end,:));
%! assert (S(:), A(:));
%! assert (S([1, 100, 7]), A([1, 100, 7]));
%! assert (S(true (18, 1),1), A(:,1));
%! assert (S([],1), A([],1));
%! assert (S{2,3}, A(4:6,5:6));
%! assert (S{2,3}(1,2), A(4,6));
%! assert ([rows(S), columns(S), ndims(S), numel(S), isempty(S)], [18, 10, 2, 180, 0]);
%! [m, n] = size (S);
%! assert ([m, n, size(S, 2)], [18, 10, 10]);
%! assert (isinteger (S) && ! isfloat (S));
%! assert (S == S, true (18, 10));
%! assert (S == A, true (18, 10));
%! T = blocksparse (eye (4), 2);
%! assert (T(3,3,1), 1);
%! for row = {"Octave:index-out-of-bounds", @() T(5,1); "Octave:index-out-of-bounds", @() T(17)
%!            "Octave:invalid-index", @() T(0); "Octave:invalid-fun-call", @() isequal(T)
%!            "gpumm:blocksparse:index", @() T{3,1}; "gpumm:blocksparse:index", @() T.values}.'
%!   assert (error_of (row{2}), row{1});
%! endfor
%!error <elements cannot be assigned>
%! S = blocksparse (eye (4), 2);
%! S(1,1) = 3;

%!test # equal whatever the blocks
%! A = magic (12);
%! S = blocksparse (A, 2);
%! assert (isequal (S, blocksparse (A, 3), A, S));
%! assert (! isequal (S, blocksparse (A', 2)));
%! assert (! isequal (S, blocksparse (A(1:6,:), 2)));
%! assert (isequal (blocksparse (int8 (eye (4)), 2), blocksparse (eye (4), 2)));

## what is shown
%!assert (disp (blocksparse (kron ([1, 0; 0, 1], [1, 2]), [1, 2])), ...
%!        ["2x4 blocksparse double: 2 of 4 blocks of 1x2, 4 nonzeros\n" ...
%!         "    2  .\n    .  2\n"])
%!test
%! text = disp (blocksparse (speye (100), 2));
%! assert (! isempty (strfind (text, "in rectangles of 4x4 blocks")));
%! assert (numel (strfind (text, "\n")), 2 + 13);
%! assert (disp (blocksparse (0, 0, 2)), ...
%!         "0x0 blocksparse double: 0 of 0 blocks of 2x2, 0 nonzeros\n");
%! S = blocksparse (single ([1i, 0]), 1);
%! text = evalc ("S");
%! assert (text(1:38), "S = 1x2 blocksparse complex single: 1 ");

## to files and back
%!test
%! rand ("twister", 4);
%! file = tempname ();
%! for name = classes
%!   for form = {"-text", "-binary", "-hdf5"}(1:2+__have_feature__ ("HDF5"))
%!     S = blocksparse (blocky (3, 4, [2, 3], name{1}), [2, 3]);
%!     T = blocksparse (4, 4, 2, name{1});
%!     c = {S};
%!     save (form{1}, file, "S", "T", "c");
%!     x = load (file);
%!     assert (class (x.S), "blocksparse");
%!     assert (isequal (x.S, S) && isequal (x.T, T) && isequal (x.c{1}, S));
%!     assert (underlyingType (x.S), name{1});
%!     assert (full (x.S * x.S.'), full (S * S.'));
%!   endfor
%! endfor
%! unlink (file);

%!test # MATLAB's files have none
%! S = blocksparse (eye (4), 2);
%! R = struct (S);
%! [folder, gone] = scratch ();
%! file = fullfile (folder, "it.mat");
%! for form = {"-v4", "-v6", "-v7"}
%!   fail ("save (form{1}, file, \"S\")", "Save full \\(S\\) or sparse \\(S\\)");
%! endfor
%! save ("-v7", file, "R");
%! assert (isequal (blocksparse (load (file).R), S));

## from outside: one check for structs and files

%!function check_damaged (s, text)
%!  [id, said] = error_of (@blocksparse, s);
%!  assert (id, "gpumm:blocksparse:structure", text);
%!  assert (! isempty (regexp (said, text)), "%s: %s", text, said);
%!endfunction

%!test
%! s = struct (blocksparse (magic (6), [2, 3]));
%! assert (full (blocksparse (s)), magic (6));
%! for row = {"start", int64([0; 1e8; 1e8; 6]), "offsets descend"
%!            "start", int64([0; 2; 4; 1e8]), '1e\+08|100000000 blocks, but the arrays hold 6'
%!            "start", int64([0; 1e8]), "start must have 4 offsets"
%!            "start", int64([0; 2; 4; 5]), "the offsets end at 5"
%!            "start", int64([1; 2; 4; 6]), "begins at 1 and not 0"
%!            "start", [0; 2; 4; 6], "start must be of class int64"
%!            "column", s.column([2, 1, 3:6]), "block row 1 do not ascend"
%!            "column", s.column + 1, "ascend from 0 to at most 1"
%!            "column", s.column - 1, "ascend from 0 to at most 1"
%!            "column", double(s.column), "column must be of class int32"
%!            "values", s.values(:,1:end-1), "6 elements for each of 6 blocks"
%!            "values", s.values > 0, "values must be of class double"
%!            "values", sparse(s.values), "values must be a full array"
%!            "values", {1}, "values must be of class double"
%!            "rows", 7, "7x6 does not divide"; "block_rows", 0, ...
%!            "block_rows must be a whole number"}.'
%!   t = s;
%!   t.(row{1}) = row{2};
%!   check_damaged (t, row{3});
%! endfor
%! for wrong = {-2, 1.5, NaN, Inf, 1e300, "a", [2, 2], {}, 2i}
%!   for name = {"rows", "block_cols"}
%!     t = s;
%!     t.(name{1}) = wrong{1};
%!     check_damaged (t, [name{1}, " must be a whole number"]);
%!   endfor
%! endfor
%! check_damaged (rmfield (s, "column"), "no field \"column\"");
%! check_damaged ([s, s], "one struct");
%! z = struct (blocksparse (0, 0, 1));
%! z.rows = z.cols = 2^31 * 2^20;
%! z.block_rows = z.block_cols = 2^20;
%! check_damaged (z, "rows must be");
%! z.rows = z.cols = 2^32;
%! check_damaged (z, "2\\^62 elements");

%!test # blocks of zeros are left out
%! s = struct (blocksparse (single ([1, 0; 0, 2]), 1));
%! s.values(2) = -0;
%! S = blocksparse (s);
%! assert (nnzb (S), 1);
%! assert (isequal (S, [1, 0; 0, 0]));

## What struct s says, element by element, or an error.
%!function A = spelled_out (s)
%!  A = zeros (s.rows, s.cols, class (s.values));
%!  v = reshape (s.values, s.block_rows, s.block_cols, []);
%!  for i = 1:numel (s.start) - 1
%!    for t = s.start(i)+1:s.start(i+1)
%!      A((i-1)*s.block_rows+(1:s.block_rows),double(s.column(t))*s.block_cols+(1:s.block_cols)) = v(:,:,t);
%!    endfor
%!  endfor
%!endfunction

%!test # structs with random damage: an error with an identifier, or a matrix
%! seed = 17;
%! rand ("twister", seed);
%! made = 0;
%! for k = 1:700
%!   b = randi (3, 1, 2);
%!   s = struct (blocksparse (kron (rand (3, 4) < 0.6, ones (b)) .* randi (9, 3 * b(1), 4 * b(2)), b));
%!   for times = 1:randi (2)
%!     name = fieldnames (s){randi(7)};
%!     x = s.(name);
%!     if (isempty (x) || ! isnumeric (x))
%!       continue;
%!     endif
%!     at = randi (numel (x));
%!     switch (randi (9))
%!       case 1, x(at) += randi (3) - 2;
%!       case 2, x(at) = 10 ^ randi (18);
%!       case 3, x(at) = -1;
%!       case 4, x = x([1:at-1, at+1:end]);
%!       case 5, x = x([1:end, at]);
%!       case 6, x = x([randperm(numel (x))]);
%!       case 7, x = feval ({"double", "single", "int64", "int32", "uint8"}{randi(5)}, full (real (x)));
%!       case 8, x = {"x", x > 0, sparse(double(x)), 1i * double(x), {x}}{randi(5)};
%!       case 9, x = x(:).';
%!     endswitch
%!     s.(name) = x;
%!   endfor
%!   try
%!     S = blocksparse (s);
%!   catch err
%!     assert (strncmp (err.identifier, "gpumm:blocksparse:", 18), sprintf ("seed %d, %d: %s", seed, k, err.message));
%!     continue;
%!   end_try_catch
%!   made++;
%!   if (numel (S) > 1e6) # a matrix of its own right, with few blocks
%!     assert (size (S), double ([s.rows, s.cols]));
%!     continue;
%!   endif
%!   A = spelled_out (s);
%!   assert (isequal (full (S), A) && strcmp (class (A), class (full (S))), ...
%!           sprintf ("seed %d, %d", seed, k));
%!   if (isfloat (A))
%!     assert (full (S * S.'), full (A * A.'), -1e-6);
%!   endif
%! endfor
%! assert (made > 50 && made < 650);

%!test # and files with random damage
%! seed = 23;
%! rand ("twister", seed);
%! file = tempname ();
%! S = blocksparse (kron (rand (3, 4) < 0.6, ones (2)) .* randi (9, 6, 8), 2);
%! made = refused = 0;
%! unwind_protect
%!   for form = {"-text", "-binary"}
%!     save (form{1}, file, "S");
%!     fid = fopen (file);
%!     whole = fread (fid, Inf, "uint8=>uint8");
%!     fclose (fid);
%!     begins = strfind (char (whole.'), "block_rows")(1);
%!     for k = 1:150
%!       bytes = whole;
%!       at = begins + randi (numel (bytes) - begins);
%!       if (strcmp (form{1}, "-binary"))
%!         ## no size of some 10^9: Octave's load fills its memory before it finds the file too short
%!         bytes(at) = merge (any (bytes(at) == [0, 255]), 128 * (bytes(at) == 0), randi (256) - 1);
%!       elseif (any (bytes(at) == "0123456789"))
%!         bytes(at) = "0123456789-e."(randi (13));
%!       else
%!         bytes = bytes(1:at);
%!       endif
%!       fid = fopen (file, "w");
%!       fwrite (fid, bytes);
%!       fclose (fid);
%!       try
%!         x = load (file);
%!       catch err
%!         assert (! isempty (regexp (err.message, "load|save|blocksparse|memory")), ...
%!                 sprintf ("seed %d, %d: %s", seed, k, err.message));
%!         refused++;
%!         continue;
%!       end_try_catch
%!       if (isfield (x, "S") && isa (x.S, "blocksparse") && numel (x.S) < 1e6)
%!         made++;
%!         assert (full (x.S), spelled_out (struct (x.S)));
%!         assert (size (x.S * x.S.'), rows (x.S) * [1, 1]);
%!       endif
%!     endfor
%!   endfor
%! unwind_protect_cleanup
%!   delete (file);
%! end_unwind_protect
%! assert (made > 20 && refused > 20);

%!test # values live through clear all, another folder on the path, and the end of Octave
%! here = fileparts (which ("blocksparse"));
%! gateways = fileparts (which ("__blocksparse__"));
%! file = tempname ();
%! code = ["S = blocksparse (eye (4), 2); save ('" file "', 'S'); c = {S, S}; f = @() S;" ...
%!         "clear all; S = load ('" file "').S; clear -f; T = S * S; try; error ('x'); end;" ...
%!         "x.y = S; N = int8 (S); rmpath ('" here "'); mod (N, 2); rem (2, N);" ...
%!         "disp (sum (full (S)(:))); S"];
%! [status, text] = system (sprintf ("'%s' --no-history --norc --path '%s' --path '%s' --eval \"%s\" 2>&1", ...
%!                                   readlink ("/proc/self/exe"), here, gateways, code));
%! delete (file);
%! assert (status, 0);
%! assert (! isempty (regexp (text, '^4\nS = 4x4 blocksparse')), text);

## without the full matrix: what would have 2^34 elements

%!test
%! rand ("twister", 8);
%! n = 2^17;
%! I = randperm (n / 4, 60);
%! J = [I(1:40), randperm(n / 4, 20)]; # some on the diagonal
%! blocks = randi (9, 4, 4, 60) - 5;
%! blocks(1,1,:) = 1;
%! S = blocksparse (I, J, blocks, n, n);
%! A = sparse (S);
%! for f = {@sum, @(x) sum(x, 2), @(x) sumsq(x, 2), @mean, @max, @(x) min(x, [], 2), @any, ...
%!          @(x) all(x, 2), @(x) norm(x, 1), @(x) norm(x, Inf), @trace, @(x) diag(x, 2), @find, ...
%!          @nonzeros, @nnz, @length, @size, @(x) nnz(isnan (x)), @(x) triu(x, 1), @tril, ...
%!          @(x) x', @(x) x.', @(x) -x, @abs, @(x) x/2, @(x) x+x.', @(x) x-x.', @(x) x.*x.', ...
%!          @(x) [x, x.'], @(x) [x; x.'; x], @(x) x.^2, @(x) 3.*x, @(x) x^2, @ishermitian, ...
%!          @(x) ishermitian(x + x'), @(x) issymmetric(x + x.'), @isdiag, @istriu, ...
%!          @(x) istril(tril (x)), @(x) isbanded(x, 3, 3), @(x) kron(x, [1, 2; 3, 4]), ...
%!          @(x) kron(x(1:4,:)(:,1:3), 1)(:,1), @(x) kron([0, 1; 2, 0], x), ...
%!          @(x) x(:,4*J(1)+(-5:2)), @(x) x(4*J(1)+(-5:2)), @(x) isequal(x, x.')}
%!   assert (isequal (sparse (f{1} (S)), sparse (f{1} (A))), func2str (f{1}));
%! endfor
%! [i, j, v] = find (S);
%! [p, q, w] = find (A);
%! assert (isequal ({i, j, v}, {p, q, w}));
%! assert (norm (S, "fro"), norm (A, "fro"), 1e-12 * norm (A, "fro"));
%! assert (isequal (S, blocksparse (I, J, blocks, n, n)));
%! C = blocksparse (I, J, reshape (blocks(:,1,:), [4, 1, 60]), n, n / 4);
%! assert (isequal (sparse (reshape (C, n / 2, n / 2)), reshape (sparse (C), n / 2, n / 2)));
%! I = blocksparse (1:4, 1:4, repmat (10 * eye (4), [1, 1, 4]), 16, 16);
%! assert (I \ ones (16, 1), 0.1 * ones (16, 1));
%! [x, flag] = pcg (I, ones (16, 1));
%! assert (x, 0.1 * ones (16, 1), 1e-6);
%! assert (flag, 0);

%!assert (norm (blocksparse ([1, NaN, 1; 1, 1, 1; 1, 1, 1], 1), 1), norm ([1, NaN, 1; 1, 1, 1; 1, 1, 1], 1))
%!assert (norm (blocksparse ([NaN, 1, 1; 1, 1, 1; 1, 1, 1], 1), 1), NaN)
%!assert (norm (blocksparse (6, 4, 2, "single"), "fro"), single (0))

%!error id=gpumm:unsupported cos (blocksparse (2^20, 2^20, 4))
%!error <full \(S\), sparse \(S\)> blocksparse (2^20, 2^20, 4) + 1
%!error <full \(S\)> det (blocksparse (2^20, 2^20, 4))

## products; those of each class, size of blocks, transposes and algorithm are in products.tst
%!test # the classic job, with saturation counted
%! rand ("twister", 6);
%! for row = {100, 0; 2047, 0; 65535, 3001}.'
%!   A = uint16 (floor ((row{1} + 1) * rand (64)));
%!   S = blocksparse (A, 4);
%!   C = check_product (S, S, "OutputClass", "uint32");
%!   check_product (S, S, "OutputClass", "double");
%!   saturated = sum (full (C)(:) == intmax ("uint32"));
%!   assert (saturated >= row{2} && (row{2} > 0 || saturated == 0));
%! endfor

%!test # single with double, sparse, logical, diagonal; forms of the result
%! A = magic (6);
%! S = blocksparse (A, [2, 3]);
%! for row = {S, blocksparse(single (A), [3, 2]), {}; S, sparse(A), {}; sparse(A), S, {}
%!            S, sparse(A), {"TransposeA", "transpose"}; sparse(A), S, {"TransposeA", "transpose"}
%!            S, sparse(A), {"TransposeB", "transpose"}; S, A > 10, {}; S, eye(6), {}; 1:6, S, {}
%!            S, S', {"Output", "sparse"}; S, sparse(A), {"Output", "blocksparse"}
%!            blocksparse(1i * A, 2), blocksparse(1i * A, 2), {}}.'
%!   check_product (row{1:2}, row{3}{:});
%! endfor
%! assert ((1:6) * S, (1:6) * A);

%!test # by a scalar, as full matrices: classes, saturation once at the end
%! A = uint8 ([200, 100, 0, 0; 1, 2, 0, 0]);
%! S = blocksparse (A, 2);
%! for option = {{}, {"OutputClass", "uint16"}, {"OutputClass", "int8"}, {"OutputClass", "double"}}
%!   for pair = {S, uint8(20); uint8(20), S}.'
%!     check_product (pair{:}, option{1}{:});
%!     check_product (pair{:}, option{1}{:}, "TransposeA", "transpose");
%!   endfor
%! endfor
%! for row = {0.5, {}; 2, {"Algorithm", "blocks"}; true, {}}.'
%!   [C, info] = gpumm (S, row{1}, row{2}{:});
%!   assert (full (C), A * row{1});
%!   assert (info.algorithm, "scale");
%! endfor

%!test # a blocksparse of 1x1 is a scalar where it does not conform, as it is for *
%! for five = {5, single(5), int16(5), 5i}
%!   x = blocksparse (five{1}, 1);
%!   S = blocksparse (cast (magic (4), class (five{1})), 2);
%!   for row = {x, S, {}; S, x, {}; x, S, {"TransposeA", "transpose"}; x, S, {"Output", "full"}}.'
%!     check_product (row{1:2}, row{3}{:});
%!   endfor
%!   assert (gpumm (x, full (S)), five{1} * full (S));
%!   assert (gpumm (full (S), x), five{1} * full (S));
%! endfor
%! for X = {sparse(magic (4)), ones(2, 2, 2), [1, 2, 3]}
%!   assert (gpumm (blocksparse (5, 1), X{1}), 5 * X{1});
%! endfor

%!test # empty and zero
%! Z = blocksparse (4, 6, [2, 3]);
%! assert (full (Z * ones (6, 2)), zeros (4, 2));
%! assert (nnzb (Z * Z'), 0);
%! assert (full (blocksparse (0, 6, [2, 3]) * Z'), zeros (0, 4));
%! assert (full (blocksparse (4, 0, 2) * blocksparse (0, 4, 2)), zeros (4, 4));
%! S = blocksparse ([1, 1; 1, 1], [2, 1]);
%! T = blocksparse ([1, 2; -1, -2], [1, 2]);
%! assert (nnzb (S * T), 0);

%!test # the shortest way, not through `*` again
%! S = blocksparse (eye (4), 2);
%! depth = max_recursion_depth (40);
%! unwind_protect
%!   assert (full (gpumm (S, S)), eye (4));
%!   assert (S * eye (4), eye (4));
%! unwind_protect_cleanup
%!   max_recursion_depth (depth);
%! end_unwind_protect

%!test # what ran
%! [C, info] = gpumm (blocksparse (eye (4), 2), blocksparse (eye (4), 2), "Backend", "cpu");
%! assert (info.algorithm, "blocks");
%! assert (info.backend, "cpu");
%! assert (info.flops, 2 * 2 * 8);
%! assert (info.seconds.total >= info.seconds.compute);
%! [C, info] = gpumm (blocksparse (eye (4), 2), 3);
%! assert (info.algorithm, "scale");

%!test # what is refused
%! S = blocksparse (eye (4), 2);
%! six = blocksparse (eye (6), 2);
%! int = blocksparse (int8 (eye (4)), 2);
%! [c, u, v, a] = {"Octave:nonconformant-args", "gpumm:undefined-operator", "gpumm:bad-value", ...
%!                 "gpumm:unsupported"}{:};
%! for row = {c, {S, six}; c, {S, ones(3, 1)}; c, {six, blocksparse(eye (6), 3)}; u, {int, S}; ...
%!            u, {int, ones(4)}
%!            u, {S, {1, 2}}; v, {eye(4), eye(4), "Output", "full"}; ...
%!            v, {S, eye(4), "Output", "blocksparse"}
%!            v, {blocksparse(single (eye (4)), 2), eye(4), "Output", "sparse"}; ...
%!            v, {S, eye(4), "Output", "none"}
%!            a, {S, eye(4), "Algorithm", "tiled"}; a, {magic(4), magic(4), "Algorithm", "blocks"}
%!            a, {int, int, "Algorithm", "classic"}; a, {S, S, "Algorithm", "sparse"}}.'
%!   assert (error_of (@gpumm, row{2}{:}), row{1});
%!   if (numel (row{2}) == 2)
%!     assert (error_of (@mtimes, row{2}{:}), row{1});
%!   endif
%! endfor
%!error <op1 has blocks of 2x2, op2 of 3x3> blocksparse (eye (6), 2) * blocksparse (eye (6), 3)
%!error <"sparse" does not multiply block-sparse double by block-sparse double>
%! gpumm (blocksparse (eye (4), 2), blocksparse (eye (4), 2), "Algorithm", "sparse");
%!error <algorithm "classic" does not multiply block-sparse int8>
%! S = blocksparse (int8 (ones (4)), 4);
%! gpumm (S, S, "Algorithm", "classic");

## integers by the kernels for the GPU, on the host device where there is no GPU
%!test
%! for m = [4, 8]
%!   A = uint16 (randi (65535, 3 * m, 5 * m)) .* uint16 (kron (rand (3, 5) < 0.6, ones (m)));
%!   B = uint16 (randi (65535, 5 * m, 4 * m)) .* uint16 (kron (rand (5, 4) < 0.6, ones (m)));
%!   S = blocksparse (A, m);
%!   T = blocksparse (B, m);
%!   for name = {"classic", "bsr_integer"}
%!     [~, info] = check_product (S, T, "Algorithm", name{1}, "OutputClass", "uint32");
%!     assert (info.algorithm, name{1});
%!   endfor
%! endfor

## a row of B meets many rows of A, and nearly each product is a block of its own
%!test
%! for b = [8, 9]
%!   [i, j] = find (sprand (400, 40, 0.1));
%!   S = blocksparse (i, j, randn (b, b, numel (i)), 400 * b, 40 * b);
%!   [i, j] = find (sprand (40, 8000, 36 / 8000));
%!   T = blocksparse (i, j, randn (b, b, numel (i)), 40 * b, 8000 * b);
%!   A = sparse (S);
%!   B = sparse (T);
%!   bound = 100 * eps () * norm (A, Inf) * max (abs (nonzeros (B)));
%!   C = gpumm (S, T, "Algorithm", "bsr");
%!   assert (class (C), "blocksparse");
%!   assert (all (abs (nonzeros (sparse (C) - A * B)) <= bound));
%! endfor

## a result that memory cannot hold leaves the operand as it was
%!test
%! S = blocksparse ([1, 2], [1, 2], reshape (1:8, 2, 2, 2), 2^24, 2^24);
%! T = S;
%! for i = 1:3
%!   for f = {@full, @(x) x(:,:), @(x) x.'(:,:)}
%!     assert (error_of (f{1}, S), "Octave:bad-alloc");
%!   endfor
%! endfor
%! clear S
%! assert (full (T(1:4,1:4)), [1, 3, 0, 0; 2, 4, 0, 0; 0, 0, 5, 7; 0, 0, 6, 8]);
%!assert (class (trace (blocksparse (int8 (5), 1))), class (trace (int8 (5))))

## Block columns without blocks take no memory.
%!test
%! V = reshape (1:16, 2, 2, 4);
%! last = 2^30;
%! B = blocksparse ([1, 2, 1, 2], [5, 7, last, last], V, 4, 2 * last);
%! b = blocksparse ([1, 2, 1, 2], [1, 2, 3, 3], V, 4, 6);
%! K = blocksparse ([1, 2, 1], [1, 2, 2], V(:,:,1:3), 4, 4);
%! gone = with_variable ("GPUMM_MAX_HOST_MEMORY", "64M");
%! for type = {@double, @single, @int16}
%!   f = type{1};
%!   assert (full (gpumm (f (B), f (B), "TransposeB", "transpose")), full (gpumm (f (b), f (b), "TransposeB", "transpose")));
%!   C = struct (gpumm (f (K), f (B)));
%!   c = struct (gpumm (f (K), f (b)));
%!   assert (C.values, c.values);
%!   assert (double (C.column)(:), [5, 7, last](double (c.column) + 1)(:) - 1);
%! endfor

## a blocksparse of 1x1 is a scalar, also where it stores no block
%!test
%! for zero = {blocksparse(0, 1), blocksparse(sparse (1, 1), 1), gpuArray(blocksparse (0, 1))}
%!   for row = {[NaN, Inf, 1], sparse([NaN, Inf, 1])}
%!     if (isgpuarray (zero{1}) && issparse (row{1})) # an error, which errors are for
%!       continue;
%!     endif
%!     assert (full (gather (zero{1} * row{1})), [NaN, NaN, 0]);
%!     assert (full (gather (row{1}.' * zero{1})), [NaN; NaN; 0]);
%!   endfor
%! endfor
%! assert (class (blocksparse (2, 1) * 3), "blocksparse");
%! assert (full (gpumm (blocksparse (0, 1), [NaN, 1], "Algorithm", "bsr")), [NaN, 0]);
