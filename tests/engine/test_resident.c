/* test_resident.c - products of matrices that stay on a device, against the oracle of operands.h:
 * full ones in every combination with host memory; sparse ones and ones in blocks, with each other
 * and with full ones; what is refused; and who owns the memory.
 *
 *   test_resident [gpu|second] [cases=N]   the host device, the second one, or GPU 0; N products of
 *                                          each kind that is not full
 *
 * All numbers are small integers: results are compared without a tolerance. That A A' is symmetric
 * bit by bit is the matter of hermitian.tst.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "gpumm_blas.h"
#include "base/cancel.h"
#include "faults.h"
#include "host_device.h"
#include "memory/pool.h"
#include "resident.h"

#include <inttypes.h>
#include <sys/wait.h>
#include <unistd.h>

static int cases = 80;
static int queues; /* products may be queued */
static gpumm_context *context;
static gpumm_backend here; /* where the device is */

/* Opens and runs, into a c that has memory, of the host or of the device. */
static gpumm_status run (gpumm_problem p, const gpumm_options *options, gpumm_matrix *c,
                         gpumm_report *report) {
  gpumm_job *job = NULL;
  gpumm_matrix shape = {0};
  p.stays = c->buffer != NULL;
  p.queues = queues;
  gpumm_status status = gpumm_open (&p, options, &job);
  if (!status)
    status = gpumm_result (job, &shape);
  if (!status) {
    CHECK (shape.rows == c->rows && shape.cols == c->cols && shape.type == c->type, "shape");
    status = gpumm_run (job, c);
    *report = *gpumm_job_report (job);
  }
  gpumm_close (job);
  return status;
}

/* ---- full matrices ------------------------------------------------------------------------ */

typedef struct {
  gpumm_type type;
  int64_t m, n, k;
  gpumm_op op_a, op_b;
  int there; /* bits: A, B, C on the device */
  int same;  /* B is A */
  double alpha, beta;
  int64_t limit;
  const char *algorithm;
} test_case;

static void one (const test_case *t) {
  gpumm_matrix c0 = make_full (t->type, t->m, t->n, WHOLE), c = c0;
  gpumm_problem p = {.alpha = {t->alpha, 0}, .beta = {t->beta, 0}};
  p.a = make (
      &(operand){.type = t->type, .op = t->op_a, .rows = t->m, .cols = t->k, .values = WHOLE});
  p.b = t->same ? p.a
                : make (&(operand){
                    .type = t->type, .op = t->op_b, .rows = t->k, .cols = t->n, .values = WHOLE});
  p.b.op = t->op_b;
  p.c0 = t->beta != 0 ? &c0 : NULL;
  c.ld = c.rows;
  provide (&c, 2);
  const gpumm_problem host = p;
  const gpumm_matrix there_a = send_full (&p.a, check_between (0, 5));
  gpumm_matrix there_b = t->same ? there_a : send_full (&p.b, 7), there_c = send_full (&c0, 3);
  there_b.op = t->op_b;
  if (t->there & 1)
    p.a = there_a;
  if (t->there & 2)
    p.b = there_b;
  if (t->beta != 0 && t->there & 4)
    p.c0 = &there_c;
  const gpumm_options options = {.backend = here,
                                 .algorithm = t->algorithm,
                                 .device = device <= GPUMM_HOST ? GPUMM_HOST - device : -1,
                                 .max_device_memory = t->limit};
  gpumm_report report = {.bytes_up = -1};
  gpumm_status status = run (p, &options, t->there & 4 ? &there_c : &c, &report);
  if (!status && t->there & 4)
    status = gpumm_copy (&there_c, &c);
  OK (status);
  const int64_t wrong = status ? 0 : judge (&host, &c, EXACT, 0).wrong;
  CHECK (wrong == 0,
         "%s, %d%d%d, same %d, ops %d %d, %" PRId64 " x %" PRId64 " x %" PRId64
         ", alpha %g, beta %g, limit %" PRId64 ": %" PRId64 " wrong by %s",
         gpumm_type_name (t->type), t->there & 1, t->there >> 1 & 1, t->there >> 2, t->same,
         t->op_a, t->op_b, t->m, t->n, t->k, t->alpha, t->beta, t->limit, wrong, report.kernel);
  if (t->there == 7)
    CHECK (report.bytes_up == 0 && report.bytes_down == 0, "%" PRId64 " bytes up, %" PRId64 " down",
           report.bytes_up, report.bytes_down);
  give_all ();
  free (host.a.values);
  if (!t->same)
    free (host.b.values);
  release (&c0);
  release (&c);
}

