## matlab_programs.tst - the programs in matlab/, in the style of MATLAB's documentation: each with
## gpuArrays, on a device or without one, and with the host's arrays. Random numbers of the host's
## arrays are those of gpuArrays, gathered.
## SPDX-License-Identifier: BSD-3-Clause

## The variable result of a program, and whether the program had a gpuArray.
%!function [result, was_there] = run_program (code__)
%!  rand ("twister", 1);
%!  randn ("twister", 1);
%!  evalc (code__);
%!  was_there = false;
%!  for name__ = who ().'
%!    was_there |= isgpuarray (eval (name__{1}));
%!  endfor
%!endfunction

%!function x = drawn (name, varargin)
%!  x = gather (__gpuarray__ (name, varargin));
%!endfunction

## The program without gpuArrays. Octave's sum and max before 11 do not know "all".
%!function code = of_host (code)
%!  inner = '((?:[^()\n]|(\((?:[^()\n]|(?2))*\)))*?)';
%!  from = {'gpuArray\.(rand\w*)\(', ['\<(rand\w*)\(' inner ', ?QgpuArray\)'], ...
%!          'gpuArray\.(\w+)', ', ?QgpuArray', '\<gpuArray\(', ['\(' inner ', (?:\[\], )?Qall\)']};
%!  from = regexprep (from, 'Q(\w+)', "[\"']$1[\"']");
%!  to = {'drawn("$1", ', 'drawn("$1", $2)', '$1', "", "(", '(($1)(:))'};
%!  code = regexprep (code, from, to);
%!endfunction

%!test <*74>
%! files = glob (fullfile (fileparts (which ("run_tests")), "matlab", "*.m"));
%! assert (numel (files), 25);
%! texts = {};
%! right = 0;
%! for file = files.'
%!   [~, name] = fileparts (file{1});
%!   code = fileread (file{1});
%!   waits_for = regexp (code, '^% waits for: (.+?)(?: \(issue \d+\))?$', "tokens", "once", ...
%!                       "lineanchors", "dotexceptnewline");
%!   text = "";
%!   there = here = [];
%!   was_there = true;
%!   try
%!     [there, was_there] = run_program (code);
%!     if (! isempty (waits_for))
%!       text = ["runs, and need not wait for " waits_for{1}];
%!     elseif (! was_there || isgpuarray (there))
%!       text = "has no gpuArray, or does not gather the result";
%!     endif
%!   catch err
%!     said = strrep (err.message, "gpuArray: ", "");
%!     if (isempty (waits_for) || ! strcmp (err.identifier, "gpumm:gpuArray:gather")
%!         || ! strncmp (said, waits_for{1}, numel (waits_for{1})))
%!       text = err.message;
%!     endif
%!   end_try_catch
%!   try
%!     [here, was_there] = run_program (of_host (code));
%!     if (was_there)
%!       text = [text " has a gpuArray on the host"];
%!     endif
%!   catch err
%!     text = [text " on the host: " err.message];
%!   end_try_catch
%!   if (isempty (waits_for) && isempty (text))
%!     tol = merge (isa (here, "single"), 1e-5, 1e-9); # an iteration ends at 1e-10
%!     text = difference (there, here, tol * max (abs (here(:))));
%!     right += isempty (text);
%!   endif
%!   texts{end+1} = merge (isempty (text), "", [name ": " text]);
%! endfor
%! fail_with (texts);
%! assert (right >= 15);
