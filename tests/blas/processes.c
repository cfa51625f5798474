/* processes.c - the drop-in and the engine in programs that close them, fork, or have a wrong
 * environment: processes FOLDER [BLAS]. FOLDER has the libraries, BLAS the program's BLAS.
 *
 * Each case has a process of its own, which opens the libraries anew.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "check.h"
#include "gpumm_blas.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PATH_BYTES = 4096, LONGEST = 600 /* seconds of a case that hangs */ };

static const char *folder;

static void *open_library (const char *name) {
  char path[PATH_BYTES];
  snprintf (path, sizeof path, "%s/%s", folder, name);
  void *library = dlopen (path, RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    printf ("%s\n", dlerror ());
    exit (2);
  }
  return library;
}

/* Runs a case in a child, which exits with what it returns. Returns the status of waitpid. */
static int in_child (int (*run) (const void *), const void *argument) {
  fflush (stdout);
  const pid_t child = fork ();
  if (child == 0) {
    alarm (LONGEST);
    exit (run (argument));
  }
  int status = -1;
  CHECK (child > 0 && waitpid (child, &status, 0) == child, "no child");
  return status;
}

/* ---- calls ---------------------------------------------------------------------------------- */

/* Integers of 64 bits that are small fit those of 32, too. */
static const int64_t one = 1;

/* Returns 0 if the product of ones is right. */
static int multiply (void *library, int64_t n) {
  void (*gemm) () = (void (*) ()) dlsym (library, "dgemm_");
  const double scalar = 1;
  double *x = check_allocate (3 * n * n, sizeof *x);
  int wrong = 0;
  for (int64_t i = 0; i < 2 * n * n; i++)
    x[i] = 1;
  gemm ("N", "N", &n, &n, &n, &scalar, x, &n, x + n * n, &n, &scalar, x + 2 * n * n, &n, (size_t) 1,
        (size_t) 1);
  for (int64_t i = 2 * n * n; i < 3 * n * n; i++)
    wrong |= x[i] != (double) n;
  free (x);
  return wrong;
}

/* In threads of the engine. Returns 0 if the estimate is right. */
static int estimate (void *library) {
  const int64_t n = 1500;
  void (*gecon) () = (void (*) ()) dlsym (library, "dgecon_");
  double *a = check_allocate (n * n, sizeof *a), *work = check_allocate (4 * n, sizeof *work);
  int64_t *more = check_allocate (n, sizeof *more), info = -1;
  const double norm = 2;
  double found = 0;
  for (int64_t i = 0; i < n; i++)
    a[i + i * n] = i ? 2 : 1;
  gecon ("1", &n, a, &n, &norm, &found, work, more, &info, (size_t) 1);
  free (a);
  free (work);
  free (more);
  return found != 0.5;
}

/* LAPACK's routines of one type for matrices of one element. Returns how many are wrong. */
static int call_lapack (void *library, char letter) {
  static const char *const names[] = {"getrf", "potrf", "getrs", "potrs", "getri", "geqrf"};
  const int64_t size = 32;
  const size_t length = 1;
  int wrong = 0;
  for (int i = 0; i < 6; i++) {
    char name[16];
    double a[2] = {1, 0}, b[2] = {1, 0}, tau[2], work[64];
    int64_t pivots = 1, info = 0;
    if (letter == 's' || letter == 'c') {
      memcpy (a, (float[4]){1}, sizeof a);
      memcpy (b, (float[4]){1}, sizeof b);
    }
    snprintf (name, sizeof name, "%c%s_", letter, names[i]);
    void (*f) () = (void (*) ()) dlsym (library, name);
    if (i == 0)
      f (&one, &one, a, &one, &pivots, &info);
    else if (i == 1)
      f ("U", &one, a, &one, &info, length);
    else if (i == 2)
      f ("N", &one, &one, a, &one, &pivots, b, &one, &info, length);
    else if (i == 3)
      f ("U", &one, &one, a, &one, b, &one, &info, length);
    else if (i == 4)
      f (&one, a, &one, &pivots, work, &size, &info);
    else
      f (&one, &one, a, &one, tau, work, &size, &info);
    wrong += (int32_t) info != 0;
  }
  return wrong;
}

/* ---- closing ------------------------------------------------------------------------------ */

/* The engine without the drop-in: a product by its own threads. */
static int multiply_by_engine (void *library) {
  enum { N = 300 };
  double *x = check_allocate (3 * N * N, sizeof *x);
  const gpumm_matrix a = {.type = GPUMM_D, .rows = N, .cols = N, .ld = N, .values = x};
  const gpumm_problem problem = {.a = a, .b = a, .alpha = {1, 0}};
  const gpumm_options options = {.backend = GPUMM_CPU, .algorithm = "loops", .device = -1};
  gpumm_job *job = NULL;
  gpumm_matrix c;
  __typeof__ (gpumm_open) *open = (__typeof__ (gpumm_open) *) dlsym (library, "gpumm_open");
  __typeof__ (gpumm_result) *result = (__typeof__ (gpumm_result) *) dlsym (library, "gpumm_result");
  __typeof__ (gpumm_run) *run = (__typeof__ (gpumm_run) *) dlsym (library, "gpumm_run");
  __typeof__ (gpumm_close) *close = (__typeof__ (gpumm_close) *) dlsym (library, "gpumm_close");
  gpumm_status status = open (&problem, &options, &job);
  if (!status)
    status = result (job, &c);
  c.values = x + N * N;
  if (!status)
    status = run (job, &c);
  close (job);
  free (x);
  return status != GPUMM_OK;
}

