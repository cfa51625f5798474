/* test_integer_blocks.c - kernels for blocks of integers against the definition, in 256 bits.
 *
 *   test_integer_blocks LIBRARY [seed=1] [edges=1] [random=100] [kernel=] [large=1]
 *
 * edges   of cases at the edges run one in so many (1: all)
 * random  so many random cases after them
 * kernel  only rows whose name begins so
 * large   products with rows of some thousands of blocks too? 0: no
 *
 * Each case: the symbolic phase must count the blocks of each row of C exactly; the numeric phase
 * must list their columns, make all their elements right, saturated once, and say whether a block
 * is all zero; what it was not asked for must stay as it was. Exits with 77 when the driver finds no
 * device.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "host/host.h"
#include "../driver.h"

typedef __int128 int128;
typedef unsigned __int128 uint128;

static struct {
  long seed, edges, random, large;
  const char *kernel;
} options = {1, 1, 100, 1, ""};

/* ---- cases -------------------------------------------------------------------------------- */

/* Where blocks are. */
typedef enum { SPREAD, EMPTY_ROWS, EMPTY_COLUMNS, HUB_ROW, HUB_COLUMN, DIAGONAL, SHAPES } shape;

typedef struct {
  gpumm_type type, output;
  int64_t rows, inner, cols; /* in blocks */
  int64_t m, k, n;           /* A's blocks are m x k, B's k x n */
  shape shape_a, shape_b;
  double density_a, density_b;
  int128 low, high; /* of the elements */
  int128 later;     /* the highest of A's second half of rows; 0: as in the first */
  int zeros;        /* so much of 8 elements is 0, and so much of 8 blocks */
} test;

static int bits_of (gpumm_type type) {
  return 8 << (type >= GPUMM_U8 ? type - GPUMM_U8 : type - GPUMM_I8);
}

static int is_signed (gpumm_type type) {
  return type < GPUMM_U8;
}

static int128 lowest (gpumm_type type) {
  return is_signed (type) ? -((int128) 1 << (bits_of (type) - 1)) : 0;
}

static int128 highest (gpumm_type type) {
  return ((int128) 1 << (bits_of (type) - is_signed (type))) - 1;
}

/* ---- matrices ----------------------------------------------------------------------------- */

/* On the host and on the device; at has the place of block (i,j), or -1. */
typedef struct {
  gpumm_rows on;
  gpumm_type type;
  int64_t *start, *at;
  int32_t *column;
  char *values;
  size_t block_bytes;
} matrix;

static int128 integer_at (gpumm_type type, const void *values, int64_t i) {
  switch (type) {
  case GPUMM_I8:
    return ((const int8_t *) values)[i];
  case GPUMM_I16:
    return ((const int16_t *) values)[i];
  case GPUMM_I32:
    return ((const int32_t *) values)[i];
  case GPUMM_I64:
    return ((const int64_t *) values)[i];
  case GPUMM_U8:
    return ((const uint8_t *) values)[i];
  case GPUMM_U16:
    return ((const uint16_t *) values)[i];
  case GPUMM_U32:
    return ((const uint32_t *) values)[i];
  default:
    return ((const uint64_t *) values)[i];
  }
}

static int128 element (const test *t, int128 high) {
  const uint128 range = (uint128) (high - t->low) + 1;
  if (check_between (0, 7) < t->zeros)
    return 0;
  if (check_between (0, 9) == 0)
    return check_between (0, 1) ? t->low : high;
  return t->low + (int128) (check_random () % range);
}

static int present (shape s, double density, int64_t i, int64_t j, int64_t rows, int64_t cols) {
  const int chance = check_uniform () + 0.5 < density;
  switch (s) {
  case EMPTY_ROWS:
    return chance && i % 3 != 0;
  case EMPTY_COLUMNS:
    return chance && j % 3 != 0;
  case HUB_ROW:
    return chance || i == rows / 2;
  case HUB_COLUMN:
    return chance || j == cols / 2;
  case DIAGONAL:
    return i == j;
  default:
    return chance;
  }
}

