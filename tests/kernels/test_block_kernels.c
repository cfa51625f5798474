/* test_block_kernels.c - the kernels of a driver that multiply floating-point matrices by
 * compressed rows, plain and in blocks, with each other and with dense ones, against sums in higher
 * precision.
 *
 *   test_block_kernels LIBRARY [edges=1] [random=150] [special=60] [exact=100] [seed=1] [kernel=]
 *                      [large=1]
 *
 * edges    of sizes and patterns at the limits of the kernels: run one case in so many (0: none)
 * random   so many random cases
 * special  so many with NaN and Inf, whose places in C are compared
 * exact    so many of small integers, without rounding in any kernel: C must be exact
 * kernel   only rows whose name begins so
 * large    0: no edges of many blocks, which take the host device long
 *
 * Each product runs three times, on the host device with threads forwards, backwards and shuffled:
 * the bits must be the same. C by rows is made in two ranges of rows. Memory of results is
 * poisoned, with guards around it. Exits with 77 when the driver finds no device.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "host/host.h"
#include "driver_test.h"

static void (*set_order) (gpumm_host_order order, uint64_t seed); /* host device only */

static struct {
  long edges, random, special, exact, large, seed;
  const char *kernel;
} options = {1, 150, 60, 100, 1, 1, ""};

/* ---- elements ----------------------------------------------------------------------------- */

enum kind { NUMBERS, INTEGERS, SPECIALS };

static double element (enum kind kind) {
  static const double specials[] = {NAN, INFINITY, -INFINITY, 0.0, -0.0};
  if (kind == INTEGERS)
    return (double) (below (5) - 2);
  if (kind == SPECIALS && below (60) == 0)
    return specials[below (5)];
  return number ();
}

static void fill (gpumm_type type, void *p, int64_t count, enum kind kind) {
  for (int64_t i = 0; i < count; i++) {
    put (type, p, i, 0, element (kind));
    put (type, p, i, 1, element (kind));
  }
}

/* ---- matrices by compressed rows ---------------------------------------------------------- */

struct matrix {
  gpumm_type type;
  gpumm_rows host, device;
  pair start, column, values;
};

enum pattern { SCATTERED, EMPTY, BANDED, HUBS, FULL, PATTERNS };

/* Is block (i, j) there? */
static int is_there (enum pattern pattern, int64_t i, int64_t j, int64_t per_row, int64_t cols) {
  switch (pattern) {
  case EMPTY:
    return 0;
  case BANDED:
    return i - j <= per_row / 2 && j - i <= per_row / 2;
  case HUBS: /* full rows and columns, and every third row empty */
    return i % 3 != 1 && (i % 11 == 0 || j % 13 == 5 || below (cols) < per_row / 2);
  case FULL:
    return 1;
  default:
    return below (cols) < per_row;
  }
}

static struct matrix make_matrix (gpumm_type type, enum pattern pattern, enum kind kind,
                                  int64_t rows, int64_t cols, int64_t block_rows,
                                  int64_t block_cols, int64_t per_row) {
  struct matrix x = {
      .type = type,
      .host = {.rows = rows, .cols = cols, .block_rows = block_rows, .block_cols = block_cols}};
  int64_t room = 16;
  int32_t *column = check_allocate (room, sizeof *column);
  x.start = make_pair ((size_t) (rows + 1) * sizeof (int64_t));
  int64_t *start = x.start.host, count = 0;
  for (int64_t i = 0; i < rows; i++) {
    start[i] = count;
    /* wide matrices: by strides, as there is no time to ask for each block */
    int64_t stride = cols > 5000 ? cols / per_row : 0;
    for (int64_t j = stride ? below (stride) : 0; j < cols;
         j += stride ? 1 + below (2 * stride) : 1) {
      if (!stride && !is_there (pattern, i, j, per_row, cols))
        continue;
      if (count == room) {
        room *= 2;
        column = realloc (column, (size_t) room * sizeof *column);
        if (!column)
          exit (1);
      }
      column[count++] = (int32_t) j;
    }
  }
  start[rows] = count;
  x.column = make_pair ((size_t) count * sizeof *column);
  memcpy (x.column.host, column, x.column.bytes);
  free (column);
  x.values = make_pair ((size_t) (count * block_rows * block_cols) * sizes[type]);
  fill (type, x.values.host, count * block_rows * block_cols, kind);
  up (&x.start);
  up (&x.column);
  up (&x.values);
  x.host.stored = count;
  x.device = x.host;
  x.host.start = start;
  x.host.column = x.column.host;
  x.host.values = x.values.host;
  x.device.start = x.start.device;
  x.device.column = x.column.device;
  x.device.values = x.values.device;
  return x;
}

