/* parts.h - operands, their residues and the products of residues, in a workspace that may be too
 * small for all of them.
 *
 * The workspace holds the residues of all of A and B if they fit, otherwise of panels of rows of A
 * and of columns of B. Of the products, which take four bytes per modulus, it always holds only a
 * part. With a very long k or a very small workspace, a part is computed in several steps along k.
 *
 * Everything is for the host's compiler, too: tests/kernels/test_residues.cc tests it there.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_EMULATED_PARTS_H
#define GPUMM_EMULATED_PARTS_H

#include "residues.h"

/* Element l of vector v. */
template <class T> struct operand_view {
  const T *x;
  int64_t ld, count, k;
  bool along_k; /* are a vector's elements side by side? If not, element l of all vectors */
  bool conjugated;
  int64_t v0, l0; /* its first vector and element among those of the whole operand */
  uint64_t salt;  /* so that A and B are dithered differently */

  __host__ __device__ uint64_t seed (int64_t v) const {
    return scramble ((uint64_t) (v0 + v) ^ salt);
  }

  __host__ __device__ T at (int64_t v, int64_t l) const {
    T value = x[along_k ? l + v * ld : v + l * ld];
    return conjugated ? conjugate (value) : value;
  }
};

/* Where an operand's residues go: element l of vector v of plane p is at
 * to[p * plane + v * ld + l]. Complex operands have count planes of the real part, count of the
 * imaginary, count of their sum. Vectors and elements from x.count and x.k on are zeros. */
struct residue_planes {
  int8_t *to;
  int64_t ld, vectors, plane;
};

/* Products of residues of a panel of C: element (i, j) of plane p is at d[p * plane + j * ld + i],
 * planes as those of the operands. ld is a multiple of 16. */
struct product_planes {
  int32_t *d;
  int64_t ld, rows, cols, plane;
};

/* ---- sizes -------------------------------------------------------------------------------- */

/* Most elements along k of one int8 product: 127^2 2^17 < 2^31. If k takes several products, each
 * has fewer, so that int32 holds the sum so far, too. */
static const int64_t MOST_DEPTH = 1 << 17, DEPTH_OF_MANY = 1 << 16;

/* Sizes of int8 products are multiples of these: a warp writes that much at once, and cuBLASLt is
 * faster. */
static const int64_t DEPTH_UNIT = 128, VECTOR_UNIT = 16;

/* Rows and columns of one int8 product. On an H200 4096 x 2048 ran at 1550 to 1625 TOPS, as fast as
 * any other; the results of 14 are 470 MB. */
static const int64_t PRODUCT_ROWS = 4096, PRODUCT_COLS = 2048;

/* The smallest sizes with a small workspace. */
static const int64_t NARROW_PANEL = 64, SHORT_PANEL = 1024;

static int64_t least (int64_t x, int64_t y) {
  return x < y ? x : y;
}

static int64_t round_up (int64_t x, int64_t unit) {
  return ceil_div (x, unit) * unit;
}

/* The contents of the workspace at one time, in that many planes: residues of rows x depth of A and
 * of depth x cols of B, and their products of part_rows x part_cols. */
struct panels {
  int planes;
  int64_t rows, cols, depth, part_rows, part_cols;

  int64_t ld () const {
    return round_up (depth, DEPTH_UNIT);
  }

  double product_bytes () const {
    return 4.0 * planes * (double) round_up (part_rows, VECTOR_UNIT)
               * (double) round_up (part_cols, VECTOR_UNIT)
           + ALIGNMENT;
  }

  double bytes () const {
    double r = (double) round_up (rows, VECTOR_UNIT), c = (double) round_up (cols, VECTOR_UNIT);
    return planes * (r + c) * (double) ld () + 2 * ALIGNMENT + product_bytes ();
  }
};

/* All of both operands, of k <= MOST_DEPTH. */
static panels whole_panels (int64_t m, int64_t n, int64_t k, int planes) {
  return {planes, m, n, k, least (m, PRODUCT_ROWS), least (n, PRODUCT_COLS)};
}

/* Half the size, in whole products if there are several. */
static int64_t halved (int64_t size) {
  return round_up ((size + 1) / 2, size > 2 * PRODUCT_ROWS ? PRODUCT_ROWS : NARROW_PANEL);
}