static void *to_device (const void *from, size_t bytes) {
  void *p, *pinned;
  need (driver->allocate (0, bytes, &p), "allocate");
  if (bytes == 0)
    return p;
  need (driver->pin (0, bytes, &pinned), "pin");
  memcpy (pinned, from, bytes);
  need (driver->copy_up (0, stream, p, bytes, pinned, bytes, bytes, 1), "copy_up");
  need (driver->stream_synchronize (0, stream), "stream_synchronize");
  need (driver->unpin (0, pinned), "unpin");
  return p;
}

static void from_device (void *to, const void *p, size_t bytes) {
  void *pinned;
  if (bytes == 0)
    return;
  need (driver->pin (0, bytes, &pinned), "pin");
  need (driver->copy_down (0, stream, pinned, bytes, p, bytes, bytes, 1), "copy_down");
  need (driver->stream_synchronize (0, stream), "stream_synchronize");
  memcpy (to, pinned, bytes);
  need (driver->unpin (0, pinned), "unpin");
}

/* The elements of the second half of the rows are at most `later`. */
static matrix make_matrix (const test *t, shape s, double density, int64_t rows, int64_t cols,
                           int64_t block_rows, int64_t block_cols, int128 later) {
  const int64_t elements = block_rows * block_cols;
  matrix x = {
      .on = {.rows = rows, .cols = cols, .block_rows = block_rows, .block_cols = block_cols},
      .type = t->type};
  x.block_bytes = (size_t) elements * (size_t) bits_of (t->type) / 8;
  x.start = check_allocate (rows + 1, sizeof *x.start);
  x.at = check_allocate (rows * cols, sizeof *x.at);
  x.column = check_allocate (rows * cols, sizeof *x.column);
  int64_t stored = 0;
  for (int64_t i = 0; i < rows; i++) {
    for (int64_t j = 0; j < cols; j++) {
      x.at[i * cols + j] = -1;
      if (present (s, density, i, j, rows, cols)) {
        x.at[i * cols + j] = stored;
        x.column[stored++] = (int32_t) j;
      }
    }
    x.start[i + 1] = stored;
  }
  x.values = check_allocate (stored, x.block_bytes);
  for (int64_t q = 0; q < stored; q++)
    if (check_between (0, 7) >= t->zeros)
      for (int64_t e = 0; e < elements; e++) {
        const int128 high = q < x.start[rows / 2] ? t->high : later;
        const uint64_t value =
            (uint64_t) element (t, high); /* little-endian: the low bytes are it */
        const size_t bytes = (size_t) bits_of (t->type) / 8;
        memcpy (x.values + (size_t) (q * elements + e) * bytes, &value, bytes);
      }
  x.on.stored = stored;
  x.on.start = to_device (x.start, (size_t) (rows + 1) * sizeof *x.start);
  x.on.column = to_device (x.column, (size_t) stored * sizeof *x.column);
  x.on.values = to_device (x.values, (size_t) stored * x.block_bytes);
  return x;
}

static void drop_matrix (matrix *x) {
  need (driver->release (0, x->on.start), "release");
  need (driver->release (0, x->on.column), "release");
  need (driver->release (0, x->on.values), "release");
  free (x->start);
  free (x->at);
  free (x->column);
  free (x->values);
}

/* ---- the definition ----------------------------------------------------------------------- */

typedef struct {
  uint64_t limb[4]; /* two's complement */
} wide;

static void add (wide *sum, gpumm_type type, int128 x, int128 y) {
  const int negative = is_signed (type) && (x < 0) != (y < 0) && x != 0 && y != 0;
  const uint128 product = (uint128) x * (uint128) y; /* 64 bits by 64 */
  const uint64_t parts[4] = {(uint64_t) product, (uint64_t) (product >> 64),
                             negative ? UINT64_MAX : 0, negative ? UINT64_MAX : 0};
  uint128 carry = 0;
  for (int i = 0; i < 4; i++) {
    carry += (uint128) sum->limb[i] + parts[i];
    sum->limb[i] = (uint64_t) carry;
    carry >>= 64;
  }
}