/* op (X) on the host, with memory of its own. */
static gpumm_rows copy_as (const struct matrix *x, gpumm_op op) {
  const gpumm_rows *h = &x->host;
  int turned = op != GPUMM_NONE;
  int64_t size = h->block_rows * h->block_cols, count = 0;
  gpumm_rows y = *h;
  if (turned) {
    y.rows = h->cols;
    y.cols = h->rows;
    y.block_rows = h->block_cols;
    y.block_cols = h->block_rows;
  }
  y.start = check_allocate (y.rows + 1, sizeof *y.start);
  y.column = check_allocate (y.stored, sizeof *y.column);
  y.values = check_allocate (y.stored * size, sizes[x->type]);
  for (int64_t i = 0; i < y.rows; i++) {
    /* turned: row by row of X, its block in column i, if there is one */
    for (int64_t from = turned ? 0 : i; from < (turned ? h->rows : i + 1); from++)
      for (int64_t p = h->start[from]; p < h->start[from + 1]; p++) {
        if (turned && h->column[p] != i)
          continue;
        y.column[count] = turned ? (int32_t) from : h->column[p];
        for (int64_t e = 0; e < size; e++) {
          int64_t at = turned ? e / y.block_rows + e % y.block_rows * h->block_rows : e;
          double im = get (x->type, h->values, p * size + at, 1);
          put (x->type, y.values, count * size + e, 0, get (x->type, h->values, p * size + at, 0));
          put (x->type, y.values, count * size + e, 1, op == GPUMM_CTRANSPOSE ? -im : im);
        }
        count++;
      }
    y.start[i + 1] = count;
  }
  return y;
}

static void drop_copy (gpumm_rows *x) {
  free (x->start);
  free (x->column);
  free (x->values);
}

static void drop_matrix (struct matrix *x) {
  drop_pair (&x->start);
  drop_pair (&x->column);
  drop_pair (&x->values);
}

/* ---- what it should be -------------------------------------------------------------------- */

/* Of complex types: which factor is real, and multiplies both parts of the other. */
enum { REAL_A = 1, REAL_B = 2 };

/* An element of C: the sum, the sum of sizes, and how many terms. */
struct sum {
  long double re, im, size;
  int64_t terms;
};

static void add_product (struct sum *s, gpumm_type type, const void *a, int64_t at_a, int conj_a,
                         const void *b, int64_t at_b, int conj_b, int real) {
  long double ar = get (type, a, at_a, 0), ai = get (type, a, at_a, 1);
  long double br = get (type, b, at_b, 0), bi = get (type, b, at_b, 1);
  ai = conj_a ? -ai : ai;
  bi = conj_b ? -bi : bi;
  s->terms++;
  if (!is_complex (type)) {
    s->re += ar * br;
    s->size += if_finite (ar * br);
    return;
  }
  if (real) { /* of which one part may be finite where the other is not */
    const long double im = real == REAL_A ? ar * bi : ai * br;
    s->re += ar * br;
    s->im += im;
    s->size += if_finite (ar * br) + if_finite (im);
    return;
  }
  s->re += ar * br - ai * bi;
  s->im += ar * bi + ai * br;
  s->size += if_finite (sqrtl ((ar * ar + ai * ai) * (br * br + bi * bi)));
}

/* As kernels define it: a real s multiplies both parts. */
static void multiply_scalar (gpumm_scalar s, long double *re, long double *im) {
  long double x = *re, y = *im;
  *re = s.im == 0 ? s.re * x : s.re * x - s.im * y;
  *im = s.im == 0 ? s.re * y : s.re * y + s.im * x;
}

/* Is element `at` of c the sum, times alpha, plus beta times old? Sums in any order are within
 * terms * eps |A||B| (Higham 2002, section 3.1); alpha and beta add a few roundings. */
static int right (gpumm_type type, const void *c, int64_t at, const struct sum *s,
                  gpumm_scalar alpha, gpumm_scalar beta, const void *old, int64_t at_old,
                  int exact) {
  long double re = s->re, im = s->im, size = s->size * hypotl (alpha.re, alpha.im);
  if (alpha.re == 0 && alpha.im == 0)
    re = im = 0;
  else
    multiply_scalar (alpha, &re, &im);
  if (beta.re != 0 || beta.im != 0) {
    long double x = get (type, old, at_old, 0), y = get (type, old, at_old, 1);
    size += hypotl (beta.re, beta.im) * (if_finite (x) + if_finite (y));
    multiply_scalar (beta, &x, &y);
    re += x;
    im += y;
  }
  long double tiny = type == GPUMM_S || type == GPUMM_C ? FLT_MIN : DBL_MIN;
  long double bound = exact ? 0 : (long double) (s->terms + 8) * epsilons[type] * (size + tiny);
  return agrees (get (type, c, at, 0), re, bound)
         && (!is_complex (type) || agrees (get (type, c, at, 1), im, bound));
}

/* ---- blocks by blocks --------------------------------------------------------------------- */

struct test {
  gpumm_type type;
  enum kind kind;
  enum pattern pattern_a, pattern_b;
  int64_t m, k, n;      /* in blocks; n in elements where B is dense, m where A is */
  int64_t bm, bk, bn;   /* of blocks */
  int64_t per_a, per_b; /* blocks of a row, about */
  gpumm_op op_a, op_b;  /* one operand dense */
  int64_t pad;          /* of the leading dimensions */
  gpumm_scalar alpha, beta;
  int real; /* 0, REAL_A, REAL_B; with a dense operand that is B */
};

