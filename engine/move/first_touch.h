/* first_touch.h - the pages of memory that results go to.
 *
 * Memory fresh from the system has no pages: the system clears one when a thread first writes to
 * it, and a huge page takes 0.2 to 0.6 ms. If two threads write to an absent page at once, each
 * clears one, and one of the two is thrown away: two threads that fill the halves of the same pages
 * write 8 GB/s, and 11 GB/s if each fills pages of its own (2 cores of a Xeon, Linux 6.18). So one
 * thread brings each page, and the others do something else meanwhile.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_FIRST_TOUCH_H
#define GPUMM_FIRST_TOUCH_H

#include "gpumm.h"

#include <stdatomic.h>
#include <stddef.h>

/* Of x86-64 and of ARM with pages of 4 KiB. */
enum { GPUMM_HUGE_PAGE = 2 << 20 };

/* Makes the system provide the whole pages within begin .. begin + bytes now, in this thread, with
 * their contents unchanged, also if others write them meanwhile. Only advice: nothing depends on
 * it. */
void gpumm_touch (void *begin, size_t bytes);

enum { GPUMM_MOST_REGIONS = 2 };

typedef struct gpumm_region {
  void *begin;
  size_t bytes;
} gpumm_region;

/* Regions whose pages several threads bring and write to; {0}: none. pages: the states of all huge
 * pages that a region has a part of. next: the page to be brought ahead, counted through the
 * regions in turn. */
typedef struct gpumm_first_touch {
  gpumm_region region[GPUMM_MOST_REGIONS];
  _Atomic unsigned char *pages[GPUMM_MOST_REGIONS];
  size_t count[GPUMM_MOST_REGIONS];
  _Alignas(64) atomic_size_t next;
} gpumm_first_touch;

gpumm_status gpumm_first_touch_open (gpumm_first_touch *f, const gpumm_region *regions);
void gpumm_first_touch_close (gpumm_first_touch *f);

/* Brings the next page that nobody has begun to bring; returns 0 if there is none. */
int gpumm_first_touch_ahead (gpumm_first_touch *f);

/* To be called before these bytes are written: if they begin in a region, brings its pages that are
 * absent, and others ahead while another thread brings one of these. */
void gpumm_first_touch_before (gpumm_first_touch *f, void *begin, size_t bytes);

#endif