static int128 saturated (const wide *sum, gpumm_type type) {
  const int negative = sum->limb[3] >> 63;
  const uint64_t rest = negative ? UINT64_MAX : 0;
  if (sum->limb[2] != rest || sum->limb[3] != rest || sum->limb[1] >> 63 != (unsigned) negative)
    return negative ? lowest (type) : highest (type);
  const int128 value = (int128) ((uint128) sum->limb[1] << 64 | sum->limb[0]);
  return value < lowest (type) ? lowest (type) : value > highest (type) ? highest (type) : value;
}

static int128 expected (const test *t, const matrix *a, const matrix *b, int64_t i, int64_t j,
                        int64_t r, int64_t c) {
  wide sum = {{0, 0, 0, 0}};
  for (int64_t q = 0; q < t->inner; q++) {
    const int64_t u = a->at[i * t->inner + q], v = b->at[q * t->cols + j];
    for (int64_t p = 0; u >= 0 && v >= 0 && p < t->k; p++)
      add (&sum, t->type, integer_at (t->type, a->values, u * t->m * t->k + r + p * t->m),
           integer_at (t->type, b->values, v * t->k * t->n + p + c * t->k));
  }
  return saturated (&sum, t->output);
}

/* ---- a kernel and a case ------------------------------------------------------------------ */

static void describe (char *text, size_t size, const char *kernel, const test *t) {
  snprintf (text, size,
            "%s, types %d to %d, %lld x %lld x %lld blocks, %lldx%lld by %lldx%lld, shapes %d %d, "
            "density %g %g, elements %g .. %g, later %g",
            kernel, t->type, t->output, (long long) t->rows, (long long) t->inner,
            (long long) t->cols, (long long) t->m, (long long) t->k, (long long) t->k,
            (long long) t->n, t->shape_a, t->shape_b, t->density_a, t->density_b, (double) t->low,
            (double) t->high, (double) t->later);
}

enum { POISON = 0x5a };

/* C by the definition. */
typedef struct {
  int64_t *start;
  int32_t *column;
  int128 *values;
} result;

static result make_result (const test *t, const matrix *a, const matrix *b) {
  const int64_t elements = t->m * t->n;
  result c;
  c.start = check_allocate (t->rows + 1, sizeof *c.start);
  c.column = check_allocate (t->rows * t->cols, sizeof *c.column);
  for (int64_t i = 0; i < t->rows; i++) {
    int64_t q = c.start[i];
    for (int64_t j = 0; j < t->cols; j++) {
      int met = 0;
      for (int64_t x = 0; x < t->inner && !met; x++)
        met = a->at[i * t->inner + x] >= 0 && b->at[x * t->cols + j] >= 0;
      if (met)
        c.column[q++] = (int32_t) j;
    }
    c.start[i + 1] = q;
  }
  c.values = check_allocate (c.start[t->rows] * elements, sizeof *c.values);
  for (int64_t i = 0; i < t->rows; i++)
    for (int64_t q = c.start[i]; q < c.start[i + 1]; q++)
      for (int64_t e = 0; e < elements; e++)
        c.values[q * elements + e] = expected (t, a, b, i, c.column[q], e % t->m, e / t->m);
  return c;
}

