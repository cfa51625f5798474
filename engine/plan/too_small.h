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

/* gpumm (A, B) with a sparse operand goes on to Octave's `*` up to so much work. Beside `*` and
 * plain loops in C (bench/products.m walk; two cores, and 16 of an H200's host), `*` is then slower
 * than the faster one by 20 us in at most one of 30 products, and gpumm, which takes that long to
 * begin, in most. Where A is full, `*` has one sum for each element of C; where B is full, it goes
 * through C for each column of A; where both are sparse, it sorts columns of C, which takes 25 ns a
 * multiplication of random matrices and 3 of bands: hence a limit of their own. */
static const double GPUMM_LEAST_WORK_SPARSE = 1e5, GPUMM_LEAST_WORK_B_FULL = 2.5e4,
                    GPUMM_LEAST_WORK_A_FULL = 1.7e5, GPUMM_LEAST_PRODUCTS = 3e4;

/* Is Octave's `*` faster for A * B? Of m x k by k x n, with so many elements stored. Also for two
 * sparse matrices whose product is expected to read few elements: gpumm looks at all of them, and
 * `*` goes through a column of C. */
static inline int gpumm_octave_is_faster (int sparse_a, int sparse_b, double stored_a,
                                          double stored_b, double m, double k, double n) {
  const double operands = stored_a + stored_b + k, products = k > 0 ? stored_a * stored_b / k : 0;
  if (!sparse_a || !sparse_b)
    return operands + products + m * n
           < (sparse_a ? GPUMM_LEAST_WORK_B_FULL : GPUMM_LEAST_WORK_A_FULL);
  return (operands + products + m + n < GPUMM_LEAST_WORK_SPARSE && products < GPUMM_LEAST_PRODUCTS)
         || 8 * products + m < operands + n;
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
