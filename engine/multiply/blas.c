/* blas.c - full products on the CPU through the BLAS that this process already uses.
 *
 * In Octave this is Octave's own BLAS, so gpumm has the speed and the results of `*`. library.c
 * finds it at first use. As in Octave, A*A' and A'*A use syrk and herk (half the operations), and
 * vectors use gemv.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "blas.h"
#include "gpumm_blas.h"
#include "algorithm.h"
#include "base/cancel.h"
#include "base/error.h"
#include "base/progress.h"
#include "base/threads.h"
#include "base/types.h"
#include "plan/work.h"
#include "real_by_complex.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

/* ---- the library -------------------------------------------------------------------------- */

/* Fortran integers have 32 bits in most builds and 64 in some. They are passed by reference, so a
 * 64-bit variable fits both on a little-endian machine. The lengths of character arguments come
 * last. */
typedef void (*gemm_t) (const char *, const char *, const int64_t *, const int64_t *,
                        const int64_t *, const void *, const void *, const int64_t *, const void *,
                        const int64_t *, const void *, void *, const int64_t *, size_t, size_t);
typedef void (*gemv_t) (const char *, const int64_t *, const int64_t *, const void *, const void *,
                        const int64_t *, const void *, const int64_t *, const void *, void *,
                        const int64_t *, size_t);
typedef float (*sdot_t) (const int64_t *, const void *, const int64_t *, const void *,
                         const int64_t *);
typedef double (*ddot_t) (const int64_t *, const void *, const int64_t *, const void *,
                          const int64_t *);
typedef void (*syrk_t) (const char *, const char *, const int64_t *, const int64_t *, const void *,
                        const void *, const int64_t *, const void *, void *, const int64_t *,
                        size_t, size_t);

static struct {
  gemm_t gemm[4]; /* by type S, D, C, Z */
  gemv_t gemv[4];
  sdot_t sdot; /* libraries differ in how complex dot products return their value */
  ddot_t ddot;
  syrk_t syrk[4], herk[4];
  int64_t largest;           /* largest value of a Fortran integer */
  int is_plain;              /* reference BLAS or an unknown one, assumed slow */
  int (*threads) (void);     /* the number of its threads; NULL if it cannot tell */
  void (*set_threads) (int); /* NULL if it cannot be told */
  int is_openmp;             /* each thread has to be told */
  char why[256];             /* why there is no BLAS, or "" */
} blas;

static void *find (const char *name) {
  void *symbol = gpumm_blas_symbol (name);
  if (!symbol && !blas.why[0])
    snprintf (blas.why, sizeof blas.why, "no BLAS in this process has %s", name);
  return symbol;
}

static void look_up (void) {
  static const char letters[] = "sdcz";
  for (int t = 0; t < 4; t++) {
    char name[16];
    snprintf (name, sizeof name, "%cgemm_", letters[t]);
    blas.gemm[t] = (gemm_t) find (name);
    snprintf (name, sizeof name, "%cgemv_", letters[t]);
    blas.gemv[t] = (gemv_t) find (name);
    snprintf (name, sizeof name, "%csyrk_", letters[t]);
    blas.syrk[t] = (syrk_t) find (name);
    snprintf (name, sizeof name, "%cherk_", letters[t]);
    blas.herk[t] = t < GPUMM_C ? blas.syrk[t] : (syrk_t) find (name);
  }
  blas.sdot = (sdot_t) find ("sdot_");
  blas.ddot = (ddot_t) find ("ddot_");
  static const struct {
    const char *mark, *threads, *set_threads;
  } fast[] = {{"openblas_get_config", "openblas_get_num_threads", "openblas_set_num_threads"},
              {"MKL_Get_Version_String", "MKL_Get_Max_Threads", NULL},
              {"bli_info_get_version_str", NULL, NULL},
              {"flexiblas_get_version", "flexiblas_get_num_threads", NULL},
              {"armplversion", NULL, NULL}};
  blas.is_plain = 1;
  for (size_t i = 0; i < sizeof fast / sizeof *fast && blas.is_plain; i++) {
    blas.is_plain = !gpumm_blas_symbol (fast[i].mark);
    if (!blas.is_plain && fast[i].threads)
      blas.threads = (int (*) (void)) gpumm_blas_symbol (fast[i].threads);
    if (!blas.is_plain && fast[i].set_threads)
      blas.set_threads = (void (*) (int)) gpumm_blas_symbol (fast[i].set_threads);
  }
  /* 0: no threads, 1: its own, 2: OpenMP's */
  int (*parallel) (void) = (int (*) (void)) gpumm_blas_symbol ("openblas_get_parallel");
  blas.is_openmp = !parallel || parallel () == 2;
  blas.largest = gpumm_blas_bits () == 64 ? INT64_MAX : INT32_MAX;
}

