/* fibers.c - the threads of a block as fibers.
 *
 * Each thread of the block has a stack of its own. A thread runs until it reaches a barrier or its
 * end; then the next thread in the chosen order runs. When all have run, the phase is over: either
 * all wait at the same barrier and the next phase begins, or all have ended and the next block
 * begins. Anything else is barrier divergence, which on a GPU would hang or compute garbage.
 *
 * makecontext gives a fiber its stack once. After that _setjmp and _longjmp switch, which do not
 * touch the signal mask: 12 ns instead of 180 ns for swapcontext, which makes two system calls.
 * AddressSanitizer and ThreadSanitizer are told of every switch. With them the compiler's own
 * setjmp and longjmp are used. At a jump of the library's, AddressSanitizer would forget the whole
 * stack, which takes about 2 us, and then miss overruns of arrays there; ThreadSanitizer would end
 * the program at a jump to another stack.
 *
 * One launch runs at a time: the driver holds its lock.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#undef _FORTIFY_SOURCE /* its _longjmp refuses jumps to another stack */
#include "fibers.h"
#include "driver.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#if defined __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#define SWITCH_BEGINS(fiber, to)                                                                   \
  __sanitizer_start_switch_fiber (&(fiber)->sanitizer, (to)->stack, (to)->stack_bytes)
#define SWITCH_ENDS(fiber, from)                                                                   \
  __sanitizer_finish_switch_fiber ((fiber)->sanitizer, (const void **) &(from)->stack,             \
                                   &(from)->stack_bytes)
#define LIFE_BEGINS(fiber)    ASAN_UNPOISON_MEMORY_REGION ((fiber)->stack, (fiber)->stack_bytes)
#define LIFE_ENDS(fiber)      LIFE_BEGINS (fiber)
#define RUN_BEGINS(scheduler) ((void) 0)
/* without this the compiler reports a jump as the library's does */
#define JUMPS __attribute__ ((noinline, no_sanitize_address))
#elif defined __SANITIZE_THREAD__
#include <sanitizer/tsan_interface.h>
#define SWITCH_BEGINS(fiber, to)     __tsan_switch_to_fiber ((to)->sanitizer, 0)
#define SWITCH_ENDS(fiber, previous) ((void) (previous))
#define LIFE_BEGINS(fiber)           (LIFE_ENDS (fiber), (fiber)->sanitizer = __tsan_create_fiber (0))
#define LIFE_ENDS(fiber)             ((fiber)->sanitizer ? __tsan_destroy_fiber ((fiber)->sanitizer) : (void) 0)
#define RUN_BEGINS(scheduler)        ((scheduler)->sanitizer = __tsan_get_current_fiber ())
#define JUMPS                        __attribute__ ((noinline, no_sanitize_thread))
#else
#define SWITCH_BEGINS(fiber, to)
#define SWITCH_ENDS(fiber, from) ((void) (from))
#define LIFE_BEGINS(fiber)
#define LIFE_ENDS(fiber)
#define RUN_BEGINS(scheduler)
#define JUMPS
#endif

#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
#define SAVE(fiber)  __builtin_setjmp ((void **) (fiber)->here)
#define GO_ON(fiber) __builtin_longjmp ((void **) (fiber)->here, 1)
enum { STACK_BYTES = 256 << 10 };
#else
#define SAVE(fiber)  _setjmp ((fiber)->here)
#define GO_ON(fiber) _longjmp ((fiber)->here, 1)
enum { STACK_BYTES = 64 << 10 };
#endif

enum {
  MOST_THREADS = 1024,         /* of a block, as on every GPU */
  MOST_ARRAYS = 16,            /* in shared memory */
  MOST_SHARED_BYTES = 48 << 10 /* that a kernel may declare, as on every GPU */
};

struct fiber {
  jmp_buf here;
  gpumm_index3 index;
  int line;   /* of the barrier it waits at; 0: it has ended */
  int arrays; /* of shared memory that it has asked for in this block */
  void *stack;
  size_t stack_bytes;
  void *sanitizer; /* AddressSanitizer's fake stack, ThreadSanitizer's fiber */
};

gpumm_index3 gpumm_host_thread, gpumm_host_block, gpumm_host_block_size, gpumm_host_grid_size;

static struct fiber fibers[MOST_THREADS]; /* the first `made` have stacks */
static int made;
static struct fiber scheduler; /* the caller of gpumm_host_run */
static struct fiber *current = &scheduler, *previous;

static struct {
  const char *kernel;
  void (*thread) (const void *arguments);
  const void *arguments;
  int threads;
  int place;   /* of the running thread, in the order */
  int line;    /* where the first thread of the phase stopped */
  int differs; /* has another one stopped elsewhere? */
  int order[MOST_THREADS];
  gpumm_status status;
} run;

static gpumm_host_order chosen_order;
static uint64_t random_state = 1;

static struct {
  void *p;
  size_t bytes;
  const char *name;
  int columns;
} shared[MOST_ARRAYS];
static int shared_arrays; /* declared in this block */

