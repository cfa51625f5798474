/* test_taken.c - each row of the kernel tables is taken by "auto" on some card, or is a lesson.
 *
 *   test_taken LIBRARY
 *
 * Made-up devices, one a compute capability, are asked what they take of made-up products. The
 * table below says for each row on which of them, or that its algorithm is a lesson; a row that is
 * not in the table fails. Nothing runs, so the CUDA library is tested without a GPU. Of the host
 * device's library only names are looked up.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "multiply/algorithm.h"
#include "plan/plan.h"
#include "base/types.h"
#include "../driver.h"

/* What the kernels' rows look at: shared memory as NVIDIA's programming guide has it. */
static const gpumm_device_properties cards[] = {
    {.name = "7.5", .capability = 75, .multiprocessors = 40, .shared_bytes = 64 << 10},
    {.name = "8.0", .capability = 80, .multiprocessors = 108, .shared_bytes = 163 << 10},
    {.name = "8.6", .capability = 86, .multiprocessors = 84, .shared_bytes = 99 << 10},
    {.name = "8.9", .capability = 89, .multiprocessors = 128, .shared_bytes = 99 << 10},
    {.name = "9.0", .capability = 90, .multiprocessors = 132, .shared_bytes = 227 << 10},
    {.name = "10.0", .capability = 100, .multiprocessors = 148, .shared_bytes = 227 << 10},
    {.name = "10.3", .capability = 103, .multiprocessors = 148, .shared_bytes = 227 << 10},
    {.name = "12.0", .capability = 120, .multiprocessors = 170, .shared_bytes = 99 << 10},
};
enum { CARDS = sizeof cards / sizeof *cards };

#define ALL "7.5 8.0 8.6 8.9 9.0 10.0 10.3 12.0"

static const struct {
  const char *name, *taken; /* the cards; or a lesson, by its algorithm: what any row of it is */
} rows[] = {
    {"naive", "lesson"},
    {"tiled", "lesson"},
    {"register", "lesson"},
    {"strassen", "lesson"},
    {"cublas", ALL},
    {"emulated", ALL},
    {"classic", "lesson"},
    {"spgemm_merge", "lesson"}, /* spgemm on the host device */
    {"spgemm", ALL},
    {"spmm", ALL},
    {"blocks_exact", ALL}, /* Backend "gpu", classes and sizes that the next two do not take */
    {"blocks_strips", ALL},
    {"blocks_slices", ALL},
    {"bsr_register", ALL},
    {"bsr_tensor", "8.0 9.0 10.0 10.3"},
    {"bsr_tensor_small", "8.0 8.6 8.9 9.0 10.0 10.3 12.0"},
    {"bsr_tensor_bulk", "9.0 10.0 10.3 12.0"},
};
enum { ROWS = sizeof rows / sizeof *rows };

static unsigned taken[ROWS], present[ROWS]; /* bit i: card i takes it; is it in the library? */

static int find_name (const char *name) {
  for (int i = 0; i < ROWS; i++)
    if (strcmp (rows[i].name, name) == 0)
      return i;
  return -1;
}

/* -1: no such row. */
static int find_row (const char *name, const char *algorithm) {
  const int i = find_name (name), lesson = i < 0 ? find_name (algorithm) : -1;
  return lesson >= 0 && strcmp (rows[lesson].taken, "lesson") == 0 ? lesson : i;
}

static void look_up (const char *name, const char *algorithm) {
  const int i = find_row (name, algorithm);
  CHECK (i >= 0, "%s: on which card does \"auto\" take it, or is it a lesson?", name);
  if (i >= 0)
    present[i] = 1;
}

static void take (const char *name, const char *algorithm, int card) {
  const int i = find_row (name, algorithm);
  if (i >= 0)
    taken[i] |= 1u << card;
}

/* ---- what the plan says ------------------------------------------------------------------- */

static gpumm_context context; /* with the driver */

/* Of A by a B of A's sizes elsewhere, with this rate of the links. rates: of it and of emulated. */
static gpumm_plan plan_of (const gpumm_matrix *a, gpumm_type output, gpumm_backend where, int card,
                           double link, gpumm_kernel_rates rates) {
  static double bytes[2]; /* stand for elements: only addresses are looked at */
  const gpumm_candidate cpu = {.call = 1e-6, .threads = 2, .flops = {1e10, 1e10, 1e10, 1e10}};
  gpumm_candidate gpu = {.context = &context,
                         .properties = cards[card],
                         .flops = {1e12, 1e12, 1e12, 1e12},
                         .upload = link,
                         .download = link,
                         .link = link,
                         .call = 1e-5,
                         .kernel_rates = rates};
  gpu.properties.memory_total = gpu.properties.memory_free = INT64_C (1) << 36;
  gpumm_problem p = {.a = *a, .b = *a, .alpha = {1, 0}, .output = output};
  p.a.values = &bytes[0];
  p.b.values = &bytes[1];
  const gpumm_options o = {.backend = where, .device = -1};
  gpumm_candidates choices = {
      .cpu = &cpu, .gpu = &gpu, .why_no_gpu = "", .alternatives = gpumm_alternatives};
  gpumm_plan plan = {0};
  if (gpumm_plan_needs (&p, &o, 0) & GPUMM_NEEDS_RATES)
    choices.seconds = gpumm_weigh (&p, &o, &choices);
  CHECK (gpumm_make_plan (&p, &o, &choices, &plan) == GPUMM_OK, "no plan");
  return plan;
}

