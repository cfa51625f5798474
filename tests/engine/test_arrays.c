/* test_arrays.c - arrays on a device, entry by entry, against loops and complex.h of C.
 *
 *   test_arrays [gpu] [cases=N]   the host device, or GPU 0; N random cases of each kind
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "check.h"
#include "gpumm.h"
#include "memory/host.h"
#include "memory/pool.h"

#include <complex.h>
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

typedef double complex number;

enum { DIMS = GPUMM_MAP_DIMS };
static int device = GPUMM_HOST, cases = 150;

static const gpumm_type types[] = {GPUMM_S,   GPUMM_D,  GPUMM_C,   GPUMM_Z,   GPUMM_I8, GPUMM_I16,
                                   GPUMM_I32, GPUMM_U8, GPUMM_U16, GPUMM_U32, GPUMM_B};
enum { ALL = sizeof types / sizeof *types };

static number with (double re, double im) {
  return CMPLX (re, im);
}

static int has_parts (gpumm_type type) {
  return type == GPUMM_C || type == GPUMM_Z;
}

static int is_short (gpumm_type type) {
  return type == GPUMM_S || type == GPUMM_C;
}

/* ---- elements ------------------------------------------------------------------------------- */

static double nearest (double x, double least, double most) {
  return isnan (x) ? 0 : fmin (fmax (round (x), least), most);
}

static void put (gpumm_type type, void *p, int64_t i, number x) {
  const double r = creal (x);
  switch (type) {
  case GPUMM_S:
    ((float *) p)[i] = (float) r;
    break;
  case GPUMM_D:
    ((double *) p)[i] = r;
    break;
  case GPUMM_C:
    ((float complex *) p)[i] = CMPLXF ((float) r, (float) cimag (x));
    break;
  case GPUMM_Z:
    ((number *) p)[i] = x;
    break;
  case GPUMM_I8:
    ((int8_t *) p)[i] = (int8_t) nearest (r, INT8_MIN, INT8_MAX);
    break;
  case GPUMM_I16:
    ((int16_t *) p)[i] = (int16_t) nearest (r, INT16_MIN, INT16_MAX);
    break;
  case GPUMM_I32:
    ((int32_t *) p)[i] = (int32_t) nearest (r, INT32_MIN, INT32_MAX);
    break;
  case GPUMM_U8:
    ((uint8_t *) p)[i] = (uint8_t) nearest (r, 0, UINT8_MAX);
    break;
  case GPUMM_U16:
    ((uint16_t *) p)[i] = (uint16_t) nearest (r, 0, UINT16_MAX);
    break;
  case GPUMM_U32:
    ((uint32_t *) p)[i] = (uint32_t) nearest (r, 0, UINT32_MAX);
    break;
  default:
    ((uint8_t *) p)[i] = r != 0 || cimag (x) != 0;
  }
}

static number get (gpumm_type type, const void *p, int64_t i) {
  switch (type) {
  case GPUMM_S:
    return ((const float *) p)[i];
  case GPUMM_D:
    return ((const double *) p)[i];
  case GPUMM_C:
    return ((const float complex *) p)[i];
  case GPUMM_Z:
    return ((const number *) p)[i];
  case GPUMM_I8:
    return ((const int8_t *) p)[i];
  case GPUMM_I16:
    return ((const int16_t *) p)[i];
  case GPUMM_I32:
    return ((const int32_t *) p)[i];
  case GPUMM_U8:
    return ((const uint8_t *) p)[i];
  case GPUMM_U16:
    return ((const uint16_t *) p)[i];
  case GPUMM_U32:
    return ((const uint32_t *) p)[i];
  default:
    return ((const uint8_t *) p)[i];
  }
}

/* ---- arrays on both sides ------------------------------------------------------------------- */

typedef struct {
  gpumm_type type;
  int64_t count;
  void *host;
  gpumm_buffer *buffer;
} array;

/* The engine copies floats; any bits travel as such. */
static gpumm_matrix as_floats (const array *x, void *values, gpumm_buffer *buffer) {
  const int64_t floats = (x->count * (int64_t) gpumm_type_bytes (x->type) + 3) / 4;
  return (gpumm_matrix){
      .type = GPUMM_S, .rows = floats, .cols = 1, .ld = floats, .values = values, .buffer = buffer};
}

static void copy (const array *x, int up) {
  const gpumm_matrix here = as_floats (x, x->host, NULL),
                     there = as_floats (x, gpumm_buffer_address (x->buffer), x->buffer);
  CHECK (!gpumm_copy (up ? &here : &there, up ? &there : &here), "%s", gpumm_last_error ());
}

static array make (gpumm_type type, int64_t count) {
  array x = {type, count, NULL, NULL};
  const int64_t bytes = (count * (int64_t) gpumm_type_bytes (type) + 3) / 4 * 4;
  x.host = check_allocate (bytes + 16, 1);
  if (gpumm_buffer_new (device, (size_t) bytes, &x.buffer)) {
    CHECK (0, "%s", gpumm_last_error ());
    exit (check_done ());
  }
  memset (x.host, 0x5a, (size_t) bytes); /* some results are a part of their array: all is copied */
  copy (&x, 1);
  return x;
}

static void drop (array *x) {
  gpumm_buffer_release (x->buffer);
  free (x->host);
}

/* By columns, without gaps. */
static gpumm_view view (const array *x, const int64_t *size) {
  gpumm_view v = {x->type, x->buffer, gpumm_buffer_address (x->buffer), {0}, 0};
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
  number z;
  int is_real;
} value;

