/* bench_shapes.c - the rate of kernels by shape, beside cuBLAS, on the device alone.
 *
 *   cc -O2 bench/bench_shapes.c -o build/bench_shapes -ldl -lm
 *   build/bench_shapes build/package/libgpumm_cuda.so FILE.csv [types=sdcz] [kernels=register,tensor]
 *                      [shapes=1024,4096x4096x64] [ops=nn,tn] [ld=exact,padded] [batches=5]
 *
 * Square sizes even and odd, C of few rows or columns, long k; with columns that follow each other
 * (exact) and with columns that begin at multiples of 128 bytes (padded), which is what the engine
 * gives its kernels; with padded ones also cuBLAS with m, n and k padded (whole), as the engine does
 * it, at the rate of the product that was asked for. Random data in (-0.5, 0.5). Each kernel is compared with cuBLAS before it is
 * timed: batches of launches between two events, some 2 ms each; the median is printed. kernels:
 * rows whose name begins with one of these, in place of all.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "../engine/device.h"

#include <dlfcn.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const gpumm_driver *driver;
static gpumm_device_properties device;
static gpumm_stream *stream;
static gpumm_event *begin, *end;

static struct {
  const char *types, *kernels, *shapes, *ops, *ld;
  int batches;
} options = {"sd", "", "", "nn", "exact,padded", 5};

static const struct shape {
  int64_t m, n, k;
} shapes[] = {
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

static const double epsilons[] = {FLT_EPSILON, DBL_EPSILON, FLT_EPSILON, DBL_EPSILON};
static const size_t sizes[] = {4, 8, 8, 16};

static void need (gpumm_status status, const char *what) {
  if (status) {
    printf ("%s: %s\n", what, driver->error_text ());
    exit (1);
  }
}

/* ---- data --------------------------------------------------------------------------------- */

static void *operand[2], *result[2], *workspace, *host[2];
static size_t bytes[3], workspace_bytes; /* of A, B, C */

/* xorshift64*, Vigna 2016 */
static double draw (void) {
  static uint64_t state = 88172645463325252u;
  state ^= state >> 12;
  state ^= state << 25;
  state ^= state >> 27;
  return (double) ((state * 2685821657736338717u) >> 11) * 0x1p-53 - 0.5;
}

static void make_operand (gpumm_type type, void *p, size_t size) {
  void *q;
  int single = type == GPUMM_S || type == GPUMM_C;
  need (driver->pin (0, size, &q), "pin");
  if (single)
    for (size_t i = 0; i < size / 4; i++)
      ((float *) q)[i] = (float) draw ();
  else
    for (size_t i = 0; i < size / 8; i++)
      ((double *) q)[i] = draw ();
  need (driver->copy_up (0, stream, p, size, q, size, size, 1), "copy_up");
  need (driver->stream_synchronize (0, stream), "stream_synchronize");
  need (driver->unpin (0, q), "unpin");
}

