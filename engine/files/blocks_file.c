/* blocks_file.c - files of blocks: int32 n, m, k; then k records of int32 i, int32 j and m m
 * elements by rows, all little-endian.
 *
 * The matrix is n x n in blocks of m x m; i and j count block rows and columns from 0. Elements are
 * uint16 in operands and uint32 in results. The header does not name the type; the file's size
 * tells it, unless the file has no blocks. The reader takes records in any order. The writer sorts
 * them by i, then j.
 *
 * A file is read in pieces and never mapped, because another process may truncate it.
 * gpumm_blocks_file_open reads only the header. gpumm_blocks_file_read reads the records twice: the
 * first pass checks and counts the indices, the second transposes each block into its place (blocks
 * in memory are column-major). Zero blocks are removed at the end.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "gpumm_tools.h"
#include "base/cancel.h"
#include "base/error.h"
#include "base/threads.h"
#include "base/types.h"
#include "memory/host.h"
#include "multiply/compressed.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "files of blocks are little-endian and are copied to and from memory unchanged"
#endif

enum { HEADER_BYTES = 12, INDEX_BYTES = 8 };

/* The most block rows of a file; users of the format have 2^13. Empty block rows cost memory too,
 * and a damaged header must not take all memory. */
static const int64_t MOST_BLOCK_ROWS = (int64_t) 1 << 24;

/* A thread gets at least this many records: about 50 us of work. */
static const int64_t LEAST_RECORDS = 10000;

/* A thread reads or writes this many bytes at once; they stay in its cache. */
enum { PIECE = 1 << 18 };

/* The first pass reads only the indices of records of at least this size. */
enum { LARGE_RECORD = 1 << 13 };

struct gpumm_blocks_file {
  int fd;
  size_t bytes;        /* of the file */
  int64_t size, block; /* n, m */
  int64_t rows;        /* n / m */
  int64_t count;       /* k */
  gpumm_type type;
  size_t record; /* bytes */
  char name[];
};

/* Where record t begins in the file. */
static size_t record_at (const gpumm_blocks_file *f, int64_t t) {
  return HEADER_BYTES + (size_t) t * f->record;
}

static size_t record_bytes (gpumm_type type, int64_t block) {
  return INDEX_BYTES + (size_t) (block * block) * gpumm_type_bytes (type);
}

/* How many records are read or written at once. */
static int64_t records_at_once (size_t record) {
  return record < PIECE ? (int64_t) (PIECE / record) : 1;
}

/* Transposes an m x m block: rows to columns, or back. Either may be unaligned. Constant sizes make
 * memcpy a single move. */
static void turn (gpumm_type type, const unsigned char *restrict from, unsigned char *restrict to,
                  int64_t m) {
#define TURN(type)                                                                                 \
  for (size_t i = 0; i < n; i++)                                                                   \
    for (size_t j = 0; j < n; j++)                                                                 \
      memcpy (to + (i + j * n) * sizeof (type), from + (i * n + j) * sizeof (type), sizeof (type));
  const size_t n = (size_t) m;
  if (type == GPUMM_U16)
    TURN (uint16_t)
  else
    TURN (uint32_t)
#undef TURN
}

/* Returns 0, an errno, or END if the file became shorter. */
enum { END = -1 };

static int read_bytes (const gpumm_blocks_file *f, size_t at, void *to, size_t bytes) {
  char *next = to;
  while (bytes > 0) {
    const ssize_t got = pread (f->fd, next, bytes, (off_t) at);
    if (got < 0 && errno == EINTR)
      continue;
    if (got <= 0)
      return got < 0 ? errno : END;
    next += got;
    at += (size_t) got;
    bytes -= (size_t) got;
  }
  return 0;
}

static gpumm_status fail_read (const gpumm_blocks_file *f, int error) {
  if (error == ENOMEM)
    return gpumm_fail_memory (f->record < PIECE ? PIECE : f->record);
  return gpumm_fail (GPUMM_INVALID, "cannot read %s: %s", f->name,
                     error == END ? "it became shorter while it was read" : strerror (error));
}

/* ---- checks ------------------------------------------------------------------------------- */

/* No header is text: it would name more blocks than the matrix has places. */
static int is_text (const void *header) {
  const unsigned char *bytes = header;
  for (size_t i = 0; i < HEADER_BYTES; i++)
    if ((bytes[i] < ' ' || bytes[i] > '~') && !memchr ("\t\n\r", bytes[i], 3))
      return 0;
  return 1;
}

