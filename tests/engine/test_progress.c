/* test_progress.c - what is told while products run: parts that grow, and an end, on every path
 * that needs no GPU; nothing where it is switched off, nobody listens, or it would be wrong.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "check.h"
#include "host_device.h"
#include "gpumm.h"
#include "paths.h"
#include "progress.h"

#include <pthread.h>
#include <string.h>

/* ---- who listens -------------------------------------------------------------------------- */

enum { MOST = 1 << 16 };

static struct {
  int words, ends, cancels;
  double part[MOST], left;
  int speaking, at_once; /* calls under way, and whether there were two */
  int stands;            /* words that no end has followed */
} heard;

static void listen (double part, double left) {
  if (__atomic_add_fetch (&heard.speaking, 1, __ATOMIC_SEQ_CST) > 1)
    heard.at_once = 1;
  heard.stands = part >= 0;
  if (part < 0)
    heard.ends++;
  else if (heard.words < MOST)
    heard.part[heard.words++] = part;
  heard.left = left;
  if (heard.cancels)
    gpumm_cancel ();
  __atomic_sub_fetch (&heard.speaking, 1, __ATOMIC_SEQ_CST);
}

static void forget (void) {
  memset (&heard, 0, sizeof heard);
}

static void check_words (const char *name) {
  int rises = 1;
  for (int i = 0; i < heard.words; i++)
    rises &=
        heard.part[i] > 0 && heard.part[i] <= 1 && (i == 0 || heard.part[i] >= heard.part[i - 1]);
  CHECK (rises, "%s: parts do not rise from 0 to 1", name);
  CHECK (!heard.at_once, "%s: two threads spoke at once", name);
  /* one for the phase that counts, one for the rest */
  CHECK (!heard.stands && heard.ends >= (heard.words > 0) && heard.ends <= 2,
         "%s: %d words and %d ends", name, heard.words, heard.ends);
  CHECK (heard.left >= 0, "%s: %g s left", name, heard.left);
}

static gpumm_status run (const path *p) {
  gpumm_matrix c;
  const gpumm_status status = run_path (p, &c);
  if (!status)
    release (&c);
  return status;
}

/* ---- paths -------------------------------------------------------------------------------- */

/* Those that need not say anything: they do not know their part, or only between few steps. */
static const char *const silent[] = {"spmm", "bsr"};

/* Those whose elements of C are counted before they are made: both phases are one whole. */
static const char *const counted[] = {"sparse", "sparse, transposed", "spgemm"};

/* The whole is told, and not more. The last thousandth of each thread's may be missing, and its
 * last step if another thread spoke in that moment: of "large blocks", which has six rows of
 * blocks, two steps are a third. */
static void test_path (const path *p, int times) {
  int knows = 1;
  (void) times;
  for (size_t i = 0; i < sizeof silent / sizeof *silent; i++)
    knows &= strcmp (p->name, silent[i]) != 0;
  forget ();
  CHECK (!run (p), "%s: %s", p->name, gpumm_last_error ());
  check_words (p->name);
  const double last = heard.words > 0 ? heard.part[heard.words - 1] : 0;
  CHECK (!knows || last > 0.6, "%s: %d words, the last %.3f", p->name, heard.words, last);
  for (size_t i = 0; i < sizeof counted / sizeof *counted; i++)
    CHECK (strcmp (p->name, counted[i]) != 0 || (heard.part[0] < 0.2 && heard.ends == 2),
           "%s: %d ends, the first part is %.3f", p->name, heard.ends, heard.part[0]);
  printf ("%s: %d words, from %.3f to %.3f\n", p->name, heard.words, heard.part[0], last);

  /* the first word stops it: the end comes nevertheless */
  forget ();
  heard.cancels = 1;
  const gpumm_status status = run (p);
  CHECK (status == (heard.part[0] > 0 ? GPUMM_CANCELLED : GPUMM_OK) || heard.part[0] > 0.99,
         "%s: %s", p->name, gpumm_status_name (status));
  check_words (p->name);
}

/* ---- when nothing is told ----------------------------------------------------------------- */

static void test_silence (const path *p) {
  forget ();
  CHECK (gpumm_tells (-1) == 1 && gpumm_tells (0) == 1 && gpumm_tells (-1) == 0, "the switch");
  CHECK (!run (p) && heard.words + heard.ends == 0, "switched off: %d words", heard.words);
  CHECK (gpumm_tells (1) == 0, "the switch");
  gpumm_tell (NULL);
  CHECK (!run (p) && heard.words + heard.ends == 0, "nobody listens: %d words", heard.words);
  gpumm_tell (listen);
  gpumm_progress_set_delay (60);
  CHECK (!run (p) && heard.words + heard.ends == 0, "too early: %d words", heard.words);
  gpumm_progress_set_delay (1e-4);
  CHECK (!run (p) && heard.words > 0 && heard.ends == 1, "%d words, %d ends", heard.words,
         heard.ends);
}

/* Work of the caller's: its own words, none of the products within. */
static void test_work (const path *p) {
  forget ();
  gpumm_tell_work (0, 4);
  for (int i = 0; i < 4; i++) {
    const int words = heard.words;
    CHECK (!run (p) && heard.words == words && heard.ends == 0, "a product within work spoke");
    gpumm_tell_work (i + 1, 4);
  }
  CHECK (heard.words == 4 && heard.part[0] == 0.25 && heard.part[3] == 1 && heard.left < 1e-9,
         "%d words of work", heard.words);
  gpumm_tell_work (0, 0);
  CHECK (heard.ends == 1, "%d ends of work", heard.ends);
  gpumm_tell_work (0, 0);
  CHECK (heard.ends == 1, "work ends once");
  CHECK (!run (p) && heard.words > 4 && heard.ends == 2, "a product after work is silent");
}

/* ---- several at once ---------------------------------------------------------------------- */

static void *run_often (void *argument) {
  for (int i = 0; i < 20; i++)
    if (run (argument))
      return argument;
  return NULL;
}

static void listen_for_wrong (double part, double left) {
  if (part > 1 || left < 0)
    heard.at_once = 1;
}

static void test_threads (const path *p) {
  pthread_t threads[3];
  forget ();
  gpumm_tell (listen_for_wrong);
  for (int t = 0; t < 3; t++)
    pthread_create (&threads[t], NULL, run_often, (void *) p);
  for (int t = 0; t < 3; t++) {
    void *failed = NULL;
    pthread_join (threads[t], &failed);
    CHECK (!failed, "a product in a thread failed");
  }
  CHECK (!heard.at_once, "a part above 1, or less than 0 s left");
  gpumm_tell (listen);
  CHECK (!run (p), "%s", gpumm_last_error ());
  check_words ("after threads");
  CHECK (heard.words > 0, "silent after products in threads");
}

int main (void) {
  need_host_device ();
  check_seed (20261122);
  gpumm_progress_set_delay (1e-4);
  gpumm_tell (listen);
  on_all_paths (test_path, 1);
  path p = {.algorithm = "loops", .a = full (200, GPUMM_D)};
  p.b = p.a;
  test_silence (&p);
  test_work (&p);
  test_threads (&p);
  release (&p.a);
  gpumm_reset ();
  return check_done ();
}
