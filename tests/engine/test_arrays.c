/* test_arrays.c - arrays on a device, entry by entry, against loops and complex.h of C.
 *
 *   test_arrays [gpu] [cases=N]   the host device, or GPU 0; N random cases of each kind
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "faults.h"
#include "gpumm_elementwise.h"
#include "gpumm_folds.h"
#include "resident.h"

#include <inttypes.h>
#include <sys/wait.h>
#include <unistd.h>

typedef double complex scalar;

enum { DIMS = GPUMM_MAP_DIMS };
static int cases = 150;

static const gpumm_type types[] = {GPUMM_S,   GPUMM_D,  GPUMM_C,   GPUMM_Z,   GPUMM_I8, GPUMM_I16,
                                   GPUMM_I32, GPUMM_U8, GPUMM_U16, GPUMM_U32, GPUMM_B};
enum { ALL = sizeof types / sizeof *types };

static scalar with (double re, double im) {
  return CMPLX (re, im);
}

/* ---- arrays on both sides ------------------------------------------------------------------- */

/* Integers by rounding half away from zero and saturating, NaN as 0. */
static void store (gpumm_type type, void *p, int64_t i, scalar x) {
  const double r = creal (x);
  if (is_integer (type))
    x = isnan (r) ? 0 : fmin (fmax (round (r), (double) lowest (type)), (double) highest (type));
  put (type, p, i, type == GPUMM_B ? x != 0 : x);
}

static scalar load (gpumm_type type, const void *p, int64_t i) {
  return (scalar) get (type, p, i);
}

typedef struct {
  gpumm_type type;
  int64_t count;
  void *host;
  gpumm_buffer *buffer;
} array;

static gpumm_view all_of (const array *x) {
  return (gpumm_view){x->type, x->buffer, gpumm_buffer_address (x->buffer), {0}, 0};
}

static void copy (const array *x, int up) {
  const gpumm_view v = all_of (x);
  const gpumm_matrix here = column_of (&v, x->count, x->host),
                     there = column_of (&v, x->count, NULL);
  if (x->count > 0)
    OK (gpumm_copy (up ? &here : &there, up ? &there : &here));
}

static array new_array (gpumm_type type, int64_t count) {
  array x = {type, count, NULL, NULL};
  const size_t bytes = (size_t) count * gpumm_type_bytes (type);
  x.host = check_allocate ((int64_t) bytes + 16, 1);
  if (gpumm_buffer_new (device, bytes, &x.buffer)) {
    CHECK (0, "%s", gpumm_last_error ());
    exit (check_done ());
  }
  memset (x.host, 0x5a, bytes); /* some results are a part of their array: all is copied */
  copy (&x, 1);
  return x;
}

/* Of any bits. */
static array random_array (gpumm_type type, int64_t count) {
  array x = new_array (type, count);
  for (size_t i = 0; i < (size_t) count * gpumm_type_bytes (type); i++)
    ((uint8_t *) x.host)[i] = (uint8_t) check_random ();
  copy (&x, 1);
  return x;
}

static void drop (array *x) {
  gpumm_buffer_release (x->buffer);
  free (x->host);
}

/* By columns, without gaps. */
static gpumm_view view (const array *x, const int64_t *size) {
  gpumm_view v = all_of (x);
  int64_t stride = 1;
  for (int d = 0; d < DIMS; d++) {
    v.stride[d] = stride;
    stride *= size ? size[d] : 1;
  }
  return v;
}

/* ---- the oracle ----------------------------------------------------------------------------- */

/* A value, and whether it counts as real. */
typedef struct {
  scalar z;
  int is_real;
} value;

/* volatile: gcc 12 vectorizes a pair of such conversions away. */
static double shortened (double x) {
  volatile float y = (float) x;
  return y;
}

static scalar in_precision (scalar x, int in_single) {
  return in_single ? with (shortened (creal (x)), shortened (cimag (x))) : x;
}

static scalar multiplied (scalar x, scalar y, int in_single) {
  return in_single ? (scalar) ((float complex) x * (float complex) y) : x * y;
}

static scalar over (scalar x, scalar y, int in_single) {
  return in_single ? (scalar) ((float complex) x / (float complex) y) : x / y;
}

static scalar whole_power (scalar x, int n, int in_single) {
  scalar y = n % 2 ? x : 1;
  for (unsigned left = (unsigned) abs (n); left >>= 1;) {
    x = multiplied (x, x, in_single);
    y = left % 2 ? multiplied (y, x, in_single) : y;
  }
  return n < 0 ? over (1, y, in_single) : y;
}

static scalar power (value x, value y, int in_single) {
  const double e = creal (y.z);
  if (y.is_real && !x.is_real && fabs (e) < INT32_MAX && e == rint (e))
    return whole_power (x.z, (int) e, in_single);
  if (y.is_real && cimag (x.z) == 0 && creal (x.z) > 0)
    return pow (creal (x.z), e);
  if (!y.is_real && !(x.is_real && creal (x.z) > 0))
    return in_single ? (scalar) cpowf ((float complex) x.z, (float complex) y.z) : cpow (x.z, y.z);
  const scalar l = in_single ? (scalar) clogf ((float complex) x.z) : clog (x.z);
  const scalar exponent = y.is_real ? with (e * creal (l), e * cimag (l))
                                    : with (e * creal (l), cimag (y.z) * creal (l));
  const double size = y.is_real ? exp (creal (exponent)) : pow (creal (x.z), e);
  const double turn = in_single ? shortened (cimag (exponent)) : cimag (exponent);
  const double most = in_single ? FLT_MAX : DBL_MAX;
  const double kept = size > most ? INFINITY : size;
  return with (kept * cos (turn), kept * sin (turn));
}

static double angle (value x, int in_single) {
  const double a = x.is_real ? 0 : in_single ? cargf ((float complex) x.z) : carg (x.z);
  const double pi = in_single ? (float) M_PI : M_PI;
  return a == -pi ? pi : a;
}

/* -1, 0, 1; 2: unordered. Of floats as floats. */
static int order (value x, value y, int in_single) {
  double p = creal (x.z), q = creal (y.z);
  if (!x.is_real || !y.is_real) {
    p = cabs (x.z);
    q = cabs (y.z);
    if (in_single) {
      p = (float) p;
      q = (float) q;
    }
    if (p == q) {
      p = angle (x, in_single);
      q = angle (y, in_single);
    }
  }
  return p < q ? -1 : p > q ? 1 : p == q ? 0 : 2;
}

static double sign_of (double x) {
  return isnan (x) ? x : (x > 0) - (x < 0);
}

static scalar unit_of (scalar z, int in_single) {
  const double size = in_single ? cabsf ((float complex) z) : cabs (z);
  return size == 0 ? 0 : with (creal (z) / size, cimag (z) / size);
}

#define of_parts(f, z)                  with (f (creal (z)), f (cimag (z)))
#define REAL(oracle, complex_oracle)    ((value){is_real ? oracle : complex_oracle, 1})
#define SAME(oracle, complex_oracle)    ((value){is_real ? oracle : complex_oracle, is_real})
#define COMPLEX(oracle, complex_oracle) SAME (oracle, complex_oracle)

static value unary (int op, value v, int in_complex, int in_single) {
  const scalar z = v.z;
  const double x = creal (z), y = cimag (z);
  const int is_real = v.is_real || !in_complex;
  if (in_complex && is_real && op == GPUMM_MAP_SQRT)
    return (value){x < 0 ? with (0, sqrt (-x)) : with (sqrt (x), 0), 0};
  if (in_complex && is_real && op == GPUMM_MAP_LOG)
    return (value){x < 0 ? with (log (-x), M_PI) : with (log (x), 0), 0};
  switch (op) {
  case GPUMM_MAP_NEG:
    return (value){is_real ? with (-x, 0) : with (-x, -y), is_real};
  case GPUMM_MAP_NOT:
    return (value){x == 0 && y == 0, 1};
#define ROW(NAME, name, mapper, result, zero, of_real, of_complex, oracle, complex_oracle, units)  \
  case GPUMM_MAP_##NAME:                                                                           \
    return result (oracle, complex_oracle);
    GPUMM_ELEMENTWISE (ROW)
#undef ROW
  }
  return v;
}

