/* operands.h - matrices of every format, type and pattern for tests, and what their product is.
 *
 * The oracle uses nothing of the engine's: lists of the stored elements, sums in long double with a
 * bound of the error, or in double where these are exact or what is asked for, sums of integers in
 * 192 bits. Only stored entries multiply.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_TESTS_OPERANDS_H
#define GPUMM_TESTS_OPERANDS_H

#include "check.h"
#include "gpumm_tools.h"

#include <complex.h>
#include <float.h>
#include <math.h>
#include <string.h>

typedef long double complex number;
typedef __int128 wide;

/* ---- types -------------------------------------------------------------------------------- */

/* Of gpumm_type: int8 to int64 are i j k l, uint8 to uint64 are p q r u, logical is b. */
static const char type_letters[] = "sdczijklpqrub";
_Static_assert(sizeof type_letters - 1 == GPUMM_TYPES, "a letter for each type");

static inline gpumm_type type_of (char letter) {
  return (gpumm_type) (strchr (type_letters, letter) - type_letters);
}

static inline int is_complex (gpumm_type type) {
  return type == GPUMM_C || type == GPUMM_Z;
}

static inline int is_single (gpumm_type type) {
  return type == GPUMM_S || type == GPUMM_C;
}

static inline int is_integer (gpumm_type type) {
  return type >= GPUMM_I8 && type <= GPUMM_U64;
}

static inline int is_signed (gpumm_type type) {
  return type >= GPUMM_I8 && type <= GPUMM_I64;
}

static inline int bits_of (gpumm_type type) {
  return 8 * (int) gpumm_type_bytes (type);
}

/* The ends of an integer type. */
static inline wide highest (gpumm_type type) {
  return ((wide) 1 << (bits_of (type) - is_signed (type))) - 1;
}

static inline wide lowest (gpumm_type type) {
  return is_signed (type) ? -highest (type) - 1 : 0;
}

/* ---- elements ----------------------------------------------------------------------------- */

static inline wide get_integer (gpumm_type type, const void *values, int64_t e) {
  uint64_t raw = 0;
  memcpy (&raw, (const char *) values + (size_t) e * gpumm_type_bytes (type),
          gpumm_type_bytes (type));
  return is_signed (type) && raw >> (bits_of (type) - 1) ? (wide) raw - ((wide) 1 << bits_of (type))
                                                         : (wide) raw;
}

static inline number get (gpumm_type type, const void *values, int64_t e) {
  if (type == GPUMM_B || is_integer (type))
    return type == GPUMM_B ? ((const unsigned char *) values)[e]
                           : (number) get_integer (type, values, e);
  const int64_t at = is_complex (type) ? 2 * e : e;
  if (is_single (type)) {
    const float *x = (const float *) values + at;
    return CMPLXL (x[0], is_complex (type) ? x[1] : 0);
  }
  const double *x = (const double *) values + at;
  return CMPLXL (x[0], is_complex (type) ? x[1] : 0);
}

/* A real type takes the real part, an integer type the low bits of it. */
static inline void put (gpumm_type type, void *values, int64_t e, number x) {
  const int64_t at = is_complex (type) ? 2 * e : e;
  for (int part = 0; part <= is_complex (type); part++) {
    const double value = (double) (part ? cimagl (x) : creall (x));
    if (is_single (type))
      ((float *) values)[at + part] = (float) value;
    else if (type == GPUMM_B)
      ((unsigned char *) values)[e] = value != 0;
    else if (is_integer (type)) {
      const int64_t whole = (int64_t) value;
      memcpy ((char *) values + (size_t) e * gpumm_type_bytes (type), &whole,
              gpumm_type_bytes (type));
    } else
      ((double *) values)[at + part] = value;
  }
}

/* How elements are drawn. WHOLE: small whole numbers, not 0; sums are exact and cancel. SPECIAL:
 * Inf, NaN, zeros. UNREAD: NaN, which no product meets. The others are for integers. */
