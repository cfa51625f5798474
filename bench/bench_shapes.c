/* bench_shapes.c - the rates of kernels and of cuBLAS by shape, on the device alone.
 *
 *   cc -O2 bench/bench_shapes.c -o build/bench_shapes -ldl -lm
 *   build/bench_shapes build/package/libgpumm_cuda.so FILE.csv [types=sdcz] [kernels=register,tiled]
 *                      [shapes=1024,4096x4096x64] [ops=nn,tn] [ld=exact,padded] [batches=5]
 *
 * The shapes are square of even and odd sizes, C with few rows or columns, and long k. "exact":
 * columns are contiguous. "padded": columns begin at multiples of 128 bytes, as the engine passes
 * them to its kernels. "whole": cuBLAS with m, n and k padded too, as the engine calls it; the rate
 * is that of the requested product.
 *
 * Data are random in (-0.5, 0.5). Each result is compared with cuBLAS before timing. A batch of
 * launches between two events takes about 2 ms; the median batch is printed. kernels: only kernels
 * whose names begin so. shapes: these shapes instead of the built-in ones.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "bench.h"

static gpumm_event *begin, *end;

enum { MOST_BATCHES = 64 };

static struct {
  const char *types, *kernels, *shapes, *ops, *ld;
  long batches;
} options = {"sd", "", "", "nn", "exact,padded", 5};

enum { MOST_SHAPES = 100 };

static struct shape { int64_t m, n, k; } shapes[MOST_SHAPES];
static size_t count_of_shapes;

static const struct shape all_shapes[] = {
    {64, 64, 64},       {256, 256, 256},     {384, 384, 384},    {512, 512, 512},
    {513, 513, 513},    {768, 768, 768},     {1000, 1000, 1000}, {1023, 1023, 1023},
    {1024, 1024, 1024}, {1025, 1025, 1025},  {1215, 1215, 1215}, {1343, 1343, 1343},
    {1536, 1536, 1536}, {2000, 2000, 2000},  {2047, 2047, 2047}, {2048, 2048, 2048},
    {2049, 2049, 2049}, {3000, 3000, 3000},  {4095, 4095, 4095}, {4096, 4096, 4096},
    {4097, 4097, 4097}, {8192, 8192, 8192},  {1, 4096, 4096},    {8, 4096, 4096},
    {16, 4096, 4096},   {32, 4096, 4096},    {48, 4096, 4096},   {64, 4096, 4096},
    {33, 5001, 5001},   {4096, 1, 4096},     {4096, 8, 4096},    {4096, 16, 4096},
    {4096, 32, 4096},   {4096, 48, 4096},    {4096, 64, 4096},   {5001, 33, 5001},
    {32, 32, 262144},   {64, 64, 262144},    {128, 128, 131072}, {256, 256, 65536},
    {511, 513, 32769},  {1000, 1000, 20000}, {4096, 4096, 64},   {4097, 4097, 33},
    {1000, 400, 1600},  {1024, 400, 1280},   {10000, 32, 10000}, {8192, 8192, 24},
};

/* ---- data --------------------------------------------------------------------------------- */

static void *operand[2], *result[2], *workspace, *host[2];
static size_t bytes[3], workspace_bytes; /* of A, B, C */

static void make_operand (gpumm_type type, void *p, size_t size) {
  void *q;
  need (driver->pin (0, size, &q), "pin");
  if (is_single (type))
    for (size_t i = 0; i < size / 4; i++)
      ((float *) q)[i] = (float) check_uniform ();
  else
    for (size_t i = 0; i < size / 8; i++)
      ((double *) q)[i] = check_uniform ();
  need (driver->copy_up (0, stream, p, size, q, size, size, 1), "copy_up");
  need (driver->stream_synchronize (0, stream), "stream_synchronize");
  need (driver->unpin (0, q), "unpin");
}

/* The largest difference between two results; *largest: the largest element. */
static double difference (gpumm_type type, int64_t elements, double *largest) {
  int single = is_single (type);
  double most = 0;
  int64_t reals = elements * (int64_t) (sizes[type] / (single ? 4 : 8));
  *largest = 0;
  for (int64_t i = 0; i < reals; i++) {
    double x = single ? (double) ((float *) host[0])[i] : ((double *) host[0])[i];
    double y = single ? (double) ((float *) host[1])[i] : ((double *) host[1])[i];
    if (!(fabs (x - y) <= most)) /* NaN too */
      most = fabs (x - y);
    if (fabs (y) > *largest)
      *largest = fabs (y);
  }
  return most;
}

