/* gpumm-blocks-generate.c - makes random block-sparse matrices for gpumm-blocks.
 *
 *   gpumm-blocks-generate N M COUNT LOW HIGH SEED FILE
 *
 * The matrix is N x N with COUNT blocks of M x M at distinct random places. Elements are uniform in
 * LOW .. HIGH (at most 65535). Records are not sorted. The same arguments give the same file.
 *
 * Places are drawn in order by sequential sampling (D. E. Knuth, The Art of Computer Programming 2,
 * section 3.4.2, algorithm S). The t-th block becomes record (a t + c) mod COUNT of the file, where
 * a and COUNT have no common factor. The whole file is made in memory.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "gpumm_tools.h"
#include "help.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static const char help[] =
    "usage: gpumm-blocks-generate N M COUNT LOW HIGH SEED FILE\n"
    "\n"
    "Makes a random matrix of blocks of uint16 as an input for gpumm-blocks.\n"
    "\n"
    "N      rows and columns of the matrix, a multiple of M, at most 65536 M\n"
    "M      rows and columns of a block\n"
    "COUNT  the number of blocks, at most (N / M)^2; their places are random\n"
    "LOW    the smallest element, from 0\n"
    "HIGH   the largest element, up to 65535; elements are uniform between LOW and HIGH\n"
    "SEED   from 0; the same numbers give the same file\n"
    "FILE   may be /dev/stdout\n"
    "\n"
    "For example, 2000 blocks of 4 x 4 with elements from 0 to 20 in a 512 x 512 matrix:\n"
    "  gpumm-blocks-generate 512 4 2000 0 20 1 a.blocks\n";

/* Sampling visits every place, so limit the places to 2^32. */
static const int64_t MOST_BLOCK_ROWS = 65536;

static uint64_t state;

static uint64_t draw (void) { /* splitmix64: S. Vigna, 2015, public domain */
  uint64_t z = state += 0x9e3779b97f4a7c15u;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return z ^ z >> 31;
}

/* Uniform in 0 .. range - 1, with a bias below range / 2^64. */
static uint64_t below (uint64_t range) {
  return (uint64_t) ((unsigned __int128) draw () * range >> 64);
}

static int64_t number (const char *text, int64_t low, int64_t high, const char *what) {
  char *end;
  errno = 0;
  const long long x = strtoll (text, &end, 10);
  if (errno || *end || end == text || x < low || x > high) {
    fprintf (stderr, "gpumm-blocks-generate: %s must be %lld to %lld, not \"%s\"\n", what,
             (long long) low, (long long) high, text);
    exit (EXIT_FAILURE);
  }
  return x;
}

static uint64_t common_factor (uint64_t a, uint64_t b) {
  while (b) {
    const uint64_t rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

static void fill (unsigned char *record, int64_t i, int64_t j, int64_t elements, int64_t low,
                  int64_t high) {
  const int32_t index[2] = {(int32_t) i, (int32_t) j};
  memcpy (record, index, sizeof index);
  for (int64_t e = 0; e < elements; e++) {
    const uint16_t x = (uint16_t) ((uint64_t) low + below ((uint64_t) (high - low + 1)));
    memcpy (record + sizeof index + (size_t) e * sizeof x, &x, sizeof x);
  }
}

int main (int count, char **arguments) {
  answer_help (count, arguments, help);
  if (count != 8)
    return fail_usage (help);
  const int64_t n = number (arguments[1], 1, INT32_MAX, "N");
  const int64_t m = number (arguments[2], 1, n, "M");
  const int64_t grid = n / m;
  if (n % m != 0 || grid > MOST_BLOCK_ROWS) {
    fprintf (stderr, "gpumm-blocks-generate: M must divide N, at most %lld times\n",
             (long long) MOST_BLOCK_ROWS);
    return EXIT_FAILURE;
  }
  const int64_t places = grid * grid;
  const int64_t blocks = number (arguments[3], 0, places < INT32_MAX ? places : INT32_MAX, "COUNT");
  const int64_t low = number (arguments[4], 0, 65535, "LOW");
  const int64_t high = number (arguments[5], low, 65535, "HIGH");
  state = (uint64_t) number (arguments[6], 0, INT64_MAX, "SEED");

  const size_t header = 3 * sizeof (int32_t), record = 8 + 2 * (size_t) (m * m);
  const size_t bytes = header + (size_t) blocks * record;
  const int32_t sizes[3] = {(int32_t) n, (int32_t) m, (int32_t) blocks};
  /* written in random order, so use pages of 2 MB if the system grants them */
  const size_t page = (size_t) 2 << 20;
  void *memory = NULL;
  gpumm_output *output = NULL;
  if (posix_memalign (&memory, page, bytes) != 0) {
    fprintf (stderr, "gpumm-blocks-generate: no memory for %zu bytes\n", bytes);
    return EXIT_FAILURE;
  }
  (void) madvise (memory, bytes, MADV_HUGEPAGE);
  unsigned char *all = memory;
  /* check the name and reserve the disk space before any work */
  gpumm_status status = gpumm_output_open (arguments[7], &output);
  if (!status)
    status = gpumm_output_reserve (output, bytes);
  memcpy (all, sizes, sizeof sizes);
  uint64_t step = 1, at = 0;
  if (blocks > 1) {
    do
      step = 1 + below ((uint64_t) blocks - 1);
    while (common_factor (step, (uint64_t) blocks) != 1);
    at = below ((uint64_t) blocks);
  }
  int64_t left = blocks;
  for (int64_t p = 0; left > 0 && !status; p++)
    if ((int64_t) below ((uint64_t) (places - p)) < left) {
      fill (all + header + at * record, p / grid, p % grid, m * m, low, high);
      at = (at + step) % (uint64_t) blocks;
      left--;
    }
  if (!status)
    status = gpumm_output_append (output, all, bytes);
  if (!status)
    status = gpumm_output_commit (output);
  else
    gpumm_output_abort (output);
  if (status)
    fprintf (stderr, "gpumm-blocks-generate: %s\n", gpumm_last_error ());
  free (all);
  return status ? EXIT_FAILURE : EXIT_SUCCESS;
}
