## gpuarray_functions.tst - Octave's functions of a gpuArray give an error or the right value.
## SPDX-License-Identifier: BSD-3-Clause

%!test
%! [wrong, calls, names] = walk_functions ("gpuArray");
%! assert (numel (names) > 500, "%d functions", numel (names));
%! assert (calls > 20000);
%! ## bsxfun of one sparse element is full on the host, and sparse .\ 2 complex; a complex array of a device
%! ## stays complex where all imaginary parts are zero
%! known = '^(center \(1x1 sparse|ldivide \(3x3 sparse|(realpow|corrcoef) \(1x3 gpuArray single)';
%! wrong = wrong(cellfun (@isempty, regexp (wrong, known)));
%! assert (isempty (wrong), "%d calls are wrong:\n%s", numel (wrong), strjoin (wrong(1:min (end, 30)), "\n"));

%!test # arguments and outputs that a method does not take
%! [wrong, calls, names] = walk_functions ("gpuArray", "arguments");
%! assert (numel (names) > 70 && calls > 6000, "%d calls of %d methods", calls, numel (names));
%! assert (isempty (wrong), "%d calls are wrong:\n%s", numel (wrong), strjoin (wrong(1:min (end, 30)), "\n"));

%!test # empty arrays, which some functions of Octave cannot take at all
%! for x = {[], zeros(0, 3), zeros(3, 0), single(zeros (0, 1)), sparse(0, 3), 5, int8(5)}
%!   y = unique (x{1});
%!   z = gather (unique (gpuArray (x{1})));
%!   assert (class (z), class (y));
%!   assert (z, y);
%! endfor
%!assert (class (gather (cumtrapz (gpuArray (uint8 (7)), 2))), "uint8")
%!assert (class (gather (cat (2, gpuArray (zeros (1, 0, "single")), gpuArray (3)))), "single")
%!assert (isindex (gpuArray (sparse ([true, false]))))
%!error id=gpumm:gpuArray:gather unique (gpuArray ([1, 2, 2]))
%!error id=gpumm:gpuArray:gather gsvd (gpuArray (eye (2)), eye (2))
%!error id=gpumm:gpuArray:gather 2 / gpuArray (sparse ([0; 2; 0]))
