## gpuarray_life.tst - gpuArrays beside the rest of Octave: their lifetimes, what is shown, loops and
## conditions, dispatch, devices, sizes that no memory holds, and how work grows.
##
## The device is the GPU, if there is one, else host memory.
## SPDX-License-Identifier: BSD-3-Clause

## ---- how work grows -----------------------------------------------------------------------------
## bench/products.m growth has the times.

## A function of a whole array makes as many calls of the device for four times the columns, rows or
## elements. The host device counts them; a GPU and host memory count none.
%!function X = with_part (X, varargin)
%!  X(varargin{1:end-1}) = varargin{end};
%!endfunction
%!function X = removed (X, varargin)
%!  X(varargin{:}) = [];
%!endfunction
%!function n = device_calls (f, X)
%!  G = gpuArray (X);
%!  __gpumm_fault__ ("device", 0);
%!  gather (f (G));
%!  n = __gpumm_fault__ ("device", 0);
%!endfunction
%!test
%! whole = {@(x) sum(x), @(x) sum(x, 2), @(x) mean(x), @(x) std(x), @(x) std(x, 0, 2), ...
%!          @(x) var(x), @(x) x', @(x) x + x, @(x) bsxfun(@plus, x, x(1,:)), ...
%!          @(x) bsxfun(@minus, x, x(:,1)), @(x) center(x), @(x) circshift(x, 1), ...
%!          @(x) flipud(x), @(x) fliplr(x), @(x) rot90(x), @(x) x(:,end:-1:1), ...
%!          @(x) x(:,x(1,:) != 1), @(x) x(x(:,1) != 1,:), @(x) [x, x; x, x], ...
%!          @(x) repmat(x, 2, 2), @(x) dot(x, x), @(x) sumsq(x), @(x) norm(x, 1), @(x) diag(x), ...
%!          @(x) isequal(x, x), @(x) any(x), @(x) meansq(x), @full};
%! only_full = {@triu, @tril, @(x) triu(x, 1), @(x) cumsum(x), @(x) cumprod(x, 2), @(x) max(x), ...
%!              @(x) min(x, [], 2), @(x) all(x), @(x) x(x > 0.3), @(x) find(x > 0.3), ...
%!              @(x) with_part(x, x > 0.3, 1), @(x) with_part(x, x > 0.3, x(x > 0.3)), ...
%!              @(x) with_part(x, ":", x(1,:) != 1, 2), ...
%!              @(x) with_part(x, gather(x) > 0.3, gather(x(x > 0.3))), ...
%!              @(x) with_part(x, gpuArray(randperm(numel(x))), x), ...
%!              @(x) with_part(x, [1:numel(x), 1:numel(x)], [x(:); x(:)]), ...
%!              @(x) with_part(x, rows(x) + 1, ":", 1), @(x) removed(x(:), x(:) > 0.3), ...
%!              @(x) removed(x, 1:2:rows(x), ":"), @(x) removed(x, ":", x(1,:) != 1), ...
%!              @(x) permute(x, [2, 1]), @(x) reshape(x, [], 1), @(x) cat(3, x, x), ...
%!              @(x) zscore(x), @(x) mad(x), @(x) trapz(x), @(x) skewness(x)};
%! texts = {};
%! as_is = @(x) x;
%! for kind = {as_is, @sparse, @(x) blocksparse(x, [2, 2])}
%!   small = [8, 24; 8, 24; 24, 8; 12, 12];
%!   large = [8, 96; 32, 24; 96, 8; 24, 24];
%!   fs = whole;
%!   if (isequal (kind{1}, as_is))
%!     fs = [whole, only_full];
%!   endif
%!   for f = fs
%!     for i = 1:rows (small)
%!       of = @(size) kind{1} (reshape (mod (1:prod (size), 7) / 7 + 0.01, size));
%!       try
%!         n = device_calls (f{1}, of (small(i,:)));
%!         m = device_calls (f{1}, of (large(i,:)));
%!       catch err
%!         if (! strcmp (err.identifier, "gpumm:gpuArray:gather"))
%!           rethrow (err);
%!         endif
%!         break;
%!       end_try_catch
%!       if (m > n + 6)
%!         texts{end+1} = sprintf ("%s of %s: %d calls for %s, %d for %s", func2str (f{1}), ...
%!                                 func2str (kind{1}), n, mat2str (small(i,:)), m, ...
%!                                 mat2str (large(i,:)));
%!       endif
%!     endfor
%!   endfor
%! endfor
%! fail_with (texts);

