/* test_condition.c - gecon and pocon of the drop-in, every call taken, against the LAPACK below:
 * what the engine estimates agrees with it but for rounding, and bit for bit where numbers are
 * close to overflow, not finite or not valid, which is LAPACK's. Then against norms of inverses,
 * threads at once, and a forked child. What must not be read is NaN, and what must not be written
 * is compared.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "gpumm_tools.h"
#include "matrices.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

enum { GAP = 3, GUARD = 8 };

/* A matrix's factors, and a call with them. */
typedef struct {
  gpumm_routine which;
  gpumm_type type;
  char letter; /* norm of gecon, uplo of pocon */
  integer n, lda, info;
  double anorm, true_rcond; /* of the inverse that getri or potri computes; 0: not asked for */
  array a;
} test_case;

static int64_t bytes_of (const test_case *t) {
  return at (&t->a, 0, (int) t->a.cols) * (is_single (t->type) ? 4 : 8);
}

static double complex element (const array *a, int64_t i, int64_t j) {
  const int64_t real = at (a, (int) i, (int) j);
  return CMPLX (get (a->values, a->type, real),
                parts (a->type) == 2 ? get (a->values, a->type, real + 1) : 0);
}

/* Norm 1, or norm I; of pocon's matrix the hidden triangle is that of its transpose. */
static double norm_of (const test_case *t) {
  double most = 0;
  for (int j = 0; j < t->n; j++) {
    double sum = 0;
    for (int i = 0; i < t->n; i++) {
      const int is_turned = !is_read (&t->a, i, j) || t->letter == 'I';
      sum += cabs (is_turned ? element (&t->a, j, i) : element (&t->a, i, j));
    }
    most = sum > most || isnan (sum) ? sum : most;
  }
  return most;
}

/* ---- matrices ----------------------------------------------------------------------------- */

enum { RANDOM, FALLING, NEARLY_SINGULAR, HILBERT, TRIANGULAR, SMALL, LARGE, ALL_KINDS };
static const char *const kind_names[] = {
    "random", "graded", "nearly singular", "Hilbert", "triangular", "small", "large"};

static double entry (int kind, int64_t i, int64_t j, int64_t n, gpumm_type type) {
  const double x = check_uniform (), scale = is_single (type) ? 1e12 : 1e100;
  switch (kind) {
  case FALLING:
    return x * pow (10, -4.0 * (double) j / (double) n);
  case NEARLY_SINGULAR:
    return j == n / 2 ? 1e3 * epsilon (type) * x : x;
  case HILBERT:
    return 1 / (double) (i + j + 1);
  case TRIANGULAR:
    return i > j ? 0 : x + (i == j ? 4 : 0);
  case SMALL:
    return x / scale;
  case LARGE:
    return x * scale;
  default:
    return x;
  }
}

/* A = B for gecon, B' B + I for pocon, with gaps; what is not A is hidden. */
static void fill_factors (test_case *t, int kind) {
  const int n = (int) t->n, is_complex = parts (t->type) == 2;
  double complex *b = check_allocate ((int64_t) n * n, sizeof *b);
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++) {
      const double re = entry (kind, i, j, n, t->type);
      b[i + j * n] = is_complex ? CMPLX (re, entry (kind, i, j, n, t->type)) : re;
    }
  for (int64_t e = 0; e < at (&t->a, 0, n); e++)
    hide (t->a.values, t->type, e);
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++) {
      double complex sum = t->which == GPUMM_POCON ? i == j : b[i + j * n];
      for (int l = 0; l < n && t->which == GPUMM_POCON; l++)
        sum += conj (b[l + i * n]) * b[l + j * n];
      if (is_read (&t->a, i, j))
        set (&t->a, i, j, sum);
    }
  free (b);
}

