## guide.tst - the samples in docs/ do what stands below them (package doctest).
## SPDX-License-Identifier: BSD-3-Clause

## The pages of docs/guide and the notes in docs, as paths without .md.
%!function files = pages ()
%!  docs = fullfile (fileparts (fileparts (which ("gpumm_info"))), "docs");
%!  files = [glob(fullfile (docs, "guide", "*.md")); glob(fullfile (docs, "*.md"))];
%!endfunction

## What stands between ```octave and ``` in a page, block by block.
%!function blocks = samples (file)
%!  [~, ~, ~, ~, found] = regexp (fileread (file), '^```octave\n(.*?)^```$', "lineanchors");
%!  blocks = cellfun (@(x) x{1}, found, "UniformOutput", false);
%!endfunction

## A page's samples as the help text of a function, which doctest runs in one workspace; two empty
## lines end what a sample answers.
%!function [passed, total] = run_samples (blocks, folder, name)
%!  text = strrep (["\n" strjoin(blocks, "\n\n\n")], "\n", "\n## ");
%!  id = fopen (fullfile (folder, [name ".m"]), "w");
%!  fprintf (id, "%s\n\nfunction %s ()\nendfunction\n", text, name);
%!  fclose (id);
%!  rehash ();
%!  [passed, total] = doctest (name);
%!endfunction

## each page's samples, every prompt a test, and every block with a prompt
%!testif ; ! isempty (pkg ("list", "doctest"))
%! pkg load doctest
%! [folder, gone] = scratch ("cd"); # for what samples write
%! all_samples = 0;
%! for file = pages ().'
%!   blocks = samples (file{1});
%!   if (isempty (blocks))
%!     continue;
%!   endif
%!   prompts = cellfun (@(b) numel (regexp (b, '^>> ', "lineanchors")), blocks);
%!   assert (all (prompts > 0), "%s: a sample without a prompt cannot be compared", file{1});
%!   name = ["guide_", regexprep(file{1}, '.*/docs/|\.md$|\W', "")];
%!   [passed, total] = run_samples (blocks, folder, name);
%!   assert (total == sum (prompts), "%s: %d of %d samples ran", file{1}, total, sum (prompts));
%!   assert (passed == total, "%s: %d of %d samples are right", file{1}, passed, total);
%!   all_samples += total;
%! endfor
%! assert (all_samples >= 50);

## a sample that answers something else is found
%!testif ; ! isempty (pkg ("list", "doctest"))
%! pkg load doctest
%! [folder, gone] = scratch ("path");
%! said = evalc (["[passed, total] = run_samples ({\">> gpumm (2, 3)\\nans = 6\\n\", " ...
%!                "\">> gpumm (2, 3)\\nans = 7\\n\"}, folder, \"guide_wrong\");"]);
%! assert ([passed, total], [1, 2]);

## every algorithm has its bound and its place in the guide
%!testif ; exist (fullfile (fileparts (fileparts (which ("gpumm_info"))), "README.md"), "file") == 2
%! root = fileparts (fileparts (which ("gpumm_info")));
%! for file = {fullfile("docs", "guide", "reference.md"), fullfile("docs", "guide", "accuracy.md")}
%!   rows = regexp (fileread (fullfile (root, file{1})), '^\|.*$', "match", "lineanchors", "dotexceptnewline");
%!   rows = strjoin (rows, "\n");
%!   for name = gpumm_info ().algorithms
%!     assert (! isempty (strfind (rows, ["`" name{1} "`"])), "%s: no row has `%s`", file{1}, name{1});
%!   endfor
%! endfor
