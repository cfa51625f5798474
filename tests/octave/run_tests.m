## run_tests.m - runs test files of Octave and says how it went, with the exit status, too.
##
##   octave-cli --no-history --norc tests/octave/run_tests.m PACKAGE FILE ...
##
## PACKAGE is the directory with the gateways (build/package).  Each FILE, with its path, is a .tst
## or an .m file with %! tests.  GPUMM_SEED and GPUMM_RANDOM_CASES in the environment are for
## random.tst.
## SPDX-License-Identifier: BSD-3-Clause
1;

arguments = argv ();
here = fileparts (mfilename ("fullpath"));
root = fileparts (fileparts (here));
addpath (arguments{1}, fullfile (root, "octave"), here);

passed = total = skipped = 0;
failed_files = {};
for file = arguments(2:end).'
  log = tempname ();
  [n, most, ~, ~, skip, runtime_skip] = test (file{1}, "normal", log);
  skip += runtime_skip;
  [~, name, ext] = fileparts (file{1});
  printf ("%s: %d of %d tests passed, %d skipped\n", [name, ext], n, most, skip);
  if (skip > 0 && ! gpumm_available ("gpu"))
    [~, why] = gpumm_available ("gpu");
    printf ("  skipped as there is no GPU: %s\n", why);
  endif
  if (n != most || most + skip == 0) # a file that cannot be parsed has no tests
    failed_files{end+1} = [name, ext];
    blocks = ostrsplit (strrep (fileread (log), "***** ", "\001"), "\001");
    printf ("%s\n", blocks{! cellfun (@isempty, strfind (blocks, "!!!!! "))});
  endif
  unlink (log);
  passed += n;
  total += most;
  skipped += skip;
endfor
if (! isempty (failed_files))
  printf ("FAILED: %s\n", strjoin (failed_files, ", "));
endif
exit (! isempty (failed_files));