static const char *describe (const struct test *t, const char *row, const char *what) {
  static char text[512];
  snprintf (text, sizeof text,
            "%s %c m=%lld k=%lld n=%lld blocks %lld %lld %lld, patterns %d %d, per row %lld %lld, "
            "ops %d %d, pad %lld, alpha=(%g,%g) beta=(%g,%g), kind %d, real %d: %s",
            row, "sdcz"[t->type], (long long) t -> m, (long long) t -> k, (long long) t -> n,
            (long long) t -> bm, (long long) t -> bk, (long long) t -> bn, (int) t -> pattern_a,
            (int) t -> pattern_b, (long long) t -> per_a, (long long) t -> per_b, (int) t -> op_a,
            (int) t -> op_b, (long long) t -> pad, t -> alpha.re, t->alpha.im, t->beta.re,
            t->beta.im, (int) t->kind, t->real, what);
  return text;
}

enum { RUNS = 3, GUARD = 256 }; /* bytes before and after C */

static void order_of_run (int run) {
  static const gpumm_host_order orders[] = {GPUMM_FORWARDS, GPUMM_BACKWARDS, GPUMM_SHUFFLED};
  if (set_order)
    set_order (orders[run], check_random ());
}

static int wanted (const gpumm_sparse_kernel *row, const gpumm_sparse_product *p) {
  return strncmp (row->name, options.kernel, strlen (options.kernel)) == 0
         && (strcmp (row->algorithm, "bsr") == 0 || strcmp (row->algorithm, "spmm") == 0)
         && row->capability <= device.capability && (!row->runs || row->runs (p, &device));
}

static int guarded (const pair *c) {
  const unsigned char *p = c->host;
  for (size_t i = 0; i < GUARD; i++)
    if (p[i] != 0xff || p[c->bytes - 1 - i] != 0xff)
      return 0;
  return 1;
}

static int compare_columns (const void *x, const void *y) {
  int32_t a = *(const int32_t *) x, b = *(const int32_t *) y;
  return (a > b) - (a < b);
}

/* The rows of C one by one: columns, and each element. What is wrong, or NULL. */
static const char *check_rows (const struct test *t, const gpumm_rows *a, const gpumm_rows *b,
                               const int64_t *start, const int32_t *column, const void *values) {
  const char *wrong = NULL;
  int64_t size = t->bm * t->bn;
  int64_t *seen = check_allocate (b->cols, sizeof *seen), room = 0;
  int32_t *place = check_allocate (b->cols, sizeof *place);
  int32_t *found = check_allocate (b->cols, sizeof *found);
  struct sum *sums = NULL;
  for (int64_t i = 0; i < t->m && !wrong; i++) {
    int64_t count = 0;
    for (int64_t p = a->start[i]; p < a->start[i + 1]; p++)
      for (int64_t q = b->start[a->column[p]]; q < b->start[a->column[p] + 1]; q++)
        if (seen[b->column[q]] != i + 1) {
          seen[b->column[q]] = i + 1;
          found[count++] = b->column[q];
        }
    qsort (found, (size_t) count, sizeof *found, compare_columns);
    if (start[i + 1] - start[i] != count)
      wrong = "a row's number of blocks";
    for (int64_t x = 0; x < count && !wrong; x++) {
      place[found[x]] = (int32_t) x;
      if (column[start[i] + x] != found[x])
        wrong = "a column";
    }
    if (wrong)
      break;
    if (count == 0)
      continue;
    if (count > room) {
      room = count;
      free (sums);
      sums = check_allocate (room * size, sizeof *sums);
    }
    memset (sums, 0, (size_t) (count * size) * sizeof *sums);
    for (int64_t p = a->start[i]; p < a->start[i + 1]; p++)
      for (int64_t q = b->start[a->column[p]]; q < b->start[a->column[p] + 1]; q++) {
        struct sum *s = sums + place[b->column[q]] * size;
        for (int64_t c = 0; c < t->bn; c++)
          for (int64_t r = 0; r < t->bm; r++)
            for (int64_t l = 0; l < t->bk; l++)
              add_product (&s[r + c * t->bm], t->type, a->values, (p * t->bk + l) * t->bm + r, 0,
                           b->values, (q * t->bn + c) * t->bk + l, 0, t->real);
      }
    gpumm_scalar none = {0, 0};
    for (int64_t e = 0; e < count * size && !wrong; e++)
      if (!right (t->type, values, start[i] * size + e, &sums[e], t->alpha, none, values, 0,
                  t->kind == INTEGERS))
        wrong = "an element";
  }
  free (seen);
  free (place);
  free (found);
  free (sums);
  return wrong;
}

/* Is one of C's blocks all zero? They lie behind a guard. */
static int has_zeros (const struct test *t, const void *values, int64_t count) {
  const char *from = (const char *) values + GUARD;
  int64_t size = t->bm * t->bn;
  for (int64_t x = 0; x < count; x++) {
    int64_t e = 0;
    while (e < size && get (t->type, from, x * size + e, 0) == 0
           && get (t->type, from, x * size + e, 1) == 0)
      e++;
    if (e == size)
      return 1;
  }
  return 0;
}

static gpumm_status in_two_ranges (gpumm_sparse_product *p, int64_t rows,
                                   gpumm_status (*make) (int, gpumm_stream *,
                                                         const gpumm_sparse_product *)) {
  gpumm_status status = GPUMM_OK;
  p->row = 0;
  p->count = rows / 3;
  status = make (0, stream, p);
  p->row = p->count;
  p->count = rows - p->row;
  return status ? status : make (0, stream, p);
}