static value extreme (value x, value y, int is_max, int in_single) {
  const double r = creal (x.z), s = creal (y.z);
  if (x.is_real && y.is_real)
    return isnan (s) || (is_max ? r > s : r < s) ? x : y;
  double p = cabs (x.z), q = cabs (y.z);
  if (in_single) {
    p = (float) p;
    q = (float) q;
  }
  const int is_nan = isnan (r) || isnan (cimag (x.z));
  return (value){(is_max ? p >= q : p <= q) || is_nan ? x.z : y.z, 0};
}

/* The result of a step of an oracle. */
static double step (double x, int in_single) {
  return in_single ? shortened (x) : x;
}

/* Octave's mod and rem. */
static double remainder_of (double x, double y, int is_mod, int in_single) {
  const int s = in_single;
  const double q = step (x / y, s), near = floor (step (q + 0.5, s));
  const double off = step (fabs (step (q - near, s) / near), s),
               eps = s ? FLT_EPSILON : DBL_EPSILON;
  const int is_fraction = floor (step (y + 0.5, s)) != y;
  const double whole = step (y * (is_mod ? floor (q) : trunc (q)), s);
  const double z = is_fraction && off < eps ? 0 : step (x - whole, s);
  if (y == 0)
    return is_mod ? x : NAN;
  return x == y ? z : copysign (z, is_mod ? y : x);
}

static double of_two (int op, double x, double y, int in_single) {
  switch (op) {
#define ROW(NAME, name, arguments, device, oracle, units)                                          \
  case GPUMM_MAP_##NAME:                                                                           \
    return oracle;
    GPUMM_ELEMENTWISE_OF_TWO (ROW)
#undef ROW
  }
  return NAN;
}

static value binary (int op, value x, value y, int in_complex, int in_single) {
  const double a = creal (x.z), b = cimag (x.z), c = creal (y.z), d = cimag (y.z);
  const int both = x.is_real && y.is_real, o = order (x, y, in_single);
  scalar z;
  if (op >= GPUMM_MAP_OF_TWO)
    return (value){of_two (op, a, c, in_single), 1};
  switch (op) {
  case GPUMM_MAP_ADD:
    z = with (a + c, x.is_real ? d : y.is_real ? b : b + d);
    break;
  case GPUMM_MAP_SUB:
    z = with (a - c, x.is_real ? -d : y.is_real ? b : b - d);
    break;
  case GPUMM_MAP_MUL:
    z = x.is_real   ? with (a * c, a * d)
        : y.is_real ? with (a * c, b * c)
                    : multiplied (x.z, y.z, in_single);
    break;
  case GPUMM_MAP_DIV:
    z = y.is_real ? with (a / c, b / c) : over (x.z, y.z, in_single);
    break;
  case GPUMM_MAP_POW:
    return in_complex ? (value){power (x, y, in_single), 0} : (value){pow (a, c), 1};
  case GPUMM_MAP_LT:
    return (value){o == -1, 1};
  case GPUMM_MAP_LE:
    return (value){o == -1 || o == 0, 1};
  case GPUMM_MAP_GE:
    return (value){o == 1 || o == 0, 1};
  case GPUMM_MAP_GT:
    return (value){o == 1, 1};
  case GPUMM_MAP_EQ:
    return (value){a == c && b == d, 1};
  case GPUMM_MAP_NE:
    return (value){a != c || b != d, 1};
  case GPUMM_MAP_AND:
    return (value){(a != 0 || b != 0) && (c != 0 || d != 0), 1};
  case GPUMM_MAP_OR:
    return (value){a != 0 || b != 0 || c != 0 || d != 0, 1};
  case GPUMM_MAP_MASK:
    z = c == 0 && d == 0 ? 0 : x.z;
    break;
  default:
    return extreme (x, y, op == GPUMM_MAP_MAX, in_single);
  }
  return both ? (value){creal (z), 1} : (value){z, 0};
}

static int has_operand (int op) {
  return op < GPUMM_MAP_NEG || op >= GPUMM_MAP_ADD;
}

/* Runs the program on the inputs of one entry. */
static scalar run (const gpumm_map *m, const scalar *input) {
  const int in_complex = is_complex (m->domain), in_single = is_single (m->domain);
  value x[GPUMM_MAP_INPUTS], stack[3], a = {0, 1};
  int depth = 0;
  for (int i = 0; i < m->inputs; i++) {
    const scalar z = m->input[i].conjugated ? conj (input[i]) : input[i];
    const int is_real = !is_complex (m->input[i].type) || !in_complex;
    x[i] = (value){in_precision (is_real ? creal (z) : z, in_single), is_real};
  }
  if (m->inputs > 0)
    a = x[0];
  for (int s = 0; s < m->steps; s++) {
    const gpumm_map_step *step = &m->step[s];
    const scalar constant = with (step->constant.re, in_complex ? step->constant.im : 0);
    value y = {in_precision (constant, in_single), step->constant.im == 0 || !in_complex};
    if (has_operand ((int) step->op) && step->source == GPUMM_MAP_POP)
      y = stack[--depth];
    else if (has_operand ((int) step->op) && step->source >= 0)
      y = x[step->source];
    if (step->op == GPUMM_MAP_PUSH)
      stack[depth++] = a;
    if (step->op <= GPUMM_MAP_PUSH)
      a = y;
    else if (!has_operand ((int) step->op))
      a = unary ((int) step->op, a, in_complex, in_single);
    else
      a = step->swapped ? binary ((int) step->op, y, a, in_complex, in_single)
                        : binary ((int) step->op, a, y, in_complex, in_single);
    a.z = in_precision (a.z, in_single);
  }
  return a.z;
}

static int part_agrees (double x, double y, double bound) {
  if (isnan (y) || isnan (x))
    return isnan (y) && isnan (x);
  return x == y || fabs (x - y) <= bound;
}

/* Exact: the same bits, but for NaN. Else near, beside |y|, or beside its only finite part. */
static int agrees (scalar x, scalar y, double near) {
  const double re = fabs (creal (y)), im = fabs (cimag (y));
  const double size = fmax (isfinite (re) ? re : 0, isfinite (im) ? im : 0);
  if (isinf (near))
    return 1;
  if (near > 0)
    return part_agrees (creal (x), creal (y), near * size + DBL_MIN)
           && part_agrees (cimag (x), cimag (y), near * size + DBL_MIN);
  return part_agrees (creal (x), creal (y), 0) && part_agrees (cimag (x), cimag (y), 0)
         && (isnan (creal (y)) || signbit (creal (x)) == signbit (creal (y)))
         && (isnan (cimag (y)) || signbit (cimag (x)) == signbit (cimag (y)));
}

/* ---- maps ----------------------------------------------------------------------------------- */

static const double edges[] = {0,     -0.0,    1,      -1,       0.5,       -0.5,   1.5,
                               2.5,   -2.5,    3,      -3.5,     100.25,    -129.5, 254.5,
                               255.5, 65535.5, -40000, INFINITY, -INFINITY, NAN,    0x1p-1074,
                               3e9,   -3e9,    1e300,  1e-300,   0.6,       0.8};
enum { EDGES = sizeof edges / sizeof *edges };

static double pick_edge (void) {
  return check_between (0, 2) ? (double) check_between (-4, 4) / 2
                              : edges[check_between (0, EDGES - 1)];
}

