/* test_paths.c - products on every path that needs no GPU: what is told of their progress, products
 * that are stopped, and products in several threads at once.
 *
 *   test_paths [RUNNER [SEED [TIMES]]]
 *
 * progress   parts that grow, and an end; nothing where it is switched off or nobody listens
 * cancel     stopped at random times: from another thread, from a signal handler, by a flag
 * at_once    products in three threads, while a fourth asks for devices and resets
 *
 * TIMES: of each stop, and of each thread's product (1).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "host_device.h"
#include "operands.h"
#include "base/progress.h"
#include "base/threads.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

static int rounds = 1;

/* ---- paths -------------------------------------------------------------------------------- */

/* What is told of a product: nothing perhaps, as its part is not known; all of it, in few steps or
 * many; two phases, as the elements of C are counted before they are made. */
typedef enum { MAY_TELL, FEW_STEPS, TELLS, COUNTS } telling;

typedef struct {
  const char *name, *algorithm;
  gpumm_matrix a, b;
  telling tells;
} path;

typedef void runner (const path *p);

/* c gets memory where it is OK. */
static gpumm_status run_path (const path *p, gpumm_matrix *c) {
  const gpumm_problem problem = {.a = p->a, .b = p->b, .alpha = {1, 0}, .output = p->a.type};
  const gpumm_options options = {.backend = GPUMM_CPU, .algorithm = p->algorithm, .device = -1};
  return multiply (&problem, &options, 0, c, NULL);
}

/* The status alone. */
static gpumm_status run (const path *p) {
  gpumm_matrix c;
  const gpumm_status status = run_path (p, &c);
  release (&c);
  return status;
}

/* A product that is not stopped gives this. */
static void check_right (const path *p, const gpumm_matrix *right, const char *when) {
  gpumm_matrix c;
  const gpumm_status status = run_path (p, &c);
  CHECK (!status && is_same (&c, right), "%s, %s: %s", p->name, when,
         status ? gpumm_last_error () : "wrong");
  release (&c);
}

static gpumm_matrix turned (gpumm_matrix x) {
  x.op = GPUMM_TRANSPOSE;
  return x;
}

/* AddressSanitizer makes products take five times as long: half the size is enough to be stopped
 * in. */
#ifdef __SANITIZE_ADDRESS__
enum { PART = 2 };
#else
enum { PART = 1 };
#endif

static gpumm_matrix square (int64_t n, gpumm_type type) {
  return make_full (type, n / PART, n / PART, WHOLE);
}

static gpumm_matrix sparse (int64_t n, int percent) {
  return make_in_blocks (GPUMM_SPARSE, GPUMM_D, n / PART, n / PART, 1, 1, percent, WHOLE);
}

static gpumm_matrix blocks (int64_t n, int64_t size) {
  return make_in_blocks (GPUMM_BLOCKS, GPUMM_D, n / PART, n / PART, size, size, 100, WHOLE);
}

static void on_all_paths (runner *body) {
  gpumm_matrix a = square (700, GPUMM_D), d = square (220, GPUMM_D), i = square (500, GPUMM_I32);
  gpumm_matrix w = make_full (GPUMM_D, 700 / PART, 250 / PART, WHOLE);
  gpumm_matrix s = sparse (3600, 1), t = sparse (900, 2), u = sparse (700, 29);
  gpumm_matrix x = blocks (80, 8), y = blocks (6, 80), z = blocks (24, 4);
  const path paths[] = {
      {"blas", NULL, a, a, TELLS},
      {"blas, symmetric", NULL, a, turned (a), TELLS},
      {"loops", "loops", turned (d), d, TELLS},
      {"integers", NULL, i, i, TELLS},
      {"sparse", "sparse", s, s, COUNTS},
      {"sparse, transposed", "sparse", turned (s), turned (s), COUNTS},
      {"sparse by full", "sparse", u, a, TELLS},
      {"full by sparse", "sparse", a, u, TELLS},
      {"sparse as full", "sparse_as_full", u, u, TELLS},
      {"blocks", "blocks", x, turned (x), TELLS},
      {"large blocks", "blocks", y, y, FEW_STEPS},
      {"naive", "naive", d, d, TELLS},
      {"tiled", "tiled_16", d, d, TELLS},
      {"strassen", "strassen_register_2", d, d, TELLS},
      {"spgemm", "spgemm", t, t, COUNTS},
      {"spmm", "spmm", u, w, MAY_TELL},
      {"bsr", "bsr", z, z, MAY_TELL},
  };
  for (size_t n = 0; n < sizeof paths / sizeof *paths; n++)
    body (&paths[n]);
  gpumm_matrix *all[] = {&a, &d, &i, &w, &s, &t, &u, &x, &y, &z};
  for (size_t n = 0; n < sizeof all / sizeof *all; n++)
    release (all[n]);
}

