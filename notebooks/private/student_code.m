## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## words = student_code (f)
##
## The source of the function f and of the functions of the notebook that f calls: its words, signs
## and numbers in their order, one per cell.  Comments are left out, and "" stands for any string.
## A function of gpumm_grade is in another process and has its words in a variable words_of_student.

function words = student_code (f)

  words = {};
  about = functions (f);
  if (isfield (about, "workspace") && ! isempty (about.workspace)
      && isfield (about.workspace{1}, "words_of_student"))
    words = about.workspace{1}.words_of_student;
    return;
  endif
  left = {f};
  seen = {};
  while (! isempty (left))
    f = left{1};
    left(1) = [];
    if (is_function_handle (f))
      about = functions (f);
      name = func2str (f);
      if (strcmp (about.type, "anonymous"))
        new = split (name);
        if (isfield (about, "workspace") && ! isempty (about.workspace))
          captured = struct2cell (about.workspace{1});
          left = [left; captured(cellfun(@is_function_handle, captured))(:)];
        endif
      else
        new = [{name}, split(source_of (name))];
      endif
    else
      new = split (source_of (f));
    endif
    words = [words, new];
    for name = setdiff (new(! cellfun (@isempty, regexp (new, '^[A-Za-z]\w*$', "once"))), seen)
      seen(end+1) = name;
      if (exist (name{1}) == 103) # defined in the notebook
        left{end+1,1} = name{1};
      endif
    endfor
  endwhile

endfunction

## The text of a function of the notebook or of a file of the student's own; "" of any other.
function text = source_of (name)
  text = "";
  if (exist (name) == 103
      || (exist (name) == 2 && strcmp (fileparts (which (name)), pwd ())))
    text = type ("-q", name){1};
  endif
endfunction

function words = split (text)

  text = regexprep (text, '(^|\n)[ \t]*[#%]\{[ \t]*\n.*?\n[ \t]*[#%]\}[ \t]*(?=\n|$)', "\n");
  words = {};
  from = 1;
  while (from <= numel (text))
    rest = text(from:end);
    ends_operand = ! isempty (words) ...
                   && ! isempty (regexp (words{end}, '^(\w+|[)\]}'']|\.'')$', "once"));
    [~, last] = regexp (rest, '^(\s+|\.\.\.[^\n]*(\n|$)|[#%][^\n]*)', "once");
    if (! isempty (last)) # space or a comment
      from += last;
      continue;
    endif
    if (rest(1) == '"' || (rest(1) == "'" && ! (ends_operand && beside (text, from))))
      ## a string; one that is not closed ends with its line
      closed = {'^''([^''\n]|'''')*(''|(?=\n)|$)', '^"([^"\\\n]|\\.|"")*("|(?=\n)|$)'};
      [~, last] = regexp (rest, closed{1 + (rest(1) == '"')}, "once");
      words{end+1} = '""';
    else
      [~, last] = regexp (rest, ['^([A-Za-z_]\w*|(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?|\.''|', ...
                                 '\.?[*/\\^]=?|[-+|&<>=!~]=|\+\+|--|&&|\|\||.)'], "once");
      words{end+1} = rest(1:last);
    endif
    from += last;
  endwhile

endfunction

## Is there no space before this place?
function yes = beside (text, from)
  yes = from > 1 && ! isspace (text(from-1));
endfunction
