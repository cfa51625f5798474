/* below.c - a BLAS that has gemmt, for test_below.c: it only says that it was called.
 * SPDX-License-Identifier: BSD-3-Clause */
extern int below_calls;

__attribute__ ((visibility ("default"))) int below_calls;

__attribute__ ((visibility ("default"))) void dgemmt_ (void);

void dgemmt_ (void) {
  below_calls++;
}