static gpumm_status open_blas (void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once (&once, look_up);
  return blas.why[0] ? gpumm_fail (GPUMM_UNSUPPORTED, "%s", blas.why) : GPUMM_OK;
}

/* ---- calls from several threads ----------------------------------------------------------- */

/* OpenBLAS computes a product above 64 x 64 x 64 with its own threads, one call at a time. Told to
 * use one thread, it computes each call in the calling thread. The setting is the whole library's,
 * or with OpenMP the calling thread's. OpenBLAS does not guard it: two threads must not set it at
 * once. */
static struct {
  pthread_mutex_t lock;
  int callers; /* of gpumm_blas_begin_threads */
  int threads; /* of the library before the first of them */
} shared = {.lock = PTHREAD_MUTEX_INITIALIZER};

int gpumm_blas_begin_threads (void) {
  if (open_blas () || (!blas.is_plain && !(blas.threads && blas.set_threads)))
    return 0;
  if (blas.is_plain)
    return gpumm_threads ();
  pthread_mutex_lock (&shared.lock);
  if (shared.callers++ == 0) {
    shared.threads = blas.threads ();
    blas.set_threads (1);
  }
  const int threads = shared.threads;
  pthread_mutex_unlock (&shared.lock);
  return (int) gpumm_least (threads, gpumm_threads ());
}

void gpumm_blas_alone (void) {
  if (blas.is_plain || !blas.is_openmp)
    return;
  pthread_mutex_lock (&shared.lock);
  blas.set_threads (1);
  pthread_mutex_unlock (&shared.lock);
}

void gpumm_blas_end_threads (void) {
  if (blas.is_plain)
    return;
  pthread_mutex_lock (&shared.lock);
  if (--shared.callers == 0)
    blas.set_threads (shared.threads);
  pthread_mutex_unlock (&shared.lock);
}

/* ---- pieces ------------------------------------------------------------------------------- */

static char letter (gpumm_op op) {
  return op == GPUMM_NONE ? 'N' : op == GPUMM_TRANSPOSE ? 'T' : 'C';
}

/* C = beta C, for a product without terms; beta = 0 does not read C. */
#define SCALE(name, real)                                                                          \
  static void name (const gpumm_product *p) {                                                      \
    const real re = (real) p->beta.re, im = (real) p->beta.im;                                     \
    const int parts = gpumm_is_complex (p->type) ? 2 : 1;                                          \
    for (int64_t j = 0; j < p->n && !gpumm_is_cancelled (); j++) {                                 \
      real *c = (real *) p->c + parts * j * p->ldc;                                                \
      if (re == 0 && im == 0)                                                                      \
        memset (c, 0, (size_t) (parts * p->m) * sizeof *c);                                        \
      else                                                                                         \
        for (int64_t i = 0; i < parts * p->m; i += parts) {                                        \
          const real x = c[i], y = c[i + parts - 1];                                               \
          c[i + parts - 1] = re * y + im * x;                                                      \
          c[i] = parts == 1 ? re * x : re * x - im * y;                                            \
        }                                                                                          \
    }                                                                                              \
  }
