/* test_emulated.c - emulated products of hostile data, beside cuBLAS's, against exact sums.
 *
 *   test_emulated LIBRARY [TYPES [SET]]
 *
 * Each set of data is multiplied in sizes from 1 to some hundreds, in all types and with several
 * ops. Sums in 113 bits (products of doubles are exact in them) say what is right. Asserted of each
 * element: the error is at most k eps (|A||B|)_ij, and none where the set is of integers. Of all
 * together: the largest error over |A||B|, of elements that are not the nearest number, is at most
 * twice cuBLAS's own on the same data. And a second run gives the same bits.
 *
 * TYPES are BLAS letters (sdcz), SET the beginning of a name. Exits with 77 where there is no GPU.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "driver_test.h"

typedef __float128 quad; /* 113 bits, exponents to +-16383 */

static const gpumm_kernel *emulated, *native;

/* ---- data --------------------------------------------------------------------------------- */

/* What a set knows of the element that it makes: element (v, l) of the vectors of A (rows) or of B
 * (columns), k elements long, of so many vectors; all in double, before rounding to the type. */
typedef struct place {
  int of_b;
  int64_t v, l, vectors, k;
  int largest; /* exponent of the type's numbers, at most */
} place;

static double normal_number (void) {
  double u = check_uniform () + 0.5 + 0x1p-60, v = check_uniform ();
  return sqrt (-2 * log (u)) * cos (6.283185307179586 * v);
}

/* In double, not in single? */
static int is_wide (const place *p) {
  return p->largest == 1024;
}

static int is_chosen (const place *p) {
  return p->v == p->vectors / 2 && p->l == p->k / 3;
}

/* 0 for the first vector, 1 for the last */
static double grade (const place *p) {
  return p->vectors > 1 ? (double) p->v / (double) (p->vectors - 1) : 0;
}

/* A sum of products each of which the next one cancels but for a little. */
static double cancelling_number (const place *p, double x) {
  static double last;
  if (p->l % 2 == 0)
    last = x;
  return p->of_b ? last : (p->l % 2 ? -1 : 1) * last * (1 + ldexp (check_uniform (), -30));
}

/* name, B is A', a very large k too, the result must be the nearest number, and the element: x is
 * uniform, p its place. */
