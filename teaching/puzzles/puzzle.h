/* puzzle.h - runs a student's kernel on the CPU, for gpumm_puzzle: CUDA's words, checked arrays, the
 * threads of a block, and a report.
 *
 * The threads of a block are contexts with stacks of their own. A thread runs until a barrier or
 * its end; then the next thread runs, in three orders: forwards, backwards, shuffled.
 *
 * gpumm_puzzle replaces in the student's text `float *` by pointer<float> and `__shared__ float
 * s[2][3];` by shared<float, 2, 3>, which are below. `float` is a class that counts operations.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "accesses.h"

namespace gpu {

/* ---- numbers ------------------------------------------------------------------------------ */

/* A float whose operations are counted. */
struct real {
  float v;

  real () = default;
  constexpr real (float x) : v (x) {
  }
  constexpr real (double x) : v ((float) x) {
  }
  constexpr real (int x) : v ((float) x) {
  }
  constexpr real (unsigned x) : v ((float) x) {
  }
  constexpr real (int64_t x) : v ((float) x) {
  }
  constexpr real (uint64_t x) : v ((float) x) {
  }
  explicit operator bool () const {
    return v != 0;
  }
  explicit operator int () const {
    return (int) v;
  }
  explicit operator unsigned () const {
    return (unsigned) v;
  }
  constexpr explicit operator double () const {
    return v;
  }
};

#define OPERATION(op)                                                                              \
  static inline __attribute__ ((always_inline)) real operator op (real a, real b) {                \
    operations += counting;                                                                        \
    return a.v op b.v;                                                                             \
  }                                                                                                \
  static inline __attribute__ ((always_inline)) real &operator op##= (real &a, real b) {           \
    return a = a op b;                                                                             \
  }
OPERATION (+)
OPERATION (-)
OPERATION (*)
OPERATION (/)
#undef OPERATION

static inline real operator- (real a) {
  return -a.v;
}

#define COMPARISON(op)                                                                             \
  static inline bool operator op (real a, real b) {                                                \
    return a.v op b.v;                                                                             \
  }
COMPARISON (<)
COMPARISON (>)
COMPARISON (<=)
COMPARISON (>=)
COMPARISON (==)
COMPARISON (!=)
#undef COMPARISON

/* ---- arrays as a kernel sees them --------------------------------------------------------- */

template <class T> struct pointer;

/* An index, and the line of the source where it stands. */
struct index {
  int64_t i;
  int line;

  template <class I> index (I x, int at = __builtin_LINE()) : i ((int64_t) x), line (at) {
  }
};

template <class T> struct element {
  T *p;
  memory *m;
  int line;

  void visit (bool store) const {
    if (m) /* else an array of the thread's own */
      note (m, p - (T *) m->base, line, store);
  }
  operator T () const {
    visit (false);
    return *p;
  }
  T operator= (T x) const {
    visit (true);
    return *p = x;
  }
  T operator= (const element &other) const {
    return *this = (T) other;
  }
  T operator+= (T x) const {
    return *this = (T) * this + x;
  }
  T operator-= (T x) const {
    return *this = (T) * this - x;
  }
  T operator*= (T x) const {
    return *this = (T) * this * x;
  }
  T operator/= (T x) const {
    return *this = (T) * this / x;
  }
  void operator++ () const {
    *this += 1;
  }
  void operator++ (int) const {
    *this += 1;
  }
  pointer<T> operator& () const;
};

template <class T> struct pointer {
  T *p;
  memory *m;

  pointer (T *first = NULL, memory *in = NULL) : p (first), m (in) {
  }
  element<T> operator[] (index at) const {
    return {p + at.i, m, at.line};
  }
  element<T> operator* () const {
    return {p, m, last_line};
  }
  pointer operator+ (int64_t i) const {
    return {p + i, m};
  }
  void operator+= (int64_t i) {
    p += i;
  }
};

template <class T> struct pointer<const T> {
  T *p;
  memory *m;

  pointer (const T *first = NULL) : p ((T *) first), m (NULL) {
  }
  pointer (pointer<T> x) : p (x.p), m (x.m) {
  }
  T operator[] (index at) const {
    return element<T>{p + at.i, m, at.line};
  }
  T operator* () const {
    return element<T>{p, m, last_line};
  }
  pointer operator+ (int64_t i) const {
    return pointer<T> (p + i, m);
  }
  void operator+= (int64_t i) {
    p += i;
  }
};

template <class T> inline pointer<T> element<T>::operator& () const {
  return {p, m};
}

