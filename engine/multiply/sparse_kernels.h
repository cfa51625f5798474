/* sparse_kernels.h - the inner loops of sparse.c for one combination of element types.
 *
 * sparse.c includes this file once for each combination, with these macros set:
 *   A, B     letters of the two operands' elements, d or z
 *   VECTORS  all are double, and "four" is a vector of them; else left out
 *
 * SPDX-License-Identifier: BSD-3-Clause */

#define NAME(f)     JOIN3 (f##_, A, B)
#define T1          JOIN (TYPE_, A)
#define T2          JOIN (TYPE_, B)
#define TC          JOIN (TYPE_, JOIN3 (SUM_, A, B))
#define SCALE       JOIN (scale_, JOIN3 (SUM_, A, B))
#define LOAD1(x, c) ((c) ? JOIN (CONJ_, A) (x) : (x))
#define LOAD2(x, c) ((c) ? JOIN (CONJ_, B) (x) : (x))
#ifdef VECTORS
#define TV     four
#define TF     four
#define LANES  4
#define CLONES FOR_EACH_PROCESSOR
#else
#define TV     TC
#define TF     T2
#define LANES  1
#define CLONES /* GCC 12 fuses the products and sums of complex numbers though it is told not to */
#endif

/* sum(row) += A(:,0:width-1) b for columns of A with the same rows, count, that lie one behind
 * the other; width is a constant where this is inlined. */
static inline __attribute__ ((always_inline)) void NAME (add) (const T1 *a, const int64_t *row,
                                                               int64_t count, const T2 *b, TC *sum,
                                                               const int width) {
  T2 factor[3] = {b[0]}; /* keep in registers: sum may alias b */
  for (int w = 1; w < width; w++)
    factor[w] = b[w];
  for (int64_t s = 0; s < count; s++) {
    TC total = sum[row[s]] + a[s] * factor[0];
    for (int w = 1; w < width; w++)
      total += a[w * count + s] * factor[w];
    sum[row[s]] = total;
  }
}

/* Column j of C, which has at most SHORT_LINE products: its rows, ascending, and sums; returns how
 * many there are. */
static inline __attribute__ ((always_inline)) int64_t NAME (short_line) (const gpumm_pattern *p,
                                                                         int64_t j, int64_t *rows,
                                                                         TC *sums) {
  const gpumm_matrix *x = &p->x, *y = &p->y;
  const T1 *a = y->values;
  const T2 *b = x->values;
  const int64_t end = x->start[j + 1], last = x->start[p->lines];
  int64_t count = 0;
  for (int64_t t = x->start[j]; t < end; t++) {
    const int64_t later = gpumm_soon (p, t, last), k = x->row[t];
    __builtin_prefetch (y->row + later);
    __builtin_prefetch (a + later);
    for (int64_t u = y->start[k]; u < y->start[k + 1]; u++) {
      int is_new;
      const int64_t place = gpumm_place_in (rows, count, y->row[u], &is_new);
      if (!is_new) {
        sums[place] += a[u] * b[t];
        continue;
      }
      for (int64_t q = count++; q > place; q--) {
        rows[q] = rows[q - 1];
        sums[q] = sums[q - 1];
      }
      rows[place] = y->row[u];
      sums[place] = a[u] * b[t];
    }
  }
  return count;
}

/* Columns first to before after of C = alpha A B, column by column: column j of C is the
 * sum of the columns p of A times B(p,j) (F. G. Gustavson, ACM TOMS 4 (1978) 250). w->sums is zero
 * before and after. A column of few products is summed in a list. The rows of a thin column come
 * from a set that gives them back in order, from the pattern's bits, or from the column before
 * where that is certain to have the same. Those of a full column are read off w->sums from top to
 * bottom; which of its elements are zero nobody can foretell, and a branch for each took longer
 * than the product. The columns lie one behind the other from where the symbolic phase said the
 * first begins; elements that are zero are left out. */
