## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## exercise (id, answer)
## right = exercise (id, answer)
##
## In the process of a student this function is exercise: gpumm_grade copies the file.  It sends the
## answer to gpumm_grade, which checks it.  If the answer is a function, gpumm_grade has it called
## here until the verdict comes.

function right = exercise (id, answer)

  if (is_function_handle (answer))
    words = {};
    try
      words = student_code (answer);
    catch # the checks will call it, and say why it fails
    end_try_catch
    text = ["function:" grade_text(strjoin (words, "\n"))];
  else
    text = grade_text (answer);
  endif
  grade_tell ("answer", id, text);
  words = hear ();
  while (strcmp (words{1}, "call"))
    try
      results = cell (1, str2double (words{2}));
      arguments = cellfun (@argument, words(3:end), "UniformOutput", false);
      [results{:}] = answer (arguments{:});
      texts = cellfun (@grade_text, results, "UniformOutput", false);
    catch err
      grade_tell ("failed", grade_text (err.message));
      words = hear ();
      continue;
    end_try_catch
    grade_tell ("result", texts{:});
    words = hear ();
  endwhile
  if (nargout > 0)
    right = strcmp (words{2}, "right");
  endif

endfunction

## A function among the arguments is in gpumm_grade's process and is called there.
function value = argument (text)
  if (strncmp (text, "function:", 9))
    value = @(varargin) call_back (text(10:end), varargin);
  else
    value = grade_value (text);
  endif
endfunction

function varargout = call_back (number, arguments)
  texts = cellfun (@grade_text, arguments, "UniformOutput", false);
  grade_tell ("call", sprintf ("%d", max (nargout, 1)), number, texts{:});
  words = hear ();
  varargout = cellfun (@grade_value, words(2:end), "UniformOutput", false);
  if (strcmp (words{1}, "failed"))
    error ("%s", varargout{1});
  endif
endfunction

## fgetl waits for the character after a line, so gpumm_grade sends an empty line after each.
function words = hear ()
  stream = fopen ("/dev/fd/3", "r");
  words = ostrsplit (fgetl (stream), " ");
  fclose (stream);
endfunction