## ---- truth, loops, numbers ----------------------------------------------------------------------

%!test
%! G = gpuArray ([1, 2, 3]);
%! yes = 0;
%! if (G), yes += 1; endif
%! if (gpuArray ([1, 0])), yes += 10; endif
%! if (gpuArray ([])), yes += 100; endif
%! if (gpuArray (true)), yes += 1000; endif
%! if (G(1) < 2 && sum (G) > 5 || false), yes += 10000; endif
%! switch (gpuArray (2)), case 1, yes += 1e5; case 2, yes += 1e6; endswitch
%! assert (yes, 1011001);
%! n = gpuArray (4);
%! while (n > 1), n -= 1; endwhile
%! assert (gather (n), 1);
%! k = 0;
%! for i = gpuArray (3), k += 2 * i; endfor
%! assert (gather (k), 6);
%! total = gpuArray (0);
%! for column = [1, 2; 3, 4], total += sum (column); endfor
%! assert (gather (total), 10);
%! assert (zeros (gpuArray (2), gpuArray (3)), zeros (2, 3));
%! assert (sprintf ("%g %d", gpuArray (1.5), gpuArray (int8 (3))), "1.5 3");
%! assert (num2str (gpuArray (3)), "3");
%!error <NaN> if (gpuArray ([NaN, 1])), endif
%!error <NaN> ! gpuArray ([NaN, 1])
%!error <NaN> gpuArray ([NaN, 1]) & true

## ---- what is shown ------------------------------------------------------------------------------

%!test
%! G = gpuArray (magic (3));
%! H = magic (3);
%! assert (evalc ("G"), strrep (evalc ("H"), "H", "G"));
%! assert (disp (G), disp (H));
%! z = gpuArray (complex ([1, 2], [3, -4]));
%! assert (disp (z), disp (gather (z)));
%! assert (disp (gpuArray (5)), disp (5));
%! assert (disp (gpuArray (int8 ([1, 2]))), disp (int8 ([1, 2])));
%! big = gpuArray.zeros (100, 200, "single");
%! assert (! isempty (strfind (evalc ("big"), "100x200 gpuArray")));
%! assert (! isempty (strfind (evalc ("big"), "single")));
%! assert (! isempty (strfind (disp (gpuArray (zeros (0, 3))), "0x3")));
%! assert (strrep (evalc ("c = {G}"), "G", "H"), evalc ("c = {H}"));
%! assert (! isempty (regexp (evalc ("whos G"), 'G +3x3 +72 +gpuArray')));

## ---- dispatch -----------------------------------------------------------------------------------

%!test
%! A = gpuArray (magic (3));
%! H = magic (3);
%! f = @() A;
%! [p, q] = deal (A, 2);
%! x.f = A;
%! s = struct ("g", {A, A});
%! m = containers.Map ();
%! m("a") = A;
%! B = A;
%! B *= B;
%! e = [];
%! e(3) = gpuArray (2);
%! for c = {plus(A, 1), plus(A, 1, A), feval("times", A, A), feval(@sum, A), sum(A * A, 1), ...
%!          x.f * x.f, B, {A}{1} * 2, f(), s(2).g(1), m("a"), p, bsxfun(@plus, H, H), e; ...
%!          H + 1, H + 1 + H, H .* H, sum(H), sum(H * H, 1), H * H, ...
%!          H * H, H * 2, H, H(1), H, H, 2 * H, [0, 0, 2]}
%!   assert (gather (c{1}), c{2});
%! endfor
%! assert ([cellfun(@(q) 1, {A}), cellfun(@isempty, {A})], [1, 0]);
%! assert (class (A''), "gpuArray");
%! validateattributes (A, {"gpuArray"}, {"square"});
%! assert (! (is_function_handle (A) || isobject (A) || iscell (A) || isstruct (A) || ischar (A)));

