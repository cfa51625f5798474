/* capability.c - prints the compute capabilities of the GPUs of this machine, "75;90", for the
 * build. Asks the driver itself, because nvidia-smi may be missing. Exits with 1 without a GPU.
 * SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

enum { MAJOR = 75, MINOR = 76 }; /* CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_... */

int main (void) {
  void *driver = dlopen ("libcuda.so.1", RTLD_NOW);
  if (!driver)
    return 1;
  int (*init) (unsigned);
  int (*get_count) (int *);
  int (*get_attribute) (int *, int, int);
  void *symbols[] = {dlsym (driver, "cuInit"), dlsym (driver, "cuDeviceGetCount"),
                     dlsym (driver, "cuDeviceGetAttribute")};
  if (!symbols[0] || !symbols[1] || !symbols[2])
    return 1;
  memcpy (&init, &symbols[0], sizeof init);
  memcpy (&get_count, &symbols[1], sizeof get_count);
  memcpy (&get_attribute, &symbols[2], sizeof get_attribute);

  int count = 0, seen[64], kinds = 0;
  if (init (0) || get_count (&count) || count == 0)
    return 1;
  for (int device = 0; device < count && kinds < 64; device++) {
    int major, minor, i = 0;
    if (get_attribute (&major, MAJOR, device) || get_attribute (&minor, MINOR, device))
      return 1;
    while (i < kinds && seen[i] != 10 * major + minor)
      i++;
    if (i < kinds)
      continue;
    seen[kinds++] = 10 * major + minor;
    printf ("%s%d", i ? ";" : "", seen[i]);
  }
  return 0;
}
