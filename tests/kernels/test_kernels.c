/* test_kernels.c - every kernel of a driver against a triple loop in higher precision.
 *
 *   test_kernels LIBRARY [table=1] [grams=1] [special=200] [random=300] [exact=100] [seed=1]
 *                [types=sdcz] [kernel=] [without=] [largest=129] [driver=1]
 *
 * table    of sizes around tiles, all ops and types, and on a GPU of few rows or columns and long
 *          k: run one case in so many (1: all, 0: none)
 * grams    A A' of 2048 and more on a GPU? 0: no
 * special  so many random cases with NaN, Inf and zeros, whose places in C are compared
 * random   so many random cases
 * exact    so many random cases of small integers, without rounding in any kernel: C must be exact
 * types    the element types to test, by BLAS letter
 * kernel   only rows whose name begins so
 * without  no rows whose name begins so
 * largest  cuts all sizes down to this
 * driver   test the driver's own functions? 0: no
 *
 * On the host device each product runs three times: threads forwards, backwards and shuffled;
 * Strassen's only shuffled.
 * Exits with 77 when the driver finds no device.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "host/host.h"
#include "driver_test.h"

static void (*set_order) (gpumm_host_order order, uint64_t seed); /* host device only */
static void (*set_memory) (int64_t bytes);

static struct {
  long driver, table, grams, special, random, exact, seed, largest, widen;
  const char *types, *kernel, *without;
} options = {1, 1, 1, 200, 300, 100, 1, 129, 200, "sdcz", "", NULL};

/* ---- matrices ----------------------------------------------------------------------------- */

static void set (gpumm_type type, void *p, int64_t i, double re, double im) {
  put (type, p, i, 0, re);
  put (type, p, i, 1, im);
}

/* ---- a case ------------------------------------------------------------------------------- */

struct test {
  gpumm_type type;
  gpumm_op op_a, op_b;
  int64_t m, n, k;
  int64_t pad_a, pad_b, pad_c; /* what the leading dimensions are longer than needed */
  gpumm_scalar alpha, beta;
  int special;  /* NaN, Inf and zeros among the elements? */
  int integers; /* elements -2 .. 2 only? */
  int gram;     /* is B the array of A, with the other op? */
};

static const double specials[] = {NAN, INFINITY, -INFINITY, 0.0, -0.0};

static double element (const struct test *t) {
  if (t->integers)
    return (double) (below (5) - 2);
  return t->special && below (24) == 0 ? specials[below (5)] : number ();
}

/* Random elements in a rows x cols matrix, NaN in the padding below each column. */
static void make_matrix (const struct test *t, void *p, int64_t rows, int64_t cols, int64_t ld) {
  for (int64_t j = 0; rows > 0 && j < cols; j++)
    for (int64_t i = 0; i < (j + 1 < cols ? ld : rows); i++)
      if (i < rows)
        set (t->type, p, i + j * ld, element (t), element (t));
      else
        set (t->type, p, i + j * ld, NAN, NAN);
}

static int64_t length (int64_t rows, int64_t cols, int64_t ld) {
  return rows == 0 || cols == 0 ? 0 : (cols - 1) * ld + rows;
}

static size_t operand_bytes (const struct test *t, int64_t rows, int64_t cols, int64_t ld) {
  return sizes[t->type] * (size_t) length (rows, cols, ld);
}

enum { GUARD = 64 }; /* elements before and after C */

/* One element of C as it should be, and how far from it C may be. */
struct expected {
  long double re, im, bound;
  int nan; /* is one of what it is made of NaN? */
};

typedef struct number {
  long double re, im;
} complex_number;

/* s x as kernels define it: a real s multiplies both parts. */
static complex_number scale (gpumm_scalar s, complex_number x) {
  if (s.im == 0)
    return (complex_number){s.re * x.re, s.re * x.im};
  return (complex_number){s.re * x.re - s.im * x.im, s.re * x.im + s.im * x.re};
}

/* The definition, in long double: C = alpha op(A) op(B) + beta C. A sum of k products made in any
 * order and with precision eps / 2 lies within k eps |A||B| of the exact one (Higham 2002, section
 * 3.1; complex: 2 k terms, each at most |a||b|); alpha and beta add a few roundings. */
static struct expected expect (const struct test *t, const gpumm_product *p, const void *a,
                               const void *b, const void *c0, int64_t i, int64_t j) {
  complex_number sum = {0, 0};
  long double size = 0;
  int nan = 0;
  if (t->alpha.re != 0 || t->alpha.im != 0) {
    int conjugate_a = t->op_a == GPUMM_CTRANSPOSE, conjugate_b = t->op_b == GPUMM_CTRANSPOSE;
    for (int64_t l = 0; l < t->k; l++) {
      int64_t at_a = t->op_a == GPUMM_NONE ? i + l * p->lda : l + i * p->lda;
      int64_t at_b = t->op_b == GPUMM_NONE ? l + j * p->ldb : j + l * p->ldb;
      long double xr = get (t->type, a, at_a, 0), yr = get (t->type, b, at_b, 0);
      nan = nan || isnan (xr) || isnan (yr);
      if (!is_complex (t->type)) {
        sum.re += xr * yr;
        size += if_finite (xr * yr);
        continue;
      }
      long double xi = get (t->type, a, at_a, 1), yi = get (t->type, b, at_b, 1);
      nan = nan || isnan (xi) || isnan (yi);
      xi = conjugate_a ? -xi : xi;
      yi = conjugate_b ? -yi : yi;
      sum.re += xr * yr - xi * yi;
      sum.im += xr * yi + xi * yr;
      size += if_finite (sqrtl ((xr * xr + xi * xi) * (yr * yr + yi * yi)));
    }
    if (t->k > 0)
      sum = scale (t->alpha, sum);
    size *= hypotl (t->alpha.re, t->alpha.im);
  }
  if (t->beta.re != 0 || t->beta.im != 0) {
    int64_t at = i + j * p->ldc;
    complex_number old = {get (t->type, c0, at, 0), get (t->type, c0, at, 1)};
    size += hypotl (t->beta.re, t->beta.im) * (if_finite (old.re) + if_finite (old.im));
    nan = nan || isnan (old.re) || isnan (old.im);
    old = scale (t->beta, old);
    sum.re += old.re;
    sum.im += old.im;
  }
  long double tiny = t->type == GPUMM_S || t->type == GPUMM_C ? FLT_MIN : DBL_MIN;
  long double bound = (long double) (t->k + 8) * epsilons[t->type] * (size + tiny);
  return (struct expected){sum.re, sum.im, t->integers ? 0 : bound, nan};
}

