## doc.tst - gpumm_doc finds the guide, opens it or says where it is.  The guide is a made-up one,
## in a folder as pkg installs it, so that none of this needs pandoc.
## SPDX-License-Identifier: BSD-3-Clause

## A folder whose name has what must be escaped, with gpumm's functions, until GONE ends.
%!function [folder, gone] = installed (with_guide)
%!  [above, leaves] = scratch ();
%!  folder = fullfile (above, "a b'#%\303\251");
%!  mkdir (folder);
%!  octave = fileparts (which ("gpumm_info"));
%!  for name = {"gpumm_doc.m", "mmread.m", "__quoted_word__.m", "__file_address__.m"}
%!    copyfile (fullfile (octave, name{1}), fullfile (folder, name{1}));
%!  endfor
%!  if (with_guide)
%!    mkdir (fullfile (folder, "doc"));
%!    for name = {fullfile("doc", "index.html"), fullfile("doc", "reference.html"), "doc.info"}
%!      write_file (fullfile (folder, name{1}), "");
%!    endfor
%!  endif
%!  addpath (folder);
%!  gone = {onCleanup(@() rmpath (folder)), leaves};
%!endfunction

## What CODE prints where DISPLAY is set so, and the arguments of the browser that it starts.  The
## browser is xdg-open on PATH, which Octave does not wait for.
%!function [said, opened] = with_display (display, code)
%!  [bin, gone] = scratch ();
%!  write_file (fullfile (bin, "xdg-open"), ...
%!              sprintf ("#!/bin/sh\ncd '%s' && printf '%%s' \"$*\" >part && mv part opened\n", ...
%!                       bin));
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
%!  end_unwind_protect
%!endfunction

## the address, the browser, and the terminal
%!test
%! [folder, gone] = installed (true);
%! at = ["file://", fileparts(folder), "/a%20b%27%23%25%C3%A9/doc/"];
%! assert (gpumm_doc (), [at, "index.html"]);
%! assert (gpumm_doc ("mmread"), [at, "reference.html#mmread"]);
%! if (! ispc () && ! ismac ())
%!   [said, opened] = with_display (":77", "gpumm_doc mmread");
%!   assert (said, [at, "reference.html#mmread\n"]);
%!   assert (opened, [at, "reference.html#mmread"]);
%!   said = with_display ("", "gpumm_doc ()");
%!   assert (said, ["There is no display to open ", at, "index.html\n"]);
%! endif

## in a terminal without a display the Info reader opens the function
%!testif ; system ("script --version > /dev/null 2>&1") == 0
%! [folder, gone] = installed (true);
%! before = pwd ();
%! returns = onCleanup (@() cd (before));
%! cd (folder);
%! write_file ("reader", "#!/bin/sh\nprintf '(%s)' \"$@\"\n");
%! system ("chmod +x reader");
%! write_file ("show.m", "info_program ('./reader');\ngpumm_doc mmread\ngpumm_doc\n");
%! octave = fullfile (OCTAVE_EXEC_HOME (), "bin", "octave-cli");
%! command = ["env -u DISPLAY -u WAYLAND_DISPLAY ", octave, " --norc --no-history show.m"];
%! [~, said] = system (["script -qec \"", command, "\" /dev/null </dev/null"]);
%! file = fullfile (folder, "doc.info");
%! assert (! isempty (strfind (said, ["(--file)(", file, ")(--index-search)(mmread)"])));
%! assert (! isempty (regexp (said, '\(--file\)\([^)]*/doc\.info\)[^(]*$', "once")));

## a package without the guide
%!test
%! [folder, gone] = installed (false);
%! fail ("gpumm_doc ()", "was installed without its guide");
%! check_error ("gpumm:no-documentation", "guide", @() gpumm_doc ("mmread"));
%! mkdir (fullfile (folder, "doc")); # where the lessons are
%! fail ("gpumm_doc ()", "was installed without its guide");

## Octave's doc then says what to install
%!testif ; system ("info --version > /dev/null 2>&1") == 0
%! [~, said] = system ([another_octave("doc gpumm") " </dev/null 2>&1"]);
%! assert (! isempty (strfind (said, "apt-get install pandoc texinfo python3")));
%! assert (numel (said) < 2000); # no manual of Octave's
%! [~, said] = system ([another_octave("doc gpumm_plot") " </dev/null 2>&1"]);
%! assert (! isempty (strfind (said, "help gpumm_plot")));
%! assert (numel (said) < 2000);

## the sources say how to make it
%!testif ; exist (fullfile (fileparts (fileparts (which ("gpumm_info"))), "setup"), "file") == 2
%! root = fileparts (fileparts (which ("gpumm_info")));
%! guide = fullfile (root, "build", "guide");
%! if (isfolder (guide))
%!   assert (! isempty (regexp (gpumm_doc (), '^file:///.*/build/guide/index\.html$', "once")));
%! else
%!   fail ("gpumm_doc ()", "setup guide makes it");
%! endif