static double resident_mb (void) {
  long pages = 0;
  FILE *f = fopen ("/proc/self/statm", "r");
  if (f && fscanf (f, "%*d %ld", &pages) != 1)
    pages = 0;
  if (f)
    fclose (f);
  return 1e-6 * (double) pages * (double) sysconf (_SC_PAGESIZE);
}

typedef struct {
  const char *library, *smallest; /* GPUMM_BLAS_SMALLEST */
  int (*call) (void *library);
} closing;

static int multiply_on_device (void *library) {
  return multiply (library, 100);
}

static int close_often (const void *argument) {
  enum { ROUNDS = 8 };
  const closing *c = argument;
  double before = 0;
  if (c->smallest)
    setenv ("GPUMM_BLAS_SMALLEST", c->smallest, 1);
  for (int i = 0; i < ROUNDS; i++) {
    void *library = open_library (c->library);
    if (c->call (library))
      return 3;
    dlclose (library);
    usleep (2000); /* the threads go on */
    if (i == 2)
      before = resident_mb ();
  }
  const double more = (resident_mb () - before) / (ROUNDS - 3);
  printf ("%s: %.3f MB a round\n", c->library, more);
  return more > 0.2 ? 4 : 0;
}

static void test_closing (void) {
  static const closing cases[] = {{"libgpumm_blas.so", NULL, estimate},
                                  {"libgpumm_blas.so", "0", multiply_on_device},
                                  {"libgpumm.so", NULL, multiply_by_engine}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const int status = in_child (close_often, &cases[i]);
    CHECK (status == 0, "case %zu: %#x", i, (unsigned) status);
  }
}

/* ---- forking ------------------------------------------------------------------------------ */

static const char letters[] = "sdcz";

static void *call_all (void *library) {
  for (int i = 0; i < 4; i++)
    call_lapack (library, letters[i]);
  return NULL;
}

/* Threads call each routine for the first time, while children are made. Then each child calls
 * them. (Not with OpenBLAS, whose own lock of its memory a child may find taken.) */
static int fork_meanwhile (const void *argument) {
  enum { THREADS = 3, CHILDREN = 12 };
  (void) argument;
  setenv ("GPUMM_BLAS_SMALLEST", "0", 1);
  void *library = open_library ("libgpumm_blas.so");
  pthread_t threads[THREADS];
  pid_t children[CHILDREN];
  int wrong = 0;
  for (int i = 0; i < THREADS; i++)
    wrong += pthread_create (&threads[i], NULL, call_all, library) != 0;
  for (int i = 0; i < CHILDREN; i++) {
    usleep (30);
    children[i] = fork ();
    if (children[i] == 0) {
      alarm (LONGEST / 2);
      int bad = 0;
      for (int k = 0; k < 4; k++)
        bad += call_lapack (library, letters[k]);
      _exit (bad + estimate (library));
    }
  }
  for (int i = 0; i < CHILDREN; i++) {
    int status = -1;
    if (children[i] < 0 || waitpid (children[i], &status, 0) != children[i] || status != 0) {
      printf ("child %d: %#x\n", i, (unsigned) status);
      wrong++;
    }
  }
  for (int i = 0; i < THREADS; i++)
    pthread_join (threads[i], NULL);
  return wrong;
}

static void test_forking (void) {
  for (int i = 0; i < 12; i++) {
    const int status = in_child (fork_meanwhile, NULL);
    CHECK (status == 0, "run %d: %#x", i, (unsigned) status);
  }
}

/* ---- the log ------------------------------------------------------------------------------ */

static int end (const void *library) {
  (void) library;
  return 0;
}

static int multiply_once (const void *library) {
  return multiply ((void *) library, 10);
}

/* A parent with 2 calls, a child without any, and one with 1. */
static int count_and_fork (const void *file) {
  setenv ("GPUMM_BLAS_LOG", file, 1);
  setenv ("GPUMM_BLAS_SMALLEST", "1", 1);
  void *library = open_library ("libgpumm_blas.so");
  multiply (library, 10);
  multiply (library, 10);
  return in_child (end, library) + in_child (multiply_once, library);
}