/* ---- switching ---------------------------------------------------------------------------- */

static void arrive (struct fiber *me) {
  (void) me;
  SWITCH_ENDS (me, previous);
}

static JUMPS void switch_to (struct fiber *to) {
  struct fiber *me = current;
  if (to == me)
    return;
  previous = me;
  current = to;
  gpumm_host_thread = to->index;
  SWITCH_BEGINS (me, to);
  if (!SAVE (me))
    GO_ON (to);
  arrive (me);
}

/* ---- order -------------------------------------------------------------------------------- */

void gpumm_host_set_order (gpumm_host_order order, uint64_t seed) {
  chosen_order = order;
  random_state = seed * 2 + 1; /* not 0, where xorshift stays */
}

/* xorshift64*, Vigna 2016 */
static uint64_t draw (void) {
  random_state ^= random_state >> 12;
  random_state ^= random_state << 25;
  random_state ^= random_state >> 27;
  return random_state * 2685821657736338717u >> 33;
}

/* Runs the first thread of the order. */
static void begin_phase (void) {
  run.place = run.differs = 0;
  if (chosen_order == GPUMM_SHUFFLED)
    for (int i = run.threads - 1; i > 0; i--) {
      int j = (int) (draw () % (uint64_t) (i + 1));
      int t = run.order[i];
      run.order[i] = run.order[j];
      run.order[j] = t;
    }
  switch_to (&fibers[run.order[0]]);
}

/* ---- phases ------------------------------------------------------------------------------- */

/* Abandons the block; its fibers are created anew. */
static __attribute__ ((noreturn)) void abandon (gpumm_status status) {
  run.status = status;
  switch_to (&scheduler);
  __builtin_unreachable ();
}

/* Two threads stopped at different places: says at which, and abandons the block. */
static __attribute__ ((noreturn)) void diverge (void) {
  const struct fiber *first = &fibers[0], *f = first + 1;
  while (f->line == first->line)
    f++;
  const struct fiber *waits = first->line ? first : f;
  const struct fiber *other = waits == first ? f : first;
  char what[64] = "has ended";
  if (other->line)
    snprintf (what, sizeof what, "waits at the one in line %d", other->line);
  abandon (gpumm_driver_fail (
      GPUMM_DEVICE_FAILED,
      "kernel %s: barrier divergence in block %u: thread (%u, %u, %u) waits at the "
      "__syncthreads in line %d, thread (%u, %u, %u) %s",
      run.kernel, gpumm_host_block.x, waits->index.x, waits->index.y, waits->index.z, waits->line,
      other->index.x, other->index.y, other->index.z, what));
}

/* All threads have run: does the block continue, has it ended, or has it diverged? */
static void end_phase (void) {
  if (gpumm_host_counting)
    gpumm_host_count_phase ();
  if (run.differs)
    diverge ();
  if (!run.line)
    switch_to (&scheduler);
  else {
    gpumm_host_barriers += gpumm_host_counting != 0;
    begin_phase ();
  }
}

/* A thread has reached the barrier at that line, or its end (0). Returns when it is its turn
 * again. */
void gpumm_host_barrier (int line) {
  current->line = line;
  if (run.place == 0)
    run.line = line;
  run.differs |= line != run.line;
  if (gpumm_driver_is_cancelled ())
    abandon (gpumm_driver_fail (GPUMM_CANCELLED, "cancelled"));
  if (++run.place < run.threads)
    switch_to (&fibers[run.order[run.place]]);
  else
    end_phase ();
}

/* ---- fibers ------------------------------------------------------------------------------- */

/* The body of a fiber: runs a thread of one block after the other. */
static void live (void) {
  arrive (current);
  switch_to (&scheduler);
  for (;;) {
    run.thread (run.arguments);
    gpumm_host_barrier (0);
  }
}

/* Resets the fiber, new or abandoned, to the beginning of its body. */
static JUMPS int start (struct fiber *f) {
  ucontext_t context;
  if (getcontext (&context))
    return 0;
  LIFE_BEGINS (f);
  context.uc_stack.ss_sp = f->stack;
  context.uc_stack.ss_size = f->stack_bytes;
  context.uc_link = NULL;
  makecontext (&context, live, 0);
  previous = &scheduler;
  current = f;
  SWITCH_BEGINS (&scheduler, f);
  if (!SAVE (&scheduler))
    setcontext (&context);
  arrive (&scheduler);
  return 1;
}

