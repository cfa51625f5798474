/* test_at_once.c - products in several threads at once, on every path that needs no GPU, while
 * another thread asks for devices and kernels and resets: each result is the one that the path
 * gives alone. Mainly for ThreadSanitizer.
 *
 *   test_at_once [SEED [TIMES]]   TIMES: products of each thread on each path
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#define _DEFAULT_SOURCE
#include "check.h"
#include "host_device.h"
#include "paths.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

enum { THREADS = 3 };

/* One product, repeated by a thread. */
typedef struct {
  const path *p;
  const gpumm_matrix *right;
  int times;
  char failed[256]; /* "" where all results were right */
} task;

static void *multiply_often (void *argument) {
  task *t = argument;
  for (int i = 0; i < t->times && !t->failed[0]; i++) {
    gpumm_matrix c;
    if (run_path (t->p, &c))
      snprintf (t->failed, sizeof t->failed, "%s", gpumm_last_error ());
    else if (!is_same (&c, t->right))
      snprintf (t->failed, sizeof t->failed, "another result");
    release (&c);
  }
  return NULL;
}

static atomic_int done;

static void *ask (void *argument) {
  (void) argument;
  while (!atomic_load (&done)) {
    const char *why;
    gpumm_kernel_info kernel;
    gpumm_sparse_kernel_info sparse_kernel;
    gpumm_device_count (&why);
    for (int i = 0; !gpumm_kernel_at (i, &kernel); i++)
      continue;
    for (int i = 0; !gpumm_sparse_kernel_at (i, &sparse_kernel); i++)
      continue;
    gpumm_unused_gpu ();
    gpumm_live_allocations ();
    gpumm_reset ();
    usleep (2000);
  }
  return NULL;
}

static gpumm_matrix right, before; /* results of this path and of the one before it */

/* This path in two threads, the one before it in a third. */
static void test_path (const path *p, int times) {
  static const path *last;
  release (&before);
  before = right;
  CHECK (!run_path (p, &right), "%s: %s", p->name, gpumm_last_error ());
  task tasks[THREADS];
  pthread_t threads[THREADS], asking;
  atomic_store (&done, 0);
  for (int t = 0; t < THREADS; t++)
    tasks[t] = t == 0 && last ? (task){.p = last, .right = &before, .times = times}
                              : (task){.p = p, .right = &right, .times = times};
  for (int t = 0; t < THREADS; t++)
    pthread_create (&threads[t], NULL, multiply_often, &tasks[t]);
  pthread_create (&asking, NULL, ask, NULL);
  for (int t = 0; t < THREADS; t++) {
    pthread_join (threads[t], NULL);
    CHECK (!tasks[t].failed[0], "%s: %s", tasks[t].p->name, tasks[t].failed);
  }
  atomic_store (&done, 1);
  pthread_join (asking, NULL);
  last = p;
}

int main (int argc, char **argv) {
  need_host_device ();
  check_seed (argc > 1 ? strtoull (argv[1], NULL, 0) : 20261123);
  const int64_t live = gpumm_live_allocations ();
  on_all_paths (test_path, argc > 2 ? atoi (argv[2]) : 1);
  release (&right);
  release (&before);
  gpumm_reset ();
  CHECK (gpumm_live_allocations () == live, "%lld allocations leaked",
         (long long) (gpumm_live_allocations () - live));
  return check_done ();
}
