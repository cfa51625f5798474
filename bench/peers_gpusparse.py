"""peers_gpusparse.py - CuPy (cuSPARSE) doing what bench_gpusparse.m does, on the graphs that it kept.

  python3 bench/peers_gpusparse.py FOLDER >> FILE.csv

A graph's columns are CuPy's rows: the products of the transposes are the same work.

SPDX-License-Identifier: BSD-3-Clause
"""
import statistics
import sys
import time

import cupy
import cupyx.scipy.sparse as sparse
import numpy


def graph(name):
    with open(name, "rb") as file:
        n, stored = numpy.fromfile(file, numpy.int64, 2)
        start = numpy.fromfile(file, numpy.int64, n + 1).astype(numpy.int32)
        index = numpy.fromfile(file, numpy.int32, stored)
        values = numpy.fromfile(file, numpy.float64, stored)
    arrays = (cupy.asarray(values), cupy.asarray(index), cupy.asarray(start))
    return sparse.csr_matrix(arrays, shape=(int(n), int(n)))


def cluster(m):
    ones = cupy.ones(m.shape[0])
    for _ in range(10):
        m = m @ m
        m.data *= m.data
        m = sparse.diags(1 / (m @ ones)).tocsr() @ m
        m.data *= m.data > 1e-3
        m.eliminate_zeros()
    return m


def power_iteration(m, x):
    t = m.T
    for _ in range(10):
        x = m @ (t @ x)
        x /= cupy.linalg.norm(x)
    return x


def seconds(run):
    run()
    times = []
    for _ in range(3):
        cupy.cuda.Device().synchronize()
        begun = time.perf_counter()
        run()
        cupy.cuda.Device().synchronize()
        times.append(time.perf_counter() - begun)
    return statistics.median(times)


for name in ("random", "mesh", "rmat"):
    m = graph("%s/%s.graph" % (sys.argv[1], name))
    for work, run in (("clustering", lambda: cluster(m)),
                      ("power iteration", lambda: power_iteration(m, x))):
        x = cupy.asfortranarray(cupy.random.rand(m.shape[0], 32))
        try:
            taken = "%.4f" % seconds(run)
        except Exception as problem:  # cuSPARSE runs out of memory where products are large
            taken = type(problem).__name__
        print("%s,%s,cupy %s,%d,%d,%s" % (work, name, cupy.__version__, m.shape[0], m.nnz, taken))
        sys.stdout.flush()