static void fill (array *x) {
  for (int64_t i = 0; i < x->count; i++)
    store (x->type, x->host, i, with (pick_edge (), pick_edge ()));
  for (int64_t i = 0; i < 4 && i < x->count && x->count <= 24; i++) /* infinite in both parts */
    store (x->type, x->host, i, with (i % 2 ? INFINITY : -INFINITY, i / 2 ? INFINITY : -INFINITY));
  copy (x, 1);
}

/* exp (y log x) multiplies the error of the exponent. */
static double widened (double near, const gpumm_map *m, scalar x, scalar y) {
  const double size = cabs (y) * cabs (clog (x));
  if (m->steps != 1 || m->step[0].op != GPUMM_MAP_POW || !is_complex (m->domain)
      || !isfinite (size))
    return near;
  return near * size < 1e-3 ? near * (1 + size) : INFINITY; /* of the angle nothing is left */
}

/* Compares what a map gave with the oracle, entry by entry. */
static void check_map (const gpumm_map *m, const array *input, const array *output, double near,
                       const char *what) {
  const gpumm_type type = output->type;
  int wrong = 0;
  CHECK (!gpumm_map_entries (m), "%s: %s", what, gpumm_last_error ());
  copy (output, 0);
  const int64_t entries = m->size[0] * m->size[1] * m->size[2] * m->size[3];
  for (int64_t e = 0; e < entries; e++) {
    int64_t place[GPUMM_MAP_INPUTS + 1] = {0}, left = e;
    for (int d = 0; d < DIMS; left /= m->size[d++])
      for (int a = 0; a <= m->inputs; a++)
        place[a] += left % m->size[d] * (a < m->inputs ? m->input[a] : m->output).stride[d];
    scalar x[GPUMM_MAP_INPUTS];
    for (int a = 0; a < m->inputs; a++)
      x[a] = m->input[a].buffer ? load (input[a].type, input[a].host, place[a]) : (double) place[a];
    uint64_t memory[2] = {0};
    store (type, memory, 0, run (m, x));
    const scalar right = load (type, memory, 0), got = load (type, output->host, place[m->inputs]);
    const scalar y = m->inputs > 1 ? x[1] : 0, z = m->inputs > 0 ? x[0] : 0;
    if (agrees (got, right, widened (near, m, z, y)) || wrong++)
      continue;
    CHECK (0, "%s: f (%g%+gi, %g%+gi, ..) = %.17g%+.17gi, not %.17g%+.17gi", what, creal (z),
           cimag (z), creal (y), cimag (y), creal (got), cimag (got), creal (right), cimag (right));
  }
  CHECK (!wrong, "%s: %d of %" PRId64 " wrong", what, wrong, output->count);
}

/* How near a result must be, for parts of |z|; 0: equal. */
static double nearness (int op, gpumm_type domain) {
  const double epsilon = is_single (domain) ? FLT_EPSILON : DBL_EPSILON;
  int units = 0;
  switch (op) {
#define ROW(NAME, name, mapper, result, zero, real, complex, oracle, complex_oracle, of_row)       \
  case GPUMM_MAP_##NAME:                                                                           \
    units = of_row;                                                                                \
    break;
    GPUMM_ELEMENTWISE (ROW)
#undef ROW
#define ROW(NAME, name, arguments, device, oracle, of_row)                                         \
  case GPUMM_MAP_##NAME:                                                                           \
    units = of_row;                                                                                \
    break;
    GPUMM_ELEMENTWISE_OF_TWO (ROW)
#undef ROW
  case GPUMM_MAP_POW:
    units = 8;
  }
  if (op == GPUMM_MAP_ABS || op == GPUMM_MAP_DIV || op == GPUMM_MAP_SQRT || op == GPUMM_MAP_SIGN)
    units = is_complex (domain) ? 8 : 0; /* real ones are exact in C */
  return units * epsilon;
}

/* The operation after this one: no numbers lie between those of one operand and those of two. */
static int after (int op) {
  return op + 1 == GPUMM_MAP_ONES ? GPUMM_MAP_ADD : op + 1;
}

/* Of a function its name, for messages. */
static const char *operation_name (int op) {
#define ROW(NAME, name, ...) [GPUMM_MAP_##NAME] = #name,
  static const char *const names[GPUMM_MAP_OPS] = {GPUMM_ELEMENTWISE (ROW)
                                                       GPUMM_ELEMENTWISE_OF_TWO (ROW)};
#undef ROW
  return names[op] ? names[op] : "operator";
}

/* Every operation in every domain for every pair of types, each entry with each: broadcasting. */
static void test_operations (int count) {
  array all[ALL];
  for (int t = 0; t < ALL; t++) {
    all[t] = new_array (types[t], count);
    fill (&all[t]);
  }
  for (int domain = GPUMM_S; domain <= GPUMM_Z; domain++) {
    array output = new_array ((gpumm_type) domain, (int64_t) count * count);
    for (int op = GPUMM_MAP_NEG; op < GPUMM_MAP_OPS; op = after (op))
      for (int t = 0; t < ALL; t++)
        for (int u = 0; u < (has_operand (op) ? ALL : 1); u += 1 + (t + op) % 2) {
          gpumm_map m = {.domain = (gpumm_type) domain,
                         .size = {count, has_operand (op) ? count : 1, 1, 1},
                         .inputs = 2,
                         .steps = 1,
                         .input = {view (&all[t], NULL), view (&all[u], NULL)},
                         .step = {{.op = (gpumm_map_op) op, .source = 1}}};
          const array inputs[] = {all[t], all[u]};
          char what[80];
          snprintf (what, sizeof what, "%s (operation %d) of %s and %s in %s", operation_name (op),
                    op, gpumm_type_name (types[t]), gpumm_type_name (types[u]),
                    gpumm_type_name ((gpumm_type) domain));
          m.input[0].stride[1] = m.input[0].stride[2] = m.input[0].stride[3] = 0;
          m.input[1].stride[0] = m.input[1].stride[2] = m.input[1].stride[3] = 0;
          m.output = view (&output, m.size);
          m.input[1].conjugated = (t + u) % 3 == 0;
          check_map (&m, inputs, &output, nearness (op, (gpumm_type) domain), what);
        }
    drop (&output);
  }
  for (int t = 0; t < ALL; t++)
    drop (&all[t]);
}

/* From every type to every type, through every domain; and without steps. */
static void test_conversions (void) {
  for (int t = 0; t < ALL; t++)
    for (int u = 0; u < ALL; u++)
      for (int domain = GPUMM_S; domain <= GPUMM_Z; domain++) {
        array x = new_array (types[t], 600), y = new_array (types[u], 600);
        fill (&x);
        gpumm_map m = {.domain = (gpumm_type) domain,
                       .size = {600, 1, 1, 1},
                       .inputs = 1,
                       .steps = t == u,
                       .step = {{.op = GPUMM_MAP_LOAD}}};
        m.input[0] = view (&x, m.size);
        m.output = view (&y, m.size);
        check_map (&m, &x, &y, 0, "conversion");
        drop (&x);
        drop (&y);
      }
}

/* Without steps entries of any type move as they are: here those of a transpose. */
static void test_moves (void) {
  enum { ROWS = 27, COLS = 19 };
  for (int type = 0; type < GPUMM_TYPES; type++) {
    array x = random_array ((gpumm_type) type, ROWS * COLS),
          y = new_array ((gpumm_type) type, ROWS * COLS);
    const size_t bytes = gpumm_type_bytes ((gpumm_type) type);
    gpumm_map m = {.domain = GPUMM_D, .size = {ROWS, COLS, 1, 1}, .inputs = 1};
    m.input[0] = view (&x, (const int64_t[]){1, 1, 1, 1});
    m.input[0].stride[0] = COLS;
    m.output = view (&y, m.size);
    OK (gpumm_map_entries (&m));
    copy (&y, 0);
    int wrong = 0;
    for (size_t e = 0; e < ROWS * COLS; e++)
      wrong += memcmp ((char *) y.host + e * bytes,
                       (char *) x.host + (e % ROWS * COLS + e / ROWS) * bytes, bytes)
               != 0;
    CHECK (!wrong, "%s: %d moved wrong", gpumm_type_name ((gpumm_type) type), wrong);
    drop (&x);
    drop (&y);
  }
}

