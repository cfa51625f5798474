/* test_plan.c - the plan with made-up devices and rates.
 *
 * `choices` is the table of what runs where; tables for emulated products and for sparse ones as
 * full ones follow, as their rates differ row by row; then tiles, estimates, and what is asked for.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "multiply/algorithm.h"
#include "multiply/compressed.h"
#include "multiply/sparse.h"
#include "plan/costs.h"
#include "base/error.h"
#include "memory/buffer.h"
#include "memory/pool.h"
#include "operands.h"
#include "base/threads.h"
#include "plan/tiles.h"
#include "plan/too_small.h"
#include "plan/work.h"

#define REAL (1u << GPUMM_S | 1u << GPUMM_D)
#define ALL  (REAL | 1u << GPUMM_C | 1u << GPUMM_Z)

static int only_even (const gpumm_product *p, const gpumm_device_properties *d) {
  (void) d;
  return p->m % 2 == 0;
}

static const gpumm_kernel
    naive = {.algorithm = "naive", .name = "naive", .types = ALL},
    tiled_8 = {.algorithm = "tiled", .name = "tiled_8", .types = ALL},
    tiled_16 = {.algorithm = "tiled", .name = "tiled_16", .types = ALL, .from = 64},
    tiled_32 = {.algorithm = "tiled", .name = "tiled_32", .types = ALL, .from = 512},
    reg = {.algorithm = "register", .name = "register_64", .types = REAL},
    even = {.algorithm = "register",
            .name = "register_even",
            .types = REAL,
            .from = 32,
            .runs = only_even},
    hopper = {.algorithm = "register",
              .name = "register_90",
              .types = REAL,
              .capability = 90,
              .from = 128},
    library = {.algorithm = "cublas", .name = "cublas", .types = ALL};
static const gpumm_kernel *const rows[] = {&naive, &tiled_8, &tiled_16, &tiled_32, &reg,
                                           &even,  &hopper,  &library,  NULL};
static const gpumm_kernel *const own_rows[] = {&naive, &tiled_8, &tiled_16, &tiled_32,
                                               &reg,   &even,    &hopper,   NULL};
static const gpumm_sparse_kernel spgemm = {.algorithm = "spgemm",
                                           .name = "spgemm",
                                           .capability = 70},
                                 merge = {.algorithm = "spgemm", .name = "merge", .capability = 50},
                                 spmm = {.algorithm = "spmm", .name = "spmm", .capability = 70},
                                 bsr = {.algorithm = "bsr", .name = "bsr", .capability = 70};
static const gpumm_sparse_kernel *const sparse_rows[] = {&spgemm, &merge, &spmm, &bsr, NULL};
static const gpumm_driver cuda = {.name = "cuda", .kernels = rows, .sparse_kernels = sparse_rows};
static const gpumm_driver host = {.name = "host", .kernels = own_rows};

/* ---- places ------------------------------------------------------------------------------- */

static gpumm_context gpu_2 = {.driver = &cuda, .device = 2}, host_device = {.driver = &host};
static gpumm_driver bare_cuda;
static gpumm_context bare_gpu = {.driver = &bare_cuda, .device = 2};
static gpumm_candidate cpu, fast, middle, old, tiny, bare, host_place;
static gpumm_buffer there = {.context = &gpu_2};
static double bytes[2]; /* stand for matrices: only addresses are read */
static const gpumm_alternative *alternatives = gpumm_alternatives;

static void make_places (void) {
  cpu = (gpumm_candidate){.call = 1e-6, .threads = 2, .flops = {1e11, 5e10, 1e11, 5e10}};
  fast = (gpumm_candidate){.context = &gpu_2,
                           .call = 60e-6,
                           .upload = 2e10,
                           .download = 2e10,
                           .flops = {4e13, 4e13, 4e13, 4e13},
                           .properties = {.name = "Made-up 9.0",
                                          .capability = 90,
                                          .multiprocessors = 100,
                                          .memory_total = 1ll << 36,
                                          .memory_free = 1ll << 36}};
  middle = old = fast;
  middle.properties.capability = 70;
  old.properties.capability = 61;
  old.flops[GPUMM_D] = 2e10; /* a consumer card: double far slower than single */
  tiny = fast;
  tiny.properties.memory_free = 1 << 20;
  bare = fast; /* without sparse kernels */
  bare.context = &bare_gpu;
  bare_cuda = cuda;
  static const gpumm_sparse_kernel *const no_kernels[] = {NULL};
  bare_cuda.sparse_kernels = no_kernels;
  host_place = (gpumm_candidate){
      .context = &host_device,
      .properties = {.name = "host", .capability = 999, .memory_free = 1ll << 30}};
}

/* A fast GPU with a driver of its own, which a test changes. */
typedef struct {
  gpumm_driver driver;
  gpumm_context context;
  gpumm_candidate place;
  gpumm_kernel kernel;
  const gpumm_kernel *kernels[4];
} gpu;

/* Has `kernel` as its only row. */
static void make_gpu (gpu *g, gpumm_kernel kernel) {
  *g = (gpu){.driver = cuda, .place = fast, .kernel = kernel, .kernels = {&g->kernel}};
  g->driver.kernels = g->kernels;
  g->context = (gpumm_context){.driver = &g->driver, .device = 2};
  g->place.context = &g->context;
}

static gpumm_problem square (gpumm_type type, int64_t m, int64_t n, int64_t k) {
  return (gpumm_problem){.a = {.type = type, .rows = m, .cols = k, .ld = m, .values = &bytes[0]},
                         .b = {.type = type, .rows = k, .cols = n, .ld = k, .values = &bytes[1]},
                         .alpha = {1, 0},
                         .output = type};
}

/* Weighs the CPU and the GPU where the plan needs that. */
static void weigh (const gpumm_problem *p, const gpumm_options *o, gpumm_candidates *known) {
  if (known->gpu && gpumm_plan_needs (p, o, known->keeps_sparse) & GPUMM_NEEDS_RATES)
    known->seconds = gpumm_weigh (p, o, known);
}

static gpumm_plan plan_of (gpumm_problem p, gpumm_options o, const gpumm_candidate *gpu,
                           gpumm_status expected) {
  const gpumm_sparse_estimate estimate = gpumm_estimate_sparse (&p);
  gpumm_candidates choices = {.estimate = &estimate,
                              .cpu = &cpu,
                              .gpu = gpu,
                              .host = &host_place,
                              .why_no_gpu = "made up",
                              .alternatives = alternatives};
  gpumm_plan plan;
  o.device = o.device ? o.device : -1; /* 0: the caller left it out */
  weigh (&p, &o, &choices);
  gpumm_status status = gpumm_make_plan (&p, &o, &choices, &plan);
  CHECK (status == expected, "status %s (%s), expected %s", gpumm_status_name (status),
         gpumm_last_error (), gpumm_status_name (expected));
  if (!status)
    CHECK (plan.reason[0] && strlen (plan.reason) < sizeof plan.reason, "a plan without a reason");
  return plan;
}

/* ---- patterns ----------------------------------------------------------------------------- */

/* rows x cols entries, elements or blocks of m x n: each column, or row of blocks, has this many,
 * at random places that are not in order. */
static gpumm_matrix random_entries (gpumm_format format, gpumm_type type, int64_t rows,
                                    int64_t cols, int64_t m, int64_t n, int64_t each) {
  const int by_blocks = format == GPUMM_BLOCKS;
  const int64_t lines = by_blocks ? rows : cols, places = by_blocks ? cols : rows;
  gpumm_matrix x = {.format = format,
                    .type = type,
                    .rows = rows * m,
                    .cols = cols * n,
                    .block_rows = m,
                    .block_cols = n,
                    .nzmax = lines * each,
                    .values = &bytes[0]};
  x.start = check_allocate (lines + 1, sizeof *x.start);
  x.index = check_allocate (lines * each, sizeof *x.row);
  for (int64_t i = 0; i <= lines; i++)
    x.start[i] = i * each;
  for (int64_t t = 0; t < lines * each; t++)
    if (by_blocks)
      x.block_column[t] = (int32_t) check_between (0, places - 1);
    else
      x.row[t] = check_between (0, places - 1);
  return x;
}

static gpumm_matrix random_columns (int64_t n, int64_t each) {
  return random_entries (GPUMM_SPARSE, GPUMM_D, n, n, 1, 1, each);
}

static gpumm_matrix random_blocks (gpumm_type type, int64_t n, int64_t m, int64_t k, int64_t each) {
  return random_entries (GPUMM_BLOCKS, type, n, n, m, k, each);
}

static void drop (gpumm_matrix *x) {
  free (x->start);
  free (x->index);
}