typedef enum {
  ANY,
  WHOLE,
  SPECIAL,
  UNREAD,
  ENDS,        /* of the type, and what lies beside them */
  ALTERNATING, /* the two ends like the squares of a chessboard */
  HALF_RANGE,
  DIGITS, /* around powers of 2^11, the base of "integers" */
  POWERS  /* of 2, and what lies beside them */
} values;

static inline uint64_t draw_integer (gpumm_type type, values v, int64_t e) {
  const uint64_t high = (uint64_t) highest (type);
  const uint64_t sign = is_signed (type) && check_random () % 2 ? ~(uint64_t) 0 : 0;
  switch (v) {
  case WHOLE:
    return (1 + check_random () % 3) * (sign | 1);
  case ENDS: { /* high + 1 is the least of a signed type, and 0 of an unsigned */
    const uint64_t ends[] = {high, high + 1, high, high - 1, high + 2, 1};
    return ends[check_random () % 6];
  }
  case ALTERNATING:
    return e % 2 && is_signed (type) ? ~high + 1 : high;
  case HALF_RANGE:
    return (check_random () & (high >> bits_of (type) / 2)) ^ sign;
  case DIGITS:
    return ((check_random () % 5 + 1022) << check_random () % 54) * (sign | 1)
           + check_random () % 3;
  case POWERS:
    return ((uint64_t) 1 << check_random () % (uint64_t) bits_of (type)) * (sign | 1)
           + check_random () % 3 - 1;
  default:
    return check_random ();
  }
}

static inline double draw_real (values v) {
  static const double special[] = {INFINITY, -INFINITY, NAN, 0, 1, -2, 1};
  return v == SPECIAL ? special[check_between (0, 6)]
         : v == WHOLE ? (double) (check_between (1, 3) * (check_between (0, 1) ? 1 : -1))
                      : check_uniform ();
}

static inline void draw (gpumm_type type, void *to, int64_t e, values v) {
  if (v == UNREAD && type != GPUMM_B)
    memset ((char *) to + (size_t) e * gpumm_type_bytes (type), 0xff, gpumm_type_bytes (type));
  else if (is_integer (type)) {
    const uint64_t x = draw_integer (type, v, e);
    memcpy ((char *) to + (size_t) e * gpumm_type_bytes (type), &x, gpumm_type_bytes (type));
  } else {
    const double re = type == GPUMM_B ? 1 : draw_real (v);
    put (type, to, e, CMPLXL (re, is_complex (type) ? draw_real (v) : 0));
  }
}

/* ---- matrices ----------------------------------------------------------------------------- */

/* op (X) is rows x cols, in blocks of block_rows x block_cols (0: 1). A sparse matrix has all
 * elements of a block or none: these are natural blocks. */
typedef struct {
  gpumm_format format;
  gpumm_type type;
  gpumm_op op;
  int64_t rows, cols, block_rows, block_cols;
  int percent; /* of the entries are stored */
  values values;
} operand;

/* Elements of an entry; lines: the columns of a sparse matrix, the block rows of one in blocks. */
static inline int64_t entry_elements (const gpumm_matrix *x) {
  return x->format == GPUMM_BLOCKS ? x->block_rows * x->block_cols : 1;
}

static inline int64_t lines_of (const gpumm_matrix *x) {
  return x->format == GPUMM_BLOCKS ? x->rows / x->block_rows : x->cols;
}

static inline int64_t entries_of (const gpumm_matrix *x) {
  return x->format == GPUMM_FULL ? x->ld * x->cols : x->start[lines_of (x)];
}

/* Draws which blocks are there. Now and then a line repeats the one before, or is empty. */
static inline char *draw_pattern (int64_t lines, int64_t places, int percent) {
  char *there = check_allocate (lines * places, 1);
  const int64_t empty_line = check_between (-3, lines), empty_place = check_between (-3, places);
  const int may_repeat = (int) check_between (0, 1);
  for (int64_t i = 0; i < lines; i++) {
    const int repeats = may_repeat && i > 0 && check_between (0, 1);
    for (int64_t j = 0; j < places; j++)
      there[i * places + j] = repeats ? there[(i - 1) * places + j]
                                      : percent >= 100
                                            || (i != empty_line && j != empty_place
                                                && check_between (0, 9999) < 100 * percent);
  }
  return there;
}

