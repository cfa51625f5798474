/* types.c - the table of element types, and the host clock.
 *
 * It calls nothing of the engine, and its functions do not fail: a type that is not in the table
 * has 0 bytes and the name "unknown".
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "types.h"
#include "clock.h"

#include <time.h>

static const struct {
  const char *name;
  size_t bytes;
} table[GPUMM_TYPES] = {
    [GPUMM_S] = {"single", 4},         [GPUMM_D] = {"double", 8},
    [GPUMM_C] = {"single complex", 8}, [GPUMM_Z] = {"double complex", 16},
    [GPUMM_I8] = {"int8", 1},          [GPUMM_I16] = {"int16", 2},
    [GPUMM_I32] = {"int32", 4},        [GPUMM_I64] = {"int64", 8},
    [GPUMM_U8] = {"uint8", 1},         [GPUMM_U16] = {"uint16", 2},
    [GPUMM_U32] = {"uint32", 4},       [GPUMM_U64] = {"uint64", 8},
    [GPUMM_B] = {"logical", 1},
};

static int known (gpumm_type type) {
  return (unsigned) type < GPUMM_TYPES;
}

size_t gpumm_type_bytes (gpumm_type type) {
  return known (type) ? table[type].bytes : 0;
}

const char *gpumm_type_name (gpumm_type type) {
  return known (type) ? table[type].name : "unknown";
}

double gpumm_seconds (void) {
  struct timespec t;
  clock_gettime (CLOCK_MONOTONIC, &t);
  return (double) t.tv_sec + 1e-9 * (double) t.tv_nsec;
}