/* ---- choices ------------------------------------------------------------------------------ */

enum { AUTO = GPUMM_AUTO, CPU = GPUMM_CPU, GPU = GPUMM_GPU, HOST };

/* f: full, m x k by k x n; r: and resident, as is C. s: a sparse matrix, b: one in blocks of 4 x 4,
 * of k x k elements or blocks, `each` of which lie in a column or row of blocks; the full operand
 * beside it has m rows or n columns. */
typedef struct {
  const char *product; /* formats of A and B, their type, and of these:
                          t, h: the compressed one's op; q: queues; f: C of blocks is full */
  int64_t m, n, k, each;
  int backend;
  const char *algorithm;
  const gpumm_candidate *gpu;
  int most;             /* capability */
  int where;            /* CPU, GPU, HOST device; AUTO: it fails */
  const char *expected; /* a full product's kernel, or the algorithm; or the error's status */
} choice;

#define CUBE(n)         n, n, n, 0
#define SIZES(...)      __VA_ARGS__, 0
#define SQUARE(n, each) 0, 0, n, each
#define BY(n, k, each)  0, n, k, each
#define OF(m, k, each)  m, 0, k, each

static const choice choices[] = {
    /* full ones by rates, unless they are too small to ask */
    {"ffd", CUBE (2), AUTO, NULL, &fast, 0, CPU, "blas"},
    {"ffd", CUBE (99), AUTO, NULL, &fast, 0, CPU, "blas"},
    {"ffd", CUBE (0), AUTO, NULL, &fast, 0, CPU, "blas"},
    {"ffd", CUBE (4096), AUTO, NULL, &fast, 0, GPU, "cublas"},
    {"ffd", CUBE (4096), AUTO, "auto", &fast, 0, GPU, "cublas"},
    {"ffz", CUBE (1024), AUTO, NULL, &fast, 0, GPU, "cublas"},
    {"ffd", CUBE (4096), AUTO, NULL, NULL, 0, CPU, "blas"},
    {"ffd", CUBE (4096), CPU, NULL, &fast, 0, CPU, "blas"},
    {"ffd", CUBE (2), GPU, NULL, &fast, 0, GPU, "cublas"},
    {"ffs", CUBE (512), AUTO, NULL, &old, 0, GPU, "cublas"},
    {"ffd", CUBE (512), AUTO, NULL, &old, 0, CPU, "blas"}, /* 13 ms there, 5.4 here */
    {"ffd", CUBE (9), GPU, NULL, NULL, 0, AUTO, "no-device"},
    {"ffd", CUBE (4096), GPU, NULL, &tiny, 0, GPU, "cublas"},
    /* kernels by size, type and capability */
    {"ffd", SIZES (63, 4000, 100), GPU, "tiled", &fast, 0, GPU, "tiled_8"},
    {"ffd", SIZES (64, 4000, 100), GPU, "tiled", &fast, 0, GPU, "tiled_16"},
    {"ffz", SIZES (4000, 512, 100), GPU, "tiled", &fast, 0, GPU, "tiled_32"},
    {"ffd", SIZES (4000, 4000, 100), GPU, "tiled_8", &fast, 0, GPU, "tiled_8"},
    {"ffd", SIZES (31, 31, 100), GPU, "register", &fast, 0, GPU, "register_64"},
    {"ffd", SIZES (32, 32, 100), GPU, "register", &fast, 0, GPU, "register_even"},
    {"ffd", SIZES (33, 33, 100), GPU, "register", &fast, 0, GPU, "register_64"},
    {"ffd", SIZES (129, 129, 100), GPU, "register", &fast, 0, GPU, "register_90"},
    {"ffd", SIZES (129, 129, 100), GPU, "register", &fast, 80, GPU, "register_64"},
    {"ffd", SIZES (129, 129, 100), GPU, "register", &old, 0, GPU, "register_64"},
    {"ffd", SIZES (129, 129, 100), GPU, "register_90", &old, 0, AUTO, "unsupported"},
    {"ffd", SIZES (129, 129, 100), GPU, "register_90", &fast, 75, AUTO, "unsupported"},
    {"ffd", SIZES (33, 33, 100), GPU, "register_even", &fast, 0, AUTO, "unsupported"},
    {"ffz", SIZES (64, 64, 100), GPU, "register", &fast, 0, AUTO, "unsupported"},
    {"ffd", SIZES (64, 64, 100), GPU, "no such", &fast, 0, AUTO, "unsupported"},
    /* without a GPU the same kernel runs on the host device; cublas cannot */
    {"ffd", CUBE (70), AUTO, "tiled", NULL, 0, HOST, "tiled_16"},
    {"ffd", CUBE (70), CPU, "naive", &fast, 0, HOST, "naive"},
    {"ffd", CUBE (70), AUTO, "cublas", NULL, 0, AUTO, "unsupported"},
    {"ffd", CUBE (70), GPU, "loops", &fast, 0, AUTO, "unsupported"},
    {"ffd", CUBE (70), AUTO, "sparse", &fast, 0, AUTO, "unsupported"},

    /* small queued ones on a device take "tiled", up to a size by type that no size exceeds */
    {"rrsq", SIZES (256, 256, 256), AUTO, NULL, &fast, 0, GPU, "tiled_16"},
    {"rrsq", SIZES (257, 256, 256), AUTO, NULL, &fast, 0, GPU, "cublas"},
    {"rrdq", SIZES (1, 1, 1), AUTO, NULL, &fast, 0, GPU, "tiled_8"},
    {"rrdq", SIZES (256, 256, 256), AUTO, NULL, &fast, 0, GPU, "tiled_16"},
    {"rrdq", SIZES (257, 256, 256), AUTO, NULL, &fast, 0, GPU, "cublas"},
    {"rrdq", SIZES (256, 257, 256), AUTO, NULL, &fast, 0, GPU, "cublas"},
    {"rrdq", SIZES (256, 256, 257), AUTO, NULL, &fast, 0, GPU, "cublas"},
    {"rrcq", SIZES (256, 256, 256), AUTO, NULL, &fast, 0, GPU, "tiled_16"},
    {"rrcq", SIZES (257, 257, 257), AUTO, NULL, &fast, 0, GPU, "cublas"},
    {"rrzq", SIZES (128, 128, 128), AUTO, NULL, &fast, 0, GPU, "tiled_16"},
    {"rrzq", SIZES (128, 128, 129), AUTO, NULL, &fast, 0, GPU, "cublas"},
    {"rrd", SIZES (1, 1, 1), AUTO, NULL, &fast, 0, GPU, "cublas"},
    {"rrd", SIZES (256, 256, 256), AUTO, NULL, &fast, 0, GPU, "cublas"},
    {"rrdq", SIZES (256, 256, 256), AUTO, "cublas", &fast, 0, GPU, "cublas"},

    /* sparse ones by estimates of both places */
    {"ssd", SQUARE (100, 8), AUTO, NULL, &fast, 0, CPU, "sparse"},
    {"ssd", SQUARE (50000, 8), AUTO, NULL, &fast, 0, GPU, "spgemm"},
    {"ssd", SQUARE (50000, 8), AUTO, NULL, NULL, 0, CPU, "sparse"},
    {"ssd", SQUARE (50000, 8), AUTO, NULL, &bare, 0, CPU, "sparse"},
    {"ssd", SQUARE (50000, 8), CPU, NULL, &fast, 0, CPU, "sparse"},
    {"ssd", SQUARE (100, 8), GPU, NULL, &fast, 0, GPU, "spgemm"},
    {"sfd", BY (1, 1000, 8), AUTO, NULL, &fast, 0, CPU, "sparse"},
    {"sfd", BY (64, 50000, 40), AUTO, NULL, &fast, 0, GPU, "spmm"},
    {"fsd", OF (1, 1000, 8), AUTO, NULL, &fast, 0, CPU, "sparse"},
    {"fsd", OF (64, 50000, 40), AUTO, NULL, &fast, 0, GPU, "spmm"},
    /* their rate is that of a kernel that older GPUs cannot run, nor MaxCapability */
    {"ssd", SQUARE (50000, 8), AUTO, NULL, &middle, 0, GPU, "spgemm"},
    {"ssd", SQUARE (50000, 8), AUTO, NULL, &old, 0, CPU, "sparse"},
    {"ssd", SQUARE (50000, 8), AUTO, NULL, &fast, 70, GPU, "spgemm"},
    {"ssd", SQUARE (50000, 8), AUTO, NULL, &fast, 61, CPU, "sparse"},
    {"ssd", SQUARE (50000, 8), GPU, NULL, &fast, 61, GPU, "spgemm"},

    /* blocks of floating point, by estimates too; those of integers by the kernel's own (below) */
    {"bbd", SQUARE (40, 4), AUTO, NULL, &fast, 0, CPU, "blocks"},
    {"bbd", SQUARE (20000, 16), AUTO, NULL, &fast, 0, GPU, "bsr"},
    {"bbch", SQUARE (20000, 16), AUTO, NULL, &fast, 0, GPU, "bsr"},
    {"bbdf", SQUARE (20000, 16), GPU, NULL, &fast, 0, CPU, "blocks"},
    {"bbd", SQUARE (20000, 16), AUTO, NULL, NULL, 0, CPU, "blocks"},
    {"bbd", SQUARE (20000, 16), AUTO, NULL, &bare, 0, CPU, "blocks"},
    {"bbd", SQUARE (20000, 16), CPU, NULL, &fast, 0, CPU, "blocks"},
    {"bbk", SQUARE (20000, 16), AUTO, NULL, &fast, 0, CPU, "blocks"},
    {"bbd", SQUARE (40, 4), GPU, NULL, &fast, 0, GPU, "bsr"},
    {"bfd", BY (1, 40, 4), AUTO, NULL, &fast, 0, CPU, "blocks"},
    {"bfs", BY (256, 20000, 16), AUTO, NULL, &fast, 0, GPU, "spmm"},
    {"fbzt", OF (256, 20000, 16), AUTO, NULL, &fast, 0, GPU, "spmm"},
    {"bfk", BY (256, 20000, 16), GPU, NULL, &fast, 0, CPU, "blocks"},
};