/* ---- full matrices ------------------------------------------------------------------------ */

static void take_full (int card) {
  static const int64_t edges[] = {16, 700, 2100, 9000};
  /* of emulated: none, and such that it is ten times as fast */
  static const gpumm_kernel_rates rates[] = {{0, {0}}, {1e-12, {1e-13}}};
  for (int type = GPUMM_S; type <= GPUMM_Z; type++)
    for (size_t e = 0; e < sizeof edges / sizeof *edges; e++)
      for (int r = 0; r < 2; r++) {
        const int64_t n = edges[e];
        const gpumm_matrix a = {.type = (gpumm_type) type, .rows = n, .cols = n, .ld = n};
        const gpumm_plan plan = plan_of (&a, a.type, GPUMM_GPU, card, 1e11, rates[r]);
        CHECK (plan.kernel, "no kernel");
        if (plan.kernel)
          take (plan.kernel->name, plan.kernel->algorithm, card);
      }
}

/* ---- sparse matrices and blocks ----------------------------------------------------------- */

static int64_t start[2]; /* stand for arrays: only addresses are looked at */
static int32_t column[1];

enum { SIDE = 1000, A_ROW = 30 }; /* rows, and entries of one */

static gpumm_device_matrix by_rows (int64_t block_rows, int64_t block_cols) {
  return (gpumm_device_matrix){.rows = SIDE,
                               .cols = SIDE,
                               .block_rows = block_rows,
                               .block_cols = block_cols,
                               .start = start,
                               .column = column,
                               .stored = SIDE * A_ROW};
}

static gpumm_sparse_product product (int type, int output, int64_t m, int64_t k, int64_t n) {
  gpumm_sparse_product p = {.type_a = (gpumm_type) type,
                            .type_b = (gpumm_type) type,
                            .type_c = (gpumm_type) output,
                            .a = by_rows (m, k),
                            .b = by_rows (k, n),
                            .c = by_rows (m, n),
                            .count = SIDE,
                            .pairs = SIDE * A_ROW * A_ROW,
                            .alpha = {1, 0}};
  p.c.stored = p.pairs;
  return p;
}

/* The rule of pass.c: the row with the least estimated seconds, or without estimates the last row
 * that runs. The number of products decides among rows with estimates: all of these are taken. */
static const char *take_sparse (const char *algorithm, const gpumm_sparse_product *p, int card) {
  gpumm_device_properties device = cards[card];
  const gpumm_sparse_kernel *found = NULL;
  double best = INFINITY;
  device.memory_total = device.memory_free = INT64_C (1) << 36;
  for (const gpumm_sparse_kernel *const *row = driver->sparse_kernels; *row; row++) {
    const gpumm_sparse_kernel *k = *row;
    if (strcmp (k->algorithm, algorithm) != 0 || k->capability > device.capability
        || !k->runs (p, &device))
      continue;
    if (k->seconds)
      take (k->name, k->algorithm, card);
    const double seconds = k->seconds ? k->seconds (p, &device) : INFINITY;
    if (seconds > best)
      continue;
    best = seconds;
    found = k;
  }
  CHECK (found, "%s: nothing for types %d to %d on %s", algorithm, (int) p->type_a, (int) p->type_c,
         device.name);
  if (!found)
    return "";
  take (found->name, found->algorithm, card);
  return found->name;
}

static void take_all_sparse (int card) {
  static const int sparse_types[] = {GPUMM_D, GPUMM_Z};
  for (int i = 0; i < 2; i++) {
    const gpumm_sparse_product p = product (sparse_types[i], sparse_types[i], 1, 1, 1);
    take_sparse ("spgemm", &p, card);
  }
  for (int type = GPUMM_S; type <= GPUMM_Z; type++)
    for (int64_t m = 1; m <= 70; m++) {
      gpumm_sparse_product p = product (type, type, m, m, m);
      take_sparse ("bsr", &p, card);
      p.b.start = p.c.start = NULL; /* B and C are full */
      take_sparse ("spmm", &p, card);
    }
  /* where blocks do not fit a thread block's 99 KiB of shared memory beside the lists */
  const gpumm_sparse_product fits = product (GPUMM_D, GPUMM_D, 10, 10, 10),
                             large = product (GPUMM_D, GPUMM_D, 11, 11, 11);
  if (cards[card].capability == 120)
    CHECK (strcmp (take_sparse ("bsr", &fits, card), "bsr_tensor_bulk") == 0
               && strcmp (take_sparse ("bsr", &large, card), "bsr_tensor_small") == 0,
           "blocks of 10x10 and 11x11 on %s", cards[card].name);
  const gpumm_sparse_product few = product (GPUMM_U16, GPUMM_U32, 4, 4, 4),
                             other = product (GPUMM_I8, GPUMM_I32, 3, 3, 3);
  take_sparse ("bsr_integer", &few, card);
  take_sparse ("bsr_integer", &other, card);
}