/* ---- progress ----------------------------------------------------------------------------- */

enum { MOST = 1 << 16 };

static struct {
  int words, ends, cancels;
  double part[MOST], left;
  int speaking, at_once; /* calls under way, and whether there were two */
  int stands;            /* words that no end has followed */
} heard;

static void listen (double part, double left) {
  if (__atomic_add_fetch (&heard.speaking, 1, __ATOMIC_SEQ_CST) > 1)
    heard.at_once = 1;
  heard.stands = part >= 0;
  if (part < 0)
    heard.ends++;
  else if (heard.words < MOST)
    heard.part[heard.words++] = part;
  heard.left = left;
  if (heard.cancels)
    gpumm_cancel ();
  __atomic_sub_fetch (&heard.speaking, 1, __ATOMIC_SEQ_CST);
}

static void forget (void) {
  memset (&heard, 0, sizeof heard);
}

static void check_words (const char *name) {
  int rises = 1;
  for (int i = 0; i < heard.words; i++)
    rises &=
        heard.part[i] > 0 && heard.part[i] <= 1 && (i == 0 || heard.part[i] >= heard.part[i - 1]);
  CHECK (rises, "%s: parts do not rise from 0 to 1", name);
  CHECK (!heard.at_once, "%s: two threads spoke at once", name);
  /* one for the phase that counts, one for the rest */
  CHECK (!heard.stands && heard.ends >= (heard.words > 0) && heard.ends <= 2,
         "%s: %d words and %d ends", name, heard.words, heard.ends);
  CHECK (heard.left >= 0, "%s: %g s left", name, heard.left);
}

/* The whole is told, and not more. The last thousandth of each thread's may be missing, and its
 * last step if another thread spoke in that moment: of "large blocks", which has six rows of
 * blocks, two steps are a third, and with more cores nearly all may be missing. */
static void tell (const path *p) {
  forget ();
  CHECK (!run (p), "%s: %s", p->name, gpumm_last_error ());
  check_words (p->name);
  const double last = heard.words > 0 ? heard.part[heard.words - 1] : 0;
  const double least = p->tells == FEW_STEPS && gpumm_threads () > 2 ? 0 : 0.6;
  CHECK (p->tells == MAY_TELL || last > least, "%s: %d words, the last %.3f", p->name, heard.words,
         last);
  CHECK (p->tells != COUNTS || (heard.part[0] < 0.2 && heard.ends == 2),
         "%s: %d ends, the first part is %.3f", p->name, heard.ends, heard.part[0]);
  printf ("%s: %d words, from %.3f to %.3f\n", p->name, heard.words, heard.part[0], last);

  /* The first word stops it: no thread begins another step, and the end comes nevertheless. Several
   * devices have up to three threads for a core. */
  forget ();
  heard.cancels = 1;
  const gpumm_status status = run (p);
  CHECK (status == (heard.part[0] > 0 ? GPUMM_CANCELLED : GPUMM_OK) || heard.part[0] > 0.99,
         "%s: %s", p->name, gpumm_status_name (status));
  check_words (p->name);
  CHECK (heard.words <= 1 + 3 * gpumm_threads (), "%s: %d words after the first stopped it",
         p->name, heard.words - 1);
}