#define SETS(SET)                                                                                  \
  SET (uniform, 0, 1, 0, x)                                                                        \
  SET (positive, 0, 0, 0, x + 0.5)                                                                 \
  SET (normal, 0, 0, 0, normal_number ())                                                          \
  SET (constant, 0, 0, 0, p->of_b ? 1.0 / 7 : 1.0 / 3)                                             \
  SET (spread, 0, 1, 0, copysign (exp (2 * normal_number ()), x))                                  \
  SET (wide_spread, 0, 0, 0, copysign (exp (4 * normal_number ()), x))                             \
  /* vectors from small to large: exponents at both ends, products in range */                     \
  SET (graded_vectors, 0, 0, 0, ldexp (x, (int) ((grade (p) - 0.5) * 0.9 * p->largest)))           \
  /* columns of A and rows of B fall off together */                                               \
  SET (graded_along, 0, 0, 0, ldexp (x, (int) (-p->l / 8 % 40)))                                   \
  /* A's large elements meet B's small ones */                                                     \
  SET (mismatched, 0, 0, 0, ldexp (x, (p->of_b ? 1 : -1) * (int) (40 * p->l / p->k)))              \
  SET (halves, 0, 0, 0, ldexp (x, (2 * p->l < p->k) == p->of_b ? 0 : -20))                         \
  SET (disjoint, 0, 0, 0, (2 * p->l < p->k || p->l == p->k / 2 + 1) == p->of_b ? x : 0)            \
  SET (one_huge, 0, 0, 0, !p->of_b && is_chosen (p) ? ldexp (0.7, p->largest - 8) : x)             \
  SET (one_large, 0, 0, 0, is_chosen (p) && p->of_b ? 3e4 : x)                                     \
  SET (subnormal, 0, 0, 0, ldexp (x, p->of_b ? p->largest - 20 : is_wide (p) ? -1040 : -135))      \
  SET (cancelling, 0, 0, 0, cancelling_number (p, x))                                              \
  SET (alternating, 0, 0, 0, (p->l % 2 && !p->of_b ? -1 : 1) * (x + 0.5))                          \
  /* of a discrete cosine transform: A B is nearly the unit matrix */                              \
  SET (orthogonal, 1, 0, 0,                                                                        \
       cos (((double) p->v + 0.5) * ((double) p->l + 0.5) / (double) p->k * M_PI))                 \
  SET (gram, 1, 0, 0, x)                                                                           \
  SET (gram_spread, 1, 0, 0, copysign (exp (2 * normal_number ()), x))                             \
  SET (hilbert, 0, 0, 0, 1.0 / (double) (p->v + p->l + 1))                                         \
  SET (powers, 0, 0, 0,                                                                            \
       pow (0.9 + 0.2 * (double) p->v / (double) p->vectors, (double) (p->l % 200)))               \
  SET (few_elements, 0, 1, 0, check_random () % 20 == 0 ? x : 0)                                   \
  SET (zero_vectors, 0, 0, 0, p->v % 3 ? x : 0)                                                    \
  SET (diagonal, 0, 0, 0, p->of_b || p->l == p->v % p->k ? x : 0)                                  \
  SET (bits, 0, 0, 1, (double) (check_random () & 1))                                              \
  SET (bytes, 0, 1, 1, (double) check_between (-128, 127))                                         \
  SET (words, 0, 0, 1, (double) check_between (-32768, 32767))                                     \
  SET (longs, 0, 0, 1, rint (ldexp (x, is_wide (p) ? 32 : 24)))                                    \
  /* powers of two times B's numbers: no error may come of it */                                   \
  SET (permuted, 0, 0, 1,                                                                          \
       p->of_b                         ? x                                                         \
       : p->l == (7 * p->v + 3) % p->k ? exp2 ((int) (p->v % 50))                                  \
                                       : 0)                                                        \
  SET (zeros, 0, 0, 1, 0)

typedef struct set {
  const char *name;
  int same, deep, exact;
  double (*element) (const place *p, double x);
} set;

#define ELEMENT(NAME, SAME, DEEP, EXACT, VALUE)                                                    \
  static double NAME (const place *p, double x) {                                                  \
    (void) p;                                                                                      \
    (void) x;                                                                                      \
    return VALUE;                                                                                  \
  }
SETS (ELEMENT)

#define ROW(NAME, SAME, DEEP, EXACT, VALUE) {#NAME, SAME, DEEP, EXACT, NAME},
static const set sets[] = {SETS (ROW)};
enum { MANY_SETS = sizeof sets / sizeof *sets };

/* ---- a product ---------------------------------------------------------------------------- */

typedef struct {
  const set *set;
  gpumm_type type;
  int64_t m, n, k;
  gpumm_op op_a, op_b;
} test;

/* Element l of vector v of an operand with vectors side by side or, turned, each in a column. */
static int64_t index_of (int64_t v, int64_t l, int64_t ld, int turned) {
  return turned ? l + v * ld : v + l * ld;
}

static void fill (const test *t, pair *x, int of_b, int64_t ld, int turned, int conjugated) {
  place p = {.of_b = of_b,
             .vectors = of_b ? t->n : t->m,
             .k = t->k,
             .largest = is_single (t->type) ? 128 : 1024};
  memset (x->host, 0xff, x->bytes); /* NaN where no element is */
  for (p.v = 0; p.v < p.vectors; p.v++)
    for (p.l = 0; p.l < p.k; p.l++)
      for (int part = 0; part < 2; part++) {
        double value = t->set->element (&p, check_uniform ());
        put (t->type, x->host, index_of (p.v, p.l, ld, turned), part,
             part && conjugated ? -value : value);
      }
}

/* With scant workspace: for panels as thin as if k were 1, and so many bytes more. */
static void run_within (const gpumm_kernel *kernel, gpumm_product p, size_t scant, pair *c,
                        char *note) {
  gpumm_product thin = p;
  thin.k = scant ? 1 : p.k;
  p.workspace_bytes = kernel->workspace ? kernel->workspace (&thin, &device) + scant : 0;
  if (p.workspace_bytes)
    need (driver->allocate (0, p.workspace_bytes, &p.workspace), "workspace");
  p.c = c->device;
  p.note = note;
  need (driver->fill (0, stream, c->device, 0xff, c->bytes), "fill");
  need (kernel->launch (0, stream, &p), kernel->name);
  down (c);
  if (p.workspace)
    need (driver->release (0, p.workspace), "release");
}

