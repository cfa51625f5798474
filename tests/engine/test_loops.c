/* test_loops.c - "loops" against sums in long double formed by the test.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "check.h"
#include "gpumm.h"

#include <complex.h>
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

typedef long double complex number;

static const gpumm_options loops = {.algorithm = "loops", .device = -1};
static const int64_t sizes[] = {0, 1, 2, 3, 4, 7, 8, 15, 16, 17, 33};
enum { SIZES = sizeof sizes / sizeof *sizes };

static const gpumm_type types[] = {GPUMM_S, GPUMM_D, GPUMM_C, GPUMM_Z};

static int is_complex (gpumm_type type) {
  return type == GPUMM_C || type == GPUMM_Z;
}

static number get (gpumm_type type, const void *values, int64_t at) {
  switch (type) {
  case GPUMM_S:
    return ((const float *) values)[at];
  case GPUMM_D:
    return ((const double *) values)[at];
  case GPUMM_C:
    return ((const float complex *) values)[at];
  default:
    return ((const double complex *) values)[at];
  }
}

static void set (gpumm_type type, void *values, int64_t at, number x) {
  switch (type) {
  case GPUMM_S:
    ((float *) values)[at] = (float) x;
    break;
  case GPUMM_D:
    ((double *) values)[at] = (double) x;
    break;
  case GPUMM_C:
    ((float complex *) values)[at] = (float complex) x;
    break;
  default:
    ((double complex *) values)[at] = (double complex) x;
  }
}

/* rows x cols with up to two rows more between columns; NaN there and everywhere or random */
static gpumm_matrix make (gpumm_type type, int64_t rows, int64_t cols, int random) {
  gpumm_matrix x = {.format = GPUMM_DENSE,
                    .type = type,
                    .rows = rows,
                    .cols = cols,
                    .ld = rows + check_between (0, 2)};
  x.values = check_allocate (x.ld * cols, gpumm_type_bytes (type));
  for (int64_t j = 0; j < cols; j++)
    for (int64_t i = 0; i < x.ld; i++) {
      number value = CMPLXL (check_uniform (), is_complex (type) ? check_uniform () : 0);
      set (type, x.values, i + j * x.ld, random && i < rows ? value : CMPLXL (NAN, NAN));
    }
  return x;
}

static number op_element (const gpumm_matrix *x, gpumm_op op, int64_t i, int64_t j) {
  number value = get (x->type, x->values, op == GPUMM_NONE ? i + j * x->ld : j + i * x->ld);
  return op == GPUMM_CTRANSPOSE ? conjl (value) : value;
}

static gpumm_status multiply (const gpumm_problem *p, gpumm_matrix *c) {
  gpumm_job *job = NULL;
  gpumm_status status = gpumm_open (p, &loops, &job);
  if (!status)
    status = gpumm_run (job, c);
  if (!status) {
    const gpumm_report *r = gpumm_job_report (job);
    CHECK (strcmp (r->algorithm, "loops") == 0 && strcmp (r->kernel, "loops") == 0, "%s, %s",
           r->algorithm, r->kernel);
    double each = is_complex (c->type) ? 8 : 2;
    double k = (double) (p->a.op == GPUMM_NONE ? p->a.cols : p->a.rows);
    CHECK (r->flops == each * (double) c->rows * (double) c->cols * k, "%g flops", r->flops);
  }
  gpumm_close (job);
  return status;
}

static gpumm_scalar random_scalar (gpumm_type type) {
  switch (check_between (0, 3)) {
  case 0:
    return (gpumm_scalar){0, 0};
  case 1:
    return (gpumm_scalar){1, 0};
  case 2:
    return (gpumm_scalar){-2.5, 0};
  default:
    return (gpumm_scalar){0.75, is_complex (type) ? 1.25 : 0};
  }
}

