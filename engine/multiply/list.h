/* list.h - the algorithms, in the order in which people read them; a new one is a line here and a
 * file beside it.
 *
 * ALGORITHM (name) stands for gpumm_algorithm_name. KERNELS (name, summary) is one
 * whose kernels for full matrices are a family of kernels/families.h: full.c runs all of these.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
ALGORITHM (blas)
ALGORITHM (loops)
KERNELS (naive, "one thread per element of C, operands in global memory")
KERNELS (tiled, "square tiles of A and B in shared memory")
KERNELS (register, "tiles in shared memory, a small tile of C in each thread's registers")
KERNELS (cublas, "NVIDIA's library")
KERNELS (emulated, "8-bit integer tensor cores, by the Chinese remainder theorem")
KERNELS (strassen, "seven products of halves instead of eight; over register or cublas")
ALGORITHM (integers)
ALGORITHM (sparse)
ALGORITHM (spgemm)
ALGORITHM (spmm)
ALGORITHM (sparse_as_full)
ALGORITHM (blocks)
ALGORITHM (bsr_integer)
ALGORITHM (classic)
ALGORITHM (bsr)