/* Rows row .. row + count - 1 by one kernel. */
static void check_rows (const gpumm_sparse_kernel *kernel, const test *t, const matrix *a,
                        const matrix *b, const result *c, int64_t row, int64_t count) {
  char text[300], note[GPUMM_NOTE_BYTES] = "";
  describe (text, sizeof text, kernel->name, t);
  const int64_t *start = c->start, elements = t->m * t->n, blocks = start[t->rows];
  const size_t bytes = (size_t) elements * (size_t) bits_of (t->output) / 8;
  int64_t *counts = check_allocate (t->rows + 1, sizeof *counts);
  int32_t *column = check_allocate (blocks, sizeof *column), zero = 0, any_zero = 0;
  char *values = check_allocate (blocks, bytes);
  memset (counts, POISON, (size_t) (t->rows + 1) * sizeof *counts);
  memset (column, POISON, (size_t) blocks * sizeof *column);
  memset (values, POISON, (size_t) blocks * bytes);
  gpumm_sparse_product p = {
      .type_a = t->type,
      .type_b = t->type,
      .type_c = t->output,
      .a = a->on,
      .b = b->on,
      .c = {.rows = t->rows, .cols = t->cols, .block_rows = t->m, .block_cols = t->n},
      .row = row,
      .count = count,
      .alpha = {1, 0},
      .note = note,
  };
  p.c.start = to_device (counts, (size_t) (t->rows + 1) * sizeof *counts);
  if (!kernel->runs || !kernel->runs (&p, &device) || kernel->capability > device.capability) {
    need (driver->release (0, p.c.start), "release");
    free (counts);
    free (column);
    free (values);
    return;
  }
  gpumm_device_properties left = device; /* little memory makes smaller tiles */
  if (check_between (0, 1))
    left.memory_free = check_between (0, (int64_t) 200 << 20);
  p.workspace_bytes = kernel->workspace ? kernel->workspace (&p, &left) : 0;
  need (driver->allocate (0, p.workspace_bytes, &p.workspace), "workspace");
  need (driver->fill (0, stream, p.workspace, POISON, p.workspace_bytes), "fill");

  need (kernel->symbolic (0, stream, &p), text);
  from_device (counts, p.c.start, (size_t) (t->rows + 1) * sizeof *counts);
  int right = 1;
  for (int64_t i = 0; i < t->rows; i++) {
    int64_t untouched;
    memset (&untouched, POISON, sizeof untouched);
    right = right
            && counts[i + 1] == (i >= row && i < row + count ? start[i + 1] - start[i] : untouched);
  }
  CHECK (right, "counts: %s, rows from %lld on", text, (long long) row);
  need (driver->release (0, p.c.start), "release");

  p.c.start = to_device (start, (size_t) (t->rows + 1) * sizeof *start);
  p.c.column = to_device (column, (size_t) blocks * sizeof *column);
  p.c.values = to_device (values, (size_t) blocks * bytes);
  p.c.stored = blocks;
  p.zero = to_device (&zero, sizeof zero);
  int64_t done = 0;
  do { /* in pieces of at least one row */
    p.row = row + done;
    p.count = check_between (0, 1) ? count - done : check_between (count > done, count - done);
    need (kernel->launch (0, stream, &p), text);
    p.prepared = 1;
    done += p.count;
  } while (done < count);
  from_device (column, p.c.column, (size_t) blocks * sizeof *column);
  from_device (values, p.c.values, (size_t) blocks * bytes);
  from_device (&zero, p.zero, sizeof zero);
  int64_t wrong = 0, misplaced = 0;
  for (int64_t i = 0; i < t->rows; i++)
    for (int64_t q = start[i]; q < start[i + 1]; q++) {
      int some = 0;
      if (i < row || i >= row + count) {
        int32_t untouched;
        memset (&untouched, POISON, sizeof untouched);
        misplaced += column[q] != untouched;
        for (size_t e = 0; e < bytes; e++)
          wrong += values[(size_t) q * bytes + e] != POISON;
        continue;
      }
      misplaced += column[q] != c->column[q];
      for (int64_t e = q * elements; e < (q + 1) * elements; e++) {
        const int128 is = integer_at (t->output, values, e);
        wrong += is != c->values[e];
        some |= is != 0;
      }
      any_zero |= !some;
    }
  CHECK (misplaced == 0, "%lld columns: %s", (long long) misplaced, text);
  CHECK (wrong == 0, "%lld elements: %s (%s)", (long long) wrong, text, note);
  CHECK (zero == any_zero, "zero is %d: %s", zero, text);
  need (driver->release (0, p.c.start), "release");
  need (driver->release (0, p.c.column), "release");
  need (driver->release (0, p.c.values), "release");
  need (driver->release (0, p.zero), "release");
  need (driver->release (0, p.workspace), "release");
  free (counts);
  free (column);
  free (values);
}

