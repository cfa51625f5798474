## walk_functions.m - what Octave's functions make of a blocksparse beside what they make of the full
## matrix.
##
##   [WRONG, CALLS] = walk_functions (FOLDERS)
##
## The list is Octave's own: its builtin functions and those of its folders.  WRONG has a line for
## each call that gives something else than the full matrix does, without an error that names
## full (S) or sparse (S).
## SPDX-License-Identifier: BSD-3-Clause

function [wrong, calls] = walk_functions (only = {})

  warning ("off", "all", "local");
  ## the one of Octave formats the help text, 0.3 s a call
  eval ("function print_usage (varargin), error (\"Invalid call\"); endfunction");
  wrong = {};
  calls = 0;
  names = functions_of_octave ();
  if (! isempty (only))
    names = only;
  endif
global T
T = cell2struct (repmat ({0}, numel (names), 1), names(:), 1);
  for S = operands ()
    for arguments = patterns (S{1})
      for name = names
        if (any (strcmp (name{1}, {"nzmax", "typeinfo", "class", "sizeof", "isa", "disp", "display"})))
          continue; # asked apart: they tell a blocksparse from a full matrix
        endif
        global T
        t0 = time ();
fprintf (stderr, "@%s %s\n", name{1}, strrep (disp (arguments{1}), "\n", " "));
        [text, done] = compare (name{1}, arguments{1});
        T.(name{1}) += time () - t0;
if (time () - t0 > 0.3) fprintf (stderr, "SLOW %s %g %s\n", name{1}, time () - t0, disp (arguments{1})); end
        calls += done;
        if (! isempty (text))
          wrong{end+1} = text;
        endif
      endfor
    endfor
  endfor

endfunction

function list = operands ()
  global OP
  rand ("twister", 3);
  A = [4, 1, 0, 0; 1, 5, 0, 0; 0, 0, 6, 2; 0, 0, 2, 7];
  list = {blocksparse(A, 2), blocksparse(single ([1, 2i, 0, 0, 3, 0]), [1, 2]), ...
          blocksparse(int8 ([3, 2; -100, 7; 0, 0; 0, 0]), 2), blocksparse(3, 1), ...
          blocksparse(0, 3, 1)};
  list = list(OP);
endfunction

function list = patterns (S)
  list = {{S}, {S, S}, {S, 2}, {1, S}};
endfunction

function [text, done] = compare (name, arguments)
  text = "";
  done = 0;
  f = arguments;
  for i = 1:numel (f)
    if (isa (f{i}, "blocksparse"))
      f{i} = full (f{i});
    elseif (iscell (f{i}))
      f{i} = {full(f{i}{1})};
    endif
  endfor
  for nout = 1:1 + (numel (arguments) == 1)
    rand ("twister", 1); randn ("twister", 1); rande ("twister", 1);
    [expected, err] = result (name, f, nout);
    if (isempty (err) || nout == 1)
      rand ("twister", 1); randn ("twister", 1); rande ("twister", 1);
      [given, error_given] = result (name, arguments, nout);
      done++;
      if (isempty (err) && isempty (error_given))
        try
          yes = same (given, expected);
        catch
          yes = true; disp(name)
        end
        if (! yes)
          text = "another value";
        endif
      elseif (isempty (err))
        if (isempty (regexp (error_given, 'full \(S\)|sparse \(S\)')))
          text = error_given;
        endif
      elseif (isempty (error_given))
        text = ["no error: " err];
      endif
      if (! isempty (text))
        text = sprintf ("%s: %s, %d outputs: %s", name, strjoin (cellfun (@disp_of, ...
                        arguments, "UniformOutput", false), ", "), nout, strtrim (text));
        return;
      endif
    endif
  endfor
endfunction

function t = disp_of (x)
  if (isa (x, "blocksparse"))
    t = sprintf ("S (%dx%d %s)", size (x), underlyingType (x));
  else
    t = strtrim (disp (x))(1:min(end,20));
  endif
endfunction

function [out, err] = result (name, arguments, nout)
  out = cell (1, nout);
  err = "";
  try
    [out{:}] = feval (name, arguments{:});
  catch e
    err = e.message;
    if (isempty (err))
      err = "?";
    endif
  end_try_catch
endfunction

