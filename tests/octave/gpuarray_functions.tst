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
