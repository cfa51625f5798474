## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## -*- texinfo -*-
## @deftypefn {} {@var{data} =} figure_data (@var{what}, @var{name}, @var{value}, @dots{})
## Measure what @code{gpumm_plot (@var{what}, @dots{})} draws, and draw nothing.
##
## The arguments are those of @code{gpumm_plot}, which draws @var{data} by its option
## @qcode{"Data"}: so what was measured on two machines makes two figures.
## @seealso{gpumm_plot, from_gpu}
## @end deftypefn

function data = figure_data (what, varargin)
  [h, data] = gpumm_plot (what, varargin{:});
  close (h);
endfunction
