## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## -*- texinfo -*-
## @deftypefn  {} {} gpumm_puzzle ()
## @deftypefnx {} {} gpumm_puzzle (@var{N})
## @deftypefnx {} {} gpumm_puzzle (@var{N}, "hint")
## @deftypefnx {} {[@var{ok}, @var{info}] =} gpumm_puzzle (@var{N})
## Write a CUDA kernel in your editor, and have it run, checked and scored on the CPU.
##
## @code{gpumm_puzzle ()} lists the puzzles, with your scores in the current folder:
##
## @example
## @group
## gpumm_puzzle ()
##   @print{} Type gpumm_puzzle (N) to begin a puzzle, and again to have it judged.
##   @print{}    1  One thread for each element...
## @end group
## @end example
##
## The first call of @code{gpumm_puzzle (@var{N})} writes the file @file{puzzle_NN.cu} into the
## current folder.  The head of the file is the task.  Write the body of the kernel, save the file,
## and call @code{gpumm_puzzle (@var{N})} again: it compiles the kernel, runs it, and compares the
## result.  No file is overwritten.  To start again, delete the file.
##
## You need no GPU, but a C++ compiler, @code{g++} or @code{clang++} (Debian: @code{apt-get install
## g++}).  The kernel runs on the CPU in a process of its own, which has 2 seconds, 1 GiB of memory
## and the rights of your account.  Its threads run one at a time, in three orders: forwards,
## backwards, and shuffled.  Each access to an array is checked: its index, and whether another
## thread accesses the same element without a barrier between.
##
## A puzzle is solved if the result is right and no count is more than 1.1 times the reference's.
## The counts are
##
## @table @asis
## @item sectors
## of 32 bytes that the warps load from and store to global memory
## @item passes
## over the 32 banks of shared memory
## @item bank conflicts
## passes beyond one for each request of a warp
## @item barriers
## that the blocks pass
## @item operations
## on floating-point numbers
## @end table
##
## @code{gpumm_puzzle (@var{N}, "hint")} prints a hint.  There are three for each puzzle, and each
## call prints the next one.
##
## With output arguments nothing is printed.  @var{ok} is true if the puzzle is solved.  @var{info}
## is a struct with the fields @code{puzzle}, @code{title}, @code{file}, @code{state} (@qcode{"new"},
## @qcode{"wrong"}, @qcode{"right"} if only the counts are too high, or @qcode{"solved"}),
## @code{message}, @code{line} (of your file, 0 if there is none), @code{hint}, @code{counts},
## @code{reference}, @code{score} (0 to 100) and @code{printed}, what the kernel printed.
##
## Kernels have the words of CUDA that the puzzles need: @code{__shared__} arrays of one or two
## dimensions, @code{__syncthreads}, @code{atomicAdd}, @code{printf}, @code{threadIdx} and the like.
## All floating-point numbers are single, there are no warp shuffles, and a declaration has one
## pointer.  A solution also compiles with nvcc.
## @seealso{gpumm_kernel, gpumm_lessons, gpumm_source}
## @end deftypefn

function [ok, info] = gpumm_puzzle (n, word)

  if (nargin == 0)
    list_puzzles ();
    return;
  endif
  task = puzzle_tasks (n);
  if (nargin == 2)
    if (! strcmp (word, "hint"))
      error ("gpumm:bad-value", "gpumm_puzzle: the second argument must be \"hint\"");
    endif
    print_hint (task);
    return;
  endif

  file = sprintf ("puzzle_%02d.cu", n);
  info = struct ("puzzle", n, "title", task.title, "file", file, "ok", false, "state", "wrong", ...
                 "message", "", "line", 0, "hint", "", "counts", struct (), ...
                 "reference", task.score, "score", 0, "printed", "");
  if (exist (fullfile (pwd (), file), "file"))
    text = fileread (file);
    report = puzzle_run (text, file, task.judge);
    info.printed = report.printed;
    info = puzzle_verdict (info, task, report);
    if (is_to_write (task) && strcmp (text, [task.head task.given]))
      info.hint = sprintf (["%s is as it was written. Write the kernel there, and save the file " ...
                            "in your editor."], file);
    endif
    remember (n, text, info.score);
  else
    text = [task.head task.given];
    __write_file__ (file, text, "gpumm_puzzle", ...
                    {"gpumm:unwritable", "gpumm:unwritable"});
    info.state = "new";
    info.message = sprintf (["The task is in %s, in this folder. %s the kernel there, save the " ...
                             "file, and type gpumm_puzzle (%d) again."], file, ...
                            {"Mend", "Write"}{1 + is_to_write(task)}, n);
  endif
  ok = info.ok;
  info = rmfield (info, "ok");
  if (nargout == 0)
    print_verdict (info, text);
    clear ok
  endif

