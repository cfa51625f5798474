/* __gpumm_info__.c - the gateway of gpumm_info.m: what the engine was built with and finds here.
 *
 *   S = __gpumm_info__ ()        everything, as a struct
 *   S = __gpumm_info__ ("gpus")  only the number of GPUs, and why there is none
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "build_text.h" /* GPUMM_BUILD, made by CMakeLists.txt */
#include "marshal.h"

#include <stdio.h>

static const char type_letters[GPUMM_TYPES] = "sdcz"; /* types of kernels */

/* CUDA counts its versions as 1000 major + 10 minor. */
static void set_version (mxArray *s, int i, const char *field, int version) {
  char text[32] = "";
  if (version > 0)
    snprintf (text, sizeof text, "%d.%d", version / 1000, version % 1000 / 10);
  set_text (s, i, field, text);
}

/* There may be none, with all fields. */
static mxArray *devices (int count) {
  const char *fields[] = {"index",       "name",         "capability",  "multiprocessors",
                          "driver",      "memory_total", "memory_free", "memory_used",
                          "memory_kept", "runtime",      "clock_khz",   "compute_mode",
                          "has_timeout"};
  mxArray *s = mxCreateStructMatrix ((mwSize) count, count > 0 ? 1 : 0,
                                     sizeof fields / sizeof *fields, fields);
  for (int i = 0; i < count; i++) {
    gpumm_device_properties p = {0};
    if (gpumm_device (i, &p) != GPUMM_OK)
      snprintf (p.name, sizeof p.name, "failed: %.100s", gpumm_last_error ());
    set_number (s, i, "index", i);
    set_text (s, i, "name", p.name);
    set_number (s, i, "capability", p.capability / 10.0);
    set_number (s, i, "multiprocessors", p.multiprocessors);
    set_number (s, i, "memory_total", (double) p.memory_total);
    set_number (s, i, "memory_free", (double) p.memory_free);
    int64_t used, kept;
    gpumm_memory (i, &used, &kept); /* 0 after a failure */
    set_number (s, i, "memory_used", (double) used);
    set_number (s, i, "memory_kept", (double) kept);
    set_version (s, i, "driver", p.driver);
    set_version (s, i, "runtime", p.runtime);
    set_number (s, i, "clock_khz", p.clock_khz);
    set_number (s, i, "compute_mode", p.compute_mode);
    set_value (s, i, "has_timeout", mxCreateLogicalScalar (p.has_timeout != 0));
  }
  return s;
}

/* The kernels for full matrices, or those for sparse operands, which follow them in the list. */
static mxArray *kernels (int is_full) {
  gpumm_kernel_info k;
  int full = 0, all = 0;
  for (; gpumm_kernel_at (all, &k) == GPUMM_OK; all++)
    full += k.types != 0;
  const int first = is_full ? 0 : full, end = is_full ? full : all;
  mxArray *s = mxCreateStructMatrix ((mwSize) (end - first), 1, 0, NULL);
  for (int i = 0; first + i < end && gpumm_kernel_at (first + i, &k) == GPUMM_OK; i++) {
    set_text (s, i, "algorithm", k.algorithm);
    set_text (s, i, "name", k.name);
    if (is_full) {
      char types[GPUMM_TYPES + 1];
      int letters = 0;
      for (int t = 0; t < GPUMM_TYPES && type_letters[t]; t++)
        if (k.types & 1u << t)
          types[letters++] = type_letters[t];
      types[letters] = '\0';
      set_text (s, i, "types", types);
      set_number (s, i, "tile_m", k.tile_m);
      set_number (s, i, "tile_n", k.tile_n);
      set_number (s, i, "tile_k", k.tile_k);
      set_number (s, i, "thread_m", k.thread_m);
      set_number (s, i, "thread_n", k.thread_n);
    }
    set_number (s, i, "capability", k.capability / 10.0);
  }
  return s;
}

static mxArray *algorithms (void) {
  gpumm_algorithm_info a;
  int count = 0;
  while (gpumm_algorithm_at (count, &a) == GPUMM_OK)
    count++;
  mxArray *s = mxCreateStructMatrix ((mwSize) count, 1, 0, NULL);
  for (int i = 0; i < count && gpumm_algorithm_at (i, &a) == GPUMM_OK; i++) {
    set_text (s, i, "name", a.name);
    set_text (s, i, "summary", a.summary);
    set_value (s, i, "on_device", mxCreateLogicalScalar (a.on_device != 0));
    const char *missing = gpumm_missing_library (a.name);
    set_text (s, i, "missing", missing ? missing : "");
  }
  return s;
}

void gateway (int nlhs, mxArray *plhs[], int nrhs, const mxArray *prhs[], gateway_error *e) {
  const char *why = "";
  check_use (nrhs == 0 || (nrhs == 1 && mxIsChar (prhs[0])), "gpumm_info");
  int gpus = gpumm_device_count (&why);
  plhs[0] = mxCreateStructMatrix (1, 1, 0, NULL);
  set_text (plhs[0], 0, "version", gpumm_version ());
  set_text (plhs[0], 0, "build", GPUMM_BUILD);
  set_number (plhs[0], 0, "gpus", gpus);
  set_text (plhs[0], 0, "why", why);
  if (nrhs > 0)
    return;
  set_value (plhs[0], 0, "devices", devices (gpus));
  set_value (plhs[0], 0, "kernels", kernels (1));
  set_value (plhs[0], 0, "sparse_kernels", kernels (0));
  set_value (plhs[0], 0, "algorithms", algorithms ());
}
