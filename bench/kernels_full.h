/* kernels_full.h - the tables of full products of kernels.c.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_BENCH_KERNELS_FULL_H
#define GPUMM_BENCH_KERNELS_FULL_H

#include "kernels_data.h"

/* ---- full products ------------------------------------------------------------------------ */

typedef struct {
  int64_t m, n, k;
} shape;

typedef struct {
  double seconds, spread; /* the median, and most less least */
  double error, bound, error_largest;
  char note[GPUMM_NOTE_BYTES];
  int runs;
} result;

/* The bound of docs/strassen.md with eps = 2 u, which leaves room for complex products. */
static double bound_of (gpumm_type type, int64_t k, int depth) {
  const double k0 = ldexp ((double) k, -depth);
  return pow (18, depth) * (k0 * k0 + 6 * k0) * epsilons[type];
}

/* strassen_register_2: base register, depth 2. */
static int depth_of (const gpumm_kernel *kernel, char base[32]) {
  int depth = 0;
  if (sscanf (kernel->name, "strassen_%31[a-z]_%d", base, &depth) != 2)
    snprintf (base, 32, "%s", kernel->algorithm);
  return depth;
}

static void find_errors (const gpumm_product *p, int depth, result *r) {
  enum { SAMPLES = 200 };
  const gpumm_type type = p->type;
  const double largest = is_complex (type) ? sqrt (0.5) : 0.5;
  const int64_t a_row = p->op_a ? p->lda : 1, a_col = p->op_a ? 1 : p->lda;
  const int64_t b_row = p->op_b ? p->ldb : 1, b_col = p->op_b ? 1 : p->ldb;
  for (int q = 0; q < SAMPLES; q++) {
    const int64_t i = check_between (0, p->m - 1), j = check_between (0, p->n - 1);
    sum s = {0, 0, 0};
    for (int64_t l = 0; l < p->k; l++)
      add_product (type, i * a_row + l * a_col, 1, l * b_row + j * b_col, &s);
    const double error =
        error_at (type, (char *) p->c + (size_t) (i + j * p->ldc) * sizes[type], &s);
    r->error = fmax (r->error, error / (largest * largest));
    r->error_largest = fmax (r->error_largest, 2 * error / epsilons[type] / (double) s.size);
  }
  r->bound = bound_of (type, p->k, depth);
}

/* Times batches of launches, after one that is not counted. */
static void time_full (const gpumm_kernel *kernel, const gpumm_product *p, result *r) {
  double times[MOST_REPEATS] = {0};
  int launches = 1;
  for (int i = -1; i < options.repeats; i++) {
    record (0);
    for (int l = 0; l < launches; l++)
      need (kernel->launch (0, stream, p), kernel->name);
    record (1);
    const double seconds = seconds_between (0, 1);
    if (i < 0)
      launches = seconds > 2e-3 ? 1 : seconds < 1e-5 ? 200 : (int) (2e-3 / seconds);
    else
      times[i] = seconds / launches;
  }
  r->seconds = median (times);
  r->spread = times[options.repeats - 1] - times[0];
}

static result measure_full (const gpumm_kernel *kernel, gpumm_product *p, int checks) {
  result r = {.runs = 1};
  char base[32];
  int ran = 0;
  const int depth = depth_of (kernel, base);
  p->note = r.note;
  p->workspace_bytes = kernel->workspace ? kernel->workspace (p, &device) : 0;
  p->workspace = take ((int64_t) p->workspace_bytes, 1);
  need (driver->fill (0, stream, p->c, 0xff, (size_t) (p->ldc * p->n) * sizes[p->type]), "fill");
  need (kernel->launch (0, stream, p), kernel->name);
  if (depth > 0 && (sscanf (r.note, "depth %d", &ran) != 1 || ran != depth))
    r.runs = 0; /* too small for so many levels */
  else if (checks)
    find_errors (p, depth, &r);
  if (r.runs && r.error <= r.bound)
    time_full (kernel, p, &r);
  else if (r.runs) {
    printf ("WRONG: %s %c %lld %lld %lld: error %g\n", kernel->name, letter_of (p->type),
            (long long) p->m, (long long) p->n, (long long) p->k, r.error);
    wrong++;
  }
  give (p->workspace);
  p->note = NULL;
  return r;
}

static void write_full (const gpumm_product *p, const char *ops, const char *ld,
                        const gpumm_kernel *kernel, const shape *asked, const result *r,
                        double reference) {
  char base[32];
  const int depth = depth_of (kernel, base);
  const double flops =
      operations_of (p->type) * (double) asked->m * (double) asked->n * (double) asked->k;
  fprintf (file, "%c,%.2s,%lld,%lld,%lld,%s,%s,%s,%d,%.5g,%.2g,%.5g,%.5g,%.3f,%.3g,%.3g\n",
           letter_of (p->type), ops, (long long) asked->m, (long long) asked->n,
           (long long) asked->k, ld, kernel->name, base, depth, r->seconds, r->spread,
           1e-9 * flops / r->seconds, 1e-12 * flops / r->seconds, reference / r->seconds, r->error,
           r->bound);
  fflush (file);
}

static int64_t up_to (int64_t size, int64_t multiple) {
  return multiple > 0 ? (size + multiple - 1) / multiple * multiple : size;
}

