/* test_resident.c - products of sparse matrices and of matrices in blocks that lie on a device,
 * with each other and with full ones, against the oracle of operands.h.
 *
 *   test_resident [gpu] [cases=N]   the host device, or GPU 0; N products of each kind
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "faults.h"
#include "resident.h"

static int cases = 80;

/* Formats of A and B (s sparse, b in blocks, f full), and the types that have a product. */
static const struct {
  const char *formats, *types;
} kinds[] = {{"ss", "dz"},       {"sf", "dz"},   {"fs", "dz"},  {"bb", "dszc"},
             {"bb", "ijklpqru"}, {"bf", "dszc"}, {"fb", "dszc"}};
enum { KINDS = sizeof kinds / sizeof *kinds };

typedef struct {
  gpumm_problem p;
  int real_a, real_b; /* complex as stored, but all elements are real */
} problem;

/* ---- products ----------------------------------------------------------------------------- */

/* Both phases; C's memory is taken between them. */
static gpumm_matrix sparse_product (const problem *x, gpumm_view *zero) {
  gpumm_csc_product p = {.a = send_csc (&x->p.a),
                         .b = send_csc (&x->p.b),
                         .real_a = x->real_a,
                         .real_b = x->real_b,
                         .zero = *zero};
  p.c = (gpumm_csc){.rows = p.a.rows, .cols = p.b.cols, .start = take (GPUMM_I64, p.b.cols + 1)};
  OK (gpumm_csc_count (&p));
  p.c.stored = look (&p.c.start, p.c.cols);
  p.c.index = take (GPUMM_I32, p.c.stored);
  p.c.values = take (x->p.a.type, p.c.stored);
  OK (gpumm_csc_multiply (&p));
  return fetch_csc (&p.c);
}

static gpumm_bsr_product bsr_product (const problem *x, const gpumm_view *zero) {
  gpumm_bsr_product p = {.a = send_bsr (&x->p.a),
                         .b = send_bsr (&x->p.b),
                         .real_a = x->real_a,
                         .real_b = x->real_b,
                         .zero = *zero};
  p.c = (gpumm_bsr){.rows = p.a.rows,
                    .cols = p.b.cols,
                    .block_rows = p.a.block_rows,
                    .block_cols = p.b.block_cols,
                    .start = take (GPUMM_I64, p.a.rows + 1)};
  OK (gpumm_bsr_count (&p));
  p.c.stored = look (&p.c.start, p.c.rows);
  p.c.column = take (GPUMM_I32, p.c.stored);
  p.c.values = take (x->p.a.type, p.c.stored * p.c.block_rows * p.c.block_cols);
  return p;
}

static gpumm_matrix block_product (const problem *x, gpumm_view *zero) {
  const gpumm_bsr_product p = bsr_product (x, zero);
  OK (gpumm_bsr_multiply (&p));
  return fetch_bsr (&p.c);
}

/* One operand is full, and C. */
static gpumm_matrix full_product (const problem *x) {
  const int left = x->p.b.format == GPUMM_DENSE;
  const gpumm_matrix *s = left ? &x->p.a : &x->p.b, *d = left ? &x->p.b : &x->p.a;
  const int real_s = left ? x->real_a : x->real_b, real_d = left ? x->real_b : x->real_a;
  const int64_t m = x->p.a.op == GPUMM_NONE ? x->p.a.rows : x->p.a.cols,
                n = x->p.b.op == GPUMM_NONE ? x->p.b.cols : x->p.b.rows;
  const gpumm_view result = take (s->type, m * n);
  const gpumm_matrix c = full_at (&result, m, n, 0), there = send_full (d, 0);
  if (s->format == GPUMM_SPARSE) {
    const gpumm_csc_full p = {send_csc (s), s->op, left, real_s, real_d, there, c};
    OK (gpumm_csc_multiply_full (&p));
  } else {
    const gpumm_bsr_full p = {send_bsr (s), s->op, left, real_s, real_d, there, c};
    OK (gpumm_bsr_multiply_full (&p));
  }
  return fetch_full (&c, 0);
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

/* ---- operands ----------------------------------------------------------------------------- */

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
                                             : GPUMM_DENSE,
                   .type = type,
                   .rows = size[0],
                   .cols = size[1],
                   .block_rows = block[0],
                   .block_cols = block[1],
                   .percent = check_between (0, 5) ? (int) check_between (0, 60) : 100,
                   .values = WHOLE};
}

