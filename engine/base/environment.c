/* environment.c - gpumm's variables of the environment.
 *
 * It knows none of them by name: the file that uses a variable gives its name and says what its
 * value must be. No value is kept (environment.h).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "environment.h"
#include "error.h"

#include <stdlib.h>

const char *gpumm_variable (const char *name) {
  const char *value = getenv (name);
  return value && *value ? value : NULL;
}

gpumm_status gpumm_refuse_variable (const char *name, const char *must) {
  const char *value = getenv (name);
  return gpumm_fail (GPUMM_INVALID, "the environment variable %s is \"%.100s\"; it must be %s",
                     name, value ? value : "", must);
}
