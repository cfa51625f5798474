## walk_functions.m - compares Octave's functions of a blocksparse with those of the full matrix, or
## those of a gpuArray with those of the host's array.
##
##   [WRONG, CALLS, NAMES] = walk_functions ()
##   [WRONG, CALLS, NAMES, WORK] = walk_functions ("gpuArray")
##   [WRONG, CALLS, NAMES] = walk_functions (TYPE, "arguments")
##
## It calls Octave's builtin functions and those in Octave's folders of mathematics; with
## "arguments" the methods of the type, with options and with more arguments and outputs than they
## take.  WRONG has a line for each call whose result differs in value, class, size or sparsity.  A
## call may fail only if the error names full (S) or sparse (S), or if the full matrix fails too; of
## a gpuArray if the error has an identifier, or says what an argument must be, and if the code runs
## that a refusal says to write.  Where the host's call fails, the other must, too.  WORK has the
## names of Octave's files that gave a right result of a full matrix, their first argument.
## SPDX-License-Identifier: BSD-3-Clause

function [wrong, calls, names, work] = walk_functions (type = "blocksparse", what = "functions")

  state = warning ();
  unwind_protect
    warning ("off", "all");
    if (strcmp (what, "arguments"))
      names = methods_to_call (type);
      lists = with_arguments (type);
    else
      names = functions_to_call ();
      lists = lists_of (type);
    endif
    step = 1;
    if (strcmp (type, "gpuArray"))
      step = cell_step ();
    endif
    evalc ("[wrong, calls, work] = all_calls (names, lists, step);"); # some functions print
  unwind_protect_cleanup
    warning (state);
  end_unwind_protect

endfunction

function lists = lists_of (type)
  if (strcmp (type, "gpuArray"))
    lists = lists_of_arrays ();
    return;
  endif
  S = blocksparse ([4, 1, 0, 0; 1, 5, 0, 0; 0, 0, 6, 2; 0, 0, 2, 7], 2);
  C = blocksparse (single ([1, 2i, 0, 0, 3, 0]), [1, 2]);
  N = blocksparse (int8 ([3, 2; -100, 7; 0, 0; 0, 0]), 2);
  lists = {{S}, {S, S}, {S, 2}, {1, S}, {C}, {N}, {N, 2}, {N, N}, {int8(1), N}, {"%g ", S}};
endfunction

## Bytes stay below 128: isalpha and unicode_idx of other text read memory that is not their own.
function lists = lists_of_arrays ()
  S = [4, 1, 0; 1, 5, 0; 0, 0, 6];
  B = blocksparse ([4, 1, 0, 0; 1, 5, 0, 0; 0, 0, 6, 2; 0, 0, 2, 7], 2);
  matrices = {S, single([1, 2i, 3]), int8([3, 2; -100, 7]), uint8([3, 1, 100]), ...
              [true, false, true], sparse(S), sparse(S > 0), B};
  others = {S(1:2,:), int32([3; -1; 2]), S + 1i * (S > 1), sparse([0, 2, 1]), uint8(B), ...
            blocksparse(single (S) * 1i, [1, 3]), 3, int8(7), single(2), true, sparse(3), ...
            blocksparse(5, 1)};
  matrices = cellfun (@gpuArray, matrices, "UniformOutput", false);
  lists = {{gpuArray(2), 3}, {2, gpuArray(3)}, {1, matrices{1}}, {int8(1), matrices{3}}, ...
           {"%g ", matrices{1}}, {matrices{4}, [], 2}, {matrices{6}, [], 2}};
  for X = [matrices, cellfun(@gpuArray, others, "UniformOutput", false)]
    lists{end+1} = X;
  endfor
  for X = matrices
    lists{end+1} = [X, 2];
  endfor
  for X = matrices
    lists{end+1} = [X, X];
  endfor
endfunction

