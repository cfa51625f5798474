## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## report = puzzle_run (text, file, judge)
##
## Compiles the student's TEXT with puzzles/puzzle.h and the JUDGE, and runs it in a process of its own.
## REPORT has the fields kind ("right", or what went wrong), line (of the student's text, 0 if unknown),
## text, counts, lines (of the accesses of each line), race, printed and warning.
## FILE is the name for messages.

function report = puzzle_run (text, file, judge)

  report = struct ("kind", "", "line", 0, "text", "", "counts", struct (), "lines", {{}}, ...
                   "race", [], "printed", "", "warning", "");
  compiler = find_compiler ();
  [folder, gone] = temporary_folder ("gpumm_puzzle");

  source = {"#include \"puzzle.h\"", "#define float gpu::real", "#define double gpu::real", ...
            ["#line 1 \"" file "\""], checked_arrays(text), "#undef float", "#undef double", ...
            "namespace gpu {", "#line 1 \"judge\"", judge, "}", ""};
  source = strjoin (source, "\n");
  __write_file__ (fullfile (folder, "kernel.cc"), source, "gpumm_puzzle", ...
                  {"gpumm:unwritable", "gpumm:unwritable"});
  here = fileparts (fileparts (mfilename ("fullpath")));
  command = ["cd %s && %sLC_ALL=C %s -std=c++17 -O1 -g1 -fno-pie -no-pie " ...
             "-fno-threadsafe-statics -fsanitize=bounds " ...
             "-fsanitize-undefined-trap-on-error -Wuninitialized -fno-diagnostics-show-caret " ...
             "-I %s kernel.cc -o kernel 2>&1 </dev/null"];
  [status, said] = system (sprintf (command, __quoted_word__ (folder), process_limits (60), ...
                                    compiler, __quoted_word__ (fullfile (here, "puzzles"))));
  report = compiler_said (report, said, file, status != 0, sum (text == "\n") + 1);
  if (status != 0)
    return;
  endif
  command = "cd %s && ./kernel report </dev/null >printed 2>&1; echo $?";
  [~, status] = system (sprintf (command, __quoted_word__ (folder)));
  report = program_said (report, folder, file, strtrim (status));

endfunction

function compiler = find_compiler ()

  for compiler = {"g++", "clang++"}
    if (! isempty (file_in_path (getenv ("PATH"), compiler{1})))
      compiler = compiler{1};
      return;
    endif
  endfor
  error ("gpumm:no-compiler", ["gpumm_puzzle: needs a C++ compiler, g++ or clang++, and none is " ...
                               "on the PATH. Install g++ (Debian, Ubuntu: apt-get install g++; " ...
                               "Fedora: dnf install gcc-c++)"]);

endfunction

## CUDA's arrays become those of puzzle.h, in the lines in which they stand.
function text = checked_arrays (text)

  ## Comments become blanks: what is in them is not to be replaced.  regexp takes UTF-8 only.
  text(text > 126) = "?";
  [from, to] = regexp (text, '"(?:[^"\\\n]|\\.)*"|//[^\n]*|/\*.*?\*/');
  for i = find (text(from) == "/")
    part = text(from(i):to(i));
    part(part != "\n") = " ";
    text(from(i):to(i)) = part;
  endfor
  text = regexprep (text, '\<((const\s+)?(float|double|int|unsigned))\s*\*\s*(?=[A-Za-z_)])', ...
                    'gpu::pointer<$1> ');
  text = regexprep (text, '([(,=]\s*)&\s*(\w+)\s*\[([^\[\]]*)\](?!\s*\[)', '$1$2 + ($3)');
  [from, to, tokens] = regexp (text, '__shared__\s+(\w+)\s+([^;]*);', "start", "end", "tokens");
  for i = numel (from):-1:1
    made = "";
    for one = ostrsplit (tokens{i}{2}, ",")
      name = regexp (one{1}, '\w+', "match", "once");
      sizes = strcat ({", "}, regexp (one{1}, '(?<=\[)[^\]]*(?=\])', "match"));
      made = sprintf ("%sstatic gpu::shared<%s> %s {\"%s\"};", made, [tokens{i}{1} sizes{:}], ...
                      name, name);
    endfor
    lines = text(from(i):to(i)) == "\n";
    text = [text(1:from(i)-1), made, repmat("\n", 1, sum (lines)), text(to(i)+1:end)];
  endfor

