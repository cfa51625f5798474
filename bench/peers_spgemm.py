"""peers_spgemm.py - times A A by cuSPARSE, with CuPy, to compare with bench_spgemm.

  python3 bench/peers_spgemm.py DIRECTORY FILE.csv [indices=64] CASE...

bench_spgemm has written the operands to DIRECTORY (save=DIRECTORY). The peers:

cusparse       CuPy's a @ a: the default algorithm. If it fails, CuPy continues with ALG2, but
               without the call from which ALG2 takes its memory
cusparse_alg2  cuSPARSE itself, CUSPARSE_SPGEMM_ALG2
cusparse_alg3  cuSPARSE itself, CUSPARSE_SPGEMM_ALG3, which computes the products in chunks; the
               fastest chunk size of FRACTIONS counts

indices=64     64-bit indices for the latter two; needs CUDA 13.0

Times are medians on the device, between events, from the operand to the result; all memory comes
from CuPy's pool. C x is compared with A (A x). If it differs or there is no result, "wrong" or the
reason replaces the time. Each peer has its own process, so that a failing peer does not block the
device.

SPDX-License-Identifier: BSD-3-Clause
"""
import collections
import concurrent.futures
import contextlib
import ctypes
import ctypes.util
import functools
import math
import multiprocessing
import statistics
import sys

import cupy
import cupyx.cusparse
import cupyx.scipy.sparse
import numpy

REPEATS = 7
FRACTIONS = 0.1, 0.2, 0.5, 1.0  # share of the products in a chunk; the least memory first
TOLERANCE = 1e-12  # rounding gives about 1e-15, one wrong element about 1e-5

Rows = collections.namedtuple("Rows", "start column values")

# ---- cuSPARSE -----------------------------------------------------------------------------------

NON_TRANSPOSE, BASE_ZERO, R_64F = 0, 0, 1  # as cusparse.h and library_types.h number them
INDEX = {4: 2, 8: 3}
ALGORITHM = {"cusparse_alg2": 4, "cusparse_alg3": 5}

INT, INT64, ADDRESS = ctypes.c_int, ctypes.c_int64, ctypes.c_void_p
TO_INT, TO_INT64, TO_ADDRESS = map(ctypes.POINTER, (INT, INT64, ADDRESS))
TO_SIZE = ctypes.POINTER(ctypes.c_size_t)
# handle, op (A), op (B), alpha, A, B, beta, C, type, algorithm, descriptor of the product
PRODUCT = [ADDRESS, INT, INT, ADDRESS, ADDRESS, ADDRESS, ADDRESS, ADDRESS, INT, INT, ADDRESS]
ARGUMENTS = {
    "GetProperty": [INT, TO_INT],
    "CreateCsr": [TO_ADDRESS, INT64, INT64, INT64, ADDRESS, ADDRESS, ADDRESS, INT, INT, INT, INT],
    "CsrSetPointers": [ADDRESS, ADDRESS, ADDRESS, ADDRESS],
    "SpMatGetSize": [ADDRESS, TO_INT64, TO_INT64, TO_INT64],
    "DestroySpMat": [ADDRESS],
    "SpGEMM_createDescr": [TO_ADDRESS],
    "SpGEMM_workEstimation": PRODUCT + [TO_SIZE, ADDRESS],
    "SpGEMM_getNumProducts": [ADDRESS, TO_INT64],
    "SpGEMM_estimateMemory": PRODUCT + [ctypes.c_float, TO_SIZE, ADDRESS, TO_SIZE],
    "SpGEMM_compute": PRODUCT + [TO_SIZE, ADDRESS],
    "SpGEMM_copy": PRODUCT,
    "SpGEMM_destroyDescr": [ADDRESS],
}


@functools.cache
def load():
    """The cuSPARSE that CuPy has loaded."""
    with open("/proc/self/maps", encoding="utf-8") as maps:
        paths = [line.split(maxsplit=5)[5].strip() for line in maps if "/libcusparse.so" in line]
    library = ctypes.CDLL(
        paths[0] if paths else ctypes.util.find_library("cusparse") or "libcusparse.so.12")
    for name, arguments in ARGUMENTS.items():
        getattr(library, "cusparse" + name).argtypes = arguments
    for function in library.cusparseGetErrorName, library.cusparseGetErrorString:
        function.argtypes, function.restype = [INT], ctypes.c_char_p
    return library


def call(name, *arguments):
    status = getattr(load(), "cusparse" + name)(*arguments)
    if status:
        raise RuntimeError(f"cusparse{name}: {load().cusparseGetErrorName(status).decode()} "
                           f"({load().cusparseGetErrorString(status).decode()})")


def version():
    parts = [INT() for _ in range(3)]
    for which, part in enumerate(parts):
        call("GetProperty", which, ctypes.byref(part))
    return ".".join(str(part.value) for part in parts)


def describe(x, stack):
    n, index, descriptor = x.start.size - 1, INDEX[x.start.itemsize], ADDRESS()
    call("CreateCsr", ctypes.byref(descriptor), n, n, x.values.size, x.start.data.ptr,
         x.column.data.ptr, x.values.data.ptr, index, index, BASE_ZERO, R_64F)
    stack.callback(call, "DestroySpMat", descriptor)
    return descriptor


def take(size):
    """At least one byte: without a buffer, the call would only return the size."""
    return cupy.empty(max(size.value, 1), numpy.int8)