static void test_products (void) {
  static const int64_t sizes[] = {1, 2, 7, 31, 33, 64, 70};
  for (int n = 0; n < 7 * 9 * 4; n += SANITIZED_STEP) {
    const int there = n % 7 + 1, ops = n / 7 % 9;
    test_case t = {.type = (gpumm_type) (n / 63),
                   .m = sizes[check_between (0, 6)],
                   .n = sizes[check_between (0, 6)],
                   .k = sizes[check_between (0, 6)],
                   .op_a = (gpumm_op) (ops / 3),
                   .op_b = (gpumm_op) (ops % 3),
                   .there = there,
                   .alpha = (double) check_between (-2, 2),
                   .beta = (double) check_between (-1, 1),
                   .algorithm = check_between (0, 1) ? "tiled" : NULL};
    if (device <= GPUMM_HOST && !t.algorithm && !(there & 3)) /* a result that stays alone */
      t.algorithm = "register";
    queues = (int) check_between (0, 1);
    one (&t);
    t.m = t.n = t.k;
    t.same = (there & 3) == 3 || (there & 3) == 0;
    one (&t);
  }
}

/* In tiles, and with a k in steps: what stays is read where it lies. */
static void test_out_of_core (void) {
  for (int there = 1; there < 8; there++)
    for (int64_t limit = 1 << 15; limit <= 1 << 19; limit *= 4)
      one (&(test_case){.type = GPUMM_D,
                        .m = 70,
                        .n = 90,
                        .k = 600,
                        .op_a = there & 1 ? GPUMM_TRANSPOSE : GPUMM_NONE,
                        .there = there,
                        .alpha = 1,
                        .beta = limit > 1 << 15,
                        .limit = limit,
                        .algorithm = "tiled"});
}

/* ---- sparse matrices and matrices in blocks ----------------------------------------------- */

/* Formats of A and B (s sparse, b in blocks, f full), and the types of A, B and C. Of integers any
 * class of C. */
static const struct {
  const char *formats, *types;
} kinds[] = {{"ss", "ddd zzz dzz zdz bdd zbz bbd"},
             {"sf", "ddd zzz dzz zdz bdd bzz sss ccc scc csc"},
             {"fs", "ddd zzz dzz zdz dbd zbz sss ccc scc csc"},
             {"bb", "ddd sss zzz ccc dzz csc"},
             {"bb", "iii jjl kkk lll ppp qqr qqq rrj uuu"},
             {"bf", "ddd sss zzz ccc dzz csc"},
             {"fb", "ddd sss zzz ccc dzz csc"}};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* The problem of a product on the device: with its operands, and the transposes of those that have
 * an op. */
typedef struct {
  gpumm_problem p;
  gpumm_matrix transposes[2];
} resident_problem;

static void send_operand (const gpumm_matrix *x, gpumm_matrix *there, gpumm_matrix *transpose) {
  *there = x->format == GPUMM_FULL ? send_full (x, check_between (0, 3)) : send_compressed (x);
  if (x->format == GPUMM_FULL || (x->op == GPUMM_NONE && check_between (0, 1)))
    return;
  gpumm_matrix turned = transposed_lines (x);
  *transpose = send_compressed (&turned);
  there->transpose = transpose;
  release (&turned);
}

static void send_problem (const gpumm_problem *host, resident_problem *r) {
  r->p = *host;
  r->p.stays = 1;
  r->p.queues = queues;
  send_operand (&host->a, &r->p.a, &r->transposes[0]);
  send_operand (&host->b, &r->p.b, &r->transposes[1]);
}

/* The product on the device, fetched; sets *zero to the flag, and fills the report. */
static gpumm_status run_resident (const gpumm_problem *p, gpumm_matrix *c, int32_t *zero,
                                  gpumm_report *report) {
  const gpumm_options options = {.device = -1};
  gpumm_job *job = NULL;
  gpumm_matrix shape = {0};
  const gpumm_view flag = take (GPUMM_I32, 1);
  const gpumm_read read = {.at = flag, .count = 1, .to = zero};
  gpumm_problem with_start = *p;
  const int is_full = p->a.format != p->b.format, starts = !is_full && check_between (0, 1);
  const int64_t lines =
      p->a.format == GPUMM_BLOCKS ? lines_of (&p->a) + lines_of (&p->b) : p->b.rows + p->b.cols;
  const gpumm_view start = take (GPUMM_I64, lines + p->a.rows + p->a.cols + 1);
  with_start.start = starts ? start.buffer : NULL;
  gpumm_status status = gpumm_open (&with_start, &options, &job);
  if (!status)
    status = gpumm_result (job, &shape);
  if (!status) {
    const gpumm_view values = take (shape.type, shape.rows * shape.cols);
    gpumm_matrix there = shape.format == GPUMM_FULL ? full_at (&values, shape.rows, shape.cols, 0)
                                                    : compressed_at (&shape);
    there.zero = shape.format == GPUMM_FULL ? NULL : flag.buffer;
    if (starts) {
      there.start = start.values;
      there.start_buffer = start.buffer;
    }
    status = gpumm_run (job, &there);
    *report = *gpumm_job_report (job);
    gpumm_close (job); /* before the result is read */
    if (!status)
      status = gpumm_wait (device);
    if (!status && shape.format != GPUMM_FULL)
      status = gpumm_read_back (&read, 1);
    if (!status)
      *c = shape.format == GPUMM_FULL ? fetch_full (&there, 0) : fetch_compressed (&there);
  } else
    gpumm_close (job);
  return status;
}

