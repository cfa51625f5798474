/* test_extremes.c - the drop-in with NaN, Inf, numbers close to overflow and underflow, and
 * singular matrices, every call taken, against the BLAS and LAPACK below: info, pivots and each
 * element are the same, bit for bit where the CPU has to compute the call, and the counts say that
 * it did. On a machine with a GPU this is a test of NVIDIA's libraries, too, and then of all types
 * in large sizes.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "check.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { LARGEST = 500 };
#include "calls.h"

/* ---- matrices ----------------------------------------------------------------------------- */

enum kind {
  NORMAL, /* well conditioned */
  ONE_NAN,
  ONE_INF,
  ONE_IMAGINARY, /* NaN in an imaginary part; of a real type as ONE_NAN */
  LAST_NAN,
  ALL_NAN,
  ZERO,
  HUGE_NUMBERS, /* close to overflow */
  TINY_NUMBERS, /* close to underflow */
  DENORMAL,
  LARGE_SQUARES, /* which overflow */
  SMALL_SQUARES,
  ZERO_COLUMN, /* from here on of a matrix that is factored */
  TWO_EQUAL,   /* columns */
  NEARLY_EQUAL,
  LOW_RANK,
  GRADED,
  INDEFINITE,
  ZERO_PIVOT, /* from here on of a factor */
  TINY_PIVOT,
  INFINITE_PIVOT,
  GROWTH, /* solutions overflow */
  KINDS
};
static const char *const kind_names[] = {
    "normal",         "one NaN",    "one Inf",       "one imaginary part",
    "last is NaN",    "all NaN",    "zero",          "huge",
    "tiny",           "denormal",   "large squares", "small squares",
    "zero column",    "two equal",  "nearly so",     "low rank",
    "graded",         "indefinite", "zero pivot",    "tiny pivot",
    "infinite pivot", "growth"};

/* An array of a case. part: 'A', 'U', 'L': what of it may be read, apart from the diagonal by so
 * much. */
typedef struct {
  void *values;
  gpumm_type type;
  int rows, cols, ld, apart;
  char part;
} array;

static int is_read (const array *x, int i, int j) {
  return x->part == 'A' || (x->part == 'U' ? i <= j - x->apart : i >= j + x->apart);
}

static int64_t at (const array *x, int i, int j) {
  return parts (x->type) * ((int64_t) i + (int64_t) j * x->ld);
}

/* Multiplies it. What is not read stays. */
static void scale (const array *x, double factor) {
  for (int j = 0; j < x->cols; j++)
    for (int i = 0; i < x->rows; i++)
      for (int l = 0; l < parts (x->type) && is_read (x, i, j); l++)
        put (x->values, x->type, at (x, i, j) + l,
             factor * get (x->values, x->type, at (x, i, j) + l));
}

/* Element (i, j) becomes re; its imaginary part 0. */
static void set (const array *x, int i, int j, double re) {
  put (x->values, x->type, at (x, i, j) + parts (x->type) - 1, 0);
  put (x->values, x->type, at (x, i, j), re);
}

/* Changes an array to this kind; kinds of matrices that are factored have been made before. */
static void spoil (const array *x, enum kind kind) {
  const int is_narrow = is_single (x->type), p = parts (x->type);
  const double large = is_narrow ? 1e37 : 1e306;
  const int least = x->rows < x->cols ? x->rows : x->cols, middle = least / 2;
  int i, j;
  do {
    i = (int) check_between (0, x->rows - 1), j = (int) check_between (0, x->cols - 1);
    if (kind == LAST_NAN) { /* the last that is read */
      i = x->part == 'U' ? least - 1 - x->apart : x->rows - 1;
      j = x->part == 'L' ? least - 1 - x->apart : x->cols - 1;
    }
  } while (!is_read (x, i, j) || (kind == ONE_IMAGINARY && i == j)); /* Hermitian: not read there */
  if (kind == ONE_NAN || kind == LAST_NAN || kind == ONE_INF)
    put (x->values, x->type, at (x, i, j), kind == ONE_INF ? INFINITY : NAN);
  if (kind == ONE_IMAGINARY)
    put (x->values, x->type, at (x, i, j) + p - 1, NAN);
  if (kind == ALL_NAN || kind == ZERO || kind == HUGE_NUMBERS)
    scale (x, kind == ALL_NAN ? NAN : kind == ZERO ? 0 : large);
  if (kind == LARGE_SQUARES || kind == SMALL_SQUARES)
    scale (x, exp2 ((kind == LARGE_SQUARES ? 1 : -1) * (is_narrow ? 70 : 600)));
  if (kind == TINY_NUMBERS || kind == DENORMAL)
    scale (x, kind == TINY_NUMBERS ? 1 / large : is_narrow ? 1e-42 : 1e-318);
  if (kind == ZERO_PIVOT || kind == TINY_PIVOT || kind == INFINITE_PIVOT)
    set (x, middle, middle, kind == ZERO_PIVOT ? 0 : kind == TINY_PIVOT ? 1e-30 : INFINITY);
  for (int c = 0; c < least && kind == GROWTH; c++)
    for (int r = 0; r < x->rows; r++)
      if (is_read (x, r, c))
        set (x, r, c, r == c ? 1 : x->part == 'A' && r > c ? 0 : -1000);
}