function yes = same (x, y)
  if (isa (x, "blocksparse"))
    x = full (x);
  endif
  if (iscell (x) && iscell (y))
    yes = isequal (size (x), size (y));
    for i = 1:numel (x) * yes
      yes = yes && same (x{i}, y{i});
    endfor
  elseif (isnumeric (x) && isnumeric (y) || islogical (x) && islogical (y))
    yes = strcmp (class (x), class (y)) && isequal (size (x), size (y));
    if (yes && (isfloat (x) || issparse (x)))
      x = full (x)(:);
      y = full (y)(:);
      yes = isequaln (x, y) || (isequal (isnan (x), isnan (y)) && all (abs (x - y) <= 1e-5 * (1 + abs (y)) | x == y | isnan (x)));
    elseif (yes)
      yes = isequal (x, y);
    endif
  elseif (is_function_handle (x) && is_function_handle (y))
    yes = true; 
  else
    yes = isequaln (x, y);
  endif
endfunction

function names = functions_of_octave ()
  left_out = {"^__", "^[A-Z_]+$|^[FSWOP]_|^(meta\\.|PS)", ...
    "rand", "^(exit|quit|input|keyboard|system|shell_cmd|unix|dos|fork|exec|pipe|popen2?|pclose|kill|waitpid|dup2|mkfifo|mkstemp|tmpfile|umask|unlink|rename|rmdir|mkdir|link|symlink|delete|cd|chdir|setenv|putenv|unsetenv|fclose|fclear|diary|more|edit.*|run_history|history.*|readline.*|pause|kbhit|yes_or_no|clear|clc|home|db.*|mlock|munlock|atexit|addpath|rmpath|path|restoredefaultpath|rehash|autoload|source|evalin|assignin|evalc|eval|drawnow|save|load|print.*|add_input_event_hook|remove_input_event_hook|urlread|urlwrite|copyfile|movefile|gzip|bzip2|warning|error|rethrow|beep.*|lasterr|lasterror|lastwarn|quad|dlmwrite|csvwrite|java.*|set|reset|figure|desktop|workspace|commandwindow|commandhistory|filebrowser|openvar|audio.*|register_graphics_toolkit|onCleanup|cputime|time|clock|tic|toc|now|date|getrusage|gmtime|localtime|getpwent|getgrent|setpwent|setgrent|endpwent|endgrent|mfilename|who|whos|nargin|nargout|isargout|exist|inputname|info|news|doc|mex|mkoctfile|publish|license|ver|menu|bug_report|open|list_primes|demo|example|test|oruntests|rundemos|speed|runtests|parseparams|print_usage|citation|tempname|fprintf|printf|puts|fputs|fdisp|fwrite|fopen|freport|getpid|dir|ls|what|tar|zip|untar|unzip|unpack|pack|memory|profile.*|recycle|jupyter_notebook|perl|python|isdeployed|inputParser|mktime|usejava|computer|winqueryreg|mustBe.*|max_recursion_depth|run|clearvars|addproperty|addlistener|dellistener|superiorto|inferiorto|crash_dumps.*|.*_core|page_.*|debug_.*|waitfor|scanf|fscanf|gets|fget[ls]|genvarname|namelengthmax|dblist|perms|rat|rats|treeplot|etreeplot|gplot|freqz|freqz_plot|spy|periodogram|polyout|ppplot|odeplot|getappdata|humps|celldisp|hist|menu|cplxpair|struct2hdl|parseparams|evalc|odeset|file_in_path|cell|pcr|bicg|bicgstab|cgs|gmres|qmr|tfqmr|krylov|condest|corrcoef|arch_.*|mpoles|residue|convhull.*|delaunay.*|voronoi.*|griddata.*|tsearch.*|dsearch.*|gallery|glpk|sqp)$"};
  use = {"builtin", "elfun", "general", "geometry", "linear-algebra", "miscellaneous", ...
         "polynomial", "set", "signal", "sparse", "specfun", "special-matrix", "statistics", ...
         "strings", "legacy", "optimization"};
  names = unique ([__builtins__()(:); __list_functions__()(:)]).';
  keep = true (size (names));
  for i = 1:numel (names)
    file = file_in_loadpath ([names{i} ".m"]);
    folder = "builtin";
    if (! isempty (file))
      [~, folder] = fileparts (fileparts (file));
    endif
    keep(i) = any (strcmp (folder, use));
    if (keep(i) && strcmp (folder, "builtin"))
      keep(i) = isempty (strfind (get_help_text (names{i}), "Query or set"));
    endif
    for r = left_out
      keep(i) = keep(i) && isempty (regexp (names{i}, r{1}, "once"));
    endfor
  endfor
  names = names(keep);
endfunction