/* Lines of elements of a sparse matrix, of blocks else. */
static inline void fill_pattern (gpumm_matrix *x, const char *there, int64_t b_line,
                                 int64_t b_place, int64_t lines, int64_t places) {
  const int64_t along = x->format == GPUMM_SPARSE ? b_place : 1,
                each = x->format == GPUMM_SPARSE ? b_line : 1;
  for (int64_t i = 0; i < lines * places; i++)
    x->nzmax += there[i] * along * each;
  x->start = check_allocate (lines * each + 1, sizeof *x->start);
  x->index = check_allocate (x->nzmax, sizeof *x->row);
  int64_t out = 0;
  for (int64_t line = 0; line < lines * each; line++) {
    for (int64_t place = 0; place < places * along; place++)
      if (there[line / each * places + place / along]) {
        if (x->format == GPUMM_SPARSE)
          x->row[out++] = place;
        else
          x->block_column[out++] = (int32_t) place;
      }
    x->start[line + 1] = out;
  }
}

/* The matrix as it is stored; a full one has up to three rows of NaN between its columns. */
static inline gpumm_matrix make (const operand *o) {
  const int turned = o->op != GPUMM_NONE;
  const int64_t m = o->block_rows > 0 ? o->block_rows : 1,
                n = o->block_cols > 0 ? o->block_cols : 1;
  const int64_t b_rows = turned ? n : m, b_cols = turned ? m : n;
  gpumm_matrix x = {.format = o->format,
                    .type = o->type,
                    .op = o->op,
                    .rows = turned ? o->cols : o->rows,
                    .cols = turned ? o->rows : o->cols};
  x.ld = x.rows;
  if (x.format == GPUMM_FULL) {
    x.ld += check_between (0, 3);
    x.values = check_allocate (x.ld * x.cols, gpumm_type_bytes (x.type));
    for (int64_t e = 0; e < x.ld * x.cols; e++)
      draw (x.type, x.values, e, e % x.ld < x.rows ? o->values : UNREAD);
    return x;
  }
  const int by_rows = x.format == GPUMM_BLOCKS;
  if (by_rows) {
    x.block_rows = b_rows;
    x.block_cols = b_cols;
  }
  const int64_t lines = by_rows ? x.rows / b_rows : x.cols / b_cols,
                places = by_rows ? x.cols / b_cols : x.rows / b_rows;
  char *there = draw_pattern (lines, places, o->percent);
  fill_pattern (&x, there, by_rows ? b_rows : b_cols, by_rows ? b_cols : b_rows, lines, places);
  free (there);
  const int64_t elements = x.nzmax * entry_elements (&x);
  x.values = check_allocate (elements, gpumm_type_bytes (x.type));
  for (int64_t e = 0; e < elements; e++)
    draw (x.type, x.values, e, o->values);
  return x;
}

/* A full matrix of elements that are drawn. */
static inline gpumm_matrix make_full (gpumm_type type, int64_t rows, int64_t cols, values v) {
  return make (&(operand){.type = type, .rows = rows, .cols = cols, .values = v});
}

/* A full matrix with the elements of this one, or their conjugates, transposed or not. */
static inline gpumm_matrix copied (const gpumm_matrix *a, int turns, int conjugates) {
  gpumm_matrix b = *a;
  b.rows = turns ? a->cols : a->rows;
  b.cols = turns ? a->rows : a->cols;
  b.ld = b.rows + 3;
  b.values = check_allocate (b.ld * b.cols, gpumm_type_bytes (b.type));
  for (int64_t j = 0; j < a->cols; j++)
    for (int64_t i = 0; i < a->rows; i++) {
      const number x = get (a->type, a->values, i + j * a->ld);
      put (b.type, b.values, turns ? j + i * b.ld : i + j * b.ld, conjugates ? conjl (x) : x);
    }
  return b;
}

