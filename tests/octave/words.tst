## words.tst - wrong arguments for the gateways and the words of __gpuarray__, which trust nobody: an
## error with an identifier or a value, but no crash and no hanging. Each round has a process of its
## own, and the call that ends one is named. See wrong_calls.m.
## SPDX-License-Identifier: BSD-3-Clause

%!function check_calls (environment)
%!  [folder, gone] = scratch ();
%!  log = [folder "/log"];
%!  seed = from_environment ("GPUMM_SEED", floor (1e6 * rand ()));
%!  ## what asks for more fails, as on a smaller machine, and no time goes into filling gigabytes
%!  limits = "ulimit -v 3000000; timeout 1200";
%!  if (! isempty (strfind (getenv ("LD_PRELOAD"), "asan")))
%!    limits = "timeout 3000"; # AddressSanitizer needs addresses, and is slow
%!  endif
%!  failed = {};
%!  from = 1;
%!  do
%!    ## Octave's print_usage runs makeinfo, which takes 0.1 to 0.3 s
%!    code = sprintf (["function print_usage (varargin), error ('a:b', 'usage'); end\n" ...
%!                     "addpath ('%s'); rand ('twister', %d); randi (9); cd ('%s'); " ...
%!                     "try, printf ('%%s\\n', wrong_calls ('%s', %d){:}); " ...
%!                     "catch err, printf ('%%s', err.message); exit (1); end"], ...
%!                    fileparts (which ("wrong_calls")), seed, folder, log, from);
%!    [status, said] = system (["export " environment "; " limits " " another_octave(code) " 2>&1"]);
%!    if (status != 0)
%!      call = fileread (log);
%!      failed{end+1} = sprintf ("status %d after %s\n%s", status, call, ...
%!                               said(max (1, end - 300):end));
%!      from = sscanf (call, "%d") + 1;
%!    else
%!      said = strsplit (strtrim (said), "\n");
%!      failed = [failed, said(2:end)];
%!    endif
%!  until (status == 0 || isempty (from) || numel (failed) > 20) # no call has begun: all would fail
%!  assert (isempty (failed), "seed %d: %d calls, the first:\n%s", seed, numel (failed), ...
%!          strjoin (failed(1:min (end, 20)), "\n"));
%!endfunction

%!test check_calls ("GPUMM_GPUARRAY=");

%!test check_calls ("GPUMM_GPUARRAY=host-device");
