/* test_first_touch.c - the pages of memory that results go to.
 * SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "check.h"
#include "move/first_touch.h"

#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static char *map_fresh (size_t bytes, int huge) {
  char *x = mmap (NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK (x != MAP_FAILED, "no memory");
  madvise (x, bytes, huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
  return x;
}

/* The other thread of test_touch: its bytes all get to the memory. */
static void *write_meanwhile (void *argument) {
  for (size_t i = 0; i < 8 << 20; i += 64)
    ((volatile char *) argument)[i] = (char) (i / 64);
  return NULL;
}

/* Pages are there after they were touched, and hold what they held or what another thread wrote
 * meanwhile. */
static void test_touch (void) {
  static const struct {
    size_t begin, bytes;
  } parts[] = {{0, 0},     {0, 1},      {1, 4095},     {1, 4096},
               {1, 8191},  {0, 4096},   {5, 3 << 20},  {(2 << 20) - 1, 2 << 20},
               {4096, 64}, {100, 8193}, {777, 7 << 20}};
  const size_t all = 8 << 20, page = (size_t) sysconf (_SC_PAGESIZE);
  unsigned char *there = check_allocate ((int64_t) (all / page), 1);
  char *zeros = check_allocate ((int64_t) page, 1);
  for (size_t i = 0; i < 2 * sizeof parts / sizeof *parts; i++) {
    const size_t begin = parts[i / 2].begin, end = begin + parts[i / 2].bytes;
    char *x = map_fresh (all, i % 2);
    for (size_t at = 3; at < all; at += 2 * page) /* every other page is there, and has a value */
      x[at] = (char) (at % 127);
    gpumm_touch (x + begin, end - begin);
    int64_t absent = 0, wrong = 0;
    CHECK (!mincore (x, all, there), "mincore");
    for (size_t at = (begin + page - 1) / page * page; at + page <= end; at += page)
      absent += !(there[at / page] & 1);
    for (size_t at = 0; at < all; at += page) {
      wrong += x[at + 3] != (at % (2 * page) == 0 ? (char) ((at + 3) % 127) : 0);
      x[at + 3] = 0;
      wrong += memcmp (x + at, zeros, page) != 0;
    }
#ifdef MADV_POPULATE_WRITE
    if (madvise (x, page, MADV_POPULATE_WRITE)) /* before Linux 5.14 */
#endif
      absent = 0;
    CHECK (!absent && !wrong, "%zu bytes from %zu: %lld pages are not there, %lld have changed",
           end - begin, begin, (long long) absent, (long long) wrong);
    munmap (x, all);
  }
  free (there);
  free (zeros);
  for (int round = 0; round < 5; round++) {
    char *x = map_fresh (all, round % 2);
    pthread_t other;
    int64_t wrong = 0;
    CHECK (!pthread_create (&other, NULL, write_meanwhile, x), "a thread");
    for (int again = 0; again < 3; again++)
      gpumm_touch (x, all);
    pthread_join (other, NULL);
    for (size_t i = 0; i < all; i += 64)
      wrong += x[i] != (char) (i / 64);
    CHECK (wrong == 0, "%lld bytes are lost", (long long) wrong);
    munmap (x, all);
  }
}

/* ---- regions ------------------------------------------------------------------------------ */

enum { ALL = 24 << 20, PIECES = 300, THREADS = 6 };

/* Two regions apart from each other, of any length from 0 on, at any byte. */
static void draw_regions (char *x, gpumm_region *regions) {
  static const int64_t most[] = {1, 4096, 5000, 3 << 20, 11 << 20};
  for (int i = 0; i < GPUMM_MOST_REGIONS; i++) {
    const int64_t bytes = check_between (0, most[check_between (0, 4)]);
    regions[i].begin = x + i * (ALL / 2) + check_between (0, ALL / 2 - bytes);
    regions[i].bytes = (size_t) bytes;
  }
}

/* The huge pages that a part of a region shares with it, marked in `marks`. */
static void mark_pages (const char *begin, size_t bytes, const char *x, unsigned char *marks) {
  const uintptr_t base = (uintptr_t) x / GPUMM_HUGE_PAGE;
  for (uintptr_t p = (uintptr_t) begin;
       bytes > 0 && p / GPUMM_HUGE_PAGE <= ((uintptr_t) begin + bytes - 1) / GPUMM_HUGE_PAGE;
       p += GPUMM_HUGE_PAGE)
    marks[p / GPUMM_HUGE_PAGE - base] = 1;
}

static int64_t count_marks (const unsigned char *marks) {
  int64_t count = 0;
  for (int i = 0; i <= ALL / GPUMM_HUGE_PAGE; i++)
    count += marks[i];
  return count;
}

/* One thread: what is written first is not brought ahead too, all else is, and nothing beside the
 * regions. */