/* A sparse matrix, or one in blocks, with the elements of this one, transposed. */
static inline gpumm_matrix transposed_lines (const gpumm_matrix *a) {
  gpumm_matrix b = *a;
  b.op = GPUMM_NONE;
  b.rows = a->cols;
  b.cols = a->rows;
  b.block_rows = a->block_cols;
  b.block_cols = a->block_rows;
  const int64_t each = entry_elements (a), side = a->format == GPUMM_BLOCKS ? a->block_rows : 1;
  b.start = check_allocate (lines_of (&b) + 1, sizeof *b.start);
  b.index = check_allocate (b.nzmax, sizeof *b.row);
  b.values = check_allocate (b.nzmax * each, gpumm_type_bytes (b.type));
  for (int64_t line = 0, out = 0; line < lines_of (&b); line++) {
    for (int64_t i = 0; i < lines_of (a); i++)
      for (int64_t t = a->start[i]; t < a->start[i + 1]; t++)
        if ((a->format == GPUMM_SPARSE ? a->row[t] : a->block_column[t]) == line) {
          for (int64_t e = 0; e < each; e++)
            put (b.type, b.values, out * each + e % side * (each / side) + e / side,
                 get (a->type, a->values, t * each + e));
          if (b.format == GPUMM_SPARSE)
            b.row[out++] = i;
          else
            b.block_column[out++] = (int32_t) i;
        }
    b.start[line + 1] = out;
  }
  return b;
}

/* rows x cols blocks of this size, percent of them there: blocks, or the elements of a sparse
 * matrix. */
static inline gpumm_matrix make_in_blocks (gpumm_format format, gpumm_type type, int64_t rows,
                                           int64_t cols, int64_t block_rows, int64_t block_cols,
                                           int percent, values v) {
  return make (&(operand){.format = format,
                          .type = type,
                          .rows = rows * block_rows,
                          .cols = cols * block_cols,
                          .block_rows = block_rows,
                          .block_cols = block_cols,
                          .percent = percent,
                          .values = v});
}

static inline void release (gpumm_matrix *x) {
  free (x->values);
  free (x->start);
  free (x->index);
  *x = (gpumm_matrix){0};
}

enum { UNWRITTEN = 0x5a }; /* each byte of a result's memory */

/* Memory for a result that shows what was not written, with `gap` rows between full columns. */
static inline void provide (gpumm_matrix *c, int64_t gap) {
  int64_t elements = c->nzmax * entry_elements (c);
  if (c->format == GPUMM_FULL) {
    c->ld += gap;
    elements = c->ld * c->cols;
  } else {
    c->start = check_allocate (lines_of (c) + 1, sizeof *c->start);
    c->index = check_allocate (c->nzmax, sizeof *c->row);
    memset (c->start, UNWRITTEN, (size_t) (lines_of (c) + 1) * sizeof *c->start);
    memset (c->index, UNWRITTEN, (size_t) c->nzmax * sizeof *c->row);
  }
  c->values = check_allocate (elements, gpumm_type_bytes (c->type));
  memset (c->values, UNWRITTEN, (size_t) elements * gpumm_type_bytes (c->type));
}

/* The same bits: of results of one shape, whose gaps nobody has written. */
static inline int is_same (const gpumm_matrix *x, const gpumm_matrix *y) {
  const size_t bytes = gpumm_type_bytes (x->type);
  if (x->format != y->format || x->type != y->type || x->rows != y->rows || x->cols != y->cols)
    return 0;
  if (x->format == GPUMM_FULL) {
    int same = 1;
    for (int64_t j = 0; j < x->cols; j++)
      same &= !memcmp ((char *) x->values + (size_t) (j * x->ld) * bytes,
                       (char *) y->values + (size_t) (j * y->ld) * bytes, (size_t) x->rows * bytes);
    return same;
  }
  const size_t lines = (size_t) lines_of (x), entries = (size_t) entries_of (x);
  const size_t index = x->format == GPUMM_SPARSE ? sizeof *x->row : sizeof *x->block_column;
  return !memcmp (x->start, y->start, (lines + 1) * sizeof *x->start)
         && !memcmp (x->index, y->index, entries * index)
         && !memcmp (x->values, y->values, entries * (size_t) entry_elements (x) * bytes);
}