static gpumm_status check_header (gpumm_blocks_file *f, gpumm_type type) {
  int32_t header[3];
  if (f->bytes < HEADER_BYTES)
    return gpumm_fail (GPUMM_INVALID,
                       "%s: not a file of blocks: the header has 12 bytes, but the file has %zu",
                       f->name, f->bytes);
  const int error = read_bytes (f, 0, header, sizeof header);
  if (error)
    return fail_read (f, error);
  if (is_text (header))
    return gpumm_fail (GPUMM_INVALID, "%s: not a file of blocks: it is text", f->name);
  f->size = header[0];
  f->block = header[1];
  f->count = header[2];
  if (f->size < 0 || f->block < 1 || f->count < 0)
    return gpumm_fail (
        GPUMM_INVALID,
        "%s: not a file of blocks: its header says size %lld, block size %lld and %lld blocks",
        f->name, (long long) f->size, (long long) f->block, (long long) f->count);
  if (f->size % f->block != 0)
    return gpumm_fail (GPUMM_INVALID, "%s: size %lld does not divide into blocks of %lld", f->name,
                       (long long) f->size, (long long) f->block);
  f->rows = f->size / f->block;
  if (f->rows > MOST_BLOCK_ROWS)
    return gpumm_fail (GPUMM_INVALID, "%s: %lld block rows, and at most %lld are allowed", f->name,
                       (long long) f->rows, (long long) MOST_BLOCK_ROWS);
  if (f->count > f->rows * f->rows)
    return gpumm_fail (GPUMM_INVALID, "%s: %lld blocks, but the matrix has places for %lld",
                       f->name, (long long) f->count, (long long) (f->rows * f->rows));
  /* the file's size tells the element type; at most 2^62 2^31 elements */
  const double each = (double) f->block * (double) f->block;
  const double sizes[] = {(double) HEADER_BYTES + (double) f->count * (INDEX_BYTES + 2 * each),
                          (double) HEADER_BYTES + (double) f->count * (INDEX_BYTES + 4 * each)};
  const int fits16 = (double) f->bytes == sizes[0], fits32 = (double) f->bytes == sizes[1];
  if (type == GPUMM_TYPES)
    type = fits16 || !fits32 ? GPUMM_U16 : GPUMM_U32;
  if (!(type == GPUMM_U16 ? fits16 : fits32))
    return gpumm_fail (GPUMM_INVALID,
                       "%s: %lld blocks of %lldx%lld need %.0f bytes of uint16 or %.0f of uint32, "
                       "but the file has %zu: %s",
                       f->name, (long long) f->count, (long long) f->block, (long long) f->block,
                       sizes[0], sizes[1], f->bytes,
                       fits16 || fits32               ? "the elements are of the other class"
                       : (double) f->bytes < sizes[0] ? "it was cut off"
                                                      : "the count of blocks is wrong");
  f->type = type;
  f->record = record_bytes (type, f->block);
  return GPUMM_OK;
}

/* ---- open and close ----------------------------------------------------------------------- */

