## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## o = __options_of__ (caller, list, table)
##
## The options in the cell array LIST, pairs of a name and a value, as a struct with lower-case
## fields.  A row of TABLE has an option's name, its default, a function that says whether a value
## is valid, and what a valid value is, for the error.  Errors begin with the name of the caller.

function o = __options_of__ (caller, list, table)

  names = table(:,1).';
  o = cell2struct (table(:,2), lower (names), 1);
  valid = @() ["valid options are " strjoin(names, ", ")];
  unknown = @(name) error ("gpumm:unknown-option", "%s: unknown option \"%s\"; %s", caller, ...
                           name, valid ());
  if (mod (numel (list), 2) != 0 && ischar (list{end}))
    if (! any (strcmpi (list{end}, names)))
      unknown (list{end});
    endif
    error ("gpumm:missing-value", "%s: option \"%s\" has no value", caller, list{end});
  elseif (mod (numel (list), 2) != 0 || ! iscellstr (list(1:2:end)))
    error ("gpumm:unknown-option", "%s: options are pairs of a name and a value; %s", caller,
           valid ());
  endif
  for i = 1:2:numel (list)
    k = find (strcmpi (list{i}, names));
    if (isempty (k))
      unknown (list{i});
    elseif (! table{k,3} (list{i+1}))
      error ("gpumm:bad-value", "%s: %s must be %s", caller, names{k}, table{k,4});
    endif
    o.(lower (names{k})) = list{i+1};
  endfor

endfunction
