/* blocks_file.c - files of blocks: int32 n, m, k; then k records of int32 i, int32 j and m m
 * elements by rows, all little-endian.
 *
 * A square matrix of n x n in blocks of m x m; i and j count block rows and columns from 0. Elements
 * are uint16 in operands and uint32 in results: nothing in the file says which, but its size does,
 * unless there are no blocks. Records may be in any order when read, and are sorted by i, then j,
 * when written.
 *
 * A file is mapped. Reading goes over the records twice: gpumm_blocks_file_open checks their indices
 * and counts, gpumm_blocks_file_read puts them in order, turns the blocks (in memory they lie by
 * columns) and leaves out those that are all zero.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "algorithms/blocks.h"
#include "error.h"
#include "memory/host.h"
#include "threads.h"
#include "types.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "files of blocks are read and written as they lie in the memory of little-endian machines"
#endif

enum { HEADER_BYTES = 12, INDEX_BYTES = 8 };

/* Block rows that a file may have: the format's users have 2^13. Each costs memory even where it is
 * empty, and a damaged header must not ask for all there is. */
static const int64_t MOST_BLOCK_ROWS = (int64_t) 1 << 24;

/* Records for a thread at least: some 50 us of work. */
static const int64_t LEAST_RECORDS = 10000;

struct gpumm_blocks_file {
  char *name;
  const unsigned char *map;
  size_t bytes;        /* of the file */
  int64_t size, block; /* n, m */
  int64_t count;       /* k */
  gpumm_type type;
  size_t record;  /* bytes */
  int64_t *start; /* n / m + 1: where the records of each block row begin, once sorted */
};

static int32_t load_int32 (const unsigned char *from) {
  int32_t x;
  memcpy (&x, from, sizeof x);
  return x;
}

static const unsigned char *record_at (const gpumm_blocks_file *f, int64_t t) {
  return f->map + HEADER_BYTES + (size_t) t * f->record;
}

/* ---- checks ------------------------------------------------------------------------------- */

static gpumm_status check_header (gpumm_blocks_file *f, gpumm_type type) {
  if (f->bytes < HEADER_BYTES)
    return gpumm_fail (GPUMM_INVALID, "%s: the header has 12 bytes, and the file %zu", f->name,
                       f->bytes);
  f->size = load_int32 (f->map);
  f->block = load_int32 (f->map + 4);
  f->count = load_int32 (f->map + 8);
  if (f->size < 0 || f->block < 1 || f->count < 0)
    return gpumm_fail (
        GPUMM_INVALID,
        "%s: the header says size %lld, blocks of %lld, %lld of them (bytes 0 to 11)", f->name,
        (long long) f->size, (long long) f->block, (long long) f->count);
  if (f->size % f->block != 0)
    return gpumm_fail (GPUMM_INVALID, "%s: size %lld does not divide into blocks of %lld", f->name,
                       (long long) f->size, (long long) f->block);
  const int64_t rows = f->size / f->block;
  if (rows > MOST_BLOCK_ROWS)
    return gpumm_fail (GPUMM_INVALID, "%s: %lld block rows are more than %lld", f->name,
                       (long long) rows, (long long) MOST_BLOCK_ROWS);
  if (f->count > rows * rows)
    return gpumm_fail (GPUMM_INVALID, "%s: %lld blocks where there is room for %lld", f->name,
                       (long long) f->count, (long long) (rows * rows));
  /* the width, by the file's size; at most 2^62 2^31 elements */
  const double each = (double) f->block * (double) f->block;
  const double sizes[] = {(double) HEADER_BYTES + (double) f->count * (INDEX_BYTES + 2 * each),
                          (double) HEADER_BYTES + (double) f->count * (INDEX_BYTES + 4 * each)};
  const int fits16 = (double) f->bytes == sizes[0], fits32 = (double) f->bytes == sizes[1];
  if (type == GPUMM_TYPES)
    type = fits16 || !fits32 ? GPUMM_U16 : GPUMM_U32;
  if (!(type == GPUMM_U16 ? fits16 : fits32))
    return gpumm_fail (GPUMM_INVALID,
                       "%s: %lld blocks of %lldx%lld need %.0f bytes of uint16 or %.0f of uint32, "
                       "and the file has %zu: %s",
                       f->name, (long long) f->count, (long long) f->block, (long long) f->block,
                       sizes[0], sizes[1], f->bytes,
                       fits16 || fits32               ? "the elements are of the other class"
                       : (double) f->bytes < sizes[0] ? "it was cut off"
                                                      : "the count of blocks is wrong");
  f->type = type;
  f->record = INDEX_BYTES + (size_t) (f->block * f->block) * gpumm_type_bytes (type);
  return GPUMM_OK;
}