/* A program of operations that give the same bits everywhere. */
static void make_program (gpumm_map *m) {
  static const int exact[] = {GPUMM_MAP_NEG,  GPUMM_MAP_ROUND, GPUMM_MAP_FLOOR, GPUMM_MAP_REAL,
                              GPUMM_MAP_IMAG, GPUMM_MAP_CONJ,  GPUMM_MAP_NOT,   GPUMM_MAP_ADD,
                              GPUMM_MAP_SUB,  GPUMM_MAP_MUL,   GPUMM_MAP_EQ,    GPUMM_MAP_AND,
                              GPUMM_MAP_OR,   GPUMM_MAP_LOAD,  GPUMM_MAP_PUSH,  GPUMM_MAP_ISNAN};
  int depth = 0;
  m->steps = (int) check_between (0, GPUMM_MAP_STEPS);
  for (int s = 0; s < m->steps; s++) {
    gpumm_map_step *step = &m->step[s];
    step->op = (gpumm_map_op) exact[check_between (0, sizeof exact / sizeof *exact - 1)];
    if (step->op == GPUMM_MAP_PUSH && depth == 2)
      step->op = GPUMM_MAP_ADD;
    const int pops = depth > 0 && step->op != GPUMM_MAP_PUSH && check_between (0, 1);
    step->source = pops ? GPUMM_MAP_POP : (int) check_between (GPUMM_MAP_CONSTANT, m->inputs - 1);
    step->swapped = (int) check_between (0, 1);
    step->constant = (gpumm_scalar){pick_edge (), check_between (0, 1) ? pick_edge () : 0};
    if (has_operand ((int) step->op))
      depth += (step->op == GPUMM_MAP_PUSH) - pops;
  }
}

static void test_programs (int count) {
  for (int n = 0; n < count; n++) {
    const int64_t largest[] = {700, 40, 9, 5};
    const int type = (int) check_between (0, ALL - 1);
    gpumm_map m = {.domain = (gpumm_type) check_between (GPUMM_S, GPUMM_Z),
                   .inputs = (int) check_between (0, GPUMM_MAP_INPUTS)};
    int64_t entries = 1;
    for (int d = 0; d < DIMS; d++) {
      m.size[d] = check_between (0, 2) ? check_between (1, largest[check_between (d, 3)]) : 1;
      m.size[d] = check_between (0, 40) ? m.size[d] : 0;
      entries *= m.size[d];
    }
    make_program (&m);
    array x[GPUMM_MAP_INPUTS], y = new_array (m.steps ? types[type] : m.domain, entries);
    for (int i = 0; i < m.inputs; i++) {
      int64_t perm[DIMS] = {0, 1, 2, 3}, stride = 1;
      x[i] =
          new_array (check_between (0, 1) ? m.domain : types[check_between (0, ALL - 1)], entries);
      fill (&x[i]);
      m.input[i] = view (&x[i], m.size);
      m.input[i].conjugated = m.steps > 0 && check_between (0, 3) == 0;
      for (int d = 0; d < DIMS && check_between (0, 1); d++) { /* transposed */
        const int64_t other = check_between (0, DIMS - 1), old = perm[d];
        perm[d] = perm[other];
        perm[other] = old;
      }
      for (int d = 0; d < DIMS; d++) {
        m.input[i].stride[perm[d]] = stride;
        stride *= m.size[perm[d]];
      }
      for (int d = 0; d < DIMS; d++)
        m.input[i].stride[d] *= check_between (0, 4) != 0;
      if (check_between (0, 7) == 0) { /* a ramp, in any direction */
        m.input[i].type = GPUMM_I64;
        m.input[i].buffer = NULL;
        m.input[i].values = NULL;
        m.input[i].stride[check_between (0, DIMS - 1)] = check_between (-9, 9);
      }
    }
    m.output = view (&y, m.size);
    check_map (&m, x, &y, 0, "program");
    for (int i = 0; i < m.inputs; i++)
      drop (&x[i]);
    drop (&y);
  }
}

/* ---- folds and scans ------------------------------------------------------------------------ */

/* Values whose sums are exact, and some NaN. For norms, some whose squares overflow or vanish: of
 * one scale, or of several. */
static void fill_small (array *x, int op) {
  static const double scales[][4] = {{1, 0x1p700, 0x1p-700, 0x1p-1070},
                                     {0x1p484, 0x1p485, 0x1p486, 0x1p487},      /* around LARGE */
                                     {0x1p-510, 0x1p-511, 0x1p-512, 0x1p-513}}; /* and SMALL */
  const double *some = scales[check_between (0, 2)];
  const int is_product = op == GPUMM_FOLD_PROD, is_norm = op == GPUMM_FOLD_NORM;
  const int spreads = is_norm || op == GPUMM_FOLD_SUMSQ; /* one NaN hides all else of a lane */
  const int has_nan = op >= GPUMM_FOLD_MAX && (!spreads || check_between (0, 7) == 0);
  const int many = check_between (0, 1);
  double scale = 1;
  for (int64_t i = 0; i < x->count; i++) {
    const double re =
        is_product ? (double) (1 - 2 * check_between (0, 1)) : (double) check_between (-3, 3);
    const double im = is_product ? 0 : (double) check_between (-3, 3);
    const int is_nan = has_nan && check_between (0, 3) == 0;
    if (is_norm && (i == 0 || many) && (x->type == GPUMM_D || x->type == GPUMM_Z))
      scale = some[check_between (0, 3)];
    store (x->type, x->host, i, is_nan ? with (NAN, 0) : with (scale * re, scale * im));
  }
  copy (x, 1);
}

/* Is y, of kind (max, min), better than x? */
static int is_better (int op, scalar y, scalar x, gpumm_type domain) {
  const int is_real = !is_complex (domain), in_single = is_single (domain);
  const int nan_x = isnan (creal (x)) || isnan (cimag (x));
  const int nan_y = isnan (creal (y)) || isnan (cimag (y));
  if (nan_x || nan_y)
    return nan_x && !nan_y;
  const int o = order ((value){y, is_real}, (value){x, is_real}, in_single);
  return op == GPUMM_FOLD_MAX ? o == 1 : o == -1;
}

/* Squares in long double, whose exponents they do not leave. near: the bound of the difference
 * beside the result; in a log-sum-exp each exponential has the error of its rounded exponent. */
static scalar fold_one (const gpumm_operation *f, const array *x, int64_t i, int64_t o,
                        int64_t *where, double *near) {
  const int op = (int) f->fold;
  scalar sum = op == GPUMM_FOLD_PROD || op == GPUMM_FOLD_ALL ? 1 : 0;
  long double squares = 0;
  long double complex exponentials = 0;
  long double sizes = 0;
  *where = 1;
  for (int64_t k = 0; k < f->count; k++) {
    const scalar z = load (x->type, x->host, i + f->inner * (k + f->count * o)),
                 y = run (&f->map, &z);
    const int is_nan = isnan (creal (y)) || isnan (cimag (y));
    if (op == GPUMM_FOLD_SUM)
      sum += y;
    else if (op == GPUMM_FOLD_PROD)
      sum *= y;
    else if (op == GPUMM_FOLD_SUMSQ || op == GPUMM_FOLD_NORM)
      squares += (long double) creal (y) * creal (y) + (long double) cimag (y) * cimag (y);
    else if (op == GPUMM_FOLD_LOGSUMEXP) {
      exponentials += cexpl ((long double complex) y);
      sizes += expl (creall ((long double complex) y));
    } else if (op == GPUMM_FOLD_ANY)
      sum = sum != 0 || (y != 0 && !is_nan);
    else if (op == GPUMM_FOLD_ALL)
      sum = sum != 0 && y != 0;
    else if (op == GPUMM_FOLD_LARGEST)
      sum = k == 0 || is_nan || creal (y) > creal (sum) ? y : sum;
    else if (k == 0 || is_better (op, y, sum, f->map.domain)) {
      sum = y;
      *where = k + 1;
    }
  }
  *near = op == GPUMM_FOLD_NORM ? (double) (f->count + 8) * DBL_EPSILON : 1e-300;
  if (op == GPUMM_FOLD_LOGSUMEXP) {
    sum = is_complex (f->map.domain) ? (scalar) clogl (exponentials)
                                     : (double) logl (creall (exponentials));
    const double size = fmax (fabs (creal (sum)), fabs (cimag (sum)));
    const double error =
        (double) (f->count + 800) * DBL_EPSILON * (double) (sizes / cabsl (exponentials));
    if (isfinite (size) && size > 0)
      *near = 4 * DBL_EPSILON + error / size;
  }
  return op == GPUMM_FOLD_NORM    ? (double) sqrtl (squares)
         : op == GPUMM_FOLD_SUMSQ ? (double) squares
                                  : sum;
}

