/* test_alternative_rates.c - what is measured of emulated products, on a made-up device.
 *
 * The device's clock goes on by made-up rates: so the rates that come out must be those, and what
 * was measured, and how often, can be counted. The rest of its driver is that of made_up_gpu.c.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "check.h"
#include "device/devices.h"
#include "made_up_gpu.h"
#include "plan/rates.h"
#include "memory/pool.h"
#include "base/types.h"

#include <math.h>

#define ALL (1u << GPUMM_S | 1u << GPUMM_D | 1u << GPUMM_C | 1u << GPUMM_Z)

static double now, link_rate;
static gpumm_kernel_rates rates;
static int library_launches, emulated_launches, copies, refused; /* refused: launches of emulated */
static size_t largest, held, most_held;                          /* bytes of the device */

/* ---- the device --------------------------------------------------------------------------- */

static gpumm_status allocate (int device, size_t bytes, void **p) {
  (void) device;
  if (bytes > largest)
    return GPUMM_DEVICE_MEMORY;
  /* nobody looks at what is on the device */
  size_t *block = malloc (sizeof *block);
  if (!block)
    return GPUMM_DEVICE_MEMORY;
  *block = bytes;
  held += bytes;
  most_held = held > most_held ? held : most_held;
  *p = block;
  return GPUMM_OK;
}

static gpumm_status give_back (int device, void *p) {
  (void) device;
  held -= *(size_t *) p;
  free (p);
  return GPUMM_OK;
}

static double clock_of_rates (void) {
  return now;
}

static gpumm_status copy_up (int device, gpumm_stream *stream, void *to, size_t to_pitch,
                             const void *from, size_t from_pitch, size_t width, size_t height) {
  (void) device;
  (void) stream;
  (void) to;
  (void) to_pitch;
  (void) from;
  (void) from_pitch;
  now += (double) width * (double) height / link_rate;
  copies++;
  return GPUMM_OK;
}

/* ---- its kernels -------------------------------------------------------------------------- */

static double flops_of (const gpumm_product *p) {
  return (gpumm_is_complex (p->type) ? 8 : 2) * (double) p->m * (double) p->n * (double) p->k;
}

/* The first launch of each kind takes longer, as libraries load then. */
static gpumm_status launch_library (int device, gpumm_stream *stream, const gpumm_product *p) {
  (void) device;
  (void) stream;
  now += rates.library * flops_of (p) + (library_launches++ == 0 ? 1 : 0);
  return GPUMM_OK;
}

static gpumm_status launch_emulated (int device, gpumm_stream *stream, const gpumm_product *p) {
  (void) device;
  (void) stream;
  CHECK (p->workspace && p->gain == 0, "a launch without workspace, or with a gain");
  if (refused)
    return GPUMM_UNSUPPORTED;
  CHECK (p->m == gpumm_alternatives[0].edge[p->type] && p->n == p->m && p->k == p->m,
         "a square product");
  now += rates.alternative[0] * flops_of (p) + (emulated_launches++ == 0 ? 1 : 0);
  return GPUMM_OK;
}

static size_t workspace (const gpumm_product *p, const gpumm_device_properties *device) {
  (void) device;
  return (size_t) (p->m + p->n) * (size_t) p->k * 16;
}

static const gpumm_kernel library = {.algorithm = "cublas",
                                     .name = "cublas",
                                     .types = ALL,
                                     .launch = launch_library},
                          emulated = {.algorithm = "emulated",
                                      .name = "emulated",
                                      .types = ALL,
                                      .launch = launch_emulated,
                                      .workspace = workspace,
                                      .smallest_tile = 4096};
static const gpumm_kernel *const rows[] = {&library, &emulated, NULL};
/* ---- tests -------------------------------------------------------------------------------- */

static gpumm_driver driver;
static gpumm_context context = {.driver = &driver};

/* As gpumm_reset does for the devices that it knows. */
static void reset_device (void) {
  gpumm_pool_reset (&context);
  gpumm_rates_forget (&context);
}

static void forget_all (void) {
  reset_device ();
  library_launches = emulated_launches = copies = refused = 0;
  largest = (size_t) 1 << 40;
  rates = (gpumm_kernel_rates){2e-14, {1e-14}};
  link_rate = 5e10;
  most_held = held;
}

/* The place as it is for an n x n by n x n product. */
static gpumm_candidate place_of (gpumm_type type, int64_t n, int64_t limit) {
  static double matrix[2]; /* only addresses are read */
  gpumm_candidate place = {.context = &context,
                           .upload = 3e10,
                           .download = 3e10,
                           .call = 6e-5,
                           .flops = {4e13, 4e13, 4e13, 4e13},
                           .properties = {.capability = 90, .memory_total = 1ll << 37}};
  gpumm_problem p = {.a = {.type = type, .rows = n, .cols = n, .ld = n, .values = &matrix[0]},
                     .b = {.type = type, .rows = n, .cols = n, .ld = n, .values = &matrix[1]},
                     .alpha = {1, 0},
                     .output = type};
  gpumm_options o = {.device = -1, .max_device_memory = limit};
  gpumm_candidate_alternatives (&p, &o, gpumm_alternatives, &place);
  return place;
}