/* ---- lists -------------------------------------------------------------------------------- */

typedef struct {
  int64_t row;
  union {
    double complex value;
    wide whole; /* of integers */
  };
} entry;

/* op (X) as its stored elements, by columns in ascending rows; column j begins at first[j]. */
typedef struct {
  entry *list;
  int64_t *first, cols;
  gpumm_type type;
} entries;

/* Where element q of entry t of a line of x lies in op (X). */
static inline void place_of (const gpumm_matrix *x, int64_t line, int64_t t, int64_t q, int64_t *i,
                             int64_t *j) {
  int64_t row = x->format == GPUMM_SPARSE ? x->row[t] : t - line * x->ld, col = line;
  if (x->format == GPUMM_BLOCKS) {
    row = line * x->block_rows + q % x->block_rows;
    col = x->block_column[t] * x->block_cols + q / x->block_rows;
  }
  *i = x->op == GPUMM_NONE ? row : col;
  *j = x->op == GPUMM_NONE ? col : row;
}

static inline int by_rows (const void *a, const void *b) {
  const entry *x = a, *y = b;
  return x->row < y->row ? -1 : x->row > y->row;
}

static inline void set_entry (const gpumm_matrix *x, int64_t e, int64_t row, entry *to) {
  to->row = row;
  if (is_integer (x->type))
    to->whole = get_integer (x->type, x->values, e);
  else
    to->value = (double complex) get (x->type, x->values, e);
  if (x->op == GPUMM_CTRANSPOSE && is_complex (x->type))
    to->value = conj (to->value);
}

/* Counts the elements of each column, then puts them in their places. */
static inline entries list_of (const gpumm_matrix *x) {
  const int is_full = x->format == GPUMM_FULL;
  const int64_t count = is_full ? x->rows * x->cols : entries_of (x) * entry_elements (x);
  entries all = {.cols = x->op == GPUMM_NONE ? x->cols : x->rows, .type = x->type};
  all.list = check_allocate (count, sizeof *all.list);
  all.first = check_allocate (all.cols + 1, sizeof *all.first);
  int64_t *next = check_allocate (all.cols + 1, sizeof *next), i, j;
  for (int places = 0; places < 2; places++) {
    for (int64_t line = 0; line < lines_of (x); line++)
      for (int64_t t = is_full ? line * x->ld : x->start[line],
                   end = is_full ? t + x->rows : x->start[line + 1];
           t < end; t++)
        for (int64_t q = 0; q < entry_elements (x); q++) {
          place_of (x, line, t, q, &i, &j);
          if (places)
            set_entry (x, t * entry_elements (x) + q, i, &all.list[next[j]++]);
          else
            all.first[j + 1]++;
        }
    for (int64_t col = 0; col < all.cols && !places; col++)
      all.first[col + 1] += all.first[col];
    memcpy (next, all.first, (size_t) (all.cols + 1) * sizeof *next);
  }
  for (int64_t col = 0; col < all.cols && x->format == GPUMM_BLOCKS; col++)
    qsort (all.list + all.first[col], (size_t) (all.first[col + 1] - all.first[col]),
           sizeof *all.list, by_rows);
  free (next);
  return all;
}

static inline void release_list (entries *t) {
  free (t->list);
  free (t->first);
}

/* ---- sums --------------------------------------------------------------------------------- */

/* An element of op (A) op (B): the sum, the sum of sizes, the number of terms; the sum in double in
 * ascending order; for integers the sum of part[i] 2^(32 i). */
typedef struct {
  union {
    struct {
      long double re, im;
    };
    wide part[3];
  };
  double size, ordered_re, ordered_im;
  int64_t terms;
} element;

/* |re| + |im|: within sqrt (2) of the absolute value, and far quicker */
static inline long double size_of (number x) {
  return fabsl (creall (x)) + fabsl (cimagl (x));
}