static int64_t NAME (gustavson) (const void *context, gpumm_line *w, int64_t first, int64_t after) {
  const gustavson *g = context;
  const gpumm_pattern *p = g->pattern;
  const gpumm_matrix *x = &p->x, *y = &p->y;
  const T1 *a = y->values;
  const T2 *b = x->values;
  TC *sum = w->sums, *values = g->c->values;
  int64_t *row = g->c->row, out = p->start[first], unreported = 0;
  const int64_t last = x->start[after];
  for (int64_t j = first; j < after && !gpumm_is_cancelled (); j++) {
    const int64_t most = p->start[j + 1] - p->start[j], end = x->start[j + 1];
    if (gpumm_is_short (p, j)) {
      int64_t list[SHORT_LINE];
      TC sums[SHORT_LINE];
      const int64_t few = NAME (short_line) (p, j, list, sums);
      g->c->start[j] = out;
      for (int64_t q = 0; q < few; q++) {
        const TC value = SCALE (sums[q], g->alpha);
        row[out] = list[q];
        values[out] = value;
        out += value != 0;
      }
      if (++unreported == SHORT_LINES) {
        gpumm_progress_add (w->progress * SHORT_LINES);
        unreported = 0;
      }
      continue;
    }
    const int full = y->rows / cutting.full_column < most;
    const int same = j > first && p->repeats_x[j] && out - g->c->start[j - 1] == most;
    const int adds = !full && !same && !p->bits;
    g->c->start[j] = out;
    for (int64_t t = x->start[j], next; t < end && !gpumm_is_cancelled_at (t); t = next) {
      const int64_t begin = y->start[x->row[t]], count = y->start[x->row[t] + 1] - begin;
      const int64_t *rows = y->row + begin, later = gpumm_soon (p, t, last);
      __builtin_prefetch (y->row + later);
      __builtin_prefetch (a + later);
      next = gpumm_group_end (p, t, end);
      for (int64_t u = t; u < next;) {
        const T1 *from = a + begin + (u - t) * count;
        const int64_t columns = gpumm_least (next - u, 3);
        if (columns == 3)
          NAME (add) (from, rows, count, b + u, sum, 3);
        else if (columns == 2)
          NAME (add) (from, rows, count, b + u, sum, 2);
        else
          NAME (add) (from, rows, count, b + u, sum, 1);
        u += columns;
      }
      if (adds)
        rowset_add_all (&w->set, rows, 0, count);
    }
    const int64_t *rows = same ? row + g->c->start[j - 1] : w->list;
    int64_t count = most;
    if (full && !same) {
      count = 0;
      for (int64_t i = 0; i < y->rows; i++) {
        w->list[count] = i;
        count += sum[i] != 0;
      }
    } else if (adds)
      rowset_drain (&w->set, w->list);
    else if (!same)
      gpumm_collect (p, w, j);
    for (int64_t q = 0; q < count; q++) {
      const int64_t i = rows[q];
      const TC value = SCALE (sum[i], g->alpha);
      sum[i] = 0;
      if (value != 0) {
        row[out] = i;
        values[out++] = value;
      }
    }
    gpumm_progress_add (w->progress);
  }
  gpumm_progress_add (w->progress * (double) unreported);
  return out;
}

/* The same in natural blocks of size x size. Sums lie by rows of a block: there a number of A meets
 * a row of a block of B, which is one or two vectors of doubles, with zeros where it is shorter.
 * They add up in the order of the plain product. */
static inline __attribute__ ((always_inline)) int64_t NAME (natural_sized) (
    const gustavson *g, gpumm_line *w, int64_t first, int64_t after, const int size) {
  const gpumm_pattern *pattern = g->pattern;
  const gpumm_matrix *x = &pattern->x, *y = &pattern->y;
  const int width = (size + LANES - 1) / LANES; /* vectors of a row */
  const gpumm_scalar alpha = g->alpha;
  TV *const sum = w->sums;
  int64_t *const list = w->list, *const place = w->place;
  TC *values = g->c->values;
  int64_t *row = g->c->row, out = pattern->start[first];
  for (int64_t j = first / size; j < after / size && !gpumm_is_cancelled (); j++) {
    const int64_t begin = x->start[j], count = x->start[j + 1] - begin;
    const int64_t blocks = gpumm_collect (pattern, w, j);
    memset (sum, 0, (size_t) (blocks * size * width) * sizeof *sum);
    for (int64_t t = 0; t < count && !gpumm_is_cancelled_at (t); t++) {
      const T2 *b = (const T2 *) x->values + (begin * size + t) * size;
      const int64_t k = x->row[begin + t], from = y->start[k], stride = y->start[k + 1] - from;
      const int64_t *rows = y->row + from;
      const T1 *a = (const T1 *) y->values + from * size * size;
      TF factor[8 * 8 / LANES] = {0};
      for (int p = 0; p < size; p++)
        for (int q = 0; q < size; q++)
          ((T2 *) factor)[p * width * LANES + q] = b[q * count * size + p];
      for (int64_t u = 0; u < stride; u++) {
        TV *c = sum + place[rows[u]] * size * width;
        for (int r = 0; r < size; r++)
          for (int q = 0; q < width; q++) {
            TV total = c[r * width + q];
            for (int p = 0; p < size; p++)
              total += a[(p * stride + u) * size + r] * factor[p * width + q];
            c[r * width + q] = total;
          }
      }
    }
    for (int q = 0; q < size; q++) {
      g->c->start[j * size + q] = out;
      for (int64_t u = 0; u < blocks; u++) {
        const int64_t top = list[u] * size;
        const TC *from = (const TC *) sum + u * size * width * LANES + q;
        for (int r = 0; r < size; r++) {
          const TC value = SCALE (from[r * width * LANES], alpha);
          if (value != 0) {
            row[out] = top + r;
            values[out++] = value;
          }
        }
      }
    }
    gpumm_progress_add (w->progress * (double) size);
  }
  return out;
}

