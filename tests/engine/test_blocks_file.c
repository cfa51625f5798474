/* test_blocks_file.c - files of blocks: round trips, every error, and 10000 damaged files.
 *
 * The oracle reads a file on its own, element by element, and says whether it is one; the engine
 * must agree on that and on every element.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "faults.h"
#include "operands.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static char file_name[] = "/tmp/gpumm_blocks_XXXXXX";

/* ---- files -------------------------------------------------------------------------------- */

enum { MOST_BYTES = 1 << 16 };

typedef struct {
  unsigned char bytes[MOST_BYTES];
  size_t length;
} image;

static void put32 (image *f, size_t at, int64_t value) {
  const uint32_t x = (uint32_t) value;
  for (size_t b = 0; b < 4; b++)
    f->bytes[at + b] = (unsigned char) (x >> 8 * b);
}

static int32_t get32 (const image *f, size_t at) {
  uint32_t x = 0;
  for (size_t b = 0; b < 4; b++)
    x |= (uint32_t) f->bytes[at + b] << 8 * b;
  return (int32_t) x;
}

static size_t record_bytes (int64_t m, size_t width) {
  return 8 + (size_t) (m * m) * width;
}

/* grid x grid blocks of m x m, about percent of 100 of them there, in no order. */
static void make_image (image *f, int64_t grid, int64_t m, size_t width, int percent) {
  int64_t places[400], count = 0;
  for (int64_t p = 0; p < grid * grid; p++)
    if (check_between (0, 99) < percent)
      places[count++] = p;
  for (int64_t t = count - 1; t > 0; t--) {
    const int64_t other = check_between (0, t), place = places[t];
    places[t] = places[other];
    places[other] = place;
  }
  put32 (f, 0, grid * m);
  put32 (f, 4, m);
  put32 (f, 8, count);
  f->length = 12;
  for (int64_t t = 0; t < count; t++) {
    put32 (f, f->length, places[t] / grid);
    put32 (f, f->length + 4, places[t] % grid);
    for (size_t b = 8; b < record_bytes (m, width); b++)
      f->bytes[f->length + b] = (unsigned char) check_random ();
    f->length += record_bytes (m, width);
  }
}

static void save (const image *f) {
  unlink (file_name); /* some file systems wait for the disk when a file is overwritten */
  FILE *out = fopen (file_name, "wb");
  if (!out || fwrite (f->bytes, 1, f->length, out) != f->length || fclose (out) != 0) {
    printf ("cannot write %s\n", file_name);
    exit (EXIT_FAILURE);
  }
}

static void load (image *f) {
  FILE *in = fopen (file_name, "rb");
  f->length = in ? fread (f->bytes, 1, MOST_BYTES, in) : 0;
  if (in)
    fclose (in);
}

/* ---- the oracle --------------------------------------------------------------------------- */

/* Bytes of an element, or 0 for a file that is none. */
static size_t width_of (const image *f) {
  if (f->length < 12)
    return 0;
  const int64_t n = get32 (f, 0), m = get32 (f, 4), k = get32 (f, 8);
  if (n < 0 || m < 1 || k < 0 || n % m != 0 || n / m > 1 << 24)
    return 0;
  size_t width = 0;
  for (size_t w = 4; w >= 2; w -= 2)
    if ((double) f->length == 12.0 + (double) k * (8.0 + (double) w * (double) m * (double) m))
      width = w;
  if (width == 0)
    return 0;
  const size_t record = record_bytes (m, width);
  for (int64_t t = 0; t < k; t++) {
    const size_t at = 12 + (size_t) t * record;
    for (size_t b = at; b < at + 8; b += 4)
      if (get32 (f, b) < 0 || get32 (f, b) >= n / m)
        return 0;
    for (size_t before = 12; before < at; before += record)
      if (memcmp (f->bytes + before, f->bytes + at, 8) == 0)
        return 0;
  }
  return width;
}

