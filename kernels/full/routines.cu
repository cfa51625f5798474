/* routines.cu - routines of BLAS by cuBLAS and of LAPACK by cuSOLVER.
 *
 * What it does: level 3 of BLAS without gemm, and the factorisations of LAPACK with what applies
 * them. What limits it: cuBLAS's routines reach gemm's rate in large matrices; cuSOLVER's have
 * panels that are narrow, and so it needs sizes in the thousands.
 *
 * cuBLAS and its handle are those of cublas.cu. cuSOLVER is opened at first use, and has a handle a
 * device, whose workspace the engine provides.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "gpumm_blas.h"
#include "kernel.h"
#include "cuda/cublas_library.h"

#include <pthread.h>

/* ---- the libraries ------------------------------------------------------------------------- */

static struct {
  void *library;
  int (*create) (void **);
  int (*destroy) (void *);
  int (*set_stream) (void *, cudaStream_t);
  void *handles[MOST_DEVICES];
  pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of all this */
} solver;

enum { CUBLAS, CUSOLVER };

static bool of_blas (const gpumm_call *x) {
  static const bool rows[] = {
#define FIRST(library, ...)                library == CUBLAS
#define ROUTINE(NAME, names, library, ...) FIRST library,
      GPUMM_ROUTINE_ROWS (ROUTINE)
#undef ROUTINE
  };
  return rows[x->routine];
}

/* Does it solve for the identity, which B is then to be? */
static bool takes_identity (const gpumm_call *x) {
  enum { READ, WRITTEN, UPDATED, SUMMED, OVER_A };
  static const bool rows[] = {
#define OPERAND(which, rows, cols, access, part) || access == OVER_A
#define NEEDS(condition)
#define ROUTINE(NAME, names, library, letters, work, fortran, nvidia, operands) false operands,
      GPUMM_ROUTINE_ROWS (ROUTINE)
#undef ROUTINE
  };
  return rows[x->routine];
}

static gpumm_status open_solver (void) {
  if (!solver.library)
    solver.library = open_cuda_library ("libcusolver");
  if (solver.library && find_function (solver.library, "cusolverDnCreate", &solver.create)
      && find_function (solver.library, "cusolverDnDestroy", &solver.destroy)
      && find_function (solver.library, "cusolverDnSetStream", &solver.set_stream))
    return GPUMM_OK;
  const char *why = dlerror ();
  return gpumm_driver_fail (GPUMM_DEVICE_FAILED,
                            "cuSOLVER cannot be opened: %s" HOW_TO_GET_LIBRARIES,
                            why ? why : "it lacks functions");
}

/* cuSOLVER's 2 is a lack of memory. */
static gpumm_status check (int error) {
  if (error == 0)
    return GPUMM_OK;
  cudaGetLastError (); /* its own launch may have left one */
  return gpumm_driver_fail (error == 2 ? GPUMM_DEVICE_MEMORY : GPUMM_DEVICE_FAILED,
                            "cuSOLVER failed (status %d)", error);
}

/* The handle of the current device, set to that stream. */
static gpumm_status prepare (int device, gpumm_stream *stream, void **handle) {
  if (device < 0 || device >= MOST_DEVICES)
    return gpumm_driver_fail (GPUMM_NO_DEVICE, "there is no device %d", device);
  TRY (open_solver ());
  if (!solver.handles[device])
    TRY (check (solver.create (&solver.handles[device])));
  *handle = solver.handles[device];
  return check (solver.set_stream (*handle, (cudaStream_t) stream));
}

/* Calls f with cuSOLVER's handle of a device, on this stream; f returns a status of the driver. */
template <class F> static gpumm_status with_solver (int device, gpumm_stream *stream, const F &f) {
  int before;
  void *handle;
  TRY (gpumm_cuda_enter ("cusolver", device, &before));
  pthread_mutex_lock (&solver.lock);
  gpumm_status status = prepare (device, stream, &handle);
  if (!status)
    status = f (handle);
  pthread_mutex_unlock (&solver.lock);
  gpumm_cuda_leave (device, before);
  return status;
}