/* A fiber's stack lies above a page that faults on overflow. Returns 0 if memory is refused. */
static int make (struct fiber *f) {
  size_t page = (size_t) sysconf (_SC_PAGESIZE);
  char *memory = mmap (NULL, page + STACK_BYTES, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
  if (memory == MAP_FAILED)
    return 0;
  mprotect (memory, page, PROT_NONE);
  f->stack = memory + page;
  f->stack_bytes = STACK_BYTES;
  const int started = start (f);
  if (!started)
    munmap (memory, page + STACK_BYTES);
  return started;
}

/* Stacks stay until the library closes: creating 256 of them takes longer than a small product. */
static __attribute__ ((destructor)) void unmake_all (void) {
  size_t page = (size_t) sysconf (_SC_PAGESIZE);
  while (made > 0) {
    struct fiber *f = &fibers[--made];
    LIFE_ENDS (f);
    munmap ((char *) f->stack - page, page + STACK_BYTES);
  }
}

void gpumm_host_run_reset (void) {
  for (int i = 0; i < MOST_ARRAYS; i++)
    free (shared[i].p);
  memset (shared, 0, sizeof shared);
}

/* ---- shared memory ------------------------------------------------------------------------ */

int64_t gpumm_host_shared_bytes (void) {
  size_t all = 0;
  for (int i = 0; i < shared_arrays; i++)
    all += shared[i].bytes;
  return (int64_t) all;
}

void gpumm_host_name_array (gpumm_record *access) {
  for (int i = 0; i < shared_arrays; i++) {
    const char *first = shared[i].p, *p = access->p;
    if (p >= first && p < first + shared[i].bytes) {
      access->first = first;
      access->array = shared[i].name;
      access->columns = shared[i].columns;
    }
  }
}

void *gpumm_host_shared (size_t bytes, const char *name, int columns) {
  const int i = current->arrays++, is_new = i == shared_arrays;
  if (i < shared_arrays && shared[i].bytes == bytes)
    return shared[i].p;
  if (!is_new || i == MOST_ARRAYS
      || (size_t) gpumm_host_shared_bytes () + bytes > MOST_SHARED_BYTES)
    abandon (gpumm_driver_fail (
        GPUMM_DEVICE_FAILED, "kernel %s: shared array %d, of %zu bytes, %s", run.kernel, i, bytes,
        is_new ? "is more than a block can have" : "is not the same for all threads"));
  /* an allocation of exactly its size, so that AddressSanitizer sees overruns */
  if (shared[i].bytes != bytes) {
    free (shared[i].p);
    shared[i].bytes = 0;
    if (posix_memalign (&shared[i].p, 128, bytes)) {
      shared[i].p = NULL;
      abandon (gpumm_driver_fail (GPUMM_HOST_MEMORY,
                                  "out of host memory: cannot allocate %zu bytes", bytes));
    }
    shared[i].bytes = bytes;
  }
  shared[i].name = name;
  shared[i].columns = columns;
  memset (shared[i].p, 0xff, bytes); /* NaN in every type, to show reads of unwritten memory */
  shared_arrays++;
  return shared[i].p;
}

/* ---- a launch ----------------------------------------------------------------------------- */

static gpumm_status prepare (gpumm_index3 size) {
  run.threads = (int) (size.x * size.y * size.z);
  for (; made < run.threads; made++)
    if (!make (&fibers[made]))
      return gpumm_driver_fail (GPUMM_HOST_MEMORY, "out of host memory: no stack for thread %d",
                                made);
  for (int t = 0; t < run.threads; t++) {
    unsigned u = (unsigned) t;
    fibers[t].index = (gpumm_index3){u % size.x, u / size.x % size.y, u / size.x / size.y};
    run.order[t] = chosen_order == GPUMM_BACKWARDS ? run.threads - 1 - t : t;
  }
  return GPUMM_OK;
}

gpumm_status gpumm_host_run (const char *kernel, int64_t blocks, gpumm_index3 threads,
                             void (*thread) (const void *arguments), const void *arguments) {
  if (threads.x == 0 || threads.y == 0 || threads.z == 0
      || (uint64_t) threads.x * threads.y * threads.z > MOST_THREADS || blocks < 0
      || blocks > INT32_MAX)
    return gpumm_driver_fail (GPUMM_DEVICE_FAILED,
                              "kernel %s: cannot launch %lld blocks of %u x %u x %u threads",
                              kernel, (long long) blocks, threads.x, threads.y, threads.z);
  if (blocks == 0)
    return GPUMM_OK;

  RUN_BEGINS (&scheduler);
  run.kernel = kernel;
  run.thread = thread;
  run.arguments = arguments;
  run.status = prepare (threads);
  gpumm_host_block_size = threads;
  gpumm_host_grid_size = (gpumm_index3){(unsigned) blocks, 1, 1};
  for (int64_t b = 0; b < blocks && run.status == GPUMM_OK; b++) {
    gpumm_host_block = (gpumm_index3){(unsigned) b, 0, 0};
    shared_arrays = 0;
    for (int t = 0; t < run.threads; t++)
      fibers[t].arrays = 0;
    begin_phase ();
    gpumm_driver_add_progress (1 / (double) blocks);
  }
  if (run.status && made >= run.threads) {
    if (gpumm_host_counting)
      gpumm_host_count_phase ();
    for (int t = 0; t < run.threads; t++)
      start (&fibers[t]);
  }
  return run.status;
}