CLONES static int64_t NAME (natural) (const void *context, gpumm_line *w, int64_t first,
                                      int64_t after) {
  const gustavson *g = context;
#define SIZED(size) return NAME (natural_sized) (g, w, first, after, size)
  GPUMM_WITH_NATURAL_SIZE (g->pattern->size, SIZED)
#undef SIZED
}

/* X(0:inner-1, 0:width-1) by rows: count columns of the full operand from first on, then zeros. */
static void NAME (pack) (const panels *d, int64_t first, int64_t count, T2 *x) {
  const T2 *from = (const T2 *) d->x + first * d->x_across;
  const int64_t rows = d->used ? d->used_count : d->inner;
  for (int64_t q = 0; q < rows && !gpumm_is_cancelled_at (q); q++) {
    const int64_t p = d->used ? d->used[q] : q;
    for (int64_t w = 0; w < count; w++)
      x[p * d->width + w] = LOAD2 (from[p * d->x_down + w * d->x_across], d->conj_x);
    for (int64_t w = count; w < d->width; w++)
      x[p * d->width + w] = 0;
  }
}

/* Y += S X for a panel of width columns stored by rows; width is a constant where this is
 * inlined. */
static inline __attribute__ ((always_inline)) void NAME (multiply) (const panels *d,
                                                                    const T2 *restrict x,
                                                                    TC *restrict y,
                                                                    const int width) {
  const T1 *values = d->s.values;
  const int64_t *column = d->s.start, *row = d->s.row;
  const int64_t cols = d->used ? d->used_count : d->s.cols;
  const int64_t last = cols > 0 ? column[d->s.cols] - 1 : 0; /* where alpha is 0 there is no S */
  for (int64_t q = 0; q < cols && !gpumm_is_cancelled (); q++) {
    const int64_t j = d->used ? d->used[q] : q;
    for (int64_t t = column[j]; t < column[j + 1]; t++) {
      const T1 value = LOAD1 (values[t], d->conj_s);
      if (width * sizeof (TC) >= LEAST_PREFETCHED)
        __builtin_prefetch (y + row[gpumm_least (t + PREFETCHED, last)] * width, 1);
      for (int w = 0; w < width; w++)
        y[row[t] * width + w] += value * x[j * width + w];
    }
  }
}

#ifdef VECTORS
/* Y += S X for a panel of width columns, S in natural blocks of size x size. The sums of an element
 * are in the order of the plain product. */
static inline __attribute__ ((always_inline)) void NAME (multiply_sized) (
    const panels *d, const double *x, double *y, const int width, const int size) {
  const gpumm_matrix *s = &d->blocks;
  const int vectors = width / LANES;
  for (int64_t j = 0; j < s->cols && !gpumm_is_cancelled (); j++) {
    const int64_t from = s->start[j], count = s->start[j + 1] - from;
    const double *a = (const double *) s->values + from * size * size;
    const four *here = (const four *) (x + j * size * width);
    for (int64_t u = 0; u < count; u++) {
      four *there = (four *) (y + s->row[from + u] * size * width);
      const double *block = a + u * size;
      for (int r = 0; r < size; r++)
        for (int q = 0; q < vectors; q++) {
          four total = there[r * vectors + q];
          for (int p = 0; p < size; p++)
            total += block[p * count * size + r] * here[p * vectors + q];
          there[r * vectors + q] = total;
        }
    }
  }
}