## every one of these is an error
%!function run (code)
%!  A = gpuArray (magic (3));
%!  evalc ([code ";"]);
%!endfunction
%!test
%! for code = {"inv (A)", "A \\ A", "A / A", "2 ^ A", "sort (A, 3)", "svd (A)", "eig (A)", ...
%!             "det (A)", "chol (A)", "gcd (A, 2)", "gamma (A)", "kron (A, cat (3, A, A))", ...
%!             "typecast (A, 'uint8')", "sparse (1, 1, A)", "fwrite (1, A)", "plot (A)", "char (A)", ...
%!             "cellfun (@(q) q, A)", "norm (A)", "unique (A)", "tan (A)", "interp1 (A, A, A)", ...
%!             "zeros (A)", "ones (2, A)", "A(1:2){1}", "sum (A, 'extra')", "cell2mat (A)", ...
%!             "fft (A)", "conv2 (A, A)", "filter (A, 1, 1)"}
%!   [~, said] = error_of (@run, code{1});
%!   assert (! isempty (said), "%s: no error", code{1});
%! endfor

## ---- lifetimes ----------------------------------------------------------------------------------

## Bytes of the device that arrays hold. Without a GPU they are Octave's own, unless the host device
## takes its place (GPUMM_GPUARRAY=host-device).
%!function n = live ()
%!  n = __gpuarray__ ("memory").used;
%!endfunction
%!function yes = has_device ()
%!  yes = __gpuarray__ ("device", gpuArray (1)) != -1;
%!endfunction
%!function inside ()
%!  x = gpuArray (rand (3));
%!  y = x + 1;
%!endfunction
%!function fails ()
%!  x = gpuArray (rand (3)) * 2;
%!  error ("no");
%!endfunction
%!function z = given ()
%!  z = gpuArray (rand (3));
%!endfunction
%!testif ; has_device () # code, and how many arrays are alive after it
%! x = gpuArray (rand (3)) * gpuArray (rand (3)); # what is kept from the first use
%! clear x
%! none = live ();
%! x = gpuArray (rand (3));
%! one = live () - none;
%! assert (one > 0);
%! table = {"clear x", 0; "x = gpuArray (rand (3)); x = 1;", 0; "x = gpuArray (rand (3)); y = x;", 1
%!          "z = x';", 1; "clear x z", 1; "clear y", 0; "inside ();", 0
%!          "try, fails (); end_try_catch", 0; "z = given ();", 1; "clear z", 0
%!          "c = {gpuArray(1), gpuArray(2)};", 2; "c(1) = [];", 1; "clear c", 0
%!          "s.x = gpuArray (rand (4)); t = s; s.x = 0;", 1; "clear t", 0
%!          "f = @() given () + 1; g = gpuArray (1); h = @() g; clear g", 1
%!          "assert (gather (h ()), 1); clear h f", 0
%!          "A = gpuArray (magic (4)); x = A * A * A * A;", 2 # a chain leaves one more
%!          "x += A; x(2,2) = 1;", 2; "clear x A", 0};
%! for k = 1:rows (table)
%!   eval (table{k,1});
%!   assert (live () - none == table{k,2} * one, table{k,1});
%! endfor

## memory is flat
%!testif ; has_device ()
%! x = gpuArray (ones (50));
%! x = x + 1;
%! before = live ();
%! for i = 1:3000
%!   y = x + i;
%!   z = y * 2 - x;
%! endfor
%! clear y z
%! assert (live (), before);

