/* launch.c - a product of full matrices on a device, whole or in pieces that are launched in turn.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "algorithm.h"
#include "error.h"
#include "move/streaming.h"
#include "types.h"

/* A piece of C is a rectangle of whole tiles of every kernel. Columns are divided first; rows only
 * if pieces would be narrower than NARROW. */
static gpumm_status launch_piece (const gpumm_stream_job *job, const gpumm_product *p,
                                  gpumm_piece piece, gpumm_stream *stream) {
  enum { TILE = 64, NARROW = 256 };
  const gpumm_kernel *kernel = job->kernel;
  if (piece.count == 1)
    return kernel->launch (job->context->device, stream, p);
  int64_t across = gpumm_least (piece.count, p->n / NARROW);
  across = across < 1 ? 1 : across;
  const int64_t down = gpumm_pieces (piece.count, across);
  const int64_t n = gpumm_pieces (gpumm_pieces (p->n, across), TILE) * TILE;
  const int64_t m = gpumm_pieces (gpumm_pieces (p->m, down), TILE) * TILE;
  gpumm_status status = GPUMM_OK;
  for (int64_t c = piece.index; c < across * down && !status; c += piece.count) {
    const int64_t i = c % down * m, j = c / down * n;
    if (i >= p->m || j >= p->n)
      continue;
    const gpumm_product tile = gpumm_product_tile (p, i, m, j, n);
    status = kernel->launch (job->context->device, stream, &tile);
  }
  return status;
}

gpumm_status gpumm_launch_product (const gpumm_stream_job *job, const void *task, gpumm_piece piece,
                                   gpumm_stream *stream, char *note) {
  const gpumm_kernel *kernel = job->kernel;
  gpumm_product p = *(const gpumm_product *) task;
  p.note = note;
  gpumm_status status = launch_piece (job, &p, piece, stream);
  return status ? gpumm_fail (status, "kernel %s failed on %lld x %lld times %lld x %lld: %s",
                              kernel->name, (long long) p.m, (long long) p.k, (long long) p.k,
                              (long long) p.n, job->context->driver->error_text ())
                : GPUMM_OK;
}