static void test_silence (const path *p) {
  forget ();
  CHECK (gpumm_tells (-1) == 1 && gpumm_tells (0) == 1 && gpumm_tells (-1) == 0, "the switch");
  CHECK (!run (p) && heard.words + heard.ends == 0, "switched off: %d words", heard.words);
  CHECK (gpumm_tells (1) == 0, "the switch");
  gpumm_tell (NULL);
  CHECK (!run (p) && heard.words + heard.ends == 0, "nobody listens: %d words", heard.words);
  gpumm_tell (listen);
  gpumm_progress_set_delay (60);
  CHECK (!run (p) && heard.words + heard.ends == 0, "too early: %d words", heard.words);
  gpumm_progress_set_delay (0); /* every step is told */
  CHECK (!run (p) && heard.words > 0 && heard.ends == 1, "%d words, %d ends", heard.words,
         heard.ends);
}

/* Work of the caller's: its own words, none of the products within. */
static void test_work (const path *p) {
  forget ();
  gpumm_tell_work (0, 4);
  for (int i = 0; i < 4; i++) {
    const int words = heard.words;
    CHECK (!run (p) && heard.words == words && heard.ends == 0, "a product within work spoke");
    gpumm_tell_work (i + 1, 4);
  }
  CHECK (heard.words == 4 && heard.part[0] == 0.25 && heard.part[3] == 1 && heard.left < 1e-9,
         "%d words of work", heard.words);
  for (int again = 0; again < 2; again++) {
    gpumm_tell_work (0, 0);
    CHECK (heard.ends == 1, "%d ends of work", heard.ends);
  }
  CHECK (!run (p) && heard.words > 4 && heard.ends == 2, "a product after work is silent");
}

static void test_progress (void) {
  path p = {.algorithm = "loops", .a = square (200 * PART, GPUMM_D)};
  p.b = p.a;
  gpumm_progress_set_delay (0); /* every step is told */
  gpumm_tell (listen);
  on_all_paths (tell);
  test_silence (&p);
  test_work (&p);
  gpumm_tell (NULL);
  release (&p.a);
}

/* ---- stopped ------------------------------------------------------------------------------ */

static volatile sig_atomic_t flag;

static void handler (int number) {
  (void) number;
  gpumm_cancel ();
}

static double now (void) {
  struct timespec t;
  clock_gettime (CLOCK_MONOTONIC, &t);
  return (double) t.tv_sec + 1e-9 * (double) t.tv_nsec;
}

typedef struct {
  enum { CALL, SIGNAL, FLAG, WAYS } way;
  double delay;
} stopper;

static void *stop (void *argument) {
  const stopper *s = argument;
  usleep ((useconds_t) (1e6 * s->delay));
  if (s->way == CALL)
    gpumm_cancel ();
  else if (s->way == SIGNAL)
    kill (getpid (), SIGUSR1);
  else
    __atomic_store_n (&flag, 1, __ATOMIC_RELAXED);
  return NULL;
}

/* In each way at a random time, and before it begins. tests/interrupts prints how soon it stops. */
static void cancel (const path *p) {
  gpumm_matrix right, c;
  const int64_t live = gpumm_live_allocations ();
  const double begun = now ();
  CHECK (!run_path (p, &right), "%s: %s", p->name, gpumm_last_error ());
  const double whole = now () - begun;
  int stopped = 0;
  flag = 1;
  CHECK (run (p) == GPUMM_CANCELLED, "%s began, though it was stopped before", p->name);
  flag = 0;
  for (int i = 0; i < WAYS * rounds; i++) {
    stopper s = {.way = i % WAYS, .delay = whole * (check_uniform () + 0.5) * 0.9};
    pthread_t thread;
    pthread_create (&thread, NULL, stop, &s);
    const gpumm_status status = run_path (p, &c);
    pthread_join (thread, NULL);
    flag = 0;
    stopped += status == GPUMM_CANCELLED;
    if (status == GPUMM_CANCELLED)
      CHECK (strstr (gpumm_last_error (), "cancelled"), "%s: it says \"%s\"", p->name,
             gpumm_last_error ());
    else
      CHECK (!status && is_same (&c, &right), "%s: %s", p->name,
             status ? gpumm_last_error () : "not stopped, and wrong");
    release (&c);
  }
  check_right (p, &right, "after it was stopped");
  release (&right);
  gpumm_reset ();
  CHECK (gpumm_live_allocations () == live, "%s: %lld allocations leaked", p->name,
         (long long) (gpumm_live_allocations () - live));
  printf ("%s: %d of %d stopped\n", p->name, stopped, WAYS * rounds);
}