/* Exponentials of reals that long double has and double has not, infinite ones, and NaN. Those of
 * complex numbers may cancel: one is the largest, and others are small beside it. */
static void fill_exponents (array *x, int64_t inner, int64_t count, int64_t outer) {
  static const double special[] = {INFINITY, -INFINITY, NAN, -4000};
  const int is_wild = x->type == GPUMM_D || x->type == GPUMM_S;
  const double least = is_integer (x->type) || x->type == GPUMM_B ? 0 : -30;
  for (int64_t lane = 0; lane < inner * outer; lane++) {
    const int has_special = is_wild && check_between (0, 3) == 0;
    const double shift = is_wild ? (double) check_between (-4000, 4000) : 0;
    for (int64_t k = 0; k < count; k++) {
      const double re = k == 0 ? 30 : (double) check_between ((long) least, 20);
      const double value =
          has_special && check_between (0, 5) == 0 ? special[check_between (0, 3)] : shift + re;
      store (x->type, x->host, lane % inner + inner * (k + count * (lane / inner)),
             with (value, (double) check_between (-3, 3)));
    }
  }
  copy (x, 1);
}

static void test_fold (int op, gpumm_type type, gpumm_type domain, int64_t inner, int64_t count,
                       int64_t outer) {
  const int is_extreme = op == GPUMM_FOLD_MAX || op == GPUMM_FOLD_MIN;
  const gpumm_type out = domain == GPUMM_S ? GPUMM_D : domain == GPUMM_C ? GPUMM_Z : domain;
  array x = new_array (type, inner * count * outer), y = new_array (out, inner * outer),
        at = new_array (GPUMM_D, inner * outer);
  if (op == GPUMM_FOLD_LOGSUMEXP)
    fill_exponents (&x, inner, count, outer);
  else
    fill_small (&x, op);
  gpumm_operation f = {
      .name = "fold", .fold = (gpumm_fold_op) op, .inner = inner, .count = count, .outer = outer};
  f.map = (gpumm_map){.domain = domain, .size = {x.count, 1, 1, 1}, .inputs = 1};
  f.map.steps = (int) check_between (0, 1);
  f.map.input[0] = view (&x, f.map.size);
  f.map.step[0].op = check_between (0, 1) ? GPUMM_MAP_NEG : GPUMM_MAP_CONJ;
  f.result[0] = view (&y, NULL);
  if (is_extreme)
    f.result[1] = view (&at, NULL);
  const gpumm_status status = gpumm_operation_run (&f);
  if (is_extreme && count == 0 && inner * outer > 0)
    CHECK (status == GPUMM_INVALID, "the maximum of nothing");
  else {
    int wrong = 0;
    OK (status);
    copy (&y, 0);
    if (is_extreme)
      copy (&at, 0);
    for (int64_t i = 0; i < inner * outer; i++) {
      int64_t where = 0;
      double near = 0;
      const scalar right = fold_one (&f, &x, i % inner, i / inner, &where, &near);
      wrong += !agrees (load (out, y.host, i), right, near);
      wrong += is_extreme && ((double *) at.host)[i] != (double) where;
    }
    CHECK (!wrong, "fold %d of %s in %s, %" PRId64 " x %" PRId64 " x %" PRId64 ": %d wrong", op,
           gpumm_type_name (type), gpumm_type_name (domain), inner, count, outer, wrong);
  }
  drop (&x);
  drop (&y);
  drop (&at);
}

/* A lane of an array: its entries x, and what an operation makes of them. Of what only moves
 * entries `place` has where each comes from, from 1 on, and y is not looked at. */
typedef struct {
  const struct lane_row *row;
  const array *all;
  gpumm_type domain;
  int64_t first, stride, count;
  scalar *x, *y;
  double *place;
} one_lane;

/* An operation along a dimension that gives a lane of each lane. */
typedef struct lane_row {
  const char *name;
  void (*oracle) (const one_lane *);
  gpumm_fold_op fold; /* which one of the row's; it decides what the lanes hold: MAX also NaN */
  int descends, has_places;
  int shorter; /* by how many entries the result's lanes are */
  int moves; /* it only moves entries: of all types, and the same bits; else in double precision */
} lane_row;

static void running (const one_lane *l) {
  const int op = (int) l->row->fold, is_extreme = op == GPUMM_FOLD_MAX || op == GPUMM_FOLD_MIN;
  scalar *const x = l->x, *const y = l->y;
  for (int64_t k = 0; k < l->count; k++) {
    const int is_new = k == 0 || (is_extreme && is_better (op, x[k], y[k - 1], l->domain));
    y[k] = is_new                  ? x[k]
           : is_extreme            ? y[k - 1]
           : op == GPUMM_FOLD_PROD ? y[k - 1] * x[k]
                                   : y[k - 1] + x[k];
    l->place[k] = is_new ? (double) k + 1 : l->place[k - 1];
  }
}

static void differences (const one_lane *l) {
  for (int64_t k = 0; k + 1 < l->count; k++)
    l->y[k] = l->x[k + 1] - l->x[k];
}

static const one_lane *sorted_lane; /* what qsort compares by the numbers of entries */

/* -1, 0 or 1, as the entries of these numbers are in ascending order. */
static int order_of (int64_t i, int64_t j) {
  const one_lane *l = sorted_lane;
  const gpumm_type type = l->all->type;
  const int64_t p = l->first + i * l->stride, q = l->first + j * l->stride;
  if (type == GPUMM_I64) {
    const int64_t *all = l->all->host;
    return (all[p] > all[q]) - (all[p] < all[q]);
  }
  if (type == GPUMM_U64) {
    const uint64_t *all = l->all->host;
    return (all[p] > all[q]) - (all[p] < all[q]);
  }
  const scalar x = l->x[i], y = l->x[j];
  const int nan_x = isnan (creal (x)) || isnan (cimag (x));
  const int nan_y = isnan (creal (y)) || isnan (cimag (y));
  if (nan_x || nan_y)
    return nan_x - nan_y;
  return order ((value){x, !is_complex (type)}, (value){y, !is_complex (type)}, is_single (type));
}

static int by_order (const void *x, const void *y) {
  const int64_t i = *(const int64_t *) x, j = *(const int64_t *) y;
  const int o = sorted_lane->row->descends ? order_of (j, i) : order_of (i, j);
  return o ? o : i < j ? -1 : 1;
}

static void sorted (const one_lane *l) {
  int64_t *number = check_allocate (l->count + 1, sizeof *number);
  for (int64_t k = 0; k < l->count; k++)
    number[k] = k;
  sorted_lane = l;
  qsort (number, (size_t) l->count, sizeof *number, by_order);
  for (int64_t k = 0; k < l->count; k++)
    l->place[k] = (double) number[k] + 1;
  free (number);
}

