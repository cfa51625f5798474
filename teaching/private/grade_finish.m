## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## report = grade_finish (c, exercises)
##
## Checks the answers of the process that grade_start started, in this process, until it ends.
## REPORT has the fields cells (the code cell of each exercise, 0 if there is none), verdicts (of
## each exercise, "" if its cell has not called exercise), failed (the error of each code cell, ""
## if there is none), stop (why the process ended early, "" if it did not) and cell (in which).
##
## What comes from the process is what it would give to exercise: answers, no verdicts.

function report = grade_finish (c, exercises)

  c.begun = tic (); # the process may have waited
  report = struct ("cells", zeros (size (exercises)), "verdicts", ...
                   {repmat({""}, size (exercises))}, "failed", {{}}, "stop", "", "cell", 0);
  unwind_protect
    do
      words = hear (c);
      try
        report = told (report, words, c, exercises);
      catch # no line of grade_run or grade_exercise
        report.stop = "the cell disturbs gpumm_grade";
      end_try_catch
    until (any (strcmp (words{1}, {"end", "ended"})) || ! isempty (report.stop))
    if (strcmp (words{1}, "ended"))
      report.stop = why_ended (c);
      report.verdicts(report.cells == report.cell) = {""}; # it ended in this check
    endif
  unwind_protect_cleanup
    grade_stop (c);
  end_unwind_protect

endfunction

function report = told (report, words, c, exercises)

  switch (words{1})
    case "has"
      report.cells(strcmp (exercises, words{3})) = cell_number (words{2});
    case "cell"
      report.cell = cell_number (words{2});
    case "failed"
      report.failed{report.cell} = readable (grade_value (words{2}));
    case "unreadable"
      report.stop = ["it is no notebook: ", readable(grade_value (words{2}))];
    case "answer"
      verdict = "";
      which = strcmp (exercises, words{2});
      if (any (which))
        verdict = verdict_on (c, words{2:3});
        report.verdicts{which} = verdict;
      endif
      tell (c, {"verdict", {"wrong", "right"}{1 + strcmp(verdict, "right")}});
  endswitch

endfunction

function k = cell_number (word)
  k = str2double (word);
  if (! any (k == 1:1e4))
    error ("no number of a cell");
  endif
endfunction

## ---- the checks ---------------------------------------------------------------------------------

function verdict = verdict_on (c, id, text)

  if (strncmp (text, "function:", 9))
    words_of_student = ostrsplit (grade_value (text(10:end)), "\n");
    answer = @(varargin) call_student (c, words_of_student, varargin);
  else
    answer = grade_value (text);
  endif
  said = strtok (evalc ("exercise (id, answer);"), "\n"); # the next line tells of hints
  verdict = strrep (readable (said(numel (["exercise ", id, ": "])+1:end)), ...
                    "not answered yet", "not answered");

endfunction

## Calls the student's function in its process.  That process may call functions among the
## arguments.
function varargout = call_student (c, words_of_student, arguments)

  texts = cell (size (arguments));
  for i = 1:numel (arguments)
    texts{i} = sprintf ("function:%d", i);
    if (! is_function_handle (arguments{i}))
      texts{i} = grade_text (arguments{i});
    endif
  endfor
  tell (c, [{"call", sprintf("%d", max (nargout, 1))}, texts]);
  words = hear (c);
  while (strcmp (words{1}, "call"))
    try
      f = arguments{str2double (words{3})};
      given = cellfun (@grade_value, words(4:end), "UniformOutput", false);
      results = cell (1, min (str2double (words{2}), 10));
      [results{:}] = f (given{:});
      tell (c, [{"result"}, cellfun(@grade_text, results, "UniformOutput", false)]);
    catch err
      tell (c, {"failed", grade_text(err.message)});
    end_try_catch
    words = hear (c);
  endwhile
  if (! strcmp (words{1}, "result"))
    words(end+1:2) = {""}; # "ended" has no more
    error ("%s", readable (grade_value (words{2})));
  endif
  varargout = cellfun (@grade_value, words(2:end), "UniformOutput", false);

endfunction

## ---- the process --------------------------------------------------------------------------------

function tell (c, words)
  fputs (c.to, [strjoin(words, " "), "\n\n"]); # the second: see grade_exercise.m
  fflush (c.to);
endfunction

## The words of the next line; "ended" if there is none, if the time is over, or if it has no end.
function words = hear (c)

  line = "";
  seconds = 1e-4;
  while (toc (c.begun) < c.seconds && numel (line) < 1e6)
    fclear (c.from);
    errno (0);
    piece = fgets (c.from, 1e6);
    if (ischar (piece))
      line = [line, piece];
      if (line(end) == "\n")
        words = ostrsplit (line(1:end-1), " ");
        return;
      endif
    elseif (errno () == errno_list ().EAGAIN)
      pause (seconds);
      seconds = min (2 * seconds, 0.02); # an answer to a call comes soon, the end of a cell may not
    else
      break;
    endif
  endwhile
  words = {"ended"};

endfunction

function why = why_ended (c)

  over = sprintf ("time limit of %g s", c.seconds);
  do
    [pid, status] = waitpid (c.pid, WNOHANG);
    if (toc (c.begun) >= c.seconds)
      why = over;
      return;
    endif
    pause (0.001);
  until (pid == c.pid)
  signal = 0;
  if (WIFSIGNALED (status))
    signal = WTERMSIG (status);
  elseif (WEXITSTATUS (status) > 128) # what a shell and bwrap make of a signal
    signal = WEXITSTATUS (status) - 128;
  endif
  if (signal == 0)
    why = "it ends Octave";
  elseif (signal == SIG ().KILL && toc (c.started) >= c.seconds)
    why = over;
  else
    why = sprintf ("Octave crashes (signal %d)", signal);
  endif

endfunction