static gpumm_matrix operand_of (const choice *c, int is_a) {
  const char format = c->product[!is_a];
  const gpumm_type type = type_of (c->product[2]);
  const int64_t side = c->k * (strchr (c->product, 'b') ? 4 : 1), edge = format == 'b' ? 4 : 1;
  if (format == 's' || format == 'b') {
    gpumm_matrix x = random_entries (format == 's' ? GPUMM_SPARSE : GPUMM_BLOCKS, type, c->k, c->k,
                                     edge, edge, c->each);
    x.op = c->product[3] == 't'   ? GPUMM_TRANSPOSE
           : c->product[3] == 'h' ? GPUMM_CTRANSPOSE
                                  : GPUMM_NONE;
    return x;
  }
  gpumm_matrix x = {.type = type, .values = &bytes[!is_a], .buffer = format == 'r' ? &there : NULL};
  x.rows = x.ld = is_a ? c->m : side;
  x.cols = is_a ? side : c->n;
  return x;
}

static void check_choice (const choice *c, const gpumm_problem *p) {
  const gpumm_options o = {
      .backend = (gpumm_backend) c->backend, .algorithm = c->algorithm, .max_capability = c->most};
  const int row = (int) (c - choices), last = c->product[3];
  const gpumm_status expected = c->where != AUTO        ? GPUMM_OK
                                : c->expected[0] == 'n' ? GPUMM_NO_DEVICE
                                                        : GPUMM_UNSUPPORTED;
  const gpumm_plan plan = plan_of (*p, o, c->gpu, expected);
  if (expected)
    return;
  const char *name = plan.kernel ? plan.kernel->name : plan.algorithm->name;
  const char *reason = c->where == HOST ? "host device"
                       : last == 'f'    ? "with a full result run on the CPU"
                                        : "";
  CHECK (strcmp (name, c->expected) == 0, "row %d: %s, not %s: %s", row, name, c->expected,
         plan.reason);
  CHECK (plan.backend == (c->where == GPU ? GPUMM_GPU : GPUMM_CPU), "row %d: backend %d", row,
         plan.backend);
  CHECK (plan.context
             == (c->where == CPU    ? NULL
                 : c->where == HOST ? &host_device
                                    : c->gpu->context),
         "row %d: another device", row);
  CHECK (strstr (plan.reason, reason), "row %d: %s", row, plan.reason);
}

static void test_choices (void) {
  make_places ();
  for (size_t i = 0; i < sizeof choices / sizeof *choices; i++) {
    const choice *c = &choices[i];
    const int is_both = c->product[0] == c->product[1] && c->each > 0, last = c->product[3];
    gpumm_problem p = {.a = operand_of (c, 1),
                       .alpha = {1, 0},
                       .output = type_of (c->product[2]),
                       .full = last == 'f',
                       .stays = c->product[0] == 'r',
                       .queues = last == 'q'};
    p.b = is_both ? p.a : operand_of (c, 0);
    check_choice (c, &p);
    drop (&p.a);
    if (!is_both)
      drop (&p.b);
  }
}

/* The CPU takes more elements than kernels count, and algorithms of its own; the reason says so. */
static void test_sparse_on_the_cpu (void) {
  gpumm_matrix s = random_columns (50000, 40);
  gpumm_matrix full = {
      .type = GPUMM_D, .rows = s.cols, .cols = 64, .ld = s.cols, .values = &bytes[1]};
  const gpumm_problem p = {.a = s, .b = full, .alpha = {1, 0}, .output = GPUMM_D};
  const gpumm_options by_name = {.backend = GPUMM_GPU, .algorithm = "sparse"};
  plan_of (p, by_name, &fast, GPUMM_UNSUPPORTED);
  CHECK (strstr (gpumm_last_error (), "runs on the CPU only"), "%s", gpumm_last_error ());
  s.start[s.cols] = (int64_t) INT32_MAX + 1;
  for (int backend = GPUMM_AUTO; backend <= GPUMM_GPU; backend++) {
    const gpumm_options o = {.backend = (gpumm_backend) backend};
    const gpumm_plan plan = plan_of (p, o, &fast, GPUMM_OK);
    CHECK (plan.backend == GPUMM_CPU && plan.algorithm == &gpumm_algorithm_sparse
               && strstr (plan.reason, "of these classes and sizes run on the CPU")
               && !strstr (plan.reason, "asked for") == (backend != GPUMM_GPU),
           "%s", plan.reason);
  }
  drop (&s);
}

/* Writing a large C takes a CPU longer than computing it where k is short. */
static void test_short_k (void) {
  make_places ();
  cpu.flops[GPUMM_D] = 4e11;
  const gpumm_options o = {0};
  const gpumm_plan small = plan_of (square (GPUMM_D, 2000, 2000, 20), o, &fast, GPUMM_OK),
                   large = plan_of (square (GPUMM_D, 20000, 20000, 20), o, &fast, GPUMM_OK);
  CHECK (small.backend == GPUMM_CPU, "%s", small.reason);
  CHECK (large.backend == GPUMM_GPU, "%s", large.reason);
}

/* The crossover moves with the rates, and only with them. */
static void test_crossover (void) {
  int64_t before = 0;
  for (int speed = 1; speed <= 64; speed *= 4) {
    make_places ();
    cpu.flops[GPUMM_D] *= speed;
    int64_t n = 100;
    gpumm_plan plan;
    do {
      n++;
      plan = plan_of (square (GPUMM_D, n, n, n), (gpumm_options){0}, &fast, GPUMM_OK);
    } while (plan.backend == GPUMM_CPU && n < 20000);
    double d = (double) n;
    double threads = (double) gpumm_least (gpumm_threads (), 12); /* each writes 1 GB/s of C */
    double on_cpu = 1e-6 + 2 * d * d * d / cpu.flops[GPUMM_D]
                    + fmax (8 * d * d - (32 << 20), 0) / (1e9 * threads);
    double on_gpu = 60e-6 + 24 * d * d / 2e10 + 2 * d * d * d / 4e13;
    CHECK (fabs (fmin (0.85 * on_cpu, on_cpu - 0.25e-3) - on_gpu) < 0.05 * on_gpu,
           "crossover at %lld: %g and %g", (long long) n, on_cpu, on_gpu);
    CHECK (n > before, "a faster CPU moved the crossover from %lld to %lld", (long long) before,
           (long long) n);
    before = n;
  }
}

static double needed (const gpumm_problem *p, const gpumm_plan *plan) {
  gpumm_buffers x = gpumm_plan_buffers (p, plan);
  return (double) x.a * (double) x.a_bytes + (double) x.b * (double) x.b_bytes
         + (double) x.c * (double) x.c_bytes;
}

static size_t more_with_beta (const gpumm_product *p, const gpumm_device_properties *d) {
  (void) d;
  return p->beta.re != 0 ? 4096 : 256;
}

static size_t kept_panels (const gpumm_product *p, const gpumm_device_properties *d) {
  (void) d;
  return p->tiling.down > 0 ? (size_t) 3 << 30 : (size_t) 1 << 30;
}

