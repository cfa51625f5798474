## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## -*- texinfo -*-
## @deftypefn {} {@var{data} =} figure_data (@var{what}, @var{name}, @var{value}, @dots{})
## Measure what @code{gpumm_plot (@var{what}, @dots{})} draws, and draw nothing.
##
## The arguments are those of @code{gpumm_plot}.  @code{gpumm_plot} draws @var{data} with its option
## @qcode{"Data"}, so data from two machines make two figures.
## @seealso{gpumm_plot, from_gpu}
## @end deftypefn

function data = figure_data (what, varargin)
  [h, data] = gpumm_plot (what, varargin{:});
  close (h);
endfunction