/* Makes a complex matrix real, now and then. */
static int make_real (gpumm_matrix *x) {
  const int is_real = is_complex (x->type) && check_between (0, 3) == 0;
  const int64_t count = x->format == GPUMM_DENSE ? x->ld * x->cols : x->nzmax * entry_elements (x);
  for (int64_t e = 0; is_real && e < count; e++)
    put (x->type, x->values, e, creall (get (x->type, x->values, e)));
  return is_real;
}

static void test_product (int n, const char *formats, gpumm_type type) {
  int64_t size[3], block[3];
  draw_sizes (n, strchr (formats, 's') != NULL, size, block);
  operand a = draw_operand (formats[0], type, size, block),
          b = draw_operand (formats[1], type, size + 1, block + 1);
  const int is_full = strchr (formats, 'f') != NULL;
  if (is_full) {
    a.op = (gpumm_op) check_between (0, 2);
    b.op = (gpumm_op) check_between (0, 2);
  }
  problem x = {.p = {.a = make (&a), .b = make (&b), .alpha = {1, 0}, .output = type}};
  x.real_a = make_real (&x.p.a);
  x.real_b = make_real (&x.p.b);
  gpumm_view zero = take (GPUMM_I32, 1);
  gpumm_matrix c = is_full             ? full_product (&x)
                   : formats[0] == 's' ? sparse_product (&x, &zero)
                                       : block_product (&x, &zero);
  int32_t flag = -1;
  const gpumm_glance glance = {.at = zero, .count = 1, .to = &flag};
  const int64_t zeros = is_full ? 0 : drop_zeros (&c);
  CHECK (is_full || (!gpumm_look (&glance, 1) && flag == (zeros > 0)),
         "%s: the flag %d for %lld zeros", formats, (int) flag, (long long) zeros);
  const int64_t wrong = judge (&x.p, &c, EXACT, 0).wrong;
  CHECK (wrong == 0,
         "%s of %s, ops %d and %d, %lld x %lld x %lld in blocks of %lld x %lld x %lld: %lld wrong",
         formats, gpumm_type_name (type), a.op, b.op, (long long) size[0], (long long) size[1],
         (long long) size[2], (long long) block[0], (long long) block[1], (long long) block[2],
         (long long) wrong);
  release (&x.p.a);
  release (&x.p.b);
  release (&c);
  give_all ();
}

/* ---- what is refused ---------------------------------------------------------------------- */

static void test_refused_products (void) {
  gpumm_matrix a = make_in_blocks (GPUMM_SPARSE, GPUMM_D, 3, 3, 1, 1, 100, WHOLE),
               b = make_in_blocks (GPUMM_BLOCKS, GPUMM_D, 3, 3, 2, 2, 100, WHOLE);
  const gpumm_csc s = send_csc (&a);
  const gpumm_bsr t = send_bsr (&b);
  const gpumm_csc_product p = {.a = s, .b = s, .c = s, .zero = take (GPUMM_I32, 1)};
  const gpumm_bsr_product q = {.a = t, .b = t, .c = t, .zero = p.zero};
  refused (gpumm_csc_count (NULL), GPUMM_INVALID, "");
  refused (gpumm_bsr_count (NULL), GPUMM_INVALID, "");
  refused (gpumm_bsr_multiply (NULL), GPUMM_INVALID, "");
  refused (gpumm_bsr_multiply_full (NULL), GPUMM_INVALID, "");
#define CSC(change, status, text)                                                                  \
  REFUSED (gpumm_csc_product, p, change, gpumm_csc_count, status, text)
  CSC (x.b.rows = 4, GPUMM_NONCONFORMANT, "");
  CSC (x.a.stored = 1 << 20, GPUMM_INVALID, ": A does not lie");
  CSC (x.b.stored = 1 << 20, GPUMM_INVALID, ": B does not lie");
#define BSR(change, status) REFUSED (gpumm_bsr_product, q, change, gpumm_bsr_count, status, "")
  BSR (x.b.block_rows = 1, GPUMM_NONCONFORMANT);
  BSR (x.c.cols = 4, GPUMM_NONCONFORMANT);
  BSR (x.a.stored = 1 << 20, GPUMM_INVALID);
  BSR (x.a.block_rows = 0, GPUMM_UNSUPPORTED);
  BSR (x.a.values.type = GPUMM_I64, GPUMM_INVALID);
  BSR (x.c.start = t.values, GPUMM_INVALID);
  const gpumm_view d = take (GPUMM_D, 36);
  const gpumm_csc_full f = {
      .s = s, .left = 1, .d = full_at (&d, 3, 2, 0), .c = full_at (&d, 3, 2, 0)};
  const gpumm_bsr_full g = {
      .s = t, .left = 1, .d = full_at (&d, 6, 6, 0), .c = full_at (&d, 6, 6, 0)};
#define CSC_FULL(change, status)                                                                   \
  REFUSED (gpumm_csc_full, f, change, gpumm_csc_multiply_full, status, "")
#define BSR_FULL(change, status)                                                                   \
  REFUSED (gpumm_bsr_full, g, change, gpumm_bsr_multiply_full, status, "")
  CSC_FULL (x.c.ld = 2, GPUMM_INVALID); /* columns that overlap */
  CSC_FULL (x.d.ld = 2, GPUMM_INVALID);
  BSR_FULL (x.c.ld = 5, GPUMM_INVALID);
  BSR_FULL (x.d.ld = 0, GPUMM_INVALID);
  BSR_FULL (x.d.rows = 5, GPUMM_NONCONFORMANT);
  BSR_FULL (x.s.values.type = x.d.type = x.c.type = GPUMM_I64, GPUMM_INVALID);
  release (&a);
  release (&b);
  give_all ();
}

