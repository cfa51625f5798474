## [DEVICE, ROWS] = read_results (FILE, FIRST, FORMAT): the device that a CSV file's comments name, and its
## columns, as textscan reads them by FORMAT.  The line of names begins with FIRST.
## SPDX-License-Identifier: BSD-3-Clause
function [device, rows] = read_results (file, first, format)
  content = fileread (file);
  device = regexp (content, '^# (NVIDIA[^,\n]*)', "tokens", "once", "lineanchors"){1};
  rows = textscan (regexprep (content, ['^(#|' first ',)[^\n]*\n'], "", "lineanchors"), format, ...
                   "delimiter", ",");
endfunction