void gpumm_routines_reset (void) {
  pthread_mutex_lock (&solver.lock);
  for (int device = 0; device < MOST_DEVICES; device++)
    release_handle (device, &solver.handles[device], solver.destroy);
  pthread_mutex_unlock (&solver.lock);
}

/* ---- calls --------------------------------------------------------------------------------- */

/* Calls a function that takes these arguments, pointers of any type among them. */
template <class... T> static int call (void *f, T... arguments) {
  int (*typed) (T...);
  memcpy (&typed, &f, sizeof f);
  return typed (arguments...);
}

/* A number as cuBLAS takes it: of complex double it must lie at a multiple of 16 bytes. */
struct scalar {
  float s[2];
  alignas (16) double d[2];
  bool is_single;

  scalar (gpumm_type type, gpumm_scalar x)
      : s{(float) x.re, (float) x.im}, d{x.re, x.im},
        is_single (type == GPUMM_S || type == GPUMM_C) {
  }
  const void *p () const {
    return is_single ? (const void *) s : (const void *) d;
  }
};

/* The arguments as both libraries have them, by the names of the table. */
struct arguments_of {
  int side, uplo, trans, trans_b, diag, m, n, k, lda, ldb, ldc;
  scalar of_alpha, of_beta;
  const void *alpha, *beta;
  void *a, *b, *c, *tau;
  int32_t *pivots;
  static constexpr int op_n = CUBLAS_OP_N;

  static int op (char letter) {
    return letter == 'N' ? CUBLAS_OP_N : letter == 'T' ? CUBLAS_OP_T : CUBLAS_OP_C;
  }

  arguments_of (const gpumm_call *x)
      : side (x->side == 'L' ? CUBLAS_SIDE_LEFT : CUBLAS_SIDE_RIGHT),
        uplo (x->uplo == 'L' ? CUBLAS_FILL_MODE_LOWER : CUBLAS_FILL_MODE_UPPER),
        trans (op (x->trans)), trans_b (op (x->trans_b)),
        diag (x->diag == 'U' ? CUBLAS_DIAG_UNIT : CUBLAS_DIAG_NON_UNIT), m ((int) x->m),
        n ((int) x->n), k ((int) x->k), lda ((int) x->lda), ldb ((int) x->ldb), ldc ((int) x->ldc),
        of_alpha (x->type, x->alpha), of_beta (x->type, x->beta), alpha (of_alpha.p ()),
        beta (of_beta.p ()), a (x->a), b (x->b), c (x->c), tau (x->tau), pivots (x->pivots) {
  }

#define UNPACKED(...)                __VA_ARGS__
#define ARGUMENTS(name, call, space) UNPACKED call
#define SPACE_OF(name, call, space)  space
#define SPACE(...)                   (f ? call (f, handle, __VA_ARGS__) : -1)
#define NO_SPACE                     0
  int run (int routine, void *f, void *handle, void *space, int length, int32_t *info) const {
    switch (routine) {
#define ROUTINE(NAME, names, library, letters, work, fortran, nvidia, operands)                    \
  case GPUMM_##NAME:                                                                               \
    return call (f, handle, ARGUMENTS nvidia);
      GPUMM_ROUTINE_ROWS (ROUTINE)
#undef ROUTINE
    }
    return 0;
  }

  /* Sets *length, in elements; -1: there is no such function. */
  int ask_space (int routine, void *f, void *handle, int *length) const {
    switch (routine) {
#define ROUTINE(NAME, names, library, letters, work, fortran, nvidia, operands)                    \
  case GPUMM_##NAME:                                                                               \
    return SPACE_OF nvidia;
      GPUMM_ROUTINE_ROWS (ROUTINE)
#undef ROUTINE
    }
    return 0;
  }
};

template <class T> __global__ void set_identity (T *x, T one, int64_t n, int64_t ld) {
  const int64_t e = blockIdx.x * (int64_t) blockDim.x + threadIdx.x;
  if (e < n * n)
    x[e % n + e / n * ld] = e % n == e / n ? one : T ();
}