static void run_test (const test *t) {
  matrix a = make_matrix (t, t->shape_a, t->density_a, t->rows, t->inner, t->m, t->k,
                          t->later > 0 ? t->later : t->high);
  matrix b = make_matrix (t, t->shape_b, t->density_b, t->inner, t->cols, t->k, t->n, t->high);
  result c = make_result (t, &a, &b);
  const int64_t row = check_between (0, t->rows), count = check_between (0, t->rows - row);
  for (const gpumm_sparse_kernel *const *kernel = driver->sparse_kernels; *kernel; kernel++) {
    /* a launch a block of C: enough once */
    const int slow = strcmp ((*kernel)->name, "classic_one") == 0 && t->rows * t->cols > 2000;
    if (slow || strncmp ((*kernel)->name, options.kernel, strlen (options.kernel)) != 0)
      continue;
    check_rows (*kernel, t, &a, &b, &c, 0, t->rows);
    check_rows (*kernel, t, &a, &b, &c, row, count);
  }
  free (c.start);
  free (c.column);
  free (c.values);
  drop_matrix (&a);
  drop_matrix (&b);
}

/* ---- which -------------------------------------------------------------------------------- */

/* The classic job with elements up to high. */
static test classic (int64_t rows, int64_t inner, int64_t cols, int64_t m, double density,
                     int128 high) {
  return (test){.type = GPUMM_U16,
                .output = GPUMM_U32,
                .rows = rows,
                .inner = inner,
                .cols = cols,
                .m = m,
                .k = m,
                .n = m,
                .density_a = density,
                .density_b = density,
                .high = high};
}

/* Sums of about so many products lie about 2^32 with elements up to this. */
static int128 threshold (double products) {
  const double high = sqrt (4 * 0x1p32 / (products > 1 ? products : 1));
  return high > 65535 ? 65535 : (int128) high;
}

static void run_edge (const test *t) {
  static long cases;
  if (cases++ % options.edges == 0)
    run_test (t);
}

static void run_edges (void) {
  static const int64_t sizes[][3] = {{1, 1, 1},  {1, 5, 40}, {7, 1, 3},    {40, 33, 1},
                                     {3, 70, 9}, {5, 8, 33}, {17, 130, 20}};
  static const int128 highs[] = {1, 255, 256, (1 << 14) - 1, 1 << 14, 65535};
  for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
    for (int64_t m = 4; m <= 8; m += 4) {
      for (size_t h = 0; h < sizeof highs / sizeof *highs; h++) {
        test t = classic (sizes[s][0], sizes[s][1], sizes[s][2], m, 0.5, highs[h]);
        t.zeros = (int) h % 3;
        run_edge (&t);
        t.later = highs[(h + s) % (sizeof highs / sizeof *highs)];
        run_edge (&t);
      }
      for (int density = 0; density <= 1; density++) {
        test t = classic (sizes[s][0], sizes[s][1], sizes[s][2], m, density,
                          threshold ((double) (sizes[s][1] * m)));
        run_edge (&t);
        t.density_a = 1 - density;
        run_edge (&t);
      }
      for (shape x = SPREAD; x < SHAPES; x++) {
        test t = classic (sizes[s][0], sizes[s][1], sizes[s][2], m, 0.1, 65535);
        t.shape_a = x;
        t.shape_b = (shape) ((x + (shape) s) % SHAPES);
        run_edge (&t);
      }
    }
  test t = classic (9, 9, 9, 4, 0.5, 0); /* all zeros */
  run_edge (&t);
}

