## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## -*- texinfo -*-
## @deftypefn  {} {} gpumm_doc ()
## @deftypefnx {} {} gpumm_doc (@var{name})
## @deftypefnx {} {@var{address} =} gpumm_doc (@dots{})
## Open the guide of gpumm in the browser, or its reference at the function @var{name}.
##
## The guide has a tutorial, the reference, the lessons with the output of a GPU, and pages on how
## gpumm works, on its speed and its accuracy, and on every error.  It is installed with the
## package.  In a clone, @code{./setup guide} makes it.
##
## @code{gpumm_doc} prints the address of the page.  Without a display, but in a terminal, it
## opens the reference in the Info reader.  With an output argument it prints and opens nothing.
##
## If the package is installed with its guide, Octave's @code{doc gpumm} shows the reference, too.
## Otherwise it says what to install.
##
## @example
## @group
## gpumm_doc ("multiply")
##   @print{} error: gpumm_doc: gpumm has no function multiply; it has ...
## @end group
## @end example
## @seealso{gpumm, gpumm_lessons}
## @end deftypefn

function address = gpumm_doc (name = "")

  if (! ischar (name) || rows (name) > 1)
    error ("gpumm:bad-value", "gpumm_doc: NAME must be a string");
  endif
  here = fileparts (mfilename ("fullpath"));
  [teaching, ~] = readdir (fileparts (which ("gpumm_lessons"))); # the same folder in a package
  names = [readdir(here); teaching];
  functions = regexp (names, '^([a-zA-Z]\w*)\.m$', "tokens", "once");
  functions = [{"gpumm"}; vertcat(functions{:})]; # which is compiled
  classes = vertcat (regexp (names, '^@([a-zA-Z]\w*)$', "tokens", "once"){:});
  has_constructor = @(name) exist (fullfile (here, ["@" name], [name ".m"]), "file") == 2;
  packages = regexp (readdir (fullfile (here, "+parallel", "+gpu")), '^([a-zA-Z]\w*)\.m$', ...
                     "tokens", "once");
  functions = unique ([functions; classes(cellfun (has_constructor, classes));
                       strcat("parallel.gpu.", vertcat (packages{:}))]);
  if (! (isempty (name) || any (strcmp (name, functions))))
    error ("gpumm:bad-value", "gpumm_doc: gpumm has no function %s; it has %s", name, ...
           strjoin (functions, ", "));
  endif
  [guide, info_file] = find_guide (here);

  page = [__file_address__(guide), "/index.html"];
  if (! isempty (name))
    page = [__file_address__(guide), "/reference.html#", name];
  endif
  if (nargout > 0)
    address = page;
  elseif (ispc () || ismac () || ! isempty ([getenv("DISPLAY"), getenv("WAYLAND_DISPLAY")]))
    printf ("%s\n", page);
    web (page);
  else
    printf ("There is no display to open %s\n", page);
    if (system ("test -t 0 && test -t 1") == 0)
      show_info (info_file, name);
    endif
  endif

endfunction

## The folder of the guide and the Info file: in the installed package, beside the functions, where
## Octave's doc looks for doc.info; or in build/, where ./setup guide puts them.
function [guide, info_file] = find_guide (here)

  guide = fullfile (here, "doc");
  info_file = fullfile (here, "doc.info");
  root = fileparts (here);
  if (! isfolder (guide) && exist (fullfile (root, "setup"), "file"))
    guide = fullfile (root, "build", "guide");
    info_file = fullfile (guide, "doc.info");
    if (! isfolder (guide))
      error ("gpumm:no-documentation", ...
             "gpumm_doc: the guide is not built yet; %s guide makes it", fullfile (root, "setup"));
    endif
  endif
  if (! exist (fullfile (guide, "reference.html"), "file"))
    error ("gpumm:no-documentation", ...
           ["gpumm_doc: this gpumm was installed without its guide. Install pandoc, texinfo and " ...
            "python3; in gpumm's sources package/make-dist then makes the package with the guide"]);
  endif

endfunction

function show_info (file, name)

  command = sprintf ("%s --file %s", __quoted_word__ (info_program ()), __quoted_word__ (file));
  if (! isempty (name))
    command = [command, " --index-search ", name];
  endif
  if (system (command) == 127)
    printf ("%s, which shows the reference in a terminal, is not installed\n", info_program ());
  endif

endfunction

%!error <called with too many inputs> gpumm_doc (1, 2)
%!error id=gpumm:bad-value gpumm_doc (1)
%!error id=gpumm:bad-value gpumm_doc ("multiply")
%!error id=gpumm:bad-value gpumm_doc ("private/conversions")
%!error id=gpumm:bad-value gpumm_doc ("gpuArray/norm")
%!error <gpuArray, gpuDevice, > gpumm_doc ("multiply")