typedef struct {
  const gpumm_blocks_file *f;
  atomic_llong *count; /* of each block row, one place up */
  atomic_llong bad;    /* the first record with an index out of range, or INT64_MAX */
} index_check;

static void note_first (atomic_llong *first, int64_t t) {
  long long before = atomic_load (first);
  while (t < before && !atomic_compare_exchange_weak (first, &before, t))
    ;
}

static void count_records (void *context, int64_t begin, int64_t end) {
  index_check *check = context;
  const gpumm_blocks_file *f = check->f;
  const int64_t rows = f->size / f->block;
  for (int64_t t = begin; t < end; t++) {
    const unsigned char *record = record_at (f, t);
    const int64_t i = load_int32 (record), j = load_int32 (record + 4);
    if (i < 0 || i >= rows || j < 0 || j >= rows)
      note_first (&check->bad, t);
    else
      atomic_fetch_add_explicit (&check->count[i + 1], 1, memory_order_relaxed);
  }
}

static gpumm_status check_indices (gpumm_blocks_file *f) {
  const int64_t rows = f->size / f->block;
  f->start = gpumm_allocate (rows + 1, sizeof *f->start);
  if (!f->start)
    return GPUMM_HOST_MEMORY;
  _Static_assert(sizeof (atomic_llong) == sizeof (int64_t), "counts are offsets afterwards");
  index_check check = {.f = f, .count = (atomic_llong *) f->start, .bad = INT64_MAX};
  gpumm_status status = gpumm_parallel (f->count, LEAST_RECORDS, count_records, &check);
  if (status)
    return status;
  const int64_t bad = atomic_load (&check.bad);
  if (bad != INT64_MAX)
    return gpumm_fail (GPUMM_INVALID,
                       "%s: record %lld, at byte %lld: block (%d, %d) is outside of %lldx%lld "
                       "blocks (records and blocks count from 0)",
                       f->name, (long long) bad, (long long) (record_at (f, bad) - f->map),
                       load_int32 (record_at (f, bad)), load_int32 (record_at (f, bad) + 4),
                       (long long) rows, (long long) rows);
  for (int64_t i = 0; i < rows; i++)
    f->start[i + 1] += f->start[i];
  return GPUMM_OK;
}

/* ---- open and close ----------------------------------------------------------------------- */