static void check_near (double x, double y, const char *what) {
  CHECK (fabs (x - y) <= 1e-6 * y, "%s: %g, expected %g", what, x, y);
}

static void check_rates (const gpumm_candidate *place) {
  check_near (place->link, link_rate, "link");
  check_near (place->kernel_rates.library, rates.library, "library");
  check_near (place->kernel_rates.alternative[0], rates.alternative[0], "alternative");
}

/* The rates are found, once a type, the link once; a reset forgets them. */
static void test_rates (void) {
  static const gpumm_type types[] = {GPUMM_S, GPUMM_D, GPUMM_C, GPUMM_Z};
  forget_all ();
  int link_copies = 0, one = 0;
  for (int t = 0; t < 4; t++) {
    int before = emulated_launches, copied = copies;
    gpumm_candidate place = place_of (types[t], 16384, 0);
    check_rates (&place);
    one = emulated_launches - before;
    CHECK (one > 0 && library_launches == (t + 1) * one, "%d and %d launches", library_launches,
           one);
    if (t == 0)
      link_copies = copies;
    CHECK (copies > copied, "nothing was copied");
    place = place_of (types[t], 20000, 0);
    check_rates (&place);
    CHECK (emulated_launches == before + one, "measured twice");
  }
  rates.alternative[0] = 1.2e-14;
  gpumm_candidate place = place_of (GPUMM_S, 16384, 0);
  check_near (place.kernel_rates.alternative[0], 1e-14, "what was measured before");
  reset_device ();
  CHECK (held == 0, "%zu bytes are held after a reset", held);
  copies = 0;
  place = place_of (GPUMM_S, 16384, 0);
  check_rates (&place);
  CHECK (copies == link_copies, "%d copies after a reset, %d before", copies, link_copies);
}

/* No more is measured than what can matter. */
static void test_thrift (void) {
  forget_all ();
  gpumm_candidate place = place_of (GPUMM_D, 5000, 0);
  CHECK (copies == 0 && library_launches == 0 && place.link == 0, "of a small product");
  link_rate = 2e10; /* 16384^2 take 107 ms each, twice; the product 176 ms */
  place = place_of (GPUMM_D, 16384, 0);
  check_near (place.link, 2e10, "link");
  check_near (place.kernel_rates.library, rates.library, "library");
  CHECK (emulated_launches == 0 && place.kernel_rates.alternative[0] == 0, "the link decides");
  place = place_of (GPUMM_D, 32768, 0); /* 429 ms each, twice; 1407 ms */
  CHECK (emulated_launches > 0, "computing decides");
  check_near (place.kernel_rates.alternative[0], rates.alternative[0], "alternative");
  /* under a limit that leaves no room for the measuring nothing is known, before and after */
  forget_all ();
  for (int i = 0; i < 2; i++) {
    place = place_of (GPUMM_D, 16384, 100000000);
    CHECK (place.link == 0 && place.kernel_rates.library == 0
               && place.kernel_rates.alternative[0] == 0,
           "under a limit");
    CHECK (i > 0 || copies == 0, "measured under a limit");
    place_of (GPUMM_D, 16384, 0);
  }
  reset_device ();
  most_held = held;
  int64_t limit = 1ll << 33;
  place = place_of (GPUMM_D, 16384, limit);
  check_rates (&place);
  CHECK (most_held <= (size_t) limit, "%zu bytes under a limit", most_held);
}

/* What cannot be measured is not known, is not tried again, and leaves nothing behind. */
static void test_failures (void) {
  forget_all ();
  refused = 1;
  gpumm_candidate place = place_of (GPUMM_D, 16384, 0);
  check_near (place.kernel_rates.library, rates.library, "library");
  CHECK (place.kernel_rates.alternative[0] == 0, "emulated was refused");
  refused = 0;
  place = place_of (GPUMM_D, 16384, 0);
  CHECK (place.kernel_rates.alternative[0] == 0 && emulated_launches == 0, "tried again");
  for (size_t bytes = 1 << 20; bytes <= (size_t) 1 << 32; bytes *= 2) {
    forget_all ();
    largest = bytes;
    place = place_of (GPUMM_D, 16384, 0);
    int known = (place.link > 0) + (place.kernel_rates.library > 0)
                + (place.kernel_rates.alternative[0] > 0);
    CHECK (known
               == (bytes >= (size_t) 1 << 25) + (bytes >= (size_t) 1 << 29)
                      + (bytes >= (size_t) 1 << 31),
           "blocks of %zu: %d rates", bytes, known);
    reset_device ();
    CHECK (held == 0, "%zu bytes are held after a reset", held);
  }
  CHECK (gpumm_live_allocations () == 0, "%lld allocations are alive",
         (long long) gpumm_live_allocations ());
}

int main (void) {
  made_up_gpu.clock = clock_of_rates;
  driver = *gpumm_driver_table ();
  driver.allocate = allocate;
  driver.release = give_back;
  driver.copy_up = copy_up;
  driver.kernels = rows;
  test_rates ();
  test_thrift ();
  test_failures ();
  forget_all ();
  return check_done ();
}
