/* test_same.c - products whose operands share memory: one matrix twice, other sizes or leading
 * dimensions of the same pointer, overlapping views, and copies that are its transposes.
 *
 * Some algorithms take a shorter way where both operands are one matrix. All numbers are small
 * integers, so that results are compared without a tolerance, with sums that the test forms.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "check.h"
#include "host_device.h"
#include "gpumm.h"

#include <complex.h>
#include <inttypes.h>
#include <string.h>

enum { ROOM = 40 * 80 }; /* elements of the memory that all views lie in */

static const gpumm_type types[] = {GPUMM_S, GPUMM_D, GPUMM_C, GPUMM_Z, GPUMM_I32};
enum { TYPES = sizeof types / sizeof *types };

static int is_complex (gpumm_type type) {
  return type == GPUMM_C || type == GPUMM_Z;
}

static double complex get (gpumm_type type, const void *values, int64_t at) {
  switch (type) {
  case GPUMM_S:
    return ((const float *) values)[at];
  case GPUMM_D:
    return ((const double *) values)[at];
  case GPUMM_C:
    return ((const float complex *) values)[at];
  case GPUMM_Z:
    return ((const double complex *) values)[at];
  default:
    return ((const int32_t *) values)[at];
  }
}

static void set (gpumm_type type, void *values, int64_t at, double complex x) {
  switch (type) {
  case GPUMM_S:
    ((float *) values)[at] = (float) creal (x);
    break;
  case GPUMM_D:
    ((double *) values)[at] = creal (x);
    break;
  case GPUMM_C:
    ((float complex *) values)[at] = (float complex) x;
    break;
  case GPUMM_Z:
    ((double complex *) values)[at] = x;
    break;
  default:
    ((int32_t *) values)[at] = (int32_t) creal (x);
  }
}

static double complex random_number (gpumm_type type) {
  double re = (double) check_between (-3, 3);
  return is_complex (type) ? CMPLX (re, (double) check_between (1, 4)) : re;
}

static double complex element (const gpumm_matrix *x, gpumm_op op, int64_t i, int64_t j) {
  double complex value = get (x->type, x->values, op == GPUMM_NONE ? i + j * x->ld : j + i * x->ld);
  return op == GPUMM_CTRANSPOSE ? conj (value) : value;
}

static gpumm_matrix view (gpumm_type type, void *values, int64_t rows, int64_t cols, int64_t ld) {
  return (gpumm_matrix){
      .format = GPUMM_DENSE, .type = type, .rows = rows, .cols = cols, .ld = ld, .values = values};
}

/* How B lies beside A. The last four are copies in memory of their own, so that B's elements are
 * those of A, its conjugate, its transpose or its conjugate transpose where the sizes let them. */
enum {
  SAME,
  OTHER_SIZES,
  OTHER_LD,
  OVERLAPPING,
  COPY,
  CONJUGATE,
  TRANSPOSED,
  CONJUGATE_TRANSPOSED,
  RELATIONS
};

typedef struct {
  const char *algorithm;
  int64_t device_memory;
  gpumm_type type;
  gpumm_op op_a, op_b;
  int relation;
  int64_t size[2]; /* of the stored A */
} cell;

/* The stored B whose op (B) can follow op (A), in x's memory or in own; 0: there is none such. */
static int second (const cell *c, const gpumm_matrix *a, void *own, gpumm_matrix *b) {
  int64_t k = c->op_a == GPUMM_NONE ? a->cols : a->rows;
  int is_copy = c->relation >= COPY, turns = c->relation >= TRANSPOSED;
  *b = *a;
  if (is_copy) {
    b->values = own;
    b->ld = (turns ? a->cols : a->rows) + 3;
    b->rows = turns ? a->cols : a->rows;
    b->cols = turns ? a->rows : a->cols;
    for (int64_t j = 0; j < b->cols; j++)
      for (int64_t i = 0; i < b->rows; i++) {
        double complex value =
            turns ? element (a, GPUMM_TRANSPOSE, i, j) : element (a, GPUMM_NONE, i, j);
        int conjugates = c->relation == CONJUGATE || c->relation == CONJUGATE_TRANSPOSED;
        set (a->type, own, i + j * b->ld, conjugates ? conj (value) : value);
      }
  } else if (c->relation != SAME) {
    int64_t n = check_between (1, 17); /* of op (B), which conforms */
    b->rows = c->op_b == GPUMM_NONE ? k : n;
    b->cols = c->op_b == GPUMM_NONE ? n : k;
    b->ld = a->ld;
    if (c->relation == OTHER_SIZES && check_between (0, 1)) { /* C is square, too */
      n = c->op_a == GPUMM_NONE ? a->rows : a->cols;
      b->rows = c->op_b == GPUMM_NONE ? k : n;
      b->cols = c->op_b == GPUMM_NONE ? n : k;
    }
    if (c->relation == OTHER_LD)
      b->ld = b->rows + check_between (0, 3);
    if (c->relation == OVERLAPPING)
      b->values = (char *) a->values + gpumm_type_bytes (a->type) * (size_t) check_between (1, 9);
  }
  return (c->op_b == GPUMM_NONE ? b->rows : b->cols) == k && b->ld >= b->rows
         && b->ld * b->cols + 9 <= ROOM;
}