static void one (gpumm_type type, int64_t m, int64_t n, int64_t k, gpumm_op op_a, gpumm_op op_b) {
  gpumm_problem p = {.alpha = random_scalar (type), .beta = random_scalar (type)};
  /* alpha = 0: A and B are not read, so they may be NaN. beta = 0: the same of C0 */
  int a_is_read = p.alpha.re != 0 || p.alpha.im != 0, c_is_read = p.beta.re != 0 || p.beta.im != 0;
  p.a = op_a == GPUMM_NONE ? make (type, m, k, a_is_read) : make (type, k, m, a_is_read);
  p.b = op_b == GPUMM_NONE ? make (type, k, n, a_is_read) : make (type, n, k, a_is_read);
  p.a.op = op_a;
  p.b.op = op_b;
  gpumm_matrix c0 = make (type, m, n, c_is_read), c = make (type, m, n, 0);
  if (c_is_read || check_between (0, 1))
    p.c0 = &c0;
  gpumm_status status = multiply (&p, &c);
  CHECK (status == GPUMM_OK, "%s", gpumm_last_error ());
  const double eps = type == GPUMM_S || type == GPUMM_C ? FLT_EPSILON : DBL_EPSILON;
  const number alpha = CMPLXL (p.alpha.re, p.alpha.im), beta = CMPLXL (p.beta.re, p.beta.im);
  int wrong = 0;
  for (int64_t j = 0; j < n && !status; j++) {
    for (int64_t i = 0; i < m; i++) {
      number sum = 0;
      long double size = 0;
      for (int64_t q = 0; q < k && a_is_read; q++) {
        number term = op_element (&p.a, op_a, i, q) * op_element (&p.b, op_b, q, j);
        sum += term;
        size += cabsl (op_element (&p.a, op_a, i, q)) * cabsl (op_element (&p.b, op_b, q, j));
      }
      sum *= alpha;
      size *= cabsl (alpha);
      if (c_is_read) {
        sum += beta * get (type, c0.values, i + j * c0.ld);
        size += cabsl (beta * get (type, c0.values, i + j * c0.ld));
      }
      number error = get (type, c.values, i + j * c.ld) - sum;
      wrong += !(cabsl (error) <= (long double) (k + 4) * 2 * eps * size);
    }
    for (int64_t i = m; i < c.ld; i++) /* between the columns nothing is written */
      wrong += !isnan (creall (get (type, c.values, i + j * c.ld)));
  }
  CHECK (wrong == 0,
         "%s %" PRId64 " x %" PRId64 " x %" PRId64 " ops %d %d alpha %g beta %g: %d wrong",
         gpumm_type_name (type), m, n, k, op_a, op_b, p.alpha.re, p.beta.re, wrong);
  free (p.a.values);
  free (p.b.values);
  free (c0.values);
  free (c.values);
}

static void test_sizes_and_ops (void) {
  for (int t = 0; t < 4; t++)
    for (int s = 0; s < SIZES; s++)
      for (int ops = 0; ops < 9; ops++) {
        one (types[t], sizes[s], sizes[s], sizes[s], ops / 3, ops % 3);
        for (int repeat = 0; repeat < 3; repeat++)
          one (types[t], sizes[check_between (0, SIZES - 1)], sizes[check_between (0, SIZES - 1)],
               sizes[check_between (0, SIZES - 1)], ops / 3, ops % 3);
      }
}

/* What loops does not take is refused before anything runs. */
static void test_refusals (void) {
  gpumm_job *job = NULL;
  int8_t small[1] = {1};
  gpumm_matrix x = {
      .format = GPUMM_DENSE, .type = GPUMM_I8, .rows = 1, .cols = 1, .ld = 1, .values = small};
  gpumm_problem p = {.a = x, .b = x, .alpha = {1, 0}, .output = GPUMM_I8};
  CHECK (gpumm_open (&p, &loops, &job) == GPUMM_UNSUPPORTED, "integers");
  CHECK (job == NULL, "a job after failure");
}

static void test_out_of_memory (void) {
  int64_t alive = gpumm_live_allocations ();
  gpumm_matrix a = make (GPUMM_D, 3, 3, 1), c = make (GPUMM_D, 3, 3, 0);
  gpumm_problem p = {.a = a, .b = a, .alpha = {1, 0}};
  int failures = 0;
  for (int n = 1;; n++) {
    gpumm_fault_memory (n);
    gpumm_status status = multiply (&p, &c);
    gpumm_fault_memory (0);
    CHECK (gpumm_live_allocations () == alive, "allocation %d leaked", n);
    if (status == GPUMM_OK)
      break;
    CHECK (status == GPUMM_HOST_MEMORY, "allocation %d: %s", n, gpumm_last_error ());
    failures++;
  }
  CHECK (failures > 0, "no allocation failed");
  free (a.values);
  free (c.values);
}

int main (int argc, char **argv) {
  check_seed (argc > 1 ? strtoull (argv[1], NULL, 10) : 1);
  test_sizes_and_ops ();
  test_refusals ();
  test_out_of_memory ();
  return check_done ();
}