/* Where no job is open nobody is stopped, then or later; a job that is open when it is called
 * is. */
static void test_when (void) {
  path p = {.algorithm = "loops", .a = square (20, GPUMM_D)};
  gpumm_matrix shape;
  gpumm_job *job;
  p.b = p.a;
  gpumm_cancel ();
  OK (run (&p));
  const gpumm_problem problem = {.a = p.a, .b = p.b, .alpha = {1, 0}};
  const gpumm_options options = {.backend = GPUMM_CPU, .algorithm = "loops", .device = -1};
  OK (gpumm_open (&problem, &options, &job));
  gpumm_result (job, &shape);
  provide (&shape, 0);
  gpumm_cancel ();
  CHECK (gpumm_run (job, &shape) == GPUMM_CANCELLED, "it ran");
  CHECK (strcmp (gpumm_status_name (GPUMM_CANCELLED), "cancelled") == 0, "the status has a name");
  gpumm_close (job);
  CHECK (!run (&p), "the next: %s", gpumm_last_error ());
  release (&shape);
  release (&p.a);
}

static void test_cancel (void) {
  const struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};
  sigaction (SIGUSR1, &action, NULL);
  gpumm_watch (&flag);
  test_when ();
  on_all_paths (cancel);
  gpumm_watch (NULL);
}

/* ---- several at once, mainly for ThreadSanitizer ------------------------------------------ */

enum { THREADS = 3 };

/* One product, repeated by a thread. */
typedef struct {
  const path *p;
  const gpumm_matrix *right;
  char failed[256]; /* "" where all results were right */
} task;

static void *multiply_often (void *argument) {
  task *t = argument;
  for (int i = 0; i < rounds && !t->failed[0]; i++) {
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
    gpumm_device_count (&why);
    for (int i = 0; !gpumm_kernel_at (i, &kernel); i++)
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
static void multiply_at_once (const path *p) {
  static const path *last;
  release (&before);
  before = right;
  CHECK (!run_path (p, &right), "%s: %s", p->name, gpumm_last_error ());
  task tasks[THREADS];
  pthread_t threads[THREADS], asking;
  atomic_store (&done, 0);
  for (int t = 0; t < THREADS; t++)
    tasks[t] =
        t == 0 && last ? (task){.p = last, .right = &before} : (task){.p = p, .right = &right};
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

static void listen_for_wrong (double part, double left) {
  if (part > 1 || left < 0)
    heard.at_once = 1;
}

static void test_at_once (void) {
  gpumm_matrix a = square (200 * PART, GPUMM_D);
  gpumm_progress_set_delay (0); /* every step is told */
  gpumm_tell (listen_for_wrong);
  on_all_paths (multiply_at_once);
  CHECK (!heard.at_once, "a part above 1, or less than 0 s left");
  gpumm_tell (listen);
  OK (run (&(path){.algorithm = "loops", .a = a, .b = a}));
  check_words ("after threads");
  CHECK (heard.words > 0, "silent after products in threads");
  gpumm_tell (NULL);
  release (&a);
  release (&right);
  release (&before);
}

int main (int argc, char **argv) {
  static const struct {
    const char *name;
    void (*run) (void);
  } runners[] = {{"progress", test_progress}, {"cancel", test_cancel}, {"at_once", test_at_once}};
  need_host_device ();
  check_seed (argc > 2 ? strtoull (argv[2], NULL, 0) : 20261122);
  rounds = argc > 3 ? atoi (argv[3]) : 1;
  for (size_t i = 0; i < sizeof runners / sizeof *runners; i++)
    if (argc < 2 || strcmp (argv[1], runners[i].name) == 0)
      runners[i].run ();
  return released_and_done ();
}