/* Every tiling fits its limit, covers the product and wastes no more than halving must. */
static void test_tiles (void) {
  static const int64_t sizes[] = {1, 3, 64, 100, 1000, 4097, 32768, 1000000, 3000000000};
  static const double limits[] = {20e3, 1e6, 100e6, 4e9};
  make_places ();
  for (int i = 0; i < 9; i++)
    for (int j = 0; j < 9; j++)
      for (int l = 0; l < 9; l++)
        for (int t = 0; t < 4; t++) {
          gpumm_problem p = square (GPUMM_D, sizes[i], sizes[j], sizes[l]);
          gpumm_options o = {.backend = GPUMM_GPU,
                             .algorithm = "naive",

                             .max_device_memory = (int64_t) limits[t]};
          gpumm_plan plan = plan_of (p, o, &fast, GPUMM_OK);
          double bytes_needed = needed (&p, &plan);
          CHECK (bytes_needed <= limits[t], "%g bytes over %g", bytes_needed, limits[t]);
          CHECK ((double) plan.device_bytes >= bytes_needed, "device_bytes understates");
          CHECK (plan.tile_m >= 1 && plan.tile_m <= sizes[i] && plan.tile_n >= 1
                     && plan.tile_n <= sizes[j] && plan.tile_k >= 1 && plan.tile_k <= sizes[l],
                 "a tile outside the product");
          CHECK (plan.tile_m <= INT32_MAX && plan.tile_n <= INT32_MAX && plan.tile_k <= INT32_MAX,
                 "a tile beyond int32");
          int whole = plan.tile_m == sizes[i] && plan.tile_n == sizes[j] && plan.tile_k == sizes[l];
          CHECK (whole || plan.fits_device || bytes_needed > limits[t] / 16,
                 "tiles of %g bytes under a limit of %g", bytes_needed, limits[t]);
        }
}

static gpumm_plan plan_on (gpu *g, gpumm_problem p, int64_t limit) {
  return plan_of (p,
                  (gpumm_options){.backend = GPUMM_GPU,
                                  .algorithm = g->kernel.algorithm,
                                  .max_device_memory = limit},
                  &g->place, GPUMM_OK);
}

/* What fits is cut so that transfers overlap, but no smaller than its kernel likes. */
static void test_tiles_of_kernels (void) {
  static const struct {
    int64_t smallest, expected;
  } likes[] = {{0, 1024}, {1000, 1024}, {3000, 4032}, {INT64_MAX, 8000}};
  gpu g;
  make_gpu (&g, naive);
  for (size_t i = 0; i < sizeof likes / sizeof *likes; i++) {
    g.kernel.smallest_tile = likes[i].smallest;
    const gpumm_plan plan = plan_on (&g, square (GPUMM_D, 8000, 8000, 100), 0);
    CHECK (plan.fits_device && plan.tile_m == likes[i].expected && plan.tile_n == likes[i].expected,
           "tiles of %lld, expected %lld", (long long) plan.tile_m, (long long) likes[i].expected);
  }
  /* complex tiles half as large, where panels are kept: not where there is no room for that, or the
   * kernel does not ask for any */
  for (int kept = 0; kept < 3; kept++) {
    make_gpu (&g, naive);
    g.kernel.smallest_tile = 4000;
    g.kernel.workspace = kept == 2 ? more_with_beta : kept_panels;
    if (kept == 1)
      g.place.properties.memory_free = 4ll << 30;
    const gpumm_plan plan = plan_on (&g, square (GPUMM_Z, 8000, 8000, 100), 0);
    const int64_t edge = kept == 0 ? 2048 : 4032;
    CHECK (plan.fits_device && plan.keeps == (kept == 0) && plan.tile_m == edge
               && plan.tile_n == edge,
           "case %d: tiles of %lld", kept, (long long) plan.tile_m);
  }
  /* in steps along k, all but the first add to C: workspace is asked for with beta */
  make_gpu (&g, naive);
  g.kernel.workspace = more_with_beta;
  for (int in_steps = 0; in_steps < 2; in_steps++) {
    const gpumm_plan plan = plan_on (&g, square (GPUMM_D, 64, 64, 100000), in_steps ? 8000000 : 0);
    CHECK ((plan.tile_k < 100000) == in_steps && plan.workspace_bytes == (in_steps ? 4096 : 256),
           "steps of %lld, %lld bytes of workspace", (long long) plan.tile_k,
           (long long) plan.workspace_bytes);
  }
}

/* A*A' counts A once. No room at all is an error with the sizes; under "auto" the CPU takes it. */
static void test_memory (void) {
  gpumm_problem gram = square (GPUMM_D, 100, 100, 100);
  gram.b = gram.a;
  gram.b.op = GPUMM_TRANSPOSE;
  gpumm_plan plan = plan_of (gram, (gpumm_options){.backend = GPUMM_GPU}, &fast, GPUMM_OK);
  size_t padded = (size_t) gpumm_device_ld (100, 8) * 100 * 8;
  CHECK (gpumm_device_ld (100, 8) == 112 && gpumm_device_ld (112, 8) == 112, "whole lines");
  CHECK (plan.device_bytes == 2 * (int64_t) gpumm_pool_rounded (padded), "A*A' takes %lld bytes",
         (long long) plan.device_bytes);
  gpumm_options none = {.backend = GPUMM_GPU, .max_device_memory = 100};
  plan_of (square (GPUMM_D, 4096, 4096, 4096), none, &fast, GPUMM_DEVICE_MEMORY);
  CHECK (strstr (gpumm_last_error (), "4096 x 4096"), "text: %s", gpumm_last_error ());
  none.backend = GPUMM_AUTO;
  plan = plan_of (square (GPUMM_D, 4096, 4096, 4096), none, &fast, GPUMM_OK);
  CHECK (plan.backend == GPUMM_CPU && plan.algorithm == &gpumm_algorithm_blas, "reason: %s",
         plan.reason);
}

/* The library: 50 TFLOPS; the link: 50 GB/s; so computing takes 1.25 times the transfers of real
 * double from n = 10000 on. emulated: 100 TFLOPS. */
#define GOOD                                                                                       \
  {                                                                                                \
    2e-14, {                                                                                       \
      1e-14                                                                                        \
    }                                                                                              \
  }

/* Operands of emulated products: in host memory; A and B, or all, on the device; B is A, or A'. */
enum { HERE, OPERANDS_THERE, ALL_THERE, SQUARED, BY_TRANSPOSE };

/* "auto" takes emulated where computing takes the time and it is clearly faster, by the rates of
 * the place alone. */
