## check_table (FS, LIST, ...): compares each function of the cell array FS with each of LIST, where
## an element is an operand or the cell array of all operands. What follows is for compare.
##
## Where Octave computes what gpuArrays hold, every third cell of a long table is compared, so that
## each function and each operand has its turn.
## SPDX-License-Identifier: BSD-3-Clause

function check_table (fs, list, varargin)

  step = 1;
  if (numel (fs) * numel (list) > 300 && __gpuarray__ ("device", gpuArray (1)) == -1)
    step = 3;
  endif
  texts = {};
  for i = 1:numel (fs)
    for j = 1+mod (i, step):step:numel (list)
      operands = list{j};
      if (! iscell (operands))
        operands = list(j);
      endif
      texts{end+1} = compare (fs{i}, operands, varargin{:});
    endfor
  endfor
  fail_with (texts);

endfunction