template <class T>
static gpumm_status make_identity_as (int device, gpumm_stream *stream, const gpumm_call *x) {
  enum { THREADS = 256 };
  T one;
  convert (gpumm_scalar{1, 0}, &one);
  return LAUNCH ("set_identity", set_identity<T>, ceil_div (x->n * x->n, THREADS), THREADS, device,
                 stream, (T *) x->b, one, x->n, x->ldb);
}

static gpumm_status make_identity (int device, gpumm_stream *stream, const gpumm_call *x) {
  WITH_TYPE (x->type, T, return make_identity_as<T> (device, stream, x));
}

static const size_t element_bytes[] = {4, 8, 8, 16}; /* of S, D, C, Z */

static const char *name_of (const gpumm_call *x) {
  static const char *const names[][3] = {
#define NAME_OF(name, ...) name
#define ROUTINE(NAME, names, library, letters, work, fortran, nvidia, operands)                    \
  {UNPACKED names, NAME_OF nvidia},
      GPUMM_ROUTINE_ROWS (ROUTINE)
#undef ROUTINE
  };
  const char *own = names[x->routine][2];
  return own ? own : names[x->routine][x->type == GPUMM_C || x->type == GPUMM_Z];
}

static gpumm_status check_sizes (const gpumm_call *x) {
  for (int64_t size : {x->m, x->n, x->k, x->lda, x->ldb, x->ldc})
    if (size > INT32_MAX)
      return gpumm_driver_fail (GPUMM_UNSUPPORTED, "sizes above 2^31 - 1");
  return GPUMM_OK;
}

/* A function by the letter of the type and the routine's name; NULL: there is none. */
static void *find (const gpumm_call *x, const char *end) {
  const bool is_blas = of_blas (x);
  char full[64];
  snprintf (full, sizeof full, "%s%c%s%s", is_blas ? "cublas" : "cusolverDn", "SDCZ"[x->type],
            name_of (x), end);
  return is_blas ? gpumm_cublas_function (full) : dlsym (solver.library, full);
}

static gpumm_status lacks (const gpumm_call *x) {
  return gpumm_driver_fail (GPUMM_UNSUPPORTED, "NVIDIA's library has no %s", name_of (x));
}

static gpumm_status need_blas (void) {
  const char *why = gpumm_cublas_missing ();
  return why ? gpumm_driver_fail (GPUMM_DEVICE_FAILED, "%s", why) : GPUMM_OK;
}

gpumm_status gpumm_cuda_call_bytes (int device, const gpumm_call *x, size_t *bytes) {
  int length = 0;
  *bytes = 0;
  if (of_blas (x))
    return need_blas ();
  TRY (check_sizes (x));
  const gpumm_status status = with_solver (device, NULL, [&] (void *handle) {
    const int error =
        arguments_of (x).ask_space (x->routine, find (x, "_bufferSize"), handle, &length);
    return error < 0 ? lacks (x) : check (error);
  });
  *bytes = (size_t) length * element_bytes[x->type];
  return status;
}

static gpumm_status call_blas (int device, gpumm_stream *stream, const gpumm_call *x) {
  int before;
  cublasHandle_t handle;
  TRY (need_blas ());
  void *f = find (x, "_v2");
  if (!f)
    return lacks (x);
  TRY (gpumm_cublas_enter ("cublas", device, stream, &before, &handle));
  const int error = arguments_of (x).run (x->routine, f, handle, NULL, 0, NULL);
  return gpumm_cublas_leave ("cublas", device, before, (cublasStatus_t) error);
}

gpumm_status gpumm_cuda_call (int device, gpumm_stream *stream, const gpumm_call *x,
                              void *workspace, size_t bytes, int32_t *info) {
  const int length = (int) (bytes / element_bytes[x->type]);
  TRY (check_sizes (x));
  if (takes_identity (x))
    TRY (make_identity (device, stream, x));
  if (of_blas (x))
    return call_blas (device, stream, x);
  return with_solver (device, stream, [&] (void *handle) {
    void *f = find (x, "");
    return !f ? lacks (x)
              : check (arguments_of (x).run (x->routine, f, handle, workspace, length, info));
  });
}