SCALE (scale_single, float)
SCALE (scale_double, double)

/* The upper triangle of op (A) op (A)', by syrk or, if `conjugate`, by herk. */
static void triangle_product (const gpumm_product *p, int conjugate) {
  char trans = p->op_a == GPUMM_NONE ? 'N' : conjugate ? 'C' : 'T';
  syrk_t routine = conjugate ? blas.herk[p->type] : blas.syrk[p->type];
  /* herk takes real scalars, which are the first bytes of complex ones */
  const gpumm_typed_scalar alpha = gpumm_scalar_of (p->type, p->alpha),
                           beta = gpumm_scalar_of (p->type, p->beta);
  routine ("U", &trans, &p->n, &p->k, &alpha, p->a, &p->lda, &beta, p->c, &p->ldc, 1, 1);
}

/* A row by a column, c = alpha x'y + beta c; gemv would use one thread. */
static void dot (const gpumm_product *p) {
  int64_t step_x = p->op_a == GPUMM_NONE ? p->lda : 1, step_y = p->op_b == GPUMM_NONE ? 1 : p->ldb;
  const int reads = !gpumm_is_zero (p->beta);
  if (p->type == GPUMM_S) {
    const float old = reads ? (float) p->beta.re * *(float *) p->c : 0;
    *(float *) p->c = old + (float) p->alpha.re * blas.sdot (&p->k, p->a, &step_x, p->b, &step_y);
  } else {
    const double old = reads ? p->beta.re * *(double *) p->c : 0;
    *(double *) p->c = old + p->alpha.re * blas.ddot (&p->k, p->a, &step_x, p->b, &step_y);
  }
}

/* y = alpha op (M) x + beta y with M = A, x = B's column or M = B', x = A's row. */
static void vector (const gpumm_product *p) {
  const gpumm_typed_scalar alpha = gpumm_scalar_of (p->type, p->alpha),
                           beta = gpumm_scalar_of (p->type, p->beta);
  const int column = p->n == 1, plain_b = p->op_b == GPUMM_NONE;
  const char trans = column ? letter (p->op_a) : plain_b ? 'T' : 'N';
  const int64_t length = column ? p->m : p->n, one = 1; /* of y */
  const int64_t rows = trans == 'N' ? length : p->k, cols = trans == 'N' ? p->k : length;
  if (column)
    blas.gemv[p->type](&trans, &rows, &cols, &alpha, p->a, &p->lda, p->b, plain_b ? &one : &p->ldb,
                       &beta, p->c, &one, 1);
  else
    blas.gemv[p->type](&trans, &rows, &cols, &alpha, p->b, &p->ldb, p->a,
                       p->op_a == GPUMM_NONE ? &p->lda : &one, &beta, p->c, &p->ldc, 1);
}

/* gemv can conjugate its matrix but not its vector, so gemm takes these cases. */
static int is_vector (const gpumm_product *p) {
  int conjugates = gpumm_is_complex (p->type);
  if (p->n == 1)
    return !(conjugates && p->op_b == GPUMM_CTRANSPOSE);
  if (p->m == 1)
    return !(conjugates && (p->op_a == GPUMM_CTRANSPOSE || p->op_b == GPUMM_CTRANSPOSE));
  return 0;
}

static void matrix (const gpumm_product *p) {
  char trans_a = letter (p->op_a), trans_b = letter (p->op_b);
  const gpumm_typed_scalar alpha = gpumm_scalar_of (p->type, p->alpha),
                           beta = gpumm_scalar_of (p->type, p->beta);
  blas.gemm[p->type](&trans_a, &trans_b, &p->m, &p->n, &p->k, &alpha, p->a, &p->lda, p->b, &p->ldb,
                     &beta, p->c, &p->ldc, 1, 1);
}

/* ---- pieces of a product ------------------------------------------------------------------ */

typedef enum { GEMM, GEMV, SYRK, HERK, DOT, ROUTINES } routine;

