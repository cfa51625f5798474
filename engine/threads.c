/* threads.c - a loop in parallel.
 *
 * Threads are made for each loop and joined after it: 20-50 us that a caller's grain must make
 * worth while, and in return nothing survives a fork () half-alive, as a pool or OpenMP would.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "threads.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <unistd.h>

enum { MOST_THREADS = 64, PIECES_PER_THREAD = 4 };

int gpumm_threads (void) {
  cpu_set_t set;
  int cores = sched_getaffinity (0, sizeof set, &set) == 0 ? CPU_COUNT (&set)
                                                           : (int) sysconf (_SC_NPROCESSORS_ONLN);
  return cores < 1 ? 1 : cores > MOST_THREADS ? MOST_THREADS : cores;
}

typedef struct {
  int64_t n, piece;
  atomic_llong next;
  void (*body) (void *context, int64_t begin, int64_t end);
  void *context;
} loop;

/* Pieces are handed out as threads come for them: uneven ones balance themselves. */
static void *work (void *argument) {
  loop *l = argument;
  for (;;) {
    int64_t begin = atomic_fetch_add (&l->next, l->piece);
    if (begin >= l->n)
      return NULL;
    int64_t end = l->n - begin < l->piece ? l->n : begin + l->piece;
    l->body (l->context, begin, end);
  }
}

void gpumm_parallel (int64_t n, int64_t grain,
                     void (*body) (void *context, int64_t begin, int64_t end), void *context) {
  if (n <= 0)
    return;
  if (grain < 1)
    grain = 1;
  int threads = gpumm_threads ();
  if (n / grain < threads)
    threads = (int) (n / grain);
  if (threads <= 1) {
    body (context, 0, n);
    return;
  }
  int64_t piece = n / ((int64_t) threads * PIECES_PER_THREAD);
  loop l = {.n = n, .piece = piece < grain ? grain : piece, .body = body, .context = context};
  atomic_init (&l.next, 0);
  pthread_t others[MOST_THREADS];
  int started = 0;
  while (started < threads - 1 && pthread_create (&others[started], NULL, work, &l) == 0)
    started++;
  work (&l);
  for (int i = 0; i < started; i++)
    pthread_join (others[i], NULL);
}
