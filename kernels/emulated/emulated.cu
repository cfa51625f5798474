/* emulated.cu - products of floating-point numbers from products of 8-bit integers.
 *
 * What it does: Ozaki scheme II (arXiv 2504.08009; complex: 2512.08321). The rows of op(A) and the
 * columns of op(B) are scaled by powers of two and rounded to integers. Their residues modulo about
 * 14 small coprime numbers are int8, and tensor cores multiply these, modulus by modulus. The
 * Chinese remainder theorem gives the exact product from the residues of the product, and one
 * rounding makes it a floating-point number. INT8 tensor cores are 25 times as fast as those for
 * double on an H200, and they are the only fast way on cards whose FP64 rate is a 64th of FP32.
 *
 * The only error is the bits of each element dropped by scaling. How many moduli keep enough bits
 * depends on the data, so the data are examined first (operand.h), and choice.h decides: the fewest
 * moduli with an error no larger than that of native arithmetic and a bound of k eps |A||B| for any
 * data. With NaN, Inf or exponents too far apart, native arithmetic is used. If rows and columns
 * are short enough integers times a power of two, nothing is rounded and C is exact.
 * docs/accuracy.md has the proofs.
 *
 * What limits it: for large products, INT8 tensor cores; below about 4096, the passes over memory
 * that compute residues and read their products.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "kernel.h"
#include "int8.h"
#include "int8_product.h"

extern "C" {
extern const gpumm_kernel gpumm_family_cublas[];
}

/* ---- workspace ---------------------------------------------------------------------------- */

/* Fewest native dot products to examine, and most products in all of them. */
static const int64_t LEAST_SAMPLES = 16, SAMPLED_PRODUCTS = 1 << 22;

/* A C with fewer elements leaves multiprocessors idle (132 tiles of 128 x 128 fill an H200), so
 * libraries split k, more for a smaller C, and have smaller errors. One thread sums stretches of a
 * few terms. */
static const int64_t SPLIT_BELOW = 1 << 21, SHORTEST_STRETCH = 64;

/* Terms that a library sums one after the other, estimated from its errors; 0: all. */
static int64_t native_stretch (int64_t elements, int64_t k) {
  if (elements >= SPLIT_BELOW)
    return 0;
  double stretch = (double) k / 32 * (double) elements / (double) SPLIT_BELOW;
  return stretch > (double) SHORTEST_STRETCH ? (int64_t) stretch : SHORTEST_STRETCH;
}

/* The workspace asked for is at most this part of the device's memory, but in any case this much:
 * all residues of both operands of 16384 x 16384 on an H200. */
static const int64_t WORKSPACE_PART = 12;
static const double LEAST_WORKSPACE = (double) (1 << 30);

/* Blocks that fill any GPU, for kernels in which each takes many elements in turn. */
static const int64_t FILLING = 4096;

/* Rows or columns of tiles of C whose operands' residues are kept. */
enum { MOST_KEPT = 16 };

struct workspace {
  operand_record *records; /* MOST_KEPT of A, then of B */
  findings *found;
  kappas *worst;
  operand_vectors a, b; /* of this tile's */
  char *int8;
  int8_t *kept_a, *kept_b; /* where the residues of this tile's operands are kept, or NULL */
  char *panels;
};

static int is_complex_type (gpumm_type type) {
  return type == GPUMM_C || type == GPUMM_Z;
}

static int is_single_type (gpumm_type type) {
  return type == GPUMM_S || type == GPUMM_C;
}

/* Planes that there is memory for: of the moduli that ordinary data take, with some to spare. */
static int provided_planes (gpumm_type type) {
  return (is_single_type (type) ? 8 : 16) * (is_complex_type (type) ? 3 : 1);
}

static void take_vectors (parts *from, int64_t count, operand_vectors *x) {
  from->take (x->top, count);
  from->take (x->low, count);
  from->take (x->squares, count);
  from->take (x->bins, count * LEVEL_BINS);
  from->take (x->norm, count);
  from->take (x->weight, count);
  from->take (x->exponent, count);
}