## clear all, and what lives on in other values; in an Octave of its own
%!test
%! code = ["global g; g = gpuArray (magic (3)); f = @() g; x = gpuArray (2); clear all\n" ...
%!         "x = gpuArray (magic (4)); disp (gather (x(2,3))); clear -all; clear functions\n" ...
%!         "x = gpuArray (3); y = x * 2; disp (y); clear x; z = {y, @() y};\n"];
%! [status, said] = system ([another_octave(code) " 2>&1"]);
%! assert (strtrim (strrep (said, "\n", " ")), "10 6");
%! assert (status, 0);

## a loop over single elements of an array on a device warns once; in an Octave of its own
%!test
%! for row = {"x(i);", true; "x(1,i) = i;", true; "x(i) = x(i) + 1;", true; "x(i) += 1;", true; ...
%!            "x(i:i+1);", false; "x(:,[i, i+1]) = i;", false; "y = gather (x)(i);", false}.'
%!   code = ["x = gpuArray (1:2001); for j = 1:3, for i = 1:2000, " row{1} " end, end"];
%!   [status, said] = system ([another_octave(code) " 2>&1"]);
%!   assert (status, 0);
%!   assert (numel (strfind (said, "single elements of arrays")), double (row{2} && has_device ()), row{1});
%! endfor

## a failure while an array grows leaves it as it was
%!test
%! for n = 1:12
%!   G = gpuArray ([1, 2, 3]);
%!   wanted = [1, 2, 3, 0, 0, 7]; # double, as in Octave
%!   __gpumm_fault__ ("device", n);
%!   try
%!     G(6) = single (7);
%!   catch
%!     wanted = [1, 2, 3];
%!   end_try_catch
%!   __gpumm_fault__ ("device", 0);
%!   assert (gather (G), wanted);
%! endfor

## a forked child cannot use what lies on a device
%!test
%! arrays = {gpuArray(magic (3)), gpuArray(speye (3)), gpuArray(blocksparse (eye (4), 2))};
%! can_use = @(x) __gpuarray__ ("valid", x);
%! on_device = has_device (); # a child could not even ask
%! fflush (stdout);
%! fflush (stderr);
%! [pid, message] = fork ();
%! assert (pid >= 0, message);
%! if (pid == 0)
%!   right = false;
%!   try
%!     right = all (cellfun (can_use, arrays) == ! on_device);
%!   end_try_catch
%!   exec ({"false", "true"}{1 + right}); # leaves no trace in the parent's files
%! endif
%! [~, status] = waitpid (pid);
%! assert (WIFEXITED (status) && WEXITSTATUS (status) == 0);
%! assert (all (cellfun (can_use, arrays)));

## ---- devices ------------------------------------------------------------------------------------