static void run_blocks (const struct test *t) {
  int turned_a = t->op_a != GPUMM_NONE, turned_b = t->op_b != GPUMM_NONE;
  struct matrix a =
      turned_a ? make_matrix (t->type, t->pattern_a, t->kind, t->k, t->m, t->bk, t->bm, t->per_a)
               : make_matrix (t->type, t->pattern_a, t->kind, t->m, t->k, t->bm, t->bk, t->per_a);
  struct matrix b =
      turned_b ? make_matrix (t->type, t->pattern_b, t->kind, t->n, t->k, t->bn, t->bk, t->per_b)
               : make_matrix (t->type, t->pattern_b, t->kind, t->k, t->n, t->bk, t->bn, t->per_b);
  gpumm_rows op_a = copy_as (&a, t->op_a), op_b = copy_as (&b, t->op_b);
  pair zero = make_pair (sizeof (int32_t));
  pair start = make_pair ((size_t) (t->m + 1) * sizeof (int64_t));
  gpumm_sparse_product p = {.type_a = t->type,
                            .type_b = t->type,
                            .type_c = t->type,
                            .op_a = t->op_a,
                            .op_b = t->op_b,
                            .a = a.device,
                            .b = b.device,
                            .c = {.rows = t->m,
                                  .cols = t->n,
                                  .block_rows = t->bm,
                                  .block_cols = t->bn,
                                  .start = start.device},
                            .count = t->m,
                            .alpha = t->alpha,
                            .real_a = t->real == REAL_A,
                            .real_b = t->real == REAL_B,
                            .zero = zero.device};
  for (const gpumm_sparse_kernel *const *row = driver->sparse_kernels; *row; row++) {
    const gpumm_sparse_kernel *kernel = *row;
    if (!wanted (kernel, &p))
      continue;
    p.workspace_bytes = kernel->workspace (&p, &device);
    need (driver->allocate (0, p.workspace_bytes, &p.workspace), "workspace");
    pair column = {NULL, NULL, 0}, values = {NULL, NULL, 0};
    void *first = NULL;
    const char *wrong = NULL;
    for (int run = 0; run < RUNS && !wrong; run++) {
      order_of_run (run);
      memset (start.host, 0xff, start.bytes);
      *(int64_t *) start.host = 0;
      up (&start);
      *(int32_t *) zero.host = 0;
      up (&zero);
      need (driver->fill (0, stream, p.workspace, 0xff, p.workspace_bytes), "fill");
      gpumm_status status = in_two_ranges (&p, t->m, kernel->symbolic);
      if (status) {
        wrong = driver->error_text ();
        break;
      }
      down (&start);
      int64_t *s = start.host;
      for (int64_t i = 0; i < t->m; i++)
        s[i + 1] += s[i];
      up (&start);
      int64_t count = s[t->m];
      if (run == 0) {
        column = make_pair ((size_t) count * sizeof (int32_t) + 2 * GUARD);
        values = make_pair ((size_t) (count * t->bm * t->bn) * sizes[t->type] + 2 * GUARD);
        first = check_allocate (1, values.bytes);
      }
      memset (column.host, 0xff, column.bytes);
      memset (values.host, 0xff, values.bytes);
      up (&column);
      up (&values);
      p.c.column = (int32_t *) ((char *) column.device + GUARD);
      p.c.values = (char *) values.device + GUARD;
      p.c.stored = count;
      if (in_two_ranges (&p, t->m, kernel->launch) || driver->stream_synchronize (0, stream)) {
        wrong = driver->error_text ();
        break;
      }
      down (&column);
      down (&values);
      down (&zero);
      if (!guarded (&column) || !guarded (&values))
        wrong = "wrote outside of C";
      else if (run == 0) {
        wrong = check_rows (t, &op_a, &op_b, s, (int32_t *) ((char *) column.host + GUARD),
                            (char *) values.host + GUARD);
        memcpy (first, values.host, values.bytes);
      } else if (memcmp (first, values.host, values.bytes) != 0)
        wrong = "other bits on another run";
      if (!wrong && *(int32_t *) zero.host != has_zeros (t, values.host, count))
        wrong = "blocks of zeros, or none, were not noted";
    }
    need (driver->release (0, p.workspace), "workspace");
    report (!wrong, "%s", describe (t, kernel->name, wrong ? wrong : ""));
    free (first);
    drop_pair (&column);
    drop_pair (&values);
  }
  if (set_order)
    set_order (GPUMM_FORWARDS, 0);
  drop_pair (&start);
  drop_pair (&zero);
  drop_matrix (&a);
  drop_matrix (&b);
  drop_copy (&op_a);
  drop_copy (&op_b);
}

/* ---- with a dense operand ----------------------------------------------------------------- */

/* C = alpha op (A) op (B) + beta C: left, A by rows and B dense, else the reverse. t's m, k and n
 * are those of op (A) op (B). */