/* __shared__ arrays. Both indices are checked. */
template <class T, int ROWS = 0, int COLUMNS = 0> struct shared {
  T x[ROWS * COLUMNS];
  memory *m;

  struct row {
    const shared *s;
    int64_t i;
    int line;

    element<T> operator[] (index at) const {
      if (i < 0 || i >= ROWS || at.i < 0 || at.i >= COLUMNS)
        fail ("bounds", at.line, "%s uses %s[%lld][%lld]; the array is %s[%d][%d]", thread_name (),
              s->m->name, (long long) i, (long long) at.i, s->m->name, ROWS, COLUMNS);
      return {(T *) s->x + i * COLUMNS + at.i, s->m, at.line};
    }
    operator pointer<T> () const {
      return {(T *) s->x + i * COLUMNS, s->m};
    }
  };

  explicit shared (const char *name, int at = __builtin_LINE())
      : m (add_memory (name, ROWS, COLUMNS, x, at)) {
  }
  row operator[] (index at) const {
    return {this, at.i, at.line};
  }
};

template <class T, int COUNT> struct shared<T, COUNT, 0> : pointer<T> {
  T x[COUNT];

  explicit shared (const char *name, int at = __builtin_LINE()) {
    *(pointer<T> *) this = pointer<T> (x, add_memory (name, COUNT, 0, x, at));
  }
};

/* A scalar: all its accesses have the line of the declaration. */
template <class T> struct shared<T, 0, 0> : element<T> {
  T x;
  using element<T>::operator=;

  explicit shared (const char *name, int at = __builtin_LINE())
      : element<T>{&x, add_memory (name, 1, 0, &x, at), at} {
  }
};

/* ---- threads ------------------------------------------------------------------------------ */

static ucontext_t scheduler, contexts[MOST_THREADS];
static int waits[MOST_THREADS]; /* the line of the barrier; 0: has ended */
static char *stacks;
static void (*body) (const void *);
static const void *body_data;

static void live () {
  body (body_data);
  waits[thread] = 0;
}

static inline void barrier (int line) {
  last_line = waits[thread] = line;
  swapcontext (&contexts[thread], &scheduler);
}

