/* test_routines.c - each routine of the drop-in against the BLAS below, every call taken: what the
 * one below leaves as it is must stay bit for bit (gaps between columns, the other triangle,
 * operands), and what it changes must agree. What must not be read is NaN. Then arguments that are
 * not valid, 16 threads at once, and forked children. gecon and pocon have tests of their own.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "elements.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LARGEST = 60 };
#include "calls.h"

static double uniform (unsigned *seed) {
  return rand_r (seed) / (double) RAND_MAX - 0.5;
}

static int chosen (unsigned *seed, int from, int to) {
  return from + rand_r (seed) % (to - from + 1);
}

/* rows x cols random numbers in an array that is NaN elsewhere; triangle 'U' or 'L': there alone.
 * The diagonal is `more` larger. */
static void fill (void *array, gpumm_type type, int rows, int cols, int ld, char triangle,
                  double more, unsigned *seed) {
  const int p = parts (type);
  for (int i = 0; i < CELLS; i++)
    hide (array, type, i);
  for (int j = 0; j < cols; j++)
    for (int i = 0; i < rows; i++)
      for (int l = 0; l < p; l++)
        if ((triangle != 'U' || i <= j) && (triangle != 'L' || i >= j))
          put (array, type, p * ((int64_t) i + (int64_t) j * ld) + l,
               i != j                        ? uniform (seed) / (more > 0 ? rows : 1)
               : l == 0                      ? more + uniform (seed)
               : more > 0 && triangle != 'A' ? 0
                                             : uniform (seed));
}

/* What a routine needs of another one, by the BLAS below. */
static void prepare (test_case *t, gpumm_routine which) {
  test_case *u = malloc (sizeof *u);
  *u = *t;
  u->x.routine = which;
  u->m =
      which == GPUMM_GEQRF ? (t->x.routine == GPUMM_ORMQR && t->x.side == 'R' ? t->n : t->m) : t->n;
  if (which == GPUMM_GEQRF)
    u->n = t->k;
  call (find (THEIRS, which, t->x.type), u);
  memcpy (t->a, u->a, sizeof t->a);
  memcpy (t->tau, u->tau, sizeof t->tau);
  memcpy (t->pivots, u->pivots, sizeof t->pivots);
  free (u);
}

static void make (test_case *t, gpumm_routine which, gpumm_type type, unsigned *seed) {
  static const char of_real[] = "NTC", of_herk[] = "NC", of_syrk[] = "NT";
  const int complex = parts (type) == 2, square = which >= GPUMM_GETRS && which <= GPUMM_POTRS;
  gpumm_call *x = &t->x;
  memset (t, 0, sizeof *t);
  x->routine = which;
  x->type = type;
  x->side = "LR"[chosen (seed, 0, 1)];
  x->uplo = "UL"[chosen (seed, 0, 1)];
  x->diag = "NU"[chosen (seed, 0, 1)];
  x->trans = of_real[chosen (seed, 0, 2)];
  x->trans_b = of_real[chosen (seed, 0, 2)];
  if (which == GPUMM_HERK || which == GPUMM_HER2K || (which == GPUMM_ORMQR && complex))
    x->trans = of_herk[chosen (seed, 0, 1)];
  else if (which == GPUMM_ORMQR || (complex && which != GPUMM_GEMM && which < GPUMM_TRMM))
    x->trans = of_syrk[chosen (seed, 0, 1)];
  int m = chosen (seed, 1, LARGEST), n = chosen (seed, 1, LARGEST), k = chosen (seed, 1, LARGEST);
  if (which == GPUMM_ORGQR) /* m >= n >= k */
    n = chosen (seed, 1, m), k = chosen (seed, 1, n);
  if (which == GPUMM_ORMQR)
    k = chosen (seed, 1, x->side == 'L' ? m : n);
  if (square)
    m = n;
  t->m = m, t->n = n, t->k = k, t->lwork = 64 * LARGEST;
  const int order = x->side == 'L' ? m : n, gap = chosen (seed, 0, 7);
  int rows = m, cols = n, rows_b = m, cols_b = n, rows_c = m, cols_c = n;
  char triangle = 'A', triangle_c = 'A';
  double more = 0;
  if (which == GPUMM_GEMM) {
    rows = x->trans == 'N' ? m : k, cols = x->trans == 'N' ? k : m;
    rows_b = x->trans_b == 'N' ? k : n, cols_b = x->trans_b == 'N' ? n : k;
  } else if (which <= GPUMM_HEMM || which == GPUMM_TRMM || which == GPUMM_TRSM)
    rows = cols = order, triangle = x->uplo, more = which == GPUMM_TRSM ? 4 : 0;
  else if (which < GPUMM_TRMM) {
    rows = rows_b = x->trans == 'N' ? n : k, cols = cols_b = x->trans == 'N' ? k : n;
    rows_c = cols_c = n, triangle_c = x->uplo;
  } else if (square)
    rows = n, rows_b = n, cols_b = k, more = LARGEST,
    triangle = which >= GPUMM_POTRF ? x->uplo : 'A';
  else if (which == GPUMM_ORMQR)
    rows = order, cols = k;
  t->lda = rows + gap, t->ldb = rows_b + gap, t->ldc = rows_c + gap;
  fill (t->a, type, rows, cols, t->lda, triangle, more, seed);
  fill (t->b, type, rows_b, cols_b, t->ldb, 'A', 0, seed);
  fill (t->c, type, rows_c, cols_c, t->ldc, triangle_c, 0, seed);
  const int is_real_scalar = which == GPUMM_HERK;
  for (int i = 0; i < 2; i++) {
    put (t->alpha, type, i, is_real_scalar && i ? 0 : 0.75 - i);
    put (t->beta, type, i, (is_real_scalar || which == GPUMM_HER2K) && i ? 0 : 0.5 + i);
  }
  if (chosen (seed, 0, 2) == 0) { /* then C is not read */
    memset (t->beta, 0, sizeof t->beta);
    for (int i = 0; i < CELLS && which <= GPUMM_HER2K; i++)
      hide (t->c, type, i);
  }
  if (which == GPUMM_GEMM && chosen (seed, 0, 4) == 0)
    put (t->a, type, 0, chosen (seed, 0, 1) ? NAN : INFINITY);
  if (which == GPUMM_GETRS || which == GPUMM_GETRI)
    prepare (t, GPUMM_GETRF);
  if (which == GPUMM_POTRS)
    prepare (t, GPUMM_POTRF);
  if (which == GPUMM_ORGQR || which == GPUMM_ORMQR)
    prepare (t, GPUMM_GEQRF);
}

