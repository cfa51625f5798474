/* count.c - counts what a kernel reads and writes as the memory of a GPU would see it.
 *
 * Every access of every thread between two barriers is recorded: its place in the code, and how
 * many times the thread has been there. Accesses of one warp that agree in both are one request, as
 * on a GPU whose warp runs in step.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "fibers.h"
#include "driver.h"

#include <stdlib.h>
#include <string.h>

enum { WARP = 32, SECTOR = 32, BANKS = 32, WORD = 4 };

struct access {
  const void *place; /* in the code */
  int64_t turn;      /* of the thread at that place; before sorting: among all accesses */
  const char *p;
  int thread;
  unsigned bytes;
  int kind;
};

int gpumm_host_counting;
int64_t gpumm_host_operations, gpumm_host_barriers;

static struct access *accesses;
static int64_t noted, room;
static int lost; /* out of memory: the counts are invalid */

/* Counts for each accessed allocation; the first row is the sum. */
struct tally {
  const char *first;
  gpumm_access counts[GPUMM_ACCESS_KINDS];
};
static struct tally *tallies;
static int tally_count;

void gpumm_host_count (int on) {
  free (accesses);
  free (tallies);
  accesses = NULL;
  tallies = NULL;
  noted = room = 0;
  tally_count = 0;
  lost = 0;
  gpumm_host_operations = gpumm_host_barriers = 0;
  gpumm_host_counting = on;
}

void __attribute__ ((noinline)) gpumm_host_access (int kind, const void *p, unsigned bytes) {
  if (noted == room) {
    int64_t more = room ? 2 * room : 4096;
    struct access *grown = realloc (accesses, (size_t) more * sizeof *grown);
    if (!grown) {
      lost = 1;
      return;
    }
    accesses = grown;
    room = more;
  }
  const gpumm_index3 *t = &gpumm_host_thread, *size = &gpumm_host_block_size;
  accesses[noted] = (struct access){
      .place = __builtin_return_address (0),
      .turn = noted,
      .p = p,
      .thread = (int) (t->x + size->x * (t->y + size->y * t->z)),
      .bytes = bytes,
      .kind = kind,
  };
  noted++;
}

/* ---- requests ----------------------------------------------------------------------------- */

static int compare (int64_t x, int64_t y) {
  return (x > y) - (x < y);
}

static int by_thread (const void *x, const void *y) {
  const struct access *a = x, *b = y;
  int c = compare ((intptr_t) a->place, (intptr_t) b->place);
  c = c ? c : compare (a->thread, b->thread);
  return c ? c : compare (a->turn, b->turn);
}

static int by_request (const void *x, const void *y) {
  const struct access *a = x, *b = y;
  int c = compare ((intptr_t) a->place, (intptr_t) b->place);
  c = c ? c : compare (a->thread / WARP, b->thread / WARP);
  c = c ? c : compare (a->turn, b->turn);
  return c ? c : compare (a->thread, b->thread);
}

static int same_request (const struct access *a, const struct access *b) {
  return a->place == b->place && a->thread / WARP == b->thread / WARP && a->turn == b->turn;
}

/* The number of different sectors that the accesses touch. */
static int64_t sectors (const struct access *a, int count) {
  int64_t seen[WARP * 2];
  int found = 0;
  for (int i = 0; i < count; i++) {
    int64_t last = ((intptr_t) a[i].p + a[i].bytes - 1) / SECTOR;
    for (int64_t s = (intptr_t) a[i].p / SECTOR; s <= last; s++) {
      int j = 0;
      while (j < found && seen[j] != s)
        j++;
      if (j == found && found < WARP * 2)
        seen[found++] = s;
    }
  }
  return found;
}

/* Passes over the banks: as many as the busiest bank has different words to deliver. Threads
 * that access 8 or 16 bytes are served half a warp or a quarter at a time; conflicts counts the
 * passes beyond one for each such part. */
