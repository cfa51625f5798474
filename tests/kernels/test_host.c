/* test_host.c - the host device: its fibers find faults that a GPU would hide, and its counts are
 * those that one works out by hand.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "host/host.h"
#include "driver_test.h"
#include "lessons.h"

#ifdef __SANITIZE_ADDRESS__
#include <sys/wait.h>
#include <unistd.h>
#endif

#define SAYS(text) (strstr (driver->error_text (), text) != NULL)

/* ---- fibers ------------------------------------------------------------------------------- */

/* Does y hold x reversed after the kernel, in this order of threads? */
static int reverses (double *x, double *y, int with_barrier, gpumm_host_order order) {
  for (int i = 0; i < LESSON_THREADS; i++)
    x[i] = i;
  gpumm_host_set_order (order, 42);
  CHECK_DRIVER (lesson_reverse (x, y, with_barrier) == GPUMM_OK);
  gpumm_host_set_order (GPUMM_FORWARDS, 0);
  int right = 1;
  for (int i = 0; i < LESSON_THREADS; i++)
    right = right && y[i] == LESSON_THREADS - 1 - i;
  return right;
}

static void check_missing_barrier (double *x, double *y) {
  int caught = 0;
  for (int order = GPUMM_FORWARDS; order <= GPUMM_SHUFFLED; order++) {
    CHECK_DRIVER (reverses (x, y, 1, (gpumm_host_order) order));
    caught += !reverses (x, y, 0, (gpumm_host_order) order);
  }
  CHECK_DRIVER (caught > 0);
}

static void check_divergence (double *x, double *y) {
  for (int order = GPUMM_FORWARDS; order <= GPUMM_SHUFFLED; order++) {
    static const char *const said[] = {[LEAVES] = "thread (5, 0, 0) has ended",
                                       [OTHER_BARRIER] = "waits at the one in line",
                                       [FEWER_TURNS] = "has ended"};
    gpumm_host_set_order ((gpumm_host_order) order, 7);
    for (int how = LEAVES; how <= FEWER_TURNS; how++) {
      CHECK_DRIVER (lesson_diverge (how) == GPUMM_DEVICE_FAILED);
      CHECK_DRIVER (SAYS ("barrier divergence in block 1") && SAYS (said[how]));
    }
    /* and the device goes on */
    CHECK_DRIVER (lesson_diverge (3) == GPUMM_OK);
    CHECK_DRIVER (reverses (x, y, 1, (gpumm_host_order) order));
  }
  gpumm_host_set_order (GPUMM_FORWARDS, 0);
}

static void check_limits (double *y) {
  CHECK_DRIVER (lesson_unwritten (y) == GPUMM_OK);
  for (int i = 0; i < LESSON_THREADS; i++)
    CHECK_DRIVER (isnan (y[i]));
  CHECK_DRIVER (lesson_too_much () == GPUMM_DEVICE_FAILED && SAYS ("more than a block can have"));
  CHECK_DRIVER (lesson_launch (0, 1) == GPUMM_OK);
  CHECK_DRIVER (lesson_launch (3, 1024) == GPUMM_OK);
  CHECK_DRIVER (lesson_launch (1, 1025) == GPUMM_DEVICE_FAILED && SAYS ("cannot launch"));
  CHECK_DRIVER (lesson_launch (1, 0) == GPUMM_DEVICE_FAILED);
  CHECK_DRIVER (lesson_launch (INT64_C (1) << 31, 1) == GPUMM_DEVICE_FAILED);
  CHECK_DRIVER (lesson_stacks (y) == GPUMM_OK);
  for (int i = 0; i < 1024; i++)
    CHECK_DRIVER (y[i] == 256 * i + 255 * 128);
}

/* Fibers that left a block in its middle, and resets between launches, many times. */
static void check_endurance (double *x, double *y) {
  for (int i = 0; i < 50; i++) {
    CHECK_DRIVER (lesson_diverge (i % 3) == GPUMM_DEVICE_FAILED);
    if (i % 7 == 0)
      driver->reset ();
    CHECK_DRIVER (reverses (x, y, 1, GPUMM_BACKWARDS));
  }
}