static int is_finite (long double x, long double y) {
  return isfinite (x) && isfinite (y);
}

/* ---- Strassen's algorithm ----------------------------------------------------------------- */

/* Largest finite elements. */
struct norms {
  long double a, b, c;
};

static long double norm (gpumm_type type, const void *p, int64_t rows, int64_t cols, int64_t ld) {
  long double most = 0;
  for (int64_t j = 0; j < cols; j++)
    for (int64_t i = 0; i < rows; i++) {
      long double x = if_finite (get (type, p, i + j * ld, 0)),
                  y = if_finite (get (type, p, i + j * ld, 1));
      most = fmaxl (most, hypotl (x, y));
    }
  return most;
}

static int is_strassen (const gpumm_kernel *row) {
  return strcmp (row->algorithm, "strassen") == 0;
}

/* How often it should recurse at these sizes; -1: it decides. A row with a number at its end: so
 * often, as long as blocks are whole vectors of 16 bytes. */
static int expected_depth (const struct test *t, const gpumm_kernel *row) {
  const char *digit = row->name + strlen (row->name) - 1;
  int64_t least = t->m < t->n ? t->m : t->n, width = 16 / (int64_t) sizes[t->type];
  least = least < t->k ? least : t->k;
  if (!strchr ("1234", *digit))
    return -1;
  int depth = t->alpha.re == 0 && t->alpha.im == 0 ? 0 : *digit - '0';
  while (depth > 0 && width << depth > least)
    depth--;
  return depth;
}

/* Its bound holds for the largest element, not for each (Higham 2002, theorem 23.3, with k / 2^depth
 * for n0; eps is 2 u, which leaves room for complex products). An element of C is scaled once and
 * added to twice. */
static long double strassen_bound (const struct test *t, const struct norms *x, int depth) {
  long double k0 = ldexpl ((long double) t->k, -depth);
  long double product = powl (18, depth) * (k0 * k0 + 6 * k0) * x->a * x->b;
  return epsilons[t->type]
         * (hypotl (t->alpha.re, t->alpha.im) * product
            + 3 * hypotl (t->beta.re, t->beta.im) * x->c);
}

/* Where A or B has Inf or NaN, its sums may spread them or make NaN of Inf; but what is not finite
 * by definition is never finite, and what a NaN goes into is NaN. */
static int strassen_agrees (const struct test *t, long double re, long double im,
                            const struct expected *y, long double bound) {
  if (y->nan)
    return isnan (re) || isnan (im);
  if (!is_finite (y->re, y->im) || (t->special && !is_finite (re, im)))
    return !is_finite (re, im);
  return agrees (re, y->re, bound) && agrees (im, y->im, bound);
}

/* ---- comparing ---------------------------------------------------------------------------- */

static const char *describe (const struct test *t, const char *row, const char *order) {
  static char text[512];
  static const char *const ops[] = {"none", "transpose", "ctranspose"};
  snprintf (text, sizeof text,
            "%s %c %s %s m=%lld n=%lld k=%lld pads %lld %lld %lld alpha=(%g,%g) beta=(%g,%g)%s, %s",
            row, "sdcz"[t->type], ops[t->op_a], ops[t->op_b], (long long) t -> m,
            (long long) t -> n, (long long) t -> k, (long long) t -> pad_a, (long long) t -> pad_b,
            (long long) t -> pad_c, t -> alpha.re, t->alpha.im, t->beta.re, t->beta.im,
            t->special ? " NaN and Inf" : "", order);
  return text;
}

/* From cuBLAS A A' is symmetric, or Hermitian, to the bit: eig and chol look whether it is. */
static int is_unsymmetric (const struct test *t, const gpumm_product *p, const gpumm_kernel *row,
                           const void *c) {
  const int conjugated = t->op_a == GPUMM_CTRANSPOSE || t->op_b == GPUMM_CTRANSPOSE;
  if (!t->gram || t->special || t->beta.re != 0 || t->beta.im != 0 || t->alpha.im != 0
      || strcmp (row->algorithm, "cublas") != 0)
    return 0;
  for (int64_t j = 0; j < t->n; j++)
    for (int64_t i = 0; i <= j; i++) {
      const int64_t x = i + j * p->ldc, y = j + i * p->ldc;
      if (get (t->type, c, x, 0) != get (t->type, c, y, 0)
          || get (t->type, c, x, 1) != (conjugated ? -1 : 1) * get (t->type, c, y, 1))
        return 1;
    }
  return 0;
}

