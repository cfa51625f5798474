/* test_kernels.c - every kernel of a driver against a triple loop in higher precision.
 *
 *   test_kernels LIBRARY [table=1] [grams=1] [special=200] [random=300] [exact=100] [seed=1]
 *                [types=sdcz] [kernel=] [without=] [largest=129]
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
 *
 * On the host device each product runs three times: threads forwards, backwards and shuffled;
 * Strassen's only shuffled.
 * Exits with 77 when the driver finds no device.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "definition.h"
#include "host/host.h"

static void (*set_order) (gpumm_host_order order, uint64_t seed); /* host device only */

static struct {
  long table, grams, special, random, exact, seed, largest;
  const char *types, *kernel, *without;
} options = {1, 1, 200, 300, 100, 1, 129, "sdcz", "", NULL};

/* ---- Strassen's algorithm ----------------------------------------------------------------- */

static int is_strassen (const gpumm_kernel *row) {
  return strcmp (row->algorithm, "strassen") == 0;
}

/* How often it should recurse at these sizes; -1: it decides. A row with a number at its end: so
 * often, as long as blocks are whole vectors of 16 bytes. */
static int expected_depth (const test *t, const gpumm_kernel *row) {
  const char *digit = row->name + strlen (row->name) - 1;
  int64_t least = t->m < t->n ? t->m : t->n, width = 16 / (int64_t) gpumm_type_bytes (t->type);
  least = least < t->k ? least : t->k;
  if (!strchr ("1234", *digit))
    return -1;
  int depth = is_zero (t->alpha) ? 0 : *digit - '0';
  while (depth > 0 && width << depth > least)
    depth--;
  return depth;
}

/* The largest finite element. */
static long double norm_of (gpumm_type type, const void *values, int64_t rows, int64_t cols,
                            int64_t ld) {
  long double most = 0;
  for (int64_t j = 0; j < cols; j++)
    for (int64_t i = 0; i < rows; i++) {
      const number x = get (type, values, i + j * ld);
      most = fmaxl (most, hypotl (if_finite (creall (x)), if_finite (cimagl (x))));
    }
  return most;
}

/* Its bound holds for the largest element, not for each (Higham 2002, theorem 23.3, with
 * k / 2^depth for n0; eps is 2 u, which leaves room for complex products). An element of C is
 * scaled once and added to twice.
 * norms: of A, B and C. */
static long double strassen_bound (const test *t, const long double *norms, int depth) {
  long double k0 = ldexpl ((long double) t->k, -depth);
  long double product = powl (18, depth) * (k0 * k0 + 6 * k0) * norms[0] * norms[1];
  return (is_single (t->type) ? FLT_EPSILON : DBL_EPSILON)
         * (hypotl (t->alpha.re, t->alpha.im) * product
            + 3 * hypotl (t->beta.re, t->beta.im) * norms[2]);
}

/* ---- a case ------------------------------------------------------------------------------- */

/* Of a test: its operands, what is right, and C. */
typedef struct {
  const test *t;
  int is_gram; /* B is the array of A, with the other op */
  gpumm_product p;
  right *rights; /* row by row */
  char *has_nan; /* does NaN go into an element? */
  long double norms[3];
  written c;
} run;

static int is_finite (number x) {
  return isfinite (creall (x)) && isfinite (cimagl (x));
}

static int has_nan (number x) {
  return isnan (creall (x)) || isnan (cimagl (x));
}

/* Where A or B has Inf or NaN, Strassen's sums may spread them or make NaN of Inf; but what is not
 * finite by definition is never finite, and what a NaN goes into is NaN. cuBLAS scales by a complex
 * alpha whatever it is, so that an Inf in one part may become NaN in both: of complex elements only
 * whether they are finite is compared. So does the row emulated, which leaves products with Inf or
 * NaN to it. */
static int agrees_with (const run *x, const gpumm_kernel *row, int64_t e, right r, number got) {
  const int is_loose =
      is_complex (x->t->type)
      && (strcmp (row->algorithm, "cublas") == 0 || strcmp (row->algorithm, "emulated") == 0);
  if (is_strassen (row) && x->has_nan[e])
    return has_nan (got);
  if ((is_strassen (row) || is_loose) && !is_finite (r.value))
    return !is_finite (got);
  if (is_strassen (row) && x->t->values == SPECIAL && !is_finite (got))
    return 1;
  return is_near_to (r, got);
}