endfunction

## Is the body left to the student?  Otherwise a kernel is given, and has a fault.
function yes = is_to_write (task)
  yes = ! isempty (strfind (task.given, "/* Write this body. */"));
endfunction

## ---- what is printed ----------------------------------------------------------------------------

function print_verdict (info, text)

  printf ("Puzzle %d, %s: %s\n", info.puzzle, info.title, info.state);
  if (! isempty (info.printed))
    printed = ostrsplit (strtrim (info.printed), "\n");
    printf ("  %s\n", printed{1:min (20, end)});
    if (numel (printed) > 20)
      printf ("  ... and %d more lines\n", numel (printed) - 20);
    endif
  endif
  if (info.line > 0)
    lines = ostrsplit (text, "\n");
    printf ("%s:%d: %s\n", info.file, info.line, ...
            strtrim (lines{min (info.line, end)}));
  endif
  printf ("%s\n", wrapped (info.message));
  measures = fieldnames (info.counts).';
  if (! isempty (measures))
    printf ("\n%-16s%10s%12s\n", "", "yours", "reference");
    for name = measures
      wanted = "";
      if (isfield (info.reference, name{1}))
        wanted = sprintf ("%d", info.reference.(name{1}));
      endif
      printf ("%-16s%10d%12s\n", strrep (name{1}, "conflicts", "bank conflicts"), ...
              info.counts.(name{1}), wanted);
    endfor
    printf ("%-16s%10d%12d\n\n", "score", info.score, 100);
  endif
  if (! isempty (info.hint))
    printf ("%s\n", wrapped (["Hint: " info.hint]));
  endif

endfunction

## Lines of at most 80 columns.
function text = wrapped (text)
  text = strtrim (regexprep (text, '([^\n]{1,80})(?:[ \n]|$)', "$1\n"));
endfunction

## The next of the three hints; after the last the first again.
function print_hint (task)

  persistent given = [];
  given(end+1:task.number) = 0;
  k = mod (given(task.number), numel (task.hints)) + 1;
  given(task.number) = k;
  head = sprintf ("Hint %d of %d for puzzle %d: ", k, numel (task.hints), task.number);
  printf ("%s\n", wrapped ([head task.hints{k}]));

endfunction

function list_puzzles ()

  printf ("%s\n", "Type gpumm_puzzle (N) to begin a puzzle, and again to have it judged.");
  for task = puzzle_tasks ().'
    line = sprintf ("%4d  %-44s%s", task.number, task.title, state_of (task.number));
    printf ("%s\n", deblank (line));
  endfor

endfunction

## ---- what is solved -----------------------------------------------------------------------------

## .gpumm-puzzles in the current folder has for each puzzle its number, the hash of the file that was
## judged last, and its score.
function rows = remembered ()

  rows = cell (0, 3);
  if (exist (fullfile (pwd (), ".gpumm-puzzles"), "file"))
    found = regexp (fileread (".gpumm-puzzles"), '^(\d+) ([0-9a-f]+) (\d+)$', "tokens", ...
                    "lineanchors");
    rows = reshape ([found{:}], 3, []).';
  endif

endfunction

function remember (n, text, score)

  rows = remembered ();
  number = sprintf ("%d", n);
  rows(strcmp (rows(:,1), number),:) = [];
  rows(end+1,:) = {number, hash("md5", text), sprintf("%d", score)};
  rows = rows.';
  text = sprintf ("%s %s %s\n", rows{:});
  try # a teacher may not write into the folder of a student
    __write_file__ (".gpumm-puzzles", text, "gpumm_puzzle", ...
                    {"gpumm:unwritable", "gpumm:unwritable"});
  catch
  end_try_catch

endfunction

function state = state_of (n)

  file = sprintf ("puzzle_%02d.cu", n);
  state = "";
  if (exist (fullfile (pwd (), file), "file"))
    state = "begun";
    rows = remembered ();
    row = find (strcmp (rows(:,1), sprintf ("%d", n)));
    if (! isempty (row) && strcmp (rows{row,2}, hash ("md5", fileread (file))))
      state = sprintf ("score %s", rows{row,3});
    endif
  endif

endfunction

%!error <second argument must be "hint"> gpumm_puzzle (1, "answer")
%!error id=gpumm:bad-value gpumm_puzzle (0)
%!error id=gpumm:bad-value gpumm_puzzle ("1")
%!error id=Octave:invalid-fun-call gpumm_puzzle (1, "hint", 3)