/* Checks what a kernel made. before: what was there. Says what is wrong first. */
static void compare (const struct test *t, const gpumm_product *p, const gpumm_kernel *row,
                     const char *order, const struct expected *right, const struct norms *x,
                     const pair *c, const void *before) {
  size_t size = sizes[t->type];
  int64_t total = (int64_t) (c->bytes / size);
  const char *now = c->host;
  /* cuBLAS scales by a complex alpha whatever it is, so that an Inf in one part may become NaN in
   * both: of complex elements only whether they are finite is compared. So does the row emulated,
   * which leaves products with Inf or NaN to it. */
  int loose =
      is_complex (t->type)
      && (strcmp (row->algorithm, "cublas") == 0 || strcmp (row->algorithm, "emulated") == 0);
  int depth = 0, recursive = is_strassen (row);
  if (recursive) {
    int should = expected_depth (t, row);
    if (sscanf (p->note, "depth %d", &depth) != 1 || (should >= 0 && depth != should)) {
      report (0, "%s: the note is \"%s\", not depth %d", describe (t, row->name, order), p->note,
              should);
      return;
    }
  }

  for (int64_t e = 0; e < total; e++) {
    int64_t at = e - GUARD, i = p->ldc ? at % p->ldc : 0, j = p->ldc ? at / p->ldc : 0;
    if (at < 0 || i >= t->m || j >= t->n) {
      if (memcmp (now + e * (int64_t) size, (const char *) before + e * (int64_t) size, size)) {
        report (0, "%s: wrote outside of C, at element %lld", describe (t, row->name, order),
                (long long) at);
        return;
      }
      continue;
    }
    const struct expected *y = &right[i + j * t->m];
    long double re = get (t->type, now, e, 0), im = get (t->type, now, e, 1);
    long double bound =
        recursive && depth > 0 && !t->integers ? strassen_bound (t, x, depth) : y->bound;
    int ok = recursive ? strassen_agrees (t, re, im, y, bound)
             : loose && !is_finite (y->re, y->im)
                 ? !is_finite (re, im)
                 : agrees (re, y->re, bound) && agrees (im, y->im, bound);
    if (!ok) {
      report (0, "%s: C(%lld,%lld) is (%.17Lg,%.17Lg), not (%.17Lg,%.17Lg) within %.3Lg",
              describe (t, row->name, order), (long long) i, (long long) j, re, im, y->re, y->im,
              bound);
      return;
    }
  }
  report (!is_unsymmetric (t, p, row, now + GUARD * (int64_t) size), "%s: not symmetric to the bit",
          describe (t, row->name, order));
}

static void run_kernel (const struct test *t, const gpumm_product *p, const gpumm_kernel *row,
                        const char *order, const struct expected *right, const struct norms *x,
                        pair *c, const void *before) {
  memcpy (c->host, before, c->bytes);
  up (c);
  char note[GPUMM_NOTE_BYTES + 1];
  gpumm_product product = *p;
  memset (note, 0x5a, sizeof note);
  note[0] = 0;
  product.note = note;
  gpumm_status status = row->launch (0, stream, &product);
  if (note[GPUMM_NOTE_BYTES] != 0x5a || !memchr (note, 0, GPUMM_NOTE_BYTES))
    report (0, "%s: a note longer than its room", describe (t, row->name, order));
  if (!status)
    status = driver->stream_synchronize (0, stream);
  if (status) {
    report (0, "%s: status %d, %s", describe (t, row->name, order), status, driver->error_text ());
    return;
  }
  down (c);
  compare (t, &product, row, order, right, x, c, before);
}

