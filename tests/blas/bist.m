## bist.m [NAME...] - runs Octave's own tests of linear algebra, in all files or in these, and prints
## for each file what passed.
## SPDX-License-Identifier: BSD-3-Clause
1;
makeinfo_program ("true"); # print_usage would run makeinfo for each wrong call
names = @(folder, ends) cellfun (@(f) fullfile (folder, f), {dir(fullfile (folder, ends)).name}, ...
                                 "UniformOutput", false);
linear_algebra = fullfile (OCTAVE_HOME (), "share", "octave", version (), "m", "linear-algebra");
files = names (linear_algebra, "*.m");
tests = __octave_config_info__ ("octtestsdir");
for name = {"balance", "chol", "det", "dot", "eig", "gsvd", "hess", "inv", "kron", "lu", ...
            "mgorth", "pinv", "qr", "qz", "rcond", "schur", "sqrtm", "svd", "sylvester"}
  files = [files, names(fullfile (tests, "libinterp", "corefcn"), [name{1} ".cc-tst"])];
  files = [files, names(fullfile (tests, "libinterp", "dldfcn"), [name{1} ".cc-tst"])];
endfor
log = tempname ();
[~, of] = cellfun (@fileparts, files, "UniformOutput", false);
if (! isempty (argv ()))
  files = files(ismember (of, argv ()));
endif
for file = files
  rand ("twister", 1); # some of the tests draw matrices that fail at times
  randn ("twister", 1);
  [passed, all] = test (file{1}, "quiet", log);
  [~, name] = fileparts (file{1});
  printf ("%s: %d of %d\n", name, passed, all);
endfor
printf ("%d files\n", numel (files));
unlink (log);
