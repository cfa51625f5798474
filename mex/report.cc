// report.cc - gpumm's struct info: what ran.
//
//   INFO = __gpumm_report__ (BYTES)
//
// BYTES is a gpumm_report (engine/gpumm.h) as a uint8 array. The C interface would make each field
// an mxArray and then an Octave value, which takes 50 us; a small product takes 12. For internal
// use.
//
// Links to the C++ interfaces of GNU Octave: octave.cc says what that means for the licence.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <cstring>

#include <octave/oct.h>
#include <octave/oct-map.h>

#include "gpumm.h"

DEFUN_DLD (__gpumm_report__, args, , "For internal use: the struct info.") {
  uint8NDArray bytes;
  gpumm_report r;
  if (args.length () == 1)
    bytes = args (0).uint8_array_value ();
  if (bytes.numel () != octave_idx_type (sizeof r))
    error ("__gpumm_report__: one argument, the bytes of a gpumm_report");
  std::memcpy (&r, bytes.data (), sizeof r);

  octave_scalar_map device, seconds, moved, info;
  device.assign ("name", r.device_name);
  device.assign ("index", r.device);
  seconds.assign ("total", r.total);
  seconds.assign ("upload", r.upload);
  seconds.assign ("compute", r.compute);
  seconds.assign ("download", r.download);
  seconds.assign ("overhead", r.overhead);
  moved.assign ("up", double (r.bytes_up));
  moved.assign ("down", double (r.bytes_down));
  info.assign ("backend", r.backend == GPUMM_GPU ? "gpu" : "cpu");
  info.assign ("device", device);
  info.assign ("algorithm", r.algorithm);
  info.assign ("kernel", r.kernel);
  info.assign ("seconds", seconds);
  info.assign ("bytes", moved);
  info.assign ("flops", r.flops);
  info.assign ("gflops", r.total > 0 ? 1e-9 * r.flops / r.total : 0.0);
  info.assign ("reason", r.reason);
  return ovl (info);
}
