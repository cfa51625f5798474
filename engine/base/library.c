/* library.c - the BLAS and LAPACK of this process: the one that GPUMM_BLAS names, or the one that
 * the program uses, or the one that the system has.
 *
 * libgpumm_blas.so (blas/) has routines of the same names, which call the engine. Whoever is
 * preloaded or opened first, gpumm's own drop-in is never the library that the engine calls.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "library.h"
#include "environment.h"
#include "gpumm_blas.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* fork () waits for this lock. */
static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

void gpumm_loader_hold (void) {
  pthread_mutex_lock (&lock);
}

void gpumm_loader_let_go (void) {
  pthread_mutex_unlock (&lock);
}

static void make_lock (void) { /* that of the parent's thread does not know the child's */
  lock = (pthread_mutex_t) PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
}

__attribute__ ((constructor)) static void watch_forks (void) {
  (void) pthread_atfork (gpumm_loader_hold, gpumm_loader_let_go, make_lock);
}

/* Libraries that are opened where the process has none. */
static const char *const common[] = {"libblas.so.3", "libopenblas.so.0", "libmkl_rt.so.2",
                                     "libblis.so.4"};

/* Does a library have the drop-in's mark? */
static int has_mark (const Dl_info *of_symbol) {
  Dl_info of_mark;
  void *library = dlopen (of_symbol->dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  void *mark = library ? dlsym (library, "gpumm_blas_calls") : NULL;
  const int has = mark && dladdr (mark, &of_mark) && of_mark.dli_fbase == of_symbol->dli_fbase;
  if (library)
    dlclose (library);
  return has;
}

/* Does this symbol belong to the drop-in? Each library is asked once: dlopen () would end a child
 * that fork () made while CUDA, in another thread, opened a library. */
static int is_drop_in (const void *symbol) {
  static struct {
    const void *base;
    int is_drop_in;
  } known[16];
  enum { MOST = sizeof known / sizeof *known };
  Dl_info info;
  int i = 0;
  if (!dladdr (symbol, &info))
    return 0;
  while (i < MOST && known[i].base && known[i].base != info.dli_fbase)
    i++;
  if (i == MOST)
    return has_mark (&info);
  if (!known[i].base) {
    known[i].is_drop_in = has_mark (&info);
    known[i].base = info.dli_fbase;
  }
  return known[i].is_drop_in;
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

/* LAPACK may be another library than the BLAS. */
static struct {
  void *library, *lapack;
  char file[1024];
  char wanted[1024], refused[256]; /* GPUMM_BLAS, and why it is not taken, or "" */
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

static void *find (const char *name) {
  void *symbol = blas.library ? find_in (blas.library, name) : NULL;
  if (!symbol && blas.lapack)
    symbol = find_in (blas.lapack, name);
  if (!symbol)
    symbol = find_loaded (name);
  const char *lapack = blas.bits == 64 ? "liblapack64.so.3" : "liblapack.so.3";
  const int is_fortran = *name && name[strlen (name) - 1] == '_';
  return symbol || !is_fortran ? symbol : open_and_find (lapack, RTLD_NOW, name);
}

static void look_up (void) {
  Dl_info info;
  const char *file = gpumm_variable ("GPUMM_BLAS");
  void *isamax = file ? open_and_find (file, RTLD_NOW, "isamax_") : NULL;
  if (file) {
    const char *said = isamax ? NULL : dlerror ();
    snprintf (blas.wanted, sizeof blas.wanted, "%s", file);
    if (!isamax)
      snprintf (blas.refused, sizeof blas.refused, "the file of a BLAS (%s)",
                said ? said : "it has no isamax_ of its own");
  }
  if (!isamax)
    isamax = find_loaded ("isamax_");
  for (size_t i = 0; i < sizeof common / sizeof *common && !isamax; i++)
    isamax = open_and_find (common[i], RTLD_NOW, "isamax_");
  if (!isamax || !dladdr (isamax, &info))
    return;
  strncat (blas.file, info.dli_fname, sizeof blas.file - 1);
  blas.library = dlopen (blas.file, RTLD_LAZY | RTLD_LOCAL);
  blas.bits = has_64_bit_integers (isamax) ? 64 : 32;
  if (dladdr (find ("dgetrf_"), &info))
    blas.lapack = dlopen (info.dli_fname, RTLD_LAZY | RTLD_LOCAL);
}

static void open_once (void) {
  static int is_open;
  gpumm_loader_hold ();
  if (!is_open) {
    is_open = 1; /* also for what a library does while it is opened */
    look_up ();
  }
  gpumm_loader_let_go ();
}

void *gpumm_blas_symbol (const char *name) {
  open_once ();
  gpumm_loader_hold ();
  void *symbol = name ? find (name) : NULL;
  gpumm_loader_let_go ();
  return symbol;
}

gpumm_status gpumm_check_blas (void) {
  const char *file = gpumm_variable ("GPUMM_BLAS");
  if (!file)
    return GPUMM_OK;
  open_once ();
  if (strncmp (file, blas.wanted, sizeof blas.wanted - 1) != 0)
    return gpumm_refuse_variable ("GPUMM_BLAS", "set before the first product");
  return blas.refused[0] ? gpumm_refuse_variable ("GPUMM_BLAS", blas.refused) : GPUMM_OK;
}

const char *gpumm_blas_file (void) {
  open_once ();
  return blas.file;
}

int gpumm_blas_bits (void) {
  open_once ();
  return blas.bits;
}