static const char *describe (const test *t, const char *note) {
  static char text[200];
  snprintf (text, sizeof text, "%s %c %lld x %lld x %lld ops %d %d (%s)", t->set->name,
            "sdcz"[t->type], (long long) t -> m, (long long) t -> n, (long long) t -> k, t -> op_a,
            t -> op_b, note);
  return text;
}

/* Of exact sums, a product: at fewer elements of C where k is large. */
enum { MOST_TERMS = 400000 };

static void run (const gpumm_kernel *kernel, gpumm_product p, pair *c, char *note) {
  run_within (kernel, p, 0, c, note);
}

static quad absolute (quad x) {
  return x < 0 ? -x : x;
}

/* The operands of a test on both sides, C of emulated and of cuBLAS's, and the product. */
typedef struct {
  pair a, b, c, other;
  gpumm_product p;
} operands;

static operands make_operands (const test *t, int64_t pad_a, int64_t pad_b) {
  const int turned_a = t->op_a != GPUMM_NONE, turned_b = t->op_b == GPUMM_NONE;
  const int64_t lda = (turned_a ? t->k : t->m) + pad_a, ldb = (turned_b ? t->k : t->n) + pad_b;
  const size_t element = sizes[t->type];
  operands x = {.a = make_pair (element * (size_t) (lda * (turned_a ? t->m : t->k))),
                .b = make_pair (element * (size_t) (ldb * (turned_b ? t->n : t->k))),
                .c = make_pair (element * (size_t) (t->m * t->n)),
                .other = make_pair (element * (size_t) (t->m * t->n))};
  fill (t, &x.a, 0, lda, turned_a, t->op_a == GPUMM_CTRANSPOSE);
  fill (t, &x.b, 1, ldb, turned_b, t->op_b == GPUMM_CTRANSPOSE);
  if (t->set->same) /* B = A': element l of column j is the conjugate of element l of row j */
    for (int64_t j = 0; j < t->n; j++)
      for (int64_t l = 0; l < t->k; l++)
        for (int part = 0; part < 2; part++) {
          double y = get (t->type, x.a.host, index_of (j % t->m, l, lda, turned_a), part);
          int turns = (t->op_a != GPUMM_CTRANSPOSE) != (t->op_b == GPUMM_CTRANSPOSE);
          put (t->type, x.b.host, index_of (j, l, ldb, turned_b), part, part && turns ? -y : y);
        }
  up (&x.a);
  up (&x.b);
  x.p = (gpumm_product){.type = t->type,
                        .op_a = t->op_a,
                        .op_b = t->op_b,
                        .m = t->m,
                        .n = t->n,
                        .k = t->k,
                        .a = x.a.device,
                        .lda = lda,
                        .b = x.b.device,
                        .ldb = ldb,
                        .ldc = t->m,
                        .alpha = {1, 0}};
  return x;
}

static void drop_operands (operands *x) {
  drop_pair (&x->a);
  drop_pair (&x->b);
  drop_pair (&x->c);
  drop_pair (&x->other);
}

/* The exact element (i, j) and (|A||B|)_ij. */
static void exact_element (const test *t, const operands *o, int64_t i, int64_t j, quad sum[2],
                           quad *size) {
  int turned_a = t->op_a != GPUMM_NONE, turned_b = t->op_b == GPUMM_NONE;
  sum[0] = sum[1] = *size = 0;
  for (int64_t l = 0; l < t->k; l++) {
    int64_t at_a = index_of (i, l, o->p.lda, turned_a), at_b = index_of (j, l, o->p.ldb, turned_b);
    quad x = get (t->type, o->a.host, at_a, 0), y = get (t->type, o->b.host, at_b, 0);
    if (!is_complex (t->type)) {
      sum[0] += x * y;
      *size += x * y < 0 ? -x * y : x * y;
      continue;
    }
    quad u = get (t->type, o->a.host, at_a, 1), v = get (t->type, o->b.host, at_b, 1);
    u = t->op_a == GPUMM_CTRANSPOSE ? -u : u;
    v = t->op_b == GPUMM_CTRANSPOSE ? -v : v;
    sum[0] += x * y - u * v;
    sum[1] += x * v + u * y;
    *size += (quad) hypotl ((long double) x, (long double) u)
             * (quad) hypotl ((long double) y, (long double) v);
  }
}

