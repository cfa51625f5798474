/* alternatives.c - the table of alternatives to the library; a new one is a row here, and its
 * family a line of multiply/list.h. The plan takes the fastest that is clearly faster (plan.c), by
 * rates that rates.c measures; neither names a family.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "plan.h"

const gpumm_alternative gpumm_alternatives[GPUMM_MOST_ALTERNATIVES + 1] = {
    /* At these edges it took 0.48, 0.73, 0.31 and 0.67 of cuBLAS's time on an H200 (emulated.csv),
     * nearly as little as at larger ones. Its larger tiles overlap less with transfers: end to end
     * there it took 0.47 to 0.99 of the library's time (bench/results/h200/auto.csv), and 1.3 in
     * double at 8192, where link and library take equally long. */
    {.family = "emulated",
     .edge = {4096, 8192, 4096, 4096},
     .bound = 1.25,
     .faster_moving = 0.8,
     .faster = 0.9},
};
