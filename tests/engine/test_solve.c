/* test_solve.c - triangular systems and Cholesky's factor of matrices on a device: residuals by
 * plain loops, all types, sides, triangles and ops; and what has to be left to LAPACK is refused:
 * singular and nearly singular matrices, NaN, Inf, extreme numbers, matrices that are not positive
 * definite. Every call of the device fails in turn.
 *
 *   test_solve [gpu]   the host device, or GPU 0
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "faults.h"
#include "resident.h"

enum { MOST = 150, GAP = 3 };

static number at (const gpumm_matrix *x, int64_t i, int64_t j) {
  return get (x->type, x->values, i + j * x->ld);
}

static void set (const gpumm_matrix *x, int64_t i, int64_t j, number value) {
  put (x->type, x->values, i + j * x->ld, value);
}

static gpumm_matrix new_matrix (gpumm_type type, int64_t rows, int64_t cols) {
  return (gpumm_matrix){.type = type,
                        .rows = rows,
                        .cols = cols,
                        .ld = rows,
                        .values = check_allocate (rows * cols, 16)};
}

static number small_number (void) {
  const double re = check_uniform () - 0.5;
  return CMPLX (re, check_uniform () - 0.5);
}

/* Well conditioned: 2 on the diagonal of a triangle; or positive definite. */
static gpumm_matrix triangle (gpumm_type type, int64_t n, char uplo) {
  const gpumm_matrix x = new_matrix (type, n, n);
  for (int64_t j = 0; j < n; j++)
    for (int64_t i = 0; i < n; i++)
      set (&x, i, j, i == j ? 2 : (uplo == 'U') == (i < j) ? small_number () / (double) n : 0);
  return x;
}

static gpumm_matrix definite (gpumm_type type, int64_t n) {
  const gpumm_matrix x = new_matrix (type, n, n);
  for (int64_t j = 0; j < n; j++)
    for (int64_t i = 0; i <= j; i++) {
      const number value = i == j ? 2 : small_number () / (double) n;
      set (&x, i, j, value);
      set (&x, j, i, i == j ? value : conjl (value));
    }
  return x;
}

static number of_op (const gpumm_matrix *a, gpumm_op op, int64_t i, int64_t j) {
  const number value = op == GPUMM_NONE ? at (a, i, j) : at (a, j, i);
  return op == GPUMM_CTRANSPOSE ? conjl (value) : value;
}

/* The largest element of op (X) op (Y) - Z. */
static double residual (const gpumm_matrix *x, gpumm_op op_x, const gpumm_matrix *y, gpumm_op op_y,
                        const gpumm_matrix *z) {
  const int64_t count = op_x == GPUMM_NONE ? x->cols : x->rows;
  double most = 0;
  for (int64_t j = 0; j < z->cols; j++)
    for (int64_t i = 0; i < z->rows; i++) {
      number sum = -at (z, i, j);
      for (int64_t l = 0; l < count; l++)
        sum += of_op (x, op_x, i, l) * of_op (y, op_y, l, j);
      most = (double) cabsl (sum) <= most ? most : (double) cabsl (sum);
    }
  return most;
}

static double allowed (gpumm_type type, int64_t n) {
  return 20 * (double) (n + 5) * (is_single (type) ? FLT_EPSILON : DBL_EPSILON);
}

/* ---- results ------------------------------------------------------------------------------ */

static gpumm_matrix there_for (const gpumm_matrix *x) {
  const gpumm_view values = take (x->type, (x->rows + GAP) * x->cols);
  return full_at (&values, x->rows, x->cols, GAP);
}

static void test_system (gpumm_type type, int64_t n, int64_t others, char side, char uplo,
                         gpumm_op op) {
  const int is_left = side == 'L';
  const gpumm_matrix a = triangle (type, n, uplo),
                     b = new_matrix (type, is_left ? n : others, is_left ? others : n);
  for (int64_t j = 0; j < b.cols; j++)
    for (int64_t i = 0; i < b.rows; i++)
      set (&b, i, j, small_number ());
  gpumm_matrix a_there = send_full (&a, 1), b_there = send_full (&b, 2), x_there = there_for (&b);
  a_there.op = op;
  CHECK (!gpumm_solve_triangular (side, uplo, &a_there, &b_there, &x_there), "%s",
         gpumm_last_error ());
  gpumm_matrix x = fetch_full (&x_there, 0);
  const double found =
      is_left ? residual (&a, op, &x, GPUMM_NONE, &b) : residual (&x, GPUMM_NONE, &a, op, &b);
  CHECK (found <= allowed (type, n), "type %d, n %d, %c %c, op %d: residual %g", (int) type,
         (int) n, side, uplo, (int) op, found);
  release (&x);
  give_all ();
  free (a.values);
  free (b.values);
}