enum { FEWEST_OF_SYRK = 2048 }; /* GRAM_FROM of cublas.cu */

/* From syrk and herk A A' is symmetric, or Hermitian, to the bit. (The engine mirrors what gemm
 * makes, for eig and chol: hermitian.tst.) */
static int is_unsymmetric (const run *x, const gpumm_kernel *row) {
  const test *t = x->t;
  const int is_conjugated = t->op_a == GPUMM_CTRANSPOSE || t->op_b == GPUMM_CTRANSPOSE;
  if (!x->is_gram || t->values == SPECIAL || !is_zero (t->beta) || t->alpha.im != 0
      || strcmp (row->algorithm, "cublas") != 0 || t->m < FEWEST_OF_SYRK)
    return 0;
  for (int64_t j = 0; j < t->n; j++)
    for (int64_t i = 0; i <= j; i++) {
      const number y = get (t->type, x->c.now + GUARD, i + j * x->p.ldc);
      const number z = get (t->type, x->c.now + GUARD, j + i * x->p.ldc);
      if (creall (y) != creall (z) || cimagl (y) != (is_conjugated ? -1 : 1) * cimagl (z))
        return 1;
    }
  return 0;
}

/* Is memory around C and between its columns as it was? */
static int is_kept (const run *x) {
  const size_t bytes = gpumm_type_bytes (x->t->type);
  memcpy (x->c.first, x->c.before, x->c.bytes);
  for (int64_t j = 0; j < x->t->n; j++) {
    const size_t at = GUARD + (size_t) (j * x->p.ldc) * bytes;
    memcpy (x->c.first + at, x->c.now + at, (size_t) x->t->m * bytes);
  }
  return memcmp (x->c.first, x->c.now, x->c.bytes) == 0;
}

/* Says what is wrong first with what a kernel made. */
static void compare (const run *x, const gpumm_kernel *row, const char *order, const char *note) {
  const test *t = x->t;
  int depth = 0, should = is_strassen (row) ? expected_depth (t, row) : 0;
  if (is_strassen (row)
      && (sscanf (note, "depth %d", &depth) != 1 || (should >= 0 && depth != should))) {
    report (0, "%s %s: the note is \"%s\", not depth %d", describe (t, row->name, order), order,
            note, should);
    return;
  }
  if (!is_kept (x)) {
    report (0, "%s", describe (t, row->name, "wrote outside of C"));
    return;
  }
  for (int64_t e = 0; e < t->m * t->n; e++) {
    const int64_t i = e / t->n, j = e % t->n, at = i + j * x->p.ldc;
    const number got = get (t->type, x->c.now + GUARD, at);
    right r = x->rights[e];
    if (depth > 0 && t->values != WHOLE)
      r.bound = strassen_bound (t, x->norms, depth);
    if (!agrees_with (x, row, e, r, got)) {
      report (0, "%s: C(%lld,%lld) is (%.17Lg,%.17Lg), not (%.17Lg,%.17Lg) within %.3Lg",
              describe (t, row->name, order), (long long) i, (long long) j, creall (got),
              cimagl (got), creall (r.value), cimagl (r.value), r.bound);
      return;
    }
  }
  report (!is_unsymmetric (x, row), "%s", describe (t, row->name, "not symmetric to the bit"));
}

static void run_kernel (run *x, const gpumm_kernel *row, const char *order) {
  char note[GPUMM_NOTE_BYTES + 1];
  gpumm_product p = x->p;
  copy (x->c.device, x->c.before, x->c.bytes, 1);
  memset (note, 0x5a, sizeof note);
  note[0] = 0;
  p.note = note;
  gpumm_status status = row->launch (0, stream, &p);
  if (note[GPUMM_NOTE_BYTES] != 0x5a || !memchr (note, 0, GPUMM_NOTE_BYTES))
    report (0, "%s", describe (x->t, row->name, "a note longer than its room"));
  if (!status)
    status = driver->stream_synchronize (0, stream);
  if (status) {
    report (0, "%s", describe (x->t, row->name, driver->error_text ()));
    return;
  }
  copy (x->c.now, x->c.device, x->c.bytes, 0);
  compare (x, row, order, note);
}