static const struct {
  gpumm_type type;
  int64_t m, n, k;
  gpumm_kernel_rates rates;
  double link;
  int64_t limit, memory; /* 0: as of the place */
  int most, operands;
  const char *algorithm;
  int taken, measured; /* measured: the rates are asked for */
} emulated_choices[] = {
    {GPUMM_D, 16384, 16384, 16384, GOOD, 5e10, 0, 0, 0, HERE, NULL, 1, 1},
    {GPUMM_D, 16384, 16384, 16384, GOOD, 5e10, 0, 0, 0, HERE, "auto", 1, 1},
    {GPUMM_D, 16384, 16384, 16384, GOOD, 5e10, 0, 0, 0, HERE, "cublas", 0, 0},
    {GPUMM_D, 10500, 10500, 10500, GOOD, 5e10, 0, 0, 0, HERE, NULL, 1, 1},
    /* the link takes as long; is slower; half the bytes; more operations; C takes longer to come */
    {GPUMM_D, 9500, 9500, 9500, GOOD, 5e10, 0, 0, 0, HERE, NULL, 0, 1},
    {GPUMM_D, 16384, 16384, 16384, GOOD, 2e10, 0, 0, 0, HERE, NULL, 0, 1},
    {GPUMM_S, 8192, 8192, 8192, GOOD, 5e10, 0, 0, 0, HERE, NULL, 1, 1},
    {GPUMM_Z, 8192, 8192, 8192, GOOD, 5e10, 0, 0, 0, HERE, NULL, 1, 1},
    {GPUMM_D, 40000, 40000, 2048, GOOD, 5e10, 0, 0, 0, HERE, NULL, 0, 1},
    /* hardly faster; where nothing is transferred less is enough */
    {GPUMM_D, 16384, 16384, 16384, {2e-14, {1.59e-14}}, 5e10, 0, 0, 0, HERE, NULL, 1, 1},
    {GPUMM_D, 16384, 16384, 16384, {2e-14, {1.61e-14}}, 5e10, 0, 0, 0, HERE, NULL, 0, 1},
    {GPUMM_D, 16384, 16384, 16384, {2e-14, {1.7e-14}}, 5e10, 0, 0, 0, ALL_THERE, NULL, 1, 1},
    {GPUMM_D, 16384, 16384, 16384, {2e-14, {1.7e-14}}, 5e10, 0, 0, 0, OPERANDS_THERE, NULL, 0, 1},
    {GPUMM_D, 16384, 16384, 16384, {2e-14, {1.81e-14}}, 5e10, 0, 0, 0, ALL_THERE, NULL, 0, 1},
    /* 1.33 of the trial's conversions, 1.52; 1.63 of C, B, A or all is too much */
    {GPUMM_D, 16384, 16384, 4096, GOOD, 5e11, 0, 0, 0, HERE, NULL, 1, 1},
    {GPUMM_D, 16384, 16384, 2300, GOOD, 5e11, 0, 0, 0, HERE, NULL, 1, 1},
    {GPUMM_D, 16384, 16384, 2100, GOOD, 5e11, 0, 0, 0, HERE, NULL, 0, 1},
    {GPUMM_D, 2100, 16384, 16384, GOOD, 5e11, 0, 0, 0, HERE, NULL, 0, 1},
    {GPUMM_D, 16384, 2100, 16384, GOOD, 5e11, 0, 0, 0, HERE, NULL, 0, 1},
    {GPUMM_D, 5100, 5100, 5100, GOOD, 5e11, 0, 0, 0, HERE, NULL, 0, 0},
    {GPUMM_C, 5100, 5100, 5100, GOOD, 5e11, 0, 0, 0, HERE, NULL, 1, 1}, /* has a smaller trial */
    /* nothing is known */
    {GPUMM_D, 16384, 16384, 16384, {0, {0}}, 5e10, 0, 0, 0, HERE, NULL, 0, 1},
    {GPUMM_D, 16384, 16384, 16384, {2e-14, {0}}, 5e10, 0, 0, 0, HERE, NULL, 0, 1},
    /* in parts; where panels cannot be kept each tile finds out anew, for which there is no rate; a
     * row that is too new; A A' is the library's, A A is not */
    {GPUMM_D, 16384, 16384, 16384, GOOD, 5e10, 1ll << 31, 0, 0, HERE, NULL, 0, 1},
    {GPUMM_D, 16384, 16384, 16384, GOOD, 5e10, 0, 9ll << 30, 0, HERE, NULL, 0, 1},
    {GPUMM_D, 16384, 16384, 16384, GOOD, 5e10, 0, 0, 70, HERE, NULL, 0, 0},
    {GPUMM_D, 16384, 16384, 16384, GOOD, 5e10, 0, 0, 0, SQUARED, NULL, 1, 1},
    {GPUMM_D, 16384, 16384, 16384, GOOD, 5e10, 0, 0, 0, BY_TRANSPOSE, NULL, 0, 0},
    /* what is not worth measuring */
    {GPUMM_D, 16384, 16384, 2048, GOOD, 5e10, 0, 0, 0, HERE, NULL, 0, 1},
    {GPUMM_D, 16384, 16384, 2047, GOOD, 5e11, 0, 0, 0, HERE, NULL, 0, 0},
    {GPUMM_D, 2047, 65536, 65536, GOOD, 5e11, 0, 0, 0, HERE, NULL, 0, 0},
    {GPUMM_D, 65536, 2047, 65536, GOOD, 5e11, 0, 0, 0, HERE, NULL, 0, 0},
    {GPUMM_S, 4096, 4096, 4096, GOOD, 5e10, 0, 0, 0, HERE, NULL, 0, 0},
    {GPUMM_D, 5800, 5800, 5800, GOOD, 5e10, 0, 0, 0, HERE, NULL, 0, 0},
    {GPUMM_D, 5900, 5900, 5900, GOOD, 5e10, 0, 0, 0, HERE, NULL, 0, 1},
    {GPUMM_Z, 3600, 3600, 3600, GOOD, 5e10, 0, 0, 0, HERE, NULL, 0, 0},
    {GPUMM_Z, 7000, 7000, 7000, GOOD, 5e10, 0, 0, 0, HERE, NULL, 1, 1},
    {GPUMM_C, 8192, 8192, 8192, GOOD, 5e10, 0, 0, 0, HERE, NULL, 1, 1},
};

static gpumm_kernel emulated = {.algorithm = "emulated",
                                .name = "emulated",
                                .types = ALL,
                                .capability = 75,
                                .workspace = kept_panels,
                                .smallest_tile = 4096};

/* With the library, emulated and naive. */
static void make_emulating_gpu (gpu *g) {
  make_gpu (g, library);
  g->kernels[1] = &emulated;
  g->kernels[2] = &naive;
}

static void test_emulated (void) {
  gpu g;
  gpumm_alternative_kernels kernels;
  make_places ();
  make_emulating_gpu (&g);
  gpumm_buffer buffer = {.context = &g.context};
  for (size_t i = 0; i < sizeof emulated_choices / sizeof *emulated_choices; i++) {
    const gpumm_options o = {.backend = GPUMM_GPU,
                             .algorithm = emulated_choices[i].algorithm,
                             .max_device_memory = emulated_choices[i].limit,
                             .max_capability = emulated_choices[i].most};
    const int taken = emulated_choices[i].taken, operands = emulated_choices[i].operands;
    const int64_t memory = emulated_choices[i].memory;
    gpumm_problem p = square (emulated_choices[i].type, emulated_choices[i].m,
                              emulated_choices[i].n, emulated_choices[i].k);
    if (operands == SQUARED || operands == BY_TRANSPOSE)
      p.b = p.a;
    if (operands == BY_TRANSPOSE)
      p.b.op = GPUMM_TRANSPOSE;
    if (operands == OPERANDS_THERE || operands == ALL_THERE)
      p.a.buffer = p.b.buffer = &buffer;
    p.stays = operands == ALL_THERE;
    g.place.link = emulated_choices[i].link;
    g.place.kernel_rates = emulated_choices[i].rates;
    g.place.properties.memory_free = memory > 0 ? memory : fast.properties.memory_free;
    const gpumm_plan plan = plan_of (p, o, &g.place, GPUMM_OK);
    const char *name = taken ? "emulated" : "cublas";
    CHECK (strcmp (plan.kernel->name, name) == 0 && strcmp (plan.algorithm->name, name) == 0,
           "row %zu: %s", i, plan.reason);
    CHECK (taken == (plan.gain > 1), "row %zu: gain %g", i, plan.gain);
    CHECK (taken == (strstr (plan.reason, "emulated computes ") != NULL), "row %zu: %s", i,
           plan.reason);
    CHECK (gpumm_has_alternative (&p, &o, &g.place, alternatives, &kernels)
               == emulated_choices[i].measured,
           "row %zu: measured %d", i, !emulated_choices[i].measured);
    p.alpha.re = 0;
    CHECK (!gpumm_has_alternative (&p, &o, &g.place, alternatives, &kernels),
           "row %zu: nothing is multiplied", i);
  }
}

/* The numbers and the sentence; by name it multiplies whatever the data are. */
static void test_emulated_numbers (void) {
  const gpumm_options named = {.algorithm = "emulated", .backend = GPUMM_GPU};
  const double n = 16384, expected = 2 * n * n * n * 1e-14;
  const gpumm_problem p = square (GPUMM_D, 16384, 16384, 16384);
  gpumm_alternative_kernels kernels;
  gpu g;
  CHECK (!gpumm_has_alternative (&p, &(gpumm_options){0}, &fast, alternatives, &kernels),
         "no such row");
  make_emulating_gpu (&g);
  g.place.link = 5e10;
  g.place.kernel_rates = (gpumm_kernel_rates) GOOD;
  gpumm_plan plan = plan_of (p, (gpumm_options){0}, &g.place, GPUMM_OK);
  CHECK (plan.kernel == &emulated && plan.keeps && plan.tile_m == 4096, "%s", plan.reason);
  CHECK (fabs (plan.alternative_seconds - expected) < 1e-9 * expected, "%g seconds, expected %g",
         plan.alternative_seconds, expected);
  CHECK (fabs (plan.gain - 2e-14 * 2 * n * n * n / expected) < 1e-9, "gain %g", plan.gain);
  CHECK (strstr (plan.reason, "by measured rates the GPU takes")
             && strstr (plan.reason, "emulated computes in 88 ms and the library in 176 ms"),
         "%s", plan.reason);
  plan = plan_of (p, named, &g.place, GPUMM_OK);
  CHECK (plan.kernel == &emulated && plan.gain == 0, "by name: gain %g", plan.gain);
}