/* A matrix in double precision, by columns: positive definite and Hermitian, or with its large
 * elements beside the diagonal, so that rows are exchanged. */
static double *new_matrix (int rows, int cols, gpumm_type type, int is_hermitian, enum kind kind) {
  enum { RANK = 2 }; /* of low rank */
  const int p = parts (type);
  double *x = check_allocate ((int64_t) rows * cols * p, sizeof *x), *column = x;
  double u[RANK][2 * LARGEST], v[RANK][2 * LARGEST];
  for (int l = 0; l < RANK; l++)
    for (int i = 0; i < 2 * LARGEST; i++)
      u[l][i] = check_uniform (), v[l][i] = check_uniform ();
  for (int j = 0; j < cols; j++, column += (int64_t) rows * p)
    for (int i = 0; i < rows; i++) {
      double *y = column + i * p, re = check_uniform () / rows, im = check_uniform () / rows;
      if (is_hermitian && i < j)
        continue;
      re += (is_hermitian ? i == j : i == (j + 1) % rows) ? 4 : 0;
      if (kind == LOW_RANK)
        re = im = 0;
      for (int l = 0; l < RANK && kind == LOW_RANK; l++) {
        const double *a = &u[l][i * p], *b = is_hermitian ? &u[l][j * p] : &v[l][j * p];
        re += a[0] * b[0] + (p == 2 ? a[1] * b[1] : 0);
        im += p == 2 ? a[1] * b[0] - a[0] * b[1] : 0;
      }
      const double graded = kind == GRADED ? exp2 (-30.0 * (is_hermitian ? i + j : j) / cols) : 1;
      y[p - 1] = is_hermitian && i == j ? 0 : graded * im;
      y[0] = graded * re;
    }
  const int least = rows < cols ? rows : cols, last = least - 1, middle = least / 2;
  for (int i = 0; i < rows * p && !is_hermitian; i++) {
    double *y = x + (int64_t) last * rows * p + i;
    if (kind == TWO_EQUAL || kind == NEARLY_EQUAL)
      *y = x[i] * (kind == NEARLY_EQUAL ? 1 + 4 * epsilon (type) * check_uniform () : 1);
    if (kind == ZERO_COLUMN)
      x[(int64_t) middle * rows * p + i] = 0;
  }
  for (int i = 0; i < rows && is_hermitian; i++) /* below the diagonal; row and column alike */
    for (int l = 0; l < p; l++) {
      double *row = x + ((int64_t) i * rows + last) * p + l, first = x[i * p + l];
      if (kind == TWO_EQUAL || kind == NEARLY_EQUAL) /* last row: conjugate of column 0 */
        *row = i == last ? (l ? 0 : x[0]) : i == 0 ? (l ? 0 : x[0]) : l ? -first : first;
      if (kind == ZERO_COLUMN && i >= middle)
        x[((int64_t) middle * rows + i) * p + l] = 0;
      if (kind == ZERO_COLUMN && i <= middle)
        x[((int64_t) i * rows + middle) * p + l] = 0;
    }
  if (kind == INDEFINITE)
    x[((int64_t) middle * rows + middle) * p] = -1;
  return x;
}