CLONES static void NAME (multiply_natural) (const panels *d, const double *x, double *y) {
#define WIDE(size)   NAME (multiply_sized) (d, x, y, WIDEST, size)
#define NARROW(size) NAME (multiply_sized) (d, x, y, LEAST_NATURAL_WIDTH, size)
  if (d->width == WIDEST)
    GPUMM_WITH_NATURAL_SIZE (d->natural, WIDE)
  else
    GPUMM_WITH_NATURAL_SIZE (d->natural, NARROW)
#undef WIDE
#undef NARROW
}
#endif

/* Row i of count columns of C, from column first on: alpha sum + beta C0. */
static inline __attribute__ ((always_inline)) void NAME (store) (const panels *d, const TC *sum,
                                                                 int64_t i, int64_t first,
                                                                 int64_t count) {
  const int64_t across = d->c_across, across_c0 = d->c0_across;
  TC *c = (TC *) d->c + i * d->c_down + first * across;
  for (int64_t w = 0; w < count; w++) {
    TC value = SCALE (sum[w], d->alpha);
    if (d->c0)
      value += SCALE (((const TC *) d->c0)[i * d->c0_down + (first + w) * across_c0], d->beta);
    c[w * across] = value;
  }
}

/* Rows begin to end - 1 of columns first to first + width - 1 of C = alpha S.' X + beta C0, where
 * these columns lie side by side in x, whose rows are down elements apart: sums go from registers
 * to C. width is a constant where this is inlined. */
static inline __attribute__ ((always_inline)) void NAME (gather_some) (const panels *d, const T2 *x,
                                                                       int64_t down, int64_t begin,
                                                                       int64_t end, int64_t first,
                                                                       const int width) {
  const T1 *values = d->s.values;
  const int64_t *column = d->s.start, *row = d->s.row;
  for (int64_t j = begin; j < end; j++) {
    TC sum[FEW_BESIDE] = {0};
    for (int64_t t = column[j]; t < column[j + 1]; t++) {
      const T1 value = LOAD1 (values[t], d->conj_s);
      const T2 *from = x + row[t] * down;
      for (int w = 0; w < width; w++)
        sum[w] += value * from[w];
    }
    NAME (store) (d, sum, j, first, width);
  }
}

#ifdef VECTORS
/* The same for this many vectors of columns. */
static inline __attribute__ ((always_inline)) void NAME (gather_vectors) (
    const panels *d, const double *x, int64_t down, int64_t begin, int64_t end, int64_t first,
    const int vectors, const int beside) {
  const double *values = d->s.values;
  const int64_t *column = d->s.start, *row = d->s.row;
  const double *c0 = d->c0 ? (const double *) d->c0 + first : NULL;
  double *c = (double *) d->c + first;
  for (int64_t j = begin; j < end; j++) {
    four sum[MOST_BESIDE / LANES] = {{0}};
    for (int64_t t = column[j]; t < column[j + 1]; t++) {
      const double value = values[t];
      const four_anywhere *from = (const four_anywhere *) (x + row[t] * down);
      for (int v = 0; v < vectors; v++)
        sum[v] += value * from[v];
    }
    if (beside)
      for (int v = 0; v < vectors; v++) {
        four total = sum[v];
        if (d->alpha.re != 1)
          total *= d->alpha.re;
        if (c0)
          total += d->beta.re * ((const four_anywhere *) (c0 + j * d->c0_down))[v];
        ((four_anywhere *) (c + j * d->c_down))[v] = total;
      }
    else {
      four kept[MOST_BESIDE / LANES];
      for (int v = 0; v < vectors; v++)
        kept[v] = sum[v];
      NAME (store) (d, (const double *) kept, j, first, vectors * LANES);
    }
  }
}

/* The last vectors overlap the ones before instead of shrinking; values computed twice are
 * equal. */