/* A second row, whose family is there already: the fastest that is clearly faster is taken, by its
 * own rate, edge and limits. */
static void test_second_alternative (void) {
  static const gpumm_alternative rows[] = {
      {.family = "emulated",
       .edge = {4096, 8192, 4096, 4096},
       .bound = 1.25,
       .faster_moving = 0.8,
       .faster = 0.9},
      {.family = "naive", .edge = {4096, 4096}, .bound = 2, .faster_moving = 0.5, .faster = 0.5},
      {0}};
  static const struct {
    gpumm_type type;
    gpumm_kernel_rates rates;
    double link;
    const char *expected;
  } table[] = {
      {GPUMM_D, {2e-14, {1e-14, 0}}, 5e10, "emulated"},
      {GPUMM_D, {2e-14, {1e-14, 0.9e-14}}, 5e10, "naive"},
      {GPUMM_D, {2e-14, {1e-14, 1.01e-14}}, 5e10, "emulated"},
      {GPUMM_D, {2e-14, {0, 0.9e-14}}, 5e10, "naive"},
      {GPUMM_D, {2e-14, {0, 1.01e-14}}, 5e10, "cublas"}, /* not clearly */
      {GPUMM_D, {2e-14, {1.7e-14, 1.1e-14}}, 5e10, "cublas"},
      {GPUMM_D, {2e-14, {1e-14, 0.9e-14}}, 4e10, "emulated"}, /* the link takes more than half */
      {GPUMM_Z, {2e-14, {1e-14, 0.9e-14}}, 5e10, "emulated"}, /* no edge for the type */
  };
  gpu g;
  make_emulating_gpu (&g);
  alternatives = rows;
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    g.place.link = table[i].link;
    g.place.kernel_rates = table[i].rates;
    const gpumm_plan plan = plan_of (square (table[i].type, 16384, 16384, 16384),
                                     (gpumm_options){.backend = GPUMM_GPU}, &g.place, GPUMM_OK);
    CHECK (strcmp (plan.algorithm->name, table[i].expected) == 0, "row %zu: %s", i, plan.reason);
    CHECK (strcmp (plan.algorithm->name, "cublas") == 0
               || strstr (plan.reason, plan.algorithm->name) != NULL,
           "row %zu: %s", i, plan.reason);
  }
  alternatives = gpumm_alternatives;
}

/* Times and rates in sentences have no exponent. */
static void test_digits (void) {
  const struct {
    double x;
    const char *text;
  } table[] = {{380, "380"},       {1721.4, "1721"},    {999.4, "999"}, {999.7, "999.7"},
               {9999.6, "9999.6"}, {3.84e6, "3840000"}, {38.04, "38"},  {0.0123456, "0.0123"}};
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    char text[32];
    snprintf (text, sizeof text, "%.*g", GPUMM_DIGITS (table[i].x));
    CHECK (!strcmp (text, table[i].text), "%s, expected %s", text, table[i].text);
  }
}

/* Lines of 3, 0 and 6 entries. */
static void make_uneven (gpumm_matrix *x, int64_t n) {
  for (int64_t i = 1; i <= n; i++)
    x->start[i] = x->start[i - 1] + (i % 3 == 0 ? 6 : i % 3 == 1 ? 3 : 0);
}

/* Counts the entries of the lines that the 5 n entries of `by` name: exact where there are few. */
static void check_pairs (double counted, int64_t n, const gpumm_matrix *named,
                         const gpumm_matrix *by) {
  double pairs = 0;
  for (int64_t t = 0; t < 5 * n; t++) {
    const int64_t at = by->format == GPUMM_SPARSE ? by->row[t] : by->block_column[t];
    pairs += (double) (named->start[at + 1] - named->start[at]);
  }
  CHECK (n < 6000 ? counted == pairs : fabs (counted - pairs) < 0.05 * pairs, "n %lld: %g, not %g",
         (long long) n, counted, pairs);
}

static void test_pairs (void) {
  static const int64_t sizes[] = {1, 30, 3000, 60000};
  for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
    const int64_t n = sizes[s];
    gpumm_problem p = {.a = random_columns (n, 3), .b = random_columns (n, 5), .alpha = {1, 0}};
    make_uneven (&p.a, n);
    check_pairs (gpumm_estimate_sparse (&p).products, n, &p.a, &p.b);
    p.alpha.re = 0;
    p.b.row[0] = -1;
    CHECK (gpumm_estimate_sparse (&p).products == 0, "alpha = 0: A and B are not read");
    p.alpha.re = 1;
    p.b.start[n] = 0;
    CHECK (gpumm_estimate_sparse (&p).products == 0, "nothing stored");
    drop (&p.a);
    drop (&p.b);
    p.a = random_blocks (GPUMM_D, n, 2, 3, 5);
    p.b = random_blocks (GPUMM_D, n, 3, 2, 3);
    make_uneven (&p.b, n);
    check_pairs (gpumm_estimate_products (&p.a, &p.b), n, &p.b, &p.a);
    gpumm_problem q = p; /* A' has n blocks of 3 x 2, 5 in each column */
    q.a.op = GPUMM_TRANSPOSE;
    q.a.block_rows = 3;
    q.a.block_cols = 2;
    q.a.rows = 3 * n;
    q.a.cols = 2 * n;
    const double turned = 5 * (double) p.b.start[n];
    CHECK (fabs (gpumm_estimate_products (&q.a, &q.b) - turned) <= 0.05 * turned,
           "n %lld, A': %g, not %g", (long long) n, gpumm_estimate_products (&q.a, &q.b), turned);
    p.a.start[n] = 0;
    CHECK (gpumm_estimate_products (&p.a, &p.b) == 0, "nothing stored");
    drop (&p.a);
    drop (&p.b);
  }
}

/* Elements of 8 bytes, with row indices of 8. */
static void test_bytes_moved (void) {
  static const struct {
    int64_t n, each, other; /* other 0: full by full; < 0: sparse by full */
    double expected;
  } table[] = {
      {1000, 0, 0, 3 * 8e6},
      {1000, 3, 5, 16 * 8e3 + 8 * 15e3},       /* an element of C for each multiplication */
      {10, 10, 10, 16 * 200 + 8 * 100},        /* C is full */
      {1000, 3, -1, 16 * 3e3 + 8e6 + 8 * 1e6}, /* C has each place */
  };
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    const int64_t n = table[i].n;
    gpumm_problem p = square (GPUMM_D, n, n, n);
    if (table[i].each > 0)
      p.a = random_columns (n, table[i].each);
    if (table[i].other > 0)
      p.b = random_columns (n, table[i].other);
    const double moved = gpumm_bytes_moved (&p);
    CHECK (moved == table[i].expected, "row %zu: %g bytes", i, moved);
    if (table[i].each > 0)
      drop (&p.a);
    if (table[i].other > 0)
      drop (&p.b);
  }
}

/* A large real matrix beside a small complex one is sent as it is, and a small one as complex. */
static void test_sent_real_by_complex (void) {
  gpumm_problem p = square (GPUMM_Z, 1000, 10, 1000);
  p.a.type = GPUMM_D;
  CHECK (gpumm_bytes_up (&p) == 8e6 + 16e4, "few complex: %g bytes", gpumm_bytes_up (&p));
  const double few = gpumm_product_costs (&p, NULL, &fast).gpu;
  const double bytes = gpumm_bytes_up (&p) / fast.upload + gpumm_bytes_down (&p) / fast.download;
  const double flops = 4.0 * 1000 * 10 * 1000 / fast.flops[GPUMM_Z];
  CHECK (fabs (few - fast.call - bytes - flops) < 1e-9, "few complex: %g s", few);
  p.b.cols = 1000;
  CHECK (gpumm_bytes_up (&p) == 16e6 * 2, "many complex: %g bytes", gpumm_bytes_up (&p));
}

/* A large B is packed for however few rows of A; a large A beside a thin B is not. */
static void test_thin_on_the_cpu (void) {
  const gpumm_candidate cpu = {.threads = 2, .flops = {[GPUMM_D] = 1e11}};
  const gpumm_problem left = square (GPUMM_D, 64, 6000, 6000),
                      right = square (GPUMM_D, 6000, 64, 6000);
  const double more =
      gpumm_product_costs (&left, &cpu, NULL).cpu - gpumm_product_costs (&right, &cpu, NULL).cpu;
  CHECK (more > 25e-3 && more < 40e-3, "B takes %g ms", 1e3 * more);
}

