## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## INFO = whole_call (INFO, STARTED): the engine's info with the time since STARTED = tic () as the
## total: what was done in Octave counts, too.

function info = whole_call (info, started)

  info.seconds.total = toc (started);
  stages = info.seconds.upload + info.seconds.compute + info.seconds.download;
  info.seconds.overhead = max (info.seconds.total - stages, 0);
  info.gflops = 1e-9 * info.flops / info.seconds.total;

endfunction