/* Fills the array with it, where it is read; all else is hidden. Of a Hermitian matrix the lower
 * triangle is there. */
static void store (const array *x, const double *from, int is_hermitian) {
  const int p = parts (x->type);
  for (int j = 0; j < x->cols; j++)
    for (int i = 0; i < x->ld; i++)
      for (int l = 0; l < p; l++) {
        const int is_turned = is_hermitian && i < j;
        const int64_t k = is_turned ? (int64_t) i * x->rows + j : (int64_t) j * x->rows + i;
        if (i < x->rows && is_read (x, i, j))
          put (x->values, x->type, at (x, i, j) + l,
               is_turned && l ? -from[k * p + l] : from[k * p + l]);
        else
          hide (x->values, x->type, at (x, i, j) + l);
      }
}

static void fill (const array *x, int is_hermitian, enum kind kind) {
  double *from = new_matrix (x->rows, x->cols, x->type, is_hermitian, kind);
  store (x, from, is_hermitian);
  free (from);
}

/* ---- a case ------------------------------------------------------------------------------- */

static test_case before, ours, theirs;

enum { GAP = 3 };

/* Copies what the case uses. */
static void copy_case (test_case *to, const test_case *from) {
  const size_t side = (size_t) (from->m > from->n ? from->m : from->n) + GAP;
  const size_t bytes = side * side * sizeof (double) * (size_t) (parts (from->x.type) == 2 ? 2 : 1);
  memcpy (to, from, offsetof (test_case, a));
  memcpy (to->a, from->a, bytes);
  memcpy (to->b, from->b, bytes);
  memcpy (to->c, from->c, bytes);
  memcpy ((char *) to + offsetof (test_case, tau), (const char *) from + offsetof (test_case, tau),
          sizeof to->tau);
  memcpy (to->pivots, from->pivots, sizeof to->pivots);
  memcpy (to->alpha, from->alpha, sizeof to->alpha);
  memcpy (to->beta, from->beta, sizeof to->beta);
}

/* The largest finite number of a column, at least 1: rounding errors are relative to it. */
static double size_of_column (const void *values, const array *x, int column) {
  const int64_t each = (int64_t) parts (x->type) * x->ld;
  double most = 1;
  for (int64_t i = column * each; i < (column + 1) * each; i++) {
    const double size = fabs (get (values, x->type, i));
    most = isfinite (size) && size > most ? size : most;
  }
  return most;
}

/* How two results differ: 0: not, 1: in rounding, 2: in finite numbers, 3: in which are not
 * finite, 4: in what must not change. A complex number is not finite if one of its parts is: which
 * one depends on the order of the arithmetic, and in gemm a real beta multiplies both parts (BLAS
 * makes NaN of 0 * Inf). */
static int difference (const void *mine, const void *right, const void *was, const array *x) {
  const double bound = epsilon (x->type) * 200 * (x->rows + x->cols);
  const size_t bytes = is_single (x->type) ? 4 : 8;
  const int p = parts (x->type);
  int most = 0;
  double hidden = 0, size = 1;
  hide (&hidden, x->type, 0);
  for (int64_t i = 0; i < (int64_t) p * x->ld * x->cols; i++) {
    if (i % (p * x->ld) == 0)
      size = size_of_column (right, x, (int) (i / (p * x->ld)));
    const size_t byte = (size_t) i * bytes;
    const char *now = (const char *) right + byte;
    const double a = get (mine, x->type, i), b = get (right, x->type, i);
    const int64_t other = p == 2 ? i ^ 1 : i;
    const int both_not_finite = (!isfinite (a) || !isfinite (get (mine, x->type, other)))
                                && (!isfinite (b) || !isfinite (get (right, x->type, other)));
    int here;
    if (memcmp ((const char *) mine + byte, now, bytes) == 0)
      continue;
    if (memcmp (now, &hidden, bytes) == 0
        || (isfinite (b) && memcmp (now, (const char *) was + byte, bytes) == 0 && a != b
            && !(fabs (a - b) <= bound * size)))
      here = 4;
    else if (isfinite (b) && isfinite (a))
      here = fabs (a - b) <= bound * size ? 1 : 2;
    else
      here = (isnan (a) && isnan (b)) || a == b ? 0 : both_not_finite && p == 2 ? 1 : 3;
    most = here > most ? here : most;
  }
  return most;
}