static void test_factor (gpumm_type type, int64_t n, char uplo) {
  const gpumm_matrix a = definite (type, n), a_there = send_full (&a, 1), r_there = there_for (&a);
  CHECK (!gpumm_factor_cholesky (uplo, &a_there, &r_there), "%s", gpumm_last_error ());
  gpumm_matrix r = fetch_full (&r_there, 0);
  const int is_upper = uplo == 'U';
  const double found = residual (&r, is_upper ? GPUMM_CTRANSPOSE : GPUMM_NONE, &r,
                                 is_upper ? GPUMM_NONE : GPUMM_CTRANSPOSE, &a);
  int beside = 0;
  for (int64_t j = 0; j < n; j++)
    for (int64_t i = 0; i < n; i++)
      beside += i != j && is_upper == (i > j) && at (&r, i, j) != 0;
  CHECK (found <= allowed (type, n) && beside == 0, "type %d, n %d, %c: residual %g, %d beside it",
         (int) type, (int) n, uplo, found, beside);
  release (&r);
  give_all ();
  free (a.values);
}

/* ---- what is left to LAPACK --------------------------------------------------------------- */

/* With one element of A or B changed; or an overflow in X. */
static void test_refusal (gpumm_type type, char side, int of_b, int64_t i, int64_t j,
                          double value) {
  enum { N = 30 };
  const gpumm_matrix a = triangle (type, N, 'U'), b = triangle (type, N, 'U');
  set (of_b ? &b : &a, i, j, value);
  if (of_b && isfinite (value))
    set (&a, i, j, 1.0 / 4);
  const gpumm_matrix a_there = send_full (&a, 0), b_there = send_full (&b, 0),
                     x_there = there_for (&b);
  refused (gpumm_solve_triangular (side, 'U', &a_there, &b_there, &x_there), GPUMM_UNSUPPORTED,
           "left to the CPU");
  give_all ();
  free (a.values);
  free (b.values);
}

/* 1 on the diagonal and -1 beside it: the pivots are good, the condition number is n 2^(n - 1). */
static void test_condition (gpumm_type type, char side, int64_t n, int is_refused) {
  const gpumm_matrix a = triangle (type, n, 'L');
  for (int64_t j = 0; j < n; j++)
    for (int64_t i = j; i < n; i++)
      set (&a, i, j, i == j ? 1 : -1);
  const gpumm_matrix there = send_full (&a, 0), x_there = there_for (&a),
                     b_there = send_full (&a, 0);
  const gpumm_status status = gpumm_solve_triangular (side, 'L', &there, &b_there, &x_there);
  CHECK (status == (is_refused ? GPUMM_UNSUPPORTED : GPUMM_OK), "n %d, side %c: %s", (int) n, side,
         status ? gpumm_last_error () : "solved");
  give_all ();
  free (a.values);
}

/* An element of the triangle and its mirror image, or of the diagonal, is this. */
static void test_not_definite (gpumm_type type, int64_t i, int64_t j, double value) {
  enum { N = 30 };
  const gpumm_matrix a = definite (type, N);
  set (&a, i, j, value);
  set (&a, j, i, value);
  const gpumm_matrix there = send_full (&a, 0), r_there = there_for (&a);
  refused (gpumm_factor_cholesky ('U', &there, &r_there), GPUMM_UNSUPPORTED, "left to the CPU");
  give_all ();
  free (a.values);
}

static void test_refusals (gpumm_type type) {
  const double tiny = is_single (type) ? 1e-30 : 1e-250;
  for (int side = 0; side < 2; side++) {
    const char letter = "LR"[side];
    test_refusal (type, letter, 0, 7, 7, 0);
    test_refusal (type, letter, 0, 29, 29, tiny);
    test_refusal (type, letter, 0, 3, 9, NAN);
    test_refusal (type, letter, 0, 3, 9, INFINITY);
    test_refusal (type, letter, 1, 5, 6, NAN);
    test_refusal (type, letter, 1, 29, 0, -INFINITY);
    test_refusal (type, letter, 1, 29, 29, is_single (type) ? FLT_MAX : DBL_MAX);
    test_condition (type, letter, 8, 0);
    test_condition (type, letter, is_single (type) ? 30 : 60, 1);
  }
  test_not_definite (type, 4, 4, 0);
  test_not_definite (type, 4, 4, -1);
  test_not_definite (type, 4, 5, 3);
  test_not_definite (type, 4, 4, tiny);
  test_not_definite (type, 0, 29, NAN);
  test_not_definite (type, 29, 29, INFINITY);
  test_not_definite (type, 2, 2, is_single (type) ? 1e35 : 1e300);
}

