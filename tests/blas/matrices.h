/* matrices.h - arrays of matrices in tests of the drop-in, with NaN, Inf, extreme numbers or linear
 * dependence, between what must not be read.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_TESTS_MATRICES_H
#define GPUMM_TESTS_MATRICES_H

#include "elements.h"

#include <complex.h>
#include <math.h>

enum { LARGEST = 500 }; /* rows or columns of a matrix */

/* What is wrong with a matrix: a name, and the number or factor of single and of double. */
#define KINDS(KIND)                                                                                \
  KIND (NORMAL, "normal", 1, 1) /* well conditioned */                                             \
  KIND (ONE_NAN, "one NaN", NAN, NAN)                                                              \
  KIND (ONE_INF, "one Inf", INFINITY, INFINITY)                                                    \
  KIND (ONE_IMAGINARY, "one imaginary part", NAN, NAN) /* of a real type as ONE_NAN */             \
  KIND (LAST_NAN, "last is NaN", NAN, NAN)                                                         \
  KIND (ALL_NAN, "all NaN", NAN, NAN)                                                              \
  KIND (ZERO, "zero", 0, 0)                                                                        \
  KIND (HUGE_NUMBERS, "huge", 1e37, 1e306) /* close to overflow, and to underflow */               \
  KIND (TINY_NUMBERS, "tiny", 1e-37, 1e-306)                                                       \
  KIND (DENORMAL, "denormal", 1e-42, 1e-318)                                                       \
  KIND (LARGE_SQUARES, "large squares", 0x1p70, 0x1p600) /* which overflow */                      \
  KIND (SMALL_SQUARES, "small squares", 0x1p-70, 0x1p-600)                                         \
  KIND (ZERO_COLUMN, "zero column", 0, 0) /* from here on of a matrix that is factored */          \
  KIND (TWO_EQUAL, "two equal columns", 0, 0)                                                      \
  KIND (NEARLY_EQUAL, "nearly so", 4 * 0x1p-23, 4 * 0x1p-52)                                       \
  KIND (LOW_RANK, "low rank", 0, 0)                                                                \
  KIND (GRADED, "graded", 0, 0)                                                                    \
  KIND (INDEFINITE, "indefinite", -1, -1)                                                          \
  KIND (ZERO_PIVOT, "zero pivot", 0, 0) /* from here on of a factor */                             \
  KIND (TINY_PIVOT, "tiny pivot", 1e-30, 1e-30)                                                    \
  KIND (INFINITE_PIVOT, "infinite pivot", INFINITY, INFINITY)                                      \
  KIND (GROWTH, "growth", -1000, -1000) /* solutions overflow */

#define NAME(NAME, ...)       NAME,
#define ROW(NAME, TEXT, S, D) {TEXT, {S, D}},
enum kind { KINDS (NAME) MANY_KINDS };
static const struct {
  const char *name;
  double number[2];
} kinds[] = {KINDS (ROW)};

/* An array of a case. part: 'A', 'U', 'L': what of it may be read, apart from the diagonal by so
 * much. */
typedef struct {
  void *values;
  gpumm_type type;
  int rows, cols, ld, apart;
  char part;
} array;

static inline int is_read (const array *x, int i, int j) {
  return x->part == 'A' || (x->part == 'U' ? i <= j - x->apart : i >= j + x->apart);
}

static inline int64_t at (const array *x, int i, int j) {
  return parts (x->type) * ((int64_t) i + (int64_t) j * x->ld);
}

static inline void set (const array *x, int i, int j, double complex value) {
  put (x->values, x->type, at (x, i, j) + parts (x->type) - 1, cimag (value));
  put (x->values, x->type, at (x, i, j), creal (value));
}