/* Is a number there that the routine has made and that is not finite? */
static int overflows (const void *right, const void *was, const array *x) {
  const size_t bytes = is_single (x->type) ? 4 : 8;
  for (int64_t i = 0; i < (int64_t) parts (x->type) * x->ld * x->cols; i++)
    if (!isfinite (get (right, x->type, i))
        && memcmp ((const char *) right + (size_t) i * bytes,
                   (const char *) was + (size_t) i * bytes, bytes)
               != 0)
      return 1;
  return 0;
}

enum verdict { CPU, DEVICE, EITHER };
static int on_cpu, on_device; /* cases */

/* Runs the case `before` by both. written: its array; others of `before` must stay. */
static void compare (const array *written, enum verdict verdict, const char *what,
                     const char *place) {
  const gpumm_call *x = &before.x;
  const char *name = gpumm_routine_name (x->routine, x->type);
  const ptrdiff_t offset = (const char *) written->values - (const char *) &before;
  copy_case (&ours, &before);
  copy_case (&theirs, &before);
  const int64_t so_far = count_calls (x->routine, x->type, 1);
  call (find (OURS, x->routine, x->type), &ours);
  const int is_taken = count_calls (x->routine, x->type, 1) != so_far;
  call (find (THEIRS, x->routine, x->type), &theirs);
  const char *result = (const char *) &theirs + offset;
  const array tau = {.type = x->type, .rows = LARGEST, .ld = LARGEST, .cols = 1};
  int found = difference ((const char *) &ours + offset, result, written->values, written);
  const int found_tau = difference (ours.tau, theirs.tau, before.tau, &tau);
  found = found_tau > found ? found_tau : found;
  if (x->routine >= GPUMM_TRMM && overflows (result, written->values, written))
    verdict = CPU;
  if (theirs.info != 0)
    verdict = CPU;
  CHECK (ours.info == theirs.info && memcmp (ours.pivots, theirs.pivots, sizeof ours.pivots) == 0,
         "%c%s, %s%s, %d x %d: info %d, but %d below, or pivots", "sdcz"[x->type], name, what,
         place, (int) before.m, (int) before.n, (int) ours.info, (int) theirs.info);
  CHECK (verdict == EITHER || is_taken == (verdict == DEVICE), "%c%s, %s%s, %d x %d: %staken",
         "sdcz"[x->type], name, what, place, (int) before.m, (int) before.n,
         is_taken ? "" : "not ");
  CHECK (found <= (is_taken) + (is_taken && verdict == EITHER),
         "%c%s, %s%s, %d x %d, side %c, uplo %c, trans %c, diag %c: difference %d", "sdcz"[x->type],
         name, what, place, (int) before.m, (int) before.n, x->side, x->uplo, x->trans, x->diag,
         found);
  *(is_taken ? &on_device : &on_cpu) += 1;
}

/* ---- LAPACK ------------------------------------------------------------------------------- */

/* The case for a routine of order n: its arrays, of which a is A, and `other` B, C or tau. shape:
 * 0 square, 1 more rows, 2 more columns. */
