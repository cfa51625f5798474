/* kernels.c - times the rows of the kernel table on the device alone, and checks them.
 *
 *   cc -O2 -I engine bench/kernels.c -o build/time_kernels -ldl -lm
 *   build/time_kernels build/package/libgpumm_cuda.so TABLE FILE.csv [option=value ...]
 *
 * TABLE, by the file of bench/results that it makes:
 *   kernels    square products by size, every kernel. The field `from` of a row follows from it
 *   shapes     few rows or columns, odd sizes, long k: cublas beside kernels= (beginnings of names)
 *   strassen   bases register and cublas, at each depth
 *   emulated   emulated beside cublas
 *   spgemm     A A of plain sparse matrices
 *   bsr, spmm  A A of floating-point blocks; with a full matrix of 256 and 64 columns
 *   blocks     blocks of uint16
 *
 * types=sd      element types by BLAS letter
 * kernels=      only these kernels; otherwise all that can run the product
 * cases=        only these: sizes (1024, 4096x4096x64), patterns (fem3), or N:M:COUNT[:HIGH] of
 *               blocks: N x N, COUNT random blocks of M x M, as many in each row, up to HIGH
 * blocks=4,9    sides of the blocks of bsr and spmm
 * ops=nn,tn  ld=exact,padded    of full products. padded: columns begin at multiples of 128
 *               bytes, as the engine passes them; with it "whole": sizes are padded too
 * room=16       GB of C of bsr: of a larger C only the first rows are made
 * rows=100000   most block rows of bsr
 * repeats=5     the median of 5 counts, of batches of 2 ms
 * most=10       seconds: leaves out a kernel that would take longer, by its last case
 * save=FOLDER   writes spgemm's operands for peers.py: CASE.start (int64), .column (int32), .values
 *
 * Data are uniform in (-1/2, 1/2). Full: sampled elements are compared with sums of long doubles;
 * error is the largest divided by max |A| max |B|, and must be within bound (docs/strassen.md);
 * error_largest is in units of eps/2 |A||B|. Sparse: sampled rows of C are compared with the
 * definition.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "kernels_full.h"
#include "kernels_sparse.h"

/* ---- main --------------------------------------------------------------------------------- */

#define SQUARES "16,24,32,48,64,96,128,192,256,384,512,768,1024,1536,2048,4096"
#define LARGE   "512,768,1024,1536,2048,3072,4096,6144,8192,12288,16384"
#define SHAPES                                                                                     \
  "513,1000,1023,1024,1025,1215,1343,2047,2048,2049,4095,4096,4097,1x4096x4096,8x4096x4096,"       \
  "32x4096x4096,64x4096x4096,33x5001x5001,4096x1x4096,4096x8x4096,4096x32x4096,4096x64x4096,"      \
  "5001x33x5001,32x32x262144,64x64x262144,128x128x131072,256x256x65536,511x513x32769,"             \
  "1000x1000x20000,4096x4096x64,4097x4097x33,10000x32x10000,8192x8192x24"
#define FULL                                                                                       \
  "type,ops,m,n,k,ld,kernel,base,depth,seconds,spread,gflops,tflops,to_cublas,error,bound"
#define BLOCKS                                                                                     \
  "family,kernel,type,b,block_rows,rows_or_columns,per_row,pairs_or_blocks,blocks_of_c,"           \
  "symbolic_ms,ms,gflops,gb_s,pattern"

static const struct {
  const char *name, *types, *cases, *columns;
} tables[] = {
    {"kernels", "sdcz", SQUARES, FULL},
    {"shapes", "sd", SHAPES, FULL},
    {"strassen", "sd", LARGE, FULL},
    {"emulated", "sdcz", LARGE,
     "type,n,cublas_ms,cublas_tflops,emulated_ms,emulated_tflops,ratio,note,error_largest,"
     "cublas_error_largest"},
    {"spgemm", "d", "",
     "case,kernel,n,nnz,products,nnz_c,counting_ms,offsets_ms,multiplying_ms,ms,gflops,"
     "memory_to_operands_and_result"},
    {"bsr", "d", "", BLOCKS},
    {"spmm", "d", "", BLOCKS},
    {"blocks", "", "32768:4:1000000,32768:4:10000000,32768:8:8800000",
     "n,m,blocks,high,products,blocks_c,kernel,note,ms_symbolic,ms_numeric,ms,gops,wrong"},
};
enum { TABLES = sizeof tables / sizeof *tables };

static int usage (void) {
  printf ("usage: kernels LIBRARY TABLE FILE.csv [option=value ...]; tables:");
  for (int t = 0; t < TABLES; t++)
    printf (" %s", tables[t].name);
  printf ("\n");
  return 2;
}

/* The head of the file: the command, GPU and driver. */
static int open_file (int count, char **arguments, const char *columns) {
  file = fopen (arguments[3], "w");
  if (!file) {
    printf ("%s cannot be written\n", arguments[3]);
    return 2;
  }
  fprintf (file, "#");
  for (int i = 0; i < count; i++) {
    const char *slash = strrchr (arguments[i], '/');
    fprintf (file, " %s", slash ? slash + 1 : arguments[i]);
  }
  fprintf (file, "\n# %s, driver for CUDA %d, runtime %d\n%s\n", device.name, device.driver,
           device.runtime, columns);
  return 0;
}

static void run_table (int table, const char *types, const char *cases) {
  const char *name = tables[table].name;
  if (strcmp (name, "blocks") == 0)
    for (const char *c = cases; c; c = strchr (c, ',') ? strchr (c, ',') + 1 : NULL)
      run_blocks (c);
  for (const char *t = types; *t; t++) {
    make_piece (type_of (*t));
    memset (rates, 0, sizeof rates);
    if (*tables[table].cases)
      run_full (name, type_of (*t), cases);
    else
      run_sparse (name, type_of (*t));
  }
}

int main (int count, char **arguments) {
  const option known[] = {{.name = "types", .text = &options.types},
                          {.name = "kernels", .text = &options.kernels},
                          {.name = "cases", .text = &options.cases},
                          {.name = "blocks", .text = &options.blocks},
                          {.name = "ops", .text = &options.ops},
                          {.name = "ld", .text = &options.ld},
                          {.name = "save", .text = &options.save},
                          {.name = "room", .real = &options.room},
                          {.name = "most", .real = &options.most},
                          {.name = "rows", .number = &options.rows},
                          {.name = "repeats", .number = &options.repeats},
                          {.name = NULL}};
  int table = 0;
  for (; count > 3 && table < TABLES && strcmp (tables[table].name, arguments[2]) != 0; table++)
    ;
  for (int i = 4; i < count; i++)
    if (!take_option (known, arguments[i]))
      return usage ();
  if (count < 4 || table == TABLES || options.repeats < 1 || options.repeats > MOST_REPEATS
      || options.rows < 1 || !(options.room > 0))
    return usage ();
  int status = open_driver (arguments[1]);
  if (!status)
    status = open_file (count, arguments, tables[table].columns);
  if (status)
    return status;
  for (int e = 0; e < 4; e++)
    need (driver->event_create (0, GPUMM_TIMED, &events[e]), "event_create");
  need (driver->pin (0, PIECE * 16, &piece), "pin");
  run_table (table, *options.types ? options.types : tables[table].types,
             *options.cases ? options.cases : tables[table].cases);
  fclose (file);
  need (driver->unpin (0, piece), "unpin");
  for (int e = 0; e < 4; e++)
    need (driver->event_destroy (0, events[e]), "event_destroy");
  close_driver ();
  printf ("%d wrong\n", wrong);
  return wrong > 0;
}