static void test_one_thread (void) {
  const size_t page = (size_t) sysconf (_SC_PAGESIZE);
  unsigned char *there = check_allocate ((int64_t) (ALL / page), 1);
  for (int c = 0; c < 60; c++) {
    char *x = map_fresh (ALL, 0);
    gpumm_region regions[GPUMM_MOST_REGIONS];
    gpumm_first_touch f = {0};
    int64_t pages = 0, brought = 0, wrong = 0;
    draw_regions (x, regions);
    CHECK (!gpumm_first_touch_open (&f, regions), "%s", gpumm_last_error ());
    for (int i = 0; i < GPUMM_MOST_REGIONS; i++) {
      unsigned char all[ALL / GPUMM_HUGE_PAGE + 1] = {0}, written[ALL / GPUMM_HUGE_PAGE + 1] = {0};
      const int64_t bytes = (int64_t) regions[i].bytes;
      if (c % 10 == 0 && bytes > 0) { /* what lies behind the region does not matter */
        char *last = (char *) regions[i].begin + bytes - 1;
        gpumm_first_touch_before (&f, last, ALL);
        mark_pages (last, 1, x, written);
      }
      for (int64_t k = check_between (0, 3); k > 0 && bytes > 0; k--) {
        const int64_t from = check_between (0, bytes - 1), some = check_between (0, bytes - from);
        gpumm_first_touch_before (&f, (char *) regions[i].begin + from, (size_t) some);
        mark_pages ((char *) regions[i].begin + from, (size_t) some, x, written);
      }
      mark_pages (regions[i].begin, regions[i].bytes, x, all);
      pages += count_marks (all) - count_marks (written);
    }
    while (gpumm_first_touch_ahead (&f))
      brought++;
    CHECK (brought == pages, "%lld pages are brought ahead, not %lld", (long long) brought,
           (long long) pages);
    CHECK (!mincore (x, ALL, there), "mincore");
    for (size_t at = 0; at < ALL; at += page) {
      int shares = 0;
      for (int i = 0; i < GPUMM_MOST_REGIONS; i++)
        shares |= at + page > (size_t) ((char *) regions[i].begin - x)
                  && at < (size_t) ((char *) regions[i].begin - x) + regions[i].bytes;
      wrong += (there[at / page] & 1) && !shares;
    }
    CHECK (wrong == 0, "%lld pages beside the regions are brought", (long long) wrong);
    gpumm_first_touch_close (&f);
    munmap (x, ALL);
  }
  free (there);
}

/* ---- several threads ---------------------------------------------------------------------- */

static struct {
  gpumm_first_touch *f;
  const gpumm_region *region;
  atomic_llong next, ahead;
} shared;

/* Fills pieces that are shorter than a huge page, and brings pages ahead between them. */
static void *fill (void *argument) {
  for (int64_t i; (i = atomic_fetch_add (&shared.next, 1)) < PIECES; (void) argument)
    for (int k = 0; k < GPUMM_MOST_REGIONS; k++) {
      const size_t bytes = shared.region[k].bytes, from = bytes * (size_t) i / PIECES,
                   end = bytes * (size_t) (i + 1) / PIECES;
      char *begin = (char *) shared.region[k].begin + from;
      gpumm_first_touch_before (shared.f, begin, end - from);
      memset (begin, (int) (1 + i % 100), end - from);
      if (i % 7 == 0)
        atomic_fetch_add (&shared.ahead, gpumm_first_touch_ahead (shared.f));
    }
  return NULL;
}

/* What threads write stays, and each page is brought once. */
static void test_several_threads (void) {
  for (int c = 0; c < 12; c++) {
    char *x = map_fresh (ALL, c % 2);
    gpumm_region regions[GPUMM_MOST_REGIONS];
    gpumm_first_touch f = {0};
    pthread_t threads[THREADS];
    int64_t wrong = 0, most = 0;
    draw_regions (x, regions);
    CHECK (!gpumm_first_touch_open (&f, regions), "%s", gpumm_last_error ());
    shared.f = &f;
    shared.region = regions;
    atomic_store (&shared.next, 0);
    atomic_store (&shared.ahead, 0);
    for (int t = 0; t < THREADS; t++)
      CHECK (!pthread_create (&threads[t], NULL, fill, NULL), "a thread");
    for (int t = 0; t < THREADS; t++)
      pthread_join (threads[t], NULL);
    CHECK (!gpumm_first_touch_ahead (&f), "a page is brought that was written");
    for (int k = 0; k < GPUMM_MOST_REGIONS; k++) {
      unsigned char marks[ALL / GPUMM_HUGE_PAGE + 1] = {0};
      mark_pages (regions[k].begin, regions[k].bytes, x, marks);
      most += count_marks (marks);
      for (size_t i = 0; i < PIECES; i++)
        for (size_t at = regions[k].bytes * i / PIECES; at < regions[k].bytes * (i + 1) / PIECES;
             at++)
          wrong += ((char *) regions[k].begin)[at] != (char) (1 + i % 100);
    }
    CHECK (wrong == 0, "%lld bytes are lost", (long long) wrong);
    CHECK (atomic_load (&shared.ahead) <= most, "%lld pages of %lld",
           (long long) atomic_load (&shared.ahead), (long long) most);
    gpumm_first_touch_close (&f);
    munmap (x, ALL);
  }
}

int main (int argc, char **argv) {
  check_seed (argc > 1 ? strtoull (argv[1], NULL, 0) : 20261126);
  test_touch ();
  test_one_thread ();
  test_several_threads ();
  const gpumm_region none[GPUMM_MOST_REGIONS] = {{0}};
  gpumm_first_touch f = {0};
  CHECK (!gpumm_first_touch_open (&f, none) && !gpumm_first_touch_ahead (&f), "no region, no page");
  gpumm_first_touch_before (&f, &f, sizeof f);
  gpumm_first_touch_close (&f);
  return check_done ();
}
