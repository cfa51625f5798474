## files.tst - files that are written are whole: on a full disk, in a process that is killed,
## whatever their names.  GPUMM_FUZZ in the environment says how many random cases there are.
##
## SPDX-License-Identifier: BSD-3-Clause

## No room for 8 KB: an error with its identifier, the old file, and nothing else.
%!test
%! [folder, gone] = scratch ("cd");
%! names = {"a.mtx", "a.blocks", "gpumm_demo.png", "t.csv"};
%! for k = 1:3
%!   write_file (names{k}, "old");
%! endfor
%! write_file ("t.csv", "1,2\n3,4\n");
%! mkdir ("tmp");
%! code = {"mmwrite (\"a.mtx\", rand (100))", "gpumm:mmwrite:write";
%!         "blocksparse_write (\"a.blocks\", blocksparse (uint16 (ones (96)), 4))", ...
%!         "gpumm:blocksparse:file";
%!         "setenv (\"TMPDIR\", [pwd \"/tmp\"]); gpumm_demo ({\"t.csv\"})", "gpumm:unwritable"};
%! for k = 1:rows (code)
%!   try_it = ["try, " code{k,1} "; catch err, disp (err.identifier); disp (err.message); end"];
%!   [~, said] = system (["trap '' XFSZ; ulimit -f 8; exec " another_octave(try_it) " 2>&1"]);
%!   drawn = isempty (strfind (said, "no figure: it needs gnuplot"));
%!   assert (! isempty (strfind (said, code{k,2})) || ! drawn, said);
%!   assert (fileread (names{k}), "old");
%! endfor
%! confirm_recursive_rmdir (false, "local");
%! rmdir ("tmp", "s");
%! assert (sort (readdir (".")), sort ([{"."; ".."}; names(:)]));

## /dev/stdout: after what is in the file, between what Octave itself prints
%!test
%! [folder, gone] = scratch ();
%! file = fullfile (folder, "a");
%! blocks = "blocksparse (uint16 ([1 2; 3 4]), 2)";
%! for write_it = {"mmwrite (\"%s\", [1 2]);", ["blocksparse_write (\"%s\", " blocks ");"]}
%!   system ([another_octave(sprintf (write_it{1}, file)) " 2>&1"]);
%!   alone = fileread (file);
%!   for to = {">", ">>", "| cat >>"}
%!     write_file (file, "old\n");
%!     code = ["disp (1); " sprintf(write_it{1}, "/dev/stdout") " disp (2);"];
%!     assert (system ([another_octave(code) " " to{1} file]), 0);
%!     old = {"old\n", ""}{1 + strcmp (to{1}, ">")};
%!     assert (fileread (file), [old "1\n" alone "2\n"]);
%!   endfor
%! endfor

## Killed while it writes: the old file or the new one, whole.
%!test
%! [folder, gone] = scratch ("cd");
%! rand ("twister", 3);
%! count = from_environment ("GPUMM_FUZZ", 4);
%! A = reshape (1:4e5, [], 100);
%! S = blocksparse (uint16 (mod (reshape (1:1440000, 1200, []), 99)), 4);
%! B = ones (2);
%! T = blocksparse (ones (4, "uint16"), 4);
%! for k = 1:count
%!   mmwrite ("a.mtx", B);
%!   blocksparse_write ("a.blocks", T);
%!   code = ["A = reshape (1:4e5, [], 100); " ...
%!           "S = blocksparse (uint16 (mod (reshape (1:1440000, 1200, []), 99)), 4); " ...
%!           "fclose (fopen (\"begun\", \"w\")); " ...
%!           "while (true) mmwrite (\"a.mtx\", A); blocksparse_write (\"a.blocks\", S); end"];
%!   [~, pid] = system (["(exec " another_octave(code) " >said 2>&1) & echo $!"]);
%!   for wait = 1:600
%!     if (exist ("begun", "file"))
%!       break;
%!     endif
%!     pause (0.05);
%!   endfor
%!   assert (exist ("begun", "file"), 2);
%!   pause (0.6 * rand ());
%!   system (["kill -9 " strtrim(pid)]);
%!   pause (0.05);
%!   C = mmread ("a.mtx");
%!   assert (isequal (C, A) || isequal (C, B));
%!   U = blocksparse_read ("a.blocks");
%!   assert (isequal (U, S) || isequal (U, T));
%!   unlink ("begun");
%! endfor
%! assert (numel (readdir (".")) <= 2 + 3 + count, strjoin (readdir ("."), " "));

## Names of all characters but 0 and /.
%!test
%! [folder, gone] = scratch ("cd");
%! rand ("twister", 11);
%! S = blocksparse (eye (4, "uint16"), 2);
%! special = ";$()`'\"\\_^{}%@ \n-~*?[]#&|<>!\t\xff\xc3\xe9\x01";
%! for k = 1:from_environment ("GPUMM_FUZZ", 40)
%!   n = ceil (30 * rand);
%!   name = special(ceil (numel (special) * rand (1, n)));
%!   plain = rand (1, n) < 0.3;
%!   name(plain) = char (1 + floor (255 * rand (1, sum (plain))));
%!   name(name == "/") = "x";
%!   ## Octave takes ~ for the home of a user here, and at the beginning
%!   before = [name(2:end) == "~", false];
%!   name(before & any (name == (" \t\n\v\f\r:")(:), 1)) = "x";
%!   if (name(1) == "~" || all (name == "."))
%!     name = ["x" name];
%!   endif
%!   mmwrite (name, k);
%!   assert (mmread (name), k);
%!   blocksparse_write (name, S);
%!   assert (isequal (blocksparse_read (name), S));
%!   assert (numel (readdir (".")), 3);
%!   assert (unlink (name), 0);
%! endfor