/* The matrix of a file: its blocks sorted, those of zeros left out, each by columns. */
static gpumm_matrix matrix_of (const image *f, gpumm_type type) {
  const int64_t n = get32 (f, 0), m = get32 (f, 4), k = get32 (f, 8);
  const size_t width = gpumm_type_bytes (type), record = record_bytes (m, width);
  static const char zeros[MOST_BYTES];
  gpumm_matrix x = {.format = GPUMM_BLOCKS,
                    .type = type,
                    .rows = n,
                    .cols = n,
                    .block_rows = m,
                    .block_cols = m,
                    .nzmax = k};
  provide (&x, 0);
  x.start[0] = 0;
  for (int64_t i = 0, out = 0; i < n / m; x.start[++i] = out)
    for (int64_t j = -1, next = n; k > 0; j = next, next = n) {
      const unsigned char *block = NULL; /* the next one of this row */
      for (size_t at = 12; at < f->length; at += record)
        if (get32 (f, at) == i && get32 (f, at + 4) > j && get32 (f, at + 4) < next) {
          next = get32 (f, at + 4);
          block = f->bytes + at + 8;
        }
      if (!block)
        break;
      if (memcmp (block, zeros, record - 8) == 0)
        continue;
      for (int64_t e = 0; e < m * m; e++)
        memcpy ((char *) x.values + (size_t) (out * m * m + e / m + e % m * m) * width,
                block + (size_t) e * width, width);
      x.block_column[out++] = (int32_t) next;
    }
  return x;
}

static int is_right (const image *f, const gpumm_matrix *x) {
  gpumm_matrix right = matrix_of (f, x->type);
  const int same = is_same (x, &right);
  release (&right);
  return same;
}

/* ---- the engine --------------------------------------------------------------------------- */

static gpumm_status read_file (gpumm_type type, gpumm_matrix *x) {
  gpumm_blocks_file *f = NULL;
  *x = (gpumm_matrix){0};
  gpumm_status status = gpumm_blocks_file_open (file_name, type, &f, x);
  if (!status) {
    provide (x, 0);
    status = gpumm_blocks_file_read (f, x);
  }
  gpumm_blocks_file_close (f);
  return status;
}

/* ---- tests -------------------------------------------------------------------------------- */

/* What is written is a file with sorted records and without blocks of zeros, and is read as it
 * was. */
static void check_round_trip (const gpumm_matrix *x) {
  static image g;
  gpumm_matrix y;
  OK (gpumm_blocks_file_write (file_name, x));
  load (&g);
  const size_t width = width_of (&g), record = record_bytes (x->block_rows, width);
  CHECK (width > 0 && get32 (&g, 8) == entries_of (x), "what was written is no file");
  for (size_t at = 12 + record; width > 0 && at < g.length; at += record) {
    const int32_t row = get32 (&g, at), before = get32 (&g, at - record);
    CHECK (before < row || (before == row && get32 (&g, at - record + 4) < get32 (&g, at + 4)),
           "records are not sorted");
  }
  OK (read_file (x->type, &y));
  CHECK (is_same (x, &y), "what was written is read otherwise");
  release (&y);
}

static void expect (const char *text, gpumm_type type) {
  gpumm_matrix x;
  CHECK (read_file (type, &x) == GPUMM_INVALID, "\"%s\" did not come", text);
  CHECK (strstr (gpumm_last_error (), text), "\"%s\" is not in \"%s\"", text, gpumm_last_error ());
  CHECK (strstr (gpumm_last_error (), file_name), "no file in \"%s\"", gpumm_last_error ());
  release (&x);
}

static void expect_unwritten (const char *name, const gpumm_matrix *x, const char *text) {
  CHECK (gpumm_blocks_file_write (name, x) == GPUMM_INVALID && strstr (gpumm_last_error (), text),
         "\"%s\" is not in \"%s\"", text, gpumm_last_error ());
}