#ifdef __SANITIZE_ADDRESS__
/* An array of a thread's own is watched also after a barrier, where its fiber has moved. */
static void check_overrun (void) {
  for (int last = 7; last <= 8; last++) {
    fflush (NULL);
    pid_t child = fork ();
    if (child == 0) {
      close (2); /* what the sanitizer has to say of it */
      _exit (lesson_overrun (last) == GPUMM_OK ? 0 : 1);
    }
    int status = 0;
    CHECK_DRIVER (child > 0 && waitpid (child, &status, 0) == child);
    CHECK_DRIVER ((WIFEXITED (status) && WEXITSTATUS (status) == 0) == (last < 8));
  }
}
#endif

/* ---- counts ------------------------------------------------------------------------------- */

static gpumm_counts counts_of (const void *p) {
  gpumm_counts counts;
  CHECK_DRIVER (gpumm_host_counts (p, &counts) == GPUMM_OK);
  return counts;
}

static int is (gpumm_access x, int64_t elements, int64_t requests, int64_t transfers) {
  int right = x.elements == elements && x.requests == requests && x.transfers == transfers;
  if (!right)
    printf ("%lld elements, %lld requests, %lld transfers, not %lld, %lld, %lld\n",
            (long long) x.elements, (long long) x.requests, (long long) x.transfers,
            (long long) elements, (long long) requests, (long long) transfers);
  return right;
}

static void check_strides (float *x, float *y) {
  static const struct {
    int stride, offset, most;
    int64_t sectors;
  } table[] = {
      {0, 0, 32, 1},  {1, 0, 32, 4},    {1, 1, 32, 5}, {2, 0, 32, 8},
      {8, 0, 32, 32}, {100, 3, 32, 32}, {1, 0, 9, 2},  {1, 0, 0, 0},
  };
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    int most = table[i].most;
    gpumm_host_count (1);
    CHECK_DRIVER (lesson_strided (x, y, table[i].stride, table[i].offset, most) == GPUMM_OK);
    CHECK_DRIVER (is (counts_of (x).load, most, most > 0, table[i].sectors));
    CHECK_DRIVER (is (counts_of (y).store, most, most > 0, (most * 4 + 31) / 32));
    CHECK_DRIVER (is (counts_of (x).store, 0, 0, 0) && is (counts_of (y).load, 0, 0, 0));
  }
  gpumm_host_count (0);
}

static void check_banks (float *y) {
  for (int order = GPUMM_FORWARDS; order <= GPUMM_SHUFFLED; order++) {
    gpumm_host_set_order ((gpumm_host_order) order, 3);
    for (int padded = 0; padded < 2; padded++) {
      const int64_t passes = padded ? 1 : 32; /* of a warp that reads a column */
      gpumm_host_count (1);
      CHECK_DRIVER (lesson_banks (y, padded) == GPUMM_OK);
      const gpumm_counts counts = counts_of (NULL);
      CHECK_DRIVER (is (counts.shared_store, 1024, 32, 32) && counts.shared_store.conflicts == 0);
      CHECK_DRIVER (is (counts.shared_load, 1024, 32, 32 * passes)
                    && counts.shared_load.conflicts == 32 * (passes - 1));
    }
  }
  gpumm_host_set_order (GPUMM_FORWARDS, 0);
  gpumm_host_count (0);
  CHECK_DRIVER (lesson_banks (y, 1) == GPUMM_OK);
  CHECK_DRIVER (is (counts_of (NULL).shared_load, 0, 0, 0)); /* off is off */
  int here;
  gpumm_counts none;
  CHECK_DRIVER (gpumm_host_counts (&here, &none) == GPUMM_INVALID);
}

/* Device memory for a product of that type whose sizes are all at most n. */
struct operands {
  void *a, *b, *c;
};