/* The operand from its vector first on, with that record. */
static void go_to (operand_vectors *x, int64_t first, operand_record *record) {
  x->top += first;
  x->low += first;
  x->squares += first;
  x->bins += first * LEVEL_BINS;
  x->norm += first;
  x->weight += first;
  x->exponent += first;
  x->facts = &record->facts;
  x->kept = &record->kept;
}

/* Can the facts about a tile's operands be kept for other tiles, if there is memory for them? */
static bool may_keep (const gpumm_product *p) {
  return p->tiling.down > 0 && p->tiling.down <= MOST_KEPT && p->tiling.across <= MOST_KEPT
         && p->k > 0 && p->k <= MOST_DEPTH;
}

/* Lays out all but the panels, which take the rest. */
static size_t lay_out (const gpumm_product *p, bool keep, workspace *w) {
  gpumm_tiling alone = {1, 1, p->m, p->n, 0, 0, 0, 0};
  const gpumm_tiling &t = keep ? p->tiling : alone;
  parts from (p->workspace);
  from.take (w->records, 2 * MOST_KEPT);
  from.take (w->found, 1);
  from.take (w->worst, 1);
  take_vectors (&from, t.down * t.m, &w->a);
  take_vectors (&from, t.across * t.n, &w->b);
  from.take (w->int8, (int64_t) INT8_WORKSPACE);
  if (keep) {
    int64_t vector = provided_planes (p->type) * round_up (p->k, DEPTH_UNIT);
    int64_t a = round_up (t.m, VECTOR_UNIT) * vector, b = round_up (t.n, VECTOR_UNIT) * vector;
    from.take (w->kept_a, t.down * a);
    from.take (w->kept_b, t.across * b);
    if (from.base) {
      w->kept_a += t.row * a;
      w->kept_b += t.col * b;
    }
  }
  if (from.base) {
    w->panels = from.base + from.used;
    go_to (&w->a, t.row * t.m, w->records + t.row);
    go_to (&w->b, t.col * t.n, w->records + MOST_KEPT + t.col);
  }
  return from.used;
}

/* For panels of any number of moduli. */
static double least_panels (gpumm_type type, int64_t m, int64_t n, int64_t k) {
  int planes = MOST_MODULI * (is_complex_type (type) ? 3 : 1);
  return choose_panels (m, n, k, planes, LEAST_WORKSPACE).bytes ();
}

/* The workspace for keeping residues. If the data need more moduli than it has planes for, panels
 * are used. */
static double keeping_bytes (const gpumm_product *p) {
  const gpumm_tiling &t = p->tiling;
  gpumm_product sizes = *p;
  workspace w = {};
  sizes.workspace = NULL;
  double products = whole_panels (t.m, t.n, p->k, provided_planes (p->type)).product_bytes ();
  double panels = least_panels (p->type, t.m, t.n, p->k);
  return (double) lay_out (&sizes, true, &w) + (products > panels ? products : panels);
}

static size_t workspace_bytes (const gpumm_product *p, const gpumm_device_properties *device) {
  gpumm_product sizes = *p;
  workspace w = {};
  sizes.workspace = NULL;
  if (p->m == 0 || p->n == 0 || p->k == 0)
    return 0;
  double room = (double) (device->memory_total / WORKSPACE_PART);
  room = room < LEAST_WORKSPACE ? LEAST_WORKSPACE : room;
  double wanted = choose_panels (p->m, p->n, p->k, provided_planes (p->type), room).bytes ();
  double most = least_panels (p->type, p->m, p->n, p->k);
  double bytes = (double) lay_out (&sizes, false, &w) + (wanted > most ? wanted : most);
  double keeping = may_keep (p) ? keeping_bytes (p) : 0;
  return (size_t) (keeping > bytes && keeping <= room ? keeping : bytes);
}

/* ---- the choice of moduli ----------------------------------------------------------------- */

/* Converts the facts on the device to plain doubles and floats. */
static void settle (operand_facts *x) {
  bool none = x->norm == 0; /* a matrix of zeros */
  x->norm = none ? 0 : x->norm - FACT_OFFSET;
  x->exact = none ? 0 : x->exact - FACT_OFFSET;
}

/* Operations in 8 bits that may be queued: 12 ms of an H200. */
static const double MOST_QUEUED = 2e13;