/* The largest panels that fit. */
static panels choose_panels (int64_t m, int64_t n, int64_t k, int planes, double room) {
  panels x = whole_panels (m, n, k, planes);
  if (k > MOST_DEPTH) { /* all elements of each part in turn */
    x.depth = DEPTH_OF_MANY;
    x.rows = x.part_rows;
    x.cols = x.part_cols;
  }
  while (x.bytes () > room) {
    if (x.cols > PRODUCT_COLS && x.cols >= x.rows)
      x.cols = halved (x.cols);
    else if (x.rows > PRODUCT_ROWS)
      x.rows = halved (x.rows);
    else if (x.cols > PRODUCT_COLS)
      x.cols = halved (x.cols);
    else if (x.depth > SHORT_PANEL)
      x.depth = halved (x.depth);
    else if (x.cols > NARROW_PANEL || x.rows > NARROW_PANEL)
      (x.cols > x.rows ? x.cols : x.rows) = halved (x.cols > x.rows ? x.cols : x.rows);
    else
      break;
    if (x.depth < k) {
      x.rows = least (x.rows, PRODUCT_ROWS);
      x.cols = least (x.cols, PRODUCT_COLS);
    }
    x.part_rows = least (x.rows, PRODUCT_ROWS);
    x.part_cols = least (x.cols, PRODUCT_COLS);
  }
  return x;
}

/* ---- the product, part by part ------------------------------------------------------------ */

template <class T>
static operand_view<T> part_of (const operand_view<T> &x, int64_t v, int64_t count, int64_t l,
                                int64_t k) {
  operand_view<T> y = x;
  y.x += x.along_k ? l + v * x.ld : v + l * x.ld;
  y.v0 += v;
  y.l0 += l;
  y.count = least (count, x.count - v);
  y.k = least (k, x.k - l);
  return y;
}

/* Vectors first .. first + count - 1 of planes that hold more. */
static residue_planes part_of (const residue_planes &x, int64_t first, int64_t count) {
  residue_planes y = x;
  y.to += first * x.ld;
  y.vectors = least (round_up (count, VECTOR_UNIT), x.vectors - first);
  return y;
}

/* Where the residues of a whole operand are kept (to NULL: nowhere), and whether they are there. */
struct kept_residues {
  int8_t *to;
  bool ready;
};

/* Computes all of C, part by part, in that memory. to_planes (0 or 1, part of A or B, planes)
 * computes the planes of a part of an operand. multiply (planes of A, of B, products, k, add)
 * computes their products, or adds them to the earlier ones if k takes several steps. each (i0, j0,
 * products) gets the complete products. If both operands' residues are kept, memory is for the
 * products alone. The first failure ends it. */
template <class T, class Quantise, class Multiply, class Each>
static gpumm_status for_parts (char *memory, double room, int count, const operand_view<T> &a,
                               const operand_view<T> &b, const kept_residues (&kept)[2],
                               Quantise to_planes, Multiply multiply, Each each) {
  bool keeps = kept[0].to && kept[1].to;
  panels size = keeps ? whole_panels (a.count, b.count, a.k, count)
                      : choose_panels (a.count, b.count, a.k, count, room);
  if ((keeps ? size.product_bytes () : size.bytes ()) > room)
    return gpumm_driver_fail (GPUMM_INTERNAL, "emulated: %.0f bytes of workspace are too few",
                              room);
  parts from (memory);
  residue_planes planes[2] = {{NULL, size.ld (), round_up (size.rows, VECTOR_UNIT), 0},
                              {NULL, size.ld (), round_up (size.cols, VECTOR_UNIT), 0}};
  for (int which = 0; which < 2; which++) {
    residue_planes &x = planes[which];
    x.plane = x.ld * x.vectors;
    if (keeps)
      x.to = kept[which].to;
    else
      from.take (x.to, count * x.plane);
  }
  product_planes products = {NULL, round_up (size.part_rows, VECTOR_UNIT), 0, 0, 0};
  products.plane = products.ld * round_up (size.part_cols, VECTOR_UNIT);
  from.take (products.d, count * products.plane);

  int64_t at[2][2]; /* vector and element at which the planes begin; -1: no planes yet */
  for (int which = 0; which < 2; which++)
    at[which][0] = at[which][1] = keeps && kept[which].ready ? 0 : -1;
  auto bring = [&] (int which, const operand_view<T> &x, int64_t v, int64_t vectors, int64_t l) {
    if (at[which][0] == v && at[which][1] == l)
      return GPUMM_OK;
    at[which][0] = v;
    at[which][1] = l;
    return to_planes (which, part_of (x, v, vectors, l, size.depth), planes[which]);
  };
  for (int64_t i = 0; i < a.count; i += size.rows)
    for (int64_t j = 0; j < b.count; j += size.cols) {
      int64_t rows = least (size.rows, a.count - i), cols = least (size.cols, b.count - j);
      for (int64_t pj = 0; pj < cols; pj += size.part_cols)
        for (int64_t pi = 0; pi < rows; pi += size.part_rows) {
          products.rows = least (size.part_rows, rows - pi);
          products.cols = least (size.part_cols, cols - pj);
          for (int64_t l = 0; l < a.k; l += size.depth) {
            TRY (bring (0, a, i, rows, l));
            TRY (bring (1, b, j, cols, l));
            TRY (multiply (part_of (planes[0], pi, products.rows),
                           part_of (planes[1], pj, products.cols), products, size.ld (), l > 0));
          }
          TRY (each (i + pi, j + pj, products));
        }
    }
  return GPUMM_OK;
}

#endif