static gpumm_product product_of (const struct operands *x, gpumm_type type, gpumm_op op_a,
                                 gpumm_op op_b, int64_t m, int64_t n, int64_t k) {
  return (gpumm_product){
      .type = type,
      .op_a = op_a,
      .op_b = op_b,
      .m = m,
      .n = n,
      .k = k,
      .a = x->a,
      .b = x->b,
      .c = x->c,
      .lda = op_a ? k : m,
      .ldb = op_b ? n : k,
      .ldc = m,
      .alpha = {1, 0},
  };
}

/* Operations and barriers, and what was launched: multiply-adds of a padded tile count as well. */
static void check_work (const struct operands *x) {
  enum { M = 33, N = 33, K = 40 };
  static const struct {
    const char *name;
    int64_t padded_m, padded_n, padded_k; /* sizes as the tiles fill them up */
    int64_t blocks, steps;                /* along k, with two barriers each */
    int64_t threads;
  } table[] = {{"naive", M, N, K, 2 * 5, 0, 256},
               {"tiled_16", 48, 48, 48, 9, 3, 256},
               {"tiled_32", 64, 64, 64, 4, 2, 1024},
               {"register_32x32x4", 64, 64, 40, 4, 10, 128}};
  gpumm_launches seen;
  for (size_t i = 0; i < sizeof table / sizeof *table; i++)
    for (int type = GPUMM_S; type <= GPUMM_Z; type++) {
      gpumm_product p = product_of (x, (gpumm_type) type, GPUMM_NONE, GPUMM_NONE, M, N, K);
      int64_t each = type >= GPUMM_C ? 8 : 2;
      CHECK_DRIVER (driver->launched (0, &seen) == GPUMM_OK);
      driver->count_accesses (1);
      CHECK_DRIVER (find_kernel (table[i].name)->launch (0, NULL, &p) == GPUMM_OK);
      gpumm_counts counts;
      CHECK_DRIVER (driver->counts (NULL, &counts) == GPUMM_OK);
      CHECK_DRIVER (counts.operations
                    == each * table[i].padded_m * table[i].padded_n * table[i].padded_k);
      CHECK_DRIVER (counts.barriers == 2 * table[i].blocks * table[i].steps);
      CHECK_DRIVER (driver->launched (0, &seen) == GPUMM_OK);
      CHECK_DRIVER (seen.launches == 1 && seen.blocks == table[i].blocks);
      CHECK_DRIVER (seen.threads[0] * seen.threads[1] == table[i].threads);
      CHECK_DRIVER (seen.registers == -1 && seen.occupancy == -1);
    }
  /* of several launches, what they differ in is unknown */
  gpumm_product p = product_of (x, GPUMM_D, GPUMM_NONE, GPUMM_NONE, M, N, K);
  driver->count_accesses (0);
  CHECK_DRIVER (find_kernel ("tiled_16")->launch (0, NULL, &p) == GPUMM_OK);
  CHECK_DRIVER (find_kernel ("tiled_32")->launch (0, NULL, &p) == GPUMM_OK);
  CHECK_DRIVER (driver->launched (0, &seen) == GPUMM_OK);
  CHECK_DRIVER (seen.launches == 2 && seen.blocks == 13 && seen.threads[0] == -1);
  CHECK_DRIVER (seen.shared_bytes == -1);
  CHECK_DRIVER (driver->launched (0, &seen) == GPUMM_OK && seen.launches == 0 && seen.blocks == 0);
}

static void count_product (const char *name, const gpumm_product *p) {
  gpumm_host_count (1);
  CHECK_DRIVER (find_kernel (name)->launch (0, NULL, p) == GPUMM_OK);
}