/* ---- one product -------------------------------------------------------------------------- */

static const gpumm_kernel *find (const char *name) {
  for (const gpumm_kernel *const *row = driver->kernels; *row; row++)
    if (strcmp ((*row)->name, name) == 0)
      return *row;
  return NULL;
}

static gpumm_status launch (const gpumm_kernel *kernel, gpumm_product *p, void *c) {
  size_t size = kernel->workspace ? kernel->workspace (p, &device) : 0;
  if (size > workspace_bytes) {
    need (driver->release (0, workspace), "release");
    need (driver->allocate (0, size, &workspace), "workspace");
    workspace_bytes = size;
  }
  p->c = c;
  p->workspace = workspace;
  p->workspace_bytes = workspace_bytes;
  return kernel->launch (0, stream, p);
}

/* Seconds per launch; p->workspace is already allocated. */
static double seconds (const gpumm_kernel *kernel, const gpumm_product *p) {
  double times[MOST_BATCHES] = {0};
  int launches = 1;
  for (int i = -1; i < options.batches; i++) {
    record (begin);
    for (int l = 0; l < launches; l++)
      need (kernel->launch (0, stream, p), kernel->name);
    record (end);
    double taken = seconds_between (begin, end);
    if (i < 0)
      launches = taken > 2e-3 ? 1 : taken < 1e-5 ? 200 : (int) (2e-3 / taken);
    else
      times[i] = taken / launches;
  }
  return median (times, (int) options.batches);
}

static void bring (int which, size_t size) {
  need (driver->copy_down (0, stream, host[which], size, result[which], size, size, 1),
        "copy_down");
  need (driver->stream_synchronize (0, stream), "stream_synchronize");
}

static int64_t up_to (int64_t size, int64_t multiple) {
  return (size + multiple - 1) / multiple * multiple;
}

static void write_row (FILE *file, gpumm_type type, const char *ops, const struct shape *s,
                       const char *ld, const char *kernel, double taken, double reference) {
  double flops = operations_of (type) * (double) s->m * (double) s->n * (double) s->k;
  fprintf (file, "%c,%.2s,%lld,%lld,%lld,%s,%s,%.4f,%.3f,%.3f\n", "sdcz"[type], ops,
           (long long) s -> m, (long long) s -> n, (long long) s -> k, ld, kernel, 1e3 * taken,
           1e-12 * flops / taken, reference / taken);
}

static int measure (FILE *file, gpumm_type type, const struct shape *s, const char *ops,
                    int padded) {
  const gpumm_kernel *cublas = find ("cublas");
  int turned_a = ops[0] != 'n', turned_b = ops[1] != 'n', wrong = 0;
  int64_t line = padded ? 128 / (int64_t) sizes[type] : 1;
  gpumm_product p = {.type = type,
                     .op_a = turned_a ? GPUMM_TRANSPOSE : GPUMM_NONE,
                     .op_b = turned_b ? GPUMM_TRANSPOSE : GPUMM_NONE,
                     .m = s->m,
                     .n = s->n,
                     .k = s->k,
                     .a = operand[0],
                     .lda = up_to (turned_a ? s->k : s->m, line),
                     .b = operand[1],
                     .ldb = up_to (turned_b ? s->n : s->k, line),
                     .ldc = up_to (s->m, line),
                     .alpha = {1, 0}};
  size_t size = (size_t) p.ldc * (size_t) p.n * sizes[type];
  for (int i = 0; i < 2; i++)
    need (driver->fill (0, stream, result[i], 0, size), "fill");
  need (launch (cublas, &p, result[1]), "cublas");
  bring (1, size);
  double reference = seconds (cublas, &p);
  for (const gpumm_kernel *const *row = driver->kernels; *row; row++) {
    const gpumm_kernel *k = *row;
    double taken = reference;
    if (k != cublas) {
      if (!listed (options.kernels, k->name, 1) || !(k->types & 1u << type)
          || k->capability > device.capability || (k->runs && !k->runs (&p, &device)))
        continue;
      need (launch (k, &p, result[0]), k->name);
      bring (0, size);
      double largest, apart = difference (type, p.ldc * p.n, &largest);
      if (!(apart <= epsilons[type] * (double) (p.k + 8) && largest > 0)) {
        printf ("WRONG: %s %c %.2s %lld %lld %lld: %g apart of %g\n", k->name, "sdcz"[type], ops,
                (long long) p.m, (long long) p.n, (long long) p.k, apart, largest);
        wrong++;
        continue;
      }
      taken = seconds (k, &p);
    }
    write_row (file, type, ops, s, padded ? "padded" : "exact", k->name, taken, reference);
    if (padded && k->padded_types & 1u << type) {
      gpumm_product whole = p;
      whole.m = up_to (p.m, k->multiple);
      whole.n = up_to (p.n, k->multiple);
      whole.k = up_to (p.k, k->multiple);
      write_row (file, type, ops, s, "whole", k->name, seconds (k, &whole), reference);
    }
  }
  fflush (file);
  return wrong;
}

