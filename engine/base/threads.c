/* threads.c - teams of threads, and a loop in parallel on one.
 *
 * No other file of the engine makes threads. They block all signals, and no lock is held while they
 * work. No call waits for a team: if another call uses the team, the caller works alone.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "threads.h"
#include "cancel.h"
#include "progress.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

enum { MOST_THREADS = 64, MOST_TEAMS = 16, PIECES_PER_THREAD = 4 };

/* The team of this thread, and the number of teams that share the cores; 0: one. */
static _Thread_local struct { int team, teams; } mine;

static int cores_here (void) {
  cpu_set_t set;
  int cores = sched_getaffinity (0, sizeof set, &set) == 0 ? CPU_COUNT (&set)
                                                           : (int) sysconf (_SC_NPROCESSORS_ONLN);
  return cores < 1 ? 1 : cores;
}

int gpumm_teams (void) {
  return mine.teams > 1 ? mine.teams : 1;
}

int gpumm_threads (void) {
  const int cores = cores_here () / gpumm_teams ();
  return cores < 1 ? 1 : cores > MOST_THREADS ? MOST_THREADS : cores;
}

void gpumm_team_choose (int team, int teams) {
  mine.team = team % MOST_TEAMS;
  mine.teams = teams;
}

/* ---- the team ----------------------------------------------------------------------------- */

/* Must the round wait for this member? Not while the member rests. Each member sets its own state,
 * without a lock and in its own cache line, because it may do so a million times a second. */
enum { OUTSIDE, WORKING, RESTING, LET_GO };
typedef struct {
  _Alignas(64) _Atomic int state;
} member_state;

/* The caller that uses the team has set `taken` throughout; `lock` guards the rest. */
typedef struct {
  atomic_flag taken;
  pthread_mutex_t lock;
  pthread_cond_t begin, end;
  atomic_int process; /* that made the threads */
  int members;        /* threads that exist, besides the caller */
  uint64_t round;
  int count;   /* workers of this round; 0: no more may begin */
  int running; /* workers besides the caller that have begun and must be waited for */
  void (*work) (void *context, int worker);
  void *context;
  member_state member[MOST_THREADS];
} team;

static team teams[MOST_TEAMS];

/* What the thread of a member begins with. */
typedef struct {
  team *t;
  int worker;
} place;

static place places[MOST_TEAMS][MOST_THREADS];

static void *member (void *argument) {
  const place *p = argument;
  team *t = p->t;
  uint64_t seen = 0;
  mine.team = (int) (t - teams); /* which is taken: work within work is done alone */
  if (t != teams)
    gpumm_progress_mute ();
  pthread_mutex_lock (&t->lock);
  for (;;) {
    while (t->round == seen)
      pthread_cond_wait (&t->begin, &t->lock);
    seen = t->round;
    if (p->worker >= t->count)
      continue;
    t->running++;
    atomic_store (&t->member[p->worker].state, WORKING);
    void (*work) (void *, int) = t->work;
    void *context = t->context;
    pthread_mutex_unlock (&t->lock);
    work (context, p->worker);
    pthread_mutex_lock (&t->lock);
    if (atomic_exchange (&t->member[p->worker].state, OUTSIDE) != LET_GO && --t->running == 0)
      pthread_cond_signal (&t->end);
  }
  return NULL;
}

/* A thread that blocks all signals: an interrupt belongs to the interpreter's thread. Returns 0 if
 * it was made. */
static int start_thread (void *(*body) (void *), void *argument, pthread_t *thread) {
  sigset_t all, before;
  sigfillset (&all);
  pthread_sigmask (SIG_SETMASK, &all, &before);
  const int failed = pthread_create (thread, NULL, body, argument);
  pthread_sigmask (SIG_SETMASK, &before, NULL);
  return failed;
}

/* Makes threads until there are `wanted`, or until the system refuses. */
static void grow (team *t, int wanted) {
  while (t->members < wanted) {
    pthread_t thread;
    place *p = &places[t - teams][t->members + 1];
    *p = (place){t, t->members + 1};
    if (start_thread (member, p, &thread) != 0)
      break;
    pthread_detach (thread);
    t->members++;
  }
}