static void run_test (const struct test *t) {
  size_t size = sizes[t->type];
  int64_t a_rows = t->op_a == GPUMM_NONE ? t->m : t->k,
          a_cols = t->op_a == GPUMM_NONE ? t->k : t->m;
  int64_t b_rows = t->op_b == GPUMM_NONE ? t->k : t->n,
          b_cols = t->op_b == GPUMM_NONE ? t->n : t->k;
  gpumm_product p = {
      .type = t->type,
      .op_a = t->op_a,
      .op_b = t->op_b,
      .m = t->m,
      .n = t->n,
      .k = t->k,
      .lda = a_rows + t->pad_a,
      .ldb = b_rows + t->pad_b,
      .ldc = t->m + t->pad_c,
      .alpha = t->alpha,
      .beta = t->beta,
  };
  pair a = make_pair (operand_bytes (t, a_rows, a_cols, p.lda));
  pair b = t->gram ? a : make_pair (operand_bytes (t, b_rows, b_cols, p.ldb));
  pair c = make_pair (size * (size_t) (2 * GUARD + length (t->m, t->n, p.ldc)));
  p.a = a.device;
  p.b = b.device;
  p.c = (char *) c.device + GUARD * size;

  memset (a.host, 0xff, a.bytes); /* NaN */
  memset (b.host, 0xff, b.bytes);
  make_matrix (t, a.host, a_rows, a_cols, p.lda);
  if (!t->gram)
    make_matrix (t, b.host, b_rows, b_cols, p.ldb);
  up (&a);
  up (&b);

  /* with beta = 0 what is in C must not matter */
  char *before = check_allocate ((int64_t) c.bytes, 1);
  struct expected *right = check_allocate (t->m * t->n, sizeof *right);
  memset (before, 0xa5, c.bytes);
  for (int64_t j = 0; j < t->n; j++)
    for (int64_t i = 0; i < t->m; i++) {
      int64_t at = GUARD + i + j * p.ldc;
      if (t->beta.re == 0 && t->beta.im == 0)
        set (t->type, before, at, NAN, NAN);
      else
        set (t->type, before, at, element (t), element (t));
    }
  for (int64_t j = 0; j < t->n; j++)
    for (int64_t i = 0; i < t->m; i++)
      right[i + j * t->m] = expect (t, &p, a.host, b.host, before + GUARD * size, i, j);
  struct norms x = {norm (t->type, a.host, a_rows, a_cols, p.lda),
                    norm (t->type, b.host, b_rows, b_cols, p.ldb),
                    norm (t->type, before + GUARD * size, t->m, t->n, p.ldc)};

  for (const gpumm_kernel *const *row = driver->kernels; *row; row++) {
    const gpumm_kernel *kernel = *row;
    if (strncmp (kernel->name, options.kernel, strlen (options.kernel)) != 0
        || (options.without
            && strncmp (kernel->name, options.without, strlen (options.without)) == 0)
        || !(kernel->types & 1u << t->type) || kernel->capability > device.capability
        || (kernel->runs && !kernel->runs (&p, &device)))
      continue;
    size_t bytes = kernel->workspace ? kernel->workspace (&p, &device) : 0;
    p.workspace = NULL;
    p.workspace_bytes = bytes;
    if (bytes > 0)
      need (driver->allocate (0, bytes, &p.workspace), "workspace");
    if (!set_order)
      run_kernel (t, &p, kernel, "on the GPU", right, &x, &c, before);
    else {
      /* Strassen's sums have no barrier, and the base below it is tested by itself */
      if (!is_strassen (kernel)) {
        set_order (GPUMM_FORWARDS, 0);
        run_kernel (t, &p, kernel, "threads forwards", right, &x, &c, before);
        set_order (GPUMM_BACKWARDS, 0);
        run_kernel (t, &p, kernel, "threads backwards", right, &x, &c, before);
      }
      set_order (GPUMM_SHUFFLED, check_random ());
      run_kernel (t, &p, kernel, "threads shuffled", right, &x, &c, before);
      set_order (GPUMM_FORWARDS, 0);
    }
    if (p.workspace)
      need (driver->release (0, p.workspace), "workspace");
  }
  free (before);
  free (right);
  drop_pair (&a);
  if (!t->gram)
    drop_pair (&b);
  drop_pair (&c);
}

/* ---- cases -------------------------------------------------------------------------------- */

static int64_t cut (int64_t size) {
  return size < options.largest ? size : options.largest;
}

static int tested (gpumm_type type) {
  return strchr (options.types, "sdcz"[type]) != NULL;
}

/* Every size as m, as n and as k, with others that change; every one with all ops and types. */
static void run_table (void) {
  static const int64_t edges[] = {0,  1,  2,  3,  7,  8,  9,  15,  16,
                                  17, 31, 32, 33, 63, 64, 65, 127, 129};
  enum { EDGES = sizeof edges / sizeof *edges };
  int64_t number_of = 0;
  for (int e = 0; e < EDGES; e++)
    for (int place = 0; place < 3; place++) {
      int64_t size[3] = {edges[(7 * e + 5) % EDGES], edges[(5 * e + 11) % EDGES],
                         edges[(11 * e + 2) % EDGES]};
      size[place] = edges[e];
      for (int type = GPUMM_S; type <= GPUMM_Z; type++)
        for (int ops = 0; ops < 9; ops++) {
          struct test t = {
              .type = (gpumm_type) type,
              .op_a = (gpumm_op) (ops % 3),
              .op_b = (gpumm_op) (ops / 3),
              .m = cut (size[0]),
              .n = cut (size[1]),
              .k = cut (size[2]),
              .pad_a = number_of % 2 ? 3 : 0,
              .pad_b = number_of % 3 ? 5 : 0,
              .pad_c = number_of % 5 ? 2 : 0,
          };
          choose_scalars (t.type, number_of++, &t.alpha, &t.beta);
          if (tested (t.type) && below (options.table) == 0)
            run_test (&t);
        }
    }
}

/* Few tiles and a long k, C of few rows or columns, a few tiles more than a GPU makes at once. Not on
 * the host device, which would take minutes. */
static void run_extremes (void) {
  static const int64_t shapes[][3] = {
      {16, 16, 20000}, {63, 65, 3001},  {64, 64, 4096},   {1, 300, 3000},  {200, 1, 3001},
      {32, 330, 1500}, {330, 31, 1501}, {64, 270, 1040},  {33, 130, 4095}, {66, 48, 4097},
      {129, 257, 500}, {70, 2600, 65},  {1300, 900, 130},
  };
  enum { SHAPES = sizeof shapes / sizeof *shapes };
  int64_t number_of = 0;
  for (int e = 0; e < SHAPES; e++) {
    /* the definition takes a second of each, and of the last some more */
    int every = e + 1 < SHAPES ? 2 : 9;
    for (int type = GPUMM_S; type <= GPUMM_Z; type++)
      for (int ops = type % every; ops < 9; ops += every) {
        struct test t = {
            .type = (gpumm_type) type,
            .op_a = (gpumm_op) (ops % 3),
            .op_b = (gpumm_op) (ops / 3),
            .m = shapes[e][0],
            .n = shapes[e][1],
            .k = shapes[e][2],
            .integers = number_of % 4 == 3,
            .special = number_of % 7 == 6,
        };
        /* columns as they are, and at multiples of 16 bytes */
        if (number_of % 2) {
          t.pad_a = (t.op_a == GPUMM_NONE ? t.m : t.k) % 2;
          t.pad_b = (t.op_b == GPUMM_NONE ? t.k : t.n) % 2;
          t.pad_c = 3;
        }
        choose_scalars (t.type, number_of++, &t.alpha, &t.beta);
        if (tested (t.type) && below (options.table) == 0)
          run_test (&t);
      }
  }
}