static void test_log (void) {
  char file[] = "/tmp/gpumm_processes_XXXXXX", name[16];
  const int descriptor = mkstemp (file);
  const int status = in_child (count_and_fork, file);
  CHECK (status == 0, "%#x", (unsigned) status);
  FILE *log = fopen (file, "r");
  long long gpu, cpu, most = 0, sum = 0;
  int lines = 0;
  while (log && fscanf (log, "%*d %*s %15s gpu %lld %*f cpu %lld %*f", name, &gpu, &cpu) == 3) {
    lines++;
    sum += gpu + cpu;
    most = cpu > most ? cpu : most;
  }
  CHECK (lines == 2 && sum == 3 && most == 2, "%d lines, %lld calls, most %lld", lines, sum, most);
  if (log)
    fclose (log);
  close (descriptor);
  unlink (file);
}

/* ---- the environment ---------------------------------------------------------------------- */

typedef struct {
  const char *name, *value;
  int lines; /* on stderr, with the variable's name */
} variable;

static FILE *said;

static int call_with (const void *argument) {
  const variable *v = argument;
  dup2 (fileno (said), STDERR_FILENO);
  setenv (v->name, v->value, 1);
  if (strcmp (v->name, "GPUMM_BLAS_LOG") == 0)
    setenv ("GPUMM_BLAS_SMALLEST", "1", 1);
  void *library = open_library ("libgpumm_blas.so");
  int wrong = 0;
  for (int i = 0; i < 3; i++)
    wrong += multiply (library, 10);
  return wrong + call_lapack (library, 'd');
}

static void test_environment (void) {
  char own[PATH_BYTES], line[PATH_BYTES];
  snprintf (own, sizeof own, "%s/libgpumm_blas.so", folder);
  const variable cases[] = {
      {"GPUMM_BLAS", "/nonexistent", 1},
      {"GPUMM_BLAS", "/etc/passwd", 1},
      {"GPUMM_BLAS", "libc.so.6", 1}, /* it has no BLAS */
      {"GPUMM_BLAS", own, 1},
      {"GPUMM_BLAS", "", 0},
      {"GPUMM_BLAS", "libblas.so.3", 0},
      {"GPUMM_BLAS_SMALLEST", "abc", 1},
      {"GPUMM_BLAS_SMALLEST", "10x", 1},
      {"GPUMM_BLAS_SMALLEST", "-1", 1},
      {"GPUMM_BLAS_SMALLEST", "nan", 1},
      {"GPUMM_BLAS_SMALLEST", "", 0},
      {"GPUMM_BLAS_SMALLEST", "0", 0},
      {"GPUMM_BLAS_SMALLEST", "1e3", 0},
      {"GPUMM_BLAS_LOG", "/nonexistent/log", 1},
      {"GPUMM_BLAS_LOG", "", 0},
      {"GPUMM_MAX_HOST_MEMORY", "10X", 1},
      {"GPUMM_MAX_HOST_MEMORY", "1K", 1},
      {"GPUMM_MAX_HOST_MEMORY", "none", 0},
      {"GPUMM_DEVICES", "first", 1},
      {"GPUMM_DEVICES", "all", 0},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    int lines = 0, named = 0;
    said = tmpfile ();
    const int status = in_child (call_with, &cases[i]);
    rewind (said);
    while (fgets (line, sizeof line, said)) {
      lines++;
      named += strncmp (line, "gpumm: ", 7) == 0 && strstr (line, cases[i].name)
               && strstr (line, cases[i].value);
    }
    fclose (said);
    CHECK (status == 0 && lines == cases[i].lines && named == lines,
           "%s=%s: %#x, %d lines, last %s", cases[i].name, cases[i].value, (unsigned) status, lines,
           line);
  }
}

/* ---- thread-local data --------------------------------------------------------------------- */

/* A thread that finds no memory for them ends the process. */
static int look_at_segments (struct dl_phdr_info *info, size_t size, void *count) {
  (void) size;
  if (!strstr (info->dlpi_name, "libgpumm"))
    return 0;
  ++*(int *) count;
  for (int i = 0; i < info->dlpi_phnum; i++)
    CHECK (info->dlpi_phdr[i].p_type != PT_TLS || info->dlpi_phdr[i].p_memsz <= 128,
           "%s: %zu bytes", info->dlpi_name, (size_t) info->dlpi_phdr[i].p_memsz);
  return 0;
}

int main (int count, char **words) {
  folder = count > 1 ? words[1] : ".";
  test_closing ();
  if (count < 3 || !strstr (words[2], "openblas"))
    test_forking ();
  test_log ();
  test_environment ();
  open_library ("libgpumm_blas.so");
  void *engine = open_library ("libgpumm.so");
  open_library ("libgpumm_host.so");
  int libraries = 0;
  dl_iterate_phdr (look_at_segments, &libraries);
  CHECK (libraries == 3, "%d libraries", libraries);
  const char *(*file) (void) = (const char *(*) (void) ) dlsym (engine, "gpumm_blas_file");
  if (!check_failed && count > 2 && strncmp (file (), words[2], strlen (words[2])) != 0) {
    printf ("SKIP: the BLAS is %s and not in %s\n0 passed, 0 failed, 1 skipped\n", file (),
            words[2]);
    return 77;
  }
  return check_done ();
}
