// info.h - what ran, for Octave.
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GPUMM_INFO_H
#define GPUMM_INFO_H

#include <octave/oct.h>

#include "gpumm.h"

// gpumm's struct info, which its help describes.
octave_value info_of (const gpumm_report &r);

#endif