/* Has `ours` left what `theirs` left, and is it close to what `theirs` changed? */
static int agrees (const void *ours, const void *theirs, const void *before, gpumm_type type,
                   int count) {
  const double bound = epsilon (type) * 200 * LARGEST;
  const size_t bytes = is_single (type) ? 4 : 8;
  for (int i = 0; i < count; i++) {
    const size_t at = (size_t) i * bytes;
    const double x = get (ours, type, i), y = get (theirs, type, i);
    if (memcmp ((const char *) theirs + at, (const char *) before + at, bytes) == 0) {
      if (memcmp ((const char *) ours + at, (const char *) before + at, bytes) != 0)
        return 0;
    } else if (isfinite (y) ? !(fabs (x - y) <= bound * (1 + fabs (y))) : isfinite (x))
      return 0;
  }
  return 1;
}

/* 1: as the BLAS below. */
static int run_case (gpumm_routine which, gpumm_type type, unsigned *seed) {
  test_case *before = malloc (3 * sizeof *before), *ours = before + 1, *theirs = before + 2;
  make (before, which, type, seed);
  *ours = *theirs = *before;
  call (find (OURS, which, type), ours);
  call (find (THEIRS, which, type), theirs);
  int good = ours->info == theirs->info && agrees (ours->a, theirs->a, before->a, type, CELLS)
             && agrees (ours->b, theirs->b, before->b, type, CELLS)
             && agrees (ours->c, theirs->c, before->c, type, CELLS)
             && agrees (ours->tau, theirs->tau, before->tau, type, 2 * LARGEST);
  for (int i = 0; i < LARGEST; i++)
    good = good && ours->pivots[i] == theirs->pivots[i];
  free (before);
  return good;
}

/* ---- invalid arguments and empty sizes ------------------------------------------------------ */

static void test_arguments (void) {
  test_case *t = malloc (sizeof *t);
  unsigned seed = 1;
  make (t, GPUMM_GEMM, GPUMM_D, &seed);
  t->lda = 0;
  call (find (OURS, GPUMM_GEMM, GPUMM_D), t);
  CHECK (said_info == 8 && strncmp (said_name, "DGEMM", 5) == 0, "%s %d", said_name,
         (int) said_info);
  make (t, GPUMM_TRSM, GPUMM_Z, &seed);
  t->x.diag = '?';
  call (find (OURS, GPUMM_TRSM, GPUMM_Z), t);
  CHECK (said_info == 4 && strncmp (said_name, "ZTRSM", 5) == 0, "%s %d", said_name,
         (int) said_info);
  said_info = 0;
  make (t, GPUMM_GEMM, GPUMM_D, &seed);
  const double c = t->c[0];
  t->n = 0;
  call (find (OURS, GPUMM_GEMM, GPUMM_D), t);
  CHECK (said_info == 0 && memcmp (&c, t->c, sizeof c) == 0, "n = 0");
  make (t, GPUMM_POTRF, GPUMM_D, &seed);
  t->a[0] = -1; /* not positive definite */
  call (find (OURS, GPUMM_POTRF, GPUMM_D), t);
  CHECK (t->info == 1, "info %d", (int) t->info);
  make (t, GPUMM_GETRF, GPUMM_C, &seed);
  memset (t->a, 0, sizeof t->a); /* singular */
  call (find (OURS, GPUMM_GETRF, GPUMM_C), t);
  CHECK (t->info == 1, "info %d", (int) t->info);
  free (t);
}