static void run_dense (const struct test *t, int left) {
  gpumm_op op_s = left ? t->op_a : t->op_b, op_d = left ? t->op_b : t->op_a;
  int64_t out = left ? t->m : t->n, b_out = left ? t->bm : t->bn; /* blocks, and of a block */
  int64_t other = left ? t->n : t->m;                             /* elements */
  int turned = op_s != GPUMM_NONE;
  /* by rows as stored: op (A) is out x k in blocks, op (B) is k x out */
  int flip = left ? turned : !turned;
  struct matrix s =
      flip ? make_matrix (t->type, t->pattern_a, t->kind, t->k, out, t->bk, b_out, t->per_a)
           : make_matrix (t->type, t->pattern_a, t->kind, out, t->k, b_out, t->bk, t->per_a);
  int64_t inner = t->k * t->bk, rows = out * b_out;
  int64_t d_rows = (op_d == GPUMM_NONE) == left ? inner : other;
  int64_t d_cols = (op_d == GPUMM_NONE) == left ? other : inner;
  int64_t c_rows = left ? rows : other, c_cols = left ? other : rows;
  int64_t ldd = d_rows + t->pad, ldc = c_rows + t->pad;
  pair d = make_pair ((size_t) (ldd * d_cols) * sizes[t->type]);
  pair c = make_pair ((size_t) (ldc * c_cols) * sizes[t->type] + 2 * GUARD);
  fill (t->type, d.host, ldd * d_cols, t->kind);
  up (&d);
  void *old = check_allocate (1, c.bytes), *first = check_allocate (1, c.bytes);
  memset (old, 0xff, c.bytes);
  if (t->beta.re != 0 || t->beta.im != 0) /* else what is there must not matter */
    fill (t->type, (char *) old + GUARD, ldc * c_cols, t->kind);

  /* sums[i + j rows]: of S D, or of the transpose of C where S is on the right */
  struct sum *sums = check_allocate (rows * other, sizeof *sums);
  for (int64_t i = 0; i < s.host.rows; i++)
    for (int64_t p = s.host.start[i]; p < s.host.start[i + 1]; p++)
      for (int64_t y = 0; y < s.host.block_cols; y++)
        for (int64_t x = 0; x < s.host.block_rows; x++) {
          int64_t u = i * s.host.block_rows + x, v = s.host.column[p] * s.host.block_cols + y;
          int64_t r = flip ? v : u, l = flip ? u : v;
          int64_t at = (p * s.host.block_cols + y) * s.host.block_rows + x;
          for (int64_t j = 0; j < other; j++)
            add_product (&sums[r + j * rows], t->type, s.host.values, at, op_s == GPUMM_CTRANSPOSE,
                         d.host, (op_d == GPUMM_NONE) == left ? l + j * ldd : j + l * ldd,
                         op_d == GPUMM_CTRANSPOSE, t->real);
        }

  gpumm_rows dense = {.rows = d_rows,
                      .cols = d_cols,
                      .block_rows = 1,
                      .block_cols = 1,
                      .values = d.device,
                      .ld = ldd};
  gpumm_sparse_product p = {.type_a = t->type,
                            .type_b = t->type,
                            .type_c = t->type,
                            .op_a = t->op_a,
                            .op_b = t->op_b,
                            .a = left ? s.device : dense,
                            .b = left ? dense : s.device,
                            .c = {.rows = c_rows,
                                  .cols = c_cols,
                                  .block_rows = 1,
                                  .block_cols = 1,
                                  .values = (char *) c.device + GUARD,
                                  .ld = ldc},
                            .alpha = t->alpha,
                            .beta = t->beta,
                            .real_a = t->real == (left ? REAL_A : REAL_B),
                            .real_b = t->real == (left ? REAL_B : REAL_A)};
  int64_t all = left ? out : other;
  for (const gpumm_sparse_kernel *const *row = driver->sparse_kernels; *row; row++) {
    const gpumm_sparse_kernel *kernel = *row;
    p.count = all;
    if (!wanted (kernel, &p))
      continue;
    p.workspace_bytes = kernel->workspace ? kernel->workspace (&p, &device) : 0;
    need (driver->allocate (0, p.workspace_bytes, &p.workspace), "workspace");
    need (driver->fill (0, stream, p.workspace, 0xff, p.workspace_bytes), "fill");
    const char *wrong = NULL;
    for (int run = 0; run < RUNS && !wrong; run++) {
      order_of_run (run);
      memcpy (c.host, old, c.bytes);
      up (&c);
      if (in_two_ranges (&p, all, kernel->launch) || driver->stream_synchronize (0, stream)) {
        wrong = driver->error_text ();
        break;
      }
      down (&c);
      if (!guarded (&c))
        wrong = "wrote outside of C";
      const char *now = (char *) c.host + GUARD, *before = (char *) old + GUARD;
      for (int64_t j = 0; j < c_cols && run == 0 && !wrong; j++)
        for (int64_t i = 0; i < ldc && !wrong; i++) {
          int64_t at = i + j * ldc;
          if (i >= c_rows) {
            if (memcmp (now + at * (int64_t) sizes[t->type], before + at * (int64_t) sizes[t->type],
                        sizes[t->type])
                != 0)
              wrong = "wrote between columns";
          } else if (!right (t->type, now, at, left ? &sums[i + j * rows] : &sums[j + i * rows],
                             t->alpha, t->beta, before, at, t->kind == INTEGERS))
            wrong = "an element";
        }
      if (run == 0)
        memcpy (first, c.host, c.bytes);
      else if (!wrong && memcmp (first, c.host, c.bytes) != 0)
        wrong = "other bits on another run";
    }
    report (!wrong, "%s %s", left ? "by rows x dense," : "dense x by rows,",
            describe (t, kernel->name, wrong ? wrong : ""));
    need (driver->release (0, p.workspace), "workspace");
  }
  if (set_order)
    set_order (GPUMM_FORWARDS, 0);
  free (sums);
  free (old);
  free (first);
  drop_pair (&d);
  drop_pair (&c);
  drop_matrix (&s);
}

