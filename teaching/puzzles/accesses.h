/* accesses.h - what the threads of a kernel access, for puzzle.h: bounds, races, and what a GPU would
 * count.
 *
 * Each access is checked against the bounds of its array and against the accesses of other threads
 * since the last barrier (races). In the first order accesses are counted as kernels/host/count.c
 * counts them: the n-th access of the threads of a warp in one line to one array is one request.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <ucontext.h>
#include <unistd.h>

struct dim3 {
  unsigned x, y, z;

  dim3 (unsigned a = 1, unsigned b = 1, unsigned c = 1) : x (a), y (b), z (c) {
  }
};

static dim3 threadIdx, blockIdx, blockDim, gridDim;

namespace gpu {

enum {
  WARP = 32,
  MOST_THREADS = 1024,
  STACK = 64 << 10,
  SHARED_BYTES = 48 << 10,
  MOST_NOTED = 1 << 21,  /* accesses of a block between two barriers */
  MOST_BARRIERS = 10000, /* of a block */
  CPU_SECONDS = 2,
  WALL_SECONDS = 60
};
static const rlim_t MEMORY = 1 << 30, PRINTED = 1 << 16; /* bytes */

static FILE *report;
static int last_line; /* of an access or a barrier */
static int order;     /* 0 forwards, 1 backwards, 2 shuffled */
static bool counting; /* in a kernel in the first order */
static int64_t operations, barriers, sectors, passes, conflicts;

/* Ends the program with a row "fail KIND LINE text" of the report. */
static __attribute__ ((noreturn, format (printf, 3, 4))) void fail (const char *kind, int line,
                                                                    const char *format, ...) {
  va_list list;
  if (!report) /* before main */
    _exit (1);
  va_start (list, format);
  fprintf (report, "fail %s %d ", kind, line);
  vfprintf (report, format, list);
  fprintf (report, "\n");
  fclose (report);
  fflush (stdout);
  _exit (0);
}

static const char *thread_name () {
  static char text[2][80]; /* two fit into one message */
  static int turn;
  char *at = text[turn = !turn];
  snprintf (at, sizeof text[0], "thread (%u, %u) of block (%u, %u)", threadIdx.x, threadIdx.y,
            blockIdx.x, blockIdx.y);
  return at;
}

/* ---- memory ------------------------------------------------------------------------------- */

/* Who accessed an element last. `when` numbers phases: a race needs the same launch and other
 * blocks, or the same phase and other threads. */
struct visit {
  int64_t when;
  int block, thread, line;
  bool atomic;
};

struct shadow {
  visit write, read, other_read; /* other_read: by another thread than read */
};

/* An array of elements of 4 bytes. */
struct memory {
  const char *name;
  char *base;
  int rows, columns; /* global: of a matrix stored by columns; shared: by rows; columns 0: 1-d */
  bool is_shared;
  shadow *marks;
  memory *next;

  int64_t count () const {
    return (int64_t) rows * (columns ? columns : 1);
  }
};

static memory *memories;
static int64_t phase = 1, launch_began = 1;
static int block, thread; /* those that run */

static memory *add_memory (const char *name, int rows, int columns, void *base, int line) {
  memory *m = (memory *) calloc (1, sizeof *m);
  const size_t bytes = 4 * (size_t) rows * (size_t) (columns ? columns : 1);
  m->name = name;
  m->rows = rows;
  m->columns = columns;
  m->is_shared = base != NULL;
  m->base = (char *) (base ? base : aligned_alloc (256, (bytes + 255) / 256 * 256));
  m->marks = (shadow *) calloc (m->count (), sizeof *m->marks);
  memset (m->base, 0xff, bytes); /* NaN */
  m->next = memories;
  memories = m;
  int64_t all = 0;
  for (memory *x = memories; x; x = x->next)
    all += x->is_shared * 4 * x->count ();
  if (all > SHARED_BYTES)
    fail ("shared", line, "%lld bytes of shared memory; a block can have %d", (long long) all,
          SHARED_BYTES);
  return m;
}

static __attribute__ ((noreturn)) void outside (const memory *m, int64_t i, int line) {
  char size[100], place[60] = "";
  snprintf (size, sizeof size, "%s has the elements 0 to %lld", m->name,
            (long long) m->count () - 1);
  if (m->columns) {
    const int64_t row = (i % m->rows + m->rows) % m->rows;
    snprintf (size, sizeof size, "%s is %d x %d", m->name, m->rows, m->columns);
    snprintf (place, sizeof place, " (row %d, column %lld)", (int) row,
              (long long) (i - row) / m->rows);
  }
  if (i > INT32_MAX && i <= UINT32_MAX)
    snprintf (place, sizeof place, " (%d in unsigned arithmetic)", (int) i);
  fail ("bounds", line, "%s uses %s[%lld]%s; %s", thread_name (), m->name, (long long) i, place,
        size);
}

/* ---- races -------------------------------------------------------------------------------- */

static char race[400];

static bool meets (const memory *m, const visit &v, bool atomic) {
  const bool other = v.when == phase ? v.thread != thread : !m->is_shared && v.block != block;
  return v.when >= launch_began && other && !(atomic && v.atomic);
}

