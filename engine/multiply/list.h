/* list.h - the algorithms, in the order in which people read them; a new one is a line here and a file
 * beside it.
 *
 * ALGORITHM (name) stands for gpumm_algorithm_name. KERNELS (name, bound, rival, summary) is one whose
 * kernels for full matrices are a family of kernels/families.h: dense.c runs all of these. bound:
 * PLAIN, or WIDER if the error can exceed plain arithmetic's (a bound by norms, say); a WIDER
 * family runs only by its name. rival: gpumm_algorithm.rivals.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
ALGORITHM (blas)
ALGORITHM (loops)
KERNELS (naive, PLAIN, 0, "one thread per element of C, operands in global memory")
KERNELS (tiled, PLAIN, 0, "square tiles of A and B in shared memory")
KERNELS (register, PLAIN, 0, "tiles in shared memory, a small tile of C in each thread's registers")
KERNELS (cublas, PLAIN, 0, "NVIDIA's library")
KERNELS (emulated, PLAIN, 1, "8-bit integer tensor cores, by the Chinese remainder theorem")
KERNELS (strassen, WIDER, 0, "seven products of halves instead of eight; over register or cublas")
ALGORITHM (integers)
ALGORITHM (sparse)
ALGORITHM (spgemm)
ALGORITHM (spmm)
ALGORITHM (sparse_as_dense)
ALGORITHM (blocks)
ALGORITHM (blocks_integer)
ALGORITHM (classic)
ALGORITHM (bsr)
