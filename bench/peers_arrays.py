"""peers_arrays.py - CuPy doing what bench_gpuarray.m does, in the same units.

  python3 bench/peers_arrays.py FILE.csv

SPDX-License-Identifier: BSD-3-Clause
"""
import statistics
import sys
import time

import cupy
import numpy


def newton_schulz(x, steps):
    for _ in range(steps):
        x = 1.5 * x - 0.5 * (x @ (x.T @ x))
    return x


def chain(x, y, count):
    for _ in range(count):
        x = x @ y
    return x


def added(x, count):
    for _ in range(count):
        x = x + 1
    return x


def finish():
    cupy.cuda.Device().synchronize()


def report(work, run):
    run()
    finish()
    ms = []
    for _ in range(7):
        begun = time.perf_counter()
        c = run()
        finish()
        ms.append(1e3 * (time.perf_counter() - begun))
        del c
    row = (statistics.median(ms), min(ms), max(ms))
    print("%-40s cupy  %9.4f ms (%.4f to %.4f)" % ((work,) + row))
    file.write("%s,cupy,%.4f,%.4f,%.4f\n" % ((work,) + row))


def order(x):
    return numpy.asfortranarray(x)


file = open(sys.argv[1], "a")
random = numpy.random.default_rng(1).random
a = order(random((4096, 4096)) / 4096)
report("newton-schulz 4096 upload to gather",
       lambda: cupy.asnumpy(newton_schulz(cupy.asarray(a), 5)))
g = cupy.asarray(a)
report("newton-schulz 4096 resident", lambda: newton_schulz(g, 5))
report("upload 4096", lambda: cupy.asarray(a))
report("gather 4096", lambda: cupy.asnumpy(g))
del a, g
g = cupy.random.random((8192, 8192)) / 8192
report("newton-schulz 8192 resident", lambda: newton_schulz(g, 5))
report("product 8192 resident", lambda: g @ g)
h = cupy.random.random((8192, 8192))
k = cupy.random.random((8192, 8192))
report("G + 2 * H .* K 8192", lambda: g + 2 * h * k)
report("copy 8192", lambda: g.copy())
report("sum 8192", lambda: g.sum(axis=1))  # by rows: along memory, as the columns of Octave
report("sum rows 8192", lambda: g.sum(axis=0))
report("norm fro 8192", lambda: cupy.linalg.norm(g))
report("every second column 8192", lambda: g[::2, :].copy())
del g, h, k
g = cupy.asarray(numpy.eye(64) + random((64, 64)) / 100)
h = cupy.asarray(numpy.eye(64))
report("chain of 1000 products 64", lambda: chain(g, h, 1000))
x = random((2000, 64, 64))
y = random((2000, 64, 64))
report("pagemtimes 64x64x2000 host to host",
       lambda: cupy.asnumpy(cupy.asarray(x) @ cupy.asarray(y)))
x = cupy.asarray(x)
y = cupy.asarray(y)
report("pagemtimes 64x64x2000 resident", lambda: x @ y)
x = cupy.arange(1.0, 11.0)
report("1000 times x + 1", lambda: added(x, 1000))
file.close()