/* ---- at once, and forked -------------------------------------------------------------------- */

static _Atomic int wrong;

static void *work (void *number) {
  unsigned seed = (unsigned) (size_t) number;
  for (int i = 0; i < 4; i++)
    for (int r = 0; r < GPUMM_GECON; r++)
      if (!run_case ((gpumm_routine) r, GPUMM_Z, &seed))
        wrong++;
  return NULL;
}

static void test_threads (void) {
  enum { THREADS = 16 };
  pthread_t threads[THREADS];
  for (size_t i = 0; i < THREADS; i++)
    CHECK (pthread_create (&threads[i], NULL, work, (void *) (i + 100)) == 0, "no thread");
  for (size_t i = 0; i < THREADS; i++)
    pthread_join (threads[i], NULL);
  CHECK (wrong == 0, "%d cases", (int) wrong);
}

/* Calls of the device fail: the CPU computes, and it is said once. */
static void test_failures (void) {
  unsigned seed = 11;
  int good = 0, lines = 0;
  FILE *said = tmpfile ();
  const int before = dup (STDERR_FILENO);
  CHECK (said && before >= 0 && dup2 (fileno (said), STDERR_FILENO) >= 0, "no file");
  for (int n = 1; n <= 20; n++)
    for (int r = 0; r < 2; r++) {
      gpumm_fault_device (n);
      good += run_case (r ? GPUMM_TRSM : GPUMM_GEMM, GPUMM_D, &seed);
      gpumm_fault_device (0);
    }
  dup2 (before, STDERR_FILENO);
  close (before);
  rewind (said);
  for (int c = fgetc (said); c != EOF; c = fgetc (said))
    lines += c == '\n';
  fclose (said);
  CHECK (good == 40, "%d of 40", good);
  CHECK (gpumm_device_count (NULL) > 0 || lines == 1, "%d lines were said", lines);
}

/* Runs a case in a child, which has no threads but its own. is_taken: the engine is the child's. */
static void test_child (int is_taken) {
  const pid_t child = fork ();
  if (child == 0) {
    unsigned seed = 7;
    alarm (60);
    const int64_t before = count_calls (GPUMM_GEMM, GPUMM_D, 1);
    const int good = run_case (GPUMM_GEMM, GPUMM_D, &seed);
    _exit (good && count_calls (GPUMM_GEMM, GPUMM_D, 1) == before + is_taken ? 0 : 1);
  }
  int status = -1;
  CHECK (child > 0 && waitpid (child, &status, 0) == child && status == 0, "status %d", status);
}

/* test_routines [ROUTINE]: one of them alone, as getri. */
int main (int count, char **words) {
  enum { CASES = 60 };
  unsigned seed = 20261123;
  if (begin_blas ())
    return 77;
  test_child (1); /* before the first call of this process */
  for (int type = GPUMM_S; type <= GPUMM_Z; type++)
    for (int r = 0; r < GPUMM_GECON; r++) {
      if ((r == GPUMM_HEMM || r == GPUMM_HERK || r == GPUMM_HER2K) && parts (type) == 1)
        continue;
      const char *name = gpumm_routine_name ((gpumm_routine) r, (gpumm_type) type);
      if (count > 1 && strcmp (name, words[1]) != 0)
        continue;
      int good = 0;
      const int64_t before = count_calls ((gpumm_routine) r, (gpumm_type) type, 1);
      for (int i = 0; i < CASES; i++)
        good += run_case ((gpumm_routine) r, (gpumm_type) type, &seed);
      CHECK (good == CASES, "%c%s: %d of %d", "sdcz"[type], name, good, CASES);
      CHECK (count_calls ((gpumm_routine) r, (gpumm_type) type, 1) == before + CASES,
             "%c%s: %d were taken", "sdcz"[type], name,
             (int) (count_calls ((gpumm_routine) r, (gpumm_type) type, 1) - before));
    }
  if (count > 1)
    return check_done ();
  test_arguments ();
  test_failures ();
  test_threads ();
  test_child (0);
  return check_done ();
}