## Options, and numbers in the places of dimensions, that some methods take and others must refuse:
## those of Octave 11, too.  A NaN, a class and truth values show whether an option is heeded.
function lists = with_arguments (type)
  A = [4, 1, 0, 0; 1, 5, 0, 0; 0, 0, 6, 2; 0, 0, 2, 7];
  if (strcmp (type, "gpuArray"))
    N = A;
    N(1,2) = NaN;
    matrices = {N, sparse(A), blocksparse(A, 2), int8(A), sparse(A(:,1)), single(N), A > 1};
    matrices = cellfun (@gpuArray, matrices, "UniformOutput", false);
  else
    matrices = {blocksparse(A, 2), blocksparse(int8 (A), 2), blocksparse(A(:,1), [2, 1])};
  endif
  arguments = {{}, {2}, {2, 2}, {"rows"}, {1, "rows"}, {Inf, "columns"}, {"fro", "cols"}, ...
               {"native"}, {2, "native"}, {1, "omitnan"}, {"pack"}, {0, "pack"}, {"first"}, ...
               {"unknown"}, {[], 2}, {[], 1, 3}, {A, 2, 3}, {1, 1, 3, 1, 1, 1, 1, 1}};
  if (strcmp (type, "gpuArray"))
    arguments = [arguments, {{"all"}, {"omitnan"}, {"includenan"}, {"double"}, {"default"}, ...
                             {"extra"}, {"reverse"}, {"all", "native"}, {1, "double", "omitnan"}, ...
                             {[1, 2]}, {[], "all"}, {[], 1, "includenan"}, {[], "omitnan"}, ...
                             {[], 2, "linear"}, {[], [], "ComparisonMethod", "abs"}, ...
                             {"Weights", [1; 2; 0; 1]}}];
  endif
  lists = {};
  for X = matrices
    for list = arguments
      lists{end+1} = [X, list{1}];
    endfor
  endfor
endfunction

## The methods but those that Octave has not, or that distinguish a blocksparse from a full matrix.
## Octave 7 ends at a Bessel function of order NaN, and its normest and pinv of NaN do not end.
## Octave 11 ends at balance. Not what draws or writes: __go_light__ (1) of Octave 7 ends Octave.
function names = methods_to_call (type)
  names = methods (type)(:).';
  names = names(! strncmp (names, "__", 2));
  left_out = {"annotation", "audiowrite", "fprintf", "fwrite", "imshow", "imwrite", "printf", ...
              "set", "sprintf", "subplot", "xticks", "yticks", "zticks", ...
              "balance", "besselh", "besseli", "besselj", "besselk", "bessely", ...
              "blocksize", "blocksparse", "dropblocks", "elementwise", "matrixwise", "nnzb", ...
              "normest", "pinv", "sparse", "spy", "struct", "underlyingType"};
  names = names(! ismember (names, left_out));
  names = names(cellfun (@exist, names) > 0); # a later Octave's have no matrix to be compared with here
endfunction

## Each function is called with every STEPth list.
function [wrong, calls, work] = all_calls (names, lists, step)
  wrong = work = {};
  calls = 0;
  for i = 1:numel (lists)
    list = lists{i};
    is_array = any (cellfun (@(x) strcmp (class (x), "gpuArray"), list));
    on_host = {@whole, @gather}{1 + is_array};
    plain = cellfun (on_host, list, "UniformOutput", false);
    for name = names(mod (i + (1:numel (names)), step) == 0)
      [text, is_right] = compare (name{1}, list, plain, is_array);
      calls++;
      if (is_right && is_full_matrix (list{1}))
        work{end+1} = name{1};
      endif
      if (! isempty (text))
        wrong{end+1} = text;
      endif
    endfor
  endfor
  work = unique (work);
  work = work(cellfun (@(name) exist (name) == 2, work)); # Octave's files
endfunction

## Reductions of gpuArrays have the words and the lists of Octave 11, which earlier versions refuse or
## read as something else (gpuarray_words.tst).
function yes = has_words (name, list)
  reductions = {"sum", "prod", "sumsq", "mean", "cumsum", "cumprod", "max", "min", "range", "bounds", ...
                "any", "all", "median", "var", "std"};
  is_word = @(x) (ischar (x) && any (strcmp (x, {"all", "omitnan", "includenan"}))) ...
                 || (isnumeric (x) && isvector (x) && numel (x) > 1);
  yes = strcmp (class (list{1}), "gpuArray") && any (strcmp (name, reductions)) ...
        && any (cellfun (is_word, list(2:end)));
endfunction

function yes = is_full_matrix (x)
  yes = strcmp (typeinfo (x), "gpuArray") && isfloat (x) && min (size (x)) > 1;
endfunction