static routine choose (const gpumm_product *p) {
  const int conjugates = p->symmetry == GPUMM_HERMITIAN;
  if (p->m == 1 && p->n == 1 && !gpumm_is_complex (p->type))
    return DOT;
  if (is_vector (p))
    return GEMV;
  /* neither syrk nor herk takes A.' conj (A) or A' A.' */
  if (p->symmetry == GPUMM_GENERAL || p->m == 1
      || (gpumm_is_complex (p->type)
          && p->op_a == (conjugates ? GPUMM_TRANSPOSE : GPUMM_CTRANSPOSE)))
    return GEMM;
  return conjugates ? HERK : SYRK;
}

/* A BLAS routine cannot be stopped, so each call is limited to about 0.1 s of work. The limit
 * depends on the kind of processor and the number of threads, not on measurements, because the
 * rounding of a sum depends on how the product is cut. */
static const double PLAIN_OPERATIONS = 1e8, VECTOR_OPERATIONS = 2e8;

/* Products are cut along k first, in steps that libraries take inside anyway, and then by columns
 * of C. Measured on two cores: 6000 x 6000 x 700 loses nothing in steps of 384, 0 to 4 % in parts
 * of 1024 columns, more in parts of rows, 5 % in steps of 128. Single 4096 x 4096 x 4096 loses 0 to
 * 1 % in steps of 320, 2 to 4 % in steps of 384. */
static const int64_t step_of[] = {320, 384, 256, 256}; /* [GPUMM_S ... GPUMM_Z] */
enum { NARROW = 512, ROUNDED_TO = 64 };

static double operations (const gpumm_product *p, routine r) {
  const double each = (gpumm_is_complex (p->type) ? 8 : 2) * (r == SYRK || r == HERK ? 0.5 : 1);
  return each * (double) p->m * (double) p->n * (double) p->k;
}

/* The operations of one thread of a fast library in about 0.1 s, by vector width and fused
 * multiply-add. */
static double matrix_operations (void) {
#if defined(__x86_64__) && defined(__GNUC__)
  if (__builtin_cpu_supports ("avx512f"))
    return 4.5e9;
  if (__builtin_cpu_supports ("avx2") && __builtin_cpu_supports ("fma"))
    return 3.3e9;
#endif
  return 1e9;
}

/* The most operations of one call. */
static double most_operations (const gpumm_product *p, routine r) {
  const double single = gpumm_is_single (p->type) ? 2 : 1;
  if (r == GEMV || r == DOT) /* limited by memory bandwidth */
    return VECTOR_OPERATIONS * single;
  if (blas.is_plain)
    return PLAIN_OPERATIONS * single;
  int threads = gpumm_threads ();
  if (blas.threads && blas.threads () > 0)
    threads = (int) gpumm_least (threads, blas.threads ());
  return matrix_operations () * threads * single;
}

static void call (const gpumm_product *p, routine r) {
  switch (r) {
  case DOT:
    dot (p);
    break;
  case GEMV:
    vector (p);
    break;
  case SYRK:
  case HERK:
    triangle_product (p, r == HERK);
    break;
  default:
    matrix (p);
  }
}

/* The length of `count` equal pieces of size, at most largest. */
static int64_t even (int64_t size, int64_t count, int64_t largest) {
  const int64_t piece = gpumm_pieces (gpumm_pieces (size, count), ROUNDED_TO) * ROUNDED_TO;
  return gpumm_least (gpumm_least (piece, size), largest);
}

/* The piece of m x n x k for one call. A step along k is a multiple of step_of, or half of k if k
 * is below two steps. Parts of C are whole columns, if they are at least NARROW wide. */