/* volatile: gcc 12 vectorizes a pair of such conversions away. */
static double shortened (double x) {
  volatile float y = (float) x;
  return y;
}

static number rounded (number x, int is_single) {
  return is_single ? with (shortened (creal (x)), shortened (cimag (x))) : x;
}

static number times (number x, number y, int is_single) {
  return is_single ? (number) ((float complex) x * (float complex) y) : x * y;
}

static number over (number x, number y, int is_single) {
  return is_single ? (number) ((float complex) x / (float complex) y) : x / y;
}

static number whole_power (number x, int n, int is_single) {
  number y = n % 2 ? x : 1;
  for (unsigned left = (unsigned) abs (n); left >>= 1;) {
    x = times (x, x, is_single);
    y = left % 2 ? times (y, x, is_single) : y;
  }
  return n < 0 ? over (1, y, is_single) : y;
}

static number power (value x, value y, int is_single) {
  const double e = creal (y.z);
  if (y.is_real && !x.is_real && fabs (e) < INT32_MAX && e == rint (e))
    return whole_power (x.z, (int) e, is_single);
  if (y.is_real && cimag (x.z) == 0 && creal (x.z) > 0)
    return pow (creal (x.z), e);
  if (!y.is_real && !(x.is_real && creal (x.z) > 0))
    return is_single ? (number) cpowf ((float complex) x.z, (float complex) y.z) : cpow (x.z, y.z);
  const number l = is_single ? (number) clogf ((float complex) x.z) : clog (x.z);
  const number exponent = y.is_real ? with (e * creal (l), e * cimag (l))
                                    : with (e * creal (l), cimag (y.z) * creal (l));
  const double size = y.is_real ? exp (creal (exponent)) : pow (creal (x.z), e);
  const double turn = is_single ? shortened (cimag (exponent)) : cimag (exponent);
  const double most = is_single ? FLT_MAX : DBL_MAX;
  const double kept = size > most ? INFINITY : size;
  return with (kept * cos (turn), kept * sin (turn));
}

static double angle (value x, int is_single) {
  const double a = x.is_real ? 0 : is_single ? cargf ((float complex) x.z) : carg (x.z);
  const double pi = is_single ? (float) M_PI : M_PI;
  return a == -pi ? pi : a;
}

/* -1, 0, 1; 2: unordered. Of floats as floats. */
static int order (value x, value y, int is_single) {
  double p = creal (x.z), q = creal (y.z);
  if (!x.is_real || !y.is_real) {
    p = cabs (x.z);
    q = cabs (y.z);
    if (is_single) {
      p = (float) p;
      q = (float) q;
    }
    if (p == q) {
      p = angle (x, is_single);
      q = angle (y, is_single);
    }
  }
  return p < q ? -1 : p > q ? 1 : p == q ? 0 : 2;
}

static double real_function (int op, double x) {
  switch (op) {
  case GPUMM_MAP_ABS:
    return fabs (x);
  case GPUMM_MAP_EXP:
    return exp (x);
  case GPUMM_MAP_TANH:
    return tanh (x);
  case GPUMM_MAP_SIN:
    return sin (x);
  case GPUMM_MAP_COS:
    return cos (x);
  case GPUMM_MAP_SIGN:
    return isnan (x) ? x : x > 0 ? 1 : x < 0 ? -1 : 0;
  case GPUMM_MAP_ROUND:
    return round (x);
  case GPUMM_MAP_FLOOR:
    return floor (x);
  case GPUMM_MAP_CEIL:
    return ceil (x);
  case GPUMM_MAP_FIX:
    return trunc (x);
  case GPUMM_MAP_SQRT:
    return sqrt (x);
  case GPUMM_MAP_LOG:
    return log (x);
  default:
    return x;
  }
}

static number complex_function (int op, number x, int is_single) {
  switch (op) {
  case GPUMM_MAP_SQRT:
    return csqrt (x);
  case GPUMM_MAP_EXP:
    return cexp (x);
  case GPUMM_MAP_LOG:
    return clog (x);
  case GPUMM_MAP_TANH:
    return ctanh (x);
  case GPUMM_MAP_SIN:
    return csin (x);
  case GPUMM_MAP_COS:
    return ccos (x);
  case GPUMM_MAP_SIGN: {
    const double size = is_single ? cabsf ((float complex) x) : cabs (x);
    return size == 0 ? 0 : with (creal (x) / size, cimag (x) / size);
  }
  case GPUMM_MAP_CONJ:
    return conj (x);
  default:
    return with (real_function (op, creal (x)), real_function (op, cimag (x)));
  }
}

static value unary (int op, value x, int is_complex, int is_single) {
  const double r = creal (x.z), i = cimag (x.z);
  const int is_real = x.is_real || !is_complex;
  switch (op) {
  case GPUMM_MAP_NEG:
    return (value){is_real ? with (-r, 0) : with (-r, -i), is_real};
  case GPUMM_MAP_ABS:
    return (value){is_real ? fabs (r) : cabs (x.z), 1};
  case GPUMM_MAP_REAL:
    return (value){r, 1};
  case GPUMM_MAP_IMAG:
    return (value){is_real ? 0 : i, 1};
  case GPUMM_MAP_ISNAN:
    return (value){isnan (r) || isnan (i), 1};
  case GPUMM_MAP_ISINF:
    return (value){isinf (r) || isinf (i), 1};
  case GPUMM_MAP_NOT:
    return (value){r == 0 && i == 0, 1};
  case GPUMM_MAP_SQRT:
    if (is_complex && is_real)
      return (value){r < 0 ? with (0, sqrt (-r)) : with (sqrt (r), 0), 0};
    break;
  case GPUMM_MAP_LOG:
    if (is_complex && is_real)
      return (value){r < 0 ? with (log (-r), M_PI) : with (log (r), 0), 0};
    break;
  }
  return is_real ? (value){real_function (op, r), 1}
                 : (value){complex_function (op, x.z, is_single), 0};
}