/* A real number multiplies both parts of a complex one and nothing else, as in C and Octave. */
static inline double complex times (double complex a, int complex_a, double complex b,
                                    int complex_b) {
  const double ar = creal (a), ai = cimag (a), br = creal (b), bi = cimag (b);
  if (!complex_a)
    return CMPLX (ar * br, complex_b ? ar * bi : 0);
  if (!complex_b)
    return CMPLX (ar * br, ai * br);
  const double complex product = CMPLX (ar * br - ai * bi, ar * bi + ai * br);
  return isnan (creal (product)) && isnan (cimag (product)) ? a * b : product;
}

/* To the sum in double in ascending order. */
static inline void add_double (element *x, double complex a, int complex_a, double complex b,
                               int complex_b) {
  const double complex product = times (a, complex_a, b, complex_b);
  x->ordered_re += creal (product);
  x->ordered_im += cimag (product);
}

/* To the sum in long double, of finite numbers. */
static inline void add_long (element *x, double complex a, int complex_a, double complex b,
                             int complex_b) {
  const long double ar = creal (a), ai = cimag (a), br = creal (b), bi = cimag (b);
  if (!complex_a && !complex_b)
    x->re += ar * br;
  else {
    x->re += ar * br - ai * bi;
    x->im += ar * bi + ai * br;
  }
}

static inline double size_in_double (double complex x) {
  return fabs (creal (x)) + fabs (cimag (x));
}

static inline void add_integers (element *x, wide a, wide b) {
  const wide low = ((wide) 1 << 32) - 1;
  x->part[0] += (a & low) * (b & low);
  x->part[1] += (a >> 32) * (b & low) + (a & low) * (b >> 32);
  x->part[2] += (a >> 32) * (b >> 32);
  x->terms++;
}

/* How near to the oracle. ROUNDED: within (terms + 4) 2 eps |A||B|. EXACT: equal. ORDERED: to the
 * last bit the sum in double in ascending order. */
typedef enum { ROUNDED, EXACT, ORDERED } bound;

/* Are the sums to be in long double? Of whole and of special numbers they are exact in double, and
 * of singles far nearer than they are compared. */
static inline int needs_long (gpumm_type type, bound within, int is_special) {
  return within == ROUNDED && !is_special && !is_single (type);
}

/* Column j of op (A) op (B), which has this many rows: the sums in long double, or in double. */
static inline void sum_column (const entries *a, const entries *b, int64_t j, int64_t rows,
                               int is_long, element *column) {
  const int complex_a = is_complex (a->type), complex_b = is_complex (b->type);
  memset (column, 0, (size_t) rows * sizeof *column);
  for (int64_t t = b->first[j]; t < b->first[j + 1]; t++) {
    const entry *y = &b->list[t], *x = a->list + a->first[y->row];
    const entry *end = a->list + a->first[y->row + 1];
    if (is_integer (a->type))
      for (; x < end; x++)
        add_integers (&column[x->row], x->whole, y->whole);
    else
      for (; x < end; x++) {
        element *to = &column[x->row];
        if (is_long)
          add_long (to, x->value, complex_a, y->value, complex_b);
        else
          add_double (to, x->value, complex_a, y->value, complex_b);
        to->size += size_in_double (x->value) * size_in_double (y->value);
        to->terms++;
      }
  }
}

/* high 2^64 + low */
static inline wide exact_sum (const element *x, uint64_t *low) {
  const wide below = x->part[0] + ((x->part[1] & UINT32_MAX) << 32);
  *low = (uint64_t) below;
  return x->part[2] + (x->part[1] >> 32) + (below >> 64);
}

/* Saturated once. */
static inline wide saturated (const element *x, gpumm_type type) {
  uint64_t low;
  const wide high = exact_sum (x, &low);
  const wide sum = high == 0    ? (wide) low
                   : high == -1 ? (wide) low - ((wide) 1 << 64)
                   : high > 0   ? highest (type) + 1
                                : lowest (type) - 1;
  return sum > highest (type) ? highest (type) : sum < lowest (type) ? lowest (type) : sum;
}