/* Takes out the entries that are zero: returns how many there were. */
static int64_t drop_zeros (gpumm_matrix *c) {
  const int64_t each = entry_elements (c);
  const size_t bytes = (size_t) each * gpumm_type_bytes (c->type);
  const size_t index = c->format == GPUMM_SPARSE ? sizeof *c->row : sizeof *c->block_column;
  int64_t kept = 0, t = 0;
  for (int64_t line = 0; line < lines_of (c); line++) {
    for (; t < c->start[line + 1] && t < c->nzmax; t++) {
      int any = 0;
      for (int64_t e = 0; e < each; e++)
        any |= get (c->type, c->values, t * each + e) != 0;
      memmove ((char *) c->values + (size_t) kept * bytes, (char *) c->values + (size_t) t * bytes,
               bytes);
      memmove ((char *) c->index + (size_t) kept * index, (char *) c->index + (size_t) t * index,
               index);
      kept += any;
    }
    c->start[line + 1] = kept;
  }
  return t - kept;
}

/* Blocks of random sizes: small ones, one of all, 1 x 1; square ones, which have kernels of their
 * own. Sizes in elements: at most 72, of sparse matrices at times 300. */
static void draw_sizes (int n, int is_sparse, int64_t *size, int64_t *block) {
  const int64_t most = !is_sparse ? 72 : n % 4 ? 24 : 300, side = n % 5 ? 4 : 23;
  const int64_t square = check_between (1, 24);
  for (int d = 0; d < 3; d++) {
    block[d] = is_sparse ? 1 : n % 3 ? check_between (1, side) : square;
    size[d] = block[d] * check_between (n < 10 ? 0 : 1, is_sparse || n % 7 ? most / block[d] : 1);
  }
  if (is_sparse && size[2] > 40) /* the oracle's time */
    size[2] = 40;
}

static operand draw_operand (char format, gpumm_type type, const int64_t *size,
                             const int64_t *block) {
  return (operand){.format = format == 's'   ? GPUMM_SPARSE
                             : format == 'b' ? GPUMM_BLOCKS
                                             : GPUMM_FULL,
                   .type = type,
                   .rows = size[0],
                   .cols = size[1],
                   .block_rows = block[0],
                   .block_cols = block[1],
                   .percent = check_between (0, 5) ? (int) check_between (0, 60) : 100,
                   .values = WHOLE};
}

static void test_compressed (int n, const char *formats, const char *types) {
  int64_t size[3], block[3];
  draw_sizes (n, strchr (formats, 's') != NULL, size, block);
  operand a = draw_operand (formats[0], type_of (types[0]), size, block),
          b = draw_operand (formats[1], type_of (types[1]), size + 1, block + 1);
  const int is_full = strchr (formats, 'f') != NULL;
  a.op = (gpumm_op) check_between (0, 2);
  b.op = (gpumm_op) check_between (0, 2);
  gpumm_problem host = {
      .a = make (&a), .b = make (&b), .alpha = {1, 0}, .output = type_of (types[2])};
  resident_problem r = {0};
  gpumm_matrix c = {0};
  int32_t flag = -1;
  gpumm_report report = {0};
  queues = (int) check_between (0, 1);
  if (strchr (formats, 's'))
    host.alpha.re = (double) check_between (-1, 2);
  send_problem (&host, &r);
  OK (run_resident (&r.p, &c, &flag, &report));
  const int64_t most = c.format == GPUMM_FULL ? 0 : c.nzmax;
  const int64_t zeros = is_full ? 0 : drop_zeros (&c);
  CHECK (is_full || flag == (zeros > 0), "%s: the flag %d for %lld zeros", formats, (int) flag,
         (long long) zeros);
  const verdict v = judge (&host, &c, EXACT, 0);
  CHECK (v.wrong == 0,
         "%s of %s, ops %d and %d, %lld x %lld x %lld in blocks of %lld x %lld x %lld: %lld wrong",
         formats, types, a.op, b.op, (long long) size[0], (long long) size[1], (long long) size[2],
         (long long) block[0], (long long) block[1], (long long) block[2], (long long) v.wrong);
  CHECK (is_full || most == v.most, "%s: %lld entries were foretold, not %lld", formats,
         (long long) most, (long long) v.most);
  if (!queues && most + is_full > 0 && c.rows > 0 && c.cols > 0 && host.alpha.re != 0)
    CHECK (report.flops
               == v.products * (is_complex (host.a.type) + 1) * 2.0
                      * (is_complex (host.b.type) + 1),
           "%s: %g operations, not %g", formats, report.flops,
           v.products * (is_complex (host.a.type) + 1) * 2.0 * (is_complex (host.b.type) + 1));
  release (&host.a);
  release (&host.b);
  release (&c);
  give_all ();
}