/* naive: one load of A and of B for each multiply-add. In double 32 neighbours are 8 sectors. */
static void check_naive (const struct operands *x) {
  enum { M = 64, N = 16, K = 24 };
  int64_t warps = M / 32 * N;

  gpumm_product p = product_of (x, GPUMM_D, GPUMM_NONE, GPUMM_NONE, M, N, K);
  count_product ("naive", &p);
  CHECK_DRIVER (is (counts_of (x->a).load, M * N * K, warps * K, 8 * warps * K)); /* coalesced */
  CHECK_DRIVER (is (counts_of (x->b).load, M * N * K, warps * K, warps * K));     /* one for all */
  CHECK_DRIVER (is (counts_of (x->c).load, 0, 0, 0)); /* beta = 0 does not read C */
  CHECK_DRIVER (is (counts_of (x->c).store, M * N, warps, 8 * warps));
  CHECK_DRIVER (is (counts_of (NULL).load, 2 * M * N * K, 2 * warps * K, 9 * warps * K));

  p = product_of (x, GPUMM_D, GPUMM_TRANSPOSE, GPUMM_NONE, M, N, K);
  p.beta.re = 1;
  count_product ("naive", &p);
  CHECK_DRIVER (is (counts_of (x->a).load, M * N * K, warps * K, 32 * warps * K)); /* scattered */
  CHECK_DRIVER (is (counts_of (x->c).load, M * N, warps, 8 * warps));

  for (int empty = 0; empty < 2; empty++) { /* k = 0, and alpha = 0 */
    p.k = empty ? K : 0;
    p.alpha.re = !empty;
    count_product ("naive", &p);
    CHECK_DRIVER (is (counts_of (x->a).load, 0, 0, 0) && is (counts_of (x->b).load, 0, 0, 0));
  }
  gpumm_host_count (0);
}

/* Tiles in shared memory: each element is loaded once a tile of C across, whatever the type and the
 * op. tiled: two shared loads a multiply-add, and no bank conflicts where tiles are as wide as a
 * warp. register: thread_m + thread_n shared loads for thread_m thread_n multiply-adds, and none.
 * Without padding the threads of a warp, which fetch a column of B, write to one bank: 32 words
 * apart in single. A transposed B is fetched along a row of the tile. */
static void check_tiles (const struct operands *x) {
  static const struct {
    const char *name;
    int64_t m, n, k, tile_m, tile_n, thread_m, thread_n;
    enum { ANY_CONFLICTS, NO_CONFLICTS, UNPADDED } conflicts;
    int is_tiled; /* a row of a tile, 32 bytes and more, is whole sectors */
  } table[] = {{"tiled_8", 64, 32, 64, 8, 8, 1, 1, ANY_CONFLICTS, 1},
               {"tiled_16", 64, 32, 64, 16, 16, 1, 1, ANY_CONFLICTS, 1},
               {"tiled_32", 64, 32, 64, 32, 32, 1, 1, NO_CONFLICTS, 1},
               {"tiled_32_unpadded", 64, 32, 64, 32, 32, 1, 1, UNPADDED, 1},
               {"register_32x32x4", 128, 64, 16, 32, 32, 4, 2, NO_CONFLICTS, 0},
               {"register_64x64x8", 128, 64, 16, 64, 64, 8, 4, NO_CONFLICTS, 0}};
  for (size_t t = 0; t < sizeof table / sizeof *table; t++)
    for (int type = GPUMM_S; type <= GPUMM_Z; type++)
      for (int ops = 0; ops < 4; ops++) {
        const int64_t m = table[t].m, n = table[t].n, k = table[t].k;
        const gpumm_product p =
            product_of (x, (gpumm_type) type, ops & 1 ? GPUMM_CTRANSPOSE : GPUMM_NONE,
                        ops & 2 ? GPUMM_TRANSPOSE : GPUMM_NONE, m, n, k);
        const int64_t a = m * k * (n / table[t].tile_n), b = k * n * (m / table[t].tile_m);
        const int64_t per_sector = type == GPUMM_S ? 8 : type == GPUMM_Z ? 2 : 4;
        count_product (table[t].name, &p);
        const gpumm_counts all = counts_of (NULL);
        const gpumm_access of_a = counts_of (x->a).load, of_b = counts_of (x->b).load;
        CHECK_DRIVER (of_a.elements == a && of_b.elements == b);
        if (table[t].is_tiled)
          CHECK_DRIVER (is (of_a, a, a / 32, a / per_sector)
                        && is (of_b, b, b / 32, b / per_sector));
        CHECK_DRIVER (all.shared_load.elements
                      == m * n * k / table[t].thread_m + m * n * k / table[t].thread_n);
        CHECK_DRIVER (all.shared_store.elements == a + b);
        CHECK_DRIVER (counts_of (x->c).store.elements == m * n);
        if (table[t].conflicts == NO_CONFLICTS)
          CHECK_DRIVER (all.shared_load.conflicts == 0 && all.shared_store.conflicts == 0);
        /* a part of a warp that one pass could serve takes as many passes as it has threads */
        const int64_t part = 4 * per_sector, along_k = (ops & 1 ? a : 0) + (ops & 2 ? 0 : b);
        if (table[t].conflicts == UNPADDED)
          CHECK_DRIVER (all.shared_store.conflicts == along_k / part * (part - 1));
      }
  gpumm_host_count (0);
}

