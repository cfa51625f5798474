## fuzz.tst - random calls: any value by any value, any options, special numbers, and what no call
## should have.
##
## Either the result is that of Octave's expression alpha * op (A) * op (B) + beta * C, in size, class,
## sparsity, complexness and values, or there is an error that names what is wrong, with an identifier
## of gpumm's guide.  GPUMM_RANDOM_CASES in the environment is the number of calls (600), GPUMM_SEED
## the seed, which is printed: the same seed gives the same calls.
## SPDX-License-Identifier: BSD-3-Clause

## small whole numbers: sums are exact in any order; now and then special ones among them
%!function X = numbers (m, n)
%!  X = randi ([-4, 4], m, n);
%!  if (rand < 0.25 && numel (X) > 0)
%!    X(randi (numel (X))) = pick ({NaN, Inf, -Inf, -0});
%!  endif
%!endfunction

%!function X = any_value (m, n)
%!  kinds = {"double", "double", "single", "complex", "single complex", "flat complex", "sparse", ...
%!           "sparse complex", "sparse logical", "sparse zero", "logical", "char", "range", "diagonal", ...
%!           "complex diagonal", "single diagonal", "permutation", "int8", "uint8", "int16", ...
%!           "int32", "uint32", "int64", "uint64", "scalar", "sparse scalar", "integer scalar", ...
%!           "nd", "null", "blocks", "single blocks", "integer blocks", "bad"};
%!  kind = pick (kinds);
%!  if (rand < 0.6)
%!    kind = pick (kinds(1:19));
%!  endif
%!  switch (kind)
%!    case "double"
%!      X = numbers (m, n);
%!    case "single"
%!      X = single (numbers (m, n));
%!    case "complex"
%!      X = complex (numbers (m, n), randi ([-4, 4], m, n));
%!    case "single complex"
%!      X = single (complex (randi ([-4, 4], m, n), numbers (m, n)));
%!    case "flat complex"
%!      X = complex (numbers (m, n), zeros (m, n));
%!    case "sparse"
%!      X = sparse (numbers (m, n) .* (rand (m, n) < 0.5));
%!    case "sparse complex"
%!      X = sparse (complex (numbers (m, n), randi ([-4, 4], m, n)) .* (rand (m, n) < 0.5));
%!    case "sparse logical"
%!      X = sparse (rand (m, n) < 0.5);
%!    case "sparse zero"
%!      X = sparse (m, n);
%!    case "logical"
%!      X = rand (m, n) < 0.5;
%!    case "char"
%!      X = char (randi ([65, 70], m, n));
%!    case "range"
%!      X = 1:n;
%!    case "diagonal"
%!      X = eye (m, n) * randi (4);
%!    case "complex diagonal"
%!      X = eye (m, n) * (randi (4) + 2i);
%!    case "single diagonal"
%!      X = single (eye (m, n) * randi (4));
%!    case "permutation"
%!      X = eye (m)(randperm (m), :);
%!    case "scalar"
%!      X = pick ({2, -3, 0, NaN, Inf, 1i, complex(2, 0), single(2), true, "a", single(1 + 2i)});
%!    case "sparse scalar"
%!      X = pick ({sparse(2), sparse(0), sparse(1i), sparse(true), sparse(NaN)});
%!    case "integer scalar"
%!      X = pick ({int8(3), uint16(3), int64(-3), uint64(3), int32(0)});
%!    case "nd"
%!      X = pick ({ones(m, n, 2), zeros(0, 3, 2), single(ones (1, 1, 3)), int8(ones (2, 1, 2)), true(2, 2, 2)});
%!    case "null"
%!      X = pick ({[], "", '', zeros(0, 1), zeros(1, 0), sparse(0, 0), single([])});
%!    case "blocks"
%!      X = blocksparse (randi ([-4, 4], m, n) .* (rand (m, n) < 0.5), pick ({[1, 1], max([m, n], 1)}));
%!    case "single blocks"
%!      X = blocksparse (single (randi ([-4, 4], m, n)), 1);
%!    case "integer blocks"
%!      X = blocksparse (feval (pick ({"uint16", "int8"}), randi ([0, 4], m, n)), 1);
%!    case "bad"
%!      X = pick ({{1}, struct("a", 1), @sin, {}, containers.Map(), inputParser()});
%!    otherwise
%!      X = cast (randi ([0, 4], m, n), kind);
%!  endswitch
%!endfunction