static int ran; /* products */

static void one (const cell *c) {
  const size_t bytes = gpumm_type_bytes (c->type);
  char *memory = check_allocate (ROOM, bytes), *own = check_allocate (ROOM, bytes);
  for (int64_t i = 0; i < ROOM; i++)
    set (c->type, memory, i, random_number (c->type));
  gpumm_problem p = {.output = c->type};
  p.a = view (c->type, memory, c->size[0], c->size[1], c->size[0] + check_between (0, 3));
  gpumm_matrix c0, result;
  gpumm_job *job = NULL;
  if (!second (c, &p.a, own, &p.b))
    goto done;
  p.a.op = c->op_a;
  p.b.op = c->op_b;
  const int64_t m = c->op_a == GPUMM_NONE ? p.a.rows : p.a.cols;
  const int64_t k = c->op_a == GPUMM_NONE ? p.a.cols : p.a.rows;
  const int64_t n = c->op_b == GPUMM_NONE ? p.b.cols : p.b.rows;
  double complex alpha = check_between (0, 1) ? 1 : random_number (c->type), beta = 0;
  c0 = view (c->type, memory, m, n, m + 1); /* it may share A's memory, too */
  if (check_between (0, 3) == 0 && (m + 1) * n <= ROOM) {
    beta = random_number (c->type);
    p.c0 = &c0;
  }
  p.alpha = (gpumm_scalar){creal (alpha), cimag (alpha)};
  p.beta = (gpumm_scalar){creal (beta), cimag (beta)};
  result = view (c->type, check_allocate ((m + 2) * n, bytes), m, n, m + 2);
  const gpumm_options options = {
      .algorithm = c->algorithm, .device = -1, .max_device_memory = c->device_memory};
  gpumm_status status = gpumm_open (&p, &options, &job);
  if (!status)
    status = gpumm_run (job, &result);
  int64_t wrong = 0;
  for (int64_t j = 0; j < n && !status; j++)
    for (int64_t i = 0; i < m; i++) {
      double complex sum = 0;
      for (int64_t l = 0; l < k; l++)
        sum += element (&p.a, c->op_a, i, l) * element (&p.b, c->op_b, l, j);
      sum *= alpha;
      if (beta != 0)
        sum += beta * element (&c0, GPUMM_NONE, i, j);
      wrong += get (c->type, result.values, i + j * result.ld) != sum;
    }
  CHECK (status == GPUMM_OK && wrong == 0,
         "%s %s, relation %d, ops %d %d: %" PRId64 "x%" PRId64 " ld %" PRId64 " by %" PRId64
         "x%" PRId64 " ld %" PRId64 ": %" PRId64 " wrong, %s",
         c->algorithm, gpumm_type_name (c->type), c->relation, c->op_a, c->op_b, p.a.rows, p.a.cols,
         p.a.ld, p.b.rows, p.b.cols, p.b.ld, wrong, status ? gpumm_last_error () : "");
  ran++;
  gpumm_close (job);
  free (result.values);
done:
  free (memory);
  free (own);
}

/* Does the algorithm multiply full matrices of this type on any machine? */
static int multiplies (const char *algorithm, gpumm_type type) {
  double complex element = 0;
  const gpumm_matrix x = {.type = type, .rows = 1, .cols = 1, .ld = 1, .values = &element};
  const gpumm_problem p = {.a = x, .b = x, .alpha = {1, 0}, .output = type};
  const gpumm_options options = {.backend = GPUMM_CPU, .algorithm = algorithm, .device = -1};
  gpumm_job *job;
  const gpumm_status status = gpumm_open (&p, &options, &job);
  gpumm_close (job);
  return status == GPUMM_OK;
}

/* Every relation, pair of ops and type, at two sizes of A. */
static void every_cell (const char *algorithm, int64_t device_memory) {
  static const int64_t sizes[] = {1, 2, 3, 5, 15, 16, 17, 33};
  for (int t = 0; t < TYPES; t++) {
    if (!multiplies (algorithm, types[t]))
      continue;
    for (int ops = 0; ops < 9; ops++)
      for (int relation = 0; relation < RELATIONS; relation++)
        for (int round = 0; round < 2; round++) {
          int64_t rows = sizes[check_between (0, 7)];
          int64_t cols = round ? sizes[check_between (0, 7)] : rows;
          one (&(cell){.algorithm = algorithm,
                       .device_memory = device_memory,
                       .type = types[t],
                       .op_a = ops / 3,
                       .op_b = ops % 3,
                       .relation = relation,
                       .size = {rows, cols}});
        }
  }
}

/* ---- sparse and blocks -------------------------------------------------------------------- */

/* Of one set of arrays, whole or its first columns or rows of blocks. */