static void test_errors (void) {
  static image good, f;
  static const struct {
    size_t at;
    int64_t value;
    const char *text;
  } wrong[] = {{0, -4, "size -4, block size 2 and 9 blocks"},
               {0, 7, "size 7 does not divide into blocks of 2"},
               {4, 0, "not a file of blocks: its header says size 6, block size 0 and 9 blocks"},
               {4, -2, "block size -2"},
               {4, 1, "9 blocks of 1x1 need 102 bytes of uint16 or 120 of uint32"},
               {8, -1, "-1 blocks"},
               {8, 8, "the count of blocks is wrong"},
               {8, 10, "10 blocks, but the matrix has places for 9"},
               {0, INT32_MAX - 1, "1073741823 block rows, and at most 16777216 are"},
               {12, -1, "record 0, at byte 12: block (-1, "},
               {12 + 16 * 3, 3, "record 3, at byte 60: block (3, "},
               {12 + 16 * 8 + 4, INT32_MIN, "record 8, at byte 140: block ("},
               {12 + 16 * 5 + 4, 99, ", 99) is outside the 3x3 blocks"}};
  make_image (&good, 3, 2, 2, 100);
  for (int w = 0; w < (int) (sizeof wrong / sizeof *wrong); w++) {
    f = good;
    put32 (&f, wrong[w].at, wrong[w].value);
    save (&f);
    expect (wrong[w].text, GPUMM_TYPES);
  }
  f = good;
  memcpy (f.bytes + 12 + 16 * 7, f.bytes + 12 + 16 * 2, 8);
  char text[100];
  snprintf (text, sizeof text, "record 7, at byte 124: block (%d, %d) was already in record 2",
            get32 (&f, 124), get32 (&f, 128));
  save (&f);
  expect (text, GPUMM_U16);
  for (size_t length = 0; length < good.length; length++) {
    f.length = length;
    save (&f);
    expect (length < 12 ? "not a file of blocks: the header has 12 bytes" : "it was cut off",
            GPUMM_TYPES);
  }
  f = good;
  memcpy (f.bytes, "row,col\r\n\t1,", 12);
  save (&f);
  expect ("not a file of blocks: it is text", GPUMM_TYPES);
  f.bytes[11] = 0; /* one byte that no text has */
  save (&f);
  expect ("does not divide into blocks of", GPUMM_TYPES);
  save (&good);
  expect ("the elements are of the other class", GPUMM_U32);
  unlink (file_name);
  expect ("cannot open", GPUMM_TYPES);

  int64_t start[] = {0, 0, 0};
  const gpumm_matrix x = {.format = GPUMM_BLOCKS,
                          .type = GPUMM_U16,
                          .rows = 4,
                          .cols = 4,
                          .block_rows = 2,
                          .block_cols = 2,
                          .start = start};
  gpumm_matrix signed_x = x, wide = x, narrow = x;
  signed_x.type = GPUMM_I32;
  wide.cols = 6;
  narrow.block_cols = 1;
  expect_unwritten ("/nowhere/at/all", &x, "cannot write /nowhere/at/all");
  expect_unwritten (file_name, &signed_x, "");
  expect_unwritten (file_name, &wide, "not 4x6 in blocks of 2x2");
  expect_unwritten (file_name, &narrow, "");
  CHECK (access (file_name, F_OK) != 0, "a refused file is there");

  /* what is no file is neither waited for nor removed */
  CHECK (mkfifo (file_name, 0600) == 0, "no pipe can be made");
  expect ("not a file", GPUMM_TYPES);
  expect_unwritten (file_name, &x, "cannot write");
  CHECK (unlink (file_name) == 0, "the pipe was removed");
}

/* Another process cuts the file off, or changes it, after it was opened. */
static void test_changed (void) {
  static image f;
  make_image (&f, 6, 16, 2, 100);
  for (int c = 0; c < 60; c++) {
    gpumm_blocks_file *file = NULL;
    gpumm_matrix x = {0};
    save (&f);
    OK (gpumm_blocks_file_open (file_name, GPUMM_U16, &file, &x));
    provide (&x, 0);
    const int cut = c % 2;
    if (cut)
      CHECK (truncate (file_name, check_between (0, (int64_t) f.length - 1)) == 0, "truncate");
    else {
      const int32_t index = 6 + c;
      const int fd = open (file_name, O_WRONLY);
      CHECK (pwrite (fd, &index, 4, 12 + check_between (0, 35) * (off_t) record_bytes (16, 2)) == 4,
             "pwrite");
      close (fd);
    }
    CHECK (gpumm_blocks_file_read (file, &x) == GPUMM_INVALID
               && strstr (gpumm_last_error (),
                          cut ? "it became shorter while it was read" : "is outside the"),
           "%s", gpumm_last_error ());
    gpumm_blocks_file_close (file);
    release (&x);
  }
}

static gpumm_status read_again (void *context) {
  gpumm_matrix x;
  (void) context;
  const gpumm_status status = read_file (GPUMM_TYPES, &x);
  release (&x);
  return status;
}

static void test_memory (void) {
  static image f;
  make_image (&f, 4, 3, 2, 60);
  save (&f);
  fail_in_turn (
      &(faults){.name = "read", .inject = gpumm_fault_memory, .run = read_again, .least = 5});
}