%!test
%! D = gpuDevice ();
%! assert (class (D), "gpuDevice");
%! assert (D.DeviceAvailable, gpumm_available ("gpu"));
%! assert (D.Index, 1);
%! assert (! isempty (strfind (D.Name, "no GPU")), ! D.DeviceAvailable);
%! assert (D.AvailableMemory > 0 && D.AvailableMemory <= D.TotalMemory);
%! assert (D.UsedMemory >= 0 && D.CachedMemory >= 0);
%! for name = {"SupportsDouble", "GPUOverlapsTransfers", "KernelExecutionTimeout", ...
%!             "CanMapHostMemory", "DeviceSupported", "DeviceAvailable", "DeviceSelected"}
%!   assert (islogical (D.(name{1})), name{1});
%! endfor
%! for name = {"Name", "ComputeCapability", "GraphicsDriverVersion", "DriverModel", ...
%!             "CachePolicy", "ComputeMode"}
%!   assert (ischar (D.(name{1})), name{1});
%! endfor
%! for row = {"ToolkitVersion", 1; "MaxThreadsPerBlock", 1; "MaxShmemPerBlock", 1; ...
%!            "MaxThreadBlockSize", 3; "MaxGridSize", 3; "SIMDWidth", 1; "ClockRateKHz", 1; ...
%!            "MultiprocessorCount", 1; "DriverVersion", 1}.'
%!   assert (size (D.(row{1})), [1, row{2}]);
%!   assert (all (D.(row{1}) > 0), D.DeviceAvailable, row{1});
%! endfor
%! assert (numel (fieldnames (D)), 27);
%! assert (D.DeviceSelected);
%! assert (D.Name(1), D.Name(1));
%! assert (! isempty (strfind (evalc ("D"), D.Name)));
%! assert (! isempty (strfind (disp (D), D.Name)));
%! G = gpuArray (ones (3)) * 2;
%! wait (D);
%! reset (D);
%! again = {gpuDevice([])};
%! if (canUseGPU ())
%!   again(2:4) = {gpuDevice(1), gpuDevice(D.Index), gpuDevice(gpuArray(1))};
%! endif
%! for E = again
%!   assert (disp (E{1})(1:40), disp (D)(1:40));
%!   wait (E{1});
%!   reset (E{1});
%! endfor
%! assert (gather (G), 2 * ones (3));
%! assert (gpuDeviceCount ("available") > 0, D.DeviceAvailable);
%! fail ("D.Nothing", "there is no field Nothing");
%! fail ("D(2)");
%!error id=gpumm:unsupported D = gpuDevice (); D.Index = 2;
%!error id=gpumm:no-device gpuDevice (99)
%!testif ; gpuDeviceCount () == 1
%! check_error ("gpumm:no-device", "there is no GPU 2", @() gpuDevice (2));
%!testif ; ! canUseGPU ()
%! [~, why] = gpumm_available ();
%! for f = {@() gpuDevice(1), @() gpuDevice(2), @() parallel.gpu.GPUDevice.getDevice(1)}
%!   [id, said] = error_of (f{1});
%!   assert (id, "gpumm:no-device");
%!   assert (strncmp (said, "gpuDevice: unable to find a supported GPU device", 48), said);
%!   assert (! isempty (strfind (said, why)) && ! isempty (strfind (said, "canUseGPU ()")), said);
%! endfor
%! gpuDevice ([]); # these run on any machine
%! wait (gpuDevice ());
%! reset (gpuDevice ());
%!error id=gpumm:bad-value gpuDevice (0)
%!error id=gpumm:bad-value gpuDevice ("a")
%!testif ; gpumm_available ("gpu")
%! D = gpuDevice (1);
%! assert (D.Index, 1);
%! assert (existsOnGPU (gpuArray (1)));
%! assert (str2double (D.ComputeCapability) >= 7.5);