static gpumm_status map_file (gpumm_blocks_file *f, const char *name) {
  struct stat info;
  gpumm_status status = GPUMM_OK;
  const int fd = open (name, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a pipe would be waited for */
  if (fd < 0)
    return gpumm_fail (GPUMM_INVALID, "cannot open %s: %s", name, strerror (errno));
  if (fstat (fd, &info) != 0)
    status = gpumm_fail (GPUMM_INVALID, "cannot read %s: %s", name, strerror (errno));
  else if (!S_ISREG (info.st_mode))
    status = gpumm_fail (GPUMM_INVALID, "cannot read %s: not a file", name);
  else if (info.st_size > 0) {
    void *map = mmap (NULL, (size_t) info.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (map == MAP_FAILED)
      status = gpumm_fail (GPUMM_INVALID, "cannot map %s: %s", name, strerror (errno));
    else {
      f->map = map;
      f->bytes = (size_t) info.st_size;
      (void) madvise (map, f->bytes, MADV_WILLNEED);
    }
  }
  close (fd);
  return status;
}

gpumm_status gpumm_blocks_file_open (const char *name, gpumm_type type, gpumm_blocks_file **file,
                                     gpumm_operand *shape) {
  if (!name || !file || !shape)
    return gpumm_fail (GPUMM_INVALID, "no file given");
  *file = NULL;
  if (type != GPUMM_U16 && type != GPUMM_U32 && type != GPUMM_TYPES)
    return gpumm_fail (GPUMM_INVALID, "files of blocks have elements of uint16 or uint32");
  gpumm_blocks_file *f = gpumm_allocate (1, sizeof *f);
  gpumm_status status = f ? GPUMM_OK : GPUMM_HOST_MEMORY;
  if (!status) {
    f->name = gpumm_allocate ((int64_t) strlen (name) + 1, 1);
    status = f->name ? GPUMM_OK : GPUMM_HOST_MEMORY;
  }
  if (!status) {
    memcpy (f->name, name, strlen (name));
    status = map_file (f, name);
  }
  if (!status)
    status = check_header (f, type);
  if (!status)
    status = check_indices (f);
  if (status) {
    gpumm_blocks_file_close (f);
    return status;
  }
  *shape = (gpumm_operand){.kind = GPUMM_BLOCKS,
                           .type = f->type,
                           .rows = f->size,
                           .cols = f->size,
                           .nzmax = f->count,
                           .block_rows = f->block,
                           .block_cols = f->block,
                           .place = GPUMM_HOST};
  *file = f;
  return GPUMM_OK;
}

void gpumm_blocks_file_close (gpumm_blocks_file *f) {
  if (!f)
    return;
  if (f->map)
    munmap ((void *) f->map, f->bytes);
  gpumm_release (f->name);
  gpumm_release (f->start);
  gpumm_release (f);
}

/* ---- read --------------------------------------------------------------------------------- */

/* A record by where it belongs in its block row: sorted by column, then by number. */
typedef struct {
  int32_t column, number;
} entry;

typedef struct {
  const gpumm_blocks_file *f;
  gpumm_operand *x;
  entry *entries;
  atomic_llong *next;     /* where the next record of each block row goes */
  atomic_llong duplicate; /* the first block row with two blocks for one place, or INT64_MAX */
} reading;

static void list_records (void *context, int64_t begin, int64_t end) {
  reading *r = context;
  for (int64_t t = begin; t < end; t++) {
    const unsigned char *record = record_at (r->f, t);
    const int64_t at =
        atomic_fetch_add_explicit (&r->next[load_int32 (record)], 1, memory_order_relaxed);
    r->entries[at] = (entry){load_int32 (record + 4), (int32_t) t};
  }
}

static int compare (const void *x, const void *y) {
  const entry *a = x, *b = y;
  return a->column != b->column ? (a->column < b->column ? -1 : 1)
                                : (a->number > b->number) - (a->number < b->number);
}

/* A block of m x m from rows to columns, or back. */
#define DEFINE_TURN(name, type)                                                                    \
  static void name (const unsigned char *restrict from, type *restrict to, int64_t m) {            \
    for (int64_t i = 0; i < m; i++)                                                                \
      for (int64_t j = 0; j < m; j++)                                                              \
        memcpy (to + i + j * m, from + (size_t) (i * m + j) * sizeof (type), sizeof (type));       \
  }
DEFINE_TURN (turn_u16, uint16_t)
DEFINE_TURN (turn_u32, uint32_t)

static void turn (gpumm_type type, const unsigned char *from, void *to, int64_t m) {
  if (type == GPUMM_U16)
    turn_u16 (from, to, m);
  else
    turn_u32 (from, to, m);
}

static void read_rows (void *context, int64_t begin, int64_t end) {
  reading *r = context;
  const gpumm_blocks_file *f = r->f;
  const int64_t elements = f->block * f->block;
  const size_t bytes = (size_t) elements * gpumm_type_bytes (f->type);
  for (int64_t i = begin; i < end; i++) {
    entry *entries = r->entries + f->start[i];
    const int64_t count = f->start[i + 1] - f->start[i];
    int64_t out = f->start[i];
    int sorted = 1;
    for (int64_t t = 1; t < count; t++)
      sorted &= entries[t - 1].column < entries[t].column;
    if (!sorted)
      qsort (entries, (size_t) count, sizeof *entries, compare);
    for (int64_t t = 0; t < count; t++) {
      if (t > 0 && entries[t - 1].column == entries[t].column) {
        note_first (&r->duplicate, i);
        break;
      }
      void *to = (char *) r->x->values + (size_t) out * bytes;
      turn (f->type, record_at (f, entries[t].number) + INDEX_BYTES, to, f->block);
      r->x->block_column[out] = entries[t].column;
      out += gpumm_blocks_any (f->type, to, elements);
    }
    r->x->block_start[i + 1] = out - f->start[i];
  }
}

static gpumm_status say_duplicate (const reading *r, int64_t row) {
  const gpumm_blocks_file *f = r->f;
  const entry *e = r->entries + f->start[row] + 1;
  while (e[-1].column != e->column)
    e++;
  return gpumm_fail (GPUMM_INVALID,
                     "%s: record %d, at byte %lld: block (%lld, %d) was already in record %d "
                     "(records and blocks count from 0)",
                     f->name, e->number, (long long) (record_at (f, e->number) - f->map),
                     (long long) row, e->column, e[-1].number);
}

gpumm_status gpumm_blocks_file_read (gpumm_blocks_file *f, gpumm_operand *x) {
  if (!f || !x || x->kind != GPUMM_BLOCKS || x->type != f->type || x->rows != f->size
      || x->cols != f->size || x->block_rows != f->block || x->block_cols != f->block
      || x->nzmax < f->count || !x->block_start
      || (f->count > 0 && (!x->block_column || !x->values)))
    return gpumm_fail (GPUMM_INVALID, "not the matrix that gpumm_blocks_file_open described");
  const int64_t rows = f->size / f->block;
  gpumm_status status = GPUMM_OK;
  reading r = {.f = f,
               .x = x,
               .entries = gpumm_allocate (f->count, sizeof *r.entries),
               .next = gpumm_allocate (rows, sizeof *r.next),
               .duplicate = INT64_MAX};
  if (!r.entries || !r.next)
    status = GPUMM_HOST_MEMORY;
  else {
    for (int64_t i = 0; i < rows; i++)
      atomic_init (&r.next[i], f->start[i]);
    status = gpumm_parallel (f->count, LEAST_RECORDS, list_records, &r);
    const int64_t each = f->count / (rows + 1) + 1;
    if (!status)
      status = gpumm_parallel (rows, LEAST_RECORDS / each + 1, read_rows, &r);
    const int64_t row = atomic_load (&r.duplicate);
    if (status)
      ;
    else if (row != INT64_MAX)
      status = say_duplicate (&r, row);
    else
      gpumm_blocks_close_gaps (x, f->start);
  }
  gpumm_release (r.entries);
  gpumm_release (r.next);
  return status;
}

/* ---- write -------------------------------------------------------------------------------- */

typedef struct {
  const gpumm_operand *x;
  unsigned char *map;
  size_t record;
} writing;

static void write_rows (void *context, int64_t begin, int64_t end) {
  const writing *w = context;
  const gpumm_operand *x = w->x;
  const int64_t m = x->block_rows;
  for (int64_t i = begin; i < end; i++)
    for (int64_t t = x->block_start[i]; t < x->block_start[i + 1]; t++) {
      const int32_t index[2] = {(int32_t) i, x->block_column[t]};
      unsigned char *to = w->map + HEADER_BYTES + (size_t) t * w->record;
      const unsigned char *from =
          (const unsigned char *) x->values + (size_t) t * (w->record - INDEX_BYTES);
      memcpy (to, index, sizeof index);
      /* turned as it is read; records may lie at odd places, so by way of a row at a time */
      const size_t bytes = gpumm_type_bytes (x->type);
      for (int64_t r = 0; r < m; r++)
        for (int64_t c = 0; c < m; c++)
          memcpy (to + INDEX_BYTES + (size_t) (r * m + c) * bytes,
                  from + (size_t) (r + c * m) * bytes, bytes);
    }
}

static gpumm_status check_writable (const gpumm_operand *x) {
  if (!x || x->kind != GPUMM_BLOCKS || (x->type != GPUMM_U16 && x->type != GPUMM_U32))
    return gpumm_fail (GPUMM_INVALID, "a file of blocks holds blocks of uint16 or uint32");
  if (x->rows != x->cols || x->block_rows != x->block_cols || x->block_rows < 1
      || x->rows % x->block_rows != 0)
    return gpumm_fail (GPUMM_INVALID,
                       "a file of blocks holds a square matrix in square blocks, not %lldx%lld in "
                       "blocks of %lldx%lld",
                       (long long) x->rows, (long long) x->cols, (long long) x->block_rows,
                       (long long) x->block_cols);
  const int64_t rows = x->rows / x->block_rows;
  if (x->rows > INT32_MAX || rows > MOST_BLOCK_ROWS || !x->block_start
      || x->block_start[rows] > INT32_MAX)
    return gpumm_fail (GPUMM_INVALID,
                       "too large a matrix, or too many blocks, for a file of blocks");
  return GPUMM_OK;
}

gpumm_status gpumm_blocks_file_write (const char *name, const gpumm_operand *x) {
  gpumm_status status = name ? check_writable (x) : gpumm_fail (GPUMM_INVALID, "no file given");
  if (status)
    return status;
  const int64_t rows = x->rows / x->block_rows, count = x->block_start[rows];
  const int32_t header[3] = {(int32_t) x->rows, (int32_t) x->block_rows, (int32_t) count};
  writing w = {.x = x,
               .record = INDEX_BYTES
                         + (size_t) (x->block_rows * x->block_cols) * gpumm_type_bytes (x->type)};
  const size_t bytes = HEADER_BYTES + (size_t) count * w.record;
  struct stat info;
  const int fd = open (name, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC | O_NONBLOCK, 0666);
  if (fd < 0)
    return gpumm_fail (GPUMM_INVALID, "cannot write %s: %s", name, strerror (errno));
  if (fstat (fd, &info) != 0 || !S_ISREG (info.st_mode)) {
    close (fd); /* a device or a pipe is not removed below, as the rest of a file is */
    return gpumm_fail (GPUMM_INVALID, "cannot write %s: not a file", name);
  }
  /* the disk's room is taken first: a map that outgrows it would end the process */
  const int error = posix_fallocate (fd, 0, (off_t) bytes);
  if (error)
    status =
        gpumm_fail (GPUMM_INVALID, "cannot write %s, %zu bytes: %s", name, bytes, strerror (error));
  else {
    void *map = mmap (NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (map == MAP_FAILED)
      status = gpumm_fail (GPUMM_INVALID, "cannot map %s: %s", name, strerror (errno));
    else {
      w.map = map;
      memcpy (map, header, sizeof header);
      status = gpumm_parallel (rows, LEAST_RECORDS / (count / (rows + 1) + 1) + 1, write_rows, &w);
      munmap (map, bytes);
    }
  }
  if (close (fd) != 0 && !status)
    status = gpumm_fail (GPUMM_INVALID, "cannot write %s: %s", name, strerror (errno));
  if (status)
    (void) unlink (name);
  return status;
}