/* One change of a file, which may leave it right. */
static void damage (image *f, size_t width) {
  static const int64_t values[] = {-1, 0, 1, 2, 3, 4, 6, 8, 12, 255, 65536, INT32_MAX, INT32_MIN};
  const size_t record = record_bytes (get32 (f, 4), width);
  const int64_t m = check_between (1, 4), k = (int64_t) ((f->length - 12) / record);
  const int64_t value = values[check_random () % (sizeof values / sizeof *values)];
  const size_t one = 12 + (size_t) check_between (0, k > 0 ? k - 1 : 0) * record;
  const size_t other = 12 + (size_t) check_between (0, k > 0 ? k - 1 : 0) * record;
  switch (check_between (0, 8)) {
  case 0:
    put32 (f, (size_t) check_between (0, 2) * 4, value);
    break;
  case 1:
    put32 (f, (size_t) check_between (0, 2) * 4,
           get32 (f, (size_t) check_between (0, 2) * 4) + check_between (-2, 2));
    break;
  case 2:
    f->bytes[check_random () % f->length] ^= (unsigned char) (1u << check_random () % 8);
    break;
  case 3:
    f->length = (size_t) check_between (0, (int64_t) f->length);
    break;
  case 4:
    f->length += (size_t) check_between (1, (int64_t) record);
    break;
  case 5:
    if (k > 0)
      put32 (f, one + (size_t) check_between (0, 1) * 4, value);
    break;
  case 6:
    if (k > 0)
      memcpy (f->bytes + one, f->bytes + other, 8);
    break;
  case 7:
    if (k > 0)
      memset (f->bytes + one + 8, 0, record - 8);
    break;
  default: /* other sizes that may well fit the file */
    put32 (f, 4, m);
    put32 (f, 0, m * check_between (0, 8));
    put32 (f, 8, (int64_t) ((f->length - 12) / record_bytes (m, width)));
  }
}

/* One to three changes of a file. */
static void damage_some (image *f, size_t width) {
  const int64_t changes = check_between (1, 3);
  memset (f->bytes + f->length, 0, 1024); /* what an extension shows */
  for (int64_t t = 0; t < changes; t++) {
    const image before = *f;
    damage (f, width);
    if (f->length >= 12 && get32 (f, 4) >= 1 && get32 (f, 4) <= 16)
      continue;
    if (t == changes - 1 || check_between (0, 1)) /* no way to go on from it */
      return;
    *f = before;
  }
}

/* Files, some of which are not damaged. */
static void test_files (int files) {
  enum { UNDAMAGED = 32 };
  static image f;
  int right = 0, refused = 0;
  for (int c = 0; c < files; c++) {
    gpumm_matrix x;
    const int is_whole = c % UNDAMAGED == 0;
    const size_t width = check_between (0, 1) ? 2 : 4;
    make_image (&f, check_between (!is_whole, 5 + is_whole), check_between (1, is_whole ? 9 : 4),
                width, (int) check_between (0, 100));
    if (is_whole && get32 (&f, 8) > 1 && check_between (0, 2) == 0) /* a block of zeros */
      memset (f.bytes + 12 + 8, 0, record_bytes (get32 (&f, 4), width) - 8);
    if (!is_whole)
      damage_some (&f, width);
    save (&f);
    const size_t found = width_of (&f);
    const gpumm_status status = read_file (GPUMM_TYPES, &x);
    if (found == 0) {
      refused++;
      CHECK (status == GPUMM_INVALID, "file %d was taken", c);
    } else {
      right += !is_whole;
      CHECK (!status, "file %d: %s", c, gpumm_last_error ());
      CHECK (!status && is_right (&f, &x), "file %d was read wrongly", c);
      if (!status && is_whole) {
        CHECK (x.type == (get32 (&f, 8) > 0 && width == 4 ? GPUMM_U32 : GPUMM_U16), "file %d: %s",
               c, gpumm_type_name (x.type));
        check_round_trip (&x);
      }
    }
    release (&x);
  }
  printf ("%d files: %d damaged ones are right all the same, %d refused\n", files, right, refused);
  CHECK (right > files / 20 && refused > files / 2, "the damage is of one kind");
}

int main (void) {
  const int fd = mkstemp (file_name);
  if (fd < 0)
    return EXIT_FAILURE;
  close (fd);
  check_seed (5);
  test_errors ();
  test_changed ();
  test_memory ();
  test_files (10000);
  unlink (file_name);
  return check_done ();
}
