## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## -*- texinfo -*-
## @deftypefn  {} {} gpumm_grade (@var{folder})
## @deftypefnx {} {} gpumm_grade (@var{folder}, @var{option}, @var{value}, @dots{})
## @deftypefnx {} {@var{grades} =} gpumm_grade (@dots{})
## Run the notebooks that a class handed in, and check the answers to their exercises.
##
## @var{folder} has a folder for each student with the student's notebooks, also in folders below,
## as Moodle and nbgrader make it.  Files such as @file{Anna_2-block-size.ipynb} are found, too.
## Unpack archives before.  The table has a row for each student and a column for each exercise of
## the lessons that someone handed in:
##
## @example
## @group
## gpumm_grade ("handed-in")
## @end group
## @end example
##
## @example
## @group
## student      2.1  2.2  2.3  right
## Anna Becker   +    +    -       2
## Jo Miller     +    .    !       1
## + right, - wrong, . not answered, ! did not run, blank: no notebook
## handed-in/grades.csv has the reasons
## @end group
## @end example
##
## @code{gpumm_grade} writes the table with the reasons to @file{grades.csv} in @var{folder}, and
## replaces an older one.  The file has the columns student, one for each exercise, and right, the
## number of right answers.  It is UTF-8 with commas and quotes (RFC 4180).
##
## With an output argument nothing is printed.  @var{grades} is a struct with the fields
## @code{students} and @code{exercises}, the names of the rows and columns, @code{verdicts}, a cell
## array of strings, and @code{right}.  A verdict is one of
##
## @table @asis
## @item right
## @itemx wrong: @var{reason}
## as the check in the notebook says
## @item not answered
## the answer is still empty
## @item did not run: @var{reason}
## the cell with the answer stops with an error, such as a syntax error, ends Octave, needs more
## time or memory than it may have, or is missing; or the file is not a notebook
## @item no notebook
## the student has no notebook of this lesson
## @end table
##
## If a student has several notebooks of a lesson, the best answer to each exercise counts.
##
## Each notebook runs from its first to its last cell in an Octave of its own: in a copy, with the
## functions in the @file{.m} files beside it, without a GPU, and without drawing.  It may take 4 GB
## of memory and 60 seconds; the option @qcode{"Seconds"} sets another time.  If a cell takes too
## long or ends Octave, the notebook runs again without this cell, up to three times.  A lesson
## takes about 2 seconds on one processor, and as many notebooks run at a time as there are
## processors.
##
## Stored outputs and printed text do not count.  The checks run in your Octave.  The process of the
## notebook sends answers only: values, and results of its functions when a check calls them.  So a
## notebook that prints @qcode{"right"}, or redefines @code{exercise} or what the checks use, gains
## nothing.  Two things are not prevented.  Exercises 1.2, 3.2, 5.2 and 7.1 forbid something, and
## for this rule the process also sends the source of the function: code made for it can send
## another source.  And code that calls gpumm's kernels or tries one answer after the other until
## @code{exercise} says that it is right, is not told from other code.
##
## Students' code runs in a sandbox if the program @command{bwrap} works (Debian, Ubuntu, Fedora:
## package @code{bubblewrap}).  The sandbox has no network and no home folders.  The programs of the
## system, Octave and the lessons are read-only, and the checks and the other notebooks are not
## there.  Without @command{bwrap} students' code runs as you: it can read, change and send all that
## you can, also the grades.  @code{gpumm_grade} says so and asks.  A script that cannot be asked
## writes @code{gpumm_grade (@var{folder}, "AsMe", true)}; otherwise the error is
## @code{gpumm:no-sandbox}.  With @qcode{"AsMe"}, too, @command{bwrap} is used where it works.
## @seealso{gpumm_lessons}
## @end deftypefn

