"""bench_bsr.py - cuSPARSE, through CuPy, on the matrices of bench_bsr.c.

  python3 bench/bench_bsr.py FILE.csv [TYPES [BLOCKS]]

Times cuSPARSE's SpMM on the device alone: a sparse matrix by rows, with the elements of the blocks,
times a dense matrix by columns. Also times the sparse matrix by columns, and the dense matrix by
rows, which is how dense x sparse is computed.

SPDX-License-Identifier: BSD-3-Clause
"""
import statistics
import sys

import cupy
import cupyx.scipy.sparse as sparse
import numpy
from cupyx import cusparse

RUNS = 5
LETTERS = {"s": numpy.float32, "d": numpy.float64, "c": numpy.complex64, "z": numpy.complex128}


def splitmix64(x):
    x = x + numpy.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> numpy.uint64(30))) * numpy.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> numpy.uint64(27))) * numpy.uint64(0x94D049BB133111EB)
    return x ^ (x >> numpy.uint64(31))


def random_array(shape, letter):
    x = cupy.random.random(shape) - 0.5
    if letter in "cz":
        x = x + 1j * (cupy.random.random(shape) - 0.5)
    return x.astype(LETTERS[letter])


def matrix(blocks, per_row, b, letter):
    """The plain sparse matrix of full blocks: places as in bench_bsr.c, other elements."""
    number = numpy.arange(blocks * per_row, dtype=numpy.uint64)
    with numpy.errstate(over="ignore"):
        column = splitmix64(number) % numpy.uint64(blocks)
    key = numpy.unique(number // numpy.uint64(per_row) * numpy.uint64(blocks) + column)
    row = cupy.asarray(key // numpy.uint64(blocks)).astype(cupy.int32)
    column = cupy.asarray(key % numpy.uint64(blocks)).astype(cupy.int32)
    start = cupy.searchsorted(row, cupy.arange(blocks + 1, dtype=cupy.int32))
    length = cupy.diff(start)
    first = cupy.repeat(start[:-1], b)  # the first block of each plain row
    lengths = cupy.repeat(length, b)
    indptr = cupy.concatenate([cupy.zeros(1, cupy.int64), cupy.cumsum(lengths * b)])
    at = cupy.arange(int(indptr[-1]), dtype=cupy.int64)
    of = cupy.searchsorted(indptr, at, side="right") - 1
    inside = at - indptr[of]
    indices = column[first[of] + inside // b] * b + inside % b
    values = random_array(int(indptr[-1]), letter)
    n = blocks * b
    x = sparse.csr_matrix((values, indices.astype(cupy.int32), indptr.astype(cupy.int32)), (n, n))
    x.has_canonical_format = True
    return x, len(key)


def milliseconds(f):
    f()
    f()
    times = []
    for _ in range(RUNS):
        begin, end = cupy.cuda.Event(), cupy.cuda.Event()
        begin.record()
        c = f()
        end.record()
        end.synchronize()
        times.append(cupy.cuda.get_elapsed_time(begin, end))
        del c
    return statistics.median(times)


def measure(file, letter, b, columns):
    blocks, per_row = 200000 // b, 16
    s, stored = matrix(blocks, per_row, b, letter)
    n = blocks * b
    x = cupy.asfortranarray(random_array((n, columns), letter))
    y = cupy.zeros((n, columns), x.dtype, order="F")
    t = s.T.tocsr() if b == 1 else None
    forms = {"rows x dense": lambda: cusparse.spmm(s, x, y, 1, 0)}
    if b == 1:
        by_columns = t.T  # csc of s
        forms["columns x dense"] = lambda: cusparse.spmm(by_columns, x, y, 1, 0)
        forms["rows x dense, CuPy's @"] = lambda: s @ x
    # dense x S, all by columns, is S' x dense with all by rows
    xr = cupy.ascontiguousarray(x)
    forms["rows x dense by rows"] = lambda: s @ xr
    flops = (8 if letter in "cz" else 2) * stored * b * b * columns
    for name, f in forms.items():
        try:
            taken = milliseconds(f)
        except Exception as why:
            print(f"# {name}: {' '.join(str(why).split())}", file=file)
            continue
        print(f"spmm,cusparse {name},{letter},{b},{blocks},{columns},{per_row},{stored},,,"
              f"{taken:.4f},{1e-6 * flops / taken:.1f},", file=file, flush=True)


def main():
    letters = sys.argv[2] if len(sys.argv) > 2 else "d"
    widths = [int(b) for b in (sys.argv[3] if len(sys.argv) > 3 else "1,2,3,4,6,8,9,16").split(",")]
    with open(sys.argv[1], "w") as file:
        name = cupy.cuda.runtime.getDeviceProperties(0)["name"].decode()
        print("# bench/bench_bsr.py", *sys.argv[2:], file=file)
        print(f"# {name}, CuPy {cupy.__version__}, cuSPARSE {cusparse.getVersion()}", file=file)
        for letter in letters:
            for b in widths:
                for columns in (256, 64) if b == 1 else (256,):
                    measure(file, letter, b, columns)
                    cupy.get_default_memory_pool().free_all_blocks()


main()