/* Changes an array to this kind; kinds of matrices that are factored have been made before. */
static inline void spoil (const array *x, enum kind kind) {
  const double number = kinds[kind].number[!is_single (x->type)];
  const int least = x->rows < x->cols ? x->rows : x->cols, middle = least / 2;
  int i, j;
  if (kind == NORMAL)
    return;
  do {
    i = (int) check_between (0, x->rows - 1), j = (int) check_between (0, x->cols - 1);
    if (kind == LAST_NAN) { /* the last that is read */
      i = x->part == 'U' ? least - 1 - x->apart : x->rows - 1;
      j = x->part == 'L' ? least - 1 - x->apart : x->cols - 1;
    }
  } while (!is_read (x, i, j) || (kind == ONE_IMAGINARY && i == j)); /* Hermitian: not read there */
  if (kind <= LAST_NAN)
    put (x->values, x->type, at (x, i, j) + (kind == ONE_IMAGINARY ? parts (x->type) - 1 : 0),
         number);
  if (kind >= ZERO_PIVOT && kind < GROWTH)
    set (x, middle, middle, number);
  for (int c = 0; c < x->cols; c++)
    for (int r = 0; r < x->rows; r++)
      if (is_read (x, r, c) && kind == GROWTH)
        set (x, r, c, r == c ? 1 : x->part == 'A' && r > c ? 0 : number);
      else if (is_read (x, r, c) && kind > LAST_NAN && kind < ZERO_COLUMN)
        for (int64_t e = at (x, r, c); e < at (x, r + 1, c); e++)
          put (x->values, x->type, e, number * get (x->values, x->type, e));
}

/* SHIFTED: large elements beside the diagonal, so that rows are exchanged. HERMITIAN: positive
 * definite, too. */
enum form { PLAIN, SHIFTED, HERMITIAN };

static inline double complex draw (int is_complex) {
  const double re = check_uniform ();
  return is_complex ? CMPLX (re, check_uniform ()) : re;
}

/* A matrix by columns, in double precision. */
static inline double complex *new_matrix (const array *a, enum form form, enum kind kind) {
  enum { RANK = 2 }; /* of low rank */
  const int rows = a->rows, cols = a->cols, is_complex = parts (a->type) == 2;
  const int is_hermitian = form == HERMITIAN, middle = (rows < cols ? rows : cols) / 2;
  double complex *x = check_allocate ((int64_t) rows * cols, sizeof *x), u[2 * RANK * LARGEST];
  for (int i = 0; i < 2 * RANK * LARGEST && kind == LOW_RANK; i++)
    u[i] = draw (is_complex);
  for (int j = 0; j < cols; j++)
    for (int i = is_hermitian ? j : 0; i < rows; i++) {
      double complex y = draw (is_complex) / (form == PLAIN ? 1 : rows), sum = 0;
      y += form != PLAIN && i == (is_hermitian ? j : (j + 1) % rows) ? 4 : 0;
      for (int l = 0; l < RANK && kind == LOW_RANK; l++)
        sum += u[l * LARGEST + i] * conj (u[(l + (is_hermitian ? 0 : RANK)) * LARGEST + j]);
      if (kind == GRADED)
        y *= exp2 (-30.0 * (is_hermitian ? i + j : j) / cols);
      x[i + j * rows] = kind == LOW_RANK ? sum : y;
      if (is_hermitian)
        x[j + i * rows] = i == j ? creal (x[i + j * rows]) : conj (x[i + j * rows]);
    }
  double complex *last = x + (rows < cols ? rows - 1 : cols - 1) * rows;
  for (int i = 0; i < rows; i++) {
    const double near = is_hermitian ? 0 : kinds[kind].number[!is_single (a->type)];
    if (kind == TWO_EQUAL || kind == NEARLY_EQUAL)
      last[i] = is_hermitian && i == rows - 1 ? x[0] : x[i] * (1 + near * check_uniform ());
    if (kind == ZERO_COLUMN)
      x[i + middle * rows] = 0;
  }
  for (int i = 0; i < rows && is_hermitian; i++) {
    x[rows - 1 + i * rows] = conj (last[i]);
    x[middle + i * rows] = conj (x[i + middle * rows]);
  }
  if (kind == INDEFINITE)
    x[middle + middle * rows] = -1;
  return x;
}

/* Fills an array, where it is read; all else is hidden. */
static inline void fill (const array *x, enum form form, enum kind kind) {
  double complex *from = x->cols > 0 ? new_matrix (x, form, kind) : NULL;
  for (int64_t e = 0; e < at (x, 0, x->cols); e++)
    hide (x->values, x->type, e);
  for (int j = 0; j < x->cols; j++)
    for (int i = 0; i < x->rows; i++)
      if (is_read (x, i, j))
        set (x, i, j, from[i + j * x->rows]);
  free (from);
}

#endif