static char *stack_of (int t) {
  const size_t page = (size_t) sysconf (_SC_PAGESIZE);
  if (!stacks) { /* each above a page that faults */
    stacks = (char *) mmap (NULL, MOST_THREADS * (page + STACK), PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    for (size_t i = 0; i < MOST_THREADS; i++)
      mprotect (stacks + i * (page + STACK), page, PROT_NONE);
  }
  return stacks + (size_t) t * (page + STACK) + page;
}

static void begin_block (int threads) {
  for (memory *m = memories; m; m = m->next)
    if (m->is_shared)
      memset (m->base, 0xff, 4 * (size_t) m->count ());
  for (int t = 0; t < threads; t++) {
    getcontext (&contexts[t]);
    contexts[t].uc_stack.ss_sp = stack_of (t);
    contexts[t].uc_stack.ss_size = STACK;
    contexts[t].uc_link = &scheduler;
    makecontext (&contexts[t], live, 0);
  }
}

static void place_thread (int t) {
  thread = t;
  threadIdx = dim3 (t % blockDim.x, t / blockDim.x % blockDim.y, t / (blockDim.x * blockDim.y));
}

static void check_divergence (int threads) {
  for (int t = 1; t < threads; t++)
    if (waits[t] != waits[0]) {
      const int first = waits[0] ? 0 : t, other = t - first;
      const int x = (int) blockDim.x;
      char what[80] = "has ended";
      if (waits[other])
        snprintf (what, sizeof what, "waits at the one in line %d", waits[other]);
      fail ("divergence", waits[first],
            "thread (%d, %d) of block (%u, %u) waits at this __syncthreads (), thread (%d, %d) %s",
            first % x, first / x, blockIdx.x, blockIdx.y, other % x, other / x, what);
    }
}

static void run_block () {
  const int threads = (int) (blockDim.x * blockDim.y * blockDim.z);
  static int sequence[MOST_THREADS];
  static uint32_t random_state = 1;
  begin_block (threads);
  for (int t = 0; t < threads; t++)
    sequence[t] = order == 1 ? threads - 1 - t : t;
  for (int passed = 0;; passed++) {
    if (passed == MOST_BARRIERS)
      fail ("endless", last_line, "block (%u, %u) has passed %d barriers", blockIdx.x, blockIdx.y,
            passed);
    for (int t = threads - 1; order == 2 && t > 0; t--) {
      random_state = random_state * 1664525u + 1013904223u;
      const int other = (int) ((random_state >> 8) % (uint32_t) (t + 1)), kept = sequence[t];
      sequence[t] = sequence[other];
      sequence[other] = kept;
    }
    for (int t = 0; t < threads; t++) {
      place_thread (sequence[t]);
      swapcontext (&scheduler, &contexts[sequence[t]]);
    }
    if (counting)
      count_phase ();
    phase++;
    check_divergence (threads);
    if (!waits[0])
      return;
    barriers += counting;
  }
}

/* Runs f () for each thread of each block. */
template <class F> static void launch (dim3 grid, dim3 threads, const F &f) {
  gridDim = grid;
  blockDim = threads;
  body = [] (const void *data) { (*(const F *) data) (); };
  body_data = &f;
  launch_began = ++phase;
  block = 0;
  counting = order == 0;
  for (blockIdx.z = 0; blockIdx.z < grid.z; blockIdx.z++)
    for (blockIdx.y = 0; blockIdx.y < grid.y; blockIdx.y++)
      for (blockIdx.x = 0; blockIdx.x < grid.x; blockIdx.x++, block++)
        run_block ();
  counting = false;
}

/* ---- for judges --------------------------------------------------------------------------- */

/* A matrix in global memory, stored by columns; a vector has columns = 0. Full of NaN. */
template <class T> struct array : pointer<T> {
  array (const char *name, int rows, int columns = 0) {
    this->m = add_memory (name, rows, columns, NULL, 0);
    this->p = (T *) this->m->base;
  }
  T &at (int i, int j = 0) const {
    return this->p[i + (int64_t) j * this->m->rows];
  }
};

/* Multiples of 1/4 from -5 to 5: sums of their products are exact. */
static inline array<real> given (const char *name, int rows, int columns = 0) {
  array<real> a (name, rows, columns);
  for (int64_t i = 0; i < a.m->count (); i++)
    a.p[i].v = (float) ((i * 37 + 11 * name[0]) % 41 - 20) / 4;
  return a;
}

/* Reports the first element that is not wanted (i, j). Elements count by columns. */
template <class T, class F> static void check (array<T> a, F wanted) {
  for (int j = 0; j == 0 || j < a.m->columns; j++)
    for (int i = 0; i < a.m->rows; i++) {
      const double is = (double) a.at (i, j), right = (double) wanted (i, j);
      if (fabs (is - right) <= 1e-4 * (1 + fabs (right)))
        continue;
      static const char *orders[] = {"", " with the threads run backwards",
                                     " with the threads run in shuffled order"};
      char where[80];
      snprintf (where, sizeof where, a.m->columns ? "%s[%lld] (row %d, column %d)" : "%s[%lld]",
                a.m->name, (long long) (&a.at (i, j) - a.p), i, j);
      if (race[0])
        fprintf (report, "%s\n", race);
      if (isnan (is))
        fail (order ? "order" : "unwritten", 0, "%s is NaN%s; right is %.7g", where, orders[order],
              right);
      fail (order ? "order" : "wrong", 0, "%s is %.7g%s; right is %.7g", where, is, orders[order],
            right);
    }
}

static inline double element_of_product (array<real> A, array<real> B, int i, int j) {
  double sum = 0;
  for (int l = 0; l < B.m->rows; l++)
    sum += (double) A.at (i, l) * (double) B.at (l, j);
  return sum;
}

static void judge ();

/* ---- the process -------------------------------------------------------------------------- */

static void on_signal (int signal, siginfo_t *info, void *context) {
  const ucontext_t *c = (const ucontext_t *) context;
  const char *kind = signal == SIGXCPU || signal == SIGALRM ? "endless" : "crash";
  void *pc = NULL;
#if defined __x86_64__
  pc = (void *) c->uc_mcontext.gregs[REG_RIP];
#elif defined __aarch64__
  pc = (void *) c->uc_mcontext.pc;
#endif
  const char *what = signal == SIGFPE ? "division of an integer by 0"
                     : signal == SIGILL || signal == SIGTRAP
                         ? "an index outside of an array of the thread's own"
                     : signal == SIGXFSZ ? "the kernel prints too much"
                     : signal == SIGABRT ? "the kernel ends the program"
                                         : "an access outside of all memory";
  const char *at = (const char *) info->si_addr;
  const size_t all = MOST_THREADS * (STACK + (size_t) sysconf (_SC_PAGESIZE));
  if (kind[0] == 'e')
    what = signal == SIGALRM ? "the kernel waits for ever" : "the kernel does not end";
  else if (signal == SIGSEGV && stacks && at >= stacks && at < stacks + all)
    what = "the thread's stack is full (64 KiB): a recursion, or a large array of its own";
  fprintf (report, "pc %p\n", pc);
  fail (kind, last_line, "%s: %s", thread_name (), what);
}

static void *allocate (size_t bytes, const void *caller) {
  void *p = malloc (bytes);
  if (!p) {
    fprintf (report, "pc %p\n", (char *) caller - 1);
    fail ("memory", last_line, "%s asks for %zu bytes; the program has %d MiB", thread_name (),
          bytes, (int) (MEMORY >> 20));
  }
  return p;
}

static void limit (int what, rlim_t soft, rlim_t hard) {
  const struct rlimit r = {soft, hard};
  setrlimit (what, &r);
}

static int run (const char *file) {
  static char stack[64 << 10];
  stack_t own = {};
  own.ss_sp = stack;
  own.ss_size = sizeof stack;
  sigaltstack (&own, NULL);
  report = fopen (file, "w");
  if (!report)
    return 1;
  struct sigaction action = {};
  action.sa_sigaction = on_signal;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  const int signals[] = {SIGSEGV, SIGBUS,  SIGFPE,  SIGILL, SIGTRAP,
                         SIGABRT, SIGXCPU, SIGALRM, SIGXFSZ};
  for (int s : signals)
    sigaction (s, &action, NULL);
  limit (RLIMIT_CPU, CPU_SECONDS, CPU_SECONDS + 2);
  limit (RLIMIT_AS, MEMORY, MEMORY);
  limit (RLIMIT_FSIZE, PRINTED, PRINTED);
  limit (RLIMIT_CORE, 0, 0);
  alarm (WALL_SECONDS);
  for (order = 0; order < 3; order++)
    judge ();
  fflush (stdout);
  if (race[0])
    fprintf (report, "%s\n", race);
  for (const tally *t = tallies; t < tallies + tally_count; t++)
    fprintf (report, "line %d %s %s %s %lld %lld %lld\n", t->line, t->m->name,
             t->m->is_shared ? "shared" : "global", t->store ? "store" : "load",
             (long long) t->requests, (long long) t->units, (long long) t->least);
  fprintf (report, "counts %lld %lld %lld %lld %lld\n", (long long) sectors, (long long) passes,
           (long long) conflicts, (long long) barriers, (long long) operations);
  return fclose (report) != 0;
}

} // namespace gpu