/* ---- what is refused ---------------------------------------------------------------------- */

static gpumm_matrix c_of_run, there_of_run;
static const gpumm_options *options_of_run;

static gpumm_status try_run (gpumm_problem *p) {
  gpumm_report report;
  gpumm_matrix z = p->b.type == GPUMM_Z ? fetch_full (&p->b, 0) : (gpumm_matrix){0};
  const gpumm_status status = run (*p, options_of_run,
                                   p->stays ? &there_of_run
                                   : z.rows ? &z
                                            : &c_of_run,
                                   &report);
  release (&z);
  return status;
}

static void test_refused_products (void) {
  gpumm_matrix h = make_full (GPUMM_D, 6, 6, WHOLE), z = make_full (GPUMM_Z, 6, 6, WHOLE);
  const gpumm_matrix there = send_full (&h, 0), far = send_full (&z, 0);
  c_of_run = fetch_full (&there, 0);
  there_of_run = send_full (&h, 0);
  const gpumm_options none = {.backend = here, .device = -1},
                      blas = {.backend = here, .algorithm = "blas", .device = -1},
                      elsewhere = {.backend = device <= GPUMM_HOST ? GPUMM_GPU : GPUMM_CPU,
                                   .device = -1};
  const gpumm_problem right = {.a = there, .b = h, .alpha = {1, 0}},
                      with_c0 = {.a = h, .b = h, .alpha = {1, 0}, .beta = {1, 0}, .c0 = &there};
  gpumm_report report;
  options_of_run = &none;
  OK (run (right, &none, &c_of_run, &report));
  CHECK (strstr (report.reason, "operands lie on the device"), "%s", report.reason);
#define RUN(change, status, text) REFUSED (gpumm_problem, right, change, try_run, status, text)
  RUN ((x.a.values = (char *) x.a.values + 8, x.a.ld += 100000), GPUMM_INVALID, "in its buffer");
  RUN (x.a.values = (char *) gpumm_buffer_address (there.buffer) - 8, GPUMM_INVALID, "");
  RUN ((x.a.rows = 5, x.a.values = (char *) x.a.values + 4), GPUMM_INVALID, "whole element");
  RUN (x.a.type = GPUMM_S, GPUMM_UNSUPPORTED, ""); /* single by double */
  RUN (x.b = far, GPUMM_UNSUPPORTED, "one type");
  RUN ((x.a.type = GPUMM_I32, x.b = x.a), GPUMM_UNSUPPORTED, "");
  options_of_run = &blas;
  RUN ((void) x, GPUMM_UNSUPPORTED, "");
  options_of_run = &elsewhere;
  RUN ((void) x, GPUMM_UNSUPPORTED, "another place");
  options_of_run = &none;
  REFUSED (gpumm_problem, with_c0, (void) x, try_run, GPUMM_UNSUPPORTED,
           "the result must stay there");
  REFUSED (gpumm_problem, with_c0, x.stays = 1, try_run, GPUMM_UNSUPPORTED, ""); /* not C */
  gpumm_job *job;
  for (int stays = 0; stays < 2; stays++) { /* a result where it was not announced */
    gpumm_problem p = right;
    p.stays = stays;
    OK (gpumm_open (&p, &none, &job));
    refused (gpumm_run (job, stays ? &c_of_run : &there_of_run), GPUMM_INVALID, "buffer");
    gpumm_close (job);
  }
  const gpumm_options tiled = {.backend = here, .algorithm = "tiled", .device = -1};
  gpumm_trace trace;
  OK (gpumm_open (&right, &tiled, &job));
  refused (gpumm_run_traced (job, &c_of_run, 0, &trace), GPUMM_UNSUPPORTED, "");
  gpumm_close (job);
  refused (gpumm_copy (NULL, &c_of_run), GPUMM_INVALID, "");
  refused (gpumm_copy (&h, &c_of_run), GPUMM_UNSUPPORTED, ""); /* both on the host */
  refused (gpumm_copy (&there, &there_of_run), GPUMM_UNSUPPORTED, "");
  refused (gpumm_copy (&there, &z), GPUMM_UNSUPPORTED, ""); /* of another type */
  gpumm_buffer *buffer;
  CHECK (gpumm_buffer_new (device, 8, NULL), "nowhere to put it");
  CHECK (gpumm_buffer_new (99, 8, &buffer) && !buffer, "device 99");
  for (int less = 0; less < 3; less++)
    CHECK (gpumm_buffer_new (device, SIZE_MAX - (size_t) less * 4096, &buffer) && !buffer,
           "2^64 bytes less %d pages", less);
  CHECK (gpumm_result_type (NULL, NULL) == GPUMM_INVALID
             && gpumm_blocks_verify (NULL, NULL) == GPUMM_INVALID && !gpumm_blas_symbol (NULL),
         "NULL");
  release (&h);
  release (&z);
  release (&c_of_run);
  give_all ();
}