static void run_types (void) {
  for (gpumm_type type = GPUMM_I8; type <= GPUMM_U64; type++)
    for (gpumm_type output = GPUMM_I8; output <= GPUMM_U64; output++)
      for (int small = 0; small < 2; small++) {
        test t = {.type = type,
                  .output = output,
                  .rows = check_between (1, 6),
                  .inner = check_between (1, 9),
                  .cols = check_between (1, 6),
                  .m = check_between (1, 5),
                  .k = check_between (1, 5),
                  .n = check_between (1, 5),
                  .density_a = 0.6,
                  .density_b = 0.6,
                  .low = small ? -is_signed (type) * 3 : lowest (type),
                  .high = small ? 3 : highest (type),
                  .zeros = small};
        run_test (&t);
      }
}

static void run_large (void) {
  /* strips are 512 and 128 blocks wide, tiles 8192 elements, windows 65536 blocks; rows of A beyond
   * 96 blocks; few blocks in each strip, and many */
  static const struct {
    int64_t rows, inner, cols, m;
    double density;
  } large[] = {{6, 150, 1100, 4, 0.3},   {6, 300, 600, 8, 0.02},   {3, 40, 2100, 4, 0.5},
               {2100, 9, 5, 4, 0.5},     {1050, 3, 30, 8, 0.7},    {30, 3, 1050, 8, 0.7},
               {2, 30, 70000, 4, 0.001}, {3, 500, 2000, 4, 0.005}, {4, 700, 70, 8, 0.9},
               {9, 100, 17000, 4, 0.01}};
  for (size_t i = 0; i < sizeof large / sizeof *large; i++) {
    const double met = (double) (large[i].inner * large[i].m) * large[i].density * large[i].density;
    for (int full = 0; full < 2; full++) {
      test t = classic (large[i].rows, large[i].inner, large[i].cols, large[i].m, large[i].density,
                        full ? 65535 : threshold (met));
      run_test (&t);
    }
  }
}

static void run_random (long cases) {
  for (long i = 0; i < cases; i++) {
    const int64_t m = check_between (0, 1) ? 4 : 8;
    test t = classic (check_between (1, 40), check_between (1, 60), check_between (1, 150), m,
                      check_uniform () + 0.5, 65535);
    t.density_b = check_uniform () + 0.5;
    t.high = check_between (0, 1) ? threshold ((double) (t.inner * m) * t.density_a * t.density_b)
                                  : (int128) 1 << check_between (0, 15);
    t.shape_a = (shape) check_between (0, SHAPES - 1);
    t.shape_b = (shape) check_between (0, SHAPES - 1);
    t.zeros = (int) check_between (0, 3);
    t.later = check_between (0, 1) ? (int128) 1 << check_between (0, 15) : 0;
    run_test (&t);
  }
}

/* ---- main --------------------------------------------------------------------------------- */

int main (int count, char **arguments) {
  const option known[] = {
      {.name = "seed", .number = &options.seed},     {.name = "edges", .number = &options.edges},
      {.name = "random", .number = &options.random}, {.name = "kernel", .text = &options.kernel},
      {.name = "large", .number = &options.large},   {.name = NULL}};
  void (*set_order) (gpumm_host_order order, uint64_t seed); /* host device only */
  int usage = count < 2;
  for (int i = 2; i < count; i++)
    usage = usage || !take_option (known, arguments[i]);
  usage = usage || options.edges < 1;
  if (usage) {
    printf ("usage: test_integer_blocks LIBRARY [seed=1] [edges=1] [random=100] [kernel=] "
            "[large=1]\n");
    return 2;
  }
  int status = open_driver (arguments[1]);
  if (status)
    return status;
  if (find_function (driver_library, "gpumm_host_set_order", &set_order))
    set_order (GPUMM_SHUFFLED, (uint64_t) options.seed);
  printf ("driver %s, %s, ", driver->name, device.name);
  check_seed ((uint64_t) options.seed);
  run_edges ();
  run_types ();
  if (options.large)
    run_large ();
  run_random (options.random);
  close_driver ();
  return check_done ();
}