static int64_t passes (const struct access *a, int count, int64_t *conflicts) {
  int part = WARP * WORD / (a->bytes > WORD ? (int) a->bytes : WORD);
  int64_t all = 0;
  for (int i = 0; i < count;) {
    int end = i, most = 0;
    int group = a[i].thread % WARP / part;
    int64_t words[WARP * 4];
    int found = 0, in_bank[BANKS] = {0};
    for (; end < count && a[end].thread % WARP / part == group; end++) {
      int64_t last = ((intptr_t) a[end].p + a[end].bytes - 1) / WORD;
      for (int64_t w = (intptr_t) a[end].p / WORD; w <= last; w++) {
        int j = 0;
        while (j < found && words[j] != w)
          j++;
        if (j < found || found == WARP * 4)
          continue;
        words[found++] = w;
        if (++in_bank[w % BANKS] > most)
          most = in_bank[w % BANKS];
      }
    }
    all += most;
    *conflicts += most - 1;
    i = end;
  }
  return all;
}

/* The row for an allocation, NULL for the sum. Valid until the next call. */
static struct tally *tally_of (const char *first) {
  for (int i = 0; i < tally_count; i++)
    if (tallies[i].first == first)
      return &tallies[i];
  struct tally *grown = realloc (tallies, (size_t) (tally_count + 1) * sizeof *grown);
  if (!grown) {
    lost = 1;
    return NULL;
  }
  tallies = grown;
  memset (&tallies[tally_count], 0, sizeof *tallies);
  tallies[tally_count].first = first;
  return &tallies[tally_count++];
}

static void add (const char *first, int kind, const gpumm_access *x) {
  struct tally *t = tally_of (first);
  if (!t)
    return;
  t->counts[kind].elements += x->elements;
  t->counts[kind].requests += x->requests;
  t->counts[kind].transfers += x->transfers;
  t->counts[kind].conflicts += x->conflicts;
}

static void count_request (const struct access *a, int count) {
  int shared = a->kind == GPUMM_SHARED_LOAD || a->kind == GPUMM_SHARED_STORE;
  gpumm_access x = {.elements = count, .requests = 1};
  if (shared)
    x.transfers = passes (a, count, &x.conflicts);
  else
    x.transfers = sectors (a, count);
  add (NULL, a->kind, &x);
  const char *first = shared ? NULL : gpumm_host_allocation (a->p);
  if (first)
    add (first, a->kind, &x);
}

void gpumm_host_count_phase (void) {
  if (noted == 0)
    return;
  qsort (accesses, (size_t) noted, sizeof *accesses, by_thread);
  int64_t turn = 0;
  for (int64_t i = 0; i < noted; i++) {
    int goes_on = i > 0 && accesses[i].place == accesses[i - 1].place
                  && accesses[i].thread == accesses[i - 1].thread;
    turn = goes_on ? turn + 1 : 0;
    accesses[i].turn = turn;
  }
  qsort (accesses, (size_t) noted, sizeof *accesses, by_request);
  for (int64_t i = 0, end; i < noted; i = end) {
    for (end = i + 1; end < noted && same_request (&accesses[i], &accesses[end]); end++)
      ;
    count_request (&accesses[i], (int) (end - i));
  }
  noted = 0;
}

gpumm_status gpumm_host_counts (const void *p, gpumm_counts *counts) {
  const char *first = p ? gpumm_host_allocation (p) : NULL;
  memset (counts, 0, sizeof *counts);
  if (lost)
    return gpumm_driver_fail (GPUMM_HOST_MEMORY, "out of host memory while counting");
  if (p && !first)
    return gpumm_driver_fail (GPUMM_INVALID, "no device memory at %p", p);
  for (int i = 0; i < tally_count; i++)
    if (tallies[i].first == first) {
      counts->load = tallies[i].counts[GPUMM_LOAD];
      counts->store = tallies[i].counts[GPUMM_STORE];
      counts->shared_load = tallies[i].counts[GPUMM_SHARED_LOAD];
      counts->shared_store = tallies[i].counts[GPUMM_SHARED_STORE];
    }
  if (!p) {
    counts->operations = gpumm_host_operations;
    counts->barriers = gpumm_host_barriers;
  }
  return GPUMM_OK;
}
