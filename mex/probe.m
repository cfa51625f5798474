## probe.m - does this Octave adopt arrays that allocate.cc allocates? Exits with 0 if it does.
## SPDX-License-Identifier: BSD-3-Clause
##
## Each array must have its class, complexness and size, take values, and be released, small and
## large, many times over: an Octave that returned the memory to another allocator would crash here
## (CMakeLists.txt turns the C library's heap checks on) and not in a user's session.
classes = {"single", "double", "single", "double", "int8", "int16", "int32", "int64", ...
           "uint8", "uint16", "uint32", "uint64"};
ok = true;
for round = 1:20
  for n = [0, 2, 3, 700]
    for type = 0:11 # the order of gpumm_type
      x = __gpumm_allocate__ ([type, n, n + 1, -1]);
      is_complex = any (type == [2, 3]) && n > 0;
      ok &= isa (x, classes{type + 1}) && iscomplex (x) == is_complex ...
            && all (size (x) == [n, n + 1]);
      x(:) = 5;
      ok &= all (x(:) == 5);
      y = x;
      y(1) = 7;
      ok &= n == 0 || x(1) == 5;
    endfor
    for type = [1, 3]
      x = __gpumm_allocate__ ([type, n, n + 1, 10 * n]);
      is_complex = type == 3 && n > 0;
      ok &= issparse (x) && iscomplex (x) == is_complex && all (size (x) == [n, n + 1]) ...
            && nnz (x) == is_complex;
      y = x * 2;
    endfor
  endfor
endfor
exit (! ok);