static void piece_size (const gpumm_product *p, routine r, int64_t largest, gpumm_product *piece) {
  const double work = operations (p, r);
  /* asking for the limit takes as long as a product of 16 x 16 */
  const double calls = work <= PLAIN_OPERATIONS ? 0 : work / most_operations (p, r);
  int64_t step = p->k, parts = 1;
  if (calls > 1) {
    const int64_t shortest = step_of[p->type];
    const int64_t steps = (int64_t) ((double) p->k / calls) / shortest;
    if (p->k >= 2 * shortest)
      step = steps > 1 ? steps * shortest : shortest;
    else if (p->k > shortest)
      step = gpumm_pieces (p->k, 2);
    parts = (int64_t) ceil (calls * (double) step / (double) p->k);
  }
  const int64_t wide = gpumm_least (parts, p->n / NARROW > 1 ? p->n / NARROW : 1);
  *piece = *p;
  piece->k = gpumm_least (step, largest);
  piece->m = even (p->m, gpumm_pieces (parts, wide), largest);
  piece->n = even (p->n, wide, largest);
}

/* Steps along k accumulate in C. */
static gpumm_status add_up (const gpumm_product *p, routine r, int64_t step) {
  gpumm_status status = GPUMM_OK;
  for (int64_t l = 0; l < p->k && !status; l += step) {
    gpumm_product piece = *p;
    piece.k = gpumm_least (p->k - l, step);
    piece.a = gpumm_element_at (p->a, p->lda, p->op_a, 0, l, p->type);
    piece.b = gpumm_element_at (p->b, p->ldb, p->op_b, l, 0, p->type);
    if (l > 0)
      piece.beta = (gpumm_scalar){1, 0};
    call (&piece, r);
    gpumm_progress_add (operations (&piece, r));
    status = gpumm_check_cancelled ();
  }
  return status;
}

static gpumm_status multiply (const gpumm_product *p, routine r, int64_t largest) {
  gpumm_status status = GPUMM_OK;
  gpumm_product size;
  piece_size (p, r, largest, &size);
  for (int64_t j = 0; j < p->n && !status; j += size.n)
    for (int64_t i = 0; i < p->m && !status; i += size.m) {
      const gpumm_product piece = gpumm_product_tile (p, i, size.m, j, size.n);
      status = add_up (&piece, r, size.k);
    }
  return status;
}

/* The upper triangle: syrk or herk on the diagonal, gemm above. */
static gpumm_status multiply_symmetric (const gpumm_product *p, routine r, int64_t largest) {
  gpumm_status status = GPUMM_OK;
  gpumm_product size;
  piece_size (p, r, largest, &size);
  const int64_t side = gpumm_least (size.m, size.n);
  for (int64_t j = 0; j < p->n && !status; j += side) {
    const int64_t n = gpumm_least (p->n - j, side);
    if (j > 0) {
      const gpumm_product above = gpumm_product_tile (p, 0, j, j, n);
      status = multiply (&above, GEMM, largest);
    }
    const gpumm_product diagonal = gpumm_product_tile (p, j, n, j, n);
    if (!status)
      status = add_up (&diagonal, r, size.k);
  }
  return status;
}

/* ---- the whole ---------------------------------------------------------------------------- */

gpumm_status gpumm_blas_product (const gpumm_product *product, int64_t largest,
                                 const char **kernel) {
  static const char *const names[ROUTINES][4] = {[GEMM] = {"sgemm", "dgemm", "cgemm", "zgemm"},
                                                 [GEMV] = {"sgemv", "dgemv", "cgemv", "zgemv"},
                                                 [SYRK] = {"ssyrk", "dsyrk", "csyrk", "zsyrk"},
                                                 [HERK] = {"ssyrk", "dsyrk", "cherk", "zherk"},
                                                 [DOT] = {"sdot", "ddot"}};
  gpumm_status status = open_blas ();
  if (status)
    return status;
  gpumm_product p = *product;
  if (p.lda > blas.largest || p.ldb > blas.largest || p.ldc > blas.largest)
    return gpumm_fail (GPUMM_UNSUPPORTED,
                       "this BLAS counts in 32 bits: columns longer than %lld are too long for it",
                       (long long) blas.largest);
  if (largest <= 0 || largest > blas.largest)
    largest = blas.largest;
  if (kernel)
    *kernel = "scale";
  if (p.m == 0 || p.n == 0)
    return GPUMM_OK;
  if (p.k == 0 || gpumm_is_zero (p.alpha)) {
    (gpumm_is_single (p.type) ? scale_single : scale_double) (&p);
    return gpumm_check_cancelled ();
  }
  /* the leading dimension of a row vector or an empty column may be 0 or too small */
  p.lda = p.lda > 0 ? p.lda : 1;
  p.ldb = p.ldb > 0 ? p.ldb : 1;
  const routine r = choose (&p);
  if (kernel)
    *kernel = names[r][p.type];
  gpumm_progress_of (operations (&p, r));
  return r == SYRK || r == HERK ? multiply_symmetric (&p, r, largest) : multiply (&p, r, largest);
}

