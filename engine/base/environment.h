/* environment.h - gpumm's variables of the environment. They are read at each use, because
 * Octave's setenv can change them. A value that gpumm does not know is an error that names the
 * variable.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_ENVIRONMENT_H
#define GPUMM_ENVIRONMENT_H

#include "gpumm.h"

/* The value of a variable; NULL if it is not set, or empty. */
const char *gpumm_variable (const char *name);

/* Fails: the variable has a value that gpumm does not know. must: what it may be, "0 or 1". */
gpumm_status gpumm_refuse_variable (const char *name, const char *must);

#endif