/* A A' and A' A of one array. */
static void make_gram (struct test *t, gpumm_op op) {
  t->gram = 1;
  t->n = t->m;
  t->pad_b = t->pad_a;
  t->op_b = t->op_a == GPUMM_NONE ? op : GPUMM_NONE;
}

/* Where cuBLAS makes one triangle: from 2048 on. */
static void run_grams (void) {
  static const int64_t shapes[][2] = {{2048, 3}, {2049, 5}, {2113, 1}};
  static const gpumm_op ops[] = {GPUMM_NONE, GPUMM_TRANSPOSE, GPUMM_CTRANSPOSE};
  for (int e = 0; e < 3; e++)
    for (int type = GPUMM_S; type <= GPUMM_Z; type++)
      for (int i = 0; i < 4; i++) {
        struct test t = {.type = (gpumm_type) type,
                         .op_a = ops[i < 2 ? 0 : i - 1],
                         .m = shapes[e][0],
                         .k = shapes[e][1],
                         .pad_a = e,
                         .pad_c = 3 * e,
                         .alpha = {e == 0 ? 1 : -0.5, 0},
                         .special = e == 1 && i % 2};
        if (e == 2 && i > 0 && is_complex (t.type))
          t.alpha.im = 0.25;
        if (e == 0 && i == 3)
          t.beta.re = 2;
        make_gram (&t, ops[1 + i % 2]);
        if (tested (t.type))
          run_test (&t);
      }
}

static void run_random (long count, int special, int integers) {
  for (long i = 0; i < count; i++) {
    int64_t most = 1 + cut (below (4) == 0 ? 100 : 40);
    struct test t = {
        .type = (gpumm_type) below (4),
        .op_a = (gpumm_op) below (3),
        .op_b = (gpumm_op) below (3),
        .m = below (most),
        .n = below (most),
        .k = below (most),
        .pad_a = below (9),
        .pad_b = below (9),
        .pad_c = below (9),
        .special = special,
        .integers = integers,
    };
    choose_scalars (t.type, below (SCALARS), &t.alpha, &t.beta);
    if (i % 8 == 7)
      make_gram (&t, i % 16 == 7 ? GPUMM_TRANSPOSE : GPUMM_CTRANSPOSE);
    if (tested (t.type))
      run_test (&t);
  }
}

/* ---- the driver's own functions ----------------------------------------------------------- */

static void check_memory (void) {
  void *p = NULL, *q = NULL;
  gpumm_device_properties before, after;
  CHECK_DRIVER (driver->properties (0, &before) == GPUMM_OK);
  CHECK_DRIVER (before.memory_free <= before.memory_total && before.memory_total > 0);
  CHECK_DRIVER (driver->allocate (0, (size_t) before.memory_total * 2, &p) == GPUMM_DEVICE_MEMORY);
  CHECK_DRIVER (p == NULL);
  CHECK_DRIVER (strlen (driver->error_text ()) > 0);
  CHECK_DRIVER (driver->allocate (0, 0, &p) == GPUMM_OK && p);
  CHECK_DRIVER (driver->release (0, p) == GPUMM_OK);
  CHECK_DRIVER (driver->release (0, NULL) == GPUMM_OK && driver->unpin (0, NULL) == GPUMM_OK);
  CHECK_DRIVER (driver->allocate (0, 64 << 20, &p) == GPUMM_OK);
  CHECK_DRIVER (driver->properties (0, &after) == GPUMM_OK);
  CHECK_DRIVER (after.memory_free
                <= before.memory_free - (32 << 20)); /* others may use the GPU too */
  CHECK_DRIVER (driver->release (0, p) == GPUMM_OK);
  CHECK_DRIVER (driver->allocate (99, 1, &p) != GPUMM_OK);
  CHECK_DRIVER (driver->properties (99, &after) != GPUMM_OK);
  CHECK_DRIVER (driver->pin (0, 100, &q) == GPUMM_OK && q);
  CHECK_DRIVER (driver->unpin (0, q) == GPUMM_OK);
  if (set_memory) {
    set_memory (1000);
    CHECK_DRIVER (driver->allocate (0, 600, &p) == GPUMM_OK);
    CHECK_DRIVER (driver->allocate (0, 600, &q) == GPUMM_DEVICE_MEMORY);
    CHECK_DRIVER (driver->allocate (0, 400, &q) == GPUMM_OK);
    CHECK_DRIVER (driver->properties (0, &after) == GPUMM_OK);
    CHECK_DRIVER (after.memory_total == 1000 && after.memory_free == 0);
    CHECK_DRIVER (driver->release (0, p) == GPUMM_OK && driver->release (0, q) == GPUMM_OK);
    CHECK_DRIVER (driver->release (0, q) == GPUMM_INVALID);
    set_memory (INT64_C (1) << 30);
  }
}