static gpumm_status try_compressed (gpumm_problem *p) {
  gpumm_job *job = NULL;
  const gpumm_status status = gpumm_open (p, NULL, &job);
  gpumm_close (job);
  return status;
}

/* On the other host device, or beside a GPU on the first. */
static gpumm_matrix send_away (const gpumm_matrix *x) {
  const int near = device;
  device = device == GPUMM_HOST ? GPUMM_HOST - 1 : GPUMM_HOST;
  const gpumm_matrix y = x->format == GPUMM_FULL ? send_full (x, 0) : send_compressed (x);
  device = near;
  return y;
}

#define EACH(change, status, text)                                                                 \
  REFUSED (gpumm_problem, *right, change, try_compressed, status, text)

/* What lies on another device, or belongs to the process from which this one was forked. */
static void test_strangers (const gpumm_problem *right, const gpumm_matrix *far,
                            gpumm_status of_operand) {
  gpumm_matrix c = compressed_at (&right->a), there = *far;
  gpumm_report report;
  EACH (x.b = *far, of_operand, "on");
  EACH (x.b.start_buffer = far->start_buffer, GPUMM_INVALID, "B");
  EACH (x.start = far->start_buffer, GPUMM_INVALID, "offsets");
  EACH ((x.a.op = GPUMM_TRANSPOSE, x.a.transpose = far), GPUMM_INVALID, "transpose");
  refused (run (*right, NULL, &there, &report), GPUMM_INVALID, "device");
  OK (run (*right, NULL, &c, &report));
  c.zero = far->start_buffer;
  refused (run (*right, NULL, &c, &report), GPUMM_INVALID, "the result");
}

/* Sparse matrices and ones in blocks alike. */
static void test_refused_lines (const gpumm_matrix *here) {
  const gpumm_matrix there = send_compressed (here), far = send_away (here);
  const gpumm_problem of_there = {.a = there, .b = there, .alpha = {1, 0}, .stays = 1},
                      *right = &of_there;
  gpumm_matrix longer = there, shorter = there;
  longer.nzmax = 1 << 20;
  shorter.nzmax--;
  EACH (x.a = longer, GPUMM_INVALID, "A does not lie");
  EACH (x.b = longer, GPUMM_INVALID, "B does not lie");
  EACH (x.a.index_buffer = NULL, GPUMM_INVALID, "no buffers");
  EACH (x.b = *here, GPUMM_UNSUPPORTED, "both operands");
  EACH (x.stays = 0, GPUMM_UNSUPPORTED, "stays there");
  EACH (x.a.op = GPUMM_TRANSPOSE, GPUMM_UNSUPPORTED, "needs its transpose");
  EACH (x.b.op = GPUMM_CTRANSPOSE, GPUMM_UNSUPPORTED, "needs its transpose");
  EACH ((x.b.op = GPUMM_TRANSPOSE, x.b.transpose = here), GPUMM_INVALID, "transpose");
  EACH ((x.b.op = GPUMM_TRANSPOSE, x.b.transpose = &longer), GPUMM_INVALID, "transpose");
  EACH (x.b.transpose = &shorter, GPUMM_INVALID, "transpose");
  EACH (x.start = take (GPUMM_I64, 3).buffer, GPUMM_INVALID, "offsets");
  test_strangers (right, &far, GPUMM_UNSUPPORTED);
  fflush (stdout);
  const pid_t child = device == GPUMM_HOST ? fork () : -1; /* CUDA does not survive it */
  if (child == 0) {
    gpumm_problem own = of_there;
    own.a = own.b = send_compressed (here);
    check_failed = 0;
    test_strangers (&own, &there, GPUMM_INVALID);
    fflush (stdout);
    _exit (check_failed);
  }
  int code = 0;
  CHECK (child < 0 || (waitpid (child, &code, 0) == child && code == 0), "a forked process");
}