/* Sparse matrices as full ones: by rates, where both are filled and C fills up. */
static void test_choice_as_full (void) {
  enum { SLOW, FAST }; /* the CPU's BLAS */
  static const struct {
    int64_t each[2], rows; /* stored in a column of A and of B, in so many rows */
    int cpu, gpu, keeps;
    gpumm_backend asked;
    const char *algorithm, *expected;
  } table[] = {
      {{200, 200}, 1000, FAST, 0, 0, GPUMM_AUTO, NULL, "sparse_as_full"},
      {{200, 200}, 1000, FAST, 0, 0, GPUMM_CPU, "auto", "sparse_as_full"},
      {{200, 180}, 1000, FAST, 0, 0, GPUMM_AUTO, NULL, "sparse"},
      {{180, 200}, 1000, FAST, 0, 0, GPUMM_AUTO, NULL, "sparse"},
      {{500, 500}, 1000, SLOW, 0, 0, GPUMM_AUTO, NULL, "sparse"},
      {{500, 500}, 1000, FAST, 0, 1, GPUMM_AUTO, NULL, "sparse"},
      {{500, 500}, 1000, FAST, 0, 0, GPUMM_AUTO, "sparse", "sparse"},
      {{500, 500}, 1000, SLOW, 1, 0, GPUMM_AUTO, NULL, "sparse_as_full"},
      {{500, 500}, 1000, SLOW, 1, 0, GPUMM_GPU, NULL, "sparse_as_full"},
      {{500, 500}, 1000, SLOW, 1, 1, GPUMM_GPU, NULL, "spgemm"},
      {{500, 500}, 1000, SLOW, 1, 0, GPUMM_CPU, NULL, "sparse"},
      {{8, 8}, 1000, FAST, 0, 0, GPUMM_AUTO, NULL, "sparse"},
      {{500, 500}, 100, FAST, 0, 0, GPUMM_AUTO, NULL, "sparse"}, /* a tenth of C is filled */
  };
  make_places ();
  gpumm_candidate slow = fast;
  slow.properties.multiprocessors = 1;
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    gpumm_matrix a = random_columns (1000, table[i].each[0]);
    gpumm_matrix b = random_columns (1000, table[i].each[1]);
    for (int64_t t = 0; t < a.nzmax; t++)
      a.row[t] %= table[i].rows;
    gpumm_problem p = {.a = a, .b = b, .alpha = {1, 0}, .output = GPUMM_D};
    const gpumm_options o = {.backend = table[i].asked, .algorithm = table[i].algorithm};
    cpu.flops[GPUMM_D] = table[i].cpu == FAST ? 1e12 : 1e9;
    const gpumm_sparse_estimate estimate = gpumm_estimate_sparse (&p);
    gpumm_candidates choices = {.cpu = &cpu,
                                .estimate = &estimate,
                                .gpu = table[i].gpu ? &slow : NULL,
                                .why_no_gpu = "made up",
                                .keeps_sparse = table[i].keeps};
    gpumm_plan plan;
    weigh (&p, &o, &choices);
    CHECK (gpumm_make_plan (&p, &o, &choices, &plan) == GPUMM_OK
               && strcmp (plan.algorithm->name, table[i].expected) == 0,
           "row %zu: %s, %s", i, plan.algorithm->name, plan.reason);
    CHECK (!strstr (plan.reason, "a full product takes")
               == (strcmp (table[i].expected, "sparse_as_full") != 0),
           "row %zu: %s", i, plan.reason);
    /* the CPU is measured where it may matter, and not where nothing is multiplied */
    const int by_name = table[i].algorithm && strcmp (table[i].algorithm, "auto") != 0;
    const int is_filled = table[i].each[0] >= 200 && table[i].each[1] >= 200;
    CHECK (!(gpumm_plan_needs (&p, &o, table[i].keeps) & GPUMM_NEEDS_CPU)
               != (table[i].asked != GPUMM_GPU && is_filled && !by_name && !table[i].keeps),
           "row %zu: needs the CPU", i);
    p.alpha.re = 0;
    CHECK (!(gpumm_plan_needs (&p, &o, 0) & GPUMM_NEEDS_CPU), "row %zu: nothing is multiplied", i);
    drop (&a);
    drop (&b);
  }
}

/* Nothing is opened that cannot be chosen. */
static void test_needs (void) {
  enum { HOST = GPUMM_NEEDS_HOST, GPU = GPUMM_NEEDS_GPU, RATES = GPUMM_NEEDS_RATES };
  const gpumm_problem small = square (GPUMM_D, 30, 30, 30), large = square (GPUMM_D, 120, 120, 120);
  gpumm_problem sparse = large, integers = large, resident = small;
  int64_t column[121] = {0};
  sparse.a.format = GPUMM_SPARSE;
  sparse.a.start = column;
  integers.a.type = integers.b.type = integers.output = GPUMM_I8;
  resident.a.buffer = resident.b.buffer = &there;
  const struct {
    const char *what;
    const gpumm_problem *p;
    gpumm_options o;
    unsigned needs;
  } table[] = {
      {"a small product", &small, {0}, 0},
      {"a large one, by rates", &large, {0}, RATES},
      {"on the GPU", &small, {.backend = GPUMM_GPU}, GPU},
      {"on the CPU", &large, {.backend = GPUMM_CPU}, 0},
      {"a sparse one on the GPU", &sparse, {.backend = GPUMM_GPU}, GPU},
      {"a sparse one with next to nothing to do", &sparse, {0}, 0},
      {"what has no kernels", &integers, {.backend = GPUMM_GPU}, 0},
      {"a family", &small, {.algorithm = "tiled"}, GPU | HOST},
      {"a row", &small, {.algorithm = "tiled_16"}, GPU | HOST},
      {"a family on the GPU", &small, {.algorithm = "tiled", .backend = GPUMM_GPU}, GPU},
      {"a family on the CPU", &small, {.algorithm = "tiled", .backend = GPUMM_CPU}, HOST},
      {"an algorithm of the CPU", &large, {.algorithm = "loops"}, 0},
      {"one that does not take them", &large, {.algorithm = "sparse"}, 0},
      {"one of a device that does not", &integers, {.algorithm = "tiled"}, 0},
      {"a resident one", &resident, {0}, GPU},
  };
  for (size_t i = 0; i < sizeof table / sizeof *table; i++)
    CHECK (gpumm_plan_needs (table[i].p, &table[i].o, 0) == table[i].needs, "%s", table[i].what);
}

/* What stays on a device takes no memory there again, is not padded, and decides where the product
 * runs. */
static void test_bound (void) {
  gpu g;
  make_places ();
  make_gpu (&g, library);
  g.kernel.padded_types = ALL;
  g.kernel.multiple = 16;
  g.place.flops[GPUMM_D] = 1; /* the CPU would be faster */
  gpumm_buffer buffer = {.context = &g.context};
  for (int bits = 0; bits < 8; bits++) {
    gpumm_problem p = square (GPUMM_D, 3001, 3001, 3001);
    if (bits & 1)
      p.a.buffer = &buffer;
    if (bits & 2)
      p.b.buffer = &buffer;
    p.stays = bits >> 2;
    const gpumm_plan plan =
        plan_of (p, (gpumm_options){.backend = bits ? GPUMM_AUTO : GPUMM_GPU}, &g.place, GPUMM_OK);
    const gpumm_buffers x = gpumm_plan_buffers (&p, &plan);
    CHECK (plan.backend == GPUMM_GPU && plan.kernel == &g.kernel, "%d: %s", bits, plan.reason);
    CHECK (plan.pads == (bits == 0), "%d: pads %d", bits, plan.pads);
    CHECK ((x.a > 0) != (bits & 1) && (x.b > 0) != (bits >> 1 & 1) && (x.c > 0) != bits >> 2,
           "%d: %lld, %lld, %lld buffers", bits, (long long) x.a, (long long) x.b, (long long) x.c);
    CHECK ((bits == 7) == (plan.device_bytes == 0), "%d: %lld bytes", bits,
           (long long) plan.device_bytes);
    CHECK (bits != 7 || (plan.tile_m == 3001 && plan.tile_n == 3001 && plan.tile_k == 3001),
           "tiles of what does not move");
    CHECK (!bits || strstr (plan.reason, "on the device"), "%s", plan.reason);
  }
  gpumm_problem p = square (GPUMM_D, 10, 10, 10);
  p.a.buffer = &buffer;
  plan_of (p, (gpumm_options){.algorithm = "blas"}, &g.place, GPUMM_UNSUPPORTED);
  plan_of (p, (gpumm_options){.algorithm = "tiled"}, &g.place, GPUMM_UNSUPPORTED);
  const gpumm_plan plan = plan_of (p, (gpumm_options){.algorithm = "cublas"}, &g.place, GPUMM_OK);
  CHECK (plan.kernel == &g.kernel && plan.context == &g.context, "by name: %s", plan.reason);
}

