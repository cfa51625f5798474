/* __gpumm_sparse__.c - the gateway from blocks to sparse matrices: C = __gpumm_sparse__ (S).
 *
 * S is a blocksparse of double.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "marshal.h"

static gpumm_status fill (void *source, gpumm_matrix *c) {
  return gpumm_blocks_sparse_fill (source, c);
}

static void close_blocks (void *sparse) {
  gpumm_blocks_sparse_close (sparse);
}

void gateway (int nlhs, mxArray *plhs[], int nrhs, const mxArray *prhs[], gateway_error *e) {
  gpumm_matrix s, shape = {0};
  gpumm_blocks_sparse *sparse = NULL;
  check_use (nrhs == 1 && get_blocks (prhs[0], &s), "sparse");
  gpumm_status status = gpumm_blocks_sparse_open (&s, &sparse, &shape);
  e->close = close_blocks;
  e->open = sparse;
  plhs[0] = make_matrix (status, &shape, fill, sparse, e);
}