/* ---- cases -------------------------------------------------------------------------------- */

static void run_test (struct test *t) {
  struct test blocks = *t;
  if (blocks.alpha.re == 0 && blocks.alpha.im == 0)
    blocks.alpha.re = 1; /* such a C has no blocks: not a kernel's business */
  blocks.beta = (gpumm_scalar){0, 0};
  run_blocks (&blocks);
}

static void run_random (long count, enum kind kind) {
  static const int64_t widths[] = {1, 1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 13, 16, 17, 23, 24, 25, 32};
  enum { WIDTHS = sizeof widths / sizeof *widths };
  for (long x = 0; x < count; x++) {
    struct test t = {.type = (gpumm_type) below (4),
                     .kind = kind,
                     .pattern_a = below (2) ? SCATTERED : (enum pattern) below (PATTERNS),
                     .pattern_b = below (2) ? SCATTERED : (enum pattern) below (PATTERNS),
                     .op_a = (gpumm_op) below (3),
                     .op_b = (gpumm_op) below (3),
                     .bm = widths[below (WIDTHS)],
                     .bk = widths[below (WIDTHS)],
                     .bn = widths[below (WIDTHS)],
                     .pad = below (3) * below (5)};
    if (below (2))
      t.bn = t.bk = t.bm;
    int64_t most = 2 + 60 / (t.bm + t.bk + t.bn) + below (6);
    t.m = below (most);
    t.k = below (most);
    t.n = below (most);
    t.per_a = 1 + below (4);
    t.per_b = 1 + below (4);
    t.real = (int) below (3);
    choose_scalars (t.type, below (SCALARS), &t.alpha, &t.beta);
    run_test (&t);
    t.n = t.n * 2 + below (40);
    run_dense (&t, 1);
    int64_t n = t.m;
    t.m = t.n;
    t.n = n;
    run_dense (&t, 0);
  }
}