static const lane_row lane_rows[] = {
    {"scan", running, .fold = GPUMM_FOLD_SUM},
    {"scan", running, .fold = GPUMM_FOLD_PROD},
    {"scan", running, .fold = GPUMM_FOLD_MAX, .has_places = 1},
    {"scan", running, .fold = GPUMM_FOLD_MIN, .has_places = 1},
    {"diff", differences, .fold = GPUMM_FOLD_MAX, .shorter = 1},
    {"sort", sorted, .fold = GPUMM_FOLD_MAX, .has_places = 1, .moves = 1},
    {"sort", sorted, .fold = GPUMM_FOLD_MAX, .has_places = 1, .moves = 1, .descends = 1}};
enum { LANE_ROWS = sizeof lane_rows / sizeof *lane_rows };

/* How many entries y of a lane's result differ from the oracle's, and places, if wanted. */
static int wrong_entries (const one_lane *l, const array *y, const array *at, int64_t first,
                          int64_t count) {
  const size_t bytes = gpumm_type_bytes (y->type);
  int wrong = 0;
  for (int64_t k = 0; k < count; k++) {
    const int64_t e = first + k * l->stride;
    if (l->row->moves) {
      const int64_t from = l->first + ((int64_t) l->place[k] - 1) * l->stride;
      wrong += memcmp ((char *) y->host + (size_t) e * bytes,
                       (char *) l->all->host + (size_t) from * bytes, bytes)
               != 0;
    } else
      wrong += !agrees (load (y->type, y->host, e), l->y[k], 1e-300);
    wrong += at && ((double *) at->host)[e] != l->place[k];
  }
  return wrong;
}

static void test_lane_row (const lane_row *row, gpumm_type type, int64_t inner, int64_t count,
                           int64_t outer) {
  const int64_t length = count > row->shorter ? count - row->shorter : 0;
  const int any_bits = row->moves && type != GPUMM_B && !is_complex (type) && check_between (0, 1);
  const int wants_places = row->has_places && check_between (0, 3) > 0;
  array x = any_bits ? random_array (type, inner * count * outer)
                     : new_array (type, inner * count * outer),
        y = new_array (row->moves          ? type
                       : is_complex (type) ? GPUMM_Z
                                           : GPUMM_D,
                       inner * length * outer),
        at = new_array (GPUMM_D, y.count);
  one_lane l = {.row = row,
                .all = &x,
                .domain = is_single (type) || is_complex (type) ? type : GPUMM_D,
                .stride = inner,
                .count = count,
                .x = check_allocate (count + 1, sizeof *l.x),
                .y = check_allocate (count + 1, sizeof *l.y),
                .place = check_allocate (count + 1, sizeof *l.place)};
  gpumm_operation o = {.name = row->name,
                       .fold = row->fold,
                       .descends = row->descends,
                       .inner = inner,
                       .count = count,
                       .outer = outer,
                       .length = row->shorter ? length : 0,
                       .map = {.inputs = 1, .input = {view (&x, NULL)}},
                       .result = {view (&y, NULL)}};
  int wrong = 0;
  if (!any_bits)
    fill_small (&x, (int) row->fold);
  if (wants_places)
    o.result[1] = view (&at, NULL);
  OK (gpumm_operation_run (&o));
  copy (&y, 0);
  copy (&at, 0);
  for (int64_t n = 0; n < inner * outer; n++) {
    l.first = n % inner + inner * count * (n / inner);
    for (int64_t k = 0; k < count; k++)
      l.x[k] = load (type, x.host, l.first + k * inner);
    row->oracle (&l);
    wrong += wrong_entries (&l, &y, wants_places ? &at : NULL,
                            n % inner + inner * length * (n / inner), length);
  }
  CHECK (!wrong, "%s %d of %s, %" PRId64 " x %" PRId64 " x %" PRId64 ": %d wrong", row->name,
         (int) row->fold, gpumm_type_name (type), inner, count, outer, wrong);
  free (l.x);
  free (l.y);
  free (l.place);
  drop (&x);
  drop (&y);
  drop (&at);
}

static void test_lanes (int count) {
  static const int64_t shapes[][3] = {
      {1, 1, 1}, {1, 20000, 1}, {1, 8191, 2}, {3, 9000, 1}, {40, 700, 2}, {1, 100, 30},  {70, 3, 5},
      {1, 0, 4}, {5, 0, 1},     {0, 3, 2},    {33, 257, 1}, {1, 3, 500},  {32, 5000, 1}, {2, 1, 2}};
  enum { SHAPES = sizeof shapes / sizeof *shapes };
  for (int op = 0; op < GPUMM_FOLD_OPS; op++)
    for (int n = 0; n < SHAPES + count; n++) {
      int64_t random[3] = {check_between (1, 70), check_between (1, 600), check_between (1, 4)};
      const int64_t *shape = n < SHAPES ? shapes[n] : random;
      /* only doubles have several scales */
      const gpumm_type type = op == GPUMM_FOLD_NORM && n % 4 == 0 ? GPUMM_D : types[(n + op) % ALL];
      gpumm_type domain = n % 2 ? (gpumm_type) (n / 2 % 4) : type <= GPUMM_Z ? type : GPUMM_D;
      if (op == GPUMM_FOLD_LARGEST && is_complex (domain))
        domain = domain == GPUMM_C ? GPUMM_S : GPUMM_D;
      test_fold (op, type, domain, shape[0], shape[1], shape[2]);
    }
  for (int r = 0; r < LANE_ROWS; r++)
    for (int n = 0; n < SHAPES + count; n++) {
      int64_t random[3] = {check_between (1, 70), check_between (1, 600), check_between (1, 4)};
      const int64_t *shape = n < SHAPES ? shapes[n] : random;
      for (int of = 0; of < (lane_rows[r].moves ? GPUMM_TYPES : 1); of++)
        test_lane_row (&lane_rows[r], lane_rows[r].moves ? (gpumm_type) of : types[(n + r) % ALL],
                       shape[0], shape[1], shape[2]);
    }
}

/* ---- picks ---------------------------------------------------------------------------------- */

/* Places along dimension d: a range, or a vector of them, up or down; none twice, as a put would be
 * open. */
static gpumm_places draw_places (int64_t whole, int64_t count, int64_t *index) {
  const int64_t first = check_between (0, whole - count);
  const int is_range = (int) check_between (0, 1), down = (int) check_between (0, 1);
  for (int64_t i = 0; i < count; i++)
    index[i] = first + (down ? count - 1 - i : i);
  if (is_range)
    return (gpumm_places){.first = count > 0 ? index[0] : 0, .step = down ? -1 : 1};
  double from_1[300];
  for (int64_t i = 0; i < count; i++)
    from_1[i] = (double) index[i] + 1;
  const int is_from_1 = (int) check_between (0, 1);
  const gpumm_view vector =
      is_from_1 ? send (GPUMM_D, from_1, count) : send (GPUMM_I64, index, count);
  return (gpumm_places){.buffer = vector.buffer, .vector = vector.values, .from_1 = is_from_1};
}

