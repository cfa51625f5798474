## C = exact_integer_product (A, B, CLASS): the product of two integer matrices of one class,
## without rounding, saturated once to the integer CLASS.  It is the oracle of the integer tests.
##
## The operands are split into limbs of 16 bits; the highest limb has the sign.  If A has at most
## 2^18 columns, sums of products of limbs stay below 2^53 and are exact in double.  Carries then
## turn the sums into limbs again.
## SPDX-License-Identifier: BSD-3-Clause

function C = exact_integer_product (A, B, class)

  intmax (class); # an error for another class
  A = A(:,:); # N-d arrays are matrices for a product
  B = B(:,:);
  a = limbs (A);
  b = limbs (B);
  sums = cell (1, 8);
  sums(:) = zeros (rows (A), columns (B));
  for i = 1:4
    for j = 1:4
      sums{i+j-1} += a{i} * b{j};
    endfor
  endfor
  carry = zeros (rows (A), columns (B));
  for w = 1:8
    total = sums{w} + carry;
    carry = floor (total / 65536);
    sums{w} = total - carry * 65536;
  endfor
  ## value = low + high * 2^64; only the sign of high, and whether high is 0 or -1, matter
  low = zeros (rows (A), columns (B), "uint64");
  for w = 4:-1:1
    low = bitor (bitshift (low, 16), uint64 (sums{w}));
  endfor
  high = sums{5} + 65536 * (sums{6} + 65536 * (sums{7} + 65536 * (sums{8} + 65536 * carry)));

  if (strcmp (class, "uint64"))
    C = low;
    C(high > 0) = intmax ("uint64");
    C(high < 0) = 0;
  else
    half = bitshift (uint64 (1), 63);
    C = int64 (bitand (low, half - 1)); # below 2^63: exact
    negative = high == -1 & low >= half;
    C(negative) = intmin ("int64") + C(negative);
    C(high > 0 | (high == 0 & low >= half)) = intmax ("int64");
    C(high < -1 | (high == -1 & low < half)) = intmin ("int64");
    C = cast (C, class); # saturates
  endif

endfunction

function l = limbs (X)
  l = cell (1, 4);
  if (intmin (class (X)) < 0)
    rest = int64 (X);
    for i = 1:3
      low = bitand (rest, int64 (65535)); # two's complement
      l{i} = double (low);
      rest = bitshift (rest - low, -16); # rest - low is a multiple of 65536
    endfor
  else
    rest = uint64 (X);
    for i = 1:3
      low = bitand (rest, uint64 (65535));
      l{i} = double (low);
      rest = bitshift (rest, -16);
    endfor
  endif
  l{4} = double (rest);
endfunction
