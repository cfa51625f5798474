/* exchange.c - panels that devices give each other.
 *
 * It says whose turn it is and who has left, and moves nothing: streaming.c uploads the panels,
 * offers them and copies those of others. Here members wait for each other only when they leave.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "exchange.h"
#include "memory/host.h"
#include "memory/pool.h"

#include <pthread.h>

struct gpumm_exchange {
  int members, left; /* left: of them */
  int64_t panels;
  pthread_mutex_t lock;
  pthread_cond_t all_left;
  gpumm_offer *offers;
  int has_left[]; /* each member's own */
};

gpumm_exchange *gpumm_exchange_new (int members, int64_t panels) {
  gpumm_exchange *x = gpumm_allocate (1, sizeof *x + (size_t) members * sizeof *x->has_left);
  gpumm_offer *offers = x ? gpumm_allocate (panels, sizeof *offers) : NULL;
  if (!offers) {
    gpumm_release (x);
    return NULL;
  }
  x->members = members;
  x->panels = panels;
  x->offers = offers;
  pthread_mutex_init (&x->lock, NULL);
  pthread_cond_init (&x->all_left, NULL);
  return x;
}

void gpumm_exchange_release (gpumm_exchange *x) {
  if (!x)
    return;
  pthread_cond_destroy (&x->all_left);
  pthread_mutex_destroy (&x->lock);
  gpumm_release (x->offers);
  gpumm_release (x);
}

int gpumm_exchange_members (const gpumm_exchange *x) {
  return x->members;
}

int gpumm_exchange_joins (const gpumm_exchange *x, int member, int64_t panels) {
  return x && !x->has_left[member] && x->panels == panels;
}

gpumm_panel gpumm_exchange_slice (const gpumm_exchange *x, int member, int64_t first,
                                  int64_t slices, int64_t turn, const gpumm_panel *whole) {
  const int64_t n = (member + turn) % slices;
  gpumm_panel slice = *whole;
  const int64_t begin = whole->cols * n / slices, end = whole->cols * (n + 1) / slices;
  slice.cols = end - begin;
  if (n + 1 < slices)
    slice.pad_cols = 0;
  slice.from = (const char *) whole->from + (size_t) (begin * whole->ld_from) * whole->element;
  slice.to = (char *) whole->to + (size_t) (begin * whole->ld_to) * gpumm_device_element (whole);
  slice.offer = &x->offers[first + n];
  slice.takes = (first + n) % x->members != member;
  return slice;
}

void gpumm_exchange_drop (gpumm_exchange *x, int member) {
  if (!x || x->has_left[member])
    return;
  x->has_left[member] = 1;
  for (int64_t i = member; i < x->panels; i += x->members) {
    int not_yet = GPUMM_NOT_YET;
    atomic_compare_exchange_strong (&x->offers[i].state, &not_yet, GPUMM_NEVER);
  }
  pthread_mutex_lock (&x->lock);
  if (++x->left == x->members)
    pthread_cond_broadcast (&x->all_left);
  pthread_mutex_unlock (&x->lock);
}

void gpumm_exchange_leave (gpumm_exchange *x, int member, gpumm_context *context) {
  if (!x || x->has_left[member])
    return;
  gpumm_exchange_drop (x, member);
  pthread_mutex_lock (&x->lock);
  while (x->left < x->members)
    pthread_cond_wait (&x->all_left, &x->lock);
  pthread_mutex_unlock (&x->lock);
  for (int64_t i = member; i < x->panels; i += x->members)
    gpumm_event_give (context, GPUMM_UNTIMED, x->offers[i].ready);
}