/* What is kept of the operands of one launch. */
struct kept_operands {
  scaling a, b;
};

/* known: the facts about an operand are there from an earlier launch. */
template <class T>
static gpumm_status learn_all (int device, gpumm_stream *stream, const workspace &w,
                               const operand_view<T> &a, const operand_view<T> &b,
                               const gpumm_tiling &t, product_facts *facts, kept_operands *kept) {
  const operand_record *of_a = w.records + t.row, *of_b = w.records + MOST_KEPT + t.col;
  findings back;
  int64_t samples = SAMPLED_PRODUCTS / a.k;
  samples = samples > MOST_SAMPLES ? MOST_SAMPLES : samples;
  samples = samples < LEAST_SAMPLES ? LEAST_SAMPLES : samples;
  if (!t.known_a)
    TRY (learn (device, stream, a, w.a));
  if (!t.known_b)
    TRY (learn (device, stream, b, w.b));
  TRY (LAUNCH ("sample_native", (sample_native<T>), samples, dim3 (32), device, stream, a, b, of_a,
               of_b, w.a.top, w.b.top, native_stretch (a.count * b.count, a.k), w.found));
  TRY (gpumm_cuda_read_back (device, stream, &back, w.found,
                             offsetof (findings, errors) + (size_t) samples * sizeof *back.errors));
  *facts = {back.a.facts, back.b.facts, {}};
  *kept = {back.a.kept, back.b.kept};
  settle (&facts->a);
  settle (&facts->b);
  for (int64_t i = 0; i < samples; i++)
    if (back.errors[i] > 0) {
      facts->native.squares += back.errors[i];
      facts->native.count++;
    }
  return GPUMM_OK;
}

static const kept_residues NOT_KEPT[2] = {{NULL, false}, {NULL, false}};

/* The kappas of the data, from a product of levels. */
template <class T>
static gpumm_status measure_kappas (int device, gpumm_stream *stream, const workspace &w,
                                    double room, const product_facts &facts,
                                    const operand_view<T> &a, const operand_view<T> &b,
                                    kappas *worst) {
  int drop = 0; /* bits, so that int32 holds the sums of all k */
  while ((double) ((127 >> drop) * (127 >> drop)) * (double) a.k >= 2147483648.0)
    drop++;
  bool masked = facts.a.zeros && facts.b.zeros;
  float units = (float) (1 << 2 * drop);
  *worst = kappas{0, 0};
  TRY (fill (device, stream, w.worst, 0, sizeof *w.worst));
  TRY (for_parts (
      w.panels, room, masked ? 2 : 1, a, b, NOT_KEPT,
      [&] (int which, const operand_view<T> &x, const residue_planes &planes) {
        return take_levels (device, stream, x, (which ? w.b : w.a).top + x.v0, drop, masked,
                            planes);
      },
      [&] (const residue_planes &x, const residue_planes &y, const product_planes &products,
           int64_t k, bool add) {
        return multiply_planes (device, stream, x, y, products, k, masked ? 2 : 1, add, w.int8);
      },
      [&] (int64_t i0, int64_t j0, const product_planes &products) {
        int64_t blocks = ceil_div (products.rows * products.cols, EMULATED_THREADS);
        return LAUNCH ("find_kappas", find_kappas, blocks < FILLING ? blocks : FILLING,
                       dim3 (EMULATED_THREADS), device, stream, products, masked, a.k, units, w.a,
                       i0, w.b, j0, w.worst);
      }));
  return gpumm_cuda_read_back (device, stream, worst, w.worst, sizeof *worst);
}

/* First from the facts about each vector. If these leave open whether two or more moduli could be
 * saved, a product of levels is computed, which costs as much as a modulus. More than most moduli
 * are no option. */
