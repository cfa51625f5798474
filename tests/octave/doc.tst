## doc.tst - gpumm_doc finds the guide, opens it or says where it is.  The guide is a made-up one,
## in a folder as pkg installs it, so that none of this needs pandoc.
## SPDX-License-Identifier: BSD-3-Clause

## A folder whose name has what must be escaped, with gpumm's functions; the caller removes it.
%!function folder = installed (with_guide)
%!  folder = fullfile (tempname (), "a b'#%\303\251");
%!  mkdir (fileparts (folder));
%!  mkdir (folder);
%!  octave = fileparts (which ("gpumm"));
%!  mkdir (fullfile (folder, "private"));
%!  for name = {"gpumm_doc.m", "mmread.m", fullfile("private", "quoted_word.m")}
%!    copyfile (fullfile (octave, name{1}), fullfile (folder, name{1}));
%!  endfor
%!  if (with_guide)
%!    mkdir (fullfile (folder, "doc"));
%!    for name = {fullfile("doc", "index.html"), fullfile("doc", "reference.html"), "doc.info"}
%!      fclose (fopen (fullfile (folder, name{1}), "w"));
%!    endfor
%!  endif
%!  addpath (folder);
%!endfunction

%!function remove (folder)
%!  rmpath (folder);
%!  confirm_recursive_rmdir (false, "local");
%!  rmdir (fileparts (folder), "s");
%!endfunction

## What CODE prints where DISPLAY is set so, and the arguments of the browser that it starts.  The
## browser is xdg-open on PATH, which Octave does not wait for.
%!function [said, opened] = with_display (display, code)
%!  bin = tempname ();
%!  mkdir (bin);
%!  id = fopen (fullfile (bin, "xdg-open"), "w");
%!  fprintf (id, "#!/bin/sh\ncd '%s' && printf '%%s' \"$*\" >part && mv part opened\n", bin);
%!  fclose (id);
%!  system (sprintf ("chmod +x '%s/xdg-open'", bin));
%!  names = {"PATH", "DISPLAY", "WAYLAND_DISPLAY"};
%!  before = cellfun (@getenv, names, "UniformOutput", false);
%!  program = info_program ("true"); # these tests may run in a terminal
%!  unwind_protect
%!    setenv ("PATH", [bin, pathsep(), before{1}]);
%!    setenv ("DISPLAY", display);
%!    setenv ("WAYLAND_DISPLAY", "");
%!    said = evalc (code);
%!    opened = "";
%!    for attempt = 1:100 * ! isempty (display)
%!      if (exist (fullfile (bin, "opened"), "file"))
%!        opened = fileread (fullfile (bin, "opened"));
%!        break;
%!      endif
%!      pause (0.05);
%!    endfor
%!  unwind_protect_cleanup
%!    cellfun (@setenv, names, before);
%!    info_program (program);
%!    confirm_recursive_rmdir (false, "local");
%!    rmdir (bin, "s");
%!  end_unwind_protect
%!endfunction

## the address, the browser, and the terminal
%!test
%! folder = installed (true);
%! unwind_protect
%!   at = ["file://", fileparts(folder), "/a%20b%27%23%25%C3%A9/doc/"];
%!   assert (gpumm_doc (), [at, "index.html"]);
%!   assert (gpumm_doc ("mmread"), [at, "reference.html#mmread"]);
%!   if (! ispc () && ! ismac ())
%!     [said, opened] = with_display (":77", "gpumm_doc mmread");
%!     assert (said, [at, "reference.html#mmread\n"]);
%!     assert (opened, [at, "reference.html#mmread"]);
%!     said = with_display ("", "gpumm_doc ()");
%!     assert (said, ["There is no display to open ", at, "index.html\n"]);
%!   endif
%! unwind_protect_cleanup
%!   remove (folder);
%! end_unwind_protect

## in a terminal without a display the Info reader opens the function
%!function write (file, text)
%!  id = fopen (file, "w");
%!  fputs (id, text);
%!  fclose (id);
%!endfunction
%!testif ; system ("script --version > /dev/null 2>&1") == 0
%! folder = installed (true);
%! before = pwd ();
%! unwind_protect
%!   cd (folder);
%!   write ("reader", "#!/bin/sh\nprintf '(%s)' \"$@\"\n");
%!   system ("chmod +x reader");
%!   write ("show.m", "info_program ('./reader');\ngpumm_doc mmread\ngpumm_doc\n");
%!   octave = fullfile (OCTAVE_EXEC_HOME (), "bin", "octave-cli");
%!   command = ["env -u DISPLAY -u WAYLAND_DISPLAY ", octave, " --norc --no-history show.m"];
%!   [~, said] = system (["script -qec \"", command, "\" /dev/null </dev/null"]);
%!   file = fullfile (folder, "doc.info");
%!   assert (! isempty (strfind (said, ["(--file)(", file, ")(--index-search)(mmread)"])));
%!   assert (! isempty (regexp (said, '\(--file\)\([^)]*/doc\.info\)[^(]*$', "once")));
%! unwind_protect_cleanup
%!   cd (before);
%!   remove (folder);
%! end_unwind_protect

## a package without the guide
%!test
%! folder = installed (false);
%! unwind_protect
%!   fail ("gpumm_doc ()", "was installed without its guide");
%!   try
%!     gpumm_doc ("mmread");
%!   catch err
%!     assert (err.identifier, "gpumm:no-documentation");
%!   end_try_catch
%!   mkdir (fullfile (folder, "doc")); # where the lessons are
%!   fail ("gpumm_doc ()", "was installed without its guide");
%! unwind_protect_cleanup
%!   remove (folder);
%! end_unwind_protect

## the sources say how to make it
%!testif ; exist (fullfile (fileparts (fileparts (which ("gpumm"))), "setup"), "file") == 2
%! root = fileparts (fileparts (which ("gpumm")));
%! guide = fullfile (root, "build", "guide");
%! if (isfolder (guide))
%!   assert (! isempty (regexp (gpumm_doc (), '^file:///.*/build/guide/index\.html$', "once")));
%! else
%!   fail ("gpumm_doc ()", "setup guide makes it");
%! endif