/* ---- CUDA's words ------------------------------------------------------------------------- */

#define __global__ static __attribute__ ((noinline))
#define __device__
#define __restrict__
#define __launch_bounds__(...)
#define __syncthreads() gpu::barrier (__LINE__)

template <class T, class S> static inline T atomicAdd (gpu::pointer<T> p, S x) {
  if (p.m) {
    gpu::note (p.m, p.p - (T *) p.m->base, gpu::last_line, false, true);
    gpu::note (p.m, p.p - (T *) p.m->base, gpu::last_line, true, true);
  }
  const T old = *p.p;
  *p.p = old + T (x);
  return old;
}

#define FUNCTION_OF_ONE(name)                                                                      \
  static inline gpu::real name (gpu::real x) {                                                     \
    return ::name (x.v);                                                                           \
  }
FUNCTION_OF_ONE (sqrt)
FUNCTION_OF_ONE (sqrtf)
FUNCTION_OF_ONE (exp)
FUNCTION_OF_ONE (expf)
FUNCTION_OF_ONE (log)
FUNCTION_OF_ONE (logf)
FUNCTION_OF_ONE (fabs)
FUNCTION_OF_ONE (fabsf)
#undef FUNCTION_OF_ONE

static inline gpu::real fmaxf (gpu::real x, gpu::real y) {
  return x.v > y.v ? x : y;
}

static inline gpu::real fminf (gpu::real x, gpu::real y) {
  return x.v < y.v ? x : y;
}

static inline gpu::real max (gpu::real x, gpu::real y) {
  return fmaxf (x, y);
}

static inline gpu::real min (gpu::real x, gpu::real y) {
  return fminf (x, y);
}

static inline gpu::real fmaf (gpu::real x, gpu::real y, gpu::real z) {
  return x * y + z;
}

static inline int max (int x, int y) {
  return x > y ? x : y;
}

static inline int min (int x, int y) {
  return x < y ? x : y;
}

static inline double printable (gpu::real x) {
  return x.v;
}

template <class T> static inline T printable (T x) {
  return x;
}

template <class T> static inline auto printable (gpu::element<T> x) {
  return printable ((T) x);
}

template <class... A> static inline void print (const char *format, A... x) {
  if (gpu::order == 0)
    printf (format, printable (x)...);
}
#define printf print

void *operator new (size_t bytes) {
  return gpu::allocate (bytes, __builtin_return_address (0));
}

void *operator new[] (size_t bytes) {
  return gpu::allocate (bytes, __builtin_return_address (0));
}

int main (int, char **argv) {
  return gpu::run (argv[1]);
}