void gpumm_team (int count, void (*work) (void *context, int worker), void *context) {
  team *t = &teams[mine.team];
  /* Work alone if there is nothing to share, or if the team is in use: by our own caller (nested
   * work), or, after fork (), by a thread that exists only in the parent. */
  if (count <= 1 || atomic_flag_test_and_set (&t->taken)) {
    work (context, 0);
    return;
  }
  if (t->process != getpid ()) { /* a forked child has none of the parent's threads */
    pthread_mutex_init (&t->lock, NULL);
    pthread_cond_init (&t->begin, NULL);
    pthread_cond_init (&t->end, NULL);
    t->members = 0;
    t->process = getpid ();
  }
  pthread_mutex_lock (&t->lock);
  grow (t, count - 1);
  t->count = count;
  t->running = 0;
  t->work = work;
  t->context = context;
  t->round++;
  pthread_cond_broadcast (&t->begin);
  pthread_mutex_unlock (&t->lock);
  work (context, 0);
  pthread_mutex_lock (&t->lock);
  t->count = 0;
  for (int worker = 1; worker < count; worker++) {
    int resting = RESTING;
    if (atomic_compare_exchange_strong (&t->member[worker].state, &resting, LET_GO))
      t->running--;
  }
  while (t->running > 0)
    pthread_cond_wait (&t->end, &t->lock);
  pthread_mutex_unlock (&t->lock);
  atomic_flag_clear (&t->taken);
}

void gpumm_team_rest (int worker) {
  atomic_store (&teams[mine.team].member[worker].state, RESTING);
}

int gpumm_team_resume (int worker) {
  int resting = RESTING;
  return atomic_compare_exchange_strong (&teams[mine.team].member[worker].state, &resting, WORKING);
}

void gpumm_team_recall (const void *context) {
  team *t = &teams[mine.team];
  if (t->process != getpid ()) /* its lock was never made: the caller works alone */
    return;
  pthread_mutex_lock (&t->lock);
  if (t->context == context && t->count > 0) { /* not if the caller works alone */
    t->round++;
    pthread_cond_broadcast (&t->begin);
  }
  pthread_mutex_unlock (&t->lock);
}

/* ---- several teams ------------------------------------------------------------------------ */

typedef struct {
  void (*work) (void *context, int i);
  void *context;
  int i, count;
  pthread_t thread;
  int has_thread;
} leader;

static void *lead (void *argument) {
  const leader *x = argument;
  gpumm_team_choose (x->i, x->count);
  gpumm_progress_mute ();
  x->work (x->context, x->i);
  return NULL;
}

void gpumm_each_team (int count, void (*work) (void *context, int i),
                      void (*late) (void *context, int i), void *context) {
  leader x[GPUMM_MOST_TEAMS];
  if (count == 1) { /* in the team of the caller */
    work (context, 0);
    return;
  }
  for (int i = 1; i < count; i++) {
    x[i] = (leader){.work = work, .context = context, .i = i, .count = count};
    x[i].has_thread = !start_thread (lead, &x[i], &x[i].thread);
    if (!x[i].has_thread && late)
      late (context, i);
  }
  gpumm_team_choose (0, count);
  work (context, 0);
  gpumm_team_choose (0, 1);
  for (int i = 1; i < count; i++)
    if (x[i].has_thread)
      pthread_join (x[i].thread, NULL);
    else
      work (context, i);
}

/* ---- a loop ------------------------------------------------------------------------------- */

typedef struct {
  int64_t n, piece;
  atomic_llong next;
  void (*body) (void *context, int64_t begin, int64_t end);
  void *context;
} loop;

/* Threads fetch pieces as they become free, so uneven pieces balance. */
static void fetch_pieces (void *argument, int worker) {
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
  gpumm_team (threads, fetch_pieces, &l);
  return gpumm_check_cancelled ();
}