/* Columns with gaps, up and down; a fill; streams that wait. */
static void check_copies (void) {
  enum { ROWS = 5, COLUMNS = 7, UP = 9, THERE = 6, DOWN = 11 };
  pair from = make_pair (UP * COLUMNS), to = make_pair (DOWN * COLUMNS);
  char *p = from.host, *q = to.host;
  gpumm_stream *second = NULL;
  gpumm_event *event[2] = {NULL, NULL};
  double seconds = -1;
  int done = 0;
  for (int i = 0; i < UP * COLUMNS; i++)
    p[i] = (char) i;
  memset (q, 77, DOWN * COLUMNS);
  CHECK_DRIVER (driver->stream_create (0, &second) == GPUMM_OK);
  CHECK_DRIVER (driver->event_create (0, GPUMM_TIMED, &event[0]) == GPUMM_OK);
  CHECK_DRIVER (driver->event_create (0, GPUMM_TIMED, &event[1]) == GPUMM_OK);
  CHECK_DRIVER (driver->event_record (0, event[0], stream) == GPUMM_OK);
  CHECK_DRIVER (driver->fill (0, stream, from.device, 3, from.bytes) == GPUMM_OK);
  CHECK_DRIVER (driver->fill (0, stream, from.device, 3, 0) == GPUMM_OK);
  CHECK_DRIVER (driver->copy_up (0, stream, from.device, THERE, p, UP, ROWS, COLUMNS) == GPUMM_OK);
  CHECK_DRIVER (driver->copy_up (0, stream, from.device, 0, p, 0, 0, 5) == GPUMM_OK);
  CHECK_DRIVER (driver->event_record (0, event[1], stream) == GPUMM_OK);
  CHECK_DRIVER (driver->stream_wait (0, second, event[1]) == GPUMM_OK);
  CHECK_DRIVER (driver->copy_down (0, second, q, DOWN, from.device, THERE, THERE, COLUMNS)
                == GPUMM_OK);
  CHECK_DRIVER (driver->stream_synchronize (0, second) == GPUMM_OK);
  CHECK_DRIVER (driver->event_synchronize (0, event[1]) == GPUMM_OK);
  CHECK_DRIVER (driver->event_done (0, event[1], &done) == GPUMM_OK && done);
  CHECK_DRIVER (driver->event_seconds (0, event[0], event[1], &seconds) == GPUMM_OK);
  CHECK_DRIVER (seconds >= 0 && seconds < 60);
  int right = 1;
  for (int j = 0; j < COLUMNS; j++)
    for (int i = 0; i < DOWN; i++)
      right = right && q[i + j * DOWN] == (i < ROWS ? p[i + j * UP] : i < THERE ? 3 : 77);
  CHECK_DRIVER (right);
  CHECK_DRIVER (driver->event_destroy (0, event[0]) == GPUMM_OK);
  CHECK_DRIVER (driver->event_destroy (0, event[1]) == GPUMM_OK);
  CHECK_DRIVER (driver->stream_destroy (0, second) == GPUMM_OK);
  CHECK_DRIVER (driver->stream_destroy (0, NULL) == GPUMM_OK);
  CHECK_DRIVER (driver->event_destroy (0, NULL) == GPUMM_OK);
  drop_pair (&from);
  drop_pair (&to);
}

static void check_table (void) {
  int rows = 0;
  for (const gpumm_kernel *const *row = driver->kernels; *row; row++, rows++) {
    const gpumm_kernel *k = *row;
    gpumm_product integers = {
        .type = GPUMM_I8, .m = 1, .n = 1, .k = 1, .lda = 1, .ldb = 1, .ldc = 1};
    CHECK_DRIVER (k->algorithm && k->name && k->launch && k->types);
    CHECK_DRIVER (k->tile_m > 0 && k->tile_n > 0 && k->tile_k > 0 && k->thread_m > 0
                  && k->thread_n > 0);
    CHECK_DRIVER (strncmp (k->name, k->algorithm, strlen (k->algorithm)) == 0);
    CHECK_DRIVER (k->launch (0, stream, &integers) == GPUMM_UNSUPPORTED);
    for (const gpumm_kernel *const *other = driver->kernels; other != row; other++)
      CHECK_DRIVER (strcmp ((*other)->name, k->name) != 0);
  }
  CHECK_DRIVER (rows >= 8);
}

