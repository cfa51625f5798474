## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## -*- texinfo -*-
## @deftypefn {} {@var{where} =} lesson ()
## Begin a notebook: find gpumm and the functions of the lessons, make figures large enough to read,
## and print which machine this is.  Stored outputs say that they are another machine's.
##
## A copy made by @code{gpumm_lessons} has the notebooks and this file.  The other
## functions stay in gpumm's own folder.
##
## @var{where} is @qcode{"gpu"} if gpumm can use a GPU, and @qcode{"cpu"} otherwise.  The random
## numbers restart, so a lesson has the same matrices each time.
##
## While the repository's outputs are stored (@env{GPUMM_NOTEBOOKS_STORE} is set), a machine without
## a GPU is the error @code{gpumm:no-device}.  A notebook whose outputs depend on no machine
## (@qcode{"same-everywhere"}) is stored on any.
## @seealso{from_gpu, exercise}
## @end deftypefn

function where = lesson ()

  if (exist ("gpumm_info", "file") != 2)
    root = fileparts (fileparts (mfilename ("fullpath")));
    if (exist (fullfile (root, "build", "package"), "dir") == 7)
      addpath (fullfile (root, "octave"), fullfile (root, "teaching"), ...
               fullfile (root, "build", "package"));
    else
      pkg load gpumm
    endif
  endif
  if (exist ("exercise", "file") != 2) # this is a copy; gpumm has the rest
    gpumm_folder = fileparts (which ("gpumm_info"));
    folders = {fullfile(gpumm_folder, "doc", "notebooks"), ... # installed
               fullfile(fileparts (gpumm_folder), "notebooks")}; # in its sources
    addpath (folders{cellfun (@isfolder, folders)});
  endif
  addpath (fileparts (which ("exercise"))); # _make_figures there comes before the kernel's

  ## Okabe and Ito's colours, which colour-blind people can tell apart
  colours = [0 114 178; 213 94 0; 0 158 115; 204 121 167; 230 159 0; 86 180 233; 0 0 0] / 255;
  set (0, "defaultfigureposition", [100, 100, 900, 515], "defaultfigurecolor", "white", ...
       "defaultaxesfontsize", 14, "defaultaxescolororder", colours, "defaultlinelinewidth", 2, ...
       "defaultlinemarkersize", 4);
  warning ("off", "Octave:gnuplot-graphics");
  if (any (strcmp (available_graphics_toolkits (), "gnuplot"))) # as on a machine without a display
    close (figure ("visible", "off")); # the first figure on a display chooses another toolkit
    graphics_toolkit ("gnuplot");
  endif
  rand ("twister", 1);
  randn ("twister", 1);

  [there, why] = gpumm_available ("gpu");
  where = {"cpu", "gpu"}{1 + there};
  storing = getenv ("GPUMM_NOTEBOOKS_STORE");
  if (strcmp (storing, "same-everywhere"))
    printf ("Stored outputs, which are the same on every machine, with or without a GPU.\n");
  elseif (there && ! isempty (storing)) # for readers on other machines
    gpu = gpumm_info ().devices(1);
    printf (["Stored outputs of another machine: its GPU is an %s " ...
             "(%d multiprocessors, CUDA %s).\n" ...
             "Run the cells to see the outputs of your machine.\n"], ...
            gpu.name, gpu.multiprocessors, gpu.driver);
  elseif (there)
    gpu = gpumm_info ().devices(1);
    printf ("gpumm on a GPU: %s with %d multiprocessors, driver for CUDA %s, runtime %s\n", ...
            gpu.name, gpu.multiprocessors, gpu.driver, gpu.runtime);
  elseif (! isempty (storing))
    error ("gpumm:no-device", "lesson: only a GPU's outputs can be stored; %s", why);
  else
    printf (["gpumm without a GPU: the kernels run on the CPU, from the same source.\n" ...
             "The lesson also shows times that were measured on a GPU before.\n"]);
  endif

endfunction