static void test_pick (int n) {
  const gpumm_type type = (gpumm_type) (n % GPUMM_TYPES);
  const size_t bytes = gpumm_type_bytes (type);
  const int puts = n % 3 > 0;
  gpumm_operation p = {.name = puts ? "put" : "pick", .map = {.inputs = 1}};
  int64_t *const size = puts ? p.map.size : p.size, *const whole_size = puts ? p.size : p.map.size;
  gpumm_view *const of_part = puts ? &p.map.input[0] : &p.result[0], *const of_whole =
                                                                         puts ? &p.result[0]
                                                                              : &p.map.input[0];
  int64_t index[DIMS][300], parts = 1, wholes = 1;
  for (int d = 0; d < DIMS; d++) {
    whole_size[d] = check_between (1, d == 0 ? 300 : 8);
    size[d] = check_between (check_between (0, 9) > 0, whole_size[d]);
    p.places[d] = draw_places (whole_size[d], size[d], index[d]);
    parts *= size[d];
    wholes *= whole_size[d];
  }
  array part = random_array (type, parts), whole = random_array (type, wholes);
  *of_part = view (&part, size);
  *of_whole = view (&whole, whole_size);
  const int is_one = n % 3 == 2 && parts > 0;
  for (int d = 0; d < DIMS && is_one; d++)
    of_part->stride[d] = 0;
  const array *const changed = puts ? &whole : &part;
  char *expected = check_allocate (changed->count, bytes);
  memcpy (expected, changed->host, (size_t) changed->count * bytes);
  for (int64_t e = 0; e < parts; e++) {
    int64_t to = 0, left = e;
    for (int d = 0; d < DIMS; left /= size[d++])
      to += index[d][left % size[d]] * of_whole->stride[d];
    const size_t in_part = is_one ? 0 : (size_t) e * bytes, in_whole = (size_t) to * bytes;
    memcpy (expected + (puts ? in_whole : in_part),
            puts ? (char *) part.host + in_part : (char *) whole.host + in_whole, bytes);
  }
  OK (gpumm_operation_run (&p));
  copy (changed, 0);
  CHECK (!memcmp (expected, changed->host, (size_t) changed->count * bytes), "pick %d of %s", n,
         gpumm_type_name (type));
  free (expected);
  drop (&part);
  drop (&whole);
  give_all ();
}

/* ---- triangles ------------------------------------------------------------------------------ */

static void test_triangle (int n) {
  const gpumm_type type = (gpumm_type) (n % GPUMM_TYPES);
  const size_t bytes = gpumm_type_bytes (type);
  const int64_t rows = check_between (0, 100), cols = check_between (0, 100);
  const int by_rows = n / 2 % 2;
  array x = random_array (type, rows * cols), y = new_array (type, rows * cols);
  gpumm_operation o = {.name = "triangle",
                       .low = check_between (-120, 60),
                       .high = n % 3 ? INT64_MAX : check_between (-60, 120),
                       .map = {.size = {rows, cols, 1, 1}, .inputs = 1},
                       .size = {rows, cols, 1, 1}};
  o.map.input[0] = view (&x, o.size);
  o.result[0] = view (&y, o.size);
  if (by_rows)
    o.map.input[0].stride[0] = cols, o.map.input[0].stride[1] = 1;
  OK (gpumm_operation_run (&o));
  copy (&y, 0);
  int64_t wrong = 0;
  for (int64_t e = 0; e < rows * cols; e++) {
    const int64_t i = e % rows, j = e / rows;
    const char zero[16] = {0}, *all = x.host;
    const int keeps = j - i >= o.low && j - i <= o.high;
    wrong += memcmp ((char *) y.host + (size_t) e * bytes,
                     keeps ? all + (size_t) (by_rows ? i * cols + j : e) * bytes : zero, bytes)
             != 0;
  }
  CHECK (!wrong, "triangle %d of %s, %" PRId64 " x %" PRId64 ": %" PRId64 " wrong", n,
         gpumm_type_name (type), rows, cols, wrong);
  drop (&x);
  drop (&y);
}

/* ---- what is refused ------------------------------------------------------------------------ */

static gpumm_map add_one (const array *x, const array *y) {
  gpumm_map m = {.domain = GPUMM_D, .size = {x->count, 1, 1, 1}, .inputs = 1, .steps = 1};
  m.input[0] = view (x, m.size);
  m.output = view (y, m.size);
  m.step[0] =
      (gpumm_map_step){.op = GPUMM_MAP_ADD, .source = GPUMM_MAP_CONSTANT, .constant = {1, 0}};
  return m;
}

/* A right argument of each kind, with one change. */
static void test_refused (void) {
  array a = new_array (GPUMM_D, 12), b = new_array (GPUMM_D, 12), wide = new_array (GPUMM_I64, 12);
  fill (&a);
  const gpumm_view of_a = view (&a, NULL), of_b = view (&b, NULL), of_wide = view (&wide, NULL);
  const gpumm_map map = add_one (&a, &b);
#define MAP(change, status, text) REFUSED (gpumm_map, map, change, gpumm_map_entries, status, text)
  MAP (x.size[0] = -1, GPUMM_INVALID, "is negative");
  MAP ((x.size[1] = x.size[2] = INT64_C (1) << 40), GPUMM_INVALID, "too many");
  MAP (x.size[0] = 600, GPUMM_INVALID, "does not lie in its buffer");
  MAP (x.input[0].stride[0] = -1, GPUMM_INVALID, "does not lie in its buffer");
  MAP (x.input[0].values = (char *) x.input[0].values + 4, GPUMM_INVALID, "");
  MAP ((x.size[0] = 2, x.input[0].values = (char *) x.input[0].values + 4), GPUMM_INVALID,
       "whole element");
  MAP (x.input[0].buffer = NULL, GPUMM_INVALID, "has no buffer");
  MAP (x.output.stride[0] = 0, GPUMM_INVALID, "several entries at one place");
  MAP (x.domain = GPUMM_I8, GPUMM_INVALID, "no arithmetic");
  MAP (x.inputs = 7, GPUMM_INVALID, "7 inputs");
  MAP (x.steps = 17, GPUMM_INVALID, "17 steps");
  MAP (x.step[0].op = GPUMM_MAP_OPS, GPUMM_INVALID, "no operation");
  MAP (x.step[0].op = GPUMM_MAP_ONES, GPUMM_INVALID, "no operation");
  MAP (x.step[0].source = 1, GPUMM_INVALID, "no operand 1");
  MAP (x.step[0].source = GPUMM_MAP_POP, GPUMM_INVALID, "empty");
  MAP (x.input[0].type = GPUMM_TYPES, GPUMM_INVALID, "no element type");
  MAP (x.input[0] = view (&wide, x.size), GPUMM_UNSUPPORTED, "int64");
  MAP (x.output = view (&wide, x.size), GPUMM_UNSUPPORTED, "int64");
  MAP ((x.steps = 0, x.input[0] = (gpumm_view){.type = GPUMM_I64}, x.output = of_wide),
       GPUMM_UNSUPPORTED, "int64");
  MAP ((x.steps = 0, x.output = view (&wide, x.size)), GPUMM_UNSUPPORTED, "int64");
  MAP ((x.steps = 3, x.step[0].op = x.step[1].op = x.step[2].op = GPUMM_MAP_PUSH,
        x.step[1].source = x.step[2].source = GPUMM_MAP_CONSTANT),
       GPUMM_INVALID, "full");
  const gpumm_operation fold = {.name = "fold",
                                .fold = GPUMM_FOLD_SUM,
                                .map = map,
                                .inner = 3,
                                .count = 4,
                                .outer = 1,
                                .result = {of_b}};
#define FOLD(change, status, text)                                                                 \
  REFUSED (gpumm_operation, fold, change, gpumm_operation_run, status, text)
  FOLD (x.outer = 2, GPUMM_INVALID, "12 entries");
  FOLD (x.fold = GPUMM_FOLD_OPS, GPUMM_INVALID, "no operation");
  FOLD (x.result[1] = of_b, GPUMM_INVALID, "doubles");
  FOLD ((x.fold = GPUMM_FOLD_LARGEST, x.map.domain = GPUMM_C), GPUMM_UNSUPPORTED, "no largest");
  FOLD (x.result[0] = of_wide, GPUMM_UNSUPPORTED, "int64");
  FOLD ((x.map.size[0] = x.count = 0, x.inner = INT64_C (1) << 62, x.outer = 4), GPUMM_INVALID,
        "too many");
  const gpumm_operation scan = {.name = "scan",
                                .fold = GPUMM_FOLD_SUM,
                                .inner = 1,
                                .count = 12,
                                .outer = 1,
                                .map = {.inputs = 1, .input = {of_a}},
                                .result = {of_b}};
#define SCAN(change, status, text)                                                                 \
  REFUSED (gpumm_operation, scan, change, gpumm_operation_run, status, text)
  SCAN (x.fold = GPUMM_FOLD_NORM, GPUMM_INVALID, "only sums");
  SCAN (x.result[1] = of_a, GPUMM_INVALID, "max and min alone");
  for (const lane_row *row = lane_rows; row < lane_rows + LANE_ROWS; row++) {
    SCAN ((x.name = row->name, x.fold = row->fold, x.count = 600), GPUMM_INVALID, "buffer");
    SCAN ((x.name = row->name, x.fold = row->fold, x.length = 13), GPUMM_INVALID,
          "12 entries do not give 13");
    if (!row->moves)
      SCAN ((x.name = row->name, x.fold = row->fold, x.map.input[0] = of_wide), GPUMM_UNSUPPORTED,
            "int64");
    const int64_t length = row->shorter ? 12 - row->shorter : 0;
    if (row->oracle != running) /* which reads neighbours */
      SCAN ((x.name = row->name, x.length = length, x.result[0] = of_a), GPUMM_INVALID,
            "lies in the memory");
    if (!row->has_places && row->oracle != running)
      SCAN ((x.name = row->name, x.length = length, x.result[1] = of_b), GPUMM_INVALID,
            "no 2 results");
  }
  SCAN ((x.name = "diff", x.length = x.count), GPUMM_INVALID, "only");
  gpumm_operation sort = scan;
  sort.name = "sort";
#define SORT(change, status, text)                                                                 \
  REFUSED (gpumm_operation, sort, change, gpumm_operation_run, status, text)
  SORT (x.result[0].type = GPUMM_I64, GPUMM_INVALID, "different types");
  SORT (x.result[1] = of_wide, GPUMM_INVALID, "doubles");
  SORT (x.result[0] = of_a, GPUMM_INVALID, "lies in the memory");
  SORT (x.count = INT64_C (1) << 32, GPUMM_UNSUPPORTED, "2^32");
  const gpumm_operation pick = {.name = "pick",
                                .map = {.size = {12, 1, 1, 1}, .inputs = 1, .input = {of_a}},
                                .size = {3, 1, 1, 1},
                                .places = {{.first = 1, .step = 2}},
                                .result = {of_b}};
#define PICK(change, text)                                                                         \
  REFUSED (gpumm_operation, pick, change, gpumm_operation_run, GPUMM_INVALID, text)
  PICK (x.places[0].step = 6, "places 1 to 13");
  PICK (x.places[0].first = -1, "places -1");
  PICK (x.result[0].type = GPUMM_S, "different types");
  PICK (x.map.size[0] = 600, "the input");
  PICK (x.result[0].stride[0] = 0, "several entries");
  PICK (x.places[0].vector = of_wide.values, "a vector of places has no buffer");
  PICK ((x.name = "triangle", x.places[0].step = 0), "not matrices of a size");
  refused (gpumm_map_entries (NULL), GPUMM_INVALID, "no map");
  refused (gpumm_operation_run (NULL), GPUMM_INVALID, "no operation");
  CHECK (gpumm_wait (-7) != GPUMM_OK, "device -7 was waited for");
  drop (&a);
  drop (&b);
  drop (&wide);
}

