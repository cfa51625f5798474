/* too_small.h - from which size on a product is worth a GPU, several GPUs, or another kernel; below
 * these sizes nothing is opened or measured, above them the measured rates decide.
 *
 * The crossover with 16 cores of an H200's host is at 512 to 576 (bench/results/h200/ladder.csv).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_TOO_SMALL_H
#define GPUMM_TOO_SMALL_H

/* The plan: products with fewer operations stay on the CPU. A core finishes them in the 50 us that
 * a call to a GPU with its transfers takes. With a sparse or block-sparse operand, whose operations
 * are slower, the limit is lower. */
static const double GPUMM_LEAST_FLOPS = 2e6, GPUMM_LEAST_SPARSE_FLOPS = 1e5;

/* The plan takes the GPU if by the rates it saves LEAST_SAVED seconds and needs at most MOST_NEEDED
 * of the CPU's time: near the crossover the estimates hold only on an idle machine. On an H200 with
 * 16 cores, size 512 was estimated 0.19 ms faster, and was 40 to 70 us slower than `*` in two of
 * three runs; size 576 was estimated 0.44 ms faster and was 170 to 190 us faster (crossover
 * rows). A tridiagonal matrix by an arrow of 10,000 rows took 3.4 ms there and 0.8 ms on the CPU,
 * because one column of C is full (bench/products.m walk). */
static const double GPUMM_LEAST_SAVED = 0.25e-3, GPUMM_MOST_NEEDED = 0.85;

/* The drop-in and gpumm_mtimes hand products of this size over, m n k >= 400^3: smaller ones take
 * longer to hand over than a GPU can save. A call that is handed over in vain loses about 5 us. */
enum { GPUMM_LEAST_EDGE = 400 };

/* gpumm_mtimes hands sparse products over from these multiplications on, with a full operand and
 * without one. From there on gpumm is faster than Octave on two cores of the CPU, too
 * (bench/products.m mtimes): a call takes 0.02 ms. */
static const double GPUMM_LEAST_SPARSE_BY_FULL = 1e6, GPUMM_LEAST_SPARSE_BY_SPARSE = 1e5;

/* Two sparse matrices of inner size k and n columns, of which a product is expected to read few
 * elements: Octave's `*` is faster then, because gpumm looks at all of them. Not for small ones,
 * which take a call's time anyway. */
static inline int gpumm_has_few_products (double stored_a, double stored_b, double k, double n) {
  const double all = stored_a + stored_b + k + n;
  return all > 1e4 && 8 * stored_a * stored_b < all * k;
}

/* Pages of more operations are jobs, which may take the GPU; threads share smaller ones. Measured
 * on two cores of an EPYC with AVX-512 and OpenBLAS 0.3.21, threads take 0.13 of the jobs' CPU time
 * for pages of 4 x 4, 0.72 for 32, 0.9 to 0.96 for 64 to 400, and the same from 512 on. */
static const double GPUMM_LEAST_PAGE_FLOPS = 2.0 * 512 * 512 * 512;

/* An alternative to the library's kernel is considered for products that take the library so many
 * seconds: measuring it takes about as long as one of these. No size may be less than the edge. */
static const double GPUMM_LEAST_WEIGHED = 10e-3;
enum { GPUMM_LEAST_WEIGHED_EDGE = 2048 };

/* Several GPUs are considered for products that take one GPU so many seconds by the rates of small
 * products, which large ones exceed: the shortest product that gained by two devices took 25 ms,
 * and 56 ms by these rates. */
static const double GPUMM_LEAST_SPREAD = 45e-3;

#endif
