## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## grade_run (file, skip)
##
## Runs the code cells of the notebook FILE in Octave's base workspace, without those in SKIP, in
## the process of a student.  It tells gpumm_grade in which cell each exercise is, which cell
## begins, and which one fails.

function grade_run (file, skip)

  try
    sources = code_cells (file);
  catch err
    grade_tell ("unreadable", grade_text (err.message));
    return;
  end_try_catch
  for k = 1:numel (sources)
    ids = regexp (sources{k}, '\<exercise\s*\(\s*["'']([\d.]+)["'']', "tokens");
    for id = [ids{:}]
      grade_tell ("has", sprintf ("%d", k), id{1});
    endfor
  endfor
  set (0, "defaultfigurevisible", "off");
  for k = setdiff (1:numel (sources), skip)
    grade_tell ("cell", sprintf ("%d", k));
    try
      evalin ("base", sources{k});
    catch err
      grade_tell ("failed", grade_text (err.message));
    end_try_catch
    delete (allchild (0)); # a figure that nobody draws takes little time
  endfor
  grade_tell ("end");

endfunction

function sources = code_cells (file)

  notebook = jsondecode (fileread (file));
  if (! (isstruct (notebook) && isfield (notebook, "cells")))
    error ("no cells");
  endif
  cells = notebook.cells;
  if (isstruct (cells)) # all of them have the same fields
    cells = num2cell (cells);
  endif
  is_code = cellfun (@(cell) strcmp (cell.cell_type, "code"), cells(:).');
  sources = cellfun (@(cell) strjoin (cellstr (cell.source), ""), cells(is_code), ...
                     "UniformOutput", false);

endfunction