def multiply(x, algorithm, fraction, counts):
    """A A. cuSPARSE's count of the products goes into counts."""
    result = Rows(cupy.zeros_like(x.start), cupy.empty(0, x.column.dtype), cupy.empty(0))
    one, zero = ctypes.c_double(1), ctypes.c_double(0)
    size, size2 = ctypes.c_size_t(), ctypes.c_size_t()
    products, rows, columns, nnz = INT64(), INT64(), INT64(), INT64()
    with contextlib.ExitStack() as stack:
        a, b, c = describe(x, stack), describe(x, stack), describe(result, stack)
        descriptor = ADDRESS()
        call("SpGEMM_createDescr", ctypes.byref(descriptor))
        stack.callback(call, "SpGEMM_destroyDescr", descriptor)
        product = (cupy.cuda.device.get_cusparse_handle(), NON_TRANSPOSE, NON_TRANSPOSE,
                   ctypes.byref(one), a, b, ctypes.byref(zero), c, R_64F, algorithm, descriptor)
        call("SpGEMM_workEstimation", *product, size, None)
        buffer1 = take(size)
        call("SpGEMM_workEstimation", *product, size, buffer1.data.ptr)
        call("SpGEMM_getNumProducts", descriptor, products)
        counts.add(products.value)
        call("SpGEMM_estimateMemory", *product, fraction, size, None, None)
        buffer3 = take(size)
        call("SpGEMM_estimateMemory", *product, fraction, size, buffer3.data.ptr, size2)
        del buffer3
        buffer2 = take(size2)
        call("SpGEMM_compute", *product, size2, buffer2.data.ptr)
        call("SpMatGetSize", c, rows, columns, nnz)
        result = Rows(result.start, cupy.empty(nnz.value, x.column.dtype), cupy.empty(nnz.value))
        call("CsrSetPointers", c, *(part.data.ptr for part in result))
        call("SpGEMM_copy", *product)
    return result


def multiply_cupy(x):
    n = x.start.size - 1
    a = cupyx.scipy.sparse.csr_matrix((x.values, x.column, x.start), shape=(n, n))

    def multiplied():
        c = a @ a
        return Rows(c.indptr, c.indices, c.data)

    return multiplied


# ---- one peer -----------------------------------------------------------------------------------

times = cupy.ElementwiseKernel(
    "raw S start, raw I column, raw float64 values, raw float64 x", "float64 y",
    "double sum = 0; for (S q = start[i]; q < start[i + 1]; q++) sum += values[q] * x[column[q]];"
    "y = sum", "rows_times_vector")


def error_of(c, a):
    """|C x - A (A x)| / |A (A x)|, maxima."""
    n = a.start.size - 1
    if int(c.start[n]) != c.values.size:
        return math.inf
    x = cupy.asarray(numpy.random.default_rng(1).random(n))
    right = times(*a, times(*a, x, size=n), size=n)
    return float(abs(times(*c, x, size=n) - right).max() / abs(right).max())


def measure(case, peer, a, multiplied):
    """The time (infinite without a right result) and the row."""
    milliseconds = []
    try:
        cupy.get_default_memory_pool().free_all_blocks()
        for i in range(REPEATS + 1):
            begun, ended = cupy.cuda.Event(), cupy.cuda.Event()
            c = None
            begun.record()
            c = multiplied()
            ended.record()
            ended.synchronize()
            if i > 0:
                milliseconds.append(cupy.cuda.get_elapsed_time(begun, ended))
        row = f"{case},{peer},{a.start.size - 1},{a.values.size},{c.values.size}"
        error = error_of(c, a)
        if not error < TOLERANCE:
            return math.inf, f"{row},wrong (relative error {error:.1e})"
        return statistics.median(milliseconds), f"{row},{statistics.median(milliseconds):.4f}"
    except Exception as why:  # a product may fail in any way; measure the others
        return math.inf, failed(case, peer, why)


def failed(case, peer, why):
    return f"{case},{peer},,,,{' '.join(str(why).split()).replace(',', ';')}"


def row_of(directory, case, peer, wide):
    """The row of one peer: its fastest variant."""
    index = numpy.int64 if wide and peer in ALGORITHM else numpy.int32
    start, column, values = (numpy.fromfile(f"{directory}/{case}.{what}", dtype=kind) for what, kind
                             in zip(Rows._fields, (numpy.int64, numpy.int32, numpy.float64)))
    a = Rows(*map(cupy.asarray, (start.astype(index), column.astype(index), values)))
    if peer not in ALGORITHM:
        return measure(case, peer, a, multiply_cupy(a))[1]
    tried, counts = [], set()
    for fraction in FRACTIONS if peer == "cusparse_alg3" else FRACTIONS[-1:]:
        name = peer + (f" chunk={fraction}" if peer == "cusparse_alg3" else "")
        name += " indices=64" if wide else ""
        tried.append(measure(case, name, a, functools.partial(multiply, a, ALGORITHM[peer],
                                                              fraction, counts)))
        print("#", tried[-1][1], "products:", *counts, flush=True)
    return min(tried)[1]


def alone(*arguments):
    """row_of in its own process."""
    spawn = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(1, spawn) as process:
        try:
            return process.submit(row_of, *arguments).result()
        except Exception as why:
            return failed(*arguments[1:3], why)


def main(directory, path, *words):
    gpu = cupy.cuda.runtime.getDeviceProperties(0)["name"].decode()
    with open(path, "w", encoding="utf-8") as file:
        print("#", "peers_spgemm.py", *words, file=file)
        print(f"# {gpu}, driver for CUDA {cupy.cuda.runtime.driverGetVersion()}, "
              f"runtime {cupy.cuda.runtime.runtimeGetVersion()}, CuPy {cupy.__version__}, "
              f"cuSPARSE {version()}", file=file)
        print("case,peer,n,nnz,nnz_c,ms", file=file)
        for case in (word for word in words if word != "indices=64"):
            for peer in ("cusparse", *ALGORITHM):
                row = alone(directory, case, peer, "indices=64" in words)
                print(row, file=file, flush=True)
                print(row, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