/* ---- a real by a complex matrix ----------------------------------------------------------- */

/* Bytes of the parts of a panel and of its product, which stay in caches. */
static const int64_t PANEL_BYTES = 4 << 20;

/* The fewest columns of a panel: with fewer a BLAS packs the other operand too often. */
enum { FEWEST_COLUMNS = 256 };

typedef struct {
  const gpumm_problem *p;
  const gpumm_matrix *x; /* the complex operand */
  gpumm_matrix *c;
  int left, splits;      /* is x A? does it lie by columns along k, which are split? */
  void *parts, *product; /* of a panel: pairs of columns, real and imaginary */
  const char **kernel;
} panels;

/* The real product of a panel. A BLAS multiplies one column faster than a matrix of two. */
static gpumm_status multiply_panel (const panels *s, gpumm_product q, int64_t count) {
  const size_t bytes = gpumm_type_bytes (q.type);
  gpumm_status status = GPUMM_OK;
  for (int64_t part = 0; part < (count == 1 ? 2 : 1) && !status; part++) {
    gpumm_product piece = q;
    if (count == 1 && s->left) {
      piece.m = 1;
      piece.a = (const char *) q.a + (size_t) (part * q.lda) * bytes;
      piece.c = (char *) q.c + (size_t) part * bytes;
    } else if (count == 1) {
      piece.n = 1;
      piece.b = (const char *) q.b + (size_t) (part * (s->splits ? q.ldb : 1)) * bytes;
      piece.c = (char *) q.c + (size_t) (part * q.ldc) * bytes;
    }
    status = gpumm_blas_product (&piece, 0, s->kernel);
  }
  return status;
}

/* Rows first to first + count - 1 of C where x is A, else these columns. */
static gpumm_status run_panel (const panels *s, int64_t first, int64_t count) {
  const gpumm_problem *p = s->p;
  const gpumm_matrix *x = s->x;
  const size_t bytes = gpumm_type_bytes (p->output);
  const int64_t k = gpumm_k (p);
  const int conjugate = x->op == GPUMM_CTRANSPOSE;
  const char *from = (const char *) x->values + (size_t) (first * (s->splits ? x->ld : 1)) * bytes;
  gpumm_status status = GPUMM_OK;
  if (s->splits) {
    const gpumm_columns c = {.from = from,
                             .to = s->parts,
                             .rows = k,
                             .ld_from = x->ld,
                             .ld_to = k,
                             .conjugate = conjugate};
    status = gpumm_split_columns (p->output, &c, count);
  }
  gpumm_product q = gpumm_product_of (p);
  q.type = gpumm_real_type (p->output);
  if (s->left) {
    q.op_a = GPUMM_TRANSPOSE;
    q.a = s->parts;
    q.lda = k;
    q.m = 2 * count;
    q.c = (char *) s->c->values + (size_t) first * bytes;
    q.ldc = 2 * s->c->ld;
  } else {
    q.op_b = s->splits ? GPUMM_NONE : GPUMM_TRANSPOSE;
    q.b = s->splits ? s->parts : from;
    q.ldb = s->splits ? k : 2 * x->ld;
    q.n = 2 * count;
    q.c = s->product;
    q.ldc = q.m;
    q.alpha = (gpumm_scalar){1, 0};
    q.beta = (gpumm_scalar){0, 0};
  }
  if (!status)
    status = multiply_panel (s, q, count);
  if (status || s->left)
    return status;
  const gpumm_columns c = {.from = s->product,
                           .to = (char *) s->c->values + (size_t) (first * s->c->ld) * bytes,
                           .rows = q.m,
                           .ld_from = q.m,
                           .ld_to = s->c->ld,
                           .conjugate = conjugate && !s->splits,
                           .alpha = p->alpha,
                           .beta = p->beta};
  return gpumm_join_columns (p->output, &c, count);
}