static gpumm_status open_file (gpumm_blocks_file *f) {
  struct stat info;
  f->fd = open (f->name, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* do not wait for a pipe */
  if (f->fd < 0)
    return gpumm_fail (GPUMM_INVALID, "cannot open %s: %s", f->name, strerror (errno));
  if (fstat (f->fd, &info) != 0)
    return fail_read (f, errno);
  if (!S_ISREG (info.st_mode))
    return gpumm_fail (GPUMM_INVALID, "cannot read %s: not a file", f->name);
  f->bytes = (size_t) info.st_size;
  return GPUMM_OK;
}

gpumm_status gpumm_blocks_file_open (const char *name, gpumm_type type, gpumm_blocks_file **file,
                                     gpumm_matrix *shape) {
  if (!name || !file || !shape)
    return gpumm_fail (GPUMM_INVALID, "no file given");
  *file = NULL;
  if (type != GPUMM_U16 && type != GPUMM_U32 && type != GPUMM_TYPES)
    return gpumm_fail (GPUMM_INVALID, "a file of blocks has elements of uint16 or uint32");
  gpumm_blocks_file *f = gpumm_allocate (1, sizeof *f + strlen (name) + 1);
  if (!f)
    return GPUMM_HOST_MEMORY;
  strcpy (f->name, name);
  gpumm_cancel_enter ();
  gpumm_status status = open_file (f);
  if (!status)
    status = check_header (f, type);
  if (status) {
    gpumm_blocks_file_close (f);
    return status;
  }
  *shape = (gpumm_matrix){.format = GPUMM_BLOCKS,
                          .type = f->type,
                          .rows = f->size,
                          .cols = f->size,
                          .nzmax = f->count,
                          .block_rows = f->block,
                          .block_cols = f->block};
  *file = f;
  return GPUMM_OK;
}

void gpumm_blocks_file_close (gpumm_blocks_file *f) {
  if (!f)
    return;
  if (f->fd >= 0)
    close (f->fd);
  gpumm_cancel_leave ();
  gpumm_release (f);
}

/* ---- read --------------------------------------------------------------------------------- */

/* A record in its block row, to be sorted by column, then by record number. */
typedef struct {
  int32_t column, number;
} entry;

/* First the indices of a record, then the place of its block. */
typedef union {
  struct {
    int32_t i, j;
  } index;
  int64_t place;
} record_note;

typedef struct {
  const gpumm_blocks_file *f;
  gpumm_matrix *x;
  record_note *notes; /* in the file's order */
  entry *entries;     /* in the matrix's */
  int64_t *start;     /* n / m + 2: where the blocks of each row begin */
  atomic_int error;   /* the first of read_bytes, or ENOMEM */
  atomic_int zeros;   /* is there a block of zeros? */
} reading;

static void note_error (atomic_int *first, int error) {
  int none = 0;
  if (error)
    atomic_compare_exchange_strong (first, &none, error);
}

/* Passes the records from begin to end to a function: whole, several at a time, or only the
 * indices. */
static void for_records (reading *r, int64_t begin, int64_t end, int whole,
                         void (*use) (reading *r, const unsigned char *record, int64_t t)) {
  const gpumm_blocks_file *f = r->f;
  const int64_t most = whole ? records_at_once (f->record) : 1;
  unsigned char *piece = gpumm_allocate (most, whole ? f->record : INDEX_BYTES);
  if (!piece)
    note_error (&r->error, ENOMEM);
  for (int64_t t = begin; piece && t < end && !atomic_load (&r->error) && !gpumm_is_cancelled ();) {
    const int64_t few = t + most < end ? most : end - t;
    const int error =
        read_bytes (f, record_at (f, t), piece, whole ? (size_t) few * f->record : INDEX_BYTES);
    note_error (&r->error, error);
    for (int64_t s = 0; !error && s < few; s++)
      use (r, piece + (size_t) s * f->record, t + s);
    t += few;
  }
  gpumm_release (piece);
}

static void note_record (reading *r, const unsigned char *record, int64_t t) {
  memcpy (&r->notes[t].index, record, INDEX_BYTES);
}

static void note_records (void *context, int64_t begin, int64_t end) {
  reading *r = context;
  for_records (r, begin, end, r->f->record < LARGE_RECORD, note_record);
}

/* Hands the records out to their rows. Counts stand two places higher, so that this leaves the
 * offsets in start. */
static gpumm_status list_records (reading *r) {
  const gpumm_blocks_file *f = r->f;
  int64_t *start = r->start;
  for (int64_t t = 0; t < f->count && !gpumm_is_cancelled_at (t); t++) {
    const int32_t i = r->notes[t].index.i, j = r->notes[t].index.j;
    if (i < 0 || i >= f->rows || j < 0 || j >= f->rows)
      return gpumm_fail (GPUMM_INVALID,
                         "%s: record %lld, at byte %zu: block (%d, %d) is outside the %lldx%lld "
                         "blocks (records and blocks count from 0)",
                         f->name, (long long) t, record_at (f, t), i, j, (long long) f->rows,
                         (long long) f->rows);
    start[i + 2]++;
  }
  const gpumm_status status = gpumm_check_cancelled ();
  if (status) /* some are not counted */
    return status;
  for (int64_t i = 0; i < f->rows; i++)
    start[i + 2] += start[i + 1];
  for (int64_t t = 0; t < f->count && !gpumm_is_cancelled_at (t); t++)
    r->entries[start[r->notes[t].index.i + 1]++] = (entry){r->notes[t].index.j, (int32_t) t};
  return gpumm_check_cancelled ();
}

static int compare (const void *x, const void *y) {
  const entry *a = x, *b = y;
  return a->column != b->column ? (a->column < b->column ? -1 : 1)
                                : (a->number > b->number) - (a->number < b->number);
}

static void sort_rows (void *context, int64_t begin, int64_t end) {
  reading *r = context;
  for (int64_t i = begin; i < end; i++) {
    entry *entries = r->entries + r->start[i];
    const int64_t count = r->start[i + 1] - r->start[i];
    int sorted = 1;
    for (int64_t t = 1; t < count; t++)
      sorted &= entries[t - 1].column < entries[t].column;
    if (!sorted)
      qsort (entries, (size_t) count, sizeof *entries, compare);
  }
}

/* Notes the place of each record in the matrix. */
static gpumm_status note_places (reading *r) {
  const gpumm_blocks_file *f = r->f;
  for (int64_t i = 0; i < f->rows; i++)
    for (int64_t t = r->start[i]; t < r->start[i + 1] && !gpumm_is_cancelled_at (t); t++) {
      const entry *e = r->entries + t;
      if (t > r->start[i] && e[-1].column == e->column)
        return gpumm_fail (GPUMM_INVALID,
                           "%s: record %d, at byte %zu: block (%lld, %d) was already in record %d "
                           "(records and blocks count from 0)",
                           f->name, e->number, record_at (f, e->number), (long long) i, e->column,
                           e[-1].number);
      r->notes[e->number].place = t;
    }
  return gpumm_check_cancelled ();
}

static void place_record (reading *r, const unsigned char *record, int64_t t) {
  const gpumm_blocks_file *f = r->f;
  const int64_t place = r->notes[t].place;
  unsigned char *to = (unsigned char *) r->x->values + (size_t) place * (f->record - INDEX_BYTES);
  turn (f->type, record + INDEX_BYTES, to, f->block);
  r->x->block_column[place] = r->entries[place].column;
  if (!gpumm_any_nonzero (f->type, to, f->block * f->block))
    atomic_store (&r->zeros, 1);
}

static void place_records (void *context, int64_t begin, int64_t end) {
  for_records (context, begin, end, 1, place_record);
}

static gpumm_status over_records (reading *r,
                                  void (*body) (void *context, int64_t begin, int64_t end)) {
  const gpumm_status status = gpumm_parallel (r->f->count, LEAST_RECORDS, body, r);
  return !status && atomic_load (&r->error) ? fail_read (r->f, atomic_load (&r->error)) : status;
}

static gpumm_status read_records (reading *r) {
  const gpumm_blocks_file *f = r->f;
  const int64_t each = f->count / (f->rows + 1) + 1;
  gpumm_status status = over_records (r, note_records);
  if (!status)
    status = list_records (r);
  if (!status)
    status = gpumm_parallel (f->rows, LEAST_RECORDS / each + 1, sort_rows, r);
  if (!status)
    status = note_places (r);
  if (!status)
    status = over_records (r, place_records);
  if (status)
    return status;
  memcpy (r->x->start, r->start, (size_t) (f->rows + 1) * sizeof *r->start);
  return atomic_load (&r->zeros) ? gpumm_drop_zeros (r->x) : GPUMM_OK;
}

gpumm_status gpumm_blocks_file_read (gpumm_blocks_file *f, gpumm_matrix *x) {
  if (!f || !x || x->format != GPUMM_BLOCKS || x->type != f->type || x->rows != f->size
      || x->cols != f->size || x->block_rows != f->block || x->block_cols != f->block
      || x->nzmax < f->count || !x->start || (f->count > 0 && (!x->block_column || !x->values)))
    return gpumm_fail (GPUMM_INVALID, "not the matrix that gpumm_blocks_file_open described");
  gpumm_owner memory = {0};
  reading r = {.f = f,
               .x = x,
               .notes = gpumm_own (&memory, f->count, sizeof *r.notes),
               .entries = gpumm_own (&memory, f->count, sizeof *r.entries),
               .start = gpumm_own (&memory, f->rows + 2, sizeof *r.start)};
  const int has_all = r.notes && r.entries && r.start;
  const gpumm_status status = has_all ? read_records (&r) : GPUMM_HOST_MEMORY;
  gpumm_release_owned (&memory);
  return status;
}

/* ---- write -------------------------------------------------------------------------------- */

typedef struct {
  const gpumm_matrix *x;
  gpumm_output *output;
  size_t record;
  atomic_int no_memory;
} writing;

/* The records of consecutive rows are contiguous in the file. */
static void write_rows (void *context, int64_t begin, int64_t end) {
  writing *w = context;
  const gpumm_matrix *x = w->x;
  const int64_t *start = x->start;
  const int64_t most = records_at_once (w->record);
  unsigned char *piece = gpumm_allocate (most, w->record);
  if (!piece)
    atomic_store (&w->no_memory, 1);
  gpumm_status status = GPUMM_OK;
  int64_t i = begin;
  for (int64_t t = start[begin]; piece && t < start[end] && !status && !gpumm_is_cancelled ();) {
    const int64_t few = t + most < start[end] ? most : start[end] - t;
    for (int64_t s = t; s < t + few; s++) {
      while (start[i + 1] <= s)
        i++;
      const int32_t index[2] = {(int32_t) i, x->block_column[s]};
      unsigned char *to = piece + (size_t) (s - t) * w->record;
      memcpy (to, index, sizeof index);
      turn (x->type, (const unsigned char *) x->values + (size_t) s * (w->record - INDEX_BYTES),
            to + INDEX_BYTES, x->block_rows);
    }
    const size_t bytes = (size_t) few * w->record;
    status =
        gpumm_output_is_stream (w->output)
            ? gpumm_output_append (w->output, piece, bytes)
            : gpumm_output_put (w->output, HEADER_BYTES + (size_t) t * w->record, piece, bytes);
    t += few;
  }
  gpumm_release (piece);
}

static gpumm_status check_writable (const gpumm_matrix *x) {
  if (!x || x->format != GPUMM_BLOCKS)
    return gpumm_fail (GPUMM_INVALID, "a file of blocks holds a matrix in blocks");
  if (x->type != GPUMM_U16 && x->type != GPUMM_U32)
    return gpumm_fail (GPUMM_INVALID,
                       "a file of blocks holds blocks of uint16 or uint32, and these are of %s",
                       gpumm_type_name (x->type));
  if (x->rows != x->cols || x->block_rows != x->block_cols || x->block_rows < 1
      || x->rows % x->block_rows != 0)
    return gpumm_fail (GPUMM_INVALID,
                       "a file of blocks holds a square matrix in square blocks, not %lldx%lld in "
                       "blocks of %lldx%lld",
                       (long long) x->rows, (long long) x->cols, (long long) x->block_rows,
                       (long long) x->block_cols);
  const int64_t rows = x->rows / x->block_rows;
  if (x->rows > INT32_MAX || rows > MOST_BLOCK_ROWS || !x->start || x->start[rows] > INT32_MAX)
    return gpumm_fail (GPUMM_INVALID,
                       "the matrix is too large, or has too many blocks, for a file of blocks");
  return GPUMM_OK;
}

gpumm_status gpumm_blocks_file_write (const char *name, const gpumm_matrix *x) {
  gpumm_status status = name ? check_writable (x) : gpumm_fail (GPUMM_INVALID, "no file given");
  if (status)
    return status;
  const int64_t rows = x->rows / x->block_rows, count = x->start[rows];
  const int32_t header[3] = {(int32_t) x->rows, (int32_t) x->block_rows, (int32_t) count};
  writing w = {.x = x, .record = record_bytes (x->type, x->block_rows)};
  if ((status = gpumm_output_open (name, &w.output)) != GPUMM_OK)
    return status;
  gpumm_cancel_enter ();
  status = gpumm_output_reserve (w.output, HEADER_BYTES + (size_t) count * w.record);
  if (!status)
    status = gpumm_output_append (w.output, header, sizeof header);
  if (!status && gpumm_output_is_stream (w.output))
    write_rows (&w, 0, rows);
  else if (!status)
    status = gpumm_parallel (rows, LEAST_RECORDS / (count / (rows + 1) + 1) + 1, write_rows, &w);
  if (!status && atomic_load (&w.no_memory))
    status = gpumm_fail_memory (PIECE);
  if (!status)
    status = gpumm_check_cancelled ();
  gpumm_cancel_leave ();
  if (!status)
    return gpumm_output_commit (w.output); /* which fails if a write did */
  gpumm_output_abort (w.output);
  return status;
}
