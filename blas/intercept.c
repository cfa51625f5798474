/* intercept.c - which calls the drop-in takes, and what it counts.
 *
 * Nothing is opened, measured or started before the first large call, because the library is loaded
 * into every child process. GPUMM_BLAS_SMALLEST=n: calls whose m n k is at least n^3 are looked at;
 * 0: all are taken, without a GPU by the host device, for tests. GPUMM_BLAS_LOG=file: the counts at
 * exit.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "gpumm_tools.h"
#include "blas.h"
#include "plan/too_small.h"
#include "base/types.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

double gpumm_blas_least = (double) GPUMM_LEAST_EDGE * GPUMM_LEAST_EDGE * GPUMM_LEAST_EDGE;
static int takes_all, is_refused;

static void forget_calls (void);

__attribute__ ((constructor)) static void read_environment (void) {
  const char *text = getenv ("GPUMM_BLAS_SMALLEST");
  char *end = NULL;
  const double n = text && *text ? strtod (text, &end) : GPUMM_LEAST_EDGE;
  (void) pthread_atfork (NULL, NULL, forget_calls);
  is_refused = end && (end == text || *end || !(n >= 0));
  if (is_refused)
    return;
  gpumm_blas_least = n * n * n;
  takes_all = n == 0;
}

/* At the first call, because the library is loaded into every child process. */
static void refuse_environment (void) {
  if (is_refused)
    fprintf (
        stderr,
        "gpumm: the environment variable GPUMM_BLAS_SMALLEST is \"%.100s\"; it must be a number "
        "from 0 on\n",
        getenv ("GPUMM_BLAS_SMALLEST"));
  if (gpumm_check_environment ())
    fprintf (stderr, "gpumm: %s\n", gpumm_last_error ());
}

/* ---- counts ------------------------------------------------------------------------------- */

typedef struct {
  _Atomic int64_t calls, ns;
} count;

static count on_gpu[GPUMM_ROUTINES][4], on_cpu[GPUMM_ROUTINES][4];

static void add (count *c, double seconds) {
  atomic_fetch_add_explicit (&c->calls, 1, memory_order_relaxed);
  atomic_fetch_add_explicit (&c->ns, (int64_t) (1e9 * seconds), memory_order_relaxed);
}

void gpumm_blas_passed (gpumm_routine routine, gpumm_type type, double seconds) {
  add (&on_cpu[routine][type], seconds);
}

/* A child writes its own. */
static void forget_calls (void) {
  memset (on_gpu, 0, sizeof on_gpu);
  memset (on_cpu, 0, sizeof on_cpu);
}

double gpumm_blas_seconds (void) {
  struct timespec now;
  clock_gettime (CLOCK_MONOTONIC, &now);
  return (double) now.tv_sec + 1e-9 * (double) now.tv_nsec;
}

int gpumm_blas_calls (int i, char name[16], int64_t *gpu, int64_t *cpu, double *gpu_seconds,
                      double *cpu_seconds) {
  if (i < 0 || i >= 4 * GPUMM_ROUTINES)
    return 0;
  const gpumm_routine routine = (gpumm_routine) (i / 4);
  const gpumm_type type = (gpumm_type) (i % 4);
  snprintf (name, 16, "%c%s", "sdcz"[type], gpumm_routine_name (routine, type));
  *gpu = on_gpu[routine][type].calls;
  *cpu = on_cpu[routine][type].calls;
  *gpu_seconds = 1e-9 * (double) on_gpu[routine][type].ns;
  *cpu_seconds = 1e-9 * (double) on_cpu[routine][type].ns;
  return 1;
}

__attribute__ ((destructor)) static void write_log (void) {
  const char *file = getenv ("GPUMM_BLAS_LOG");
  char name[16];
  int64_t gpu, cpu;
  double gpu_seconds, cpu_seconds;
  FILE *log = NULL;
  for (int i = 0;
       file && *file && gpumm_blas_calls (i, name, &gpu, &cpu, &gpu_seconds, &cpu_seconds); i++)
    if (gpu + cpu == 0)
      continue;
    else if (!log && !(log = fopen (file, "a"))) {
      fprintf (stderr, "gpumm: cannot write %s, the file of GPUMM_BLAS_LOG: %s\n", file,
               strerror (errno));
      break;
    } else
      fprintf (log, "%ld %s %s gpu %lld %.6f cpu %lld %.6f\n", (long) getpid (),
               program_invocation_short_name, name, (long long) gpu, gpu_seconds, (long long) cpu,
               cpu_seconds);
  if (log)
    fclose (log);
}

/* ---- arguments ---------------------------------------------------------------------------- */