/* A whole small product; gives the first failure, and back all that it took. */
static gpumm_status small_product (const gpumm_kernel *kernel) {
  void *p = NULL, *d = NULL;
  gpumm_stream *s = NULL;
  gpumm_event *e = NULL;
  double seconds;
  gpumm_device_properties properties;
  enum { N = 20, BYTES = N * N * 8 };
  gpumm_status status = driver->properties (0, &properties);
  if (!status)
    status = driver->stream_create (0, &s);
  if (!status)
    status = driver->event_create (0, GPUMM_TIMED, &e);
  if (!status)
    status = driver->allocate (0, 3 * BYTES, &d);
  if (!status)
    status = driver->pin (0, BYTES, &p);
  if (!status)
    status = driver->fill (0, s, d, 0, BYTES);
  if (!status)
    status = driver->copy_up (0, s, (char *) d + BYTES, BYTES, p, BYTES, BYTES, 1);
  if (!status) {
    gpumm_product x = {.type = GPUMM_D,
                       .m = N,
                       .n = N,
                       .k = N,
                       .a = d,
                       .lda = N,
                       .b = (char *) d + BYTES,
                       .ldb = N,
                       .c = (char *) d + 2 * BYTES,
                       .ldc = N,
                       .alpha = {1, 0}};
    status = kernel->launch (0, s, &x);
  }
  if (!status)
    status = driver->event_record (0, e, s);
  if (!status)
    status = driver->stream_wait (0, s, e);
  if (!status)
    status = driver->copy_down (0, s, p, BYTES, (char *) d + 2 * BYTES, BYTES, BYTES, 1);
  if (!status)
    status = driver->event_synchronize (0, e);
  if (!status)
    status = driver->event_seconds (0, e, e, &seconds);
  if (!status)
    status = driver->stream_synchronize (0, s);
  CHECK_DRIVER (driver->unpin (0, p) == GPUMM_OK);
  CHECK_DRIVER (driver->release (0, d) == GPUMM_OK);
  CHECK_DRIVER (driver->event_destroy (0, e) == GPUMM_OK);
  CHECK_DRIVER (driver->stream_destroy (0, s) == GPUMM_OK);
  return status;
}

/* Each call in turn is made to fail. */
static void check_faults (void) {
  for (const gpumm_kernel *const *row = driver->kernels; *row; row++) {
    gpumm_device_properties before, after;
    driver->fault (0);
    CHECK_DRIVER (small_product (*row) == GPUMM_OK);
    int64_t calls = driver->fault (0);
    CHECK_DRIVER (calls >= 14); /* a row may launch more than one kernel */
    CHECK_DRIVER (driver->properties (0, &before) == GPUMM_OK);
    for (int64_t n = 1; n <= calls; n++) {
      driver->fault (n);
      gpumm_status status = small_product (*row);
      CHECK_DRIVER (driver->fault (0) == n);
      CHECK_DRIVER (status == GPUMM_DEVICE_FAILED || status == GPUMM_DEVICE_MEMORY);
      CHECK_DRIVER (strstr (driver->error_text (), "made to fail"));
    }
    CHECK_DRIVER (driver->properties (0, &after) == GPUMM_OK);
    CHECK_DRIVER (before.memory_free == after.memory_free);
  }
}

static const gpumm_kernel *find_row (const char *name) {
  for (const gpumm_kernel *const *row = driver->kernels; *row; row++)
    if (strcmp ((*row)->name, name) == 0)
      return *row;
  return NULL;
}

/* Strassen's algorithm recurses only as deep as its workspace allows. A row of fixed depth tells
 * what that depth needs; with a byte less there is one level less. */
static void check_strassen_workspace (void) {
  enum { N = 64, DEPTH = 3 };
  static const char *const names[] = {"strassen_register_1", "strassen_register_2",
                                      "strassen_register_3"};
  const gpumm_kernel *deepest = find_row (names[DEPTH - 1]);
  CHECK_DRIVER (deepest != NULL);
  struct test t = {.type = GPUMM_D, .m = N, .n = N, .k = N, .alpha = {1, 0}, .integers = 1};
  pair a = make_pair (N * N * 8), c = make_pair (N * N * 8);
  gpumm_product p = {.type = GPUMM_D,
                     .m = N,
                     .n = N,
                     .k = N,
                     .a = a.device,
                     .lda = N,
                     .b = a.device,
                     .ldb = N,
                     .c = c.device,
                     .ldc = N,
                     .alpha = t.alpha};
  make_matrix (&t, a.host, N, N, N);
  up (&a);
  for (int less = 0; less < 2; less++)
    for (int depth = less; depth <= DEPTH; depth++) {
      const gpumm_kernel *row = depth > 0 ? find_row (names[depth - 1]) : NULL;
      char note[GPUMM_NOTE_BYTES] = "", wanted[GPUMM_NOTE_BYTES];
      snprintf (wanted, sizeof wanted, "depth %d", depth - less);
      p.note = note;
      p.workspace_bytes = row ? row->workspace (&p, &device) - (size_t) less : 0;
      need (driver->allocate (0, p.workspace_bytes, &p.workspace), "workspace");
      memset (c.host, 0xff, c.bytes);
      up (&c);
      CHECK_DRIVER (deepest->launch (0, stream, &p) == GPUMM_OK);
      down (&c);
      CHECK_DRIVER (strcmp (note, wanted) == 0);
      int right = 1;
      for (int64_t i = 0; i < N; i++)
        for (int64_t j = 0; j < N; j++)
          right = right
                  && get (GPUMM_D, c.host, i + j * N, 0)
                         == (double) expect (&t, &p, a.host, a.host, NULL, i, j).re;
      CHECK_DRIVER (right);
      need (driver->release (0, p.workspace), "workspace");
    }
  drop_pair (&a);
  drop_pair (&c);
}

/* ---- widening ----------------------------------------------------------------------------- */

/* Number i of a narrow type, the ends of its range among them. */
static double narrow_number (gpumm_type narrow, int64_t i) {
  static const double reals[] = {0.0,     -0.0,      0x1p-149,   -0x1p-126,
                                 FLT_MAX, -INFINITY, 0x1p24 - 1, 1 + 0x1p-23};
  const int64_t most = narrow == GPUMM_I8 ? INT8_MAX : INT16_MAX;
  if (narrow == GPUMM_S)
    return i % 3 ? (double) (float) number () : reals[i / 3 % 8];
  return i % 3 ? (double) (below (2 * most + 2) - most - 1)
               : (double) (i % 2   ? most
                           : i % 4 ? -most - 1
                                   : 0);
}