/* ---- contracts ---------------------------------------------------------------------------- */

/* What CUDA would refuse, or forgive and be slow, is refused. */
static void check_contracts (void) {
  void *d = NULL, *h = NULL;
  char plain[64] = {0};
  CHECK_DRIVER (driver->allocate (0, 64, &d) == GPUMM_OK && driver->pin (0, 64, &h) == GPUMM_OK);
  CHECK_DRIVER (driver->copy_up (0, NULL, d, 64, plain, 64, 64, 1) == GPUMM_INVALID
                && SAYS ("pinned"));
  CHECK_DRIVER (driver->copy_up (0, NULL, d, 33, h, 32, 32, 2) == GPUMM_INVALID);
  CHECK_DRIVER (driver->copy_up (0, NULL, d, 16, h, 32, 32, 2) == GPUMM_INVALID);
  CHECK_DRIVER (driver->copy_down (0, NULL, h, 32, (char *) d + 1, 32, 32, 2) == GPUMM_INVALID);
  CHECK_DRIVER (driver->fill (0, NULL, d, 0, 65) == GPUMM_INVALID);
  CHECK_DRIVER (driver->release (0, (char *) d + 1) == GPUMM_INVALID);
  CHECK_DRIVER (driver->unpin (0, d) == GPUMM_INVALID);
  CHECK_DRIVER (driver->release (0, d) == GPUMM_OK && driver->unpin (0, h) == GPUMM_OK);
}

int main (void) {
  driver = gpumm_driver_table ();
  void *x = NULL, *y = NULL;
  struct operands o;
  enum { BYTES = 128 * 128 * 16 };
  CHECK_DRIVER (driver->allocate (0, 8192, &x) == GPUMM_OK
                && driver->allocate (0, 8192, &y) == GPUMM_OK);
  CHECK_DRIVER (driver->allocate (0, 16384, &o.a) == GPUMM_OK
                && driver->release (0, o.a) == GPUMM_OK);
  check_missing_barrier (x, y);
  check_divergence (x, y);
  check_limits (y);
  check_endurance (x, y);
#ifdef __SANITIZE_ADDRESS__
  check_overrun ();
#endif
  CHECK_DRIVER (driver->release (0, x) == GPUMM_OK && driver->release (0, y) == GPUMM_OK);

  CHECK_DRIVER (driver->allocate (0, BYTES, &o.a) == GPUMM_OK);
  CHECK_DRIVER (driver->allocate (0, BYTES, &o.b) == GPUMM_OK);
  CHECK_DRIVER (driver->allocate (0, BYTES, &o.c) == GPUMM_OK);
  check_strides (o.a, o.b);
  check_banks (o.c);
  check_work (&o);
  check_naive (&o);
  check_tiles (&o);
  CHECK_DRIVER (driver->release (0, o.a) == GPUMM_OK && driver->release (0, o.b) == GPUMM_OK
                && driver->release (0, o.c) == GPUMM_OK);

  check_contracts ();
  driver->reset ();
  return check_done ();
}