static void shape_lapack (gpumm_routine which, gpumm_type type, int n, int shape, array *a,
                          array *other, array *written) {
  test_case *t = &before;
  const int is_factorisation = which == GPUMM_GETRF || which == GPUMM_GEQRF, few = n < 5 ? n : 5;
  memset (t, 0, offsetof (test_case, a));
  for (int i = 0; i < parts (type) * LARGEST; i++)
    hide (t->tau, type, i);
  memset (t->pivots, 0, sizeof t->pivots);
  t->x = (gpumm_call){.routine = which,
                      .type = type,
                      .side = "LR"[check_between (0, 1)],
                      .uplo = "UL"[check_between (0, 1)],
                      .trans = "NTC"[check_between (0, 2)]};
  t->m = t->n = t->k = n;
  if (which == GPUMM_ORMQR) {
    t->x.trans = parts (type) == 2 ? "NC"[check_between (0, 1)] : "NT"[check_between (0, 1)];
    *(t->x.side == 'L' ? &t->n : &t->m) = few;
  }
  if (which == GPUMM_GETRS || which == GPUMM_POTRS)
    t->k = few;
  if (is_factorisation && shape > 0 && n + n / 2 <= LARGEST)
    *(shape == 1 ? &t->m : &t->n) += n / 2;
  t->lwork = 64 * LARGEST;
  *a = (array){t->a, type, is_factorisation ? t->m : n, is_factorisation ? t->n : n, 0, 0, 'A'};
  if (which == GPUMM_POTRF || which == GPUMM_POTRS)
    a->part = t->x.uplo;
  a->ld = a->rows + GAP;
  *other = (array){t->b, type, n, few, n + GAP, 0, 'A'};
  if (which == GPUMM_ORMQR)
    *other = (array){t->c, type, t->m, t->n, t->m + GAP, 0, 'A'};
  t->lda = a->ld;
  t->ldb = n + GAP;
  t->ldc = t->m + GAP;
  *written = which == GPUMM_GETRS || which == GPUMM_POTRS || which == GPUMM_ORMQR ? *other : *a;
}

static int has_other (gpumm_routine which) {
  return which == GPUMM_GETRS || which == GPUMM_POTRS || which == GPUMM_ORMQR;
}

/* The factors that a routine needs, by the LAPACK below. */
static void factor (gpumm_routine by, const array *a) {
  test_case *t = &before;
  const gpumm_routine which = t->x.routine;
  const integer m = t->m, n = t->n, k = t->k;
  t->x.routine = by;
  t->m = a->rows, t->n = a->cols;
  call (find (THEIRS, by, t->x.type), t);
  t->x.routine = which;
  t->m = m, t->n = n, t->k = k;
  t->info = 0;
}

/* Which computes it, by the kind of A; EITHER if that depends on rounding errors, or on sizes. */
static enum verdict verdict_of (gpumm_routine which, enum kind kind) {
  const int is_made = which == GPUMM_GETRF || which == GPUMM_POTRF || which == GPUMM_GEQRF;
  if (kind == NORMAL)
    return DEVICE;
  if (kind <= ALL_NAN || (kind >= HUGE_NUMBERS && kind <= DENORMAL) || kind == INFINITE_PIVOT
      || kind == ZERO_PIVOT || kind == TINY_PIVOT)
    return CPU;
  if (kind == LARGE_SQUARES || kind == SMALL_SQUARES)
    return which >= GPUMM_GEQRF ? CPU : EITHER;
  if (kind == GROWTH || which == GPUMM_ORGQR || which == GPUMM_ORMQR || kind == GRADED)
    return EITHER;
  if (which == GPUMM_GEQRF || !is_made)
    return kind == ZERO || kind == ZERO_COLUMN ? CPU : EITHER;
  return CPU;
}

/* place: 0: A is of this kind; 1: B, C; 2: tau. */
static void run_lapack (gpumm_routine which, gpumm_type type, int n, enum kind kind, int place,
                        int shape) {
  static const gpumm_routine factors[GPUMM_GECON] = {[GPUMM_GETRS] = GPUMM_GETRF,
                                                     [GPUMM_GETRI] = GPUMM_GETRF,
                                                     [GPUMM_POTRS] = GPUMM_POTRF,
                                                     [GPUMM_ORGQR] = GPUMM_GEQRF,
                                                     [GPUMM_ORMQR] = GPUMM_GEQRF};
  static const char *const places[] = {"", " in the other matrix", " in tau"};
  array a, other, written;
  shape_lapack (which, type, n, shape, &a, &other, &written);
  array tau = {before.tau, type, n, 1, n, 0, 'A'};
  const int is_hermitian = a.part != 'A', is_made = kind >= ZERO_COLUMN && kind < ZERO_PIVOT;
  fill (&a, is_hermitian, is_made ? kind : NORMAL);
  fill (&other, 0, NORMAL);
  if (factors[which])
    factor (factors[which], &a);
  if (which == GPUMM_ORGQR || which == GPUMM_ORMQR) {
    a.part = 'L', a.apart = 1;
    for (int j = 0; j < n; j++) /* R is not read */
      for (int i = 0; i <= j && which == GPUMM_ORMQR; i++)
        for (int l = 0; l < parts (type); l++)
          hide (a.values, type, at (&a, i, j) + l);
  }
  if (!is_made)
    spoil (place == 0 ? &a : place == 1 ? &other : &tau, kind);
  const int is_other_sound =
      kind == ZERO || kind == NORMAL
      || (which < GPUMM_GEQRF && (kind == LARGE_SQUARES || kind == SMALL_SQUARES));
  const enum verdict verdict = place == 0       ? verdict_of (which, kind)
                               : is_other_sound ? EITHER
                                                : CPU;
  compare (&written, verdict, kind_names[kind], places[place]);
}