/* Adds to *own and *natives the largest errors over |A||B|, in eps / 2, of what is not the nearest
 * number. */
static void run_test (const test *t, double *own, double *natives) {
  operands x = make_operands (t, t->op_a == GPUMM_NONE ? 3 : 0, t->op_b == GPUMM_NONE ? 1 : 0);
  pair again = make_pair (x.c.bytes);
  char note[GPUMM_NOTE_BYTES] = "";
  run (native, x.p, &x.other, NULL);
  run (emulated, x.p, &x.c, note);
  run (emulated, x.p, &again, NULL);
  const char *what = describe (t, note);
  CHECK (memcmp (x.c.host, again.host, x.c.bytes) == 0, "%s: other bits", what);
  if (t->k >= 3000) { /* k in several steps */
    run_within (emulated, x.p, (size_t) 2 << 20, &again, NULL);
    CHECK (memcmp (x.c.host, again.host, x.c.bytes) == 0, "%s: other bits in less workspace", what);
  }

  double eps = epsilons[t->type];
  /* what even a correct rounding may be off by where numbers end */
  quad tiny = is_single (t->type) ? 0x1p-149 : 0x1p-1074, bound = 0;
  quad huge = is_single (t->type) ? FLT_MAX : DBL_MAX;
  int within = 1, nearest = 1;
  int64_t all = t->m * t->n, most = MOST_TERMS / t->k + 1, step = all > most ? all / most : 1;
  for (int64_t e = 0; e < all; e += step) {
    int64_t i = e % t->m, j = e / t->m;
    quad sum[2], size;
    exact_element (t, &x, i, j, sum, &size);
    for (int part = 0; part < 1 + is_complex (t->type); part++) {
      quad made = get (t->type, x.c.host, e, part), y = get (t->type, x.other.host, e, part);
      if (absolute (sum[part]) > huge) /* what overflows is nobody's error */
        continue;
      quad error = absolute (made - sum[part]);
      bound = (quad) t->k * eps * size + tiny;
      within = within && error <= bound;
      double rounded = is_single (t->type) ? (double) (float) sum[part] : (double) sum[part];
      nearest = nearest && (double) made == rounded;
      if (size > 0 && size * eps > 4 * tiny) {
        if ((double) made != rounded)
          *own = fmax (*own, (double) (error / size) * 2 / eps);
        *natives = fmax (*natives, (double) (absolute (y - sum[part]) / size) * 2 / eps);
      }
    }
  }
  CHECK (within, "%s: error above k eps |A||B|", what);
  if (t->set->exact)
    CHECK (nearest && strncmp (note, "native", 6) != 0, "%s: not exact", what);
  drop_operands (&x);
  drop_pair (&again);
}

/* ---- NaN and Inf, scalars ----------------------------------------------------------------- */

/* One element that is no number makes the same of C as cuBLAS's. */
static void test_not_numbers (gpumm_type type) {
  static const double values[] = {NAN, INFINITY, -INFINITY};
  enum { N = 40 };
  for (int i = 0; i < (is_complex (type) ? 6 : 3); i++) {
    const test t = {&sets[0], type, N, N, N, GPUMM_NONE, GPUMM_NONE};
    operands x = make_operands (&t, 0, 0);
    pair *spoilt = i % 2 ? &x.b : &x.a;
    char note[GPUMM_NOTE_BYTES] = "";
    put (type, spoilt->host, check_between (0, N * N - 1), i / 3, values[i % 3]);
    up (spoilt);
    run (emulated, x.p, &x.c, note);
    run (native, x.p, &x.other, NULL);
    CHECK (memcmp (x.c.host, x.other.host, x.c.bytes) == 0, "type %c, %g", "sdcz"[type],
           values[i % 3]);
    CHECK (strcmp (note, "native: NaN or Inf") == 0, "%s", note);
    drop_operands (&x);
  }
}