## What is wrong with NAME (LIST{:}), where PLAIN has the same values in host memory, or ""; and is
## its first result right?
function [text, is_right] = compare (name, list, plain, is_array)
  text = "";
  is_right = false;
  for nout = [1, 2, 4](1:1 + 2 * (numel (list) == 1))
    [expected, err] = result (name, plain, nout);
    [given, said, id] = result (name, list, nout);
    if (isempty (err) && isempty (said))
      is_same = has_words (name, list) || same (given, expected, is_array);
      is_right = is_right || (nout == 1 && is_same);
      if (! is_same)
        text = "another value, class, size or sparsity";
      endif
    elseif (isempty (err) && is_array)
      no_words = {"", "Octave:invalid-fun-call", "Octave:undefined-function"};
      if (any (strcmp (id, no_words)) && isempty (regexp (said, asked ())))
        text = ["no identifier: " said];
      elseif (strcmp (id, "gpumm:gpuArray:gather"))
        text = wrong_advice (said, list, name, expected(nout == 1 && ! has_words (name, list)));
      endif
    elseif (isempty (err) && isempty (regexp (said, 'full \(S\)|sparse \(S\)')))
      text = said;
    elseif (isempty (said) && ! isempty (err) && nout == 1 && ! has_words (name, list))
      text = ["no error: " err];
    endif
    if (! isempty (text))
      text = sprintf ("%s (%s), %d outputs: %s", name, strjoin (cellfun (@describe, list, ...
                      "UniformOutput", false), ", "), nout, strtrim (text));
      return;
    elseif (! isempty (err))
      return; # it fails with more outputs, too
    endif
  endfor
endfunction

## What Octave says of an argument.  1:G is an error of Octave's (keep-it-on-the-gpu.md).
function pattern = asked ()
  pattern = 'must (be|match)|range expression|to strings|invalid argument';
endfunction

function t = describe (x)
  t = sprintf ("%dx%d", size (x));
  if (any (strcmp (class (x), {"blocksparse", "gpuArray"})))
    t = [t " " typeinfo(x) " " underlyingType(x)];
  endif
endfunction

function [out, err, id] = result (name, list, nout)
  rand ("twister", 1);
  randn ("twister", 1);
  out = cell (1, nout);
  err = id = "";
  try
    [out{:}] = feval (name, list{:});
    ## an output that the function did not set is an error up to Octave 8; make it an error always
    for i = 1:nout
      size (out{i});
    endfor
  catch e
    err = [e.message " "];
    id = e.identifier;
  end_try_catch
endfunction

## BLOCKS: must both be blocksparse, or none?
function yes = same (x, y, blocks)
  if ((isnumeric (x) || islogical (x)) && (isnumeric (y) || islogical (y)))
    x = gather (x);
    ## isnan of a blocksparse is sparse
    yes = (issparse (x) == issparse (y) || (! blocks && islogical (x))) ...
          && (! blocks || strcmp (class (x), class (y)));
    if (! yes)
      return;
    endif
  endif
  x = whole (x);
  y = whole (y);
  if (iscell (x) && iscell (y))
    yes = isequal (size (x), size (y));
    for i = 1:numel (x) * yes
      yes = yes && same (x{i}, y{i}, blocks);
    endfor
  elseif ((isnumeric (x) && isnumeric (y)) || (islogical (x) && islogical (y)))
    yes = strcmp (class (x), class (y)) && isequal (size (x), size (y));
    if (yes && isfloat (x))
      x = full (x)(:);
      y = full (y)(:);
      near = x == y | (isnan (x) & isnan (y)) ...
             | abs (x - y) <= 1e5 * eps (class (y)) * (1 + abs (y));
      yes = all (near);
    elseif (yes)
      yes = isequal (x, y);
    endif
  elseif (isstruct (x) && isstruct (y))
    yes = isequal (sort (fieldnames (x)), sort (fieldnames (y))) ...
          && same (struct2cell (x)(:), struct2cell (orderfields (y, x))(:), blocks);
  else
    yes = is_function_handle (x) || isequaln (x, y);
  endif
endfunction

function x = whole (x)
  if (strcmp (class (x), "gpuArray"))
    x = gather (x);
  endif
  if (isnumeric (x) || islogical (x) || ischar (x))
    x = full (x);
  endif
endfunction

