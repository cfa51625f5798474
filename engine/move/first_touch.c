/* first_touch.c - the pages of memory that results go to.
 *
 * It changes no byte, even while other threads write. It knows neither devices nor matrices, only
 * regions of memory. A thread waits only for a page that another one is bringing.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "first_touch.h"
#include "memory/host.h"

#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>

/* ---- pages -------------------------------------------------------------------------------- */

/* Writes a byte as it is. Others may write it meanwhile, and no write is lost. */
__attribute__ ((no_sanitize ("thread"))) static void write_again (uintptr_t p) {
  __atomic_fetch_add ((volatile char *) p, 0, __ATOMIC_RELAXED);
}

#ifdef MADV_POPULATE_WRITE /* Linux 5.14 */
/* Is a page between p and end, within one huge page, not there? */
static int lacks_pages (uintptr_t p, uintptr_t end, uintptr_t page) {
  unsigned char there[GPUMM_HUGE_PAGE / 4096];
  const uintptr_t count = (end - p) / page;
  if (count > sizeof there || mincore ((void *) p, end - p, there))
    return 0;
  for (uintptr_t i = 0; i < count; i++)
    if (!(there[i] & 1))
      return 1;
  return 0;
}
#endif

/* A write fault brings a huge page where the system has one to give, and faults of many threads
 * hardly wait for each other: 32 threads touched 80 GB/s, and 10 GB/s by MADV_POPULATE_WRITE (2
 * H100, Linux 6.18). That call brings what is left if the page was a small one. */
void gpumm_touch (void *begin, size_t bytes) {
  const uintptr_t page = (uintptr_t) sysconf (_SC_PAGESIZE);
  const uintptr_t last = ((uintptr_t) begin + bytes) / page * page;
  uintptr_t p = ((uintptr_t) begin + page - 1) / page * page;
  while (p < last) {
    const uintptr_t next = (p / GPUMM_HUGE_PAGE + 1) * GPUMM_HUGE_PAGE;
    const uintptr_t end = next < last ? next : last;
    write_again (p);
#ifdef MADV_POPULATE_WRITE
    if (lacks_pages (p, end, page))
      (void) madvise ((void *) p, end - p, MADV_POPULATE_WRITE);
#endif
    p = end;
  }
}

/* ---- regions ------------------------------------------------------------------------------ */

/* States of a huge page. One thread claims an absent page and brings it. */
enum { ABSENT, CLAIMED, THERE };

/* The place of a huge page's first byte, or of the region's in it. */
static uintptr_t place_of (const gpumm_first_touch *f, int region, size_t page) {
  const uintptr_t begin = (uintptr_t) f->region[region].begin;
  return page == 0 ? begin : (begin / GPUMM_HUGE_PAGE + page) * GPUMM_HUGE_PAGE;
}

static int claim (gpumm_first_touch *f, int region, size_t page) {
  unsigned char absent = ABSENT;
  return atomic_compare_exchange_strong (&f->pages[region][page], &absent, CLAIMED);
}

gpumm_status gpumm_first_touch_open (gpumm_first_touch *f, const gpumm_region *regions) {
  for (int i = 0; i < GPUMM_MOST_REGIONS; i++) {
    if (regions[i].bytes == 0)
      continue;
    const size_t before = (uintptr_t) regions[i].begin % GPUMM_HUGE_PAGE;
    const size_t count = (before + regions[i].bytes - 1) / GPUMM_HUGE_PAGE + 1;
    f->pages[i] = gpumm_allocate ((int64_t) count, sizeof *f->pages[i]);
    if (!f->pages[i])
      return GPUMM_HOST_MEMORY;
    f->region[i] = regions[i];
    f->count[i] = count;
  }
  return GPUMM_OK;
}

void gpumm_first_touch_close (gpumm_first_touch *f) {
  for (int i = 0; i < GPUMM_MOST_REGIONS; i++)
    gpumm_release ((void *) f->pages[i]);
}

int gpumm_first_touch_ahead (gpumm_first_touch *f) {
  size_t most = 0;
  for (int i = 0; i < GPUMM_MOST_REGIONS; i++)
    most = f->count[i] > most ? f->count[i] : most;
  while (atomic_load (&f->next) < most * GPUMM_MOST_REGIONS) {
    const size_t next = atomic_fetch_add (&f->next, 1), page = next / GPUMM_MOST_REGIONS;
    const int i = (int) (next % GPUMM_MOST_REGIONS);
    if (page >= f->count[i] || !claim (f, i, page))
      continue;
    const uintptr_t from = place_of (f, i, page);
    const uintptr_t end = (uintptr_t) f->region[i].begin + f->region[i].bytes;
    const uintptr_t next_page = (from / GPUMM_HUGE_PAGE + 1) * GPUMM_HUGE_PAGE;
    gpumm_touch ((void *) from, (next_page < end ? next_page : end) - from);
    atomic_store (&f->pages[i][page], THERE);
    return 1;
  }
  return 0;
}

void gpumm_first_touch_before (gpumm_first_touch *f, void *begin, size_t bytes) {
  for (int i = 0; i < GPUMM_MOST_REGIONS && bytes > 0; i++) {
    const uintptr_t first = (uintptr_t) f->region[i].begin, from = (uintptr_t) begin;
    if (from < first || from - first >= f->region[i].bytes)
      continue;
    const size_t rest = f->region[i].bytes - (from - first), own = bytes < rest ? bytes : rest;
    const size_t last = (from + own - 1) / GPUMM_HUGE_PAGE - first / GPUMM_HUGE_PAGE;
    for (size_t page = from / GPUMM_HUGE_PAGE - first / GPUMM_HUGE_PAGE; page <= last; page++) {
      if (claim (f, i, page)) {
        const uintptr_t place = place_of (f, i, page);
        write_again (place > from ? place : from);
        atomic_store (&f->pages[i][page], THERE);
      }
      while (atomic_load (&f->pages[i][page]) != THERE)
        if (!gpumm_first_touch_ahead (f))
          sched_yield ();
    }
  }
}