static void test_refused_compressed (void) {
  gpumm_matrix a = make_in_blocks (GPUMM_SPARSE, GPUMM_D, 3, 3, 1, 1, 100, WHOLE),
               b = make_in_blocks (GPUMM_BLOCKS, GPUMM_D, 3, 3, 2, 2, 100, WHOLE),
               d = make_full (GPUMM_D, 3, 3, WHOLE);
  const gpumm_matrix s = send_compressed (&a), t = send_compressed (&b), f = send_full (&d, 0);
  const gpumm_problem sparse = {.a = s, .b = s, .alpha = {1, 0}, .stays = 1},
                      blocks = {.a = t, .b = t, .alpha = {1, 0}, .stays = 1},
                      full = {.a = s, .b = f, .alpha = {1, 0}, .stays = 1};
  test_refused_lines (&a);
  test_refused_lines (&b);
#define SPARSE(change, status, text)                                                               \
  REFUSED (gpumm_problem, sparse, change, try_compressed, status, text)
  SPARSE (x.b.rows = 4, GPUMM_NONCONFORMANT, "");
  SPARSE (x.a.rows = INT32_MAX, GPUMM_UNSUPPORTED, "below 2^31");
  /* of a full product */
  SPARSE ((x.a = x.b = d, x.start = s.start_buffer), GPUMM_INVALID, "offsets");
  SPARSE (x.a.type = x.b.type = GPUMM_S, GPUMM_UNSUPPORTED, "no product");
#define BLOCKS(change, status) REFUSED (gpumm_problem, blocks, change, try_compressed, status, "")
  BLOCKS ((x.b.block_rows = 3, x.b.nzmax = 4), GPUMM_NONCONFORMANT);
  BLOCKS (x.a.block_rows = 0, GPUMM_INVALID);
  BLOCKS (x.a.type = GPUMM_I64, GPUMM_UNSUPPORTED);
  BLOCKS (x.b = f, GPUMM_NONCONFORMANT);
#define WITH_FULL(change, status) REFUSED (gpumm_problem, full, change, try_compressed, status, "")
  WITH_FULL (x.b.ld = 2, GPUMM_INVALID); /* columns that overlap */
  WITH_FULL (x.b.rows = 2, GPUMM_NONCONFORMANT);
  WITH_FULL (x.b.type = GPUMM_S, GPUMM_UNSUPPORTED);
  WITH_FULL (x.b = d, GPUMM_UNSUPPORTED);
  WITH_FULL (x.b = send_away (&d), GPUMM_UNSUPPORTED);
  gpumm_matrix *all[] = {&a, &b, &d};
  for (int i = 0; i < 3; i++)
    release (all[i]);
  give_all ();
}

/* ---- owners ------------------------------------------------------------------------------- */

/* A buffer outlives a reset, and its memory goes with it. */
static void test_owners (void) {
  size_t unused;
  int64_t used[3], kept[3];
  gpumm_buffer *b = NULL;
  gpumm_matrix x = make_full (GPUMM_D, 50, 40, WHOLE);
  gpumm_reset ();
  const size_t held = gpumm_pool_bytes (context, GPUMM_POOL_DEVICE, &unused);
  const gpumm_matrix there = send_full (&x, 0);
  gpumm_reset ();
  gpumm_matrix back = fetch_full (&there, 0);
  CHECK (is_same (&back, &x), "elements changed");
  gpumm_pool_bytes (context, GPUMM_POOL_DEVICE, &unused);
  CHECK (unused == 0, "%zu bytes unused while the buffer lives", unused);
  give_all ();
  gpumm_buffer_release (NULL);
  gpumm_reset ();
  CHECK (gpumm_pool_bytes (context, GPUMM_POOL_DEVICE, NULL) == held, "the buffer was kept");
  release (&x);
  release (&back);
  CHECK (!gpumm_memory (device, &used[0], &kept[0]) && kept[0] == 0, "kept after a reset");
  gpumm_buffer_new (device, 1 << 20, &b);
  CHECK (!gpumm_memory (device, &used[1], &kept[1]) && used[1] >= used[0] + (1 << 20)
             && kept[1] == 0,
         "%" PRId64 " bytes used", used[1]);
  gpumm_buffer_release (b);
  CHECK (!gpumm_memory (device, &used[2], &kept[2]) && used[2] == used[0]
             && kept[2] == (GPUMM_POOL_KEEPS ? used[1] - used[0] : 0),
         "%" PRId64 " bytes used, %" PRId64 " kept", used[2], kept[2]);
  CHECK (gpumm_memory (99, &used[0], &kept[0]) < 0, "device 99");
}

