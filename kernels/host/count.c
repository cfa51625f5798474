/* count.c - counts, and records, what a kernel reads and writes as a GPU's memory would see it.
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
enum { MOST_UNITS = 4 * WARP }; /* that a request touches */

struct access {
  /* Sorted by these: the place in the code, the thread, the turn among all accesses; then the
   * place, the warp, the turn of the thread at that place, the thread. The first three tell
   * requests apart. */
  int64_t key[4];
  const char *p;
  int thread;
  unsigned bytes;
  int kind, line;
  int turn; /* among the accesses of its thread */
};

int gpumm_host_counting;
int64_t gpumm_host_operations, gpumm_host_barriers;

static struct access *accesses;
static int64_t noted, room, thread_from; /* where the accesses of the running thread begin */
static int lost;                         /* out of memory: the counts are invalid */

/* Counts for each accessed allocation; first is NULL for the sum. */
struct tally {
  const char *first;
  gpumm_access counts[GPUMM_ACCESS_KINDS];
};
static struct tally *tallies;
static int tally_count;

static gpumm_record *records;
static int64_t recorded; /* beyond GPUMM_RECORD_MOST: too many */

void gpumm_host_count (int on) {
  if (on) {
    free (records);
    records = on == GPUMM_RECORD ? malloc (GPUMM_RECORD_MOST * sizeof *records) : NULL;
    recorded = 0;
  }
  free (accesses);
  free (tallies);
  accesses = NULL;
  tallies = NULL;
  noted = room = 0;
  tally_count = 0;
  lost = on == GPUMM_RECORD && !records;
  gpumm_host_operations = gpumm_host_barriers = 0;
  gpumm_host_counting = on;
}

void __attribute__ ((noinline))
gpumm_host_access (int kind, const void *p, unsigned bytes, int line) {
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
  const int thread = (int) (t->x + size->x * (t->y + size->y * t->z));
  const int64_t place = (intptr_t) __builtin_return_address (0);
  if (noted == 0 || accesses[noted - 1].thread != thread)
    thread_from = noted;
  accesses[noted] = (struct access){{place, thread, noted},     p, thread, bytes, kind, line,
                                    (int) (noted - thread_from)};
  noted++;
}

/* ---- requests ----------------------------------------------------------------------------- */

static int by_key (const void *x, const void *y) {
  const struct access *a = x, *b = y;
  int i = 0;
  while (i < 3 && a->key[i] == b->key[i])
    i++;
  return (a->key[i] > b->key[i]) - (a->key[i] < b->key[i]);
}

static int same_keys (const struct access *a, const struct access *b, int count) {
  return memcmp (a->key, b->key, (size_t) count * sizeof *a->key) == 0;
}

/* The different units of so many bytes that the accesses touch; returns how many there are. */
static int units (const struct access *a, int count, int bytes, int64_t seen[MOST_UNITS]) {
  int found = 0;
  for (int i = 0; i < count; i++) {
    const int64_t last = ((intptr_t) a[i].p + a[i].bytes - 1) / bytes;
    for (int64_t u = (intptr_t) a[i].p / bytes; u <= last; u++) {
      int j = 0;
      while (j < found && seen[j] != u)
        j++;
      if (j == found && found < MOST_UNITS)
        seen[found++] = u;
    }
  }
  return found;
}

/* Passes over the banks: as many as the busiest bank has different words to deliver. Threads
 * that access 8 or 16 bytes are served half a warp or a quarter at a time; conflicts counts the
 * passes beyond one for each such part. */
static int64_t passes (const struct access *a, int count, int64_t *conflicts) {
  int part = WARP * WORD / (a->bytes > WORD ? (int) a->bytes : WORD);
  int64_t all = 0, words[MOST_UNITS];
  for (int i = 0, end; i < count; i = end) {
    const int group = a[i].thread % WARP / part;
    for (end = i + 1; end < count && a[end].thread % WARP / part == group; end++)
      ;
    const int found = units (a + i, end - i, WORD, words);
    int most = 0, in_bank[BANKS] = {0};
    for (int w = 0; w < found; w++)
      most += ++in_bank[words[w] % BANKS] > most;
    all += most;
    *conflicts += most - 1;
  }
  return all;
}

/* The row for an allocation, NULL for the sum; returns NULL if there is none. */
static struct tally *find_tally (const char *first) {
  for (int i = 0; i < tally_count; i++)
    if (tallies[i].first == first)
      return &tallies[i];
  return NULL;
}

static void add (const char *first, int kind, const gpumm_access *x) {
  struct tally *t = find_tally (first);
  if (!t) {
    struct tally *grown = realloc (tallies, (size_t) (tally_count + 1) * sizeof *grown);
    if (!grown) {
      lost = 1;
      return;
    }
    tallies = grown;
    t = &tallies[tally_count++];
    *t = (struct tally){.first = first};
  }
  t->counts[kind].elements += x->elements;
  t->counts[kind].requests += x->requests;
  t->counts[kind].transfers += x->transfers;
  t->counts[kind].conflicts += x->conflicts;
}