function grades = gpumm_grade (folder, varargin)

  if (nargin == 0)
    print_usage ();
  endif
  is_folder = ischar (folder) && isrow (folder) && isfolder (tilde_expand (folder));
  if (! is_folder)
    error ("gpumm:bad-value", "gpumm_grade: FOLDER must be the folder that the class handed in");
  endif
  is_time = @(x) isnumeric (x) && isscalar (x) && isreal (x) && x > 0 && x <= 3600;
  options = __options_of__ ("gpumm_grade", varargin, ...
                            {"AsMe", false, @(x) isequal(x, true) || isequal(x, false), ...
                             "true or false"; ...
                             "Seconds", 60, is_time, "a number above 0, at most 3600"});
  given = folder;
  folder = make_absolute_filename (tilde_expand (folder));
  lessons = lessons_folder ("gpumm_grade");
  [students, jobs] = handed_in (folder);
  if (isempty (jobs))
    error ("gpumm:bad-value", ["gpumm_grade: no notebooks (*.ipynb) in %s; put the notebooks " ...
                               "of each student into a folder there"], given);
  endif

  [functions, gone] = functions_of_process (lessons);
  how.seconds = options.seconds;
  how.taken = regexprep ([files_in(functions, ".m"), files_in(lessons, ".m")], '\.m$', "");
  at_once = nproc ();
  how.longest = ceil (4 * (at_once + 1) * options.seconds) + 60;
  how.program = program_of_process (functions, lessons, options.asme);

  exercises = exercises_of (lessons);
  numbers = cellfun (@(id) sscanf (id, "%d", 1), exercises);
  verdicts = repmat ({"no notebook"}, numel (students), numel (exercises));
  running = cell (1, numel (jobs));
  before = cd (lessons); # no function of another folder comes before exercise
  unwind_protect
    for i = 1:numel (jobs)
      __progress__ (i - 1, numel (jobs));
      for k = i:min (numel (jobs), i + at_once - 1)
        if (isempty (running{k}))
          running{k} = grade_start (jobs(k), how, []);
        endif
      endfor
      c = running{i};
      running{i} = []; # grade_finish stops it
      now = verdicts_on (jobs(i), c, how, exercises, numbers);
      row = jobs(i).student;
      better = rank_of (now) > rank_of (verdicts(row,:));
      verdicts(row,better) = now(better);
    endfor
  unwind_protect_cleanup
    __progress__ ();
    cd (before);
    cellfun (@grade_stop, running);
  end_unwind_protect

  seen = unique (numbers(any (! strcmp (verdicts, "no notebook"), 1)));
  these = ismember (numbers, seen);
  grades = struct ("students", {students}, "exercises", {exercises(these)}, ...
                   "verdicts", {verdicts(:,these)}, ...
                   "right", sum (strcmp (verdicts, "right"), 2));
  file = fullfile (folder, "grades.csv");
  __write_file__ (file, csv_of (grades), "gpumm_grade", {"gpumm:unwritable", "gpumm:unwritable"});
  if (nargout == 0)
    print_grades (grades);
    printf ("%s has the reasons\n", fullfile (given, "grades.csv"));
    clear grades
  endif

endfunction

## ---- what is there ------------------------------------------------------------------------------