/* Maps and products of one stream, of which nothing waits: X = X * 2 I + 1 again and again, in
 * memory that is released while it is in use. The last product is not queued, and finds X ready. */
static void test_queued (void) {
  enum { STEPS = 20 };
  const int64_t n = device <= GPUMM_HOST ? 33 : 512, all = n * n;
  double *two = check_allocate (all, sizeof *two), *x = check_allocate (all, sizeof *x);
  double value = 1; /* of all entries, in each step */
  int64_t wrong = 0;
  for (int64_t e = 0; e < all; e++) {
    two[e] = e % (n + 1) == 0 ? 2 : 0;
    x[e] = 1;
  }
  const gpumm_view a = send (GPUMM_D, two, all);
  gpumm_view last = send (GPUMM_D, x, all);
  taken--; /* it is released here */
  queues = 1;
  gpumm_fault_device (0);
  for (int i = 0; i < STEPS; i++) {
    gpumm_report report = {.bytes_up = -1};
    gpumm_view next = take (GPUMM_D, all);
    taken--;
    next.stride[0] = 1;
    if (i == STEPS - 1) {
      const int64_t calls = gpumm_fault_device (0);
      CHECK (calls <= (GPUMM_POOL_KEEPS ? 2 : 3) * STEPS + 2, "%" PRId64 " calls for %d steps",
             calls, STEPS);
      queues = 0;
    }
    gpumm_matrix c = full_at (&next, n, n, 0);
    const gpumm_problem p = {
        .a = full_at (&last, n, n, 0), .b = full_at (&a, n, n, 0), .alpha = {1, 0}};
    OK (run (p, NULL, &c, &report));
    CHECK (report.bytes_up == 0 && report.bytes_down == 0, "something moved");
    const gpumm_map plus = {
        .domain = GPUMM_D,
        .size = {all, 1, 1, 1},
        .inputs = 1,
        .steps = 1,
        .input = {next},
        .output = next,
        .step = {{.op = GPUMM_MAP_ADD, .source = GPUMM_MAP_CONSTANT, .constant = {1, 0}}}};
    OK (gpumm_map_entries (&plus));
    gpumm_buffer_release (last.buffer);
    last = next;
    value = 2 * value + 1;
  }
  fetch (&last, all, x);
  for (int64_t e = 0; e < all; e++)
    wrong += x[e] != value;
  CHECK (wrong == 0, "%" PRId64 " entries are not %g", wrong, value);
  gpumm_buffer_release (last.buffer);
  give_all ();
  free (two);
  free (x);
}

/* ---- failures ----------------------------------------------------------------------------- */

typedef struct {
  gpumm_matrix x, there, result; /* a full operand, on both sides */
  const gpumm_problem *p;        /* of compressed matrices */
  gpumm_matrix right;            /* its C */
} trial;

/* A buffer and a product of full matrices, one or both of which lie on the device. */
static gpumm_status multiply_full (void *of) {
  trial *t = of;
  gpumm_buffer *more = NULL;
  gpumm_report report;
  const gpumm_options options = {.backend = GPUMM_CPU, .algorithm = "tiled", .device = -1};
  const gpumm_problem p = {.a = t->there, .b = queues ? t->there : t->x, .alpha = {1, 0}},
                      host = {.a = t->x, .b = t->x, .alpha = {1, 0}};
  gpumm_matrix c = {.type = GPUMM_D, .rows = 40, .cols = 40, .ld = 40};
  provide (&c, 0);
  gpumm_status status = gpumm_buffer_new (device, 1 << 16, &more);
  CHECK (!status == !!more, "a failure with a buffer");
  status = status ? status : run (p, &options, &t->result, &report);
  status = status ? status : gpumm_copy (&t->result, &c);
  gpumm_buffer_release (more);
  CHECK (status || judge (&host, &c, EXACT, 0).wrong == 0, "another product");
  release (&c);
  return status;
}

