/* progress.c - counts the work that is done and tells the caller at intervals.
 *
 * Each thread adds up its own work and passes the sum on in steps of a thousandth of the whole. The
 * thread that passes its sum on when a call of the teller is due makes that call, so progress needs
 * no thread of its own.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "progress.h"
#include "clock.h"
#include "gpumm_tools.h"

#include <math.h>
#include <sched.h>

static const double WORDS = 8;    /* calls of the teller in the time before the first call */
static const double STEPS = 1000; /* a thread passes on work of all / STEPS */
static const double WHOLE = 0x1p40;

_Atomic unsigned gpumm_progress_counted;

static _Atomic (gpumm_teller *) teller;
static atomic_int is_on = 1;
static _Atomic double delay = GPUMM_TELL_AFTER;

/* The work that the teller hears of: the outermost run of one thread, or the caller's own work. */
static struct {
  atomic_int owned;   /* a run counts its work */
  atomic_int crowded; /* another run began meanwhile: their work cannot be told apart */
  atomic_int is_work; /* the caller's own work: the teller hears of no run within it */
  atomic_int by_launches;
  unsigned number; /* of the run */
  _Atomic double all, begun, from, to;
  atomic_llong done; /* in parts of WHOLE */
  _Atomic double next;
  atomic_flag speaking;
  atomic_int has_told;
} told = {.speaking = ATOMIC_FLAG_INIT};

/* A thread's place: the depth of its nested runs; does the teller hear of the outermost one? The
 * depth of the run that stated its work; the depth of a run within that one, whose work does not
 * count; and the number of the run to count again afterwards. */
static _Thread_local struct {
  int depth, is_owner, said_at, muted_at;
  unsigned muted;
} mine;

static _Thread_local struct {
  unsigned run;
  double work;
} unshared;

static _Thread_local int is_mute;

void gpumm_progress_mute (void) {
  is_mute = 1;
}

void gpumm_tell (gpumm_teller *tell) {
  atomic_store (&teller, tell);
}

int gpumm_tells (int on) {
  return on < 0 ? atomic_load (&is_on) : atomic_exchange (&is_on, on != 0);
}

void gpumm_progress_set_delay (double seconds) {
  atomic_store (&delay, seconds);
}

static void begin (double begun, double from, double to) {
  atomic_store (&told.done, 0);
  atomic_store (&told.begun, begun);
  atomic_store (&told.from, from);
  atomic_store (&told.to, to);
  atomic_store (&told.next, begun + atomic_load (&delay));
}

/* One thread at a time calls the teller; the others do not wait for it. */
static void speak (void) {
  const double now = gpumm_seconds ();
  if (now < atomic_load (&told.next) || atomic_flag_test_and_set (&told.speaking))
    return;
  gpumm_teller *tell = atomic_load (&teller);
  const double done = (double) atomic_load (&told.done) / WHOLE, from = atomic_load (&told.from);
  const double fraction = from + (atomic_load (&told.to) - from) * done;
  const double passed = now - atomic_load (&told.begun); /* below 0: another run has begun since */
  if (tell && now >= atomic_load (&told.next) && done > 0 && done <= 1 && passed >= 0) {
    atomic_store (&told.next, now + atomic_load (&delay) / WORDS);
    atomic_store (&told.has_told, 1);
    tell (fraction, passed * (1 - fraction) / fraction);
  }
  atomic_flag_clear (&told.speaking);
}

/* Waits for a thread of another run that still speaks, but not for one that fork () left behind. */
static void end (void) {
  enum { MOST_WAITS = 10000 };
  gpumm_teller *tell = atomic_load (&teller);
  for (int waits = 0; atomic_flag_test_and_set (&told.speaking) && waits < MOST_WAITS; waits++)
    sched_yield ();
  if (atomic_exchange (&told.has_told, 0) && tell)
    tell (-1, 0);
  atomic_flag_clear (&told.speaking);
}

/* ---- runs --------------------------------------------------------------------------------- */

void gpumm_progress_enter (double begun, double from, double to) {
  if (is_mute)
    return;
  if (mine.depth++ > 0) {
    if (mine.is_owner && (mine.said_at || to < atomic_load (&told.to)) && !mine.muted_at) {
      mine.muted_at = mine.depth;
      mine.muted = atomic_exchange (&gpumm_progress_counted, 0);
    }
    return;
  }
  int nobody = 0;
  mine.is_owner = atomic_compare_exchange_strong (&told.owned, &nobody, 1);
  mine.said_at = mine.muted_at = 0;
  atomic_store (&told.crowded, !mine.is_owner);
  if (!mine.is_owner)
    atomic_store (&gpumm_progress_counted, 0);
  else if (!atomic_load (&told.is_work))
    begin (begun, from, to);
}

static void say (double work, int by_launches) {
  if (!mine.is_owner || mine.said_at || mine.muted_at || atomic_load (&told.crowded)
      || atomic_load (&told.is_work) || !atomic_load (&is_on) || !atomic_load (&teller)
      || !(work > 0 && isfinite (work)))
    return;
  mine.said_at = mine.depth;
  atomic_store (&told.done, 0);
  if (atomic_load (&told.from) == 0)
    atomic_store (&told.begun, gpumm_seconds ());
  atomic_store (&told.all, work);
  atomic_store (&told.by_launches, by_launches);
  if (++told.number == 0)
    told.number = 1;
  atomic_store (&gpumm_progress_counted, told.number);
}

void gpumm_progress_of (double work) {
  say (work, 0);
}

void gpumm_progress_of_launches (double launches) {
  say (launches, 1);
}

void gpumm_progress_launched (double fraction) {
  if (atomic_load_explicit (&told.by_launches, memory_order_relaxed))
    gpumm_progress_add (fraction);
}

void gpumm_progress_count (double work) {
  const unsigned run = atomic_load (&gpumm_progress_counted);
  const double all = atomic_load (&told.all);
  if (is_mute)
    return;
  if (run != unshared.run) {
    unshared.run = run;
    unshared.work = 0;
  }
  unshared.work += work;
  if (run == 0 || unshared.work < all / STEPS)
    return;
  const long long more = (long long) (unshared.work / all * WHOLE);
  unshared.work = 0;
  atomic_fetch_add (&told.done, more);
  speak ();
}

void gpumm_progress_again (void) {
  if (mine.depth == 1 && mine.is_owner) {
    atomic_store (&gpumm_progress_counted, 0);
    mine.said_at = 0;
  }
}

int gpumm_progress_leave (void) {
  if (is_mute)
    return 0;
  const int depth = mine.depth--, said = mine.is_owner && mine.said_at;
  if (!mine.is_owner)
    return 0;
  if (depth == mine.muted_at) {
    atomic_store (&gpumm_progress_counted, mine.muted);
    mine.muted_at = 0;
  } else if (depth == mine.said_at)
    atomic_store (&gpumm_progress_counted, 0);
  if (mine.depth > 0)
    return said;
  if (!atomic_load (&told.is_work))
    end ();
  mine.is_owner = 0;
  atomic_store (&told.owned, 0);
  return said;
}

/* ---- work of the caller's ------------------------------------------------------------------- */

void gpumm_tell_work (double done, double all) {
  if (!(all > 0)) {
    atomic_store (&told.is_work, 0);
    end ();
    return;
  }
  if (!atomic_exchange (&told.is_work, 1))
    begin (gpumm_seconds (), 0, 1);
  atomic_store (&told.done, (long long) (done / all * WHOLE));
  if (atomic_load (&is_on))
    speak ();
}