/* ---- main --------------------------------------------------------------------------------- */

/* Reads the shapes that the options name. They replace the built-in shapes. */
static int parse_shapes (void) {
  const char *p = options.shapes;
  count_of_shapes = *p ? 0 : sizeof all_shapes / sizeof *all_shapes;
  memcpy (shapes, all_shapes, sizeof all_shapes);
  while (*p && count_of_shapes < MOST_SHAPES) {
    struct shape *s = &shapes[count_of_shapes++];
    char *end;
    s->m = s->n = s->k = strtoll (p, &end, 10);
    if (*end == 'x') {
      s->n = strtoll (end + 1, &end, 10);
      s->k = *end == 'x' ? strtoll (end + 1, &end, 10) : 0;
    }
    if (s->m < 1 || s->n < 1 || s->k < 1 || (*end && *end != ','))
      return 0;
    p = *end ? end + 1 : end;
  }
  return !*p;
}

static size_t most (size_t x, size_t y) {
  return x > y ? x : y;
}

static void take_memory (gpumm_type type) {
  size_t line = 128;
  memset (bytes, 0, sizeof bytes);
  for (size_t i = 0; i < count_of_shapes; i++) {
    const struct shape *s = &shapes[i];
    size_t m = (size_t) s->m + line, n = (size_t) s->n + line, k = (size_t) s->k + line;
    bytes[0] = most (bytes[0], m * k * sizes[type]);
    bytes[1] = most (bytes[1], n * k * sizes[type]);
    bytes[2] = most (bytes[2], m * n * sizes[type]);
  }
  for (int i = 0; i < 2; i++) {
    need (driver->allocate (0, bytes[i], &operand[i]), "allocate");
    need (driver->allocate (0, bytes[2], &result[i]), "allocate");
    need (driver->pin (0, bytes[2], &host[i]), "pin");
    make_operand (type, operand[i], bytes[i]);
  }
}

static void give_memory (void) {
  for (int i = 0; i < 2; i++) {
    need (driver->release (0, operand[i]), "release");
    need (driver->release (0, result[i]), "release");
    need (driver->unpin (0, host[i]), "unpin");
  }
}

int main (int count, char **arguments) {
  const option known[] = {{.name = "types", .text = &options.types},
                          {.name = "kernels", .text = &options.kernels},
                          {.name = "shapes", .text = &options.shapes},
                          {.name = "ops", .text = &options.ops},
                          {.name = "ld", .text = &options.ld},
                          {.name = "batches", .number = &options.batches},
                          {.name = NULL}};
  int usage = count < 3, wrong = 0;
  for (int i = 3; i < count; i++)
    usage = usage || !take_option (known, arguments[i]);
  usage = usage || !parse_shapes ();
  if (usage || options.batches < 1 || options.batches > MOST_BATCHES) {
    printf ("usage: bench_shapes LIBRARY FILE.csv [types=] [kernels=] [shapes=] [ops=] [ld=] "
            "[batches=]\n");
    return 2;
  }
  FILE *file;
  int status = open_benchmark (count, arguments, &file);
  if (status)
    return status;
  begin = make_event ();
  end = make_event ();
  fprintf (file, "type,ops,m,n,k,ld,kernel,ms,tflops,to_cublas\n");
  for (const char *t = options.types; *t; t++) {
    gpumm_type type = type_of (*t);
    take_memory (type);
    for (size_t i = 0; i < count_of_shapes; i++)
      for (const char *ops = options.ops; ops;
           ops = strchr (ops, ',') ? strchr (ops, ',') + 1 : NULL)
        for (int padded = 0; padded < 2; padded++)
          if (strstr (options.ld, padded ? "padded" : "exact"))
            wrong += measure (file, type, &shapes[i], ops, padded);
    give_memory ();
  }
  fclose (file);
  printf ("%d wrong\n", wrong);
  return wrong > 0;
}
