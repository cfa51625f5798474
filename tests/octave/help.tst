## help.tst - the examples in the help texts do what they say (package doctest).
## SPDX-License-Identifier: BSD-3-Clause

%!function names = public_files ()
%!  all = cellfun (@readdir, function_folders (), "UniformOutput", false);
%!  names = vertcat (regexp (vertcat (all{:}), '^([a-zA-Z]\w*)\.m$', "tokens", "once"){:});
%!endfunction

%!function names = in_packages ()
%!  files = readdir (fullfile (fileparts (which ("gpumm_info")), "+parallel", "+gpu"));
%!  names = vertcat (regexp (files, '^([a-zA-Z]\w*)\.m$', "tokens", "once"){:});
%!  names = strcat ("parallel.gpu.", names);
%!endfunction

## Functions whose help may have examples.
%!function list = names ()
%!  files = public_files ();
%!  list = [files; {"gpumm"; "gpuDevice"}; in_packages()].';
%!  list(strcmp (list, "gpumm_demo")) = []; # demo.tst runs its example
%!endfunction

%!function [failed, total] = count_failures (names)
%!  [passed, total] = doctest (names);
%!  failed = total - passed;
%!endfunction

%!testif ; ! isempty (pkg ("list", "doctest"))
%! pkg load doctest
%! temporary = getenv ("TMPDIR"); # an example writes a folder
%! [folder, gone] = scratch ();
%! back = onCleanup (@() setenv ("TMPDIR", temporary));
%! setenv ("TMPDIR", folder);
%! [failed, total] = count_failures (names ());
%! assert (failed, 0);
%! assert (total >= 57);

## INDEX, of which the reference is made, lists every function that gpumm_doc takes
%!testif ; exist (fullfile (fileparts (fileparts (which ("gpumm_info"))), "INDEX"), "file") == 2
%! folder = fileparts (which ("gpumm_info"));
%! listed = regexp (fileread (fullfile (fileparts (folder), "INDEX")), '^ ([\w.]+)$', "tokens", ...
%!                  "lineanchors");
%! files = [{"gpumm"}; public_files(); in_packages()];
%! classes = vertcat (regexp (readdir (folder), '^@([a-zA-Z]\w*)$', "tokens", "once"){:});
%! for name = classes.' # a class whose constructor users call
%!   if (exist (fullfile (folder, ["@" name{1}], [name{1} ".m"]), "file"))
%!     files{end+1,1} = name{1};
%!   endif
%! endfor
%! listed = sort ([listed{:}]);
%! assert (listed.', sort (files));
%! [~, said] = error_of (@() gpumm_doc ("multiply"));
%! assert (said, ["gpumm_doc: gpumm has no function multiply; it has " strjoin(listed, ", ")]);

## the help of gpumm has the options that gpumm takes, in their order
%!test
%! [~, said] = error_of (@() gpumm (1, 2, "Foo", 3));
%! valid = regexp (said, 'valid options are (.*)$', "tokens", "once"){1};
%! items = regexp (get_help_text ("gpumm"), '^ *@item @qcode.*$', "match", "lineanchors", ...
%!                 "dotexceptnewline");
%! assert (regexp (strjoin (items), '@qcode\{"(\w+)"\}', "tokens"), ...
%!         num2cell (strsplit (valid, ", ")));

## the help of gpuArray names the functions of its tables, but those that refuse an array
%!test
%! tables = __gpuarray__ ("functions");
%! said = regexp (get_help_text ("gpuArray"), '(?:@code\{|gpuArray\.)(\w+)', "tokens");
%! said = [[said{:}], {"colon", "inf", "nan", "isinteger", "pagemtimes"}];
%! of_two = cellfun (@(row) row{1}, tables.of_two, "UniformOutput", false);
%! missing = setdiff ([tables.elementwise, of_two], said);
%! assert (isempty (missing), "not in the help: %s", strjoin (missing, ", "));
%! for name = setdiff (tables.named, said)
%!   id = error_of (@() __gpuarray__ (name{1}, {gpuArray(magic (3)), 2}));
%!   assert (id, "gpumm:gpuArray:gather", name{1});
%! endfor

## every public function has a help text with a usage
%!test
%! for name = names ()
%!   [text, format] = get_help_text (name{1});
%!   assert (format, "texinfo");
%!   assert (! isempty (strfind (text, "@deftypefn")));
%!   assert (! isempty (strfind (text, "@example")));
%! endfor