endfunction

## ---- what the compiler and the program say ------------------------------------------------------

## The first error of the compiler, or a variable that it finds uninitialized, in the words of CUDA.
function report = compiler_said (report, said, file, failed, count)

  own = ["^" regexptranslate("escape", file) ':(\d+)(?::\d+)?: '];
  if (! failed)
    pattern = [own '(?:note: .(\w+)\S* was declared here|warning: .(\w+)\S* is used uninit)'];
    found = regexp (said, pattern, "tokens", "once", "lineanchors");
    if (! isempty (found))
      report.warning = sprintf ("%s (line %s) is used before it has a value", found{2}, found{1});
    endif
    return;
  endif
  said = regexprep (said, '(const )?gpu::pointer<(const )?gpu::real>', '$2float *');
  said = regexprep (said, '(gpu::)?(pointer|array)<((const )?\w+(::real)?)>', '$3 *');
  said = regexprep (said, 'gpu::element<([\w:]+)>', '$1');
  said = strrep (said, "gpu::real", "float");
  found = regexp (said, [own '(?:fatal )?error: ([^\n]*)'], "tokens", "once", "lineanchors");
  report.kind = "compiler";
  if (isempty (found))
    found = regexp (said, '(?:error|undefined)[: ]+([^\n]*)', "tokens", "once");
    report.text = ["the compiler fails: " strtrim(said)];
    if (! isempty (found))
      report.kind = "signature";
      report.text = found{1};
    endif
  elseif (str2double (found{1}) > count)
    report.kind = "signature";
    report.text = "a { has no }";
  else
    report.line = str2double (found{1});
    report.text = strtrim (regexprep (found{2}, ' *\[-W\S*\]', ""));
  endif

endfunction

function report = program_said (report, folder, file, status)

  report.printed = fileread (fullfile (folder, "printed"));
  report.kind = "crash";
  report.text = sprintf ("the program ends with status %s and no report", status);
  if (strcmp (status, "126"))
    error ("gpumm:unwritable", ["gpumm_puzzle: programs in %s may not run. Set the environment " ...
                                "variable TMPDIR to a folder of yours"], folder);
  elseif (! exist (fullfile (folder, "report"), "file"))
    return;
  endif
  pc = "";
  for row = ostrsplit (fileread (fullfile (folder, "report")), "\n")
    [word, rest] = strtok (row{1});
    switch (word)
      case "pc"
        pc = strtrim (rest);
      case "counts"
        report.kind = "right";
        report.text = "";
        report.counts = cell2struct (num2cell (sscanf (rest, "%d")), ...
                                     {"sectors", "passes", "conflicts", "barriers", "operations"}, 1);
      case "line"
        report.lines{end+1} = strsplit (strtrim (rest));
      case "race"
        [numbers, ~, ~, at] = sscanf (rest, "%d", 3);
        report.race = struct ("write", numbers(1), "other", numbers(2), "blocks", numbers(3), ...
                              "text", strtrim (rest(at:end)));
      case "fail"
        found = regexp (rest, '^ (\w+) (\d+) (.*)$', "tokens", "once");
        report.kind = found{1};
        report.line = str2double (found{2});
        report.text = found{3};
    endswitch
  endfor
  if (! isempty (pc))
    report.line = line_of (pc, folder, file, report.line);
  endif

endfunction

## The line of the student's text that had this address; else the line of the last access.
function line = line_of (pc, folder, file, line)

  command = "cd %s && addr2line -i -e kernel %s 2>/dev/null";
  [~, said] = system (sprintf (command, __quoted_word__ (folder), pc));
  found = regexp (said, ['(?:^|/)' regexptranslate("escape", file) ':(\d+)'], "tokens", "once", ...
                  "lineanchors");
  if (! isempty (found))
    line = str2double (found{1});
  endif

endfunction
