## saved.tst - what save writes of gpuArrays: Octave's own matrix, in every format and container, also
## where a signal ends Octave. Without a GPU and with one (GPUMM_GPUARRAY=host-device).
## SPDX-License-Identifier: BSD-3-Clause

## Formats, and which of them hold other values than matrices, and blocks.
%!function list = formats ()
%!  list = {"-text"; "-binary"; "-float-binary"; "-v7"; "-v6"; "-v4"; "-zip -text"; "-zip -binary"
%!          "-hdf5"; "-float-hdf5"}(1:8+2*__have_feature__ ("HDF5"));
%!endfunction
%!function yes = is_for_matlab (format)
%!  yes = strncmp (format, "-v", 2);
%!endfunction

## Values without blocks. Not single (complex (1, 2)): with HDF5 it ends Octave 7.3 itself.
%!function list = values ()
%!  z = complex ([1, 2; 3, 4], [0, -1; 1, 0]);
%!  list = {magic(3), 5, single([1.5, 2]), z, 1 + 2i, complex(1, 0), complex([1, 2], 0), single(z), ...
%!          int8([1, -2]), intmax("uint64"), int16(ones (2, 3, 2)), true, [true, false], zeros(0, 3), ...
%!          reshape(1:12, 2, 3, 2) / 7, sparse([1, 0; 0, 2]), sparse(3), sparse(z), ...
%!          sparse([true, false]), sparse(2, 3)};
%!endfunction

## What load reads of x after save, or the word "error": Octave cannot save all values in all formats.
%!function y = reloaded (format, x)
%!  file = tempname ();
%!  states = warning ("off", "all");
%!  try
%!    save (strsplit (format){:}, file, "x");
%!    y = load (file).x;
%!  catch
%!    y = "error";
%!  end_try_catch
%!  warning (states);
%!  [~, ~] = unlink (file); # it may not be there
%!endfunction