/* Rounded once: the highest 64 bits, of which the last is set if any lower one is. */
static inline double rounded (const element *x, gpumm_type type) {
  uint64_t low;
  wide high = exact_sum (x, &low);
  const int negative = high < 0;
  if (negative) {
    low = -low;
    high = -high - (low != 0);
  }
  int shift = 0, lost = 0;
  for (; high > 0; shift++, high >>= 1) {
    lost |= low & 1;
    low = low >> 1 | (uint64_t) high << 63;
  }
  low |= (uint64_t) lost;
  const double size =
      is_single (type) ? (double) ldexpf ((float) low, shift) : ldexp ((double) low, shift);
  return negative ? -size : size;
}

/* ---- products ----------------------------------------------------------------------------- */

static inline int is_zero (gpumm_scalar s) {
  return s.re == 0 && s.im == 0;
}

/* Opens and runs; c has memory where that succeeds. report may be NULL; those of devices are copied
 * until the next. */
static inline gpumm_status multiply (const gpumm_problem *p, const gpumm_options *o, int64_t gap,
                                     gpumm_matrix *c, gpumm_report *report) {
  gpumm_job *job = NULL;
  gpumm_status status = gpumm_open (p, o, &job);
  *c = (gpumm_matrix){0};
  if (!status) {
    gpumm_result (job, c);
    provide (c, gap);
    status = gpumm_run (job, c);
    if (report) {
      static gpumm_device_report devices[64];
      *report = *gpumm_job_report (job);
      if (report->device_count > 0)
        memcpy (devices, report->devices, (size_t) report->device_count * sizeof *devices);
      report->devices = devices;
    }
    if (status)
      release (c);
  }
  gpumm_close (job);
  return status;
}

static inline int is_alike (long double x, long double y) {
  return isnan (x) ? isnan (y) : isinf (x) || isinf (y) ? x == y : fabsl (x - y) <= 1e-9L;
}

/* Is `got` the number that the sum gives, with alpha and beta C0? */
static inline int is_near (const gpumm_problem *p, gpumm_type type, const element *x, number old,
                           number got, bound within, int is_special) {
  const number alpha = CMPLXL (p->alpha.re, p->alpha.im), beta = CMPLXL (p->beta.re, p->beta.im);
  if (is_integer (p->a.type))
    return creall (got) == rounded (x, type);
  if (within == ORDERED) { /* alpha is real */
    const double re = p->alpha.re == 1 ? x->ordered_re : p->alpha.re * x->ordered_re;
    const double im = p->alpha.re == 1 ? x->ordered_im : p->alpha.re * x->ordered_im;
    return (isnan (re) ? isnan (creall (got)) : re == creall (got))
           && (isnan (im) ? isnan (cimagl (got)) : im == cimagl (got));
  }
  const number sum = needs_long (type, within, is_special) ? CMPLXL (x->re, x->im)
                                                           : CMPLXL (x->ordered_re, x->ordered_im);
  if (is_special) { /* alpha is 1. The CPU has C's rules for complex numbers, a device not */
    if (within == ROUNDED && is_complex (p->a.type) && is_complex (p->b.type)
        && !isfinite (size_of (sum)))
      return !isfinite (size_of (got));
    return is_alike (creall (sum), creall (got)) && is_alike (cimagl (sum), cimagl (got));
  }
  number expected = is_zero (p->alpha) ? 0 : sum * alpha;
  long double size = x->size * size_of (alpha);
  if (p->c0 && !is_zero (p->beta)) {
    expected += beta * old;
    size += size_of (beta) * size_of (old);
  }
  const long double eps = is_single (type) ? FLT_EPSILON : DBL_EPSILON;
  return within == EXACT
             ? got == expected
             : size_of (got - expected) <= ((long double) x->terms + 4) * 2 * eps * size;
}

