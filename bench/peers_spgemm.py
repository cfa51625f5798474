"""peers_spgemm.py - A A by cuSPARSE, through CuPy, beside bench_spgemm.

  python3 bench/peers_spgemm.py DIRECTORY FILE.csv CASE...

The operands are those that bench_spgemm left in DIRECTORY (save=DIRECTORY). The time is that on the
device, between events, with memory from CuPy's pool; medians.

SPDX-License-Identifier: BSD-3-Clause
"""
import statistics
import sys

import cupy
import cupyx.scipy.sparse
import numpy

REPEATS = 7


def measure(directory, case):
    def read(what, kind):
        return cupy.asarray(numpy.fromfile(f"{directory}/{case}.{what}", dtype=kind))

    start = read("start", numpy.int64).astype(numpy.int32)
    n = start.size - 1
    a = cupyx.scipy.sparse.csr_matrix(
        (read("values", numpy.float64), read("column", numpy.int32), start), shape=(n, n))
    milliseconds = []
    for i in range(REPEATS + 1):
        begun, ended = cupy.cuda.Event(), cupy.cuda.Event()
        c = None
        begun.record()
        c = a @ a
        ended.record()
        ended.synchronize()
        if i > 0:
            milliseconds.append(cupy.cuda.get_elapsed_time(begun, ended))
    return f"{case},cusparse,{n},{a.nnz},{c.nnz},{statistics.median(milliseconds):.4f}"


name = cupy.cuda.runtime.getDeviceProperties(0)["name"].decode()
with open(sys.argv[2], "w", encoding="ascii") as file:
    print("#", "peers_spgemm.py", *sys.argv[3:], file=file)
    print(f"# {name}, driver for CUDA {cupy.cuda.runtime.driverGetVersion()}, "
          f"runtime {cupy.cuda.runtime.runtimeGetVersion()}, CuPy {cupy.__version__}", file=file)
    print("case,peer,n,nnz,nnz_c,ms", file=file)
    for name in sys.argv[3:]:
        try:
            row = measure(sys.argv[1], name)
        except Exception as why:  # whatever keeps it from one product, the others are measured
            row = f"{name},cusparse,,,,{' '.join(str(why).split())}"
        cupy.get_default_memory_pool().free_all_blocks()
        print(row, file=file, flush=True)
        print(row, flush=True)
