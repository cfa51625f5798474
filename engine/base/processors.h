/* processors.h - one function in machine code for several generations of processors.
 *
 * Functions with this mark are written without intrinsics: the compiler makes their vectors.
 * Nothing in the engine asks which copy runs.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_PROCESSORS_H
#define GPUMM_PROCESSORS_H

/* The compiler makes one copy of the function for each generation of processors, and the loader
 * picks one. Sanitizers cannot start with this. */
#if defined __x86_64__ && defined __GLIBC__ && defined __GNUC__ && !defined __clang__              \
    && __GNUC__ >= 12 && !defined __SANITIZE_ADDRESS__ && !defined __SANITIZE_THREAD__
#define FOR_EACH_PROCESSOR                                                                         \
  __attribute__ ((noinline, target_clones ("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define FOR_EACH_PROCESSOR
#endif

#endif