/* Every step-th case of order n: without a GPU large ones take long. */
static void test_lapack (int n, int step) {
  int turn = 0;
  for (int which = GPUMM_GETRF; which <= GPUMM_ORMQR; which++) {
    const int is_factorisation =
        which == GPUMM_GETRF || which == GPUMM_POTRF || which == GPUMM_GEQRF;
    for (int type = GPUMM_S; type <= GPUMM_Z; type++)
      for (int kind = NORMAL; kind < KINDS; kind++) {
        const int is_factor_kind = kind >= ZERO_PIVOT, is_pivot = is_factor_kind && kind < GROWTH;
        if ((is_factorisation && is_factor_kind)
            || (!is_factorisation && kind >= ZERO_COLUMN && !is_factor_kind)
            || (kind == INDEFINITE && which != GPUMM_POTRF)
            || (is_factor_kind && which >= GPUMM_GEQRF) || (is_pivot && n < 2))
          continue;
        for (int place = 0; place < 3; place++) {
          const int is_there = place == 0
                               || (kind < ZERO_COLUMN
                                   && (place == 1 ? has_other ((gpumm_routine) which)
                                                  : which >= GPUMM_ORGQR && kind < ZERO));
          if (is_there && turn % step == 0)
            run_lapack ((gpumm_routine) which, (gpumm_type) type, n, (enum kind) kind, place,
                        turn % 3);
          turn += is_there;
        }
      }
  }
}

/* gesv is getrf and then getrs, each where it belongs. */
static void test_gesv (gpumm_type type, int n, enum kind kind, int place) {
  array a, b, written;
  shape_lapack (GPUMM_GETRS, type, n, 0, &a, &b, &written);
  fill (&a, 0, kind >= ZERO_COLUMN ? kind : NORMAL);
  fill (&b, 0, NORMAL);
  if (kind < ZERO_COLUMN)
    spoil (place ? &b : &a, kind);
  copy_case (&ours, &before);
  copy_case (&theirs, &before);
  for (int whose = OURS; whose <= THEIRS; whose++) {
    test_case *t = whose == OURS ? &ours : &theirs;
    find_routine (whose, type, "gesv") (&t->n, &t->k, t->a, &t->lda, t->pivots, t->b, &t->ldb,
                                        &t->info);
  }
  CHECK (ours.info == theirs.info && memcmp (ours.pivots, theirs.pivots, sizeof ours.pivots) == 0
             && difference (ours.a, theirs.a, before.a, &a) <= 1
             && difference (ours.b, theirs.b, before.b, &b) <= 1,
         "%cgesv, %s%s, n %d: info %d, but %d below, or values", "sdcz"[type], kind_names[kind],
         place ? " in B" : "", n, (int) ours.info, (int) theirs.info);
}

/* ---- BLAS --------------------------------------------------------------------------------- */

