/* gpumm-blocks.c - multiplies two block-sparse matrices, from file to file.
 *
 *   gpumm-blocks [--backend auto|cpu|gpu] INPUT1 INPUT2 OUTPUT
 *
 * engine/gpumm.h describes the files. Elements are uint16 in the inputs and uint32 in the output:
 * min (exact sum, 2^32 - 1). Zero blocks are not written. The program prints the seconds of
 * reading, multiplying (from host memory to host memory) and writing, on standard error: OUTPUT
 * may be /dev/stdout.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "gpumm_tools.h"
#include "help.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

static const char help[] =
    "usage: gpumm-blocks [--backend auto|cpu|gpu] INPUT1 INPUT2 OUTPUT\n"
    "\n"
    "Multiplies two square matrices of blocks: OUTPUT = INPUT1 * INPUT2, from file to file.\n"
    "Elements are uint16 in the inputs and uint32 in the output: the exact sum, or 2^32 - 1 if\n"
    "the sum is larger. Blocks that are zero are not written.\n"
    "\n"
    "A file of blocks begins with three int32: the number of rows N, the rows M of a block, and\n"
    "the number of blocks. Each block is its block row and block column (int32, from 0) and its\n"
    "M x M elements by rows. The inputs have equal N and M.\n"
    "\n"
    "--backend  gpu or cpu; auto (the default) takes the faster one, or the CPU without a GPU\n"
    "OUTPUT     may be /dev/stdout: messages go to standard error\n"
    "\n"
    "The messages say, in this order:\n"
    "  of each input its size, the number of its blocks and their size;\n"
    "  the number of blocks of the product, the algorithm, the device and (the kernel), the\n"
    "  multiplications and additions of elements, and the reason for the device;\n"
    "  on a GPU the seconds of upload, compute and download, which overlap;\n"
    "  the seconds to read both inputs, to multiply from host memory to host memory, to write\n"
    "  the output, and of all of these.\n"
    "\n"
    "The exit status is 0, or 1 after an error; then an older OUTPUT stays as it is.\n"
    "gpumm-blocks-generate makes inputs, gpumm-blocks-check checks an output.\n";

static double seconds (void) {
  struct timespec t;
  clock_gettime (CLOCK_MONOTONIC, &t);
  return (double) t.tv_sec + 1e-9 * (double) t.tv_nsec;
}

static int fail (void) {
  fprintf (stderr, "gpumm-blocks: %s\n", gpumm_last_error ());
  return 0;
}

/* Untouched memory, in pages of 2 MB if the system grants them: the first touches of 4 KB pages
 * would cost more than the arithmetic. */
static void *take (size_t bytes) {
  const size_t page = (size_t) 2 << 20;
  void *p = NULL;
  if (bytes < 2 * page)
    return malloc (bytes > 0 ? bytes : 1);
  if (posix_memalign (&p, page, bytes) != 0)
    return NULL;
  (void) madvise (p, bytes, MADV_HUGEPAGE);
  return p;
}

/* Takes the memory that a shape needs; returns 0 if it is refused. */
static int provide (gpumm_matrix *x) {
  const size_t each = (size_t) (x->block_rows * x->block_cols) * gpumm_type_bytes (x->type);
  const size_t blocks = x->nzmax > 0 ? (size_t) x->nzmax : 1;
  x->start = malloc ((size_t) (x->rows / x->block_rows + 1) * sizeof *x->start);
  x->block_column = malloc (blocks * sizeof *x->block_column);
  x->values = take (x->nzmax > 0 ? blocks * each : 1);
  if (x->start && x->block_column && x->values)
    return 1;
  fprintf (stderr, "gpumm-blocks: no memory for %lld blocks\n", (long long) x->nzmax);
  return 0;
}

static void release (gpumm_matrix *x) {
  free (x->start);
  free (x->block_column);
  free (x->values);
}

static int read_input (const char *name, gpumm_matrix *x) {
  gpumm_blocks_file *file = NULL;
  const int ok = !gpumm_blocks_file_open (name, GPUMM_U16, &file, x) || fail ();
  const int done = ok && provide (x) && (!gpumm_blocks_file_read (file, x) || fail ());
  gpumm_blocks_file_close (file);
  if (done)
    fprintf (stderr, "%s: %lld x %lld, %lld blocks of %lld x %lld\n", name, (long long) x->rows,
             (long long) x->cols, (long long) x->start[x->rows / x->block_rows],
             (long long) x->block_rows, (long long) x->block_cols);
  return done;
}

static int multiply (const gpumm_matrix *a, const gpumm_matrix *b, gpumm_backend backend,
                     gpumm_matrix *c) {
  const gpumm_problem problem = {.a = *a, .b = *b, .alpha = {1, 0}, .output = GPUMM_U32};
  const gpumm_options options = {.backend = backend, .device = -1};
  gpumm_job *job = NULL;
  const int done = (!gpumm_open (&problem, &options, &job) || fail ())
                   && (!gpumm_result (job, c) || fail ()) && provide (c)
                   && (!gpumm_run (job, c) || fail ());
  if (done) {
    const gpumm_report *r = gpumm_job_report (job);
    fprintf (stderr, "%lld blocks by %s on %s (%s), %.4g operations; %s\n",
             (long long) c->start[c->rows / c->block_rows], r->algorithm, r->device_name, r->kernel,
             r->flops, r->reason);
    if (r->backend == GPUMM_GPU)
      fprintf (stderr, "upload %.3f s, compute %.3f s, download %.3f s, overlapping\n", r->upload,
               r->compute, r->download);
  }
  gpumm_close (job);
  return done;
}

int main (int count, char **arguments) {
  static const char *const backends[] = {"auto", "cpu", "gpu"};
  gpumm_backend backend = GPUMM_AUTO;
  gpumm_matrix a = {0}, b = {0}, c = {0};
  char **names = arguments + 1;
  answer_help (count, arguments, help);
  if (count == 6 && strcmp (arguments[1], "--backend") == 0) {
    while (backend <= GPUMM_GPU && strcmp (arguments[2], backends[backend]) != 0)
      backend++;
    names += 2;
    count -= 2;
  }
  if (count != 4 || backend > GPUMM_GPU)
    return fail_usage (help);
  const double begun = seconds ();
  int ok = read_input (names[0], &a) && read_input (names[1], &b);
  const double read = seconds ();
  ok = ok && multiply (&a, &b, backend, &c);
  const double multiplied = seconds ();
  ok = ok && (!gpumm_blocks_file_write (names[2], &c) || fail ());
  const double written = seconds ();
  if (ok)
    fprintf (stderr, "read %.3f s, multiply %.3f s, write %.3f s, all %.3f s\n", read - begun,
             multiplied - read, written - multiplied, written - begun);
  release (&a);
  release (&b);
  release (&c);
  return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}
