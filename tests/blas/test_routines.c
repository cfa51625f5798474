/* test_routines.c - each routine of the drop-in against the BLAS and LAPACK below, every call
 * taken: random cases of all letters, sizes and gaps; NaN, Inf, numbers close to overflow and
 * underflow, and singular matrices. Info, pivots and each element are the same, bit for bit where
 * the CPU has to compute the call, and the counts say which did. What must not be read is NaN, and
 * what must not change is compared. Then arguments that are not valid, 16 threads at once, and
 * forked children. gecon and pocon have tests of their own.
 *
 * On a machine with a GPU this is a test of NVIDIA's libraries, too, and then of all types in large
 * sizes.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "gpumm_tools.h"
#include "matrices.h"
#include "routine_arguments.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/wait.h>
#include <unistd.h>

/* SMALL: rows or columns of a random case, at most; GAP: between columns. */
enum { SMALL = 60, GAP = 7, CELLS = 2 * (LARGEST + GAP) * LARGEST };

/* ---- calls -------------------------------------------------------------------------------- */

/* The arguments, and three arrays with tau and pivots. Where an array lies decides which of equal
 * or invalid numbers OpenBLAS takes for a pivot: in all copies it lies alike. */
typedef struct {
  gpumm_call x;
  integer m, n, k, lda, ldb, ldc, lwork, info;
  _Alignas(64) double a[CELLS], b[CELLS], c[CELLS], tau[2 * LARGEST], work[2 * 64 * LARGEST];
  integer pivots[LARGEST];
  double alpha[2], beta[2];
} arguments;

static void call (routine *f, arguments *t) {
  const char *side = &t->x.side, *uplo = &t->x.uplo, *trans = &t->x.trans, *trans_b = &t->x.trans_b,
             *diag = &t->x.diag;
  const integer *m = &t->m, *n = &t->n, *k = &t->k, *lda = &t->lda, *ldb = &t->ldb, *ldc = &t->ldc,
                *length = &t->lwork;
  integer *info = &t->info, *pivots = t->pivots;
  double *alpha = t->alpha, *beta = t->beta, *a = t->a, *b = t->b, *c = t->c, *tau = t->tau,
         *space = t->work;
  const size_t one = 1;
  switch (t->x.routine) {
#define UNPACKED(...) __VA_ARGS__
#define ROUTINE(NAME, names, library, letters, work, fortran, ...)                                 \
  case GPUMM_##NAME:                                                                               \
    f (UNPACKED fortran, one, one, one, one);                                                      \
    break;
    GPUMM_ROUTINE_ROWS (ROUTINE)
  default:
    break;
  }
}

/* The search among all libraries takes as long as a small call. */
static routine *find (int whose, gpumm_routine which, gpumm_type type) {
  static routine *found[2][GPUMM_ROUTINES][4];
  routine **f = &found[whose][which][type];
  if (!*f)
    *f = find_routine (whose, type, gpumm_routine_name (which, type));
  return *f;
}

/* ---- a case ------------------------------------------------------------------------------- */

/* The arguments before the call, and what both made of them. */
typedef struct {
  arguments before, ours, theirs;
  array a, b, c, tau, *written; /* of `before`; written: a, b or c */
  int is_taken;
} trial;

static int is_triangular (gpumm_routine which) {
  return which == GPUMM_TRMM || which == GPUMM_TRSM;
}

static int is_factorisation (gpumm_routine which) {
  return which == GPUMM_GETRF || which == GPUMM_POTRF || which == GPUMM_GEQRF;
}

/* Does it write another matrix than A? */
static int has_other (gpumm_routine which) {
  return has (which, "ldb") || has (which, "ldc");
}

static int is_of_lapack (gpumm_routine which) {
  return has (which, "info");
}

static int is_of_qr (gpumm_routine which) {
  return has (which, "tau");
}