/* Makes the factors by the LAPACK below, and perhaps the true condition number. */
static void make (test_case *t, gpumm_routine which, gpumm_type type, char letter, int64_t n,
                  int kind, int is_true) {
  *t = (test_case){
      .which = which, .type = type, .letter = letter, .n = (integer) n, .lda = (integer) (n + GAP)};
  t->a = (array){NULL, type, (int) n, (int) n, (int) n + GAP, 0, 'A'};
  if (which == GPUMM_POCON)
    t->a.part = letter;
  const integer length = (integer) (64 * n + 64);
  integer *pivots = check_allocate (n, sizeof *pivots), info = 0;
  void *work = check_allocate (2 * length, sizeof (double));
  t->a.values = check_allocate (bytes_of (t), 1);
  fill_factors (t, kind);
  t->anorm = norm_of (t);
  if (which == GPUMM_GECON)
    find_routine (THEIRS, type, "getrf") (&t->n, &t->n, t->a.values, &t->lda, pivots, &info);
  else
    find_routine (THEIRS, type, "potrf") (&letter, &t->n, t->a.values, &t->lda, &info, (size_t) 1);
  CHECK (info == 0, "info %d", (int) info);
  if (is_true) {
    test_case inverse = *t;
    inverse.a.values = check_allocate (bytes_of (t), 1);
    memcpy (inverse.a.values, t->a.values, (size_t) bytes_of (t));
    if (which == GPUMM_GECON)
      find_routine (THEIRS, type, "getri") (&t->n, inverse.a.values, &t->lda, pivots, work, &length,
                                            &info);
    else
      find_routine (THEIRS, type, "potri") (&letter, &t->n, inverse.a.values, &t->lda, &info,
                                            (size_t) 1);
    t->true_rcond = 1 / norm_of (&inverse) / t->anorm;
    free (inverse.a.values);
  }
  free (pivots);
  free (work);
}

/* ---- one call ----------------------------------------------------------------------------- */

/* Behind what LAPACK may write. */
static const unsigned char guard[GUARD] = {0xa5, 0xa5, 0xa5, 0xa5, 0xa5, 0xa5, 0xa5, 0xa5};

/* rcond by gecon or pocon; NaN where more was written than may be. */
static double call (int whose, test_case *t) {
  const gpumm_type type = t->type;
  const size_t real = is_single (type) ? 4 : 8, bytes = (size_t) bytes_of (t);
  const size_t n = t->n > 0 ? (size_t) t->n : 0, lengths = t->which == GPUMM_GECON ? 4 : 3;
  const size_t first = n * real * 4,
               second = parts (type) == 2 ? n * real * (lengths - 2) : n * sizeof (integer);
  const size_t exact = parts (type) == 2 ? first : n * real * lengths;
  unsigned char *work = check_allocate ((int64_t) exact + GUARD, 1);
  unsigned char *more = check_allocate ((int64_t) second + GUARD, 1);
  unsigned char *before = check_allocate ((int64_t) bytes, 1);
  double anorm[2] = {0}, rcond[2] = {0};
  memset (work, 0xa5, exact + GUARD);
  memset (more, 0xa5, second + GUARD);
  memcpy (before, t->a.values, bytes);
  put (anorm, type, 0, t->anorm);
  put (rcond, type, 0, -1);
  t->info = -99;
  find_routine (whose, type, t->which == GPUMM_GECON ? "gecon" : "pocon") (
      &t->letter, &t->n, t->a.values, &t->lda, anorm, rcond, work, more, &t->info, (size_t) 1);
  const int good = memcmp (work + exact, guard, GUARD) == 0
                   && memcmp (more + second, guard, GUARD) == 0
                   && memcmp (before, t->a.values, bytes) == 0 && rcond[1] == 0;
  CHECK (good, "%c%s wrote elsewhere", "sdcz"[type], gpumm_routine_name (t->which, type));
  free (work);
  free (more);
  free (before);
  return get (rcond, type, 0);
}

/* What the engine alone estimates. */
static gpumm_status ask_engine (const test_case *t, double *rcond) {
  const gpumm_call x = {.routine = t->which,
                        .type = t->type,
                        .uplo = t->letter,
                        .n = t->n,
                        .a = t->a.values,
                        .lda = t->lda};
  return gpumm_estimate_condition (
      &x, t->letter, is_single (t->type) ? (double) (float) t->anorm : t->anorm, rcond);
}

static int is_same (double x, double y) {
  return memcmp (&x, &y, sizeof x) == 0 || (isnan (x) && isnan (y));
}

/* ---- what the engine estimates ------------------------------------------------------------ */

static int differs; /* calls whose last bits are not LAPACK's */

/* Rounding: LAPACK's estimate and the engine's are n epsilon apart, or where so much is lost that
 * both say "singular" of the same order. */
