## run_tests.m - runs Octave test files, prints the counts, and exits with status 1 after a failure.
##
##   octave-cli --no-history --norc tests/octave/run_tests.m PACKAGE FILE ...
##
## PACKAGE is the directory with the gateways (build/package).  Each FILE, with its path, is a .tst
## or an .m file with %! tests.  GPUMM_SEED and GPUMM_RANDOM_CASES in the environment are for
## random.tst.
## SPDX-License-Identifier: BSD-3-Clause
1;

## After an index error Octave looks for a function of the variable's name.  Where there is none it
## reads all folders of its path again, which takes 6 ms: thousands of errors are provoked here.
for name = ["abcfghxyz", "ABCGHKSTXY"]
  eval (sprintf ("function %s (), endfunction", name));
endfor

## Octave's print_usage runs makeinfo, which takes 0.1 to 0.3 s.
function print_usage (name = "")
  if (isempty (name))
    [~, name] = fileparts (evalin ("caller", 'mfilename ("fullpath")'));
  endif
  error ("Octave:invalid-fun-call", "Invalid call to %s", name);
endfunction

arguments = argv ();
here = fileparts (mfilename ("fullpath"));
root = fileparts (fileparts (here));
addpath (arguments{1}, fullfile (root, "octave"), fullfile (root, "teaching"), here);
gpumm_mtimes (false); # gpumm must not compute the A*B that it is compared with

passed = failed = skipped = 0;
for file = arguments(2:end).'
  log = tempname ();
  [n, most, ~, ~, skip, runtime_skip] = test (file{1}, "normal", log);
  skip += runtime_skip;
  [~, name, ext] = fileparts (file{1});
  if (most + skip == 0) # a file that cannot be read has no tests
    most = 1;
  endif
  printf ("%s: %d of %d tests passed, %d skipped\n", [name, ext], n, most, skip);
  if (n != most)
    blocks = ostrsplit (strrep (fileread (log), "***** ", "\001"), "\001");
    blocks = blocks(! cellfun (@isempty, strfind (blocks, "!!!!! ")));
    try
      blocks = regexprep (blocks, '^shared variables.*', "", "lineanchors"); # they fill pages
    catch # regexprep takes UTF-8 only, and a name of a file is any text
    end_try_catch
    printf ("%s\n", blocks{:});
  endif
  unlink (log);
  passed += n;
  failed += most - n;
  skipped += skip;
endfor
if (skipped > 0)
  [available, why] = gpumm_available ("gpu");
  if (! available)
    printf ("SKIP: there is no GPU: %s\n", why);
  else
    printf ("SKIP: package doctest is not installed\n");
  endif
endif
printf ("%d passed, %d failed, %d skipped\n", passed, failed, skipped);
exit (failed > 0);