gpumm_status gpumm_blas_real_by_complex (const gpumm_problem *p, gpumm_matrix *c,
                                         const char **kernel) {
  const int left = gpumm_is_complex (p->a.type);
  const gpumm_matrix *x = left ? &p->a : &p->b;
  const int64_t k = gpumm_k (p), all = left ? c->rows : c->cols,
                bytes = (int64_t) gpumm_type_bytes (p->output);
  if (gpumm_is_in_pairs (p)) {
    const gpumm_matrix pairs = gpumm_pairs_of (&p->a);
    gpumm_product q = gpumm_product_of (p);
    q.type = pairs.type;
    q.m = pairs.rows;
    q.lda = pairs.ld;
    q.c = c->values;
    q.ldc = 2 * c->ld;
    return gpumm_blas_product (&q, 0, kernel);
  }
  const int splits = left || !gpumm_is_turned (x);
  const int64_t column = ((splits ? k : 0) + (left ? 0 : c->rows)) * bytes;
  int64_t width = PANEL_BYTES / (column > 0 ? column : 1);
  width = gpumm_least (width < FEWEST_COLUMNS ? FEWEST_COLUMNS : width, all);
  gpumm_owner memory = {0};
  panels s = {.p = p, .x = x, .c = c, .left = left, .splits = splits, .kernel = kernel};
  s.parts = gpumm_own (&memory, splits ? width * k : 0, (size_t) bytes);
  s.product = gpumm_own (&memory, left ? 0 : width * c->rows, (size_t) bytes);
  gpumm_status status = s.parts && s.product ? GPUMM_OK : GPUMM_HOST_MEMORY;
  gpumm_progress_of (gpumm_full_flops (p));
  for (int64_t first = 0; first < all && !status; first += width)
    status = run_panel (&s, first, gpumm_least (width, all - first));
  gpumm_release_owned (&memory);
  return status;
}

/* ---- the row of the table ----------------------------------------------------------------- */

static gpumm_status run_blas (struct gpumm_job *job, gpumm_matrix *result) {
  const gpumm_problem *p = &job->problem;
  const char *kernel = "";
  gpumm_status status = GPUMM_OK;
  size_t element = gpumm_type_bytes (p->output);
  if (p->c0)
    for (int64_t j = 0; j < result->cols && !gpumm_is_cancelled (); j++)
      memcpy ((char *) result->values + (size_t) (j * result->ld) * element,
              (const char *) p->c0->values + (size_t) (j * p->c0->ld) * element,
              (size_t) result->rows * element);
  gpumm_product product = gpumm_product_of (p);
  product.c = result->values;
  product.ldc = result->ld;
  product.symmetry = job->symmetry;
  if (gpumm_is_real_by_complex (p))
    status = gpumm_blas_real_by_complex (p, result, &kernel);
  else
    status = gpumm_blas_product (&product, 0, &kernel);
  snprintf (job->report.kernel, sizeof job->report.kernel, "%s", kernel);
  job->report.flops = gpumm_full_flops (p);
  return status;
}

const gpumm_algorithm gpumm_algorithm_blas = {
    .name = "blas",
    .summary = "the BLAS of this process, on the CPU",
    .takes = gpumm_is_full_float,
    .run = run_blas,
};
