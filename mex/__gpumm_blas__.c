/* __gpumm_blas__.c - the gateway of gpumm_blas.m: S = __gpumm_blas__ (), a struct array of what the
 * drop-in counted, or [] where it is not loaded; and the file of the BLAS that computes on the CPU.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "gpumm_blas.h"
#include "marshal.h"

#include <dlfcn.h>

typedef int calls (int i, char name[16], int64_t *gpu, int64_t *cpu, double *gpu_seconds,
                   double *cpu_seconds);

void gateway (int nlhs, mxArray *plhs[], int nrhs, const mxArray *prhs[], gateway_error *e) {
  static const char *const fields[] = {"routine", "gpu", "cpu", "gpu_seconds", "cpu_seconds"};
  check_use (nrhs == 0, "gpumm_blas");
  calls *get = (calls *) dlsym (RTLD_DEFAULT, "gpumm_blas_calls");
  char name[16];
  int64_t gpu, cpu;
  double gpu_seconds, cpu_seconds;
  int count = 0;
  for (int i = 0; get && get (i, name, &gpu, &cpu, &gpu_seconds, &cpu_seconds); i++)
    count += gpu + cpu > 0;
  plhs[0] = get ? mxCreateStructMatrix (1, count, 5, (const char **) fields)
                : mxCreateDoubleMatrix (0, 0, mxREAL);
  for (int i = 0, j = 0; get && j < count && get (i, name, &gpu, &cpu, &gpu_seconds, &cpu_seconds);
       i++)
    if (gpu + cpu > 0) {
      set_text (plhs[0], j, "routine", name);
      set_number (plhs[0], j, "gpu", (double) gpu);
      set_number (plhs[0], j, "cpu", (double) cpu);
      set_number (plhs[0], j, "gpu_seconds", gpu_seconds);
      set_number (plhs[0], j++, "cpu_seconds", cpu_seconds);
    }
  if (nlhs > 1)
    plhs[1] = mxCreateString (gpumm_blas_file ());
}