## The types and sizes of a value and of what it contains.
%!function t = kinds_of (x)
%!  if (is_function_handle (x))
%!    x = x ();
%!  endif
%!  t = {typeinfo(x), iscomplex(x), size(x)};
%!  if (iscell (x))
%!    t = [t, cellfun(@kinds_of, x(:).', "UniformOutput", false)];
%!  elseif (isstruct (x))
%!    t = [t, kinds_of(struct2cell (x))];
%!  endif
%!endfunction
%!function yes = is_same (x, y)
%!  if (is_function_handle (x) && is_function_handle (y))
%!    [x, y] = deal (x (), y ());
%!  endif
%!  yes = isequal (x, y) && isequal (kinds_of (x), kinds_of (y));
%!endfunction

## alone, in cells, structs and struct arrays, nested, and what a handle has captured
%!function list = containers ()
%!  list = {@(x) x, @(x) {x}, @(x) struct("a", x), @(x) {1, struct("b", {{x, x}})}, ...
%!          @(x) struct("a", {x, x}), @(x) cell2struct({x; {x}}, {"p"; "q"}), @(x) @() x};
%!endfunction

%!test
%! texts = {};
%! saved = 0;
%! for format = formats ().'
%!   for H = values ()
%!     G = gpuArray (H{1});
%!     for c = containers ()
%!       if (strcmp (format{1}, "-v4") && ! isequal (c{1}, containers (){1})) # has only matrices
%!         continue;
%!       endif
%!       y = reloaded (format{1}, c{1} (H{1}));
%!       if (! is_same (reloaded (format{1}, c{1} (G)), y))
%!         texts{end+1} = sprintf ("%s: %s of %s", format{1}, func2str (c{1}), disp (H{1}));
%!       endif
%!       saved += ! ischar (y);
%!     endfor
%!   endfor
%! endfor
%! assert (saved > 800);
%! fail_with (texts);

%!test # blocks stay blocks, but MATLAB's files have none
%! for S = {blocksparse(magic (4), 2), blocksparse(int8 (eye (4)), 2), blocksparse(1i * eye (2), 1)}
%!   for format = formats ().'
%!     for c = containers ()
%!       y = reloaded (format{1}, c{1} (S{1}));
%!       assert (is_same (reloaded (format{1}, c{1} (gpuArray (S{1}))), y));
%!       assert (ischar (y), is_for_matlab (format{1}));
%!     endfor
%!   endfor
%! endfor
%!error <Save full .S. or sparse .S.> G = gpuArray (blocksparse (1, 1)); save ("-v7", tempname (), "G");

%!test # results, also those that are computed only when they are read, and concatenations
%! G = gpuArray (magic (4));
%! S = gpuArray (sparse (magic (4) > 9));
%! for f = {@(X, Y) X + 1, @(X, Y) X * X', @(X, Y) X(2:3,:), @(X, Y) [X, X], @(X, Y) [Y; Y], @(X, Y) Y * X, ...
%!          @(X, Y) X * 1i * 1i, @(X, Y) Y', @(X, Y) double(Y) * 0}
%!   for format = {"-binary", "-v7"}
%!     y = reloaded (format{1}, gather (f{1} (G, S)));
%!     assert (is_same (reloaded (format{1}, f{1} (G, S)), y), "%s: %s", format{1}, func2str (f{1}));
%!   endfor
%! endfor

%!test # a value is what it was, also after a change between two files
%! file = tempname ();
%! for format = formats ()(! strcmp (formats (), "-v4")).'
%!   G = gpuArray (int8 ([1, 2]));
%!   save (strsplit (format{1}){:}, file, "G");
%!   G(1) = 7;
%!   assert ({class(G), typeinfo(G), size(G)}, {"gpuArray", "gpuArray", [1, 2]});
%!   assert (gather (G + 1), int8 ([8, 3]));
%!   assert (is_same (reloaded (format{1}, G), int8 ([7, 2])), format{1});
%! endfor
%! [~, ~] = unlink (file); # it may not be there

## the whole workspace, parts of it, fields, globals, and more than one file's worth
%!function save_all (file, format)
%!  G = gpuArray (magic (3));
%!  s.f = G(1,:);
%!  global saved_global
%!  saved_global = gpuArray (single (4));
%!  switch (format)
%!    case "-struct"
%!      save ("-text", file, "-struct", "s");
%!      save ("-text", "-append", file, "G", "saved_global");
%!    case "-append"
%!      save ("-text", file, "G");
%!      save ("-text", "-append", file, "s", "saved_*");
%!    otherwise
%!      save (format, file);
%!  endswitch
%!  clear -global saved_global
%!endfunction
%!test
%! file = tempname ();
%! for format = {"-text", "-binary", "-v7", "-append", "-struct"}
%!   save_all (file, format{1});
%!   x = load (file);
%!   if (strcmp (format{1}, "-struct"))
%!     x.s.f = x.f;
%!   endif
%!   assert (is_same ({x.G, x.s.f, x.saved_global}, {magic(3), [8, 1, 6], single(4)}), format{1});
%! endfor
%! [~, ~] = unlink (file); # it may not be there
%! G = gpuArray ([1.5, 2; 3, 4]);
%! save ("-ascii", file, "G");
%! assert (load (file), gather (G));
%! [~, ~] = unlink (file); # it may not be there
%! assert (! isempty (strfind (evalc ('save -text - G'), "# type: matrix")));

## An octave-cli without gpumm runs this code.
%!function [status, text] = plain_octave (code)
%!  program = fullfile (OCTAVE_EXEC_HOME (), "bin", "octave-cli");
%!  [status, text] = system (["'" program "' --no-history --norc --eval \"" code "\" 2>&1"]);
%!endfunction
%!test
%! [folder, gone] = scratch ();
%! for format = formats ().'
%!   G = gpuArray (magic (3));
%!   S = gpuArray (sparse ([0, 2]));
%!   save (strsplit (format{1}){:}, fullfile (folder, ["x" format{1}]), "G", "S");
%! endfor
%! [status, text] = plain_octave (["for f = glob ('" folder "/x*').', x = load (f{1}); " ...
%!                                 "assert (x.G, magic (3)); assert (x.S, sparse ([0, 2])); end, disp ok"]);
%! assert ({status, strtrim(text)(end-1:end)}, {0, "ok"}, text);

## ---- a workspace that a signal saves ------------------------------------------------------------

## What an Octave with gpumm saves that CODE and then SIGTERM ends, and what it prints. An error in it
## is caught: such an Octave stayed alive.
%!function [x, text, status] = after_signal (code)
%!  [folder, gone] = scratch ();
%!  file = fullfile (folder, "saved");
%!  [status, text] = system ([another_octave(["octave_core_file_name ('" file "'); " code ...
%!    " try, kill (getpid (), 15); pause (60); catch, end; disp ('it lives');"]) " 2>&1"]);
%!  assert (isempty (strfind (text, "it lives")), text);
%!  x = load (file);
%!endfunction

%!test
%! code = ["G = gpuArray (magic (3)); S = gpuArray (sparse ([0, 2])); B = blocksparse (magic (4), 2); " ...
%!         "D = gpuArray (B); i = gpuArray (int8 ([1, 2])); k = 3; octave_core_file_options ('%s'); "];
%! for format = {"-binary", "-text", "-hdf5", "-v7", "-v6", "-zip -text"}
%!   is_hdf5 = strcmp (format{1}, "-hdf5");
%!   if (is_hdf5 && ! __have_feature__ ("HDF5"))
%!     continue;
%!   endif
%!   c = "c = {G, {i, B}}; ";
%!   if (! is_for_matlab (format{1})) # they have no handles
%!     c = [c, "a = @() G; clear c; "];
%!   endif
%!   x = after_signal ([sprintf(code, format{1}), c]);
%!   assert (is_same ({x.G, x.S, x.i, x.k}, {magic(3), sparse([0, 2]), int8([1, 2]), 3}), format{1});
%!   assert (full (x.B), magic (4));
%!   assert (full (x.D), magic (4));
%!   assert (class (x.B), {"blocksparse", "double"}{1 + is_for_matlab (format{1})});
%!   if (isfield (x, "c"))
%!     assert (is_same (x.c{2}{1}, int8 ([1, 2])) && isequal (x.c{1}, magic (3)));
%!   else
%!     assert (is_same (x.a, @() magic (3)));
%!   endif
%! endfor

%!test # a Ctrl-C before it does not keep the values out of the file
%! x = after_signal (["octave_core_file_options ('-v7'); G = gpuArray (magic (3)); B = blocksparse (magic (4), 2); " ...
%!   "system (sprintf ('(sleep 1; kill -STOP %d; kill -INT %d; kill -TERM %d; kill -CONT %d) &', getpid () * ones (1, 4))); " ...
%!   "try, pause (60); catch, end; "]);
%! assert (is_same ({x.G, x.B}, {magic(3), sparse(magic (4))}));

%!testif HDF5 # Octave 7 cannot save z, and lives on: the value is a gpuArray again
%! [folder, gone] = scratch ();
%! [~, text] = system ([another_octave(["octave_core_file_options ('-hdf5'); octave_core_file_name ('" folder "/x'); " ...
%!   "G = gpuArray ([1, 2]); g = gpuArray (2); z = single ([1+2i, 3]); try, kill (getpid (), 15); pause (60); catch, end; g(1) = 7; " ...
%!   "r = 1:g; G(1) = 5; printf ('lives: %s %g %d', class (G), gather (sum (G)), numel (r));"]) " 2>&1"]);
%! assert (isempty (strfind (text, "lives")) || ! isempty (strfind (text, "lives: gpuArray 7 7")), text);

%!test # what is above the limit is left out, and nothing else
%! for limit = {"1", "50", "1e6"}
%!   x = after_signal (["G = gpuArray (ones (60)); g = gpuArray (1); H = ones (60); c = {g, G}; d = {g, H}; " ...
%!                      "S = gpuArray (sparse (60, 60)); octave_core_file_limit (" limit{1} "); "]);
%!   assert (isfield (x, "G"), isfield (x, "H"), limit{1});
%!   assert (isfield (x, "c"), isfield (x, "d"), limit{1});
%!   assert (isfield (x, "g") && isfield (x, "S"));
%! endfor

## ---- a device that does not answer --------------------------------------------------------------

## Calls of the host device can be made to fail.
%!function yes = has_host_device ()
%!  yes = ! gpumm_available ("gpu") && __gpuarray__ ("device", gpuArray (1)) != -1;
%!endfunction

%!testif ; has_host_device () # one line, and the rest is there
%! for format = {"-binary", "-text", "-v7", "-v6"}
%!   for limit = {"-1", "1e6"}
%!     [x, text] = after_signal (sprintf (["A = gpuArray (int8 ([1, 2])); B = gpuArray (magic (3)); H = 1; c = {A, 2}; d = {A};" ...
%!       " octave_core_file_options ('%s'); octave_core_file_limit (%s); __gpumm_fault__ ('device', 1); "], ...
%!       format{1}, limit{1}));
%!     assert (! isfield (x, "A") && is_same ({x.B, x.H}, {magic(3), 1}), format{1}); # the first fails
%!     assert (numel (regexp (text, "cannot be read and is left out")), 1, text);
%!     assert (isequal (x.c{2}, 2) && is_same (x.c(1), x.d) && is_same (x.d, {int8([])}));
%!   endfor
%! endfor

%!testif ; has_host_device () # save too
%! file = tempname ();
%! for format = {"-binary", "-text", "-v7", "-v6", "-v4", "-hdf5"}(1:5+__have_feature__ ("HDF5"))
%!   A = gpuArray (magic (3));
%!   B = gpuArray (2);
%!   __gpumm_fault__ ("device", 1);
%!   said = evalc ('save (format{1}, file, "A", "B")');
%!   __gpumm_fault__ ("device", 0);
%!   assert (numel (strfind (said, "cannot be read and is left out")), 1, said);
%!   assert (is_same (load (file), struct ("B", 2)), format{1});
%!   [~, ~] = unlink (file); # it may not be there
%!   assert (is_same (reloaded (format{1}, A), magic (3)));
%! endfor