static void draw_letters (trial *t, gpumm_routine which, gpumm_type type) {
  const int is_complex = parts (type) == 2;
  memset (&t->before, 0, offsetof (arguments, a));
  memset (t->before.pivots, 0, sizeof t->before.pivots);
  gpumm_call *x = &t->before.x;
  *x = (gpumm_call){.routine = which,
                    .type = type,
                    .side = "LR"[check_between (0, 1)],
                    .uplo = "UL"[check_between (0, 1)],
                    .trans = "NTC"[check_between (0, 2)],
                    .trans_b = "NTC"[check_between (0, 2)],
                    .diag = "NU"[check_between (0, 1)]};
  if (which == GPUMM_HERK || which == GPUMM_HER2K || (which == GPUMM_ORMQR && is_complex))
    x->trans = "NC"[check_between (0, 1)];
  else if (which == GPUMM_ORMQR || (is_complex && (which == GPUMM_SYRK || which == GPUMM_SYR2K)))
    x->trans = "NT"[check_between (0, 1)];
}

/* n: all sizes, or those that LAPACK's routines do not make small; 0: random ones. shape: of a
 * factorisation; 0 square, 1 more rows, 2 more columns. */
static void draw_sizes (arguments *t, int n, int shape) {
  const gpumm_routine which = t->x.routine;
  const int is_left = t->x.side == 'L', few = n < 5 ? n : 5;
  t->m = t->n = t->k = n;
  if (n == 0) {
    t->m = (integer) check_between (1, SMALL);
    t->n = (integer) check_between (1, which == GPUMM_ORGQR ? t->m : SMALL);
    t->k = (integer) check_between (1, which == GPUMM_ORGQR   ? t->n
                                       : which != GPUMM_ORMQR ? SMALL
                                       : is_left              ? t->m
                                                              : t->n);
    if (!has (which, "m,"))
      t->m = t->n;
  } else if (which == GPUMM_ORMQR)
    *(is_left ? &t->n : &t->m) = few;
  else if (which == GPUMM_GETRS || which == GPUMM_POTRS)
    t->k = few;
  else if (is_factorisation (which) && which != GPUMM_POTRF && shape > 0 && n + n / 2 <= LARGEST)
    *(shape == 1 ? &t->m : &t->n) += n / 2;
  t->lwork = 64 * LARGEST;
}

/* An array for an operand, apart from the next. R beside reflectors is an array's, too. */
static array array_of (const gpumm_operand *o, double *values, integer *ld, int gap) {
  const int has = (o->reads || o->writes) && !o->over_a;
  const int rows = has ? (int) o->x.rows : 0, cols = has ? (int) o->x.cols : 0;
  *ld = rows + gap;
  return (array){.values = values,
                 .type = o->x.type,
                 .rows = rows,
                 .cols = cols,
                 .ld = rows + gap,
                 .apart = o->written == 'A' ? 0 : o->apart,
                 .part = has ? o->written : 'A'};
}

/* The arrays of these letters and sizes, still without elements. */
static void arrange (trial *t) {
  arguments *x = &t->before;
  const gpumm_type type = x->x.type;
  const int gap = (int) check_between (0, GAP);
  gpumm_operand all[GPUMM_OPERANDS], *a = all, *b = a + GPUMM_OPERAND_B, *c = a + GPUMM_OPERAND_C;
  gpumm_call of_sizes = x->x;
  of_sizes.m = x->m, of_sizes.n = x->n, of_sizes.k = x->k;
  (void) gpumm_call_operands (&of_sizes, all); /* which have no memory yet */
  t->a = array_of (a, x->a, &x->lda, gap);
  t->b = array_of (b, x->b, &x->ldb, gap);
  t->c = array_of (c, x->c, &x->ldc, gap);
  t->written = c->writes ? &t->c : b->writes && !b->over_a ? &t->b : &t->a;
  t->tau = (array){x->tau, type, LARGEST, 1, LARGEST, 0, 'A'};
  for (int i = 0; i < parts (type) * LARGEST; i++)
    hide (x->tau, type, i);
}

static size_t bytes_of (const array *x) {
  return (size_t) at (x, 0, x->cols) * (is_single (x->type) ? 4 : 8);
}

/* The array x of `before` in another copy of the arguments. */
static void *in_copy (const trial *t, const arguments *copy, const array *x) {
  return (char *) copy + ((const char *) x->values - (const char *) &t->before);
}