static void check_taken (test_case *t, int kind) {
  const char *name = gpumm_routine_name (t->which, t->type);
  const double eps = epsilon (t->type), bound = 10 * (double) (t->n + 10) * eps;
  const int64_t before = count_calls (t->which, t->type, 0);
  double engine = -1;
  const gpumm_status status = ask_engine (t, &engine);
  const double ours = call (OURS, t);
  CHECK (count_calls (t->which, t->type, 0) == before + 1
             && count_calls (t->which, t->type, 1) == 0,
         "%c%s was not counted", "sdcz"[t->type], name);
  const integer info = t->info;
  const double theirs = call (THEIRS, t);
  CHECK (status == GPUMM_OK && is_same (ours, engine) && info == 0 && t->info == 0,
         "%c%s, %s, n %d: status %d, %g and %g", "sdcz"[t->type], name, kind_names[kind],
         (int) t -> n, (int) status, ours, engine);
  const int is_close = fabs (ours - theirs) <= bound * theirs;
  CHECK (is_close || (theirs < bound && ours < bound && ours < 100 * theirs && theirs < 100 * ours),
         "%c%s, %c, %s, n %d: %.17g, but LAPACK %.17g", "sdcz"[t->type], name, t -> letter,
         kind_names[kind], (int) t -> n, ours, theirs);
  if (t->true_rcond > 100 * bound) /* the norm of the inverse is never estimated too large */
    CHECK (ours >= t->true_rcond * (1 - bound / t->true_rcond), "%c%s, %s, n %d: %g below %g",
           "sdcz"[t->type], name, kind_names[kind], (int) t -> n, ours, t -> true_rcond);
  differs += !is_same (ours, theirs);
}

static void test_estimates (void) {
  static const int sizes[] = {1, 2, 3, 7, 40, 127, 128, 129, 300, 517};
  for (int type = GPUMM_S; type <= GPUMM_Z; type += 1)
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
      for (int kind = 0; kind < ALL_KINDS; kind++)
        for (int letter = 0; letter < 5; letter++) {
          const gpumm_routine which = letter < 3 ? GPUMM_GECON : GPUMM_POCON;
          const int64_t n = kind == HILBERT && sizes[s] > 6 ? 6 : sizes[s];
          if ((which == GPUMM_POCON && (n > 130 || kind > FALLING))
              || (n > 130 && kind > NEARLY_SINGULAR) || (letter > 0 && letter < 3 && n > 130))
            continue;
          test_case t;
          make (&t, which, (gpumm_type) type, "1OIUL"[letter], n, kind, n <= 40);
          check_taken (&t, kind);
          free (t.a.values);
        }
  CHECK (differs > 50, "%d estimates differ from LAPACK's in the last bits", differs);
}

/* ---- what is LAPACK's --------------------------------------------------------------------- */

/* Bit for bit; the engine refuses. */
static void check_passed_on (test_case *t, const char *what) {
  double engine = -1;
  const gpumm_status status = ask_engine (t, &engine);
  const double ours = call (OURS, t);
  const integer info = t->info;
  const double theirs = call (THEIRS, t);
  CHECK (status != GPUMM_OK && engine == -1, "%s: the engine estimates %g", what, engine);
  CHECK (is_same (ours, theirs) && info == t->info, "%c, %s: %g, info %d, but LAPACK %g, info %d",
         "sdcz"[t->type], what, ours, (int) info, theirs, (int) t -> info);
}

/* Makes the factors extreme. is_lower: of pocon's lower triangle; else U. */
static void make_extreme (test_case *t, int which, int is_lower) {
  const int n = (int) t->n, last = n - 1;
  const double huge = is_single (t->type) ? 1e35 : 1e300;
  const int rows[] = {70, is_lower ? last : 3, last, is_lower ? last : 0, 70};
  const int cols[] = {70, is_lower ? 3 : last, 3, is_lower ? 3 : last, 70};
  const double what[] = {0, NAN, NAN, INFINITY, INFINITY};
  for (int64_t l = 0; which < 5 && l < parts (t->type); l++)
    put (t->a.values, t->type, at (&t->a, rows[which], cols[which]) + l, what[which]);
  for (int j = 0; j < n && which >= 5 && which <= 7; j++)
    for (int i = 0; i < n; i++) {
      const double complex x = element (&t->a, i, j);
      if (which < 7 && (is_lower ? i >= j : i <= j)) /* U is scaled */
        set (&t->a, i, j, which == 5 ? x * huge : x / huge);
      if (which == 7) /* each element of the solution is 256 times the one before */
        set (&t->a, i, j, i == j ? 0x1p-8 : i == (is_lower ? j + 1 : j - 1) ? -1 : 0);
    }
  t->anorm = which == 8 ? NAN : which == 9 ? INFINITY : 1;
}

