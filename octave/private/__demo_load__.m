## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## [matrices, names, headers] = __demo_load__ (files)
##
## The matrices in the files (.mtx, .mat, .csv), as double, single or logical.  A name is the file
## and, for a .mat file, the variable.  A header is the header line of a .csv file, or "".

function [matrices, names, headers] = __demo_load__ (files)

  matrices = names = headers = {};
  for k = 1:numel (files)
    file = files{k};
    if (strncmp (file, "-", 1))
      file = ["./" file];                      # otherwise load reads the name as an option
    endif
    [~, name, ext] = fileparts (file);
    header = "";
    switch (lower (ext))
      case ".mtx"
        found = {mmread(file)};
        variables = {""};
      case ".csv"
        [A, header] = read_csv (file);
        found = {A};
        variables = {""};
      case ".mat"
        [found, variables] = read_mat (file);
        most = 3 - numel (files);  # two, if there is no other file
        if (isempty (found))
          error ("gpumm:demo:file", "gpumm_demo: there is no numeric matrix in %s", file);
        elseif (numel (found) > most)
          error ("gpumm:demo:file",
                 "gpumm_demo: %s holds %d matrices (%s); save only the one to multiply", file,
                 numel (found), strjoin (variables, ", "));
        endif
      otherwise
        error ("gpumm:demo:file", "gpumm_demo: %s is not named .mtx, .mat or .csv", file);
    endswitch
    matrices = [matrices, found];
    for j = 1:numel (found)
      headers{end+1} = header;
      if (isempty (variables{j}))
        names{end+1} = [name, ext];
      else
        names{end+1} = sprintf ("%s in %s%s", variables{j}, name, ext);
      endif
      names{end}(names{end} < 32 | names{end} == 127) = "?"; # a terminal obeys such characters
    endfor
  endfor

  ## Octave does not multiply integer matrices, so there would be no product to compare with.
  for k = 1:numel (matrices)
    if (isinteger (matrices{k}))
      if (any (abs (double (matrices{k}(:))) > flintmax ()))
        error ("gpumm:demo:file", "gpumm_demo: %s has integers that a double cannot hold", names{k});
      endif
      matrices{k} = double (matrices{k});
    endif
  endfor

endfunction

## The numeric and logical matrices of a .mat file, and the field A of its structs.  The SuiteSparse
## collection stores a matrix in Problem.A.
function [matrices, names] = read_mat (file)

  [st, err, why] = stat (file);
  if (err != 0)
    error ("gpumm:demo:file", "gpumm_demo: cannot open %s: %s", file, why);
  elseif (! S_ISREG (st.mode))
    error ("gpumm:demo:file", "gpumm_demo: cannot read %s: it is not a regular file", file);
  endif
  ## load would execute functions in the file.  A compressed MATLAB file may hide them.
  bytes = __read_text__ (file, "gpumm_demo", "gpumm:demo:file");
  if (strncmp (bytes, "\x1f\x8b", 2))
    error ("gpumm:demo:file", "gpumm_demo: %s is compressed; uncompress it (gunzip)", file);
  endif
  for what = {"function handle", "function_handle", "type: inline", "inline function"}
    if (! isempty (strfind (bytes, what{1})))
      error ("gpumm:demo:file", "gpumm_demo: %s holds functions; save the matrices alone", file);
    endif
  endfor
  clear bytes;
  try
    content = load (file);
  catch err
    error ("gpumm:demo:file", "gpumm_demo: cannot read %s: %s", file, err.message);
  end_try_catch
  if (! isstruct (content))  # a file of bare numbers
    content = struct ("matrix", content);
  endif

  matrices = names = {};
  for [value, name] = content
    if (isstruct (value) && isscalar (value) && isfield (value, "A"))
      value = value.A;
      name = [name ".A"];
    endif
    if ((isnumeric (value) || islogical (value)) && ndims (value) == 2)
      matrices{end+1} = value;
      names{end+1} = name;
    endif
  endfor

endfunction

## A table of numbers, separated by commas, semicolons or tabs.  A first line without a number is
## its header.
function [A, header] = read_csv (file)

  text = __read_text__ (file, "gpumm_demo", "gpumm:demo:file");
  if (strncmp (text, "\xef\xbb\xbf", 3)) # spreadsheets begin with this mark of UTF-8
    text(1:3) = [];
  endif
  text(text > 127) = "?";                      # a regular expression refuses broken UTF-8
  text = strrep (text, "\r\n", "\n");
  text(text == "\r") = "\n";
  text = regexprep (text, '\s+$', "");

  number = '[ ]*[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|[iI][nN][fF]|[nN][aA][nN]?)[ ]*';
  [first, rest] = strtok (text, "\n");
  line = 1;
  header = hint = "";
  cells = ostrsplit (first, ",;\t");
  is_word = cellfun (@isempty, regexp (cells, ['^' number '$']));
  if (all (is_word))
    text = rest(2:end);
    line = 2;
    header = strjoin (strtrim (cells), ", ");
    header(header < 32 | header == 127) = "?"; # a terminal obeys such characters
    if (numel (header) > 70)
      header = [header(1:67) "..."];
    endif
  elseif (any (is_word))
    hint = "; a line with a number is not taken as a header";
  endif

  if (isempty (text))
    error ("gpumm:demo:file", "gpumm_demo: %s has no numbers", file);
  endif

  wrong = regexp (["\n" text], ['[\n,;\t](?!' number '(?:[\n,;\t]|$))'], "once");
  if (! isempty (wrong))
    cell = regexp (text(wrong:end), '^[^\n,;\t]*', "once", "match");
    error ("gpumm:demo:file", "gpumm_demo: %s:%d: \"%s\" is not a number%s", file,
           line + sum (text(1:wrong-1) == "\n"), cell, hint);
  endif
  stops = find (text == "," | text == ";" | text == "\t" | text == "\n");
  ends = [find(text(stops) == "\n"), numel(stops) + 1];
  width = diff ([0, ends]);
  wrong = find (width != width(1), 1);
  if (! isempty (wrong))
    error ("gpumm:demo:file", "gpumm_demo: %s:%d: %d numbers in the line, but %d in the first",
           file, line + wrong - 1, width(wrong), width(1));
  endif
  text(stops) = " ";
  A = reshape (sscanf (text, "%f"), width(1), []).';

endfunction