/* ---- failures ----------------------------------------------------------------------------- */

typedef struct {
  gpumm_bsr_product blocks;
  gpumm_bsr_full full;
  gpumm_matrix right; /* C's values */
} products;

/* C's values are right where all succeed. */
static gpumm_status multiply_all (void *context) {
  const products *x = context;
  const int64_t count = x->right.nzmax * entry_elements (&x->right);
  double *values = check_allocate (count, sizeof *values);
  const gpumm_matrix there = column_of (&x->blocks.c.values, count, NULL),
                     here = column_of (&x->blocks.c.values, count, values);
  gpumm_status status = gpumm_bsr_count (&x->blocks);
  status = status ? status : gpumm_bsr_multiply (&x->blocks);
  status = status ? status : gpumm_bsr_multiply_full (&x->full);
  status = status ? status : gpumm_copy (&there, &here);
  if (!status)
    CHECK (!memcmp (values, x->right.values, (size_t) count * sizeof *values), "another C");
  free (values);
  return status;
}

static void test_faults (void) {
  const int64_t size[] = {60, 60, 60}, block[] = {3, 3, 3};
  operand o = draw_operand ('b', GPUMM_D, size, block);
  o.percent = 50;
  problem x = {.p = {.a = make (&o), .b = make (&o), .alpha = {1, 0}, .output = GPUMM_D}};
  const gpumm_view zero = take (GPUMM_I32, 1);
  products all = {.blocks = bsr_product (&x, &zero)};
  gpumm_matrix d = make_full (GPUMM_D, 60, 60, WHOLE);
  const gpumm_view c = take (GPUMM_D, 3600);
  all.full = (gpumm_bsr_full){
      .s = all.blocks.a, .left = 1, .d = send_full (&d, 0), .c = full_at (&c, 60, 60, 0)};
  OK (gpumm_bsr_multiply (&all.blocks));
  all.right = fetch_bsr (&all.blocks.c);
  for (int which = 0; which < 2; which++)
    fail_in_turn (&(faults){.name = "resident blocks",
                            .inject = which ? gpumm_fault_device : gpumm_fault_memory,
                            .run = multiply_all,
                            .context = &all,
                            .least = which ? 4 : 1});
  release (&x.p.a);
  release (&x.p.b);
  release (&d);
  release (&all.right);
  give_all ();
}

int main (int argc, char **argv) {
  check_seed (20261124);
  take_arguments (argc, argv, &cases);
  for (int n = 0; n < cases; n += SANITIZED_STEP)
    for (int k = 0; k < KINDS; k++)
      test_product (n, kinds[k].formats,
                    type_of (kinds[k].types[(size_t) n % strlen (kinds[k].types)]));
  test_refused_products ();
  if (device == GPUMM_HOST) /* a driver that can fail on demand */
    test_faults ();
  gpumm_reset ();
  CHECK (gpumm_live_allocations () == 0, "allocations are left");
  return check_done ();
}