static int begins (const char *name, const char *with) {
  return strncmp (name, with, strlen (with)) == 0;
}

static void run_kernels (run *x) {
  static const char *const orders[] = {"threads forwards", "threads backwards", "threads shuffled"};
  for (const gpumm_kernel *const *kernel = driver->kernels; *kernel; kernel++) {
    const gpumm_kernel *row = *kernel;
    if (!begins (row->name, options.kernel)
        || (options.without && begins (row->name, options.without))
        || !(row->types & 1u << x->t->type) || row->capability > device.capability
        || (row->runs && !row->runs (&x->p, &device)))
      continue;
    x->p.workspace_bytes = row->workspace ? row->workspace (&x->p, &device) : 0;
    x->p.workspace = NULL;
    if (x->p.workspace_bytes > 0)
      need (driver->allocate (0, x->p.workspace_bytes, &x->p.workspace), "workspace");
    if (!set_order)
      run_kernel (x, row, "on the GPU");
    /* Strassen's sums have no barrier, and the base below it is tested by itself */
    for (int order = is_strassen (row) ? GPUMM_SHUFFLED : GPUMM_FORWARDS;
         set_order && order <= GPUMM_SHUFFLED; order++) {
      set_order ((gpumm_host_order) order, check_random ());
      run_kernel (x, row, orders[order]);
    }
    if (x->p.workspace)
      drop (x->p.workspace);
  }
  if (set_order)
    set_order (GPUMM_FORWARDS, 0);
}

/* Does NaN go into an element? */
static char *find_nans (const test *t, const gpumm_matrix *a, const gpumm_matrix *b,
                        const void *before, int64_t ldc) {
  char *found = check_allocate (t->m * t->n, 1);
  const int turned_a = a->op != GPUMM_NONE, turned_b = b->op != GPUMM_NONE;
  for (int64_t e = 0; e < t->m * t->n; e++) {
    const int64_t i = e / t->n, j = e % t->n;
    for (int64_t l = 0; l < t->k && !is_zero (t->alpha); l++)
      found[e] |= has_nan (get (t->type, a->values, turned_a ? l + i * a->ld : i + l * a->ld))
                  || has_nan (get (t->type, b->values, turned_b ? j + l * b->ld : l + j * b->ld));
    found[e] |= !is_zero (t->beta) && has_nan (get (t->type, before, i + j * ldc));
  }
  return found;
}

static void run_test (test t, int is_gram) {
  gpumm_matrix a = make_operand (&t, 1), b = is_gram ? a : make_operand (&t, 0);
  b.op = t.op_b;
  const size_t bytes = gpumm_type_bytes (t.type);
  const int64_t ldc = t.m + t.pad_c;
  run x = {.t = &t,
           .is_gram = is_gram,
           .rights = check_allocate (t.m * t.n, sizeof *x.rights),
           .c = provide_written ((size_t) length_of (t.m, t.n, ldc) * bytes)};
  draw_before (&t, x.c.before + GUARD, t.m, t.n, ldc);
  expected sums = expect (&t, &a, &b);
  for (int64_t e = 0; e < t.m * t.n; e++)
    x.rights[e] =
        right_of (&t, &sums.sums[e], get (t.type, x.c.before + GUARD, e / t.n + e % t.n * ldc));
  drop_expected (&sums);
  void *da = upload (a.values, (size_t) length_of (a.rows, a.cols, a.ld) * bytes);
  void *db = is_gram ? da : upload (b.values, (size_t) length_of (b.rows, b.cols, b.ld) * bytes);
  x.p = product_of (&t, &a, da, &b, db, inside (&x.c));
  x.has_nan = t.values == SPECIAL ? find_nans (&t, &a, &b, x.c.before + GUARD, ldc)
                                  : check_allocate (t.m * t.n, 1);
  x.norms[0] = norm_of (t.type, a.values, a.rows, a.cols, a.ld);
  x.norms[1] = norm_of (t.type, b.values, b.rows, b.cols, b.ld);
  x.norms[2] = norm_of (t.type, x.c.before + GUARD, t.m, t.n, ldc);
  run_kernels (&x);
  drop (da);
  if (!is_gram)
    drop (db);
  drop_written (&x.c);
  free (x.rights);
  free (x.has_nan);
  release (&a);
  if (!is_gram)
    release (&b);
}

