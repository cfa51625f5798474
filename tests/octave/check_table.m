## check_table (FS, LIST, ...): compares each function of the cell array FS with each of LIST, where
## an element is an operand or the cell array of all operands. What follows is for compare.
## SPDX-License-Identifier: BSD-3-Clause

function check_table (fs, list, varargin)

  step = 1;
  if (numel (fs) * numel (list) > 300)
    step = cell_step ();
  endif
  texts = {};
  for i = 1:numel (fs)
    for j = 1+mod (i, step):step:numel (list)
      operands = list{j};
      if (! iscell (operands))
        operands = list(j);
      endif
      text = compare (fs{i}, operands, varargin{:});
      if (! isempty (text))
        texts{end+1} = text;
      endif
    endfor
  endfor
  fail_with (texts);

endfunction
