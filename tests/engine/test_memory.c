/* test_memory.c - the pool, memory that others take, and the choice of a sparse kernel, on the host
 * device. Products out of core are in test_streaming.c.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "multiply/algorithm.h"
#include "multiply/pass.h"
#include "host_device.h"
#include "memory/pool.h"
#include "operands.h"

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#endif

static gpumm_context *context; /* of the host device */
static const gpumm_driver *driver;

/* ---- pool --------------------------------------------------------------------------------- */

/* p has just been given back. The next request gets the same block; with AddressSanitizer another
 * one, of its own size, so that a use of p and of what follows the block are seen. */
static void test_again (gpumm_pool_kind pool, char *p, void **next) {
  OK (gpumm_pool_take (context, pool, 15000, next));
#ifdef __SANITIZE_ADDRESS__
  CHECK (!GPUMM_POOL_KEEPS && __asan_address_is_poisoned (p)
             && __asan_address_is_poisoned ((char *) *next + 15000)
             && !__asan_address_is_poisoned ((char *) *next + 14999),
         "an overflow and a use after the release are seen");
#else
  CHECK (*next == p, "a block is used again");
#endif
}

static void test_pool (void) {
  void *a, *b, *c;
  size_t unused;
  for (int kind = GPUMM_POOL_DEVICE; kind <= GPUMM_POOL_PINNED; kind++) {
    gpumm_pool_kind pool = (gpumm_pool_kind) kind;
    gpumm_pool_reset (context);
    CHECK (gpumm_pool_bytes (context, pool, &unused) == 0 && unused == 0, "not empty at first");
    OK (gpumm_pool_take (context, pool, 20000, &a));
    OK (gpumm_pool_take (context, pool, 20000, &b));
    CHECK (a && b && a != b, "two blocks in use are one");
    CHECK (gpumm_pool_bytes (context, pool, &unused) == 2 * gpumm_pool_rounded (20000)
               && unused == 0,
           "bytes");
    gpumm_pool_give (context, pool, a);
    test_again (pool, a, &c);
    gpumm_pool_give (context, pool, c);
    CHECK (!gpumm_pool_take (context, pool, 1, &c) && c != a,
           "a small request does not sit in a block over twice its size");
    gpumm_pool_give (context, pool, c);
    gpumm_pool_give (context, pool, b);
    gpumm_pool_give (context, pool, NULL);
    gpumm_pool_trim (context, pool, gpumm_pool_rounded (20000));
    CHECK (gpumm_pool_bytes (context, pool, &unused) <= gpumm_pool_rounded (20000), "trimmed");
    gpumm_pool_reset (context);
    CHECK (gpumm_pool_bytes (context, pool, &unused) == 0, "reset leaves nothing");
  }
  /* a full device gives up what the pool keeps before it refuses */
  gpumm_device_properties p;
  driver->properties (0, &p);
  size_t most = (size_t) p.memory_total / 2 - (4 << 20);
  OK (gpumm_pool_take (context, GPUMM_POOL_DEVICE, most, &a));
  gpumm_pool_give (context, GPUMM_POOL_DEVICE, a);
  OK (gpumm_pool_take (context, GPUMM_POOL_DEVICE, 2 * most, &b));
  CHECK (gpumm_pool_take (context, GPUMM_POOL_DEVICE, most, &a) == GPUMM_DEVICE_MEMORY && !a,
         "more than there is");
  CHECK (strstr (gpumm_last_error (), "bytes"), "text: %s", gpumm_last_error ());
  gpumm_pool_give (context, GPUMM_POOL_DEVICE, b);
  gpumm_pool_reset (context);
}

/* Sizes around those at which malloc aligns otherwise, and begins to map. */
static void test_alignment (void) {
  static const int64_t sizes[] = {
      0, 1, 7, 8, 63, 64, 65, 127, 1000, 4095, 65536, 131072, 1 << 20, 32 << 20, (32 << 20) + 1};
  gpumm_owner owner = {.count = 0};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    char *p = gpumm_allocate (sizes[i], 1), *owned = gpumm_own (&owner, sizes[i], 1);
    CHECK (p && owned && (uintptr_t) p % 64 == 0 && (uintptr_t) owned % 64 == 0,
           "%lld bytes at %p and %p", (long long) sizes[i], (void *) p, (void *) owned);
    gpumm_release (p);
  }
  gpumm_release_owned (&owner);
}

/* ---- memory that others take --------------------------------------------------------------- */