static void test_extremes (void) {
  static const char *const names[] = {"zero on the diagonal",
                                      "NaN above it",
                                      "NaN below it",
                                      "Inf above it",
                                      "Inf on it",
                                      "huge",
                                      "tiny",
                                      "growth",
                                      "anorm NaN",
                                      "anorm Inf"};
  for (int type = GPUMM_S; type <= GPUMM_Z; type++)
    for (int letter = 0; letter < 5; letter++)
      for (int which = 0; which < 10; which++) {
        const gpumm_routine routine = letter < 3 ? GPUMM_GECON : GPUMM_POCON;
        test_case t;
        if (which == 2 && routine == GPUMM_POCON) /* that triangle is not read */
          continue;
        make (&t, routine, (gpumm_type) type, "1OIUL"[letter], 150, RANDOM, 0);
        make_extreme (&t, which, letter == 4);
        check_passed_on (&t, names[which]);
        free (t.a.values);
      }
}

static void test_arguments (void) {
  static const struct {
    gpumm_routine which;
    char letter;
    integer n, lda;
    double anorm;
    integer info;
    double rcond; /* -1: not set */
  } cases[] = {{GPUMM_GECON, '?', 20, 23, 1, -1, -1}, {GPUMM_GECON, '1', -1, 23, 1, -2, -1},
               {GPUMM_GECON, '1', 20, 19, 1, -4, -1}, {GPUMM_GECON, '1', 20, 23, -1, -5, -1},
               {GPUMM_GECON, '1', 0, 23, 1, 0, 1},    {GPUMM_GECON, '1', 20, 23, 0, 0, 0},
               {GPUMM_POCON, '?', 20, 23, 1, -1, -1}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    test_case t;
    make (&t, cases[i].which, GPUMM_D, cases[i].which == GPUMM_POCON ? 'L' : '1', 20, RANDOM, 0);
    t.letter = cases[i].letter;
    t.n = cases[i].n;
    t.lda = cases[i].lda;
    t.anorm = cases[i].anorm;
    said_info = 0;
    const double ours = call (OURS, &t);
    CHECK (t.info == cases[i].info && said_info == -cases[i].info, "case %zu: info %d, said %d", i,
           (int) t.info, (int) said_info);
    CHECK (cases[i].rcond < 0 || ours == cases[i].rcond, "case %zu: %g", i, ours);
    CHECK (is_same (ours, call (THEIRS, &t)), "case %zu: %g", i, ours);
    free (t.a.values);
  }
}

/* ---- memory, threads, a child ------------------------------------------------------------- */

static void test_memory (void) {
  test_case t;
  make (&t, GPUMM_GECON, GPUMM_Z, '1', 90, RANDOM, 0);
  const double theirs = call (THEIRS, &t);
  const int64_t live = gpumm_live_allocations ();
  int failed = 0;
  for (int64_t n = 1; n < 10; n++) {
    double engine = -1;
    gpumm_fault_memory (n);
    failed += ask_engine (&t, &engine) == GPUMM_HOST_MEMORY;
    gpumm_fault_memory (n);
    const double ours = call (OURS, &t);
    gpumm_fault_memory (0);
    CHECK (fabs (ours - theirs) <= 1e-10 * theirs, "%g, but LAPACK %g", ours, theirs);
    CHECK (gpumm_live_allocations () == live, "blocks are kept");
  }
  CHECK (failed >= 3, "%d failures", failed);
  free (t.a.values);
}

static _Atomic int wrong;
static test_case common;
static double expected;

static void *work (void *unused) {
  (void) unused;
  for (int i = 0; i < 20; i++) {
    double rcond = -1;
    wrong += ask_engine (&common, &rcond) != GPUMM_OK || !is_same (rcond, expected);
  }
  return NULL;
}

static void test_threads (void) {
  enum { THREADS = 8 };
  pthread_t threads[THREADS];
  make (&common, GPUMM_GECON, GPUMM_D, '1', 600, RANDOM, 0);
  CHECK (ask_engine (&common, &expected) == GPUMM_OK, "%s", gpumm_last_error ());
  for (size_t i = 0; i < THREADS; i++)
    CHECK (pthread_create (&threads[i], NULL, work, NULL) == 0, "no thread");
  for (size_t i = 0; i < THREADS; i++)
    pthread_join (threads[i], NULL);
  CHECK (wrong == 0, "%d estimates", (int) wrong);
  const pid_t child = fork ();
  if (child == 0) {
    alarm (60);
    _exit (is_same (call (OURS, &common), expected) ? 0 : 1);
  }
  int status = -1;
  CHECK (child > 0 && waitpid (child, &status, 0) == child && status == 0, "status %d", status);
  free (common.a.values);
}

int main (void) {
  check_seed (20261124);
  if (begin_blas ())
    return 77;
  test_estimates ();
  test_extremes ();
  test_arguments ();
  test_memory ();
  test_threads ();
  return check_done ();
}
