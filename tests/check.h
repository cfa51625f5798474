/* check.h - what the C tests share: counted checks, a seeded generator, the closing line.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_CHECK_H
#define GPUMM_CHECK_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static int check_passed, check_failed;
static __thread uint64_t check_state = 88172645463325252u;

/* Counts; a failure prints the place and the text (printf's rules). */
#define CHECK(condition, ...)                                                                      \
  do {                                                                                             \
    if (condition)                                                                                 \
      check_passed++;                                                                              \
    else {                                                                                         \
      check_failed++;                                                                              \
      if (check_failed <= 50) {                                                                    \
        printf ("%s:%d: %s: ", __FILE__, __LINE__, #condition);                                    \
        printf (__VA_ARGS__);                                                                      \
        printf ("\n");                                                                             \
      }                                                                                            \
    }                                                                                              \
  } while (0)

/* A call of the engine that succeeds. */
#define OK(call) CHECK (!(call), "%s", gpumm_last_error ())

/* ThreadSanitizer makes a test some ten times slower: of many like cases it sees every
 * SANITIZED_STEP-th. All other builds see all. */
#if defined __SANITIZE_THREAD__
enum { SANITIZED_STEP = 9 };
#else
enum { SANITIZED_STEP = 1 };
#endif

/* A seed is printed and never taken from the clock: a run can be repeated. */
static inline void check_seed (uint64_t seed) {
  printf ("seed %llu\n", (unsigned long long) seed);
  check_state = seed * 2862933555777941757u + 3037000493u;
  if (check_state == 0)
    check_state = 1;
}

static inline uint64_t check_random (void) { /* xorshift64*, Vigna 2016 */
  check_state ^= check_state >> 12;
  check_state ^= check_state << 25;
  check_state ^= check_state >> 27;
  return check_state * 2685821657736338717u;
}

/* Uniform in [-0.5, 0.5); uniform in low .. high. */
static inline double check_uniform (void) {
  return (double) (check_random () >> 11) * 0x1p-53 - 0.5;
}

static inline int64_t check_between (int64_t low, int64_t high) {
  return low + (int64_t) (check_random () % (uint64_t) (high - low + 1));
}

/* Memory for the test itself: count elements, zeroed, and never NULL. */
static inline void *check_allocate (int64_t count, size_t size) {
  void *p = calloc ((size_t) count + 1, size);
  if (!p) {
    printf ("no memory for %lld elements of %zu bytes\n", (long long) count, size);
    exit (EXIT_FAILURE);
  }
  return p;
}

/* The closing line; main () returns it. A test that has checked nothing has failed. */
static inline int check_done (void) {
  printf ("%d passed, %d failed\n", check_passed, check_failed);
  return check_failed || !check_passed ? EXIT_FAILURE : EXIT_SUCCESS;
}

#endif
