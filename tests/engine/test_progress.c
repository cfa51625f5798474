/* test_progress.c - what is told while products run: parts that grow, and an end, on every path that
 * needs no GPU; nothing where it is switched off, nobody listens, or it would be wrong.
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

enum { MOST = 4096 };

static struct {
  int words, ends, cancels;
  double part[MOST], left;
  int speaking, at_once; /* calls under way, and whether there were two */
} heard;

static void listen (double part, double left) {
  if (__atomic_add_fetch (&heard.speaking, 1, __ATOMIC_SEQ_CST) > 1)
    heard.at_once = 1;
  if (part < 0)
    heard.ends++;
  else if (heard.words < MOST)
    heard.part[heard.words++] = part;
  heard.left = left;
  if (heard.cancels)
    gpumm_cancel ();
  __atomic_sub_fetch (&heard.speaking, 1, __ATOMIC_SEQ_CST);
}

static void check_words (const char *name) {
  int rises = 1;
  for (int i = 0; i < heard.words; i++)
    rises &= heard.part[i] > (i > 0 ? heard.part[i - 1] : 0) && heard.part[i] <= 1;
  CHECK (rises, "%s: parts do not grow from 0 to 1", name);
  CHECK (!heard.at_once, "%s: two threads spoke at once", name);
  CHECK (heard.ends == (heard.words > 0), "%s: %d words and %d ends", name, heard.words,
         heard.ends);
  CHECK (heard.left >= 0, "%s: %g s left", name, heard.left);
}

static gpumm_status hear (const path *p) {
  gpumm_operand c;
  memset (&heard, 0, sizeof heard);
  const gpumm_status status = multiply (p, &c);
  if (!status)
    release (&c);
  return status;
}

/* ---- paths -------------------------------------------------------------------------------- */

static void test_path (const path *p, int times) {
  (void) times;
  gpumm_progress_set_delay (1e-4);
  CHECK (!hear (p), "%s: %s", p->name, gpumm_last_error ());
  check_words (p->name);
  const int words = heard.words;
  const double last = words > 0 ? heard.part[words - 1] : 0;
  printf ("%s: %d words, from %.3f to %.3f\n", p->name, words, heard.part[0], last);
}

int main (void) {
  need_host_device ();
  check_seed (20261122);
  gpumm_tell (listen);
  on_all_paths (test_path, 1);
  gpumm_reset ();
  return check_done ();
}