## a list of options, most of them well formed
%!function options = any_options (m, n)
%!  options = {};
%!  names = {"none", "transpose", "ctranspose"};
%!  factors = {0, 1, 2, -1, 0.5, NaN, Inf, 1i, complex(2, 0), single(2), true, int8(2), int64(9007199254740993), ...
%!             sparse(2), sparse(0), single(1i), -0, uint8(0), eye(1)};
%!  if (rand < 0.05)
%!    factors = {"x", [1, 2], [], {1}, @sin, ones(1, 1, 2), blocksparse(1, 1)};
%!  endif
%!  if (rand < 0.4)
%!    options = [options, {"TransposeA", pick(names)}];
%!  endif
%!  if (rand < 0.4)
%!    options = [options, {"TransposeB", pick(names)}];
%!  endif
%!  if (rand < 0.3)
%!    options = [options, {"Alpha", pick(factors)}];
%!  endif
%!  if (rand < 0.25)
%!    options = [options, {"C", any_value(m, n)}];
%!    if (rand < 0.6)
%!      options = [options, {"Beta", pick(factors)}];
%!    endif
%!  endif
%!  if (rand < 0.15)
%!    algorithms = gpumm_info ().algorithms;
%!    options = [options, {"Algorithm", pick([algorithms(:)', {"tiled_8", "register_32x32x4", "auto", "no", 1}])}];
%!  endif
%!  if (rand < 0.07)
%!    options = [options, {"OutputClass", pick({"double", "single", "int8", "int32", "uint64", "char", 1})}];
%!  endif
%!  if (rand < 0.05)
%!    options = [options, {"Output", pick({"full", "sparse", "blocksparse", "no"})}];
%!  endif
%!  if (rand < 0.1)
%!    options = [options, pick({{"Device", 0}, {"Device", sparse(0)}, {"Device", 1e3}, {"Device", -1}, ...
%!               {"MaxDeviceMemory", 1e6}, {"MaxDeviceMemory", "x"}, {"MaxCapability", 7.5}, ...
%!               {"Backend", "cpu"}, {"backend", "AUTO"}, {"Backend", "gpu"}, {"Nothing", 1}, {"Alpha"}, ...
%!               {1, 2}})];
%!  endif
%!endfunction

## The value of option NAME, the last of them.
%!function x = option (options, name, x)
%!  for i = 1:2:numel (options) - 1
%!    if (ischar (options{i}) && strcmpi (options{i}, name))
%!      x = options{i+1};
%!    endif
%!  endfor
%!endfunction

%!function X = turned (X, op)
%!  if (strcmp (op, "transpose"))
%!    X = X.';
%!  elseif (strcmp (op, "ctranspose"))
%!    X = X';
%!  endif
%!endfunction

## What Octave's expression gives, with the same conventions for 0; an error where there is none.
%!function R = expected (A, B, options)
%!  op_a = option (options, "TransposeA", "none");
%!  op_b = option (options, "TransposeB", "none");
%!  alpha = option (options, "Alpha", 1);
%!  C = option (options, "C", []);
%!  beta = option (options, "Beta", double (any (strcmp (options(1:2:end), "C"))));
%!  if (any (strcmp ({op_a, op_b}, "none")) && any (! strcmp ({op_a, op_b}, "none")))
%!    ## one expression is one call of BLAS in Octave, too
%!    switch ([op_a, op_b])
%!      case "transposenone"
%!        P = A.' * B;
%!      case "ctransposenone"
%!        P = A' * B;
%!      case "nonetranspose"
%!        P = A * B.';
%!      otherwise
%!        P = A * B';
%!    endswitch
%!  else
%!    P = turned (A, op_a) * turned (B, op_b);
%!  endif
%!  if (issparse (alpha) || isreal (alpha))
%!    alpha = full (alpha);
%!  endif
%!  if (issparse (beta) || isreal (beta))
%!    beta = full (beta);
%!  endif
%!  if (alpha == 0)
%!    P(:) = 0;
%!    if (iscomplex (P))
%!      P = real (P);
%!    endif
%!  endif
%!  R = P;
%!  if (! (isa (alpha, "double") && alpha == 1))
%!    R = alpha * P;
%!  endif
%!  if (beta != 0)
%!    if (! isequal (size (C), size (R)))
%!      error ("Octave:nonconformant-args", "sizes");
%!    endif
%!    if (issparse (R) && isa (C, "double") && ! isempty (strfind (typeinfo (C), "diagonal")))
%!      C = sparse (C); # Octave 7 may crash
%!    elseif (issparse (C) && isa (R, "double") && ! isempty (strfind (typeinfo (R), "diagonal")))
%!      R = sparse (R);
%!    endif
%!    if (isa (beta, "double") && beta == 1)
%!      R = R + C;
%!    else
%!      R = R + beta * C;
%!    endif
%!  endif
%!endfunction

## "" or what differs
%!function text = difference (C, R)
%!  text = "";
%!  if (! isequal (size (C), size (R)))
%!    text = sprintf ("size %s, not %s", num2str (size (C)), num2str (size (R)));
%!  elseif (! strcmp (class (C), class (R)))
%!    text = sprintf ("class %s, not %s", class (C), class (R));
%!  elseif (issparse (C) != issparse (R))
%!    text = sprintf ("sparse %d, not %d", issparse (C), issparse (R));
%!  else
%!    special = any (! isfinite (full (R(:))));
%!    if (iscomplex (C) != iscomplex (R) && ! special)
%!      text = sprintf ("complex %d, not %d", iscomplex (C), iscomplex (R));
%!      return;
%!    endif
%!    c = full (C)(:);
%!    r = full (R)(:);
%!    if (iscomplex (R) || iscomplex (C))
%!      same = isfinite (c) == isfinite (r);
%!    else
%!      same = isnan (c) == isnan (r) & (isnan (r) | isinf (c) == isinf (r));
%!    endif
%!    both = isfinite (c) & isfinite (r);
%!    same(both) = abs (double (c(both)) - double (r(both))) <= 1e-5 * abs (double (r(both)));
%!    if (! all (same))
%!      i = find (! same, 1);
%!      text = sprintf ("element %d is %s, not %s", i, num2str (c(i)), num2str (r(i)));
%!    endif
%!  endif
%!endfunction

%!function text = described (A, B, options)
%!  text = sprintf ("gpumm (%s %s, %s %s", typeinfo (A), num2str (size (A)), typeinfo (B), num2str (size (B)));
%!  for o = options
%!    x = o{1};
%!    if ((ischar (x) || isnumeric (x) || islogical (x)) && ! isobject (x) && ndims (x) == 2 && numel (x) < 10)
%!      text = [text, ", ", typeinfo(x), " ", strtrim(disp (full (x)))];
%!    else
%!      text = [text, ", ", typeinfo(x)];
%!    endif
%!  endfor
%!  text = [text, ")"];
%!endfunction

%!test
%! seed = from_environment ("GPUMM_SEED", 1 + mod (floor (time ()), 1e6));
%! cases = from_environment ("GPUMM_RANDOM_CASES", 600);
%! printf ("fuzz.tst: GPUMM_SEED=%d GPUMM_RANDOM_CASES=%d\n", seed, cases);
%! fflush (stdout);
%! rand ("twister", seed);
%! allowed = {"Octave:nonconformant-args", "gpumm:undefined-operator", "gpumm:nd-array", ...
%!            "gpumm:unknown-option", "gpumm:missing-value", "gpumm:bad-value", "gpumm:no-device", ...
%!            "gpumm:unsupported", "gpumm:removed"};
%! products = refused = 0;
%! for n = 1:cases
%!   s = pick ({randi([0, 5], 1, 4), randi([1, 4], 1, 4), randi([1, 20], 1, 4)});
%!   if (rand < 0.9)
%!     s(3) = s(2);
%!   endif
%!   options = any_options (s(1), s(4));
%!   A = any_value (s(1), s(2));
%!   if (rand < 0.15 && (isnumeric (A) || islogical (A)) && ndims (A) == 2)
%!     B = pick ({A, conj(A), A.', A'});
%!   else
%!     B = any_value (s(3), s(4));
%!   endif
%!   if (! strcmp (option (options, "TransposeA", "none"), "none") && rand < 0.9 && ! any (strcmp (class (A), {"cell", "struct", "function_handle", "containers.Map", "inputParser"})) && ndims (A) == 2)
%!     A = A.';
%!   endif
%!   if (! strcmp (option (options, "TransposeB", "none"), "none") && rand < 0.9 && ! any (strcmp (class (B), {"cell", "struct", "function_handle", "containers.Map", "inputParser"})) && ndims (B) == 2)
%!     B = B.';
%!   endif
%!   here = sprintf ("case %d of seed %d: %s", n, seed, described (A, B, options));
%!   failure = [];
%!   try
%!     C = gpumm (A, B, options{:});
%!   catch failure
%!   end_try_catch
%!   if (! isempty (failure))
%!     refused++;
%!     text = failure.message;
%!     if (! any (strcmp (failure.identifier, allowed)) || isempty (text) ...
%!         || ! isempty (regexp (text, '__gpumm|as they are|out of bound|undefined')))
%!       error ("%s: error %s: %s", here, failure.identifier, text);
%!     endif
%!   endif
%!   ## what has an oracle: plain values, no class asked for, and no two matrices of integers
%!   if (isa (A, "blocksparse") || isa (B, "blocksparse") || isa (option (options, "C", 1), "blocksparse") ...
%!       || ! ischar (option (options, "OutputClass", 0)) + ! ischar (option (options, "Output", 0)) < 2 ...
%!       || (isinteger (A) && strcmp (class (A), class (B))))
%!     continue;
%!   endif
%!   if (! isempty (failure) && strcmp (failure.identifier, "gpumm:removed"))
%!     assert (isinteger (A) || isinteger (B), here);
%!     continue;
%!   endif
%!   if (! isempty (failure) && any (strcmp (failure.identifier, {"gpumm:unknown-option", ...
%!       "gpumm:missing-value", "gpumm:bad-value", "gpumm:no-device", "gpumm:nd-array", "gpumm:unsupported"})))
%!     continue;
%!   endif
%!   if (! isempty (strfind (typeinfo (A), "diagonal")) && ! isempty (strfind (typeinfo (B), "diagonal")))
%!     continue; # Octave 7 leaves some of their product undefined: special.tst
%!   endif
%!   oracle = [];
%!   try
%!     R = expected (A, B, options);
%!   catch oracle
%!   end_try_catch
%!   if (isempty (oracle) != isempty (failure))
%!     if (isempty (failure))
%!       error ("%s: a result, but Octave says: %s", here, oracle.message);
%!     endif
%!     error ("%s: Octave has a result, and gpumm says: %s", here, failure.message);
%!   elseif (isempty (failure))
%!     products++;
%!     ## Strassen's algorithm spreads NaN and Inf further: docs/strassen.md
%!     if (strcmpi (option (options, "Algorithm", "auto"), "strassen") && any (! isfinite (full (R(:)))))
%!       continue;
%!     endif
%!     text = difference (C, R);
%!     if (! isempty (text))
%!       error ("%s: %s", here, text);
%!     endif
%!   endif
%! endfor
%! printf ("fuzz.tst: %d products compared, %d calls refused\n", products, refused);
%! assert (cases < 100 || products > cases / 10);
%! assert (cases < 100 || refused > cases / 10);