/* A product of compressed matrices, into memory that is there. */
static gpumm_status multiply_compressed (void *of) {
  trial *t = of;
  const int64_t count = t->right.format == GPUMM_FULL ? t->right.rows * t->right.cols
                                                      : t->right.nzmax * entry_elements (&t->right);
  const gpumm_view values = {
      .type = t->right.type, .buffer = t->result.buffer, .values = t->result.values};
  const size_t bytes = (size_t) count * gpumm_type_bytes (t->right.type);
  void *got = check_allocate (count, gpumm_type_bytes (t->right.type));
  const gpumm_matrix there = column_of (&values, count, NULL),
                     here = column_of (&values, count, got);
  gpumm_report report;
  gpumm_status status = run (*t->p, NULL, &t->result, &report);
  status = status ? status : gpumm_copy (&there, &here);
  CHECK (status || !memcmp (got, t->right.values, bytes), "another C");
  free (got);
  return status;
}

/* While a device works it asks whether it is to stop. The n-th run stops at question 2^(n - 1). */
static int64_t questions, last_question;

static int is_stopped (void) {
  if (++questions == last_question)
    gpumm_cancel ();
  return gpumm_cancelled ();
}

static int64_t cancel_at (int64_t n) {
  const int64_t stopped = questions >= last_question ? INT64_MAX : 0;
  questions = 0;
  last_question = n > 0 ? (int64_t) 1 << (n - 1) : 0;
  return stopped;
}

static void fail_each (const char *name, gpumm_status (*run_it) (void *), trial *t) {
  int64_t (*const inject[]) (int64_t) = {gpumm_fault_memory, gpumm_fault_device, cancel_at};
  for (int which = 0; which < 3; which++)
    fail_in_turn (&(faults){.name = name,
                            .inject = inject[which],
                            .run = run_it,
                            .context = t,
                            .least = which ? 3 : 1,
                            .cancels = which == 2});
}

/* What was there before is there after. */
static void test_faults (void) {
  trial t = {.x = make_full (GPUMM_D, 40, 40, WHOLE)};
  context->driver->watch (is_stopped, NULL);
  t.there = send_full (&t.x, 0);
  t.result = send_full (&t.x, 0);
  for (queues = 1; queues >= 0; queues--)
    fail_each (queues ? "queued" : "a buffer and a product", multiply_full, &t);
  for (int k = 0; k < KINDS; k++) {
    const int64_t size[] = {24, 30, 36}, block[] = {3, 3, 3}, one[] = {1, 1, 1};
    const char *formats = kinds[k].formats, *types = kinds[k].types;
    const int is_sparse = strchr (formats, 's') != NULL;
    operand a = draw_operand (formats[0], type_of (types[0]), size, is_sparse ? one : block),
            b = draw_operand (formats[1], type_of (types[1]), size + 1, is_sparse ? one : block);
    resident_problem r = {0};
    gpumm_report report;
    int32_t zero;
    a.op = b.op = GPUMM_TRANSPOSE;
    a.percent = b.percent = 50;
    gpumm_problem host = {
        .a = make (&a), .b = make (&b), .alpha = {1, 0}, .output = type_of (types[2])};
    queues = k % 2;
    send_problem (&host, &r);
    OK (run_resident (&r.p, &t.right, &zero, &report));
    t.p = &r.p;
    t.result = t.right.format == GPUMM_FULL ? send_full (&t.right, 0) : send_compressed (&t.right);
    fail_each (formats, multiply_compressed, &t);
    release (&host.a);
    release (&host.b);
    release (&t.right);
  }
  queues = 0;
  gpumm_matrix back = fetch_full (&t.there, 0);
  CHECK (is_same (&back, &t.x), "the operand changed");
  release (&t.x);
  release (&back);
  give_all ();
}

int main (int argc, char **argv) {
  check_seed (20261123);
  setenv ("GPUMM_HOST_DEVICES", "2", 1); /* before their first use */
  take_arguments (argc, argv, &cases);
  here = device <= GPUMM_HOST ? GPUMM_CPU : GPUMM_AUTO;
  OK (gpumm_context_of (device, &context));
  test_products ();
  test_out_of_core ();
  for (int n = 0; n < cases; n += SANITIZED_STEP)
    for (int k = 0; k < KINDS; k++)
      test_compressed (n, kinds[k].formats,
                       kinds[k].types + 4 * ((size_t) n % ((strlen (kinds[k].types) + 1) / 4)));
  test_queued ();
  test_refused_products ();
  test_refused_compressed ();
  test_owners ();
  if (device <= GPUMM_HOST) /* a driver that can fail on demand */
    test_faults ();
  return released_and_done ();
}
