## bench_kernels.m - times every kernel by size and type, on the device alone.
##
##   octave-cli --no-history --path octave --path build/package bench/bench_kernels.m FILE.csv [N ...]
##
## Data are random in (-0.5, 0.5).  Each result is compared with cublas before timing.  Seconds are
## the median of 5, by CUDA events around the kernel (info.seconds.compute).  The last lines
## determine the field `from` of a row of the kernel table: the size from which the plan prefers the
## row to the earlier rows of its family.
## SPDX-License-Identifier: BSD-3-Clause
1;

arguments = argv ();
if (! gpumm_available ("gpu"))
  [~, why] = gpumm_available ("gpu");
  printf ("bench_kernels: no GPU: %s\n", why);
  exit (0);
endif
file = fopen (arguments{1}, "w");
sizes = cellfun (@str2double, arguments(2:end))'; # a row, to loop over
if (isempty (sizes))
  sizes = [16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048, 4096];
endif
about = gpumm_info ();
device = about.devices(1);
fprintf (file, "# %s, driver for CUDA %s, runtime %s; gpumm %s (%s)\n", device.name, ...
         device.driver, device.runtime, about.version, about.build);
fprintf (file, "type,n,kernel,seconds,spread,gflops\n");
kernels = about.kernels;
letters = "sdcz";
casts = {@single, @double, @(x) complex (single (x), single (x')), @(x) complex (x, x')};
for t = 1:4
  for n = sizes
    A = casts{t}(rand (n) - 0.5);
    B = casts{t}(rand (n) - 0.5);
    R = gpumm (A, B, "Algorithm", "cublas", "Backend", "gpu");
    limit = 4 * n * eps (class (R)) * max (1, n / 8);
    seconds = inf (1, numel (kernels));
    for i = 1:numel (kernels)
      if (! any (kernels(i).types == letters(t)))
        continue;
      endif
      times = zeros (1, 5);
      for r = 1:5
        [C, info] = gpumm (A, B, "Algorithm", kernels(i).name, "Backend", "gpu");
        times(r) = info.seconds.compute;
      endfor
      if (! (max (abs (C(:) - R(:))) <= limit))
        error ("bench_kernels: %s is wrong at n = %d", kernels(i).name, n);
      endif
      seconds(i) = median (times);
      fprintf (file, "%s,%d,%s,%.4g,%.2g,%.4g\n", letters(t), n, kernels(i).name, seconds(i), ...
               max (times) - min (times), 1e-9 * info.flops / seconds(i));
    endfor
    for family = {"tiled", "register"}
      own = strcmp ({kernels.algorithm}, family{1});
      [~, i] = min (merge (own, seconds, Inf));
      printf ("%s n = %4d %-8s fastest %-18s %8.1f GFLOPS\n", letters(t), n, family{1}, ...
              kernels(i).name, 1e-9 * info.flops / seconds(i));
    endfor
  endfor
endfor
fclose (file);