static void copy_arguments (const trial *t, arguments *to) {
  const array *all[] = {&t->a, &t->b, &t->c, &t->tau};
  memcpy (to, &t->before, offsetof (arguments, a));
  for (int i = 0; i < 4; i++)
    memcpy (in_copy (t, to, all[i]), all[i]->values, bytes_of (all[i]));
  memcpy (to->pivots, t->before.pivots, sizeof to->pivots);
  memcpy (to->alpha, t->before.alpha, sizeof to->alpha);
  memcpy (to->beta, t->before.beta, sizeof to->beta);
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

/* 5: other info or pivots; else as `difference`, the most of the arrays. */
static int differences (const trial *t, int changes_a) {
  const array *all[] = {&t->a, &t->b, &t->c, &t->tau};
  int most = 0;
  for (int i = 0; i < 4; i++) {
    const void *ours = in_copy (t, &t->ours, all[i]), *theirs = in_copy (t, &t->theirs, all[i]);
    const int may_change = all[i] == t->written || all[i] == &t->tau || (i == 0 && changes_a);
    const int here = may_change ? difference (ours, theirs, all[i]->values, all[i])
                                : 4 * (memcmp (ours, all[i]->values, bytes_of (all[i])) != 0);
    most = here > most ? here : most;
  }
  const int is_alike = t->ours.info == t->theirs.info
                       && memcmp (t->ours.pivots, t->theirs.pivots, sizeof t->ours.pivots) == 0;
  return is_alike ? most : 5;
}

/* Runs the case by both, and returns how they differ. */
static int run_both (trial *t) {
  const gpumm_call *x = &t->before.x;
  copy_arguments (t, &t->ours);
  copy_arguments (t, &t->theirs);
  const int64_t so_far = count_calls (x->routine, x->type, 1);
  call (find (OURS, x->routine, x->type), &t->ours);
  t->is_taken = count_calls (x->routine, x->type, 1) != so_far;
  call (find (THEIRS, x->routine, x->type), &t->theirs);
  return differences (t, 0);
}

enum verdict { CPU, DEVICE, EITHER };
static int on_cpu, on_device; /* cases */

static void compare (trial *t, enum verdict verdict, const char *what, const char *place) {
  const gpumm_call *x = &t->before.x;
  const char *name = gpumm_routine_name (x->routine, x->type);
  const int found = run_both (t);
  if (t->theirs.info != 0
      || (!has (x->routine, "beta")
          && overflows (in_copy (t, &t->theirs, t->written), t->written->values, t->written)))
    verdict = CPU;
  CHECK (verdict == EITHER || t->is_taken == (verdict == DEVICE), "%c%s, %s%s, %d x %d: %staken",
         "sdcz"[x->type], name, what, place, (int) t -> before.m, (int) t->before.n,
         t->is_taken ? "" : "not ");
  CHECK (found <= t->is_taken + (t->is_taken && verdict == EITHER),
         "%c%s, %s%s, %d x %d x %d, side %c, uplo %c, trans %c, diag %c: difference %d, info %d, "
         "but %d below",
         "sdcz"[x->type], name, what, place, (int) t -> before.m, (int) t->before.n,
         (int) t->before.k, x->side, x->uplo, x->trans, x->diag, found, (int) t->ours.info,
         (int) t->theirs.info);
  *(t->is_taken ? &on_device : &on_cpu) += 1;
}

/* ---- LAPACK ------------------------------------------------------------------------------- */

/* The factors that a routine needs, by the LAPACK below. */
static void factor (gpumm_routine by, trial *t) {
  arguments *x = &t->before;
  const gpumm_routine which = x->x.routine;
  const integer m = x->m, n = x->n, k = x->k;
  x->x.routine = by;
  x->m = t->a.rows, x->n = by == GPUMM_GEQRF ? k : t->a.cols;
  call (find (THEIRS, by, x->x.type), x);
  x->x.routine = which;
  x->m = m, x->n = n, x->k = k;
  x->info = 0;
}

/* Which computes it, by the kind of A; EITHER if that depends on rounding errors, or on sizes. */
static enum verdict verdict_of (gpumm_routine which, enum kind kind) {
  if (kind == NORMAL)
    return DEVICE;
  if (kind <= ALL_NAN || (kind >= HUGE_NUMBERS && kind <= DENORMAL) || kind == INFINITE_PIVOT
      || kind == ZERO_PIVOT || kind == TINY_PIVOT)
    return CPU;
  if (kind == LARGE_SQUARES || kind == SMALL_SQUARES)
    return is_of_qr (which) ? CPU : EITHER;
  if (kind == GROWTH || (is_of_qr (which) && !is_factorisation (which)) || kind == GRADED)
    return EITHER;
  if (which == GPUMM_GEQRF || !is_factorisation (which))
    return kind == ZERO || kind == ZERO_COLUMN ? CPU : EITHER;
  return CPU;
}

/* place: 0: A is of this kind; 1: B, C; 2: tau. n and shape as for draw_sizes. */
static enum verdict make_lapack (trial *t, gpumm_routine which, gpumm_type type, int n,
                                 enum kind kind, int place, int shape) {
  static const gpumm_routine factors[GPUMM_GECON] = {
      [GPUMM_GETRS] = GPUMM_GETRF, [GPUMM_GETRI] = GPUMM_GETRF, [GPUMM_POTRS] = GPUMM_POTRF,
      [GPUMM_POTRI] = GPUMM_POTRF, [GPUMM_ORGQR] = GPUMM_GEQRF, [GPUMM_ORMQR] = GPUMM_GEQRF};
  draw_letters (t, which, type);
  draw_sizes (&t->before, n, shape);
  arrange (t);
  array tau = t->tau;
  tau.rows = tau.ld = (int) t->before.k;
  const int is_made = kind >= ZERO_COLUMN && kind < ZERO_PIVOT;
  fill (&t->a, t->a.part != 'A' ? HERMITIAN : SHIFTED, is_made ? kind : NORMAL);
  if (has_other (which))
    fill (t->written, SHIFTED, NORMAL);
  if (factors[which])
    factor (factors[which], t);
  if (which == GPUMM_ORGQR || which == GPUMM_ORMQR) {
    t->a.part = 'L', t->a.apart = 1;
    for (int j = 0; j < t->a.cols; j++) /* R is not read */
      for (int i = 0; i <= j && which == GPUMM_ORMQR; i++)
        for (int l = 0; l < parts (type); l++)
          hide (t->a.values, type, at (&t->a, i, j) + l);
  }
  if (!is_made)
    spoil (place == 0 ? &t->a : place == 1 ? t->written : &tau, kind);
  const int is_other_sound =
      kind == ZERO || kind == NORMAL
      || (!is_of_qr (which) && (kind == LARGE_SQUARES || kind == SMALL_SQUARES));
  return place == 0 ? verdict_of (which, kind) : is_other_sound ? EITHER : CPU;
}

/* Does a routine see another matrix of this kind than others? */
static int has_kind (gpumm_routine which, int kind, int n) {
  const int is_of_factor = kind >= ZERO_PIVOT, is_of_matrix = kind >= ZERO_COLUMN && !is_of_factor;
  return !(is_factorisation (which) ? is_of_factor : is_of_matrix)
         && (kind != INDEFINITE || which == GPUMM_POTRF)
         && !(is_of_factor && (is_of_qr (which) || (kind < GROWTH && n < 2)));
}

/* Every step-th case of order n: without a GPU large ones take long. */
static void test_lapack (trial *t, int n, int step) {
  static const char *const places[] = {"", " in the other matrix", " in tau"};
  int turn = 0;
  for (int r = 0; r < GPUMM_GECON; r++)
    for (int type = GPUMM_S; type <= GPUMM_Z; type++)
      for (int kind = NORMAL; kind < MANY_KINDS; kind++)
        for (int place = 0; place < 3; place++) {
          const gpumm_routine which = (gpumm_routine) r;
          if (!is_of_lapack (which) || !has_kind (which, kind, n)
              || (place == 1 && (kind >= ZERO_COLUMN || !has_other (which)))
              || (place == 2 && (kind >= ZERO || !is_of_qr (which) || is_factorisation (which))))
            continue;
          if (turn % step == 0) {
            const enum verdict verdict =
                make_lapack (t, which, (gpumm_type) type, n, (enum kind) kind, place, turn % 3);
            compare (t, verdict, kinds[kind].name, places[place]);
          }
          turn++;
        }
}

/* gesv is getrf and then getrs, each where it belongs. */
static void test_gesv (trial *t, gpumm_type type, int n, enum kind kind, int place) {
  draw_letters (t, GPUMM_GETRS, type);
  draw_sizes (&t->before, n, 0);
  arrange (t);
  fill (&t->a, SHIFTED, kind >= ZERO_COLUMN ? kind : NORMAL);
  fill (&t->b, SHIFTED, NORMAL);
  if (kind < ZERO_COLUMN)
    spoil (place ? &t->b : &t->a, kind);
  for (int whose = OURS; whose <= THEIRS; whose++) {
    arguments *x = whose == OURS ? &t->ours : &t->theirs;
    copy_arguments (t, x);
    find_routine (whose, type, "gesv") (&x->n, &x->k, x->a, &x->lda, x->pivots, x->b, &x->ldb,
                                        &x->info);
  }
  t->written = &t->b;
  const int found = differences (t, 1);
  CHECK (found <= 1, "%cgesv, %s%s, n %d: difference %d, info %d, but %d below", "sdcz"[type],
         kinds[kind].name, place ? " in B" : "", n, found, (int) t->ours.info,
         (int) t->theirs.info);
}

/* ---- BLAS --------------------------------------------------------------------------------- */

/* bad: the matrix of this kind; 0: A, 1: B, 2: C. */
static enum verdict make_blas (trial *t, gpumm_routine which, gpumm_type type, int n, int bad,
                               enum kind kind, double alpha, double beta) {
  draw_letters (t, which, type);
  draw_sizes (&t->before, n, 0);
  arrange (t);
  fill (&t->a, which == GPUMM_TRSM ? HERMITIAN : PLAIN, NORMAL);
  fill (&t->b, PLAIN, NORMAL);
  fill (&t->c, PLAIN, NORMAL);
  for (int64_t i = 0; i < at (&t->c, 0, t->c.cols) && beta == 0 && bad != 2; i++)
    hide (t->c.values, type, i);
  spoil (bad == 0 ? &t->a : bad == 1 ? &t->b : &t->c, kind);
  put (t->before.alpha, type, 0, alpha);
  put (t->before.beta, type, 0, beta);
  put (t->before.alpha, type, 1, which != GPUMM_HERK && alpha != 0 ? 0.5 : 0);
  put (t->before.beta, type, 1, 0);
  return alpha == 0 || (is_triangular (which) && kind != NORMAL) ? CPU : DEVICE;
}

static int is_there (gpumm_routine which, gpumm_type type) {
  return parts (type) == 2 || (which != GPUMM_HEMM && which != GPUMM_HERK && which != GPUMM_HER2K);
}

static void test_blas (trial *t, int n, gpumm_routine first) {
  static const double alphas[] = {0, 0.75}, betas[] = {0, 1, 1.5};
  static const char *const places[] = {" in A", " in B", " in C"};
  for (int which = (int) first; which < GPUMM_GECON; which++)
    for (int type = GPUMM_S; type <= GPUMM_Z; type++)
      for (int bad = 0; bad < 3; bad++)
        for (int kind = NORMAL; kind <= ONE_INF; kind++)
          for (int scalars = 0; scalars < 6; scalars++) {
            const gpumm_routine r = (gpumm_routine) which;
            if (is_of_lapack (r) || !is_there (r, (gpumm_type) type)
                || (bad == 1 && !has (r, "ldb")) || (bad == 2 && !has (r, "ldc")))
              continue;
            const enum verdict verdict =
                make_blas (t, r, (gpumm_type) type, n, bad, (enum kind) kind, alphas[scalars % 2],
                           betas[scalars / 2]);
            compare (t, verdict, kinds[kind].name, places[bad]);
          }
}

/* ---- random cases ------------------------------------------------------------------------- */

static enum verdict make_random (trial *t, gpumm_routine which, gpumm_type type) {
  if (is_of_lapack (which))
    return make_lapack (t, which, type, 0, NORMAL, 0, 0);
  const enum kind kind = which != GPUMM_GEMM || check_between (0, 4)
                             ? NORMAL
                             : (enum kind) check_between (ONE_NAN, ONE_INF);
  const double beta = check_between (0, 2) ? 0.5 : 0;
  const enum verdict verdict = make_blas (t, which, type, 0, 0, kind, 0.75, beta);
  if (beta != 0 && which != GPUMM_HERK && which != GPUMM_HER2K)
    put (t->before.beta, type, 1, 1.5);
  return verdict;
}

static void test_random (trial *t) {
  enum { CASES = 60 };
  for (int type = GPUMM_S; type <= GPUMM_Z; type++)
    for (int r = 0; r < GPUMM_GECON; r++)
      for (int i = 0; i < CASES && is_there ((gpumm_routine) r, (gpumm_type) type); i++)
        compare (t, make_random (t, (gpumm_routine) r, (gpumm_type) type), "random", "");
}

/* ---- arguments that are not valid, and an empty size ---------------------------------------- */

static void test_arguments (trial *t) {
  static const char *const names[] = {"ZGEMM", "ZTRSM", ""};
  static const int infos[] = {8, 4, 0};
  for (int i = 0; i < 3; i++) {
    const gpumm_routine which = i == 1 ? GPUMM_TRSM : GPUMM_GEMM;
    make_random (t, which, GPUMM_Z);
    t->before.lda = i == 0 ? 0 : t->before.lda;
    t->before.x.diag = i == 1 ? '?' : 'N';
    t->before.n = i == 2 ? 0 : t->before.n;
    copy_arguments (t, &t->ours);
    said_info = 0;
    said_name[0] = 0;
    call (find (OURS, which, GPUMM_Z), &t->ours);
    CHECK (said_info == infos[i] && strncmp (said_name, names[i], strlen (names[i])) == 0
               && memcmp (t->ours.c, t->before.c, bytes_of (&t->c)) == 0,
           "case %d: %s %d", i, said_name, (int) said_info);
  }
}

/* ---- at once, and forked -------------------------------------------------------------------- */

static trial *new_trial (void) {
  return aligned_alloc (64, sizeof (trial));
}

static _Atomic int wrong;

static void *work (void *number) {
  trial *t = new_trial ();
  check_state = (uint64_t) (size_t) number;
  for (int i = 0; i < 4; i++)
    for (int r = 0; r < GPUMM_GECON; r++) {
      make_random (t, (gpumm_routine) r, GPUMM_Z);
      wrong += run_both (t) > 1;
    }
  free (t);
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
static void test_failures (trial *t) {
  int good = 0, lines = 0;
  FILE *said = tmpfile ();
  const int before = dup (STDERR_FILENO);
  CHECK (said && before >= 0 && dup2 (fileno (said), STDERR_FILENO) >= 0, "no file");
  for (int n = 1; n <= 20; n++)
    for (int r = 0; r < 2; r++) {
      make_random (t, r ? GPUMM_TRSM : GPUMM_GEMM, GPUMM_D);
      gpumm_fault_device (n);
      good += run_both (t) <= 1;
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
static void test_child (trial *t, int is_taken) {
  const pid_t child = fork ();
  if (child == 0) {
    alarm (60);
    make_random (t, GPUMM_GEMM, GPUMM_D);
    _exit (run_both (t) <= 1 && t->is_taken == is_taken ? 0 : 1);
  }
  int status = -1;
  CHECK (child > 0 && waitpid (child, &status, 0) == child && status == 0, "status %d", status);
}

int main (void) {
  check_seed (20261127);
  if (begin_blas ())
    return 77;
  trial *t = new_trial ();
  test_child (t, 1); /* before the first call of this process */
  const int has_gpu = gpumm_device_count (NULL) > 0;
  static const int sizes[] = {3, 20, 65, 130, LARGEST}, steps[] = {1, 1, 5, 13, 97};
  test_random (t);
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
    test_lapack (t, sizes[i], has_gpu ? 1 : steps[i]);
  for (int i = 0; i < 4 * GRADED; i++)
    for (int place = 0; place < (i / 4 < ZERO_COLUMN ? 2 : 1); place++)
      test_gesv (t, (gpumm_type) (i % 4), i % 3 ? 30 : 3, (enum kind) (i / 4), place);
  test_blas (t, 3, GPUMM_GEMM);
  test_blas (t, 70, has_gpu ? GPUMM_GEMM : GPUMM_SYMM); /* the host device is slow */
  CHECK (on_cpu > 1000 && on_device > 300, "%d on the CPU, %d on the device", on_cpu, on_device);
  test_arguments (t);
  test_failures (t);
  test_threads ();
  test_child (t, 0);
  free (t);
  return check_done ();
}
