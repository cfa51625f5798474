## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## -*- texinfo -*-
## @deftypefn  {} {} validateGPU ()
## @deftypefnx {} {} validateGPU ("all")
## Try the selected GPU, or all GPUs, and print which steps pass.
##
## The steps are: gpumm finds a GPU; the GPU can be selected; it has memory for an array; it
## computes a sum of arrays, and a product.  A step that fails is followed by its error, and the
## steps after it are skipped.  Without a GPU the first step fails and says why.  The GPU that was
## selected stays selected.
##
## @example
## @group
## text = evalc ("validateGPU ()");
## any (strfind (text, "with no failures")) == canUseGPU ()
##   @result{} ans = 1
## @end group
## @end example
## @seealso{canUseGPU, gpuDeviceTable, gpumm_info}
## @end deftypefn

function validateGPU (which = "selected")

  if (! (ischar (which) && any (strcmpi (which, {"selected", "all"}))))
    error ("gpumm:bad-value", "validateGPU: write validateGPU () or validateGPU (\"all\")");
  endif
  printf ("# Beginning GPU validation\n# Performing system validation\n");
  failures = run_steps ({"GPU that gpumm can use", @find_devices});
  if (failures == 0)
    selected = gpuDevice ().Index;
    numbers = merge (strcmpi (which, "all"), 1:gpuDeviceCount (), selected);
    unwind_protect
      for k = numbers
        printf ("#\n# Performing device validation for device index %d\n", k);
        failures += run_steps (steps_of (k));
      endfor
    unwind_protect_cleanup
      gpuDevice (selected);
    end_unwind_protect
  endif
  words = {"no failures", "1 failure", sprintf("%d failures", failures)};
  printf ("#\n# Finished GPU validation with %s.\n", words{1 + min (failures, 2)});

endfunction

## Rows of a name and a function that fails, or returns what to print.
function steps = steps_of (k)

  steps = {"Device exists", @() parallel.gpu.GPUDevice.getDevice(k).Name
           "Device selectable", @() sprintf("compute mode: %s", gpuDevice (k).ComputeMode)
           "Device memory allocation", @allocate
           "Device kernel launch", @add
           "Device matrix product", @multiply};

endfunction

function text = find_devices ()

  s = __gpumm_info__ ("gpus");
  if (s.gpus == 0)
    error ("gpumm:no-device", "%s", s.why);
  endif
  text = sprintf ("Found %d device%s.", s.gpus, "s"(s.gpus > 1));

endfunction

function text = allocate ()
  G = gpuArray.zeros (1024);
  wait (gpuDevice ());
  text = "";
endfunction

function text = add ()
  check (gather (gpuArray (magic (64)) + 1), magic (64) + 1, "a sum");
  text = "";
endfunction

function text = multiply ()
  check (gather (gpuArray (magic (64)) * gpuArray (eye (64)(:,end:-1:1))), fliplr (magic (64)), ...
         "a product");
  text = "";
endfunction

function check (x, y, what)
  if (! isequal (x, y))
    error ("gpumm:wrong-result", "%s differs from Octave's", what);
  endif
endfunction

function failures = run_steps (steps)

  failures = 0;
  for step = steps.'
    text = "";
    word = "SKIPPED";
    if (failures == 0)
      try
        text = step{2} ();
        word = "PASSED";
      catch err
        text = err.message;
        word = "FAILED";
        failures = 1;
      end_try_catch
    endif
    printf ("#    %s %s%s\n", step{1}, repmat (".", 1, 72 - numel (step{1})), word);
    if (! isempty (text))
      printf ("#        %s\n", text);
    endif
  endfor

endfunction

%!testif ; ! canUseGPU ()
%! text = evalc ("validateGPU ()");
%! [~, why] = gpumm_available ();
%! assert (! isempty (strfind (text, "GPU that gpumm can use ........")));
%! assert (! isempty (strfind (text, why)));
%! assert (! isempty (strfind (text, "Finished GPU validation with 1 failure.")));
%! assert (evalc ("validateGPU ('all')"), text);
%!testif ; canUseGPU ()
%! selected = gpuDevice ().Index;
%! text = evalc ("validateGPU ('all')");
%! assert (isempty (regexp (text, "FAILED|SKIPPED")), text);
%! assert (gpuDevice ().Index, selected);
%!error id=gpumm:bad-value validateGPU (1)
%!error id=gpumm:bad-value validateGPU ("quick")