static void put_narrow (gpumm_type narrow, void *p, int64_t i, double x) {
  if (narrow == GPUMM_I8)
    ((int8_t *) p)[i] = (int8_t) x;
  else if (narrow == GPUMM_I16)
    ((int16_t *) p)[i] = (int16_t) x;
  else
    put (GPUMM_S, p, i, 0, x);
}

/* Columns cut in pieces of a length, some of which are widened; all other memory stays. */
static void check_widening (gpumm_type narrow, gpumm_type wide, int64_t longest) {
  const size_t element = sizes[wide];
  gpumm_widening w = {.narrow = narrow, .wide = wide, .rows = 1 + below (longest)};
  const int64_t cols = 1 + below (9);
  w.ld = w.rows + below (40);
  w.piece = below (2) ? w.rows : 1 + below (w.rows);
  const int64_t pieces = (w.rows + w.piece - 1) / w.piece;
  w.first = below (pieces * cols);
  w.count = 1 + below (pieces * cols - w.first);
  pair x = make_pair ((size_t) (w.ld * cols) * element);
  char *wanted = check_allocate (w.ld * cols, element), *values = x.host;
  w.p = x.device;
  for (size_t b = 0; b < x.bytes; b++)
    values[b] = (char) below (256);
  memcpy (wanted, values, x.bytes);
  for (int64_t piece = w.first; piece < w.first + w.count; piece++) {
    const int64_t row = piece % pieces * w.piece;
    const size_t at = (size_t) (row + piece / pieces * w.ld) * element;
    for (int64_t i = 0; i < w.piece && row + i < w.rows; i++) {
      double value = narrow_number (narrow, i);
      put_narrow (narrow, values + at, i, value);
      put (wide, wanted + at, i, 0, value);
    }
  }
  up (&x);
  need (driver->widen (0, stream, &w), "widen");
  down (&x);
  report (memcmp (values, wanted, x.bytes) == 0,
          "type %d to %d, columns of %lld, %lld apart, pieces of %lld, %lld from %lld on",
          (int) narrow, (int) wide, (long long) w.rows, (long long) w.ld, (long long) w.piece,
          (long long) w.count, (long long) w.first);
  free (wanted);
  drop_pair (&x);
}

static void run_widening (long cases) {
  for (long i = 0; i < cases; i++) {
    static const int64_t longest[] = {3, 300, 5000, 50000};
    static const gpumm_type types[][2] = {{GPUMM_I8, GPUMM_D},
                                          {GPUMM_I16, GPUMM_D},
                                          {GPUMM_S, GPUMM_D},
                                          {GPUMM_I8, GPUMM_S},
                                          {GPUMM_I16, GPUMM_S}};
    check_widening (types[i % 5][0], types[i % 5][1], longest[i / 5 % 4]);
  }
}

static void check_driver (void) {
  check_memory ();
  check_copies ();
  check_table ();
  check_strassen_workspace ();
  if (driver->fault)
    check_faults ();
  driver->reset ();
  driver->reset ();
  CHECK_DRIVER (small_product (driver->kernels[0]) == GPUMM_OK); /* and goes on after it */
  gpumm_widening none = {.narrow = GPUMM_U8, .wide = GPUMM_D, .rows = 1, .ld = 1, .piece = 1};
  CHECK_DRIVER (driver->widen (0, stream, &none) == GPUMM_UNSUPPORTED);
}

/* ---- main --------------------------------------------------------------------------------- */

int main (int count, char **arguments) {
  const option known[] = {{.name = "table", .number = &options.table},
                          {.name = "grams", .number = &options.grams},
                          {.name = "special", .number = &options.special},
                          {.name = "random", .number = &options.random},
                          {.name = "exact", .number = &options.exact},
                          {.name = "seed", .number = &options.seed},
                          {.name = "types", .text = &options.types},
                          {.name = "kernel", .text = &options.kernel},
                          {.name = "without", .text = &options.without},
                          {.name = "largest", .number = &options.largest},
                          {.name = "driver", .number = &options.driver},
                          {.name = "widen", .number = &options.widen},
                          {.name = NULL}};
  int usage = count < 2;
  for (int i = 2; i < count; i++)
    usage = usage || !take_option (known, arguments[i]);
  if (usage) {
    printf ("usage: test_kernels LIBRARY [table=1] [grams=1] [special=200] [random=300] "
            "[exact=100] [seed=1] "
            "[types=sdcz] [kernel=] [without=] [largest=129] [driver=1] "
            "[widen=200]\n");
    return 2;
  }
  int status = open_driver (arguments[1]);
  if (status)
    return status;
  find_function (driver_library, "gpumm_host_set_order", &set_order);
  find_function (driver_library, "gpumm_host_set_memory", &set_memory);
  begin_tests (options.seed);

  if (options.driver)
    check_driver ();
  if (options.table > 0)
    run_table ();
  if (options.table > 0 && !set_order)
    run_extremes ();
  if (options.grams && !set_order)
    run_grams ();
  run_widening (options.widen);
  run_random (options.special, 1, 0);
  run_random (options.random, 0, 0);
  run_random (options.exact, 0, 1);

  close_driver ();
  return check_done ();
}