/* Patterns and sizes at the limits of bitmaps, lists, masks, groups, tiles and panels. */
static void run_edges (void) {
  static const struct {
    enum pattern a, b;
    int64_t m, k, n, bm, bk, bn, per_a, per_b;
    int large; /* 2: in double and on a GPU only */
  } cases[] = {
      {EMPTY, FULL, 5, 4, 6, 3, 3, 3, 1, 1, 0}, /* nothing in C */
      {FULL, EMPTY, 5, 4, 6, 3, 3, 3, 1, 1, 0},
      {FULL, FULL, 0, 4, 3, 2, 2, 2, 1, 1, 0}, /* no rows, no inner size, no columns */
      {FULL, FULL, 3, 0, 4, 2, 2, 2, 1, 1, 0},
      {FULL, FULL, 3, 4, 0, 2, 2, 2, 1, 1, 0},
      {FULL, FULL, 1, 1, 1, 1, 1, 1, 1, 1, 0},
      {FULL, FULL, 1, 1, 1, 64, 64, 64, 1, 1, 0},
      {FULL, FULL, 2, 2, 2, 64, 64, 64, 1, 1, 0},
      {FULL, FULL, 1, 2, 2, 65, 66, 67, 1, 1, 0}, /* beyond a tile */
      {FULL, FULL, 2, 3, 2, 48, 48, 48, 1, 1, 0},
      {FULL, FULL, 2, 3, 2, 45, 45, 45, 1, 1, 0},
      {FULL, FULL, 2, 3, 2, 33, 7, 47, 1, 1, 0},
      {FULL, FULL, 2, 3, 2, 8, 64, 8, 1, 1, 0},
      {FULL, FULL, 2, 3, 2, 64, 8, 24, 1, 1, 0},
      {FULL, FULL, 2, 3, 2, 100, 16, 20, 1, 1, 0},
      {FULL, FULL, 1, 3, 300, 1, 2, 1, 1, 1, 0}, /* one row, one column */
      {FULL, FULL, 300, 3, 1, 1, 2, 1, 1, 1, 0},
      {BANDED, BANDED, 40, 40, 40, 3, 3, 3, 6, 6, 0}, /* as of finite elements */
      {HUBS, HUBS, 60, 60, 60, 2, 2, 2, 4, 4, 0},
      {FULL, FULL, 2, 31, 33, 2, 2, 2, 1, 1, 0}, /* words of masks */
      {FULL, FULL, 2, 32, 33, 2, 2, 2, 1, 1, 0},
      {FULL, FULL, 2, 33, 31, 2, 2, 2, 1, 1, 0},
      {FULL, FULL, 2, 33, 31, 9, 9, 9, 1, 1, 0},
      {FULL, SCATTERED, 2, 256, 300, 1, 1, 1, 1, 5, 1}, /* entries of a row at one time */
      {FULL, SCATTERED, 2, 257, 300, 1, 1, 1, 1, 5, 1},
      {FULL, SCATTERED, 2, 600, 40, 8, 8, 8, 1, 2, 1},
      {FULL, FULL, 2, 2, 511, 2, 2, 2, 1, 1, 1}, /* blocks and products of a run */
      {FULL, FULL, 2, 2, 513, 2, 2, 2, 1, 1, 1},
      {FULL, FULL, 2, 3, 512, 2, 2, 2, 1, 1, 1},
      {FULL, FULL, 2, 3, 1500, 8, 8, 8, 1, 1, 1},
      /* for most blocks of C one product: lists that are longer than rings, rows of A in parts, and
       * the tiles of larger blocks */
      {SCATTERED, SCATTERED, 3, 100, 700, 7, 7, 7, 8, 9, 2},
      {SCATTERED, SCATTERED, 3, 100, 700, 12, 12, 12, 8, 9, 2},
      {SCATTERED, SCATTERED, 3, 400, 3000, 9, 9, 9, 30, 20, 2},
      {SCATTERED, SCATTERED, 3, 100, 700, 28, 20, 26, 8, 9, 2},
      {SCATTERED, SCATTERED, 3, 100, 700, 46, 48, 34, 8, 9, 2},
      {SCATTERED, SCATTERED, 3, 100, 700, 63, 49, 61, 8, 9, 2},
      {SCATTERED, SCATTERED, 3, 100, 700, 64, 64, 64, 8, 9, 2},
      {SCATTERED, SCATTERED, 57, 150, 1500, 26, 26, 26, 8, 9, 2},
      {SCATTERED, SCATTERED, 57, 150, 1500, 31, 31, 31, 8, 9, 2},
      {SCATTERED, SCATTERED, 57, 150, 1500, 36, 36, 36, 8, 9, 2},
      {SCATTERED, SCATTERED, 57, 150, 1500, 45, 45, 45, 8, 9, 2},
      {SCATTERED, SCATTERED, 57, 150, 1500, 50, 50, 50, 8, 9, 2},
      {SCATTERED, SCATTERED, 57, 150, 1500, 51, 51, 51, 8, 9, 2},
      /* each side that has a kernel of its own; then rows of few blocks, and rows longer than lists */
      {SCATTERED, SCATTERED, 120, 40, 4000, 7, 7, 7, 3, 9, 2},
      {SCATTERED, SCATTERED, 120, 40, 4000, 8, 8, 8, 3, 9, 2},
      {SCATTERED, SCATTERED, 120, 40, 4000, 9, 9, 9, 3, 9, 2},
      {SCATTERED, SCATTERED, 120, 40, 4000, 10, 10, 10, 3, 9, 2},
      {SCATTERED, SCATTERED, 120, 40, 4000, 11, 11, 11, 3, 9, 2},
      {SCATTERED, SCATTERED, 120, 40, 4000, 12, 12, 12, 3, 9, 2},
      {SCATTERED, SCATTERED, 200, 30, 40, 9, 9, 9, 1, 1, 2},
      {SCATTERED, SCATTERED, 3000, 400, 60000, 8, 8, 8, 2, 2, 2},
      {SCATTERED, SCATTERED, 32, 150, 100000, 9, 9, 9, 30, 100, 2},
      {HUBS, SCATTERED, 90, 40, 20000, 9, 9, 9, 6, 50, 2},
      /* many products for each block of C, with A's row in parts */
      {FULL, SCATTERED, 1, 300, 12, 26, 26, 26, 1, 5, 2},
      {FULL, SCATTERED, 2, 600, 12, 35, 35, 35, 1, 3, 2},
      {FULL, SCATTERED, 1, 300, 12, 64, 64, 64, 1, 3, 2},
      {SCATTERED, SCATTERED, 3, 300, 400000, 2, 2, 2, 20, 40, 1}, /* windows of the bitmap */
      {SCATTERED, SCATTERED, 2, 50, 131072, 1, 1, 1, 20, 40, 1},
      {SCATTERED, SCATTERED, 2, 50, 131073, 1, 1, 1, 20, 40, 1},
  };
  static const struct { /* op (A) is by rows: m x k in blocks */
    enum pattern pattern;
    int64_t m, k, n, bm, bk, per_row;
    int large;
  } dense[] = {
      {EMPTY, 5, 4, 6, 1, 1, 1, 0},          {FULL, 0, 4, 6, 1, 1, 1, 0},
      {FULL, 4, 0, 6, 1, 1, 1, 0},           {FULL, 4, 6, 0, 1, 1, 1, 0},
      {FULL, 1, 1, 1, 1, 1, 1, 0},           {SCATTERED, 33, 40, 1, 1, 1, 9, 0},
      {SCATTERED, 31, 40, 2, 1, 1, 9, 0},    {SCATTERED, 32, 40, 3, 1, 1, 9, 0},
      {SCATTERED, 65, 40, 8, 1, 1, 9, 0},    {SCATTERED, 33, 40, 9, 1, 1, 9, 0},
      {SCATTERED, 33, 40, 16, 1, 1, 9, 0},   {SCATTERED, 33, 40, 17, 1, 1, 9, 0},
      {HUBS, 50, 50, 40, 1, 1, 4, 0},        {FULL, 3, 700, 5, 1, 1, 1, 0},
      {FULL, 700, 3, 5, 1, 1, 1, 0},         {SCATTERED, 5000, 40, 3, 1, 1, 2, 1},
      {SCATTERED, 40, 4097, 3, 1, 1, 30, 1}, {FULL, 2, 140000, 1, 1, 1, 1000, 1},
      {SCATTERED, 9, 9, 17, 2, 3, 4, 0},     {SCATTERED, 17, 9, 17, 3, 3, 4, 0},
      {SCATTERED, 16, 9, 33, 4, 4, 4, 0},    {SCATTERED, 9, 9, 17, 5, 2, 4, 0},
      {SCATTERED, 9, 9, 17, 8, 8, 4, 0},     {SCATTERED, 9, 9, 17, 9, 13, 4, 0},
      {SCATTERED, 4, 5, 17, 16, 16, 4, 0},   {SCATTERED, 3, 3, 31, 64, 64, 2, 0},
      {FULL, 2, 2, 9, 65, 3, 1, 0},          {FULL, 2, 2, 9, 1, 7, 1, 0},
      {FULL, 2, 520, 9, 2, 2, 1, 1},
  };
  for (size_t x = 0; x < sizeof cases / sizeof *cases; x++)
    for (int type = 0; type < 4; type++) {
      struct test t = {.type = (gpumm_type) type,
                       .pattern_a = cases[x].a,
                       .pattern_b = cases[x].b,
                       .m = cases[x].m,
                       .k = cases[x].k,
                       .n = cases[x].n,
                       .bm = cases[x].bm,
                       .bk = cases[x].bk,
                       .bn = cases[x].bn,
                       .per_a = cases[x].per_a,
                       .per_b = cases[x].per_b,
                       .real = (int) (x % 3),
                       .alpha = {type % 2 ? 1 : -0.5, 0}};
      if (below (options.edges) == 0 && (options.large || !cases[x].large)
          && !(cases[x].large == 2 && (set_order || type != GPUMM_D)))
        run_test (&t);
    }
  for (size_t x = 0; x < sizeof dense / sizeof *dense; x++)
    for (int ops = 0; ops < 9; ops++) {
      struct test t = {.type = (gpumm_type) ((x + (size_t) ops) % 4),
                       .pattern_a = dense[x].pattern,
                       .op_a = (gpumm_op) (ops % 3),
                       .op_b = (gpumm_op) (ops / 3),
                       .m = dense[x].m,
                       .k = dense[x].k,
                       .n = dense[x].n,
                       .bm = dense[x].bm,
                       .bk = dense[x].bk,
                       .per_a = dense[x].per_row,
                       .real = (int) (x % 3),
                       .pad = ops % 2 ? 3 : 0};
      choose_scalars (t.type, below (SCALARS), &t.alpha, &t.beta);
      if (below (options.edges) != 0 || (!options.large && dense[x].large))
        continue;
      run_dense (&t, 1);
      t.m = dense[x].n;
      t.n = dense[x].m;
      t.bn = dense[x].bm;
      run_dense (&t, 0);
    }
}