static void watch (memory *m, int64_t i, int line, bool store, bool atomic) {
  shadow &s = m->marks[i];
  const visit me = {phase, block, thread, line, atomic}, *met = NULL;
  if (meets (m, s.write, atomic))
    met = &s.write;
  else if (store && meets (m, s.read, atomic))
    met = &s.read;
  else if (store && meets (m, s.other_read, atomic))
    met = &s.other_read;
  if (met && !race[0]) {
    const int t = met->thread, x = (int) blockDim.x;
    char element[80], there[40] = "";
    if (m->is_shared && m->columns)
      snprintf (element, sizeof element, "%s[%d][%d]", m->name, (int) (i / m->columns),
                (int) (i % m->columns));
    else
      snprintf (element, sizeof element, "%s[%lld]", m->name, (long long) i);
    if (met->block != block)
      snprintf (there, sizeof there, " of block %d", met->block);
    snprintf (race, sizeof race, "race %d %d %d %s %s %s, and thread (%d, %d)%s %s it",
              met == &s.write ? met->line : line, met == &s.write ? line : met->line,
              met->block != block, thread_name (), store ? "writes" : "reads", element, t % x,
              t / x, there, met == &s.write ? "writes" : "reads");
  }
  if (store)
    s.write = me;
  else {
    if (s.read.when == phase && s.read.block == block && s.read.thread != thread)
      s.other_read = s.read;
    s.read = me;
  }
}

/* ---- counting ----------------------------------------------------------------------------- */

struct access {
  int line, store, thread, turn; /* turn: how many times the thread has been there */
  memory *m;
  int64_t i;
};

static access *accesses;
static int noted, room;

static int by_thread (const void *x, const void *y) {
  const access *a = (const access *) x, *b = (const access *) y;
  const int64_t d[] = {a->line - b->line, (intptr_t) a->m - (intptr_t) b->m, a->store - b->store,
                       a->thread - b->thread, a->turn - b->turn};
  for (int64_t difference : d)
    if (difference)
      return difference < 0 ? -1 : 1;
  return 0;
}

static int by_request (const void *x, const void *y) {
  const access *a = (const access *) x, *b = (const access *) y;
  const int64_t d[] = {a->line - b->line,   (intptr_t) a->m - (intptr_t) b->m,
                       a->store - b->store, a->thread / WARP - b->thread / WARP,
                       a->turn - b->turn,   a->thread - b->thread};
  for (int64_t difference : d)
    if (difference)
      return difference < 0 ? -1 : 1;
  return 0;
}

/* What the requests of a line need, and what they would need if neighbours were adjacent. */
struct tally {
  int line, store;
  memory *m;
  int64_t requests, units, least;
};

static tally tallies[256];
static int tally_count;

static void count_request (const access *a, int n) {
  int64_t words[WARP], units[WARP];
  int word_count = 0, unit_count = 0, in_bank[WARP] = {}, most = 0;
  for (int k = 0; k < n; k++) {
    int j = 0;
    while (j < word_count && words[j] != a[k].i)
      j++;
    if (j < word_count)
      continue;
    words[word_count++] = a[k].i;
    if (++in_bank[a[k].i % WARP] > most)
      most = in_bank[a[k].i % WARP];
    for (j = 0; j < unit_count && units[j] != a[k].i / 8;)
      j++;
    if (j == unit_count)
      units[unit_count++] = a[k].i / 8; /* sectors of 32 bytes */
  }
  const bool is_shared = a->m->is_shared;
  sectors += is_shared ? 0 : unit_count;
  passes += is_shared ? most : 0;
  conflicts += is_shared ? most - 1 : 0;
  tally *t = tallies;
  while (t < tallies + tally_count && (t->line != a->line || t->m != a->m || t->store != a->store))
    t++;
  if (t == tallies + 256)
    return;
  if (t == tallies + tally_count)
    tallies[tally_count++] = {a->line, a->store, a->m, 0, 0, 0};
  t->requests++;
  t->units += is_shared ? most : unit_count;
  t->least += is_shared ? 1 : (word_count + 7) / 8;
}

static void count_phase () {
  if (noted == 0)
    return;
  qsort (accesses, noted, sizeof *accesses, by_thread);
  for (int i = 0, turn = 0; i < noted; i++) {
    const access &a = accesses[i], &b = accesses[i ? i - 1 : 0];
    turn = i && a.line == b.line && a.m == b.m && a.store == b.store && a.thread == b.thread
               ? turn + 1
               : 0;
    accesses[i].turn = turn;
  }
  qsort (accesses, noted, sizeof *accesses, by_request);
  for (int i = 0, end; i < noted; i = end) {
    const access &a = accesses[i];
    for (end = i + 1; end < noted; end++) {
      const access &b = accesses[end];
      if (a.line != b.line || a.m != b.m || a.store != b.store || a.turn != b.turn
          || a.thread / WARP != b.thread / WARP)
        break;
    }
    count_request (&a, end - i);
  }
  noted = 0;
}

/* A thread accesses element i. */
static void note (memory *m, int64_t i, int line, bool store, bool atomic = false) {
  last_line = line;
  if (i < 0 || i >= m->count ())
    outside (m, i, line);
  watch (m, i, line, store, atomic);
  if (!counting)
    return;
  if (noted == MOST_NOTED)
    fail ("endless", line, "%s: %d accesses without a barrier", thread_name (), noted);
  if (noted == room) {
    room = room ? 2 * room : 4096;
    accesses = (access *) realloc ((void *) accesses, room * sizeof *accesses);
    if (!accesses)
      fail ("memory", line, "out of memory");
  }
  accesses[noted] = {line, store, thread, noted, m, i};
  noted++;
}

} // namespace gpu