/* A place that is asked for must be the one where the product lies: on GPU 2, or on the host device
 * 0. Option device numbers GPUs alone. */
static void test_bound_elsewhere (void) {
  static const struct {
    int on_host, backend, device;
    uint64_t devices;
    int works;
  } cases[] = {
      {0, AUTO, -1, 0, 1},  {0, GPU, -1, 0, 1},  {0, CPU, -1, 0, 0},
      {0, AUTO, 2, 0, 1},   {0, AUTO, 3, 0, 0},  {0, AUTO, -1, 4, 1},
      {0, AUTO, -1, 6, 1},  {0, AUTO, -1, 3, 0}, {0, AUTO, -1, 8, 0},
      {0, AUTO, -1, ~4, 0}, {0, GPU, 2, 4, 1},   {0, AUTO, 2, 1, 0},
      {0, AUTO, 3, 4, 0},   {1, AUTO, -1, 0, 1}, {1, CPU, -1, 0, 1},
      {1, GPU, -1, 0, 0},   {1, AUTO, 2, 0, 1},  {1, AUTO, -1, 1, 1},
      {1, AUTO, -1, 5, 1},  {1, AUTO, -1, 4, 0}, {1, AUTO, -1, ~UINT64_C (0), 1},
  };
  gpumm_buffer here = {.context = &host_device};
  make_places ();
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    for (int part = 0; part < 3; part++) { /* A or B lies there, or C is to stay */
      const gpumm_options o = {.backend = (gpumm_backend) cases[i].backend,
                               .device = cases[i].device,
                               .devices = cases[i].devices};
      gpumm_problem p = square (GPUMM_D, 100, 100, 100);
      if (part < 2)
        (part ? &p.b : &p.a)->buffer = cases[i].on_host ? &here : &there;
      p.stays = part == 2;
      const int failed = check_failed;
      const gpumm_plan plan = plan_of (p, o, cases[i].on_host ? NULL : &fast,
                                       cases[i].works ? GPUMM_OK : GPUMM_UNSUPPORTED);
      CHECK (check_failed == failed, "row %zu, part %d", i, part);
      if (cases[i].works)
        CHECK (plan.context == (cases[i].on_host ? &host_device : &gpu_2), "row %zu: %s", i,
               plan.reason);
      else
        CHECK (strstr (gpumm_last_error (), "another place was asked for"), "row %zu: %s", i,
               gpumm_last_error ());
    }
}

/* A kernel's own estimate decides for blocks of integers; without one the CPU takes them. */
static double estimated;

static double estimate (const gpumm_sparse_product *p, const gpumm_device_properties *device) {
  CHECK (p->type_a == GPUMM_U16 && p->type_c == GPUMM_U32 && p->a.rows == 20000
             && p->b.cols == 20000 && p->a.block_rows == 4 && p->pairs > 20000
             && device->multiprocessors == 100,
         "another product: %lld pairs", (long long) p->pairs);
  return estimated;
}

static void test_estimates (void) {
  static const gpumm_sparse_kernel unknown = {.algorithm = "bsr_integer", .name = "u"},
                                   known = {.algorithm = "bsr_integer",
                                            .name = "k",
                                            .seconds = estimate},
                                   too_new = {.algorithm = "bsr_integer",
                                              .name = "n",
                                              .capability = 999,
                                              .seconds = estimate};
  static const gpumm_sparse_kernel *const with[] = {&unknown, &known, NULL}, *const without[] = {
                                                                                 &unknown, &too_new,
                                                                                 NULL};
  static const double estimates[] = {1e-6, 1e9, INFINITY, 1e-6}; /* the last: of a row too new */
  gpumm_matrix s = random_blocks (GPUMM_U16, 20000, 4, 4, 16);
  const gpumm_problem p = {.a = s, .b = s, .alpha = {1, 0}, .output = GPUMM_U32};
  gpu g;
  make_places ();
  make_gpu (&g, library);
  g.place.upload = g.place.download = 1e12; /* so that a CPU of many cores is slower, too */
  for (int i = 0; i < 4; i++) {
    g.driver.sparse_kernels = i < 3 ? with : without;
    estimated = estimates[i];
    const gpumm_plan plan = plan_of (p, (gpumm_options){0}, &g.place, GPUMM_OK);
    CHECK ((plan.backend == GPUMM_GPU) == (i == 0), "case %d: %s", i, plan.reason);
    CHECK (!strstr (plan.reason, "unless the GPU is asked for") == (i < 2), "case %d: %s", i,
           plan.reason);
  }
  drop (&s);
}

/* Sparse products that Octave computes: which is full, elements of A and B, sizes. */
static void test_octave_is_faster (void) {
  static const struct {
    const char *what, *full;
    double a, b, m, k, n;
    int faster;
  } cases[] = {
      {"empty by empty", "", 0, 0, 1e6, 1e6, 1e6, 1},
      {"a small one", "", 0, 0, 1e3, 1e3, 1e3, 1},
      {"nothing by nothing", "", 0, 0, 0, 0, 0, 1},
      {"one column of more rows than memory has", "", 3, 3, 0x1p40, 1e3, 1, 0},
      {"a full row by a matrix of 3 elements", "", 1e6, 3, 1, 1e6, 1e6, 1},
      {"tridiagonal by an empty column", "", 3e6, 0, 1e6, 1e6, 1, 1},
      {"tridiagonal by a column of one element", "", 3e6, 1, 1e6, 1e6, 1, 1},
      {"a row of 2e4 elements by diagonal", "", 2e4, 2e6, 1, 2e6, 2e6, 1},
      {"diagonal by diagonal", "", 1e6, 1e6, 1e6, 1e6, 1e6, 0},
      {"tridiagonal squared", "", 3e6, 3e6, 1e6, 1e6, 1e6, 0},
      {"tridiagonal squared, small", "", 3e3, 3e3, 1e3, 1e3, 1e3, 1},
      {"8 a column, squared, small", "", 8e3, 8e3, 1e3, 1e3, 1e3, 0},
      {"16 a column, squared", "", 16e6, 16e6, 1e6, 1e6, 1e6, 0},
      {"a sparse row by a sparse column, both filled", "", 1e6, 1e6, 1, 1e6, 1, 0},
      {"a column by a row", "", 1e4, 1e4, 1e4, 1, 1e4, 0},
      {"tridiagonal by a full column", "B", 3e3, 1e3, 1e3, 1e3, 1, 1},
      {"tridiagonal by a long full column", "B", 3e4, 1e4, 1e4, 1e4, 1, 0},
      {"a few elements by a full matrix, for a large C", "B", 3, 100, 1e5, 10, 10, 0},
      {"a full row by tridiagonal", "A", 1e4, 3e4, 1, 1e4, 1e4, 1},
      {"a long full row by tridiagonal", "A", 1e5, 3e5, 1, 1e5, 1e5, 0},
      {"a full matrix without columns, for a large C", "A", 0, 0, 1e3, 0, 1e6, 0},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    CHECK (gpumm_octave_is_faster (cases[i].full[0] != 'A', cases[i].full[0] != 'B', cases[i].a,
                                   cases[i].b, cases[i].m, cases[i].k, cases[i].n)
               == cases[i].faster,
           "%s", cases[i].what);
}

/* Near the crossover the CPU stays. */
static void test_compare (void) {
  static const struct {
    double cpu, gpu;
    int wins;
  } cases[] = {{1, 0.84, 1},        {1, 0.86, 0},     {1, 1.1, 0},     {0.4e-3, 0.2e-3, 0},
               {0.6e-3, 0.3e-3, 1}, {INFINITY, 1, 1}, {1, INFINITY, 0}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const gpumm_estimate e = gpumm_compare (cases[i].cpu, cases[i].gpu);
    CHECK (e.gpu_wins == cases[i].wins, "%g s and %g s", cases[i].cpu, cases[i].gpu);
  }
}

int main (void) {
  test_compare ();
  test_octave_is_faster ();
  test_choices ();
  test_sparse_on_the_cpu ();
  test_short_k ();
  test_crossover ();
  test_tiles ();
  test_tiles_of_kernels ();
  test_memory ();
  test_emulated ();
  test_digits ();
  test_emulated_numbers ();
  test_second_alternative ();
  test_pairs ();
  test_bytes_moved ();
  test_sent_real_by_complex ();
  test_thin_on_the_cpu ();
  test_choice_as_full ();
  test_estimates ();
  test_needs ();
  test_bound ();
  test_bound_elsewhere ();
  return check_done ();
}
