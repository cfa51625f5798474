/* test_cancel.c - products that are stopped: from another thread, from a signal handler and by a
 * flag of the caller's, at random times, on every path that needs no GPU.
 *
 * Afterwards no memory is missing, and the same product, not stopped, is right. Values are small
 * whole numbers, so that every algorithm gives the same.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "host_device.h"
#include "paths.h"

#include <pthread.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static double now (void) {
  struct timespec t;
  clock_gettime (CLOCK_MONOTONIC, &t);
  return (double) t.tv_sec + 1e-9 * (double) t.tv_nsec;
}

/* ---- ways to stop ------------------------------------------------------------------------- */

static volatile sig_atomic_t flag;

static void handler (int number) {
  (void) number;
  gpumm_cancel ();
}

typedef struct {
  int way; /* 0: gpumm_cancel from a thread; 1: from a signal handler; 2: the flag */
  double delay;
  double pressed; /* when */
} stopper;

static void *stop (void *argument) {
  stopper *s = argument;
  usleep ((useconds_t) (1e6 * s->delay));
  s->pressed = now ();
  if (s->way == 0)
    gpumm_cancel ();
  else if (s->way == 1)
    kill (getpid (), SIGUSR1);
  else
    __atomic_store_n (&flag, 1, __ATOMIC_RELAXED);
  return NULL;
}

/* Latencies go on the record and are not judged: the test shares its cores with others, and
 * sanitizers. tests/interrupts judges. */
static void test_path (const path *p, int times) {
  gpumm_matrix right, c;
  const int64_t live = gpumm_live_allocations ();
  double begun = now (), latest = 0;
  int stopped = 0;
  CHECK (!run_path (p, &right), "%s: %s", p->name, gpumm_last_error ());
  const double whole = now () - begun;
  for (int i = 0; i < times; i++) {
    stopper s = {.way = i % 3, .delay = whole * (check_uniform () + 0.5) * 0.9};
    pthread_t thread;
    const int is_last = i == times - 1;
    if (is_last) { /* before the product begins, which is never too late */
      s = (stopper){.way = 2, .delay = 0};
      stop (&s);
    } else
      pthread_create (&thread, NULL, stop, &s);
    gpumm_status status = run_path (p, &c);
    const double ended = now ();
    if (!is_last)
      pthread_join (thread, NULL);
    flag = 0;
    if (status == GPUMM_CANCELLED) {
      stopped++;
      latest = ended - s.pressed > latest ? ended - s.pressed : latest;
      CHECK (strstr (gpumm_last_error (), "cancelled"), "%s: it says \"%s\"", p->name,
             gpumm_last_error ());
    } else {
      CHECK (!status && is_same (&c, &right), "%s: %s", p->name,
             status ? gpumm_last_error () : "not stopped, and wrong");
      if (!status)
        release (&c);
    }
    status = run_path (p, &c);
    CHECK (!status && is_same (&c, &right), "%s, after it was stopped: %s", p->name,
           status ? gpumm_last_error () : "wrong");
    if (!status)
      release (&c);
  }
  CHECK (stopped > 0, "%s: none of %d was stopped", p->name, times);
  release (&right);
  gpumm_reset ();
  CHECK (gpumm_live_allocations () == live, "%s: %lld allocations leaked", p->name,
         (long long) (gpumm_live_allocations () - live));
  printf ("%s: %d of %d stopped, %.3f s after it was asked for, of %.3f s\n", p->name, stopped,
          times, latest, whole);
}

/* Where no job is open nobody is stopped, then or later; a job that is open when it is called
 * is. */
static void test_when (void) {
  path p = {.algorithm = "loops", .a = full (20, GPUMM_D)};
  gpumm_matrix c, shape;
  gpumm_job *job;
  p.b = p.a;
  gpumm_cancel ();
  CHECK (!run_path (&p, &c), "%s", gpumm_last_error ());
  release (&c);
  const gpumm_problem problem = {.a = p.a, .b = p.b, .alpha = {1, 0}};
  const gpumm_options options = {.backend = GPUMM_CPU, .algorithm = "loops", .device = -1};
  CHECK (!gpumm_open (&problem, &options, &job), "%s", gpumm_last_error ());
  gpumm_result (job, &shape);
  provide (&shape, 0);
  gpumm_cancel ();
  CHECK (gpumm_run (job, &shape) == GPUMM_CANCELLED, "it ran");
  CHECK (strcmp (gpumm_status_name (GPUMM_CANCELLED), "cancelled") == 0, "the status has a name");
  gpumm_close (job);
  CHECK (!run_path (&p, &c), "the next: %s", gpumm_last_error ());
  release (&c);
  release (&shape);
  release (&p.a);
}

int main (int argc, char **argv) {
  need_host_device ();
  check_seed (argc > 1 ? strtoull (argv[1], NULL, 0) : 20261122);
  const int times = argc > 2 ? atoi (argv[2]) : 4;
  const struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};
  sigaction (SIGUSR1, &action, NULL);
  gpumm_watch (&flag);
  test_when ();
  on_all_paths (test_path, times);
  gpumm_watch (NULL);
  return check_done ();
}
