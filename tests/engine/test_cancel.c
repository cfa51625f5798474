/* test_cancel.c - products that are stopped: from another thread, from a signal handler and by a flag of
 * the caller's, at random times, on every path that needs no GPU.
 *
 * Afterwards no memory is missing, and the same product, not stopped, is right. Values are small whole
 * numbers, so that every algorithm gives the same.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "check.h"
#include "host_device.h"
#include "gpumm.h"

#include <pthread.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static double now (void) {
  struct timespec t;
  clock_gettime (CLOCK_MONOTONIC, &t);
  return (double) t.tv_sec + 1e-9 * (double) t.tv_nsec;
}

/* ---- operands ----------------------------------------------------------------------------- */

static gpumm_operand full (int64_t n, gpumm_type type) {
  gpumm_operand x = {.type = type, .rows = n, .cols = n, .ld = n, .place = GPUMM_HOST};
  const int64_t count = n * n * (type == GPUMM_Z ? 2 : 1);
  x.values = check_allocate (n * n, gpumm_type_bytes (type));
  for (int64_t i = 0; i < count; i++)
    if (type == GPUMM_I32)
      ((int32_t *) x.values)[i] = (int32_t) check_between (-9, 9);
    else
      ((double *) x.values)[i] = (double) check_between (-9, 9);
  return x;
}

/* each elements in a column, in rows that lie apart evenly */
static gpumm_operand sparse (int64_t n, int64_t each) {
  gpumm_operand x = {.kind = GPUMM_SPARSE,
                     .type = GPUMM_D,
                     .rows = n,
                     .cols = n,
                     .nzmax = n * each,
                     .place = GPUMM_HOST};
  double *values = x.values = check_allocate (n * each, sizeof *values);
  x.column = check_allocate (n + 1, sizeof *x.column);
  x.row = check_allocate (n * each, sizeof *x.row);
  for (int64_t j = 0; j < n; j++) {
    x.column[j + 1] = (j + 1) * each;
    for (int64_t e = 0; e < each; e++) {
      x.row[j * each + e] = e * (n / each) + check_between (0, n / each - 1);
      values[j * each + e] = (double) check_between (1, 9);
    }
  }
  return x;
}

static gpumm_operand blocks (int64_t n, int64_t size) {
  gpumm_operand x = full (n, GPUMM_D);
  const int64_t rows = n / size;
  x.kind = GPUMM_BLOCKS;
  x.block_rows = x.block_cols = size;
  x.nzmax = rows * rows;
  x.block_start = check_allocate (rows + 1, sizeof *x.block_start);
  x.block_column = check_allocate (rows * rows, sizeof *x.block_column);
  for (int64_t i = 0; i < rows; i++) {
    x.block_start[i + 1] = (i + 1) * rows;
    for (int64_t j = 0; j < rows; j++)
      x.block_column[i * rows + j] = (int32_t) j;
  }
  return x;
}

static void release (gpumm_operand *x) {
  free (x->values);
  free (x->column);
  free (x->row);
  free (x->block_start);
  free (x->block_column);
  *x = (gpumm_operand){0};
}

static void provide (gpumm_operand *c) {
  if (c->kind == GPUMM_DENSE)
    c->values = check_allocate (c->rows * c->cols + 1, gpumm_type_bytes (c->type));
  else if (c->kind == GPUMM_SPARSE) {
    c->values = check_allocate (c->nzmax + 1, gpumm_type_bytes (c->type));
    c->column = check_allocate (c->cols + 1, sizeof *c->column);
    c->row = check_allocate (c->nzmax + 1, sizeof *c->row);
  } else {
    c->values =
        check_allocate (c->nzmax * c->block_rows * c->block_cols + 1, gpumm_type_bytes (c->type));
    c->block_start = check_allocate (c->rows / c->block_rows + 1, sizeof *c->block_start);
    c->block_column = check_allocate (c->nzmax + 1, sizeof *c->block_column);
  }
}

/* ---- products ----------------------------------------------------------------------------- */

typedef struct {
  const char *name, *algorithm;
  gpumm_operand a, b;
  gpumm_op op_a, op_b;
} path;

/* c gets memory where it is OK. */
static gpumm_status multiply (const path *p, gpumm_operand *c) {
  const gpumm_problem problem = {.a = p->a,
                                 .b = p->b,
                                 .op_a = p->op_a,
                                 .op_b = p->op_b,
                                 .alpha = {1, 0},
                                 .output = p->a.type == GPUMM_I32 ? GPUMM_I32 : GPUMM_D};
  const gpumm_options options = {.backend = GPUMM_CPU, .algorithm = p->algorithm, .device = -1};
  gpumm_job *job;
  *c = (gpumm_operand){0};
  gpumm_status status = gpumm_open (&problem, &options, &job);
  if (status)
    return status;
  gpumm_result (job, c);
  provide (c);
  status = gpumm_run (job, c);
  gpumm_close (job);
  if (status)
    release (c);
  return status;
}