## MATLAB's names where there are two GPUs, which are made up
%!function gone = with_two_gpus ()
%!  body = ['d = struct ("name", {"Card A", "Card B"}, "capability", {9, 8.6}, "driver", "13.0", ' ...
%!          '"runtime", "12.9", "memory_total", {2e9, 8e9}, "memory_free", {1e9, 5e9}, ' ...
%!          '"memory_used", 0, "memory_kept", 0, "multiprocessors", {132, 64}, ' ...
%!          '"clock_khz", 1e6, "compute_mode", {0, 3}, "has_timeout", {false, true}); ' ...
%!          'info = struct ("gpus", 2, "why", "", "devices", d);'];
%!  gone = with_functions ({"__gpumm_info__", "info = __gpumm_info__ (varargin)", body});
%!endfunction
%!test
%! gone = with_two_gpus ();
%! assert (canUseGPU () && parallel.gpu.GPUDevice.isAvailable);
%! assert (arrayfun (@(k) parallel.gpu.GPUDevice.isAvailable (k), 1:3), [true, true, false]);
%! assert (parallel.gpu.GPUDevice.count, 2);
%! [n, indices] = gpuDeviceCount ("available");
%! assert ({n, indices}, {2, [1, 2]});
%! selected = __gpuarray__ ("select");
%! D = parallel.gpu.GPUDevice.getDevice (2);
%! assert (__gpuarray__ ("select"), selected);
%! assert ({D.Name, D.Index, D.ComputeCapability, D.ComputeMode}, ...
%!         {"Card B", 2, "8.6", "Exclusive process"});
%! assert ([D.DriverVersion, D.ToolkitVersion], [13, 12.9]);
%! check_error ("gpumm:no-device", "no GPU 3. The number of GPUs is 2", ...
%!              @() parallel.gpu.GPUDevice.getDevice (3));
%! table = gpuDeviceTable ();
%! assert ({table.Index, table.Name, table.ComputeCapability, table.DeviceAvailable}, ...
%!         {[1; 2], {"Card A"; "Card B"}, {"9.0"; "8.6"}, [true; true]});
%! table = gpuDeviceTable ({"TotalMemory", "MaxThreadBlockSize"});
%! assert (table.TotalMemory, [2e9; 8e9]);
%! assert (table.MaxThreadBlockSize, [1024, 1024, 64; 1024, 1024, 64]);
%! said = evalc ("gpuDeviceTable ({'Name', 'TotalMemory', 'DeviceAvailable'})");
%! assert (strsplit (strtrim (said), "\n"), ...
%!         {"Name    TotalMemory  DeviceAvailable", ...
%!          "  Card A  2000000000   true", ...
%!          "  Card B  8000000000   true"});
%!testif ; has_device () && ! canUseGPU ()
%! gone = with_two_gpus ();
%! text = evalc ("validateGPU ('all')"); # the host device is one
%! for row = {"PASSED", 7; "FAILED", 1; "SKIPPED", 3; "with 1 failure.", 1}.'
%!   assert (numel (strfind (text, row{1})), row{2});
%! endfor
%! text = evalc ("validateGPU ()");
%! assert (numel (strfind (text, "PASSED")), 6);
%! assert (! isempty (strfind (text, "with no failures.")), text);
%! leaves = with_functions ({"fliplr", "x = fliplr (x)", ""}); # a product that differs from Octave's
%! text = evalc ("validateGPU ()");
%! assert (! isempty (regexp (text, 'product \.+FAILED\s+#\s+a product differs')), text);
%! assert (! isempty (strfind (text, "with 1 failure.")), text);

## Octave's own reset is not hidden
%!test
%! assert (isempty (strfind (which ("reset"), "gpuDevice")));

