/* library.c - the BLAS and LAPACK of this process: the one that GPUMM_BLAS names, or the one that the
 * program uses, or the one that the system has.
 *
 * libgpumm_blas.so (blas/) has routines of the same names, which call the engine. Whoever is preloaded
 * or opened first, gpumm's own drop-in is never the library that the engine calls.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "gpumm.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* Libraries that are opened where the process has none. */
static const char *const common[] = {"libblas.so.3", "libopenblas.so.0", "libmkl_rt.so.2",
                                     "libblis.so.4"};

/* Does this symbol belong to a library that has the drop-in's mark? */
static int is_drop_in (const void *symbol) {
  Dl_info of_symbol, of_mark;
  if (!dladdr (symbol, &of_symbol))
    return 0;
  void *library = dlopen (of_symbol.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  void *mark = library ? dlsym (library, "gpumm_blas_calls") : NULL;
  const int is = mark && dladdr (mark, &of_mark) && of_mark.dli_fbase == of_symbol.dli_fbase;
  if (library)
    dlclose (library);
  return is;
}

/* What a library, or one that it needs, has of this name. */
static void *find_in (void *library, const char *name) {
  void *symbol = dlsym (library, name);
  return symbol && !is_drop_in (symbol) ? symbol : NULL;
}

static void *open_and_find (const char *file, int flags, const char *name) {
  void *library = dlopen (file, flags | RTLD_LOCAL);
  void *symbol = library ? find_in (library, name) : NULL;
  if (library && (!symbol || flags & RTLD_NOLOAD))
    dlclose (library); /* the process keeps what it had */
  return symbol;
}

/* The libraries of the process. They are listed first, because none may be opened meanwhile. */
enum { MOST_LIBRARIES = 512 };
typedef struct {
  char *file[MOST_LIBRARIES];
  int count;
} libraries;

static int list (struct dl_phdr_info *info, size_t size, void *context) {
  libraries *l = context;
  (void) size;
  if (info->dlpi_name && info->dlpi_name[0] && l->count < MOST_LIBRARIES
      && (l->file[l->count] = strdup (info->dlpi_name)))
    l->count++;
  return 0;
}

/* Also a library that only a module opened, as Python's do. */
static void *find_loaded (const char *name) {
  libraries l = {.count = 0};
  void *symbol = find_in (RTLD_DEFAULT, name);
  if (!symbol)
    dl_iterate_phdr (list, &l);
  for (int i = 0; i < l.count; i++) {
    if (!symbol)
      symbol = open_and_find (l.file[i], RTLD_LAZY | RTLD_NOLOAD, name);
    free (l.file[i]);
  }
  return symbol;
}

static struct {
  void *library;
  char file[1024];
  int bits;
} blas;

/* isamax returns 0 for n < 1. This n is 3 as a 32-bit integer and negative as a 64-bit one. */
static int has_64_bit_integers (void *isamax) {
  const float x[3] = {1, 2, 3};
  int64_t n = INT64_C (-4294967293), one = 1; /* 0xffffffff00000003 */
  int (*f) (const int64_t *, const float *, const int64_t *) =
      (int (*) (const int64_t *, const float *, const int64_t *)) isamax;
  return f (&n, x, &one) == 0;
}

/* LAPACK may be another library than the BLAS. */
static void *find (const char *name) {
  void *symbol = blas.library ? find_in (blas.library, name) : NULL;
  if (!symbol)
    symbol = find_loaded (name);
  const char *lapack = blas.bits == 64 ? "liblapack64.so.3" : "liblapack.so.3";
  return symbol ? symbol : open_and_find (lapack, RTLD_NOW, name);
}

static void look_up (void) {
  Dl_info info;
  const char *file = getenv ("GPUMM_BLAS");
  void *isamax = file && *file ? open_and_find (file, RTLD_NOW, "isamax_") : NULL;
  if (!isamax)
    isamax = find_loaded ("isamax_");
  for (size_t i = 0; i < sizeof common / sizeof *common && !isamax; i++)
    isamax = open_and_find (common[i], RTLD_NOW, "isamax_");
  if (!isamax || !dladdr (isamax, &info))
    return;
  strncat (blas.file, info.dli_fname, sizeof blas.file - 1);
  blas.library = dlopen (blas.file, RTLD_LAZY | RTLD_LOCAL);
  blas.bits = has_64_bit_integers (isamax) ? 64 : 32;
}

static void open_once (void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once (&once, look_up);
}

void *gpumm_blas_symbol (const char *name) {
  open_once ();
  return name ? find (name) : NULL;
}

const char *gpumm_blas_file (void) {
  open_once ();
  return blas.file;
}

int gpumm_blas_bits (void) {
  open_once ();
  return blas.bits;
}