static int same (const gpumm_operand *x, const gpumm_operand *y) {
  int64_t elements = x->rows * x->cols;
  if (x->kind == GPUMM_SPARSE) {
    elements = x->column[x->cols];
    if (memcmp (x->column, y->column, (size_t) (x->cols + 1) * sizeof *x->column) != 0
        || memcmp (x->row, y->row, (size_t) elements * sizeof *x->row) != 0)
      return 0;
  } else if (x->kind == GPUMM_BLOCKS)
    elements = x->block_start[x->rows / x->block_rows] * x->block_rows * x->block_cols;
  return memcmp (x->values, y->values, (size_t) elements * gpumm_type_bytes (x->type)) == 0;
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
  gpumm_operand right, c;
  const int64_t live = gpumm_live_allocations ();
  double begun = now (), latest = 0;
  int stopped = 0;
  CHECK (!multiply (p, &right), "%s: %s", p->name, gpumm_last_error ());
  const double whole = now () - begun;
  for (int i = 0; i < times; i++) {
    stopper s = {.way = i % 3, .delay = whole * (check_uniform () + 0.5) * 0.9};
    if (i == times - 1) /* which is never too late */
      s = (stopper){.way = 2};
    pthread_t thread;
    pthread_create (&thread, NULL, stop, &s);
    gpumm_status status = multiply (p, &c);
    const double ended = now ();
    pthread_join (thread, NULL);
    flag = 0;
    if (status == GPUMM_CANCELLED) {
      stopped++;
      latest = ended - s.pressed > latest ? ended - s.pressed : latest;
      CHECK (strstr (gpumm_last_error (), "cancelled"), "%s: it says \"%s\"", p->name,
             gpumm_last_error ());
    } else {
      CHECK (!status && same (&c, &right), "%s: %s", p->name,
             status ? gpumm_last_error () : "not stopped, and wrong");
      if (!status)
        release (&c);
    }
    status = multiply (p, &c);
    CHECK (!status && same (&c, &right), "%s, after it was stopped: %s", p->name,
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

/* Where no job is open nobody is stopped, then or later; a job that is open when it is called is. */
static void test_when (void) {
  path p = {.algorithm = "loops", .a = full (20, GPUMM_D)};
  gpumm_operand c, shape;
  gpumm_job *job;
  p.b = p.a;
  gpumm_cancel ();
  CHECK (!multiply (&p, &c), "%s", gpumm_last_error ());
  release (&c);
  const gpumm_problem problem = {.a = p.a, .b = p.b, .alpha = {1, 0}};
  const gpumm_options options = {.backend = GPUMM_CPU, .algorithm = "loops", .device = -1};
  CHECK (!gpumm_open (&problem, &options, &job), "%s", gpumm_last_error ());
  gpumm_result (job, &shape);
  provide (&shape);
  gpumm_cancel ();
  CHECK (gpumm_run (job, &shape) == GPUMM_CANCELLED, "it ran");
  CHECK (strcmp (gpumm_status_name (GPUMM_CANCELLED), "cancelled") == 0, "the status has a name");
  gpumm_close (job);
  CHECK (!multiply (&p, &c), "the next: %s", gpumm_last_error ());
  release (&c);
  release (&shape);
  release (&p.a);
}

int main (int argc, char **argv) {
  need_host_device ();
  check_seed (argc > 1 ? strtoull (argv[1], NULL, 0) : 20261122);
  const int times = argc > 2 ? atoi (argv[2]) : 6;
  const struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};
  sigaction (SIGUSR1, &action, NULL);
  gpumm_watch (&flag);
  test_when ();
  gpumm_operand a = full (700, GPUMM_D), i = full (500, GPUMM_I32), s = sparse (9000, 25);
  gpumm_operand d = full (220, GPUMM_D), t = sparse (1500, 16), u = sparse (700, 200);
  gpumm_operand x = blocks (640, 8), y = blocks (480, 80), z = blocks (128, 4);
  const path paths[] = {
      {"blas", NULL, a, a, GPUMM_NONE, GPUMM_NONE},
      {"blas, symmetric", NULL, a, a, GPUMM_NONE, GPUMM_TRANSPOSE},
      {"loops", "loops", d, d, GPUMM_TRANSPOSE, GPUMM_NONE},
      {"integers", NULL, i, i, GPUMM_NONE, GPUMM_NONE},
      {"sparse", "sparse", s, s, GPUMM_NONE, GPUMM_NONE},
      {"sparse, transposed", "sparse", s, s, GPUMM_TRANSPOSE, GPUMM_TRANSPOSE},
      {"sparse by full", "sparse", u, a, GPUMM_NONE, GPUMM_NONE},
      {"full by sparse", "sparse", a, u, GPUMM_NONE, GPUMM_NONE},
      {"sparse as dense", "sparse_as_dense", u, u, GPUMM_NONE, GPUMM_NONE},
      {"blocks", "blocks", x, x, GPUMM_NONE, GPUMM_TRANSPOSE},
      {"large blocks", "blocks", y, y, GPUMM_NONE, GPUMM_NONE},
      {"naive", "naive", d, d, GPUMM_NONE, GPUMM_NONE},
      {"tiled", "tiled_16", d, d, GPUMM_NONE, GPUMM_NONE},
      {"strassen", "strassen_register_2", d, d, GPUMM_NONE, GPUMM_NONE},
      {"spgemm", "spgemm", t, t, GPUMM_NONE, GPUMM_NONE},
      {"spmm", "spmm", u, a, GPUMM_NONE, GPUMM_NONE},
      {"bsr", "bsr", z, z, GPUMM_NONE, GPUMM_NONE},
  };
  for (size_t n = 0; n < sizeof paths / sizeof *paths; n++)
    test_path (&paths[n], times);
  gpumm_watch (NULL);
  gpumm_operand *all[] = {&a, &i, &s, &d, &t, &u, &x, &y, &z};
  for (size_t n = 0; n < sizeof all / sizeof *all; n++)
    release (all[n]);
  return check_done ();
}
