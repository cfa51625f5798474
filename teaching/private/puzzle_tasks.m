## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## tasks = puzzle_tasks ()
## task = puzzle_tasks (n)
##
## The tasks of gpumm_puzzle, one file each in puzzles/, as structs with their number and title.  Of
## one task also its sections: the head and the given body for the student, the judge, the reference's
## counts, the hints.

function tasks = puzzle_tasks (n)

  folder = fullfile (fileparts (fileparts (mfilename ("fullpath"))), "puzzles");
  names = glob (fullfile (folder, "[0-9][0-9]-*.cu"));
  numbers = cellfun (@(name) sscanf (name(numel (folder) + (2:3)), "%d"), names);
  if (nargin > 0)
    if (! (isnumeric (n) && isscalar (n) && any (n == numbers)))
      error ("gpumm:bad-value", ["gpumm_puzzle: N must be the number of a puzzle, 1 to %d, as in " ...
                                 "gpumm_puzzle (1)"], max (numbers));
    endif
    names = names(numbers == n);
  endif
  tasks = cellfun (@read_task, names);

endfunction

function task = read_task (name)

  text = fileread (name);
  [parts, heads] = split_at (text, '^//// *([^\n]*)\n');
  task = struct ("number", 0, "title", "", "head", parts{1}, "given", "", "judge", "", ...
                 "score", struct (), "hints", {{}});
  found = regexp (text, '^/\* Puzzle (\d+): ([^\n]*)', "tokens", "once");
  task.number = str2double (found{1});
  task.title = found{2};
  for i = 1:numel (heads)
    [word, rest] = strtok (heads{i});
    switch (word)
      case {"given", "judge"}
        task.(word) = parts{i+1};
      case "score"
        for pair = regexp (rest, '([a-z]+) (\d+)', "tokens")
          task.score.(pair{1}{1}) = str2double (pair{1}{2});
        endfor
      case "hint"
        task.hints{end+1} = strtrim (regexprep (parts{i+1}, '\s*// *', " "));
    endswitch
  endfor

endfunction

## The parts of TEXT between the lines that match, and what is a token of these lines.
function [parts, heads] = split_at (text, pattern)

  [from, to, tokens] = regexp (text, pattern, "start", "end", "tokens", "lineanchors");
  heads = cellfun (@(t) t{1}, tokens, "UniformOutput", false);
  from(end+1) = numel (text) + 1;
  to = [0, to];
  parts = arrayfun (@(i) text(to(i)+1:from(i)-1), 1:numel (from), "UniformOutput", false);

endfunction