## Sizes up to the ends of their range: Octave's value, or an error where Octave has one. Where
## Octave's is without identifier, NaN apart, or a device has less memory, it is that of memory.
## Octave is not asked for 2^31 bytes or more that might find addresses: a kernel that promises more
## memory than there is would let Octave fill it all. A device must then answer that there is no
## memory. Nobody is asked where Octave holds the arrays, nor for lists of places of that size,
## which repmat makes for each dimension.
%!function seen = shown_size (f, args)
%!  try
%!    x = f (args{:});
%!    seen = {size(x), underlyingType(x)};
%!  catch err
%!    seen = strrep (err.identifier, "gpumm:bad-value", ""); # Octave's error has none
%!  end_try_catch
%!endfunction
%!function list = sizes_asked ()
%!  list = {NaN, -Inf, -1, -2^63, 0, 2, 2^40, 2^62, 2^63, 2^64, 1e30, Inf, intmax("uint64"), ...
%!          single(2^40), 1.5, [2, 2^64], [2^40, 2^40], [2^62, 4], [2^63, 0], [2^62, 0], ...
%!          [2^32, 2^32]};
%!endfunction
## Functions of sizes on the host and on the device, how many of the lists below they take, the
## bytes of a result for each element of the sizes, is it repmat, and does it take a list of dimensions?
%!function list = makers_of_sizes ()
%!  makers = struct ("zeros", @(varargin) gpuArray.zeros (varargin{:}), ...
%!                   "ones", @(varargin) gpuArray.ones (varargin{:}), ...
%!                   "Inf", @(varargin) gpuArray.Inf (varargin{:}), ...
%!                   "eye", @(varargin) gpuArray.eye (varargin{:}));
%!  list = {@zeros, makers.zeros, 5, 8, false; @ones, makers.ones, 5, 8, false
%!          @(varargin) Inf(varargin{:}), makers.Inf, 5, 8, false
%!          @(varargin) zeros(varargin{:}, "int8"), ...
%!          @(varargin) makers.zeros(varargin{:}, "int8"), 5, 1, false
%!          @(varargin) full (eye (varargin{:})), makers.eye, 5, 8, false};
%!  list(:,6) = {false};
%!  H = magic (3);
%!  for x = {H, zeros(0, 3), int8(H)}
%!    bytes = merge (isa (x{1}, "int8"), 1, 8);
%!    for f = {@repmat, @reshape, @resize, @diag, @sum, @cumprod, @any; ...
%!             5, 5, 5, 1, 1, 1, 1; numel(x{1}), 0, 1, 0, 0, 0, 0}
%!      list(end+1,:) = {@(varargin) f{1}(x{1}, varargin{:}), ...
%!                       @(varargin) f{1}(gpuArray (x{1}), varargin{:}), f{2}, f{3} * bytes, ...
%!                       isequal(f{1}, @repmat), any(strcmp (func2str (f{1}), {"sum", "cumprod", "any"}))};
%!    endfor
%!  endfor
%!endfunction
## The answer is one of "octave", "memory" and "nobody".
%!function who = who_answers (args, each, is_repmat)
%!  dims = double (horzcat (cellfun (@double, args, "UniformOutput", false){:}));
%!  if (isscalar (dims))
%!    dims(2) = dims;
%!  endif
%!  is_some = @(bytes) bytes >= 2^31 && bytes < 2^47;
%!  who = "octave";
%!  if (is_repmat && any (arrayfun (is_some, 24 * dims)))
%!    who = "nobody";
%!  elseif (is_some (each * prod (max (dims, 0))))
%!    is_held = __gpuarray__ ("device", gpuArray (1)) == -1;
%!    who = {"memory", "nobody"}{1 + (is_held || any (dims != fix (dims)))}; # 1.5 may be an error
%!  endif
%!endfunction
%!test
%! allowed = {"Octave:bad-alloc", "gpumm:device-memory", "gpumm:gpuArray:gather"};
%! asked = struct ("octave", 0, "memory", 0, "nobody", 0);
%! for maker = makers_of_sizes ().'
%!   for n = sizes_asked ()
%!     all_args = {n, {n{1}, 2}, {2, n{1}}, {n{1}, 0}, {2^40, n{1}}};
%!     count = maker{3};
%!     if (numel (n{1}) > 1) # beside others Octave takes its first number, and fills gigabytes
%!       count = 1 - maker{6};
%!     endif
%!     for args = all_args(1:count)
%!       who = who_answers (args{1}, maker{4:5});
%!       asked.(who)++;
%!       if (strcmp (who, "nobody"))
%!         continue;
%!       endif
%!       wanted = "Octave:bad-alloc";
%!       if (strcmp (who, "octave"))
%!         wanted = shown_size (maker{1}, args{1});
%!       endif
%!       there = shown_size (maker{2}, args{1});
%!       is_memory = ischar (there) && any (strcmp (there, allowed));
%!       assert (is_memory || (isequal (there, wanted) && ischar (there) == ischar (wanted)), ...
%!               "%s (%s): %s", func2str (maker{1}), disp (args{1}), disp (there));
%!     endfor
%!   endfor
%! endfor
%! assert (asked.octave > 1000 && asked.memory + asked.nobody > 100, "%s", disp (asked));
%!assert (size (gpuArray.zeros (2^62, 0)), [2^62, 0])
%!error id=Octave:bad-alloc gpuArray.zeros (2, 2^64)
%!error id=Octave:bad-alloc gpuArray.ones (1e30)
%!error id=Octave:bad-alloc gpuArray.zeros (2^63, 0)
%!error id=Octave:bad-alloc gpuArray.ones (2^40, 2^40)
%!test # Octave 11 takes no complex dimension
%! host = error_of (@() cumprod (magic (3), 1i));
%! there = error_of (@() cumprod (gpuArray (magic (3)), 1i));
%! assert (there, {host, "gpumm:gpuArray:gather"}{1 + strcmp (host, "none")});
%!assert (gather (max (gpuArray (magic (3)), [], [2, 2^40])), [8; 7; 9])