template <class T>
static gpumm_status decide (int device, gpumm_stream *stream, const workspace &w, double room,
                            const operand_view<T> &a, const operand_view<T> &b,
                            const gpumm_tiling &t, double eps, int most, choice *chosen,
                            kept_operands *kept, const char **why) {
  bool complexes = part_count<T>::VALUE == 2;
  product_facts x;
  *chosen = choice{};
  TRY (learn_all (device, stream, w, a, b, t, &x, kept));
  if (x.a.bad || x.b.bad) {
    *why = "NaN or Inf";
    return GPUMM_OK;
  }
  *why = "exponents far apart";
  choice fewest =
      choose_moduli (x.a, x.b, least_kappas (x.a, x.b), x.native, MEASURED, a.k, complexes, eps);
  *chosen = choose_moduli (x.a, x.b, kappas_of_histograms (x.a, x.b, a.k), x.native, BOUNDED, a.k,
                           complexes, eps);
  if (fewest.count != 0 && fewest.count <= most
      && (chosen->count == 0 || chosen->count > fewest.count + 1)) {
    kappas worst;
    TRY (measure_kappas (device, stream, w, room, x, a, b, &worst));
    *chosen = choose_moduli (x.a, x.b, worst, x.native, MEASURED, a.k, complexes, eps);
  }
  if (chosen->count > most) {
    *why = "faster for such data";
    *chosen = choice{};
  }
  return GPUMM_OK;
}

/* ---- the whole ---------------------------------------------------------------------------- */

template <class T>
static gpumm_status multiply (int device, gpumm_stream *stream, const gpumm_product *p,
                              const arguments<T> &x, const workspace &w, double room,
                              const operand_view<T> &a, const operand_view<T> &b,
                              const kept_operands &known, const choice &chosen) {
  int64_t threads = EMULATED_THREADS;
  residue_table tables[2] = {make_residue_table (chosen.count, chosen.words, 1),
                             make_residue_table (chosen.count, chosen.words, 0)};
  crt_table crt = make_crt_table (chosen.count);
  int planes = chosen.count * part_count<T>::PLANES;
  bool keeps = w.kept_a && planes <= provided_planes (p->type);
  scaling scaling_a = {chosen.count, chosen.words, chosen.bits_a};
  scaling scaling_b = {chosen.count, chosen.words, chosen.bits_b}, none = {};
  kept_residues kept[2] = {{keeps ? w.kept_a : NULL, is_same (known.a, scaling_a)},
                           {keeps ? w.kept_b : NULL, is_same (known.b, scaling_b)}};
  if (!kept[0].ready)
    TRY (LAUNCH ("set_exponents", set_exponents, ceil_div (x.m, threads), dim3 (EMULATED_THREADS),
                 device, stream, w.a, x.m, chosen.bits_a, keeps ? scaling_a : none));
  if (!kept[1].ready)
    TRY (LAUNCH ("set_exponents", set_exponents, ceil_div (x.n, threads), dim3 (EMULATED_THREADS),
                 device, stream, w.b, x.n, chosen.bits_b, keeps ? scaling_b : none));
  double queued = 0;
  return for_parts (
      w.panels, room, planes, a, b, kept,
      [&] (int which, const operand_view<T> &part, const residue_planes &to) {
        return quantise (device, stream, part, (which ? w.b : w.a).exponent + part.v0,
                         tables[which], to);
      },
      [&] (const residue_planes &rows, const residue_planes &cols, const product_planes &products,
           int64_t k, bool add) {
        int64_t total = products.plane * planes;
        gpumm_status done = GPUMM_OK;
        if (add)
          done = LAUNCH ("reduce_planes", reduce_planes, ceil_div (total, 4 * threads),
                         dim3 (EMULATED_THREADS), device, stream, products, total, crt);
        if (!done)
          done = multiply_planes (device, stream, rows, cols, products, k, planes, add, w.int8);
        if (!done)
          done = pace (device, stream, 2.0 * (double) total * (double) k, MOST_QUEUED, &queued);
        return done;
      },
      [&] (int64_t i0, int64_t j0, const product_planes &products) {
        return reconstruct_panel (device, stream, products, crt, w.a.exponent + i0,
                                  w.b.exponent + j0, x.alpha, x.beta, x.c + i0 + j0 * p->ldc,
                                  p->ldc);
      });
}

/* Where the dither of each operand begins: far apart. */
static const uint64_t SALT_A = 0, SALT_B = UINT64_C (1) << 62;