static value extreme (value x, value y, int is_max, int is_single) {
  const double r = creal (x.z), s = creal (y.z);
  if (x.is_real && y.is_real)
    return isnan (s) || (is_max ? r > s : r < s) ? x : y;
  double p = cabs (x.z), q = cabs (y.z);
  if (is_single) {
    p = (float) p;
    q = (float) q;
  }
  const int is_nan = isnan (r) || isnan (cimag (x.z));
  return (value){(is_max ? p >= q : p <= q) || is_nan ? x.z : y.z, 0};
}

static value binary (int op, value x, value y, int is_complex, int is_single) {
  const double a = creal (x.z), b = cimag (x.z), c = creal (y.z), d = cimag (y.z);
  const int both = x.is_real && y.is_real, o = order (x, y, is_single);
  number z;
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
                    : times (x.z, y.z, is_single);
    break;
  case GPUMM_MAP_DIV:
    z = y.is_real ? with (a / c, b / c) : over (x.z, y.z, is_single);
    break;
  case GPUMM_MAP_POW:
    return is_complex ? (value){power (x, y, is_single), 0} : (value){pow (a, c), 1};
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
    return extreme (x, y, op == GPUMM_MAP_MAX, is_single);
  }
  return both ? (value){creal (z), 1} : (value){z, 0};
}

static int has_operand (int op) {
  return op < GPUMM_MAP_NEG || op >= GPUMM_MAP_ADD;
}

/* Runs the program on the inputs of one entry. */
static number run (const gpumm_map *m, const number *input) {
  const int is_complex = has_parts (m->domain), is_single = is_short (m->domain);
  value x[GPUMM_MAP_INPUTS], stack[3], a = {0, 1};
  int depth = 0;
  for (int i = 0; i < m->inputs; i++) {
    const number z = m->input[i].conjugated ? conj (input[i]) : input[i];
    const int is_real = !has_parts (m->input[i].type) || !is_complex;
    x[i] = (value){rounded (is_real ? creal (z) : z, is_single), is_real};
  }
  if (m->inputs > 0)
    a = x[0];
  for (int s = 0; s < m->steps; s++) {
    const gpumm_map_step *step = &m->step[s];
    const number constant = with (step->constant.re, is_complex ? step->constant.im : 0);
    value y = {rounded (constant, is_single), step->constant.im == 0 || !is_complex};
    if (has_operand ((int) step->op) && step->source == GPUMM_MAP_POP)
      y = stack[--depth];
    else if (has_operand ((int) step->op) && step->source >= 0)
      y = x[step->source];
    if (step->op == GPUMM_MAP_PUSH)
      stack[depth++] = a;
    if (step->op <= GPUMM_MAP_PUSH)
      a = y;
    else if (!has_operand ((int) step->op))
      a = unary ((int) step->op, a, is_complex, is_single);
    else
      a = step->swapped ? binary ((int) step->op, y, a, is_complex, is_single)
                        : binary ((int) step->op, a, y, is_complex, is_single);
    a.z = rounded (a.z, is_single);
  }
  return a.z;
}

static int part_agrees (double x, double y, double bound) {
  if (isnan (y) || isnan (x))
    return isnan (y) && isnan (x);
  return x == y || fabs (x - y) <= bound;
}

/* Exact: the same bits, but for NaN. Else near, beside |y|. */
static int agrees (number x, number y, double near) {
  const double size = isfinite (cabs (y)) ? cabs (y) : 0;
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
    put (x->type, x->host, i, with (pick_edge (), pick_edge ()));
  for (int64_t i = 0; i < 4 && i < x->count && x->count <= 24; i++) /* infinite in both parts */
    put (x->type, x->host, i, with (i % 2 ? INFINITY : -INFINITY, i / 2 ? INFINITY : -INFINITY));
  copy (x, 1);
}

/* exp (y log x) multiplies the error of the exponent. */
static double widened (double near, const gpumm_map *m, number x, number y) {
  const double size = cabs (y) * cabs (clog (x));
  if (m->steps != 1 || m->step[0].op != GPUMM_MAP_POW || !has_parts (m->domain) || !isfinite (size))
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
  for (int64_t l = 0; l < m->size[3]; l++)
    for (int64_t k = 0; k < m->size[2]; k++)
      for (int64_t j = 0; j < m->size[1]; j++)
        for (int64_t i = 0; i < m->size[0]; i++) {
          const int64_t at[] = {i, j, k, l};
          int64_t place[GPUMM_MAP_INPUTS + 1] = {0};
          number x[GPUMM_MAP_INPUTS];
          for (int a = 0; a <= m->inputs; a++)
            for (int d = 0; d < DIMS; d++)
              place[a] += at[d] * (a < m->inputs ? m->input[a] : m->output).stride[d];
          for (int a = 0; a < m->inputs; a++)
            x[a] = get (input[a].type, input[a].host, place[a]);
          uint64_t memory[2] = {0};
          put (type, memory, 0, run (m, x));
          const number right = get (type, memory, 0),
                       got = get (type, output->host, place[m->inputs]);
          const number y = m->inputs > 1 ? x[1] : 0, z = m->inputs > 0 ? x[0] : 0;
          if (agrees (got, right, widened (near, m, z, y)) || wrong++)
            continue;
          CHECK (0, "%s: f (%g%+gi, %g%+gi, ..) = %.17g%+.17gi, not %.17g%+.17gi", what, creal (z),
                 cimag (z), creal (y), cimag (y), creal (got), cimag (got), creal (right),
                 cimag (right));
        }
  CHECK (!wrong, "%s: %d of %" PRId64 " wrong", what, wrong, output->count);
}

