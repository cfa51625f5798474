## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## -*- texinfo -*-
## @deftypefn  {} {} hint (@var{id})
## @deftypefnx {} {} hint (@var{id}, @var{k})
## Print a hint for an exercise.
##
## @var{id} names the notebook and its exercise: @qcode{"2.1"} is exercise 1 of notebook 2.  There
## are three hints for each exercise.  The first call prints the first hint, a question.  The next
## call prints the second, the step that is usually missed, and the third call prints the
## calculation with other numbers, or code with gaps, @code{___}.  After the third hint
## @code{hint} says where to look next.
##
## @code{hint (@var{id}, @var{k})} prints hint @var{k}, 1 to 3, again.  An unknown exercise is the
## error @code{gpumm:bad-value}.
## @seealso{exercise}
## @end deftypefn

function hint (id, k)

  persistent given = []; # for each row of the table
  mlock (); # "clear all" in a notebook keeps the count

  if (nargin < 1)
    print_usage ();
  endif
  table = hints ();
  if (! ischar (id))
    error ("gpumm:bad-value", "hint: ID must be a string, as in hint (\"%s\")", table{1,1});
  endif
  row = find (strcmp (table(:,1), id));
  if (isempty (row))
    error ("gpumm:bad-value", ["hint: there is no exercise %s; the exercises are %s to %s, " ...
                               "three in each notebook"], id, table{[1, end],1});
  endif
  if (nargin == 1)
    given(end+1:rows (table)) = 0;
    k = given(row) + 1;
    given(row) = k;
  elseif (! (is_number (k) && any (k == 1:3)))
    error ("gpumm:bad-value", "hint: K must be 1, 2 or 3");
  endif
  if (k > 3)
    printf (["There are three hints for exercise %s, and you have seen all of them. Read the " ...
             "section \"%s\" of the lesson again, or ask your teacher.\n"], id, table{row,2});
  else
    printf ("hint %d of 3 for exercise %s:\n%s\n", k, id, table{row,2+k});
  endif

endfunction