/* ---- cases -------------------------------------------------------------------------------- */

static int64_t cut (int64_t size) {
  return size < options.largest ? size : options.largest;
}

static int tested (gpumm_type type) {
  return strchr (options.types, type_letters[type]) != NULL;
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
          test t = full_test (type, ops, cut (size[0]), cut (size[2]), cut (size[1]));
          t.pad_a = number_of % 2 ? 3 : 0;
          t.pad_b = number_of % 3 ? 5 : 0;
          t.pad_c = number_of % 5 ? 2 : 0;
          choose_scalars (t.type, number_of++, &t.alpha, &t.beta);
          if (tested (t.type) && below (options.table) == 0)
            run_test (t, 0);
        }
    }
}

/* Few tiles and a long k, C of few rows or columns, a few tiles more than a GPU makes at once. Not
 * on the host device, which would take minutes. */
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
        test t = full_test (type, ops, shapes[e][0], shapes[e][2], shapes[e][1]);
        t.values = number_of % 7 == 6 ? SPECIAL : number_of % 4 == 3 ? WHOLE : ANY;
        /* columns as they are, and at multiples of 16 bytes */
        if (number_of % 2) {
          t.pad_a = (t.op_a == GPUMM_NONE ? t.m : t.k) % 2;
          t.pad_b = (t.op_b == GPUMM_NONE ? t.k : t.n) % 2;
          t.pad_c = 3;
        }
        choose_scalars (t.type, number_of++, &t.alpha, &t.beta);
        if (tested (t.type) && below (options.table) == 0)
          run_test (t, 0);
      }
  }
}

/* A A' and A' A of one array. */
static void make_gram (test *t, gpumm_op op) {
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
        test t = full_test (type, 0, shapes[e][0], shapes[e][1], 0);
        t.op_a = ops[i < 2 ? 0 : i - 1];
        t.pad_a = e;
        t.pad_c = 3 * e;
        t.alpha.re = e == 0 ? 1 : -0.5;
        t.values = e == 1 && i % 2 ? SPECIAL : ANY;
        if (e == 2 && i > 0 && is_complex (t.type))
          t.alpha.im = 0.25;
        if (e == 0 && i == 3)
          t.beta.re = 2;
        make_gram (&t, ops[1 + i % 2]);
        if (tested (t.type))
          run_test (t, 1);
      }
}

static void run_random (long count, values v) {
  for (long i = 0; i < count; i++) {
    int64_t most = 1 + cut (below (4) == 0 ? 100 : 40);
    test t = full_test ((int) below (4), (int) below (9), below (most), below (most), below (most));
    t.pad_a = below (9);
    t.pad_b = below (9);
    t.pad_c = below (9);
    t.values = v;
    choose_scalars (t.type, below (SCALARS), &t.alpha, &t.beta);
    const int is_gram = i % 8 == 7;
    if (is_gram)
      make_gram (&t, i % 16 == 7 ? GPUMM_TRANSPOSE : GPUMM_CTRANSPOSE);
    if (tested (t.type))
      run_test (t, is_gram);
  }
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
                          {.name = NULL}};
  const int status =
      open_tests (count, arguments, 2, known,
                  "test_kernels LIBRARY [table=1] [grams=1] [special=200] [random=300] [exact=100] "
                  "[seed=1] [types=sdcz] [kernel=] [without=] [largest=129]");
  if (status)
    return status;
  find_function (driver_library, "gpumm_host_set_order", &set_order);
  begin_tests (options.seed);

  if (options.table > 0)
    run_table ();
  if (options.table > 0 && !set_order)
    run_extremes ();
  if (options.grams && !set_order)
    run_grams ();
  run_random (options.special, SPECIAL);
  run_random (options.random, ANY);
  run_random (options.exact, WHOLE);

  close_driver ();
  return check_done ();
}