static int takes_full (const char *table, const gpumm_kernel *kernel, const gpumm_product *p) {
  char base[32];
  const int depth = depth_of (kernel, base);
  const int is_cublas = strcmp (kernel->name, "cublas") == 0;
  if (!(kernel->types & 1u << p->type) || kernel->capability > device.capability
      || (kernel->runs && !kernel->runs (p, &device)))
    return 0;
  if (strcmp (table, "emulated") == 0)
    return is_cublas || strcmp (kernel->name, "emulated") == 0;
  if (strcmp (table, "strassen") == 0)
    return depth > 0 || is_cublas || strcmp (kernel->algorithm, "register") == 0;
  if (strcmp (table, "shapes") == 0 && !*options.kernels)
    return is_cublas;
  return listed (options.kernels, kernel->name, 1) || is_cublas;
}

static void write_emulated (const gpumm_product *p, const result *own, const result *cublas) {
  const double tflop = 1e-12 * operations_of (p->type) * pow ((double) p->n, 3);
  fprintf (file, "%c,%lld,%.4g,%.4g,%.4g,%.4g,%.3g,\"%s\",%.3g,%.3g\n", letter_of (p->type),
           (long long) p->n, 1e3 * cublas->seconds, tflop / cublas->seconds, 1e3 * own->seconds,
           tflop / own->seconds, cublas->seconds / own->seconds, own->note, own->error_largest,
           cublas->error_largest);
  fflush (file);
}

/* With m, n and k padded too, as the engine calls the kernel; the rate is that of the product asked
 * for. */
static void run_whole (const gpumm_kernel *k, const gpumm_product *p, const char *ops,
                       const shape *s, double reference) {
  gpumm_product whole = *p;
  whole.m = up_to (p->m, k->multiple);
  whole.n = up_to (p->n, k->multiple);
  whole.k = up_to (p->k, k->multiple);
  const result found = measure_full (k, &whole, 0);
  write_full (p, ops, "whole", k, s, &found, reference);
}

static void run_shape (const char *table, gpumm_type type, const shape *s, const char *ops,
                       int padded) {
  const int turned_a = ops[0] != 'n', turned_b = ops[1] != 'n';
  const int64_t line = padded ? 128 / (int64_t) sizes[type] : 1, edge = padded ? 128 : 0;
  gpumm_product p = {.type = type,
                     .op_a = turned_a ? GPUMM_TRANSPOSE : GPUMM_NONE,
                     .op_b = turned_b ? GPUMM_TRANSPOSE : GPUMM_NONE,
                     .m = s->m,
                     .n = s->n,
                     .k = s->k,
                     .lda = up_to (turned_a ? s->k : s->m, line),
                     .ldb = up_to (turned_b ? s->n : s->k, line),
                     .ldc = up_to (s->m, line),
                     .alpha = {1, 0}};
  void *a = make_operand (type, 0, (p.lda + edge) * ((turned_a ? s->m : s->k) + edge));
  void *b = make_operand (type, 1, (p.ldb + edge) * ((turned_b ? s->k : s->n) + edge));
  p.a = a, p.b = b, p.c = take ((p.ldc + edge) * (s->n + edge), sizes[type]);
  const double flops = operations_of (type) * (double) s->m * (double) s->n * (double) s->k;
  result cublas = {.runs = 0};
  for (int others = 0; others < 2; others++) /* cublas first, for the ratios */
    for (int r = 0; r < MOST_ROWS && driver->kernels[r]; r++) {
      const gpumm_kernel *k = driver->kernels[r];
      if (others != (strcmp (k->name, "cublas") != 0) || !takes_full (table, k, &p)
          || rates[r] * flops > options.most)
        continue;
      const result found = measure_full (k, &p, 1);
      if (!found.runs || !(found.error <= found.bound))
        continue;
      rates[r] = found.seconds / flops;
      if (!others)
        cublas = found;
      if (strcmp (table, "emulated") != 0)
        write_full (&p, ops, padded ? "padded" : "exact", k, s, &found, cublas.seconds);
      else if (others)
        write_emulated (&p, &found, &cublas);
      if (padded && k->padded_types & 1u << type)
        run_whole (k, &p, ops, s, cublas.seconds);
    }
  give (a);
  give (b);
  give (p.c);
}

/* "1024" or "4096x4096x64" */
static int parse_shape (const char *text, shape *s) {
  const int count = sscanf (text, "%ldx%ldx%ld", &s->m, &s->n, &s->k);
  if (count == 1)
    s->n = s->k = s->m;
  return (count == 1 || count == 3) && s->m > 0 && s->n > 0 && s->k > 0;
}

static void run_full (const char *table, gpumm_type type, const char *cases) {
  for (const char *c = cases; c; c = strchr (c, ',') ? strchr (c, ',') + 1 : NULL) {
    shape s;
    if (!parse_shape (c, &s)) {
      printf ("not a size: %s\n", c);
      exit (2);
    }
    for (const char *ops = options.ops; ops; ops = strchr (ops, ',') ? strchr (ops, ',') + 1 : NULL)
      for (int padded = 0; padded < 2; padded++)
        if (listed (options.ld, padded ? "padded" : "exact", 0))
          run_shape (table, type, &s, ops, padded);
  }
}

#endif
