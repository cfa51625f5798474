## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## info = puzzle_verdict (info, task, report)
##
## Sets ok, state, message, line, hint, counts and score of INFO, from the report of puzzle_run.

function info = puzzle_verdict (info, task, report)

  info.line = report.line;
  race = report.race;
  switch (report.kind)
    case "right"
      if (isempty (race))
        info = scored (info, task, report);
        return;
      endif
      info.message = "The result is right by luck: it depends on the order of the threads.";
    case "order"
      info.message = ["The result depends on the order of the threads: " report.text "."];
    case "compiler"
      info.message = ["The compiler says: " report.text];
    case "signature"
      info.message = ["The kernel does not fit the call of the puzzle: " report.text];
    otherwise
      info.message = [report.text "."];
  endswitch
  info.hint = hint_for (report);
  if (! isempty (race))
    info.line = race.other;
    lines = sprintf ("lines %d and %d", race.write, race.other);
    if (race.write == race.other)
      lines = sprintf ("line %d", race.write);
    endif
    info.message = sprintf ("%s\nIn %s %s, without a barrier between.", info.message, lines, ...
                            race.text);
  endif
  if (! isempty (report.warning))
    info.message = sprintf ("%s\n%s.", info.message, report.warning);
  endif

endfunction

## What to try where the result is wrong or the kernel fails.
function hint = hint_for (report)

  race = report.race;
  hint = "";
  switch (report.kind)
    case "compiler"
      if (strncmp (report.text, "expected", 8))
        hint = "Look at the line above, too: a missing sign is noticed at the next word.";
      endif
    case "signature"
      hint = "Keep the kernel's name and arguments as they were given, and close each {.";
    case "bounds"
      hint = ["There can be more threads than elements: let a thread beyond the end read and write " ...
              "nothing. Check <= against <, and rows against columns."];
    case "divergence"
      hint = ["All threads of a block must reach the same __syncthreads (): move it out of the if, " ...
              "and do not return before it."];
    case "shared"
      hint = "Use a smaller tile.";
    case "endless"
      hint = "Does the variable of this loop change, and does the condition become false?";
    case "crash"
      if (! isempty (strfind (report.text, "outside")))
        hint = "Look at the indices and the sizes of arrays in this line.";
      endif
    case "memory"
      hint = "A thread needs no memory of its own but a few variables.";
    case "order"
      hint = "Does a thread use the value that atomicAdd returns? It depends on the order.";
    case "unwritten"
      hint = ["Does a thread write this element? Results and shared memory are NaN until a thread " ...
              "writes them."];
    case "wrong"
      hint = ["Follow the thread that writes this element: which elements does it read, and " ...
              "which should it read?"];
  endswitch
  if (isempty (race))
    return;
  endif
  if (race.blocks)
    hint = ["Blocks run in any order and do not wait for each other. One block must write each " ...
            "element, or all must use atomicAdd (&x[i], value)."];
  elseif (race.write == race.other)
    hint = sprintf (["Several threads write the same element in line %d. Let one thread write it, " ...
                     "or use atomicAdd (&x[i], value)."], race.write);
  else
    hint = sprintf (["A barrier is missing: put __syncthreads (); between the accesses in lines %d " ...
                     "and %d. In a loop it may belong at the loop's end."], race.write, race.other);
  endif

endfunction

## The counts beside the reference's, where the result is right.
function info = scored (info, task, report)

  info.counts = report.counts;
  measures = fieldnames (task.score).';
  own = cellfun (@(name) report.counts.(name), measures);
  reference = cellfun (@(name) task.score.(name), measures);
  shares = min (1, (reference + 1) ./ (own + 1));
  info.score = round (100 * mean (shares));
  worse = own > 1.1 * reference;
  info.ok = ! any (worse);
  info.line = 0;
  if (info.ok)
    info.state = "solved";
    info.message = "The result is right in all orders of the threads, and the counts are good.";
    return;
  endif
  info.state = "right";
  [~, worst] = min (shares);
  info.message = sprintf ("The result is right, but the kernel has %d %s, the reference %d.", ...
                          own(worst), strrep (measures{worst}, "conflicts", "bank conflicts"), ...
                          reference(worst));
  switch (measures{worst})
    case "sectors"
      [info.line, info.hint] = hint_of_line (report.lines, "global");
    case "conflicts"
      [info.line, info.hint] = hint_of_line (report.lines, "shared");
    case "barriers"
      info.hint = "Which __syncthreads () can go, because no thread reads what another one wrote?";
    case "operations"
      info.hint = "Which result does more than one thread compute, or one thread more than once?";
  endswitch

endfunction

## The line whose accesses waste most, and what to do about it.
function [line, hint] = hint_of_line (lines, where)

  lines = lines(cellfun (@(x) strcmp (x{3}, where), lines));
  number = @(i) cellfun (@(x) str2double (x{i}), lines);
  [waste, worst] = max (number (6) - number (7));
  line = 0;
  if (waste <= 0 || (strcmp (where, "global") && number (6)(worst) < 1.5 * number (7)(worst)))
    hint = ["Each access is good, but there are too many. Each x[i] of your text counts: keep in " ...
            "a variable what a thread uses twice. Or has another thread of the block loaded it?"];
    return;
  endif
  row = lines{worst};
  line = str2double (row{1});
  each = @(i) sprintf ("%.3g", str2double (row{i}) / str2double (row{5}));
  if (strcmp (where, "global"))
    hint = sprintf (["Line %d is not coalesced: a warp's %s of %s touches %s sectors of 32 bytes, " ...
                     "and %s would do. Let neighbours in threadIdx.x use neighbours in memory."], ...
                    line, row{4}, row{2}, each (6), each (7));
  else
    hint = sprintf (["Line %d has bank conflicts: a warp's %s of %s takes %s passes, and 1 would " ...
                     "do. Threads of a warp should use different columns of a row, or rows of an " ...
                     "odd length."], line, row{4}, row{2}, each (6));
  endif

endfunction