/* The arrays of a routine of BLAS, with random letters. Returns the array that is written. */
static array shape_blas (gpumm_routine which, gpumm_type type, int n, array *a, array *b,
                         array *c) {
  test_case *t = &before;
  const int is_complex = parts (type) == 2,
            is_triangle = which == GPUMM_TRMM || which == GPUMM_TRSM;
  memset (t, 0, offsetof (test_case, a));
  t->x = (gpumm_call){.routine = which,
                      .type = type,
                      .side = "LR"[check_between (0, 1)],
                      .uplo = "UL"[check_between (0, 1)],
                      .trans = "NTC"[check_between (0, 2)],
                      .trans_b = "NTC"[check_between (0, 2)],
                      .diag = "NU"[check_between (0, 1)]};
  if (which == GPUMM_HERK || which == GPUMM_HER2K)
    t->x.trans = "NC"[check_between (0, 1)];
  else if (is_complex && which >= GPUMM_SYRK && which < GPUMM_TRMM)
    t->x.trans = "NT"[check_between (0, 1)];
  t->m = t->n = t->k = n;
  t->lda = t->ldb = t->ldc = n + GAP;
  *a = (array){t->a, type, n, n, n + GAP, 0, 'A'};
  *b = *c = *a;
  b->values = t->b;
  c->values = t->c;
  if (which == GPUMM_SYMM || which == GPUMM_HEMM || is_triangle)
    a->part = t->x.uplo;
  if (is_triangle)
    a->apart = t->x.diag == 'U';
  else if (which >= GPUMM_SYRK)
    c->part = t->x.uplo;
  return is_triangle ? *b : *c;
}

/* bad: 0: A, 1: B, 2: C. */
static void run_blas (gpumm_routine which, gpumm_type type, int n, int bad, enum kind kind,
                      double alpha, double beta) {
  static const char *const places[] = {" in A", " in B", " in C"};
  array a, b, c;
  const array written = shape_blas (which, type, n, &a, &b, &c);
  const int is_triangle = which == GPUMM_TRMM || which == GPUMM_TRSM;
  const int has_b = which != GPUMM_SYRK && which != GPUMM_HERK;
  if ((bad == 1 && !has_b) || (bad == 2 && is_triangle))
    return;
  fill (&a, which == GPUMM_TRSM || which == GPUMM_HEMM, NORMAL);
  fill (&b, 0, NORMAL);
  fill (&c, which == GPUMM_HERK || which == GPUMM_HER2K, NORMAL);
  spoil (bad == 0 ? &a : bad == 1 ? &b : &c, kind);
  put (before.alpha, type, 0, alpha);
  put (before.beta, type, 0, beta);
  put (before.alpha, type, 1, which != GPUMM_HERK && alpha != 0 ? 0.5 : 0);
  put (before.beta, type, 1, 0);
  compare (&written, alpha == 0 || (is_triangle && kind != NORMAL) ? CPU : DEVICE, kind_names[kind],
           places[bad]);
}

static void test_blas (int n, gpumm_routine first) {
  static const double alphas[] = {0, 0.75}, betas[] = {0, 1, 1.5};
  for (int which = (int) first; which <= GPUMM_TRSM; which++)
    for (int type = GPUMM_S; type <= GPUMM_Z; type++)
      for (int bad = 0; bad < 3; bad++)
        for (int kind = NORMAL; kind <= ONE_INF; kind++)
          for (int scalars = 0; scalars < 6; scalars++)
            if (parts ((gpumm_type) type) == 2
                || (which != GPUMM_HEMM && which != GPUMM_HERK && which != GPUMM_HER2K))
              run_blas ((gpumm_routine) which, (gpumm_type) type, n, bad, (enum kind) kind,
                        alphas[scalars % 2], betas[scalars / 2]);
}

int main (void) {
  check_seed (20261127);
  if (begin_blas ())
    return 77;
  const int has_gpu = gpumm_device_count (NULL) > 0;
  static const int sizes[] = {3, 20, 65, 130, LARGEST}, steps[] = {1, 1, 5, 13, 97};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
    test_lapack (sizes[i], has_gpu ? 1 : steps[i]);
  for (int i = 0; i < 4 * GRADED; i++)
    for (int place = 0; place < (i / 4 < ZERO_COLUMN ? 2 : 1); place++)
      test_gesv ((gpumm_type) (i % 4), i % 3 ? 30 : 3, (enum kind) (i / 4), place);
  test_blas (3, GPUMM_GEMM);
  test_blas (70, has_gpu ? GPUMM_GEMM : GPUMM_SYMM); /* the host device is slow */
  CHECK (on_cpu > 1000 && on_device > 300, "%d on the CPU, %d on the device", on_cpu, on_device);
  return check_done ();
}