/* ---- what the plan adds: a gain, tiles ---------------------------------------------------- */

/* Of data that need more moduli than a gain of 1 is good for, the library makes the product; of
 * others, and where no gain is given, it does not. */
static void test_gain (gpumm_type type) {
  static const struct {
    double (*element) (const place *p, double x);
    double gain;
    int native;
  } cases[] = {{uniform, 2, 0}, {spread, 0, 0}, {spread, 5, 0}, {spread, 1, 1}, {bits, 1, 0}};
  enum { N = 160 };
  set s = {"gain", 0, 0, 0, uniform};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    s.element = cases[i].element;
    const test t = {&s, type, N, N, N, GPUMM_NONE, GPUMM_NONE};
    operands x = make_operands (&t, 0, 0);
    char note[GPUMM_NOTE_BYTES] = "";
    x.p.gain = cases[i].gain;
    run (emulated, x.p, &x.c, note);
    x.p.gain = 0;
    run (cases[i].native ? native : emulated, x.p, &x.other, NULL);
    CHECK ((strncmp (note, "native: ", 8) == 0) == cases[i].native, "type %c, case %zu: %s",
           "sdcz"[type], i, note);
    CHECK (memcmp (x.c.host, x.other.host, x.c.bytes) == 0, "type %c, case %zu (%s): other bits",
           "sdcz"[type], i, note);
    drop_operands (&x);
  }
}

/* A product in tiles whose launches share a workspace: each has the bits that it has by itself, in
 * whatever order, though panels are not looked at again; with data that take more moduli than are
 * kept, and a NaN in one panel, too. */
static void test_tiling (gpumm_type type) {
  enum { M = 100, N = 90, K = 150, TILE_M = 40, TILE_N = 50, DOWN = 3, ACROSS = 2 };
  static const int order[DOWN * ACROSS] = {0, 3, 1, 4, 2, 5}; /* row + DOWN * column */
  for (int kind = 0; kind < 3; kind++) {
    set s = {"tiles", 0, 0, 0, kind == 1 ? spread : uniform};
    const test t = {&s, type, M, N, K, GPUMM_NONE, GPUMM_NONE};
    const size_t element = sizes[type];
    operands x = make_operands (&t, 0, 0);
    if (kind == 2)
      put (type, x.a.host, TILE_M + 1, 0, NAN);
    up (&x.a);
    need (driver->fill (0, stream, x.c.device, 0xff, x.c.bytes), "fill");
    need (driver->fill (0, stream, x.other.device, 0xff, x.c.bytes), "fill");
    gpumm_product p = x.p;
    p.m = TILE_M;
    p.n = TILE_N;
    p.tiling = (gpumm_tiling){.down = DOWN, .across = ACROSS, .m = TILE_M, .n = TILE_N};
    p.workspace_bytes = emulated->workspace (&p, &device);
    need (driver->allocate (0, p.workspace_bytes, &p.workspace), "workspace");
    need (driver->fill (0, stream, p.workspace, 0xff, p.workspace_bytes), "fill");
    int known_a[DOWN] = {0}, known_b[ACROSS] = {0}, moduli = 0;
    for (int e = 0; e < DOWN * ACROSS; e++) {
      int row = order[e] % DOWN, col = order[e] / DOWN;
      char note[GPUMM_NOTE_BYTES] = "", alone_note[GPUMM_NOTE_BYTES] = "";
      p.tiling.row = row;
      p.tiling.col = col;
      p.tiling.known_a = known_a[row];
      p.tiling.known_b = known_b[col];
      known_a[row] = known_b[col] = 1;
      p.m = row == DOWN - 1 ? M - row * TILE_M : TILE_M;
      p.n = col == ACROSS - 1 ? N - col * TILE_N : TILE_N;
      p.a = (char *) x.a.device + element * (size_t) (row * TILE_M);
      p.b = (char *) x.b.device + element * (size_t) (col * TILE_N * K);
      size_t at = element * (size_t) (row * TILE_M + col * TILE_N * M);
      p.c = (char *) x.c.device + at;
      p.note = note;
      need (emulated->launch (0, stream, &p), "a tile");
      gpumm_product alone = p;
      alone.tiling = (gpumm_tiling){0};
      alone.c = (char *) x.other.device + at;
      alone.note = alone_note;
      alone.workspace_bytes = emulated->workspace (&alone, &device);
      need (driver->allocate (0, alone.workspace_bytes, &alone.workspace), "workspace");
      need (emulated->launch (0, stream, &alone), "a tile by itself");
      need (driver->stream_synchronize (0, stream), "waiting");
      need (driver->release (0, alone.workspace), "release");
      CHECK (strcmp (note, alone_note) == 0, "%s, by itself %s", note, alone_note);
      CHECK ((kind == 2 && row == 1) == (strncmp (note, "native", 6) == 0), "row %d: %s", row,
             note);
      moduli += atoi (note);
    }
    CHECK (moduli > 0, "nothing was emulated");
    down (&x.c);
    down (&x.other);
    CHECK (memcmp (x.c.host, x.other.host, x.c.bytes) == 0, "type %c, kind %d: other bits in tiles",
           "sdcz"[type], kind);
    need (driver->release (0, p.workspace), "release");
    drop_operands (&x);
  }
}

