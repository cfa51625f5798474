/* threads.c - a team of threads, and a loop in parallel on it.
 * SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "threads.h"
#include "cancel.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

enum { MOST_THREADS = 64, PIECES_PER_THREAD = 4 };

int gpumm_threads (void) {
  cpu_set_t set;
  int cores = sched_getaffinity (0, sizeof set, &set) == 0 ? CPU_COUNT (&set)
                                                           : (int) sysconf (_SC_NPROCESSORS_ONLN);
  return cores < 1 ? 1 : cores > MOST_THREADS ? MOST_THREADS : cores;
}

/* ---- the team ----------------------------------------------------------------------------- */

/* Must the round wait for this member? Not while the member rests. Each member sets its own state,
 * without a lock and in its own cache line, because it may do so a million times a second. */
enum { OUTSIDE, WORKING, RESTING, LET_GO };
static struct { _Alignas(64) _Atomic int state; } members[MOST_THREADS];

/* The caller that uses the team holds `taken` throughout; `lock` guards the rest. */
static pthread_mutex_t taken = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t begin = PTHREAD_COND_INITIALIZER, end = PTHREAD_COND_INITIALIZER;

static struct {
  pid_t process; /* the process that made the threads */
  int members;   /* threads that exist, besides the caller */
  uint64_t round;
  int count;   /* workers of this round; 0: no more may begin */
  int running; /* workers besides the caller that have begun and must be waited for */
  void (*work) (void *context, int worker);
  void *context;
} team;

static void *member (void *argument) {
  int worker = (int) (intptr_t) argument;
  uint64_t seen = 0;
  pthread_mutex_lock (&lock);
  for (;;) {
    while (team.round == seen)
      pthread_cond_wait (&begin, &lock);
    seen = team.round;
    if (worker >= team.count)
      continue;
    team.running++;
    atomic_store (&members[worker].state, WORKING);
    void (*work) (void *, int) = team.work;
    void *context = team.context;
    pthread_mutex_unlock (&lock);
    work (context, worker);
    pthread_mutex_lock (&lock);
    if (atomic_exchange (&members[worker].state, OUTSIDE) != LET_GO && --team.running == 0)
      pthread_cond_signal (&end);
  }
  return NULL;
}

/* Makes threads until there are `wanted`, or until the system refuses. They block all signals: an
 * interrupt belongs to the interpreter's thread. */
static void grow (int wanted) {
  sigset_t all, before;
  sigfillset (&all);
  pthread_sigmask (SIG_SETMASK, &all, &before);
  while (team.members < wanted) {
    pthread_t thread;
    if (pthread_create (&thread, NULL, member, (void *) (intptr_t) (team.members + 1)) != 0)
      break;
    pthread_detach (thread);
    team.members++;
  }
  pthread_sigmask (SIG_SETMASK, &before, NULL);
}

void gpumm_team (int count, void (*work) (void *context, int worker), void *context) {
  /* Work alone if there is nothing to share, or if the team is in use: by our own caller (nested
   * work), or, after fork (), by a thread that exists only in the parent. */
  if (count <= 1 || pthread_mutex_trylock (&taken) != 0) {
    work (context, 0);
    return;
  }
  if (team.process != getpid ()) { /* a forked child has none of the parent's threads */
    lock = (pthread_mutex_t) PTHREAD_MUTEX_INITIALIZER;
    begin = end = (pthread_cond_t) PTHREAD_COND_INITIALIZER;
    team.members = 0;
    team.process = getpid ();
  }
  pthread_mutex_lock (&lock);
  grow (count - 1);
  team.count = count;
  team.running = 0;
  team.work = work;
  team.context = context;
  team.round++;
  pthread_cond_broadcast (&begin);
  pthread_mutex_unlock (&lock);
  work (context, 0);
  pthread_mutex_lock (&lock);
  team.count = 0;
  for (int worker = 1; worker < count; worker++) {
    int resting = RESTING;
    if (atomic_compare_exchange_strong (&members[worker].state, &resting, LET_GO))
      team.running--;
  }
  while (team.running > 0)
    pthread_cond_wait (&end, &lock);
  pthread_mutex_unlock (&lock);
  pthread_mutex_unlock (&taken);
}

void gpumm_team_rest (int worker) {
  atomic_store (&members[worker].state, RESTING);
}

int gpumm_team_resume (int worker) {
  int resting = RESTING;
  return atomic_compare_exchange_strong (&members[worker].state, &resting, WORKING);
}

void gpumm_team_recall (const void *context) {
  pthread_mutex_lock (&lock);
  if (team.context == context && team.count > 0) { /* not if the caller works alone */
    team.round++;
    pthread_cond_broadcast (&begin);
  }
  pthread_mutex_unlock (&lock);
}

/* ---- a loop ------------------------------------------------------------------------------- */

typedef struct {
  int64_t n, piece;
  atomic_llong next;
  void (*body) (void *context, int64_t begin, int64_t end);
  void *context;
} loop;

/* Threads fetch pieces as they become free, so uneven pieces balance. */
static void share (void *argument, int worker) {
  loop *l = argument;
  (void) worker;
  for (int64_t at; (at = atomic_fetch_add (&l->next, l->piece)) < l->n && !gpumm_is_cancelled ();)
    l->body (l->context, at, l->n - at < l->piece ? l->n : at + l->piece);
}

gpumm_status gpumm_parallel (int64_t n, int64_t grain,
                             void (*body) (void *context, int64_t begin, int64_t end),
                             void *context) {
  if (n <= 0)
    return gpumm_check_cancelled ();
  if (grain < 1)
    grain = 1;
  /* ask the system only if there is something to share */
  const int64_t most = n / grain, found = most > 1 ? gpumm_threads () : 1;
  const int threads = (int) (found < most ? found : most);
  const int64_t piece = threads > 1 ? n / ((int64_t) threads * PIECES_PER_THREAD) : n;
  loop l = {.n = n, .piece = piece < grain ? grain : piece, .body = body, .context = context};
  gpumm_team (threads, share, &l);
  return gpumm_check_cancelled ();
}