/* ---- owners, faults ------------------------------------------------------------------------ */

typedef struct {
  array x, y, z; /* z: what is picked of x, its last entry first */
} arrays;

static gpumm_status all_kinds (void *of) {
  const arrays *all = of;
  const int64_t count = all->x.count;
  const gpumm_map m = add_one (&all->x, &all->y);
  const gpumm_view x = view (&all->x, NULL), y = view (&all->y, NULL), z = view (&all->z, NULL);
  const gpumm_operation f = {
      .name = "fold", .map = m, .inner = 1, .count = count, .outer = 1, .result = {y}};
  const gpumm_operation s = {.name = "scan",
                             .map = {.inputs = 1, .input = {x}},
                             .inner = 1,
                             .count = count,
                             .outer = 1,
                             .result = {y}};
  gpumm_operation q = s;
  q.name = "sort";
  const gpumm_operation p = {.name = "pick",
                             .map = {.size = {count, 1, 1, 1}, .inputs = 1, .input = {x}},
                             .size = {count, 1, 1, 1},
                             .places = {{.first = count - 1, .step = -1}},
                             .result = {z}};
  const gpumm_matrix there = column_of (&z, 1, NULL), here = column_of (&z, 1, all->z.host);
  memset (all->z.host, 0, sizeof (double));
  gpumm_status status = gpumm_map_entries (&m);
  status = status ? status : gpumm_operation_run (&f);
  status = status ? status : gpumm_operation_run (&s);
  status = status ? status : gpumm_operation_run (&q);
  status = status ? status : gpumm_operation_run (&p);
  status = status ? status : gpumm_copy (&there, &here);
  if (!status)
    CHECK (!memcmp (all->z.host, (double *) all->x.host + count - 1, sizeof (double)),
           "the pick is lost");
  return status;
}

static void test_faults (void) {
  arrays all = {new_array (GPUMM_D, 20000), new_array (GPUMM_D, 20000), new_array (GPUMM_D, 20000)};
  fill (&all.x);
  ((double *) all.x.host)[19999] = 7;
  copy (&all.x, 1);
  for (int which = 0; which < 2; which++)
    fail_in_turn (&(faults){.name = "arrays",
                            .inject = which ? gpumm_fault_device : gpumm_fault_memory,
                            .run = all_kinds,
                            .context = &all,
                            .least = which ? 5 : 1});
  gpumm_map m = add_one (&all.x, &all.y);
  CHECK (!gpumm_map_entries (&m) && !gpumm_map_entries (&m), "%s", gpumm_last_error ());
  gpumm_fault_device (1);
  refused (gpumm_wait (device), GPUMM_DEVICE_FAILED,
           "2 operations on arrays failed, from map to map");
  gpumm_fault_device (0);
  CHECK (!gpumm_wait (device), "reported twice: %s", gpumm_last_error ());
  drop (&all.x);
  drop (&all.y);
  drop (&all.z);
}

/* A forked process can use neither streams nor buffers, and may let them go. */
static void test_fork (void) {
  array x = new_array (GPUMM_D, 10), y = new_array (GPUMM_D, 10);
  fill (&x);
  gpumm_map m = add_one (&x, &y);
  OK (gpumm_map_entries (&m));
  const pid_t child = fork ();
  if (child == 0) {
    const gpumm_view v = all_of (&x);
    const gpumm_matrix there = column_of (&v, 10, NULL), here = column_of (&v, 10, x.host);
    int refused = gpumm_map_entries (&m) == GPUMM_INVALID && strstr (gpumm_last_error (), "forked");
    refused &=
        gpumm_copy (&there, &here) == GPUMM_INVALID && strstr (gpumm_last_error (), "forked");
    drop (&x);
    gpumm_reset ();
    _exit (refused ? 7 : 1);
  }
  int code = 0;
  waitpid (child, &code, 0);
  CHECK (WIFEXITED (code) && WEXITSTATUS (code) == 7, "a forked process: %d", code);
  gpumm_reset (); /* the buffers stay, the stream goes */
  OK (gpumm_map_entries (&m));
  drop (&x);
  drop (&y);
}

int main (int argc, char **argv) {
  check_seed (20261123);
  take_arguments (argc, argv, &cases);
  test_operations (cases < 20 ? 8 : 24);
  test_conversions ();
  test_moves ();
  test_programs (cases);
  test_lanes (cases / 8);
  for (int n = 0; n < cases; n++)
    test_pick (n);
  for (int n = 0; n < 40 + cases / 4; n++)
    test_triangle (n);
  test_refused ();
  if (device == GPUMM_HOST) { /* whose calls can be made to fail, and which survives fork () */
    test_faults ();
    test_fork ();
  }
  return released_and_done ();
}
