## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## -*- texinfo -*-
## @deftypefn  {} {} score (@var{number})
## @deftypefnx {} {} score ()
## @deftypefnx {} {@var{count} =} score (@dots{})
## Say how many exercises of a notebook are solved and which are left.
##
## @var{number} is the number of the notebook.  Without it, @code{score} counts all notebooks that
## ran in this Octave.  An exercise is solved if its last answer was right.  With an output argument
## @code{score} prints nothing and returns the number of solved exercises.
## @seealso{exercise}
## @end deftypefn

function count = score (number = 1:lesson_count ())

  if (! (isnumeric (number) && ! isempty (number)
         && all (ismember (number(:), 1:lesson_count ()))))
    error ("gpumm:bad-value", "score: the notebooks have the numbers 1 to %d", lesson_count ());
  endif
  ids = arrayfun (@(n, i) sprintf ("%d.%d", n, i), repmat (number(:).', 3, 1), ...
                  repmat ((1:3).', 1, numel (number)), "UniformOutput", false)(:).';
  done = ismember (ids, solved ());
  if (nargout > 0)
    count = sum (done);
  elseif (all (done))
    printf ("%d of %d solved\n", sum (done), numel (ids));
  else
    printf ("%d of %d solved; left: %s\n", sum (done), numel (ids), strjoin (ids(! done), ", "));
  endif

endfunction
