## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## -*- texinfo -*-
## @deftypefn  {} {} exercise (@var{id}, @var{answer})
## @deftypefnx {} {@var{right} =} exercise (@var{id}, @var{answer})
## Say whether the answer to an exercise is right, and if not, why.
##
## @var{id} names the notebook and its exercise: @qcode{"2.1"} is exercise 1 of notebook 2.
## @var{answer} is a number, a vector, or a function that @code{exercise} tries on some cases.  No
## answer raises an error.  An empty answer, or a function that returns @code{[]}, counts as not
## answered yet.  If the function fails, @code{exercise} prints its error.  Below a wrong answer it
## names the call of @code{hint}.  Where an exercise forbids something, @code{exercise} looks for it
## in the source of the function.  An unknown exercise is the error @code{gpumm:bad-value}.
##
## The answers are computed or counted; those to notebook 1 are in @file{private/answers_1.m}.
## Copies of the lessons do not have these files.
## @seealso{hint, score}
## @end deftypefn

function right = exercise (id, answer)

  number = sscanf (id, "%d.%d");
  if (! (numel (number) == 2 && any (number(1) == 1:lesson_count ()) && any (number(2) == 1:3)))
    error ("gpumm:bad-value", ["exercise: there is no exercise %s; the exercises are " ...
                               "1.1 to %d.3, three in each notebook"], id, lesson_count ());
  endif
  if (isnumeric (answer))
    answer = double (answer); # sums and squares of an integer class would saturate
  endif
  if (isempty (answer))
    verdict = false;
    said = "not answered yet";
  else
    try
      why = feval (sprintf ("answers_%d", number(1)), number(2), answer);
      verdict = isempty (why);
      said = {["wrong: ", why], "right"}{1 + verdict};
    catch err
      verdict = false;
      if (strcmp (err.identifier, "gpumm:not-answered"))
        said = "not answered yet";
      elseif (! is_function_handle (answer))
        said = "wrong: the answer must be a function, with @ before its name";
      else
        said = ["wrong: your answer stops with \"", err.message, "\""];
      endif
    end_try_catch
  endif
  solved (sprintf ("%d.%d", number), verdict);
  printf ("exercise %s: %s\n", id, said);
  if (strncmp (said, "wrong", 5))
    printf ("For a hint: hint (\"%s\")\n", id);
  endif
  if (nargout > 0)
    right = verdict;
  endif

endfunction
