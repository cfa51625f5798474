## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## why = broken_rule (f, needed, forbidden)
## why = broken_rule (f, needed, forbidden, matrices, count)
##
## Which rule of an exercise the source of the function f breaks; "" if none.  The source must have
## one of the words NEEDED and none of the names FORBIDDEN.  At most COUNT operands of a `*` or `.*`
## may be whole: a name in MATRICES, or an index with a colon.

function why = broken_rule (f, needed, forbidden, matrices = {}, count = 2)

  why = "";
  words = student_code (f);
  used = intersect (words, [forbidden, {"eval", "evalc", "evalin", "feval"}]);
  if (! isempty (used))
    why = sprintf ("the result is right, but this exercise forbids %s", used{1});
  elseif (! any (ismember (words, needed)))
    asked = strjoin (needed, ", ");
    if (any (strcmp (needed, "while")))
      asked = ["a loop (", asked, ")"];
    endif
    why = sprintf ("the result is right, but this exercise asks for %s", asked);
  else
    for i = find (ismember (words, {"*", ".*", "*=", ".*="}))
      before = left_operand (words(1:i-1));
      after = right_operand (words(i+1:end));
      if (is_whole (before, matrices) + is_whole (after, matrices) > count)
        why = sprintf (["the result is right, but this exercise forbids the product %s %s %s; ", ...
                        "multiply numbers, one by one"], [before{:}], words{i}, [after{:}]);
        return;
      endif
    endfor
  endif

endfunction

## The operand that ends the words: x, x(i), (x), x(i).', x(i)(j).
function operand = left_operand (words)
  first = numel (words);
  while (first > 1 && any (strcmp (words{first}, {"'", ".'"})))
    first--;
  endwhile
  while (first > 1 && strcmp (words{first}, ")"))
    first = partner (words, first, -1) - 1;
    if (first < 1 || ! is_operand (words{first}))
      first++;
      break;
    endif
  endwhile
  operand = words(max (first, 1):end);
endfunction

## The operand that begins the words.
function operand = right_operand (words)
  last = 1;
  while (last < numel (words) && any (strcmp (words{last}, {"-", "+"})))
    last++;
  endwhile
  if (last <= numel (words) && strcmp (words{last}, "("))
    last = partner (words, last, 1);
  endif
  while (last < numel (words) && any (strcmp (words{last+1}, {"(", "'", ".'"})))
    last++;
    if (strcmp (words{last}, "("))
      last = partner (words, last, 1);
    endif
  endwhile
  operand = words(1:min (last, end));
endfunction

## Where the bracket at a place has its partner, in steps of 1 or -1.
function at = partner (words, at, step)
  depth = 0;
  do
    depth += strcmp (words{at}, "(") - strcmp (words{at}, ")");
    at += step;
  until (depth == 0 || at < 1 || at > numel (words))
  at -= step;
endfunction

function yes = is_operand (word)
  yes = any (strcmp (word, {")", "'", ".'"})) || ! isempty (regexp (word, '^\w+$', "once"));
endfunction

## Is the operand a matrix and no single element, as far as the source tells?
function yes = is_whole (operand, matrices)

  operand(ismember (operand, {"'", ".'", "-", "+"})) = [];
  yes = false;
  if (isempty (operand))
    return;
  endif
  if (strcmp (operand{end}, ")"))
    first = partner (operand, numel (operand), -1);
    inside = operand(first+1:end-1);
    if (first > 1) # an index, or the arguments of a function
      depth = cumsum (strcmp (inside, "(") - strcmp (inside, ")"));
      yes = any (strcmp (inside, ":") & depth == 0);
    else
      yes = is_whole (inside, matrices);
    endif
  else
    yes = numel (operand) == 1 && any (strcmp (operand{1}, matrices));
  endif

endfunction