## The exercises of all lessons, in their order.
function exercises = exercises_of (lessons)

  exercises = {};
  for file = files_in (lessons, ".ipynb")
    text = fileread (fullfile (lessons, file{1}));
    found = regexp (text, 'exercise \(\\"(\d+\.\d+)\\"', "tokens");
    exercises = [exercises, found{:}];
  endfor
  numbers = cellfun (@(id) sscanf (id, "%d.%d").', exercises, "UniformOutput", false);
  [~, order] = unique (vertcat (numbers{:}), "rows");
  exercises = exercises(order);

endfunction

## The names in a folder that end so.  Hidden ones do not count, nor what macOS puts into archives.
function names = files_in (folder, ending)
  [names, ~] = readdir (folder); # nothing in a folder that cannot be read
  names = sort (names).';
  ends_so = @(name) isempty (ending) || strncmpi (fliplr (name), fliplr (ending), numel (ending));
  names = names(cellfun (ends_so, names));
  names = names(! strncmp (names, ".", 1) & ! strcmp (names, "__MACOSX"));
endfunction

## The names of the students, and the notebooks as jobs: the row of the student, the file, the
## lesson by the name of the file (NaN if it has no number), and the functions beside it.
function [students, jobs] = handed_in (folder)

  students = {};
  jobs = struct ("student", {}, "file", {}, "lesson", {}, "helpers", {});
  notebooks = files_in (folder, ".ipynb");
  for name = files_in (folder, "")
    inside = [folder, filesep(), name{1}]; # fullfile takes UTF-8 only
    if (isfolder (inside))
      student = regexprep (readable (name{1}), '_assignsubmission_file_?$', "");
      [students, row] = row_of (students, student);
      jobs = add_notebooks (jobs, inside, row);
    elseif (any (strcmp (name{1}, notebooks)))
      parts = regexp (readable (name{1}), '^(.+?)(_assignsubmission_file)?_(\d+-.*)$', "tokens", ...
                      "once");
      if (isempty (parts))
        parts = {readable(name{1}(1:end-6)), name{1}};
      endif
      [students, row] = row_of (students, parts{1});
      jobs(end+1) = job_of (row, inside, parts{end}, {});
    endif
  endfor

endfunction

## The student's row; a new student gets the next one.
function [students, row] = row_of (students, student)
  row = find (strcmp (students, student));
  if (isempty (row))
    students{end+1,1} = student;
    row = numel (students);
  endif
endfunction

function jobs = add_notebooks (jobs, folder, row)

  notebooks = files_in (folder, ".ipynb");
  helpers = strcat (folder, filesep (), files_in (folder, ".m"));
  for name = files_in (folder, "")
    inside = [folder, filesep(), name{1}];
    if (S_ISDIR (lstat (inside).mode)) # a link may lead in a circle
      jobs = add_notebooks (jobs, inside, row);
    elseif (any (strcmp (name{1}, notebooks)))
      jobs(end+1) = job_of (row, inside, name{1}, helpers);
    endif
  endfor

endfunction

function job = job_of (row, file, name, helpers)
  job = struct ("student", row, "file", file, "lesson", [sscanf(name, "%d", 1), NaN](1), ...
                "helpers", {helpers});
endfunction

## ---- the process of a notebook ------------------------------------------------------------------

## A folder with the functions that the process needs besides gpumm's.
function [folder, gone] = functions_of_process (lessons)

  [folder, gone] = temporary_folder ("gpumm_grade");
  here = fullfile (fileparts (mfilename ("fullpath")), "private");
  files = {here, "grade_run.m", "grade_run.m"; here, "grade_tell.m", "grade_tell.m"; ...
           here, "grade_text.m", "grade_text.m"; here, "grade_value.m", "grade_value.m"; ...
           here, "grade_exercise.m", "exercise.m"; ...
           fullfile(lessons, "private"), "student_code.m", "student_code.m"; ...
           fullfile(lessons, "private"), "hints.m", "hints.m"}; # the checks stay where they are
  for file = files.'
    copy_file (fullfile (file{1:2}), fullfile (folder, file{3}));
  endfor

endfunction

## A function that returns the words of the command for a working folder.  The command has no more
## of the environment than it needs.
function program = program_of_process (functions, lessons, as_me)

  gpumm = unique (cellfun (@(name) fileparts (which (name)), ...
                           {"gpumm_info", "gpumm_grade", "__gpumm_info__"}, ...
                           "UniformOutput", false));
  octave = fullfile (OCTAVE_EXEC_HOME (), "bin", "octave-cli");
  start = [__quoted_word__(octave), " --no-history --norc --path ", ...
           __quoted_word__(strjoin ([{functions}, gpumm, {lessons}], pathsep ()))];
  kept = "";
  for name = {"PATH", "LANG", "LC_ALL", "LC_CTYPE", "LD_LIBRARY_PATH"}
    kept = [kept, name{1}, "=", __quoted_word__(getenv (name{1})), " "];
  endfor
  environment = @(folder) ["env -i ", kept, "HOME=", __quoted_word__(folder), " TMPDIR=", ...
                           __quoted_word__(folder), " OMP_NUM_THREADS=1 CUDA_VISIBLE_DEVICES= "];
  read_only = [{functions}, gpumm, {lessons, OCTAVE_HOME(), OCTAVE_EXEC_HOME()}, ...
               ostrsplit(getenv ("LD_LIBRARY_PATH"), pathsep ())];
  hidden = fullfile (lessons, {"private", "teacher"});
  program = @(folder) [environment(folder), sandbox(folder, read_only, hidden), start];

  [status, said] = system ([program(functions), " --eval \"gpumm_info ();\" 2>&1 </dev/null"]);
  if (status == 0)
    return;
  endif
  why = strtrim (strtok (said, "\n"));
  refused = ["students' code would run as you, without a sandbox: bwrap is not there or fails " ...
             "(" why ")"];
  if (! as_me)
    if (! isguirunning () && system ("test -t 0") != 0)
      error ("gpumm:no-sandbox", ["gpumm_grade: %s. Install bubblewrap (Debian, Ubuntu: " ...
                                  "apt-get install bubblewrap; Fedora: dnf install " ...
                                  "bubblewrap), or write gpumm_grade (FOLDER, \"AsMe\", " ...
                                  "true)"], refused);
    endif
    printf ("gpumm_grade: %s.\nThe code can read, change and send all that you can.\n", refused);
    if (! strcmp (strtrim (input ("Run it? yes or no: ", "s")), "yes"))
      error ("gpumm:no-sandbox", "gpumm_grade: not run, because %s", refused);
    endif
  endif
  program = @(folder) [environment(folder), start];

endfunction

## The words of bwrap.  In the sandbox are the system's programs, the folders READ_ONLY without
## those HIDDEN, and the working folder.
function words = sandbox (folder, read_only, hidden)

  words = ["bwrap --unshare-all --die-with-parent --new-session --cap-drop ALL --proc /proc " ...
           "--dev /dev --tmpfs /tmp "];
  for name = {"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/nix", "/gnu", ...
              "/etc/alternatives", "/etc/fonts", "/etc/ld.so.cache", "/etc/ld.so.conf", ...
              "/etc/ld.so.conf.d", "/etc/localtime", read_only{:}}
    if (! isempty (name{1}))
      words = [words, "--ro-bind-try ", __quoted_word__(name{1}), " ", ...
               __quoted_word__(name{1}), " "];
    endif
  endfor
  for name = hidden(isfolder (hidden))
    words = [words, "--tmpfs ", __quoted_word__(name{1}), " "];
  endfor
  words = [words, "--bind ", __quoted_word__(folder), " ", __quoted_word__(folder), " --chdir ", ...
           __quoted_word__(folder), " "];

endfunction

## ---- verdicts -----------------------------------------------------------------------------------

## The verdicts on a notebook, "no notebook" for the exercises of other lessons.
function now = verdicts_on (job, c, how, exercises, numbers)

  skip = [];
  stopped = {};
  do
    report = grade_finish (c, exercises);
    again = ! isempty (report.stop) && report.cell > 0 && numel (skip) < 3;
    if (again)
      skip(end+1) = report.cell;
      stopped{report.cell} = report.stop;
      c = grade_start (job, how, skip);
    endif
  until (! again)
  errors = report.failed;
  errors(skip) = stopped(skip);
  errors(end+1:max ([report.cells, 1])) = {""};

  now = repmat ({"no notebook"}, size (exercises));
  lessons = unique (numbers(report.cells > 0));
  if (isempty (lessons))
    lessons = job.lesson;
  endif
  for k = find (ismember (numbers, lessons))
    now{k} = verdict_of (report, errors, k);
  endfor

endfunction

## An answer is in the cell before that of the exercise.
function verdict = verdict_of (report, errors, k)

  at = report.cells(k);
  verdict = report.verdicts{k};
  if (strcmp (verdict, "right"))
    return;
  elseif (at == 0)
    reason = "the cell of the exercise is missing";
    if (! isempty (report.stop) && report.cell == 0)
      reason = report.stop;
    endif
  elseif (at > 1 && ! isempty (errors{at-1}))
    reason = errors{at-1};
  elseif (! isempty (verdict))
    return;
  elseif (! isempty (errors{at}))
    reason = errors{at};
  elseif (! isempty (report.stop))
    reason = ["a cell before it does not: ", report.stop];
  else
    reason = "its cell does not call gpumm's function exercise";
  endif
  if (! isempty (strfind (reason, "out of memory")))
    reason = "memory limit of 4 GB";
  endif
  verdict = ["did not run: ", reason];

endfunction

## How good verdicts are, from 1 to 5.
function ranks = rank_of (verdicts)
  words = cellfun (@(verdict) strtok (verdict, " :"), verdicts, "UniformOutput", false);
  [~, ranks] = ismember (words, {"no", "did", "not", "wrong", "right"});
endfunction

## ---- the table ----------------------------------------------------------------------------------

function text = csv_of (grades)

  table = [{"student"}, grades.exercises, {"right"}; ...
           grades.students, grades.verdicts, cellfun(@num2str, num2cell (grades.right), ...
                                                     "UniformOutput", false)];
  text = "";
  for row = table.'
    quoted = cellfun (@(field) ["\"" strrep(field, "\"", "\"\"") "\""], row.', ...
                      "UniformOutput", false);
    text = [text, strjoin(quoted, ","), "\r\n"];
  endfor

endfunction

function print_grades (grades)

  signs = " !.-+"(rank_of (grades.verdicts));
  signs = reshape (signs, size (grades.verdicts));
  lengths = cellfun (@(name) sum (bitand (uint8 (name), 192) != 128), grades.students); # of UTF-8
  width = max ([lengths; 7]);
  printf ("%-*s  %sright\n", width, "student", sprintf ("%-5s", grades.exercises{:}));
  for i = 1:numel (grades.students)
    printf ("%s%s  %s%5d\n", grades.students{i}, blanks (width - lengths(i)), ...
            sprintf (" %c   ", signs(i,:)), grades.right(i));
  endfor
  printf ("%s\n", "+ right, - wrong, . not answered, ! did not run, blank: no notebook");

endfunction

%!error <Invalid call> gpumm_grade ()
%!error id=gpumm:bad-value gpumm_grade (1)
%!error id=gpumm:bad-value gpumm_grade (tempname ())
%!error id=gpumm:bad-value gpumm_grade (tempdir (), "Seconds", 0)
%!error id=gpumm:unknown-option gpumm_grade (tempdir (), "As", true)