/* ---- main --------------------------------------------------------------------------------- */

/* Errors of a few elements are luck: small products are made until there are so many. */
enum { FEWEST_ELEMENTS = 100 };

static void run_set (const set *s, gpumm_type type) {
  static const struct {
    int64_t m, n, k;
    gpumm_op op_a, op_b;
  } cases[] = {
      {1, 1, 1, GPUMM_NONE, GPUMM_NONE},         {5, 3, 2, GPUMM_TRANSPOSE, GPUMM_NONE},
      {17, 40, 7, GPUMM_NONE, GPUMM_CTRANSPOSE}, {33, 31, 100, GPUMM_CTRANSPOSE, GPUMM_TRANSPOSE},
      {48, 40, 700, GPUMM_NONE, GPUMM_NONE},     {160, 120, 3000, GPUMM_TRANSPOSE, GPUMM_NONE},
      {3, 2, 140000, GPUMM_NONE, GPUMM_NONE}, /* more than an int8 product can take at once */
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    test t = {s, type, cases[i].m, cases[i].n, cases[i].k, cases[i].op_a, cases[i].op_b};
    double own = 0, natives = 0;
    if (t.k > 100000 && !s->deep)
      continue;
    for (int64_t elements = t.k > 100000 ? FEWEST_ELEMENTS - 1 : 0; elements < FEWEST_ELEMENTS;
         elements += t.m * t.n)
      run_test (&t, &own, &natives);
    CHECK (own <= 2 * natives, "%s: error %.3g, of cuBLAS %.3g", describe (&t, "all"), own,
           natives);
  }
}

int main (int count, char **arguments) {
  if (count < 2) {
    printf ("usage: test_emulated LIBRARY [TYPES [SET]]\n");
    return 2;
  }
  int status = open_driver (arguments[1]);
  if (status)
    return status;
  const gpumm_product any = {.type = GPUMM_D, .m = 1, .n = 1, .k = 1, .lda = 1, .ldb = 1, .ldc = 1};
  native = find_kernel ("cublas");
  emulated = find_kernel ("emulated");
  if (!emulated || !native || emulated->capability > device.capability
      || !emulated->runs (&any, &device)) {
    printf ("SKIP: no cuBLASLt with products of 8-bit integers\n");
    return 77;
  }
  check_seed (1);
  const char *types = count > 2 ? arguments[2] : "sdcz";
  for (const char *letter = types; *letter; letter++) {
    gpumm_type type = type_of (*letter);
    for (int i = 0; i < MANY_SETS; i++)
      if (count < 4 || strncmp (sets[i].name, arguments[3], strlen (arguments[3])) == 0)
        run_set (&sets[i], type);
    test_not_numbers (type);
    test_gain (type);
    test_tiling (type);
  }
  close_driver ();
  return check_done ();
}
