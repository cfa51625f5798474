## matlab_words.tst - the tables of the guide's page "Coming from MATLAB" are true: each call runs, with
## each name of its row.
## SPDX-License-Identifier: BSD-3-Clause

## The page, and its rows: names, call, where it runs.
%!function [rows, text] = page ()
%!  root = fileparts (fileparts (fileparts (which ("run_tests"))));
%!  text = fileread (fullfile (root, "docs", "guide", "coming-from-matlab.md"));
%!  rows = regexp (text, '^\| (`.*`) \| `(.*?)` \| (.*?) \|', "tokens", "lineanchors", "dotexceptnewline");
%!  for i = 1:numel (rows)
%!    rows{i}{1} = [regexp(rows{i}{1}, '`([^`]*)`', "tokens"){:}];
%!  endfor
%!endfunction

## Where a call runs, with the values of the page: its column "Runs". What the CPU computes waits for its
## operands on a device, which are queued.
%!function runs = where (call__, values__, said__)
%!  eval (values__);
%!  G += 0;
%!  v += 0;
%!  waits__ = __gpumm_fault__ ("waits");
%!  try
%!    runs = "host";
%!    evalc (merge (call__(end) == ";", call__, ["ans__ = " call__ ";"]));
%!    if (call__(end) != ";" && isgpuarray (ans__))
%!      runs = "GPU";
%!      if (strcmp (said__, "CPU") && __gpumm_fault__ ("waits") > waits__)
%!        runs = "CPU";
%!      endif
%!    endif
%!  catch err
%!    runs = ["error `" err.identifier "`"];
%!    if (any (regexp (err.message, "undefined|does not exist")))
%!      runs = "missing";
%!    elseif (any (regexp (err.message, "no graphics toolkits"))) # of this Octave
%!      runs = said__;
%!    elseif (isempty (regexp (err.message, "([Ww]rite|[Uu]se) ", "once")))
%!      runs = [runs " that does not say what to write: " err.message];
%!    elseif (strcmp (err.identifier, "gpumm:gpuArray:gather"))
%!      runs = "refused";
%!    endif
%!  end_try_catch
%!endfunction

## Is it a file of Octave? Later versions may write it in another way.
%!function yes = of_octave (name)
%!  yes = compare_versions (version (), "8", ">=") && exist (name) == 2 ...
%!        && ! any (strcmp (name, __gpuarray__ ("functions").named));
%!  yes |= strcmp (name, "normalize") && ! exist (name);
%!endfunction

%!test <*74>
%! [rows, text] = page ();
%! values = strrep (regexp (text, '^```octave\n(.*?)^```', "tokens", "once", "lineanchors"){1}, ">> ", "");
%! visible = get (0, "defaultfigurevisible");
%! back = onCleanup (@() set (0, "defaultfigurevisible", visible));
%! set (0, "defaultfigurevisible", "off");
%! [folder, gone] = scratch ("cd");
%! unset = with_variable ("TMPDIR", folder); # for what is written
%! is_there = strcmp (getenv ("GPUMM_GPUARRAY"), "host-device") || gpumm_available ("gpu");
%! texts = {};
%! calls = 0;
%! for row = rows
%!   [names, call, said] = row{1}{:};
%!   for name = names
%!     if (of_octave (name{1}))
%!       continue;
%!     endif
%!     calls++;
%!     made = strrep (call, names{1}, name{1});
%!     runs = where (made, values, said);
%!     if (! is_there)
%!       said = strrep (said, "CPU", "GPU");
%!     endif
%!     if (! strcmp (runs, said))
%!       texts{end+1} = sprintf ("%s: %s, and not %s", made, runs, said);
%!     endif
%!   endfor
%! endfor
%! close all
%! fail_with (texts);
%! assert (calls > 200, "%d calls", calls);

## the page has the functions that gpuArrays have, but those that MATLAB does not
%!test <*74>
%! rows = page ();
%! named = cellfun (@(row) row{1}, rows, "UniformOutput", false);
%! tables = __gpuarray__ ("functions");
%! of_two = cellfun (@(row) row{1}, tables.of_two, "UniformOutput", false);
%! names = [tables.elementwise, of_two, tables.named];
%! octaves = {"NA", "rande", "sumsq", "blocksparse", "blocksize", "nnzb", "dropblocks"};
%! assert (all (ismember (octaves, names)));
%! missing = setdiff (names, strrep ([named{:}, octaves], "gpuArray.", ""));
%! assert (isempty (missing), "%s ", missing{:});