/* Compressed lines that begin at 0, ascend, stay inside, and hold no entry that is zero. */
static inline int is_sound (const gpumm_matrix *c) {
  const int64_t places = c->format == GPUMM_BLOCKS ? c->cols / c->block_cols : c->rows;
  const int64_t each = entry_elements (c);
  int sound = c->start[0] == 0;
  for (int64_t i = 0; i < lines_of (c) && sound; i++)
    sound = c->start[i] <= c->start[i + 1] && c->start[i + 1] <= c->nzmax;
  for (int64_t i = 0; i < lines_of (c) && sound; i++)
    for (int64_t t = c->start[i]; t < c->start[i + 1] && sound; t++) {
      const int64_t at = c->format == GPUMM_BLOCKS ? c->block_column[t] : c->row[t];
      const int64_t before = t == c->start[i]            ? -1
                             : c->format == GPUMM_BLOCKS ? c->block_column[t - 1]
                                                         : c->row[t - 1];
      int any = 0;
      for (int64_t e = t * each; e < (t + 1) * each; e++)
        any |= get (c->type, c->values, e) != 0;
      sound = before < at && at < places && any;
    }
  return sound;
}

typedef struct {
  int64_t wrong;   /* elements */
  int64_t most;    /* entries in which products meet: what gpumm_result has to say */
  double products; /* of two elements */
} verdict;

/* Compares c with the product; is_special: of SPECIAL elements. */
static inline verdict judge (const gpumm_problem *p, const gpumm_matrix *c, bound within,
                             int is_special) {
  verdict v = {.wrong = c->format != GPUMM_FULL && !is_sound (c)};
  if (v.wrong)
    return v;
  entries a = list_of (&p->a), b = list_of (&p->b), got = list_of (c);
  element *column = check_allocate (c->rows, sizeof *column);
  const int64_t rows = c->format == GPUMM_BLOCKS ? c->block_rows : 1,
                cols = c->format == GPUMM_BLOCKS ? c->block_cols : 1;
  char *met = check_allocate (c->rows / rows * (c->cols / cols), 1);
  for (int64_t j = 0; j < c->cols; j++) {
    int64_t next = got.first[j];
    if (is_zero (p->alpha))
      memset (column, 0, (size_t) c->rows * sizeof *column);
    else
      sum_column (&a, &b, j, c->rows, needs_long (c->type, within, is_special), column);
    for (int64_t i = 0; i < c->rows; i++) {
      const element *x = &column[i];
      const int stored = next < got.first[j + 1] && got.list[next].row == i;
      if (!stored && x->terms == 0)
        continue;
      const entry none = {0}, *here = stored ? &got.list[next++] : &none;
      const number old = p->c0 ? get (c->type, p->c0->values, i + j * p->c0->ld) : 0;
      const int right = is_integer (c->type)
                            ? here->whole == saturated (x, c->type)
                            : is_near (p, c->type, x, old, here->value, within, is_special);
      v.wrong += !right;
      v.products += (double) x->terms;
      v.most += x->terms > 0 && !met[i / rows + j / cols * (c->rows / rows)];
      met[i / rows + j / cols * (c->rows / rows)] |= x->terms > 0;
    }
    v.wrong += got.first[j + 1] - next;
    const size_t bytes = gpumm_type_bytes (c->type);
    for (size_t e = (size_t) (j * c->ld + c->rows) * bytes;
         c->format == GPUMM_FULL && e < (size_t) ((j + 1) * c->ld) * bytes; e++)
      v.wrong += ((char *) c->values)[e] != UNWRITTEN;
  }
  free (column);
  free (met);
  release_list (&a);
  release_list (&b);
  release_list (&got);
  return v;
}

/* ---- what is refused ---------------------------------------------------------------------- */

static inline void refused (gpumm_status status, gpumm_status expected, const char *text) {
  CHECK (status == expected && strstr (gpumm_last_error (), text), "%s, not %s; %s, not %s",
         gpumm_status_name (status), gpumm_status_name (expected), gpumm_last_error (), text);
}

/* A right argument with one change, of x. */
#define REFUSED(type, right, change, call, status, text)                                           \
  do {                                                                                             \
    type x = right;                                                                                \
    change;                                                                                        \
    refused (call (&x), status, text);                                                             \
  } while (0)

/* After a reset nothing of the engine's is left. main () returns it. */
static inline int released_and_done (void) {
  gpumm_reset ();
  CHECK (gpumm_live_allocations () == 0, "%lld allocations are left",
         (long long) gpumm_live_allocations ());
  return check_done ();
}

#endif
