## [FS, UNITS, KEEPS_ZERO] = elementwise (KIND): the elementwise functions of gpuArrays, the units in
## the last place by which each may differ from Octave's, and whether f (0) is 0.  KIND is "all";
## "zero": those with the number 0 as f (0), so not isnan; "nonzero": those without 0.
## SPDX-License-Identifier: BSD-3-Clause

function [fs, units, keeps_zero] = elementwise (kind = "all")

  table = __gpuarray__ ("functions");
  fs = cellfun (@str2func, table.elementwise, "UniformOutput", false);
  assert (numel (fs) > 15 && numel (fs) == numel (table.units));
  is_number = cellfun (@(f) isnumeric (f (0)), fs);
  some = struct ("all", true (size (fs)), "zero", table.keeps_zero & is_number, ...
                 "nonzero", ! table.keeps_zero).(kind);
  fs = fs(some);
  units = table.units(some);
  keeps_zero = table.keeps_zero(some);

endfunction