/* Between the plan and the run others take the device's memory: the same in smaller tiles. */
static void test_refused (void) {
  const gpumm_options o = {.backend = GPUMM_CPU, .algorithm = "naive", .device = -1};
  gpumm_problem p = {.a = make_full (GPUMM_D, 500, 6, WHOLE),
                     .b = make_full (GPUMM_D, 6, 600, WHOLE),
                     .alpha = {1, 0}};
  gpumm_device_properties properties;
  gpumm_matrix c = {.type = GPUMM_D, .rows = 500, .cols = 600, .ld = 500};
  gpumm_job *job = NULL;
  void *others = NULL;
  provide (&c, 0);
  OK (gpumm_open (&p, &o, &job));
  CHECK (!driver->properties (0, &properties)
             && !driver->allocate (0, (size_t) properties.memory_free - (2 << 20), &others),
         "%s", driver->error_text ());
  CHECK (!gpumm_run (job, &c) && judge (&p, &c, EXACT, 0).wrong == 0, "%s", gpumm_last_error ());
  CHECK (strstr (gpumm_job_report (job)->reason, "smaller tiles"), "reason: %s",
         gpumm_job_report (job)->reason);
  gpumm_close (job);
  gpumm_reset ();
  CHECK (!driver->release (0, others), "%s", driver->error_text ());
  release (&p.a);
  release (&p.b);
  release (&c);
}

/* ---- the choice of a sparse kernel -------------------------------------------------------- */

static void whole (const gpumm_pass *pass, const gpumm_sparse_kernel *kernel,
                   gpumm_sparse_product *launch) {
  (void) kernel;
  *launch = pass->product;
}

static int never (const gpumm_sparse_product *p, const gpumm_device_properties *device) {
  return p->count < 0 || !device;
}

static size_t half (const gpumm_sparse_product *p, const gpumm_device_properties *device) {
  return p->count < 0 ? 0 : (size_t) device->memory_free / 2;
}

static size_t twice (const gpumm_sparse_product *p, const gpumm_device_properties *device) {
  return p->count < 0 ? 0 : (size_t) device->memory_free * 2;
}

static double one (const gpumm_sparse_product *p, const gpumm_device_properties *device) {
  return p->count < 0 || !device ? 0 : 1;
}

static double two (const gpumm_sparse_product *p, const gpumm_device_properties *device) {
  return 2 * one (p, device);
}

static double unknown (const gpumm_sparse_product *p, const gpumm_device_properties *device) {
  return INFINITY * one (p, device);
}

/* The least estimate wins, else the last row; what does not run or has no room is passed over. */
static void test_choice (void) {
  static const gpumm_sparse_kernel a = {.algorithm = "f", .name = "a"},
                                   b = {.algorithm = "f", .name = "b", .workspace = half},
                                   late = {.algorithm = "f", .name = "late", .capability = 80},
                                   no = {.algorithm = "f", .name = "no", .runs = never},
                                   large = {.algorithm = "f",
                                            .name = "large",
                                            .workspace = twice,
                                            .seconds = one},
                                   first = {.algorithm = "f", .name = "first", .seconds = one},
                                   second = {.algorithm = "f", .name = "second", .seconds = two},
                                   other = {.algorithm = "f", .name = "other", .seconds = unknown},
                                   stranger = {
                                       .algorithm = "g", .name = "stranger", .seconds = one};
  static const struct {
    const gpumm_sparse_kernel *rows[6];
    int most;
    const char *expected; /* NULL: no memory; "": none */
  } table[] = {
      {{&a, &b, &stranger}, 0, "b"},
      {{&a, &late, &no, &large, &b}, 70, "b"},
      {{&a, &b, &late}, 0, "late"},
      {{&second, &first, &other, &a}, 0, "first"},
      {{&first, &second, &a}, 0, "first"},
      {{&large, &a, &other}, 0, "other"},
      {{&large, &no}, 0, NULL},
      {{&no, &stranger, &late}, 70, ""},
  };
  const gpumm_algorithm family = {.name = "f"};
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    gpumm_driver made_up = *driver;
    made_up.sparse_kernels = table[i].rows;
    gpumm_context other = {.driver = &made_up};
    struct gpumm_job job = {
        .options = {.max_device_memory = 8 << 20, .max_capability = table[i].most},
        .plan = {.context = &other, .algorithm = &family}};
    gpumm_pass pass = {.product = {.count = 1}};
    made_up.properties (0, &job.plan.properties);
    gpumm_pass_open (&pass, &job, "test");
    gpumm_status status = gpumm_pass_choose (&pass, whole);
    if (!table[i].expected)
      CHECK (status == GPUMM_DEVICE_MEMORY && strstr (gpumm_last_error (), "MaxDeviceMemory"),
             "row %zu: %s", i, gpumm_last_error ());
    else if (!*table[i].expected)
      CHECK (status == GPUMM_UNSUPPORTED && strstr (gpumm_last_error (), "no kernel of \"f\""),
             "row %zu: %s", i, gpumm_last_error ());
    else
      CHECK (!status && strcmp (pass.kernel->name, table[i].expected) == 0
                 && !pass.product.workspace == !pass.kernel->workspace,
             "row %zu: %s", i, status ? gpumm_last_error () : pass.kernel->name);
    gpumm_pass_close (&pass);
    gpumm_pool_reset (&other);
  }
}

int main (void) {
  check_seed (20261120);
  context = need_host_device ();
  driver = context->driver;
  test_pool ();
  test_alignment ();
  test_refused ();
  test_choice ();
  return released_and_done ();
}