static void say (const gpumm_product *p, const choice &chosen, const char *why) {
  if (!p->note)
    return;
  if (chosen.count == 0)
    snprintf (p->note, GPUMM_NOTE_BYTES, "native: %s", why);
  else
    snprintf (p->note, GPUMM_NOTE_BYTES, "%d moduli%s", chosen.count,
              chosen.bits_a == EXACT && chosen.bits_b == EXACT ? ", exact" : "");
}

template <class T>
static gpumm_status launch_emulated_as (int device, gpumm_stream *stream, const gpumm_product *p) {
  arguments<T> x (p);
  if (x.m == 0 || x.n == 0)
    return GPUMM_OK;
  if (x.k == 0) /* C = beta C */
    return gpumm_family_cublas[0].launch (device, stream, p);
  if (!int8_usable ())
    return gpumm_driver_fail (GPUMM_UNSUPPORTED, "%s", lt.why);
  workspace w = {};
  bool keep = may_keep (p) && keeping_bytes (p) <= (double) p->workspace_bytes;
  gpumm_tiling t = keep ? p->tiling : gpumm_tiling{};
  size_t used = lay_out (p, keep, &w);
  if (!p->workspace || p->workspace_bytes < used)
    return gpumm_driver_fail (GPUMM_INTERNAL, "emulated: %zu bytes of workspace are too few",
                              p->workspace_bytes);
  double room = (double) (p->workspace_bytes - used);
  operand_view<T> a = {x.a, p->lda, x.m,   x.k, p->op_a != GPUMM_NONE, p->op_a == GPUMM_CTRANSPOSE,
                       0,   0,      SALT_A};
  operand_view<T> b = {x.b, p->ldb, x.n,   x.k, p->op_b == GPUMM_NONE, p->op_b == GPUMM_CTRANSPOSE,
                       0,   0,      SALT_B};
  choice chosen;
  kept_operands kept;
  const char *why = "";
  double eps = std::numeric_limits<typename real_part<T>::type>::epsilon ();
  int most = worthwhile_moduli (p->gain, is_single_type (p->type));
  TRY (decide (device, stream, w, room, a, b, t, eps, most, &chosen, &kept, &why));
  say (p, chosen, why);
  if (chosen.count == 0)
    return gpumm_family_cublas[0].launch (device, stream, p);
  return multiply (device, stream, p, x, w, room, a, b, kept, chosen);
}

static gpumm_status launch_emulated (int device, gpumm_stream *stream, const gpumm_product *p) {
  WITH_TYPE (p->type, T, return launch_emulated_as<T> (device, stream, p));
}

static int runs_emulated (const gpumm_product *p, const gpumm_device_properties *device) {
  return int8_usable () && gpumm_family_cublas[0].runs (p, device);
}

/* From this n on it was faster than cuBLAS on an H200 in double; in complex double from 2600, in
 * single from 2200, in complex single from 1500 (between the sizes of
 * bench/results/h200/emulated.csv). */
static const int64_t FASTER_FROM = 5000;

FAMILY_ROWS (emulated) = {
    /* algorithm, name, types, tile m n k, thread m n, capability, from, runs, launch, workspace,
     * waits, smallest tile: 2048 took 22 ms instead of 20 in single at 8192, end to end on an H200
     * (bench/results/h200/auto.csv) */
    {"emulated", "emulated", ALL_TYPES, 1, 1, 1, 1, 1, INT8_CAPABILITY, FASTER_FROM, runs_emulated,
     launch_emulated, workspace_bytes, 1, PRODUCT_ROWS},
    {},
};

/* ---- for others ---------------------------------------------------------------------------- */

const size_t gpumm_int8_workspace = INT8_WORKSPACE;

bool gpumm_int8_usable (void) {
  return int8_usable ();
}

gpumm_status gpumm_int8_multiply (int device, gpumm_stream *stream, const int8_matrix &a,
                                  const int8_matrix &b, int32_t *d, int64_t ld, int64_t k, bool add,
                                  void *workspace) {
  return multiply_planes (device, stream, {(int8_t *) a.to, a.ld, a.vectors, 0},
                          {(int8_t *) b.to, b.ld, b.vectors, 0}, {d, ld, a.vectors, b.vectors, 0},
                          k, 1, add, workspace);
}