/* How near a result must be, for parts of |z|; 0: equal. */
static double nearness (int op, gpumm_type domain) {
  const double epsilon = is_short (domain) ? FLT_EPSILON : DBL_EPSILON;
  const int is_exact_in_c =
      op == GPUMM_MAP_ABS || op == GPUMM_MAP_DIV || op == GPUMM_MAP_SQRT || op == GPUMM_MAP_SIGN;
  return (op >= GPUMM_MAP_EXP && op <= GPUMM_MAP_COS) || op == GPUMM_MAP_POW
                 || (has_parts (domain) && is_exact_in_c)
             ? 8 * epsilon
             : 0;
}

/* Every operation in every domain for every pair of types, each entry with each: broadcasting. */
static void test_operations (int count) {
  array all[ALL];
  for (int t = 0; t < ALL; t++) {
    all[t] = make (types[t], count);
    fill (&all[t]);
  }
  for (int domain = GPUMM_S; domain <= GPUMM_Z; domain++) {
    array output = make ((gpumm_type) domain, (int64_t) count * count);
    for (int op = GPUMM_MAP_NEG; op < GPUMM_MAP_OPS; op++)
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
          snprintf (what, sizeof what, "operation %d of %s and %s in %s", op,
                    gpumm_type_name (types[t]), gpumm_type_name (types[u]),
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
        array x = make (types[t], 600), y = make (types[u], 600);
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
  for (int type = 0; type < GPUMM_TYPES; type++) { /* as they are, also 64-bit integers */
    array x = make ((gpumm_type) type, 513), y = make ((gpumm_type) type, 513);
    const int64_t size[] = {27, 19, 1, 1};
    const size_t bytes = gpumm_type_bytes ((gpumm_type) type);
    for (size_t i = 0; i < 513 * bytes; i++)
      ((uint8_t *) x.host)[i] = (uint8_t) check_random ();
    copy (&x, 1);
    gpumm_map m = {.domain = GPUMM_D, .size = {27, 19, 1, 1}, .inputs = 1};
    m.input[0] = view (&x, size);
    m.input[0].stride[0] = 19; /* transposed */
    m.input[0].stride[1] = 1;
    m.output = view (&y, size);
    CHECK (!gpumm_map_entries (&m), "%s", gpumm_last_error ());
    copy (&y, 0);
    int wrong = 0;
    for (int i = 0; i < 27; i++)
      for (int j = 0; j < 19; j++)
        wrong += memcmp ((char *) y.host + (size_t) (i + 27 * j) * bytes,
                         (char *) x.host + (size_t) (19 * i + j) * bytes, bytes)
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
    array x[GPUMM_MAP_INPUTS], y = make (m.steps ? types[type] : m.domain, entries);
    for (int i = 0; i < m.inputs; i++) {
      int64_t perm[DIMS] = {0, 1, 2, 3}, stride = 1;
      x[i] = make (check_between (0, 1) ? m.domain : types[check_between (0, ALL - 1)], entries);
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
    }
    m.output = view (&y, m.size);
    check_map (&m, x, &y, 0, "program");
    for (int i = 0; i < m.inputs; i++)
      drop (&x[i]);
    drop (&y);
  }
}

/* ---- folds and scans ------------------------------------------------------------------------ */

/* Values whose sums are exact, and some NaN. For norms, some whose squares overflow or vanish: of one
 * scale, or of several. */
static void fill_small (array *x, int op) {
  static const double scales[] = {1, 0x1p700, 0x1p-700, 0x1p-1070};
  const int is_product = op == GPUMM_FOLD_PROD, is_norm = op == GPUMM_FOLD_NORM;
  const int has_nan = op >= GPUMM_FOLD_MAX && (!is_norm || check_between (0, 7) == 0);
  const int many = check_between (0, 1);
  double scale = 1;
  for (int64_t i = 0; i < x->count; i++) {
    const double re =
        is_product ? (double) (1 - 2 * check_between (0, 1)) : (double) check_between (-3, 3);
    const double im = is_product ? 0 : (double) check_between (-3, 3);
    const int is_nan = has_nan && check_between (0, 3) == 0;
    if (is_norm && (i == 0 || many) && (x->type == GPUMM_D || x->type == GPUMM_Z))
      scale = scales[check_between (0, 3)];
    put (x->type, x->host, i, is_nan ? with (NAN, 0) : with (scale * re, scale * im));
  }
  copy (x, 1);
}

/* Is y, of kind (max, min), better than x? */
static int is_better (int op, number y, number x, gpumm_type domain) {
  const int is_real = !has_parts (domain), is_single = is_short (domain);
  const int nan_x = isnan (creal (x)) || isnan (cimag (x));
  const int nan_y = isnan (creal (y)) || isnan (cimag (y));
  if (nan_x || nan_y)
    return nan_x && !nan_y;
  const int o = order ((value){y, is_real}, (value){x, is_real}, is_single);
  return op == GPUMM_FOLD_MAX ? o == 1 : o == -1;
}

static number fold_one (const gpumm_fold *f, const array *x, int64_t i, int64_t o, int64_t *where) {
  const int op = (int) f->op;
  number sum = op == GPUMM_FOLD_PROD || op == GPUMM_FOLD_ALL ? 1 : 0;
  *where = 1;
  for (int64_t k = 0; k < f->count; k++) {
    const number z = get (x->type, x->host, i + f->inner * (k + f->count * o)),
                 y = run (&f->map, &z);
    const int is_nan = isnan (creal (y)) || isnan (cimag (y));
    if (op == GPUMM_FOLD_SUM)
      sum += y;
    else if (op == GPUMM_FOLD_PROD)
      sum *= y;
    else if (op == GPUMM_FOLD_SUMSQ)
      sum += creal (y) * creal (y) + cimag (y) * cimag (y);
    else if (op == GPUMM_FOLD_ANY)
      sum = sum != 0 || (y != 0 && !is_nan);
    else if (op == GPUMM_FOLD_ALL)
      sum = sum != 0 && y != 0;
    else if (k == 0 || is_better (op, y, sum, f->map.domain)) {
      sum = y;
      *where = k + 1;
    }
  }
  return sum;
}

/* The norm of a lane, in long double, whose exponents squares do not leave. */
static double norm_of (const gpumm_fold *f, const array *x, int64_t i, int64_t o) {
  long double sum = 0;
  for (int64_t k = 0; k < f->count; k++) {
    const number z = get (x->type, x->host, i + f->inner * (k + f->count * o)),
                 y = run (&f->map, &z);
    sum += (long double) creal (y) * creal (y) + (long double) cimag (y) * cimag (y);
  }
  return (double) sqrtl (sum);
}

static void test_fold (int op, gpumm_type type, gpumm_type domain, int64_t inner, int64_t count,
                       int64_t outer) {
  const int is_extreme = op == GPUMM_FOLD_MAX || op == GPUMM_FOLD_MIN;
  const gpumm_type out = domain == GPUMM_S ? GPUMM_D : domain == GPUMM_C ? GPUMM_Z : domain;
  array x = make (type, inner * count * outer), y = make (out, inner * outer),
        at = make (GPUMM_D, inner * outer);
  fill_small (&x, op);
  gpumm_fold f = {.op = (gpumm_fold_op) op, .inner = inner, .count = count, .outer = outer};
  f.map = (gpumm_map){.domain = domain, .size = {x.count, 1, 1, 1}, .inputs = 1};
  f.map.steps = (int) check_between (0, 1);
  f.map.input[0] = view (&x, f.map.size);
  f.map.step[0].op = check_between (0, 1) ? GPUMM_MAP_NEG : GPUMM_MAP_CONJ;
  f.output = view (&y, NULL);
  if (is_extreme)
    f.index = view (&at, NULL);
  const gpumm_status status = gpumm_fold_entries (&f);
  if (is_extreme && count == 0 && inner * outer > 0)
    CHECK (status == GPUMM_INVALID, "the maximum of nothing");
  else {
    int wrong = 0;
    CHECK (!status, "%s", gpumm_last_error ());
    copy (&y, 0);
    if (is_extreme)
      copy (&at, 0);
    for (int64_t i = 0; i < inner * outer; i++) {
      int64_t where = 0;
      const number right = op == GPUMM_FOLD_NORM ? norm_of (&f, &x, i % inner, i / inner)
                                                 : fold_one (&f, &x, i % inner, i / inner, &where);
      const double near = op == GPUMM_FOLD_NORM ? (double) (count + 8) * DBL_EPSILON : 1e-300;
      wrong += !agrees (get (out, y.host, i), right, near);
      wrong += is_extreme && ((double *) at.host)[i] != (double) where;
    }
    CHECK (!wrong, "fold %d of %s in %s, %" PRId64 " x %" PRId64 " x %" PRId64 ": %d wrong", op,
           gpumm_type_name (type), gpumm_type_name (domain), inner, count, outer, wrong);
  }
  drop (&x);
  drop (&y);
  drop (&at);
}

static void test_scan (int op, gpumm_type type, int64_t inner, int64_t count, int64_t outer) {
  array x = make (type, inner * count * outer),
        y = make (has_parts (type) ? GPUMM_Z : GPUMM_D, x.count);
  fill_small (&x, op);
  const gpumm_scan s = {.op = (gpumm_fold_op) op,
                        .inner = inner,
                        .count = count,
                        .outer = outer,
                        .input = view (&x, NULL),
                        .output = view (&y, NULL)};
  int wrong = 0;
  CHECK (!gpumm_scan_entries (&s), "%s", gpumm_last_error ());
  copy (&y, 0);
  for (int64_t o = 0; o < outer; o++)
    for (int64_t i = 0; i < inner; i++) {
      number sum = op == GPUMM_FOLD_PROD;
      for (int64_t k = 0; k < count; k++) {
        const int64_t e = i + inner * (k + count * o);
        const number z = get (type, x.host, e);
        sum = op == GPUMM_FOLD_PROD ? sum * z : sum + z;
        wrong += !agrees (get (y.type, y.host, e), sum, 1e-300);
      }
    }
  CHECK (!wrong, "scan %d of %s, %" PRId64 " x %" PRId64 " x %" PRId64 ": %d wrong", op,
         gpumm_type_name (type), inner, count, outer, wrong);
  drop (&x);
  drop (&y);
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
      const gpumm_type type = types[(n + op) % ALL];
      const gpumm_type domain = n % 2 ? (gpumm_type) (n / 2 % 4) : type <= GPUMM_Z ? type : GPUMM_D;
      test_fold (op, type, domain, shape[0], shape[1], shape[2]);
      if (op <= GPUMM_FOLD_PROD)
        test_scan (op, type, shape[0], shape[1], shape[2]);
    }
}

/* ---- picks ---------------------------------------------------------------------------------- */

static void test_pick (int n) {
  const gpumm_type type = (gpumm_type) (n % GPUMM_TYPES);
  const size_t bytes = gpumm_type_bytes (type);
  gpumm_pick p = {.put = n % 3 > 0};
  int64_t *index[DIMS];
  array vectors[DIMS];
  int64_t parts = 1, wholes = 1, wrong = 0;
  for (int d = 0; d < DIMS; d++) {
    p.whole_size[d] = check_between (1, d == 0 ? 300 : 8);
    p.size[d] = check_between (check_between (0, 9) > 0, p.whole_size[d]);
    vectors[d] = make (GPUMM_I64, p.size[d]);
    index[d] = vectors[d].host;
    const int is_range = check_between (0, 1);
    const int64_t first = check_between (0, p.whole_size[d] - p.size[d]);
    const int down = (int) check_between (0, 1); /* no place twice: a put would be open */
    for (int64_t i = 0; i < p.size[d]; i++)
      index[d][i] = first + (down ? p.size[d] - 1 - i : i);
    copy (&vectors[d], 1);
    p.places[d] =
        is_range ? (gpumm_places){.first = p.size[d] > 0 ? index[d][0] : 0, .step = down ? -1 : 1}
                 : (gpumm_places){.buffer = vectors[d].buffer,
                                  .vector = gpumm_buffer_address (vectors[d].buffer)};
    parts *= p.size[d];
    wholes *= p.whole_size[d];
  }
  array part = make (type, parts), whole = make (type, wholes);
  for (size_t i = 0; i < (size_t) parts * bytes; i++)
    ((uint8_t *) part.host)[i] = (uint8_t) check_random ();
  for (size_t i = 0; i < (size_t) wholes * bytes; i++)
    ((uint8_t *) whole.host)[i] = (uint8_t) check_random ();
  copy (&part, 1);
  copy (&whole, 1);
  p.part = view (&part, p.size);
  p.whole = view (&whole, p.whole_size);
  const int is_one = n % 3 == 2 && parts > 0;
  for (int d = 0; d < DIMS && is_one; d++)
    p.part.stride[d] = 0;
  char *expected = check_allocate ((p.put ? wholes : parts) + 1, bytes);
  memcpy (expected, p.put ? whole.host : part.host, (size_t) (p.put ? wholes : parts) * bytes);
  for (int64_t e = 0; e < parts; e++) {
    const int64_t i = e % p.size[0], j = e / p.size[0] % p.size[1],
                  k = e / p.size[0] / p.size[1] % p.size[2],
                  l = e / p.size[0] / p.size[1] / p.size[2];
    const int64_t to = index[0][i] * p.whole.stride[0] + index[1][j] * p.whole.stride[1]
                       + index[2][k] * p.whole.stride[2] + index[3][l] * p.whole.stride[3];
    const size_t in_part = is_one ? 0 : (size_t) e * bytes, in_whole = (size_t) to * bytes;
    memcpy (expected + (p.put ? in_whole : in_part),
            p.put ? (char *) part.host + in_part : (char *) whole.host + in_whole, bytes);
  }
  CHECK (!gpumm_pick_entries (&p), "%s", gpumm_last_error ());
  copy (p.put ? &whole : &part, 0);
  wrong =
      memcmp (expected, p.put ? whole.host : part.host, (size_t) (p.put ? wholes : parts) * bytes);
  CHECK (!wrong, "pick %d of %s", n, gpumm_type_name (type));
  free (expected);
  drop (&part);
  drop (&whole);
  for (int d = 0; d < DIMS; d++)
    drop (&vectors[d]);
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

static void refuse (gpumm_status status, gpumm_status right, const char *text) {
  CHECK (status == right && strstr (gpumm_last_error (), text), "%d: %s, not %s", (int) status,
         gpumm_last_error (), text);
}

#define REFUSED(change, right, text)                                                               \
  do {                                                                                             \
    gpumm_map m = add_one (&x, &y);                                                                \
    change;                                                                                        \
    refuse (gpumm_map_entries (&m), right, text);                                                  \
  } while (0)

static void test_refused_maps (void) {
  array x = make (GPUMM_D, 10), y = make (GPUMM_D, 10), wide = make (GPUMM_I64, 10);
  fill (&x);
  REFUSED (m.size[0] = -1, GPUMM_INVALID, "is negative");
  REFUSED ((m.size[1] = m.size[2] = INT64_C (1) << 40), GPUMM_INVALID, "too many");
  REFUSED (m.size[0] = 600, GPUMM_INVALID, "does not lie in its buffer");
  REFUSED (m.input[0].stride[0] = -1, GPUMM_INVALID, "does not lie in its buffer");
  REFUSED (m.input[0].values = (char *) m.input[0].values + 4, GPUMM_INVALID, "");
  REFUSED ((m.size[0] = 2, m.input[0].values = (char *) m.input[0].values + 4), GPUMM_INVALID,
           "whole element");
  REFUSED (m.input[0].buffer = NULL, GPUMM_INVALID, "has no buffer");
  REFUSED (m.output.stride[0] = 0, GPUMM_INVALID, "several entries at one place");
  REFUSED (m.domain = GPUMM_I8, GPUMM_INVALID, "no arithmetic");
  REFUSED (m.inputs = 7, GPUMM_INVALID, "7 inputs");
  REFUSED (m.steps = 17, GPUMM_INVALID, "17 steps");
  REFUSED (m.step[0].op = GPUMM_MAP_OPS, GPUMM_INVALID, "no operation");
  REFUSED (m.step[0].source = 1, GPUMM_INVALID, "no operand 1");
  REFUSED (m.step[0].source = GPUMM_MAP_POP, GPUMM_INVALID, "empty");
  REFUSED (m.input[0].type = GPUMM_TYPES, GPUMM_INVALID, "no element type");
  REFUSED (m.input[0] = view (&wide, m.size), GPUMM_UNSUPPORTED, "int64");
  REFUSED (m.output = view (&wide, m.size), GPUMM_UNSUPPORTED, "int64");
  REFUSED (m.steps = 0; m.output = view (&wide, m.size), GPUMM_UNSUPPORTED, "int64");
  REFUSED ((m.steps = 3, m.step[0].op = m.step[1].op = m.step[2].op = GPUMM_MAP_PUSH,
            m.step[1].source = m.step[2].source = GPUMM_MAP_CONSTANT),
           GPUMM_INVALID, "full");
  refuse (gpumm_map_entries (NULL), GPUMM_INVALID, "no map");
  CHECK (gpumm_wait (-7) != GPUMM_OK, "device -7 was waited for");
  drop (&x);
  drop (&y);
  drop (&wide);
}

static void test_refused (void) {
  array x = make (GPUMM_D, 12), y = make (GPUMM_D, 12), wide = make (GPUMM_I64, 12);
  fill (&x);
  gpumm_fold f = {
      .op = GPUMM_FOLD_SUM, .map = add_one (&x, &y), .inner = 3, .count = 4, .outer = 1};
  f.output = view (&y, NULL);
  gpumm_fold g = f;
  refuse ((g.outer = 2, gpumm_fold_entries (&g)), GPUMM_INVALID, "12 entries");
  refuse ((g = f, g.op = GPUMM_FOLD_OPS, gpumm_fold_entries (&g)), GPUMM_INVALID, "no operation");
  refuse ((g = f, g.index = view (&y, NULL), gpumm_fold_entries (&g)), GPUMM_INVALID, "doubles");
  refuse ((g = f, g.output = view (&wide, NULL), gpumm_fold_entries (&g)), GPUMM_UNSUPPORTED,
          "int64");
  refuse ((g = f, g.map.size[0] = g.count = 0, g.inner = INT64_C (1) << 62, g.outer = 4,
           gpumm_fold_entries (&g)),
          GPUMM_INVALID, "too many");
  refuse (gpumm_fold_entries (NULL), GPUMM_INVALID, "no fold");
  const gpumm_scan s = {.op = GPUMM_FOLD_SUM,
                        .inner = 1,
                        .count = 12,
                        .outer = 1,
                        .input = view (&x, NULL),
                        .output = view (&y, NULL)};
  gpumm_scan t = s;
  refuse ((t.op = GPUMM_FOLD_MAX, gpumm_scan_entries (&t)), GPUMM_INVALID, "only sums");
  refuse ((t = s, t.count = 600, gpumm_scan_entries (&t)), GPUMM_INVALID, "buffer");
  refuse ((t = s, t.input = view (&wide, NULL), gpumm_scan_entries (&t)), GPUMM_UNSUPPORTED,
          "int64");
  refuse (gpumm_scan_entries (NULL), GPUMM_INVALID, "no scan");
  const gpumm_pick p = {.size = {3, 1, 1, 1},
                        .places = {{.first = 1, .step = 2}},
                        .whole_size = {12, 1, 1, 1},
                        .part = view (&y, NULL),
                        .whole = view (&x, NULL)};
  gpumm_pick q = p;
  refuse ((q.places[0].step = 6, gpumm_pick_entries (&q)), GPUMM_INVALID, "places 1 to 13");
  refuse ((q = p, q.places[0].first = -1, gpumm_pick_entries (&q)), GPUMM_INVALID, "places -1");
  refuse ((q = p, q.part.type = GPUMM_S, gpumm_pick_entries (&q)), GPUMM_INVALID,
          "different types");
  refuse ((q = p, q.whole_size[0] = 600, gpumm_pick_entries (&q)), GPUMM_INVALID, "the whole");
  refuse ((q = p, q.part.stride[0] = 0, gpumm_pick_entries (&q)), GPUMM_INVALID, "several entries");
  refuse ((q = p, q.places[0].vector = gpumm_buffer_address (wide.buffer), gpumm_pick_entries (&q)),
          GPUMM_INVALID, "a vector of places has no buffer");
  refuse (gpumm_pick_entries (NULL), GPUMM_INVALID, "no pick");
  drop (&x);
  drop (&y);
  drop (&wide);
}

/* ---- order, owners, faults ------------------------------------------------------------------ */

/* A product and a copy of what is still being computed, and memory that is released meanwhile. */
static void test_order (void) {
  enum { N = 256 };
  array x = make (GPUMM_D, N * N), c = make (GPUMM_D, N * N);
  int wrong = 0;
  for (int64_t i = 0; i < x.count; i++)
    ((double *) x.host)[i] = i % N == i / N ? -19 : 0;
  copy (&x, 1);
  for (int n = 0; n < 20; n++) { /* -19 becomes 1 on the diagonal, 0 becomes 20 beside it */
    array once = make (GPUMM_D, N * N);
    gpumm_map m = add_one (&x, &once);
    CHECK (!gpumm_map_entries (&m), "%s", gpumm_last_error ());
    m = add_one (&once, &x);
    m.step[0].constant.re = 0;
    CHECK (!gpumm_map_entries (&m), "%s", gpumm_last_error ());
    drop (&once); /* still in use */
  }
  gpumm_matrix there = {.type = GPUMM_D, .rows = N, .cols = N, .ld = N}, result = there;
  there.buffer = x.buffer;
  there.values = gpumm_buffer_address (x.buffer);
  result.buffer = c.buffer;
  result.values = gpumm_buffer_address (c.buffer);
  const gpumm_problem p = {.a = there, .b = there, .alpha = {1, 0}, .stays = 1};
  const gpumm_options options = {.algorithm = device == GPUMM_HOST ? "tiled" : NULL, .device = -1};
  gpumm_job *job;
  gpumm_status status = gpumm_open (&p, &options, &job);
  status = status ? status : gpumm_run (job, &result);
  CHECK (!status, "%s", gpumm_last_error ());
  gpumm_close (job);
  gpumm_map m = add_one (&c, &c);
  CHECK (!gpumm_map_entries (&m), "%s", gpumm_last_error ());
  copy (&c, 0);
  for (int64_t i = 0; i < c.count; i++)
    wrong +=
        ((double *) c.host)[i] != (i % N == i / N ? 1 + 400.0 * (N - 1) : 40 + 400.0 * (N - 2)) + 1;
  CHECK (!wrong, "%d of the product wrong", wrong);
  CHECK (!gpumm_wait (device), "%s", gpumm_last_error ());
  drop (&x);
  drop (&c);
}

static gpumm_status all_kinds (const array *x, const array *y) {
  gpumm_map m = add_one (x, y);
  const gpumm_fold f = {
      .map = m, .inner = 1, .count = x->count, .outer = 1, .output = view (y, NULL)};
  const gpumm_scan s = {
      .inner = 1, .count = x->count, .outer = 1, .input = view (x, NULL), .output = view (y, NULL)};
  gpumm_pick p = {.size = {x->count, 1, 1, 1},
                  .places = {{.first = x->count - 1, .step = -1}},
                  .whole_size = {x->count, 1, 1, 1},
                  .part = view (y, NULL),
                  .whole = view (x, NULL)};
  gpumm_status status = gpumm_map_entries (&m);
  status = status ? status : gpumm_fold_entries (&f);
  status = status ? status : gpumm_scan_entries (&s);
  status = status ? status : gpumm_pick_entries (&p);
  return status ? status : gpumm_wait (device);
}

/* Every allocation, then every call of the device, fails in turn. */
static void test_faults (void) {
  array x = make (GPUMM_D, 20000), y = make (GPUMM_D, 20000);
  fill (&x);
  for (int which = 0; which < 2; which++)
    for (int n = 1;; n++) {
      gpumm_reset ();
      if (which)
        gpumm_fault_device (n);
      else
        gpumm_fault_memory (n);
      const gpumm_status status = all_kinds (&x, &y);
      const int64_t calls = which ? gpumm_fault_device (0) : gpumm_fault_memory (0);
      CHECK (!status || *gpumm_last_error (), "a failure without a text");
      CHECK (!all_kinds (&x, &y), "after a failure: %s", gpumm_last_error ());
      copy (&y, 0);
      CHECK (memcmp (y.host, (double *) x.host + 19999, sizeof (double)) == 0, "the pick is lost");
      if (!status && calls < n) {
        CHECK (n > (which ? 5 : 1), "only %d calls", n);
        break;
      }
    }
  gpumm_reset ();
  gpumm_map m = add_one (&x, &y);
  CHECK (!gpumm_map_entries (&m) && !gpumm_map_entries (&m), "%s", gpumm_last_error ());
  gpumm_fault_device (1);
  refuse (gpumm_wait (device), GPUMM_DEVICE_FAILED,
          "2 operations on arrays failed, from map to map");
  gpumm_fault_device (0);
  CHECK (!gpumm_wait (device), "reported twice: %s", gpumm_last_error ());
  drop (&x);
  drop (&y);
}

static void test_fork (void) {
  array x = make (GPUMM_D, 10), y = make (GPUMM_D, 10);
  fill (&x);
  gpumm_map m = add_one (&x, &y);
  CHECK (!gpumm_map_entries (&m), "%s", gpumm_last_error ());
  const pid_t child = fork ();
  if (child == 0) {
    const gpumm_status status = gpumm_map_entries (&m);
    const int says = strstr (gpumm_last_error (), "forked") != NULL;
    gpumm_reset ();
    _exit (status == GPUMM_INVALID && says ? 7 : 1);
  }
  int code = 0;
  waitpid (child, &code, 0);
  CHECK (WIFEXITED (code) && WEXITSTATUS (code) == 7, "a forked process: %d", code);
  gpumm_reset (); /* the buffers stay, the stream goes */
  CHECK (!gpumm_map_entries (&m), "%s", gpumm_last_error ());
  drop (&x);
  drop (&y);
}

int main (int argc, char **argv) {
  check_seed (20261123);
  for (int i = 1; i < argc; i++)
    if (strcmp (argv[i], "gpu") == 0)
      device = 0;
    else if (strncmp (argv[i], "cases=", 6) == 0)
      cases = atoi (argv[i] + 6);
  if (gpumm_wait (device)) { /* there is none */
    CHECK (0, "%s", gpumm_last_error ());
    return check_done ();
  }
  test_operations (cases < 20 ? 8 : 24);
  test_conversions ();
  test_programs (cases);
  test_lanes (cases / 8);
  for (int n = 0; n < cases; n++)
    test_pick (n);
  test_refused_maps ();
  test_refused ();
  test_order ();
  if (device == GPUMM_HOST) { /* whose calls can be made to fail, and which survives fork () */
    test_faults ();
    test_fork ();
  }
  gpumm_reset ();
  CHECK (gpumm_live_allocations () == 0, "%" PRId64 " allocations are left",
         gpumm_live_allocations ());
  return check_done ();
}