static void check_sparse (const gpumm_problem *p, const char *algorithm, double complex *dense_a,
                          double complex *dense_b, int64_t m, int64_t k, int64_t n) {
  const gpumm_options options = {.algorithm = algorithm, .device = -1};
  gpumm_job *job = NULL;
  gpumm_matrix c = {0};
  int64_t wrong = 0;
  double complex *sum = check_allocate (m * n, sizeof *sum);
  gpumm_status status = gpumm_open (p, &options, &job);
  if (!status)
    status = gpumm_result (job, &c);
  c.start = check_allocate (n + 1, sizeof *c.start);
  c.row = check_allocate (c.nzmax, sizeof *c.row);
  c.values = check_allocate (c.nzmax, gpumm_type_bytes (c.type));
  if (!status)
    status = gpumm_run (job, &c);
  for (int64_t j = 0; j < n && !status; j++) {
    for (int64_t t = c.start[j]; t < c.start[j + 1]; t++)
      sum[c.row[t] + j * m] = get (c.type, c.values, t);
    for (int64_t i = 0; i < m; i++) {
      for (int64_t l = 0; l < k; l++)
        sum[i + j * m] -= dense_a[i + l * m] * dense_b[l + j * k];
      wrong += sum[i + j * m] != 0;
    }
  }
  CHECK (status == GPUMM_OK && wrong == 0,
         "%s, ops %d %d, %" PRId64 " columns: %" PRId64 " wrong, %s", algorithm, p->a.op, p->b.op,
         p->b.cols, wrong, status ? gpumm_last_error () : "");
  gpumm_close (job);
  free (c.start);
  free (c.row);
  free (c.values);
  free (sum);
}

/* op (X) as a full matrix. */
static void fill (const gpumm_matrix *x, gpumm_op op, double complex *dense) {
  const int64_t ld = op == GPUMM_NONE ? x->rows : x->cols;
  for (int64_t j = 0; j < x->cols; j++)
    for (int64_t t = x->start[j]; t < x->start[j + 1]; t++) {
      double complex value = get (x->type, x->values, t);
      dense[op == GPUMM_NONE ? x->row[t] + j * ld : j + x->row[t] * ld] =
          op == GPUMM_CTRANSPOSE ? conj (value) : value;
    }
}

static void test_sparse (void) {
  static const char *const ways[] = {"auto", "sparse", "spgemm", "sparse_as_dense"};
  enum { N = 13 };
  int64_t column[N + 1] = {0}, row[N * N];
  double complex values[N * N], a[N * N], b[N * N];
  for (int64_t j = 0; j < N; j++) {
    column[j + 1] = column[j];
    for (int64_t i = 0; i < N; i++)
      if (check_between (0, 2) == 0) {
        values[column[j + 1]] = random_number (GPUMM_Z);
        row[column[j + 1]++] = i;
      }
  }
  const gpumm_matrix x = {.format = GPUMM_SPARSE,
                          .type = GPUMM_Z,
                          .rows = N,
                          .cols = N,
                          .nzmax = column[N],
                          .start = column,
                          .row = row,
                          .values = values};
  for (int way = 0; way < 4; way++)
    for (int ops = 0; ops < 9; ops++)
      for (int64_t cols = N; cols >= 4; cols -= 9) { /* 13, 4 */
        gpumm_problem p = {.a = x, .b = x, .alpha = {1, 0}};
        p.a.op = ops / 3;
        p.b.op = ops % 3;
        int first = check_between (0, 1);
        gpumm_matrix *less = first ? &p.a : &p.b; /* in the other, all columns */
        less->cols = cols;
        if ((p.a.op == GPUMM_NONE ? p.a.cols : p.a.rows)
            != (p.b.op == GPUMM_NONE ? p.b.rows : p.b.cols))
          continue;
        memset (a, 0, sizeof a);
        memset (b, 0, sizeof b);
        fill (&p.a, p.a.op, a);
        fill (&p.b, p.b.op, b);
        check_sparse (&p, ways[way], a, b, p.a.op == GPUMM_NONE ? p.a.rows : p.a.cols,
                      p.a.op == GPUMM_NONE ? p.a.cols : p.a.rows,
                      p.b.op == GPUMM_NONE ? p.b.cols : p.b.rows);
      }
}

int main (int argc, char **argv) {
  gpumm_algorithm_info algorithm;
  need_host_device ();
  check_seed (argc > 1 ? strtoull (argv[1], NULL, 10) : 1);
  every_cell ("auto", 0);
  for (int i = 0; gpumm_algorithm_at (i, &algorithm) == GPUMM_OK; i++)
    every_cell (algorithm.name, 0);
  every_cell ("tiled_8", 30000); /* in parts */
  CHECK (ran > 3000, "%d products", ran);
  test_sparse ();
  gpumm_reset ();
  CHECK (gpumm_live_allocations () == 0, "%lld allocations left",
         (long long) gpumm_live_allocations ());
  return check_done ();
}