/* ---- arguments, and failures --------------------------------------------------------------- */

static void test_arguments (void) {
  const gpumm_matrix host = triangle (GPUMM_D, 6, 'U'), wide = new_matrix (GPUMM_D, 6, 4),
                     single = triangle (GPUMM_S, 6, 'U');
  const gpumm_matrix a = send_full (&host, 0), b = send_full (&wide, 0), x = there_for (&wide),
                     other = send_full (&single, 0), r = there_for (&host);
  gpumm_matrix bad_op = a;
  bad_op.op = (gpumm_op) 7;
  refused (gpumm_solve_triangular ('L', 'U', NULL, &b, &x), GPUMM_INVALID, "A is not");
  refused (gpumm_solve_triangular ('L', 'U', &host, &b, &x), GPUMM_INVALID, "A is not");
  refused (gpumm_solve_triangular ('L', 'U', &bad_op, &b, &x), GPUMM_INVALID, "A is not");
  refused (gpumm_solve_triangular ('L', 'U', &a, NULL, &x), GPUMM_INVALID, "B is not");
  refused (gpumm_solve_triangular ('L', 'U', &a, &b, NULL), GPUMM_INVALID, "X is not");
  refused (gpumm_solve_triangular ('L', 'U', &a, &other, &x), GPUMM_INVALID, "another type");
  refused (gpumm_solve_triangular ('R', 'U', &a, &b, &x), GPUMM_INVALID, "sizes");
  refused (gpumm_solve_triangular ('L', 'U', &a, &b, &b), GPUMM_INVALID, "X lies in B");
  refused (gpumm_solve_triangular ('L', 'U', &r, &a, &r), GPUMM_INVALID, "memory of another");
  refused (gpumm_solve_triangular ('L', 'X', &a, &b, &x), GPUMM_INVALID, "letter");
  refused (gpumm_solve_triangular ('l', 'U', &a, &a, &r), GPUMM_INVALID, "letter");
  refused (gpumm_factor_cholesky ('U', NULL, &r), GPUMM_INVALID, "A is not");
  refused (gpumm_factor_cholesky ('U', &a, NULL), GPUMM_INVALID, "R is not");
  refused (gpumm_factor_cholesky ('U', &a, &a), GPUMM_INVALID, "R lies in A");
  refused (gpumm_factor_cholesky ('U', &b, &x), GPUMM_INVALID, "not square");
  refused (gpumm_factor_cholesky ('u', &a, &r), GPUMM_INVALID, "letter");
  give_all ();
  free (host.values);
  free (wide.values);
  free (single.values);
}

typedef struct {
  gpumm_matrix a, x;
  int factors;
} trial;

static gpumm_status try_again (void *context) {
  const trial *t = context;
  return t->factors ? gpumm_factor_cholesky ('U', &t->a, &t->x)
                    : gpumm_solve_triangular ('L', 'U', &t->a, &t->a, &t->x);
}

static void test_faults (void) {
  for (int factors = 0; factors < 2; factors++)
    for (int which = 0; which < 2; which++) {
      const gpumm_matrix a = factors ? definite (GPUMM_D, 20) : triangle (GPUMM_D, 20, 'U');
      trial t = {.a = send_full (&a, 0), .x = there_for (&a), .factors = factors};
      fail_in_turn (&(faults){.name = factors ? "chol" : "solve",
                              .inject = which ? gpumm_fault_device : gpumm_fault_memory,
                              .run = try_again,
                              .context = &t,
                              .least = 2});
      give_all ();
      free (a.values);
    }
}

int main (int argc, char **argv) {
  static const int sizes[] = {1, 2, 7, 33, MOST};
  int unused = 0;
  take_arguments (argc, argv, &unused);
  check_seed (20261130);
  for (int type = GPUMM_S; type <= GPUMM_Z; type++) {
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
      for (int c = 0; c < 12; c++) {
        test_system ((gpumm_type) type, sizes[i], c % 2 ? 5 : 1, "LR"[c % 2], "UL"[c / 2 % 2],
                     (gpumm_op) (c / 4));
        test_factor ((gpumm_type) type, sizes[i], "UL"[c % 2]);
      }
    test_refusals ((gpumm_type) type);
  }
  test_arguments ();
  if (device == GPUMM_HOST)
    test_faults ();
  return released_and_done ();
}