void gpumm_blas_by_columns (gpumm_call *x) {
  const gpumm_call before = *x;
  switch (x->routine) {
  case GPUMM_GEMM: /* C.' = op (B).' op (A).' */
    x->trans = before.trans_b, x->trans_b = before.trans;
    x->m = before.n, x->n = before.m;
    x->a = before.b, x->lda = before.ldb;
    x->b = before.a, x->ldb = before.lda;
    break;
  case GPUMM_SYMM:
  case GPUMM_HEMM:
  case GPUMM_TRMM:
  case GPUMM_TRSM:
    x->m = before.n, x->n = before.m;
    x->side = before.side == 'L' ? 'R' : before.side == 'R' ? 'L' : before.side;
    break;
  case GPUMM_HER2K:
    x->alpha.im = -before.alpha.im;
    /* fall through */
  case GPUMM_HERK:
    x->trans = before.trans == 'N' ? 'C' : before.trans == 'C' ? 'N' : '?';
    break;
  default: /* syrk, syr2k; of reals C is T */
    x->trans = before.trans == 'N'                                                 ? 'T'
               : before.trans == 'T' || (before.trans == 'C' && x->type < GPUMM_C) ? 'N'
                                                                                   : '?';
  }
  x->uplo = before.uplo == 'U' ? 'L' : before.uplo == 'L' ? 'U' : before.uplo;
}

/* ---- taking ------------------------------------------------------------------------------- */

/* Each thread of an OpenMP region has a core; the engine's threads would take it away. Found once:
 * a child must not ask the loader (library.c). */
static int (*in_parallel) (void);
static void find_openmp (void) {
  in_parallel = (int (*) (void)) gpumm_blas_symbol ("omp_in_parallel");
}

static int is_in_openmp (void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once (&once, find_openmp);
  return in_parallel && in_parallel ();
}

/* The engine is the process's that used it first: a forked child has the CPU alone. */
static int is_child (void) {
  static _Atomic pid_t owner;
  pid_t none = 0;
  const pid_t here = getpid ();
  return !atomic_compare_exchange_strong (&owner, &none, here) && none != here;
}

static void say_once (void) {
  static atomic_flag said = ATOMIC_FLAG_INIT;
  if (!atomic_flag_test_and_set (&said))
    fprintf (stderr, "gpumm: computed on the CPU, as the GPU could not do it (%s)\n",
             gpumm_last_error ());
}

static gpumm_status run (const gpumm_call *x) {
  static _Atomic int asked, has_gpu;
  if (!asked) {
    has_gpu = gpumm_device_count (NULL) > 0;
    asked = 1;
  }
  if (!has_gpu && !takes_all)
    return GPUMM_UNSUPPORTED;
  return gpumm_run_call (x, !takes_all ? GPUMM_AUTO : has_gpu ? GPUMM_GPU : GPUMM_CPU);
}

/* The engine's threads, and the BLAS below that it calls, are as this library needs them. */
static int may_take (void) {
  return !is_in_openmp () && gpumm_blas_bits () == 8 * (int) sizeof (integer);
}

static int run_in_owner (const gpumm_call *x) {
  static _Thread_local int is_inside; /* the CPU's LAPACK calls level 3 of BLAS */
  if (is_inside || is_child () || !may_take ())
    return 0;
  is_inside = 1;
  const gpumm_status status = run (x);
  is_inside = 0;
  if (status != GPUMM_OK && status != GPUMM_UNSUPPORTED && status != GPUMM_CANCELLED
      && status != GPUMM_INVALID)
    say_once ();
  return status == GPUMM_OK;
}

int gpumm_blas_take (const gpumm_call *x) {
  const double begun = gpumm_blas_seconds ();
  gpumm_operand operands[GPUMM_OPERANDS];
  if (gpumm_call_operands (x, operands) || !run_in_owner (x))
    return 0;
  add (&on_gpu[x->routine][x->type], gpumm_blas_seconds () - begun);
  return 1;
}
int gpumm_blas_take_pivots (gpumm_call *x, integer *pivots, int64_t count, int writes) {
  if (sizeof *pivots == sizeof *x->pivots) {
    x->pivots = (int32_t *) pivots;
    return gpumm_blas_take (x);
  }
  int32_t *narrow = count > 0 ? malloc ((size_t) count * sizeof *narrow) : NULL;
  if (!narrow)
    return 0;
  for (int64_t i = 0; i < count && !writes; i++)
    narrow[i] = (int32_t) pivots[i];
  x->pivots = narrow;
  const int taken = gpumm_blas_take (x);
  for (int64_t i = 0; i < count && writes && taken; i++)
    pivots[i] = narrow[i];
  free (narrow);
  return taken;
}

int gpumm_blas_estimate (const gpumm_call *x, char norm, double anorm, void *rcond) {
  const double begun = gpumm_blas_seconds ();
  double found = 0;
  if (!may_take () || gpumm_estimate_condition (x, norm, anorm, &found) != GPUMM_OK)
    return 0;
  if (gpumm_is_single (x->type))
    *(float *) rcond = (float) found;
  else
    *(double *) rcond = found;
  gpumm_blas_passed (x->routine, x->type, gpumm_blas_seconds () - begun);
  return 1;
}

void *gpumm_blas_find (const char *name) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once (&once, refuse_environment);
  void *symbol = gpumm_blas_symbol (name);
  if (!symbol) {
    fprintf (stderr, "gpumm: no BLAS on this machine has %s; GPUMM_BLAS=file names another\n",
             name);
    abort ();
  }
  return symbol;
}
