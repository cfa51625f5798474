## session.tst - gpumm in a session: reset, clear, fork, long series of calls.
## SPDX-License-Identifier: BSD-3-Clause

%!test # state survives and is rebuilt
%! A = magic (20);
%! for round = 1:3
%!   C = gpumm (A, A);
%!   gpumm_reset ();
%!   assert (gpumm (A, A, "Algorithm", "tiled"), A * A);
%!   gpumm_reset ();
%!   gpumm_reset ();
%! endfor
%! clear -f __gpumm_multiply__ __gpumm_info__
%! assert (gpumm (A, A), C);

%!test # a child of fork () multiplies, whatever its parent had opened
%! A = magic (30);
%! R = A * A;
%! C = gpumm (A, A);
%! C = gpumm (A, A, "Algorithm", "tiled");
%! if (gpumm_available ("gpu"))
%!   C = gpumm (A, A, "Backend", "gpu");
%! endif
%! fflush (stdout);
%! fflush (stderr);
%! [pid, message] = fork ();
%! assert (pid >= 0, message);
%! if (pid == 0)
%!   right = false;
%!   try
%!     right = isequal (gpumm (A, A), R) && isequal (gpumm (A, A, "Algorithm", "tiled"), R) ...
%!             && isequal (gpumm (sparse (A), sparse (A)), sparse (R)) ...
%!             && norm (gpumm (ones (500), ones (500)) - 500) == 0;
%!     gpumm_reset ();
%!     right = right && isequal (gpumm (A, A), R);
%!   catch err
%!     fprintf (stderr, "in the child: %s\n", err.message);
%!   end_try_catch
%!   kill (getpid (), {SIG().TERM, SIG().KILL}{1 + right}); # leaves no trace in the parent's files
%!   pause (60);
%! endif
%! [~, status] = waitpid (pid);
%! assert (WTERMSIG (status), SIG ().KILL);
%! assert (gpumm (A, A), R);

%!test # memory of a long series stays where it is
%! page = 4096;
%! resident = @() sscanf (fileread ("/proc/self/statm"), "%d")(2) * page;
%! if (exist ("/proc/self/statm", "file"))
%!   A = rand (200);
%!   S = sprand (200, 200, 0.1);
%!   Z = complex (A, 1);
%!   for round = 1:2
%!     before = resident ();
%!     for i = 1:300
%!       C = gpumm (A, A);
%!       C = gpumm (S, S);
%!       C = gpumm (Z, Z);
%!       C = gpumm (i * A, i * A);
%!       C = gpumm (sparse (i * A), i * A);
%!       try
%!         gpumm (A, A(1:3, :));
%!       catch
%!       end_try_catch
%!     endfor
%!   endfor
%!   assert (resident () - before < 10e6); # a leaked result a round would be 100 MB
%! endif

%!test # results of 72 MB in memory that is kept, and that is not: page faults (docs/guide/several-gpus.md)
%! if (system ("getconf GNU_LIBC_VERSION >/dev/null 2>&1") == 0)
%!   code = ["A = ones (3000, 2); B = ones (2, 3000); faults = zeros (1, 5); " ...
%!           "number = @() str2double (strsplit (fileread (\"/proc/self/stat\")){10}); " ...
%!           "for k = 1:5 C = []; before = number (); C = gpumm (A, B, \"Backend\", \"cpu\"); " ...
%!           "faults(k) = number () - before; endfor; printf (\"%d \", faults);"];
%!   clear_them = "env -u MALLOC_ARENA_MAX -u MALLOC_MMAP_MAX_ -u MALLOC_TRIM_THRESHOLD_ ";
%!   set_them = "MALLOC_ARENA_MAX=1 MALLOC_MMAP_MAX_=0 MALLOC_TRIM_THRESHOLD_=100000000000 ";
%!   for kept = [false, true]
%!     [status, said] = system ([{clear_them, set_them}{1 + kept}, another_octave(code)]);
%!     faults = sscanf (said, "%d");
%!     assert (status == 0 && numel (faults) == 5, "it said: %s", said);
%!     assert (all (faults(3:5) < 100) == kept, "kept %d, page faults: %s", kept, said);
%!   endfor
%! endif

%!test # why there is no GPU: without its library, and with one that cannot be opened
%! package = fileparts (which ("__gpumm_info__"));
%! [folder, gone] = scratch ();
%! code = "[~, why] = gpumm_available (); disp (why);";
%! ## the loader takes a gpumm that LD_LIBRARY_PATH leads to before the one in the folder
%! known = ostrsplit (getenv ("LD_LIBRARY_PATH"), ":");
%! known = known(! cellfun (@(f) exist (fullfile (f, "libgpumm.so.0"), "file"), known));
%! ask = ["LD_LIBRARY_PATH='" strjoin(known, ":") "' " another_octave(code, folder) " 2>&1"];
%! for name = {"__gpumm_info__.mex", "libgpumm.so.0"}
%!   copyfile (fullfile (package, name{1}), folder);
%! endfor
%! [~, said] = system (ask);
%! why = {"no NVIDIA driver", "built without CUDA"}{1 + any (cellfun (@(f) exist (f, "file"), ...
%!                                                    {"/dev/nvidiactl", "/dev/dxg"}))};
%! assert (! isempty (strfind (said, why)), "it said: %s", said);
%! file = write_file (fullfile (folder, "libgpumm_cuda.so"), "no library");
%! [~, said] = system (ask);
%! assert (! isempty (strfind (said, [file, ": "])), "it said: %s", said);

%!test # the info functions print something readable
%! text = evalc ("gpumm_info ()");
%! assert (! isempty (strfind (text, gpumm_info ().version)));
%! assert (! isempty (strfind (text, "blas")));
%! assert (! isempty (strfind (text, "tiled_16")));