/* The largest difference of two results, and the largest element. */
static double difference (gpumm_type type, int64_t elements, double *largest) {
  int single = type == GPUMM_S || type == GPUMM_C;
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

/* list names one that `name` begins with; an empty list names all */
static int listed (const char *list, const char *name) {
  if (!*list)
    return 1;
  for (const char *p = list; p; p = strchr (p, ',') ? strchr (p, ',') + 1 : NULL) {
    size_t length = strcspn (p, ",");
    if (length > 0 && strncmp (p, name, length) == 0)
      return 1;
  }
  return 0;
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

static int by_size (const void *x, const void *y) {
  return (*(const double *) x > *(const double *) y) - (*(const double *) x < *(const double *) y);
}

/* Seconds a launch; p->workspace is there. */
static double seconds (const gpumm_kernel *kernel, const gpumm_product *p) {
  double times[64] = {0};
  int launches = 1;
  for (int i = -1; i < options.batches; i++) {
    need (driver->event_record (0, begin, stream), "event_record");
    for (int l = 0; l < launches; l++)
      need (kernel->launch (0, stream, p), kernel->name);
    need (driver->event_record (0, end, stream), "event_record");
    need (driver->event_synchronize (0, end), "event_synchronize");
    double taken;
    need (driver->event_seconds (0, begin, end, &taken), "event_seconds");
    if (i < 0)
      launches = taken > 2e-3 ? 1 : taken < 1e-5 ? 200 : (int) (2e-3 / taken);
    else
      times[i] = taken / launches;
  }
  qsort (times, (size_t) options.batches, sizeof *times, by_size);
  return times[options.batches / 2];
}

static void bring (int which, size_t size) {
  need (driver->copy_down (0, stream, host[which], size, result[which], size, size, 1),
        "copy_down");
  need (driver->stream_synchronize (0, stream), "stream_synchronize");
}

static int64_t up_to (int64_t size, int64_t multiple) {
  return (size + multiple - 1) / multiple * multiple;
}

static void put (FILE *file, gpumm_type type, const char *ops, const struct shape *s,
                 const char *ld, const char *kernel, double taken, double reference) {
  double flops = (type == GPUMM_C || type == GPUMM_Z ? 8.0 : 2.0) * (double) s->m * (double) s->n
                 * (double) s->k;
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
      if (!listed (options.kernels, k->name) || !(k->types & 1u << type)
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
    put (file, type, ops, s, padded ? "padded" : "exact", k->name, taken, reference);
    if (padded && k->padded_types & 1u << type) {
      gpumm_product whole = p;
      whole.m = up_to (p.m, k->multiple);
      whole.n = up_to (p.n, k->multiple);
      whole.k = up_to (p.k, k->multiple);
      put (file, type, ops, s, "whole", k->name, seconds (k, &whole), reference);
    }
  }
  fflush (file);
  return wrong;
}

/* ---- main --------------------------------------------------------------------------------- */

static int wanted (const struct shape *s) {
  char name[100];
  if (!*options.shapes)
    return 1;
  if (s->m == s->n && s->n == s->k)
    snprintf (name, sizeof name, ",%lld,", (long long) s->m);
  else
    snprintf (name, sizeof name, ",%lldx%lldx%lld,", (long long) s->m, (long long) s->n,
              (long long) s->k);
  char list[1000];
  snprintf (list, sizeof list, ",%s,", options.shapes);
  return strstr (list, name) != NULL;
}

static size_t most (size_t x, size_t y) {
  return x > y ? x : y;
}

static void take_memory (gpumm_type type) {
  size_t line = 128;
  memset (bytes, 0, sizeof bytes);
  for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
    const struct shape *s = &shapes[i];
    if (!wanted (s))
      continue;
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

static int parse (const char *argument) {
  static const struct {
    const char *name, **value;
  } texts[] = {{"types=", &options.types},
               {"kernels=", &options.kernels},
               {"shapes=", &options.shapes},
               {"ops=", &options.ops},
               {"ld=", &options.ld}};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    if (strncmp (argument, texts[i].name, strlen (texts[i].name)) == 0) {
      *texts[i].value = argument + strlen (texts[i].name);
      return 1;
    }
  if (strncmp (argument, "batches=", 8) == 0)
    options.batches = atoi (argument + 8);
  return strncmp (argument, "batches=", 8) == 0 && options.batches > 0 && options.batches <= 64;
}

int main (int count, char **arguments) {
  const gpumm_driver *(*table) (void);
  int usage = count < 3, wrong = 0;
  for (int i = 3; i < count; i++)
    usage = usage || !parse (arguments[i]);
  FILE *file = usage ? NULL : fopen (arguments[2], "w");
  if (!file) {
    printf ("usage: bench_shapes LIBRARY FILE.csv [types=] [kernels=] [shapes=] [ops=] [ld=] "
            "[batches=]\n");
    return 2;
  }
  void *library = dlopen (arguments[1], RTLD_NOW | RTLD_LOCAL);
  void *symbol = library ? dlsym (library, "gpumm_driver_table") : NULL;
  if (!symbol) {
    printf ("%s\n", dlerror ());
    return 2;
  }
  memcpy (&table, &symbol, sizeof table);
  driver = table ();
  int devices = 0;
  if (driver->count (&devices) || devices == 0) {
    printf ("no GPU: %s\n", driver->error_text ());
    return 77;
  }
  need (driver->properties (0, &device), "properties");
  need (driver->stream_create (0, &stream), "stream_create");
  need (driver->event_create (0, &begin), "event_create");
  need (driver->event_create (0, &end), "event_create");
  fprintf (file, "#");
  for (int i = 0; i < count; i++)
    fprintf (file, " %s",
             strrchr (arguments[i], '/') ? strrchr (arguments[i], '/') + 1 : arguments[i]);
  fprintf (file, "\n# %s, driver for CUDA %d, runtime %d\n", device.name, device.driver,
           device.runtime);
  fprintf (file, "type,ops,m,n,k,ld,kernel,ms,tflops,to_cublas\n");
  for (const char *t = options.types; *t; t++) {
    gpumm_type type = (gpumm_type) (strchr ("sdcz", *t) - "sdcz");
    take_memory (type);
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
      for (const char *ops = options.ops; wanted (&shapes[i]) && ops;
           ops = strchr (ops, ',') ? strchr (ops, ',') + 1 : NULL)
        for (int padded = 0; padded < 2; padded++)
          if (strstr (options.ld, padded ? "padded" : "exact"))
            wrong += measure (file, type, &shapes[i], ops, padded);
    give_memory ();
  }
  printf ("%d wrong\n", wrong);
  return wrong > 0;
}