CLONES static void NAME (gather_many) (const panels *d, const double *x, int64_t down,
                                       int64_t begin, int64_t end, int64_t first, int64_t count) {
  int64_t width;
  for (int64_t done = 0; done < count; done += width) {
    for (width = LANES; width < count - done && 2 * width <= count && width < MOST_BESIDE;)
      width *= 2;
    const int64_t at = gpumm_least (done, count - width);
#define SOME(vectors)                                                                              \
  if (d->c_across == 1 && d->c0_across == 1)                                                       \
    NAME (gather_vectors) (d, x + at, down, begin, end, first + at, vectors, 1);                   \
  else                                                                                             \
    NAME (gather_vectors) (d, x + at, down, begin, end, first + at, vectors, 0);
    if (width == LANES) {
      SOME (1)
    } else if (width == 2 * LANES) {
      SOME (2)
    } else {
      SOME (MOST_BESIDE / LANES)
    }
#undef SOME
  }
}
#endif

static void NAME (gather_columns) (const panels *d, const T2 *x, int64_t down, int64_t begin,
                                   int64_t end, int64_t first, int64_t count) {
#ifdef VECTORS
  if (count >= LANES) {
    NAME (gather_many) (d, x, down, begin, end, first, count);
    return;
  }
#endif
  for (; count >= FEW_BESIDE; first += FEW_BESIDE, x += FEW_BESIDE, count -= FEW_BESIDE)
    NAME (gather_some) (d, x, down, begin, end, first, FEW_BESIDE);
  if (count == 3)
    NAME (gather_some) (d, x, down, begin, end, first, 3);
  else if (count == 2)
    NAME (gather_some) (d, x, down, begin, end, first, 2);
  else if (count == 1)
    NAME (gather_some) (d, x, down, begin, end, first, 1);
}

/* Rows begin to end - 1 of count columns of C, from column first on; x begins with that column.
 * Inlined it would take registers from the loops of NAME (multiply): 1.2 times their instructions
 * in complex. */
static __attribute__ ((noinline)) void NAME (gather) (const panels *d, const T2 *x, int64_t down,
                                                      int64_t begin, int64_t end, int64_t first,
                                                      int64_t count) {
  const int64_t rows = count > MOST_BESIDE ? ROWS_AT_ONCE : 32 * ROWS_AT_ONCE;
  for (int64_t stop; begin < end && !gpumm_is_cancelled (); begin = stop) {
    stop = gpumm_least (end, begin + rows);
    NAME (gather_columns) (d, x, down, begin, stop, first, count);
    gpumm_progress_add ((double) ((stop - begin) * count));
  }
}

/* Part of a panel, in memory of one thread: x has room for inner rows, sums for outer ones unless
 * they go straight to C. */
static void NAME (panel) (const panels *d, int64_t panel, int64_t part, T2 *x, TC *sums) {
  const int64_t first = panel * d->width, count = gpumm_least (d->count - first, d->width);
  const T2 *packed = d->direct ? (const T2 *) d->x + first * d->x_across : x;
  if (!d->direct)
    NAME (pack) (d, first, count, x);
  if (d->gather) {
    const int64_t begin = d->outer / d->parts * part;
    const int64_t end = part + 1 == d->parts ? d->outer : d->outer / d->parts * (part + 1);
    NAME (gather) (d, packed, d->direct ? d->x_down : d->width, begin, end, first, count);
    return;
  }
  TC *y = d->in_place ? (TC *) d->c + first * d->c_across : sums;
  memset (y, 0, (size_t) (d->outer * d->width) * sizeof (TC));
#ifdef VECTORS
  if (d->natural)
    NAME (multiply_natural) (d, packed, y);
  else
#endif
    switch (d->width) {
    case 1:
      NAME (multiply) (d, packed, y, 1);
      break;
    case 2:
      NAME (multiply) (d, packed, y, 2);
      break;
    case 4:
      NAME (multiply) (d, packed, y, 4);
      break;
    default:
      NAME (multiply) (d, packed, y, WIDEST);
    }
  for (int64_t i = 0; !d->in_place && i < d->outer && !gpumm_is_cancelled_at (i); i++)
    NAME (store) (d, y + i * d->width, i, first, count);
  gpumm_progress_add ((double) (d->outer * count));
}

static void NAME (panels) (const panels *d, int64_t begin, int64_t end, void *x, void *y) {
  for (int64_t task = begin; task < end && !gpumm_is_cancelled (); task++)
    NAME (panel) (d, task / d->parts, task % d->parts, x, y);
}

#undef T1
#undef T2
#undef TC
#undef SCALE
#undef LOAD1
#undef LOAD2
#undef NAME
#undef VECTORS
#undef TV
#undef TF
#undef LANES
#undef CLONES
#undef A
#undef B