/* A request comes when the last of its threads does. request first holds what to sort by: the turn,
 * the warp and the number n of the request in the phase. */
static void record (const struct access *a, int count, int64_t n, const gpumm_access *x) {
  int64_t turn = 0;
  for (int i = 0; i < count; i++)
    turn = a[i].turn > turn ? a[i].turn : turn;
  for (int i = 0; i < count && recorded++ < GPUMM_RECORD_MOST; i++) {
    gpumm_record *r = &records[recorded - 1];
    *r = (gpumm_record){.p = a[i].p,
                        .bytes = a[i].bytes,
                        .is_store = a[i].kind == GPUMM_STORE || a[i].kind == GPUMM_SHARED_STORE,
                        .line = a[i].line,
                        .block = (int) gpumm_host_block.x,
                        .thread = a[i].thread,
                        .request = (turn * WARP + a[i].thread / WARP) << 20 | n,
                        .barriers = gpumm_host_barriers,
                        .transfers = x->transfers,
                        .conflicts = x->conflicts};
    if (a[i].kind == GPUMM_SHARED_LOAD || a[i].kind == GPUMM_SHARED_STORE)
      gpumm_host_name_array (r);
    else
      r->first = gpumm_host_allocation (r->p);
  }
}

static int by_request (const void *x, const void *y) {
  const gpumm_record *a = x, *b = y;
  return a->request == b->request ? a->thread - b->thread : a->request < b->request ? -1 : 1;
}

/* Numbers the requests of the phase that began with that record. */
static void number_requests (int64_t from) {
  if (recorded == from || recorded > GPUMM_RECORD_MOST)
    return;
  qsort (records + from, (size_t) (recorded - from), sizeof *records, by_request);
  int64_t before = -1, number = from ? records[from - 1].request : -1;
  for (int64_t i = from; i < recorded; i++) {
    number += records[i].request != before;
    before = records[i].request;
    records[i].request = number;
  }
}

static void count_request (const struct access *a, int count, int64_t n) {
  int shared = a->kind == GPUMM_SHARED_LOAD || a->kind == GPUMM_SHARED_STORE;
  int64_t seen[MOST_UNITS];
  gpumm_access x = {.elements = count, .requests = 1};
  x.transfers = shared ? passes (a, count, &x.conflicts) : units (a, count, SECTOR, seen);
  add (NULL, a->kind, &x);
  const char *first = shared ? NULL : gpumm_host_allocation (a->p);
  if (first)
    add (first, a->kind, &x);
  if (records)
    record (a, count, n, &x);
}

void gpumm_host_count_phase (void) {
  if (noted == 0)
    return;
  qsort (accesses, (size_t) noted, sizeof *accesses, by_key);
  for (int64_t i = 0, end; i < noted; i = end)
    for (end = i; end < noted && same_keys (&accesses[i], &accesses[end], 2); end++)
      accesses[end].key[2] = end - i;
  for (int64_t i = 0; i < noted; i++) {
    accesses[i].key[1] = accesses[i].thread / WARP;
    accesses[i].key[3] = accesses[i].thread;
  }
  qsort (accesses, (size_t) noted, sizeof *accesses, by_key);
  const int64_t from = recorded;
  for (int64_t i = 0, n = 0, end; i < noted; i = end, n++) {
    for (end = i; end < noted && same_keys (&accesses[i], &accesses[end], 3); end++)
      ;
    count_request (&accesses[i], (int) (end - i), n);
  }
  number_requests (from);
  noted = 0;
}

gpumm_status gpumm_host_counts (const void *p, gpumm_counts *counts) {
  const char *first = p ? gpumm_host_allocation (p) : NULL;
  memset (counts, 0, sizeof *counts);
  if (lost)
    return gpumm_driver_fail (GPUMM_HOST_MEMORY, "out of host memory while counting");
  if (p && !first)
    return gpumm_driver_fail (GPUMM_INVALID, "no device memory at %p", p);
  const struct tally *t = find_tally (first);
  if (t) {
    counts->load = t->counts[GPUMM_LOAD];
    counts->store = t->counts[GPUMM_STORE];
    counts->shared_load = t->counts[GPUMM_SHARED_LOAD];
    counts->shared_store = t->counts[GPUMM_SHARED_STORE];
  }
  if (!p) {
    counts->operations = gpumm_host_operations;
    counts->barriers = gpumm_host_barriers;
  }
  return GPUMM_OK;
}

gpumm_status gpumm_host_records (const gpumm_record **all, int64_t *count) {
  const int all_are_there = records && recorded <= GPUMM_RECORD_MOST;
  *all = records;
  *count = all_are_there ? recorded : 0;
  return all_are_there || recorded == 0
             ? GPUMM_OK
             : gpumm_driver_fail (GPUMM_TOO_LARGE, "there are more than %d accesses",
                                  GPUMM_RECORD_MOST);
}
