## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## -*- texinfo -*-
## @deftypefn  {} {@var{data} =} from_gpu (@var{name}, @var{measure})
## @deftypefnx {} {@var{data} =} from_gpu (@var{name}, @var{measure}, @var{fallback})
## Measure on the GPU, or without a GPU load what was measured on one before.
##
## @var{measure} is a function without arguments that uses the GPU and returns @var{data}: a number,
## a matrix or a struct of these.  @var{name} names the file in @file{measured/} beside the
## notebooks, in Octave's text format.  @code{from_gpu} prints whether the data are new, and which
## GPU they come from.
##
## While the repository's outputs are stored (@env{GPUMM_NOTEBOOKS_STORE} is set), @code{from_gpu}
## writes @var{data} to that file.  With neither a GPU nor the file, it returns @var{fallback}.
## Without @var{fallback} this is the error @code{gpumm:no-device}.
## @seealso{lesson}
## @end deftypefn

function data = from_gpu (name, measure, fallback)

  file = fullfile (fileparts (mfilename ("fullpath")), "measured", [name, ".txt"]);
  [there, why] = gpumm_available ("gpu");
  if (there)
    data = measure ();
    gpu = gpumm_info ().devices(1).name;
    if (isempty (getenv ("GPUMM_NOTEBOOKS_STORE")))
      printf ("measured now, on %s\n", gpu);
    else
      printf ("measured on %s\n", gpu);
      [status, driver] = system (["nvidia-smi --query-gpu=driver_version " ...
                                  "--format=csv,noheader -i 0"]);
      driver = {"of unknown version", strtrim(driver)}{1 + (status == 0)};
      build = gpumm_info ().build;
      save_header_format_string ("# from_gpu, %Y-%m-%d", "local"); # without the machine's name
      if (exist (fileparts (file), "dir") != 7)
        mkdir (fileparts (file));
      endif
      save ("-text", file, "gpu", "driver", "build", "data");
    endif
  elseif (exist (file, "file") == 2)
    before = load (file);
    data = before.data;
    printf ("no GPU here: measured before on another machine, with an %s (driver %s)\n", ...
            before.gpu, before.driver);
  elseif (nargin > 2)
    data = fallback;
    printf (["no GPU here, and no measurement of one is stored: the lesson goes on with its " ...
             "model\n"]);
  else
    error ("gpumm:no-device", ["from_gpu: nothing was measured before as %s, and gpumm " ...
                               "finds no GPU: %s"], name, why);
  endif

endfunction