/* Does "auto" take blocks to the GPU? An estimate knows no more of a product than its operands. */
static void weigh_blocks (int card) {
  enum { LINES = 2000, EACH = 40 };
  static const struct {
    gpumm_type type, output;
    int64_t m;
    const char *algorithm;
  } kinds[] = {{GPUMM_U16, GPUMM_U32, 4, "bsr_integer"},
               {GPUMM_U16, GPUMM_U32, 8, "bsr_integer"},
               {GPUMM_D, GPUMM_D, 4, "bsr"},
               {GPUMM_S, GPUMM_S, 23, "bsr"},
               {GPUMM_U16, GPUMM_U16, 4, NULL},
               {GPUMM_U16, GPUMM_U32, 5, NULL},
               {GPUMM_I32, GPUMM_I32, 4, NULL}}; /* NULL: the CPU's unless the GPU is asked for */
  static int64_t lines[LINES + 1];
  static int32_t columns[LINES * EACH];
  for (int64_t i = 0; i <= LINES; i++)
    lines[i] = i * EACH;
  for (int i = 0; i < LINES * EACH; i++)
    columns[i] = i % EACH;
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    const gpumm_matrix a = {.format = GPUMM_BLOCKS,
                            .type = kinds[i].type,
                            .rows = LINES * kinds[i].m,
                            .cols = LINES * kinds[i].m,
                            .block_rows = kinds[i].m,
                            .block_cols = kinds[i].m,
                            .start = lines,
                            .block_column = columns,
                            .nzmax = LINES * EACH};
    const gpumm_plan plan =
        plan_of (&a, kinds[i].output, GPUMM_AUTO, card, 1e10, (gpumm_kernel_rates){0});
    CHECK (strcmp (plan.algorithm->name, kinds[i].algorithm ? kinds[i].algorithm : "blocks") == 0,
           "%s in %lld x %lld on %s: %s, %s", gpumm_type_name (a.type), (long long) kinds[i].m,
           (long long) kinds[i].m, cards[card].name, plan.algorithm->name, plan.reason);
  }
}

/* ---- the table ---------------------------------------------------------------------------- */

/* Do full products have cuBLAS, and blocks_slices cuBLASLt? A build machine may lack both. */
static int has_library (void) {
  const gpumm_product p = {.type = GPUMM_D, .m = 8, .n = 8, .k = 8};
  for (const gpumm_kernel *const *row = driver->kernels; *row; row++)
    if (strcmp ((*row)->name, "emulated") == 0)
      return (*row)->runs (&p, &cards[0]);
  return 0;
}

static void compare (void) {
  for (int i = 0; i < ROWS; i++) {
    char text[CARDS * 8] = "";
    for (int card = 0; card < CARDS; card++)
      if (taken[i] & 1u << card) {
        strcat (text, text[0] ? " " : "");
        strcat (text, cards[card].name);
      }
    CHECK (present[i], "%s: there is no such row", rows[i].name);
    CHECK (strcmp (text[0] ? text : "lesson", rows[i].taken) == 0,
           "%s: \"auto\" takes it on \"%s\"", rows[i].name, text);
  }
}

int main (int count, char **arguments) {
  const gpumm_driver *(*table) (void);
  void *library = count == 2 ? dlopen (arguments[1], RTLD_NOW | RTLD_LOCAL) : NULL;
  if (!library || !find_function (library, "gpumm_driver_table", &table)) {
    printf ("usage: test_taken LIBRARY (%s)\n", library ? "no driver" : dlerror ());
    return 2;
  }
  driver = context.driver = table ();
  for (const gpumm_kernel *const *row = driver->kernels; *row; row++)
    look_up ((*row)->name, (*row)->algorithm);
  for (const gpumm_sparse_kernel *const *row = driver->sparse_kernels; *row; row++)
    look_up ((*row)->name, (*row)->algorithm);
  if (strcmp (driver->name, "cuda") == 0 && has_library ()) {
    for (int card = 0; card < CARDS; card++) {
      take_full (card);
      take_all_sparse (card);
      weigh_blocks (card);
    }
    compare ();
  } else if (strcmp (driver->name, "cuda") == 0)
    printf ("SKIP: cards: cuBLAS cannot be used here\n");
  return check_done ();
}