/* ---- the table ---------------------------------------------------------------------------- */

static void check_table (void) {
  int bsr = 0, spmm = 0;
  for (const gpumm_sparse_kernel *const *row = driver->sparse_kernels; *row; row++) {
    const gpumm_sparse_kernel *k = *row;
    report (k->algorithm && k->name && k->launch, "a row lacks what all have");
    for (const gpumm_sparse_kernel *const *other = driver->sparse_kernels; other != row; other++)
      report (strcmp ((*other)->name, k->name) != 0, "two rows of the name %s", k->name);
    bsr += strcmp (k->algorithm, "bsr") == 0;
    spmm += strcmp (k->algorithm, "spmm") == 0;
  }
  report (bsr > 0 && spmm > 0, "no kernels of the families bsr and spmm");
}

/* ---- main --------------------------------------------------------------------------------- */

int main (int count, char **arguments) {
  const option known[] = {{.name = "edges", .number = &options.edges},
                          {.name = "random", .number = &options.random},
                          {.name = "special", .number = &options.special},
                          {.name = "exact", .number = &options.exact},
                          {.name = "large", .number = &options.large},
                          {.name = "seed", .number = &options.seed},
                          {.name = "kernel", .text = &options.kernel},
                          {.name = NULL}};
  int usage = count < 2;
  for (int i = 2; i < count; i++)
    usage = usage || !take_option (known, arguments[i]);
  if (usage) {
    printf ("usage: test_block_kernels LIBRARY [edges=] [random=] [special=] [exact=] [seed=] "
            "[kernel=] [large=]\n");
    return 2;
  }
  int status = open_driver (arguments[1]);
  if (status)
    return status;
  find_function (driver_library, "gpumm_host_set_order", &set_order);
  begin_tests (options.seed);
  check_table ();
  if (options.edges > 0)
    run_edges ();
  run_random (options.random, NUMBERS);
  run_random (options.special, SPECIALS);
  run_random (options.exact, INTEGERS);
  close_driver ();
  return check_done ();
}