## All functions but those in left_out, for the reasons given there.
function names = functions_to_call ()
  folders = {"builtin", "elfun", "general", "geometry", "legacy", "linear-algebra", ...
             "miscellaneous", "optimization", "polynomial", "set", "signal", "sparse", ...
             "specfun", "special-matrix", "statistics", "strings"};
  left_out = { ...
    ## internal functions, constants
    "__.*", "[A-Z_]+", "[FSWOP]_.*", "PS.", "meta\\..*", ...
    ## functions that should distinguish a blocksparse from a full matrix
    "class", "typeinfo", "nzmax", "sizeof", "disp", "display", "struct", "nextpow2", ...
    ## sparse () of integers works only for a blocksparse, as double
    "sparse", "dmperm", "sprank", ...
    ## functions that end or stop Octave, or wait for a user
    "exit", "_Exit", "quit", "input", "keyboard", "kbhit", "yes_or_no", "pause", "db.*", ...
    "waitfor.*", "menu", "recycle", "edit.*", "more", "doc", "run.*", "desktop", ".*window", ...
    "workspace", "filebrowser", "openvar", ...
    ## processes, signals, files, folders, networks
    "system", "shell_cmd", "unix", "dos", "fork", "exec", "pipe", "p?open2?", "pclose", "kill", ...
    "waitpid", "dup2", "fcntl", "mk.*", "tmpfile", "tempname", "umask", "unlink", "rename", ...
    "rmdir", "link", "symlink", "delete", "copyfile", "movefile", "cd", "chdir", "dir", "ls", ...
    "what", "f(open|close|clear|disp|puts|write|printf|report|read|seek|scanf|get[ls]|skipl)", ...
    "puts", "print.*", "scanf", "diary", "history.*", "readline.*", "save", "load", "dlmwrite", ...
    "csvwrite", "g?u?n?zip", "b?u?n?zip2", "u?n?tar", "u?n?pack", "url.*", "perl", "python", ...
    "jupyter_notebook", "publish", "mex", "open", "bug_report", "memory", "audio.*", ...
    ## the state of Octave: its path, variables, functions, errors, environment, graphics
    "addpath", "rmpath", "path", "restoredefaultpath", "rehash", "autoload", "source", ...
    "file_in_.*", "eval.*", "assignin", "clear.*", "clc", "home", "mlock", "munlock", ...
    "mislocked", "atexit", "setenv", "putenv", "unsetenv", "warning", "error", "rethrow", ...
    "last.*", "beep.*", "onCleanup", ".*_hook", "add.*", "dellistener", "superiorto", ...
    "inferiorto", "register_.*", "drawnow", "set", "reset", "figure", "java.*", "inputParser", ...
    "mfilename", "who.*", "nargin", "nargout", "isargout", "exist", "inputname", "builtin", ...
    "info", "news", "license", "ver", "citation", "list_primes", "parseparams", "nthargout", ...
    "profile.*", "genvarname", "mustBe.*", "get.*ent", "set.*ent", "end.*ent", "getpid", ...
    "max_.*_depth", ".*_core.*", "errno", ".*_precision", "struct_levels_to_print", "debug_.*", ...
    "fixed_point_format", "maxNumCompThreads", "page_.*", "silent_functions", ...
    "sparse_auto_mutate", "spparms", "suppress_.*", ...
    ## other values at each call, or values that depend on earlier calls
    "s?p?rand.*", "clock", "cputime", "time", "tic", "toc", "now", "date", "getrusage", ...
    ".*time", "arch_.*", ".*_rnd", "diffpara", ...
    ## drawings, and functions of libraries that print messages
    "[e]?treeplot", "gplot", "spy", "freqz.*", "periodogram", "convhull.*", "delaunay.*", ...
    "voronoi.*", "griddata.*", "[td]search.*", "c?colamd", "c?symamd", ...
    ## with an empty A it reads memory that is not its own
    "filter", ...
    ## minutes of time or much memory for any matrix
    "perms", "rats?", "mpoles", "residue", "polyout", "cell", "cplxpair", "gallery", "glpk", ...
    "sqp", "fmin.*", "fsolve", "fzero", "lsqnonneg", "humps", "bicg.*", "cgs", "gmres", "qmr", ...
    "tfqmr", "pcr", "krylov", "condest", "celldisp", "powerset", "quad.*", "polyeig", "magic", ...
    "spline", "mov(mad|var|std|prod|sum|median|max|min|mean|range)"};
  pattern = ["^(", strjoin(left_out, "|"), ")$"];
  names = unique ([__builtins__()(:); __list_functions__()(:)]).';
  names = names(cellfun (@isempty, regexp (names, pattern, "once")));
  keep = false (size (names));
  for i = 1:numel (names)
    file = file_in_loadpath ([names{i} ".m"]);
    folder = "builtin";
    if (! isempty (file))
      [~, folder] = fileparts (fileparts (file));
    endif
    keep(i) = any (strcmp (folder, folders));
  endfor
  names = names(keep);
endfunction
