"""peers.py - the Python libraries that bench/run measures beside gpumm.

  python3 bench/peers.py cupy|pytorch|numpy|cublasxt

Products go from host array to host array, written as the libraries' users write them. Commands and
answers are as in worker.m: "long SECONDS", "repeats N", "product WHO TYPE M K N LEFT", "forget". If the
library or its GPU is missing, the first line is "absent" with the reason, instead of "ready". cublasxt
uses the GPUs of GPUMM_DEVICES, as gpumm does.

SPDX-License-Identifier: BSD-3-Clause
"""
import math
import os
import statistics
import sys
import time

GROUPS, APART, SHORT = 3, 0.15, 0.01  # APART and SHORT in seconds


def open_cupy():
    import cupy

    cupy.cuda.runtime.getDeviceCount()
    release = cupy.get_default_memory_pool().free_all_blocks
    return (cupy.__version__, release,
            lambda a, b: cupy.asnumpy(cupy.asarray(a) @ cupy.asarray(b)))


def open_pytorch():
    import torch

    torch.cuda.init()
    return (torch.__version__, torch.cuda.empty_cache,
            lambda a, b: (torch.from_numpy(a).cuda() @ torch.from_numpy(b).cuda()).cpu())


def open_numpy():
    import numpy

    return numpy.__version__, lambda: None, lambda a, b: a @ b


def open_cublasxt():
    """cublasXt with tiles of a sixteenth of C's columns, 1024 to 4096, and its own page-locking."""
    import ctypes
    import ctypes.util

    gpus = ctypes.c_int()
    runtime = ctypes.CDLL("libcudart.so.13")
    library = ctypes.CDLL("libcublas.so.13")
    if runtime.cudaGetDeviceCount(ctypes.byref(gpus)) or gpus.value == 0:
        raise RuntimeError("no GPU")
    listed = os.environ.get("GPUMM_DEVICES", "0")
    devices = list(range(gpus.value)) if listed == "all" else [int(x) for x in listed.split(",")]
    handle = ctypes.c_void_p()

    def call(name, *arguments):
        status = getattr(library, name)(*arguments)
        if status:
            raise RuntimeError(f"{name}: status {status}")

    call("cublasXtCreate", ctypes.byref(handle))
    call("cublasXtDeviceSelect", handle, len(devices), (ctypes.c_int * len(devices))(*devices))
    call("cublasXtSetPinningMemMode", handle, 1)
    letters = {"float32": "S", "float64": "D", "complex64": "C", "complex128": "Z"}

    def multiply(a, b):
        # row-major: C' = B' A'
        m, k = a.shape
        n = b.shape[1]
        c = numpy.empty((m, n), a.dtype)
        one, zero = numpy.ones(1, a.dtype), numpy.zeros(1, a.dtype)
        call("cublasXtSetBlockDim", handle, min(4096, max(1024, n // 16)))
        size, pointer = ctypes.c_size_t, ctypes.c_void_p
        call(f"cublasXt{letters[a.dtype.name]}gemm", handle, 0, 0, size(n), size(m), size(k),
             pointer(one.ctypes.data), pointer(b.ctypes.data), size(n), pointer(a.ctypes.data),
             size(k), pointer(zero.ctypes.data), pointer(c.ctypes.data), size(n))
        return c

    return f"{len(devices)} GPUs", lambda: None, multiply


def random_matrix(letter, rows, cols):
    precision = numpy.float32 if letter in "sc" else numpy.float64

    def real():
        x = generator.random((rows, cols), dtype=precision)
        x -= 0.5
        return x

    return real() + precision(1) * 1j * real() if letter in "cz" else real()


def relative_error(c, a, b):
    """|C t - A (B t)| / |A (B t)| for a random t, as in worker.m."""
    c = numpy.asarray(c)
    if c.shape != (a.shape[0], b.shape[1]) or c.dtype != a.dtype:
        return math.nan
    t = random_matrix("s" if c.real.dtype == numpy.float32 else "d", b.shape[1], 1)
    right = a @ (b @ t)
    return float(numpy.linalg.norm(c @ t - right) / numpy.linalg.norm(right))


def timed(a, b):
    begun = time.perf_counter()
    c = multiply(a, b)
    return time.perf_counter() - begun, c


def calmest(a, b):
    """Short products are measured in groups with pauses; the group with the least median counts, as
    in worker.m."""
    groups = []
    while len(groups) < GROUPS:
        if groups:
            time.sleep(APART)
        seconds = [timed(a, b)[0]]
        for _ in range(min(repeats, int(long / seconds[0])) - 1):
            seconds.append(timed(a, b)[0])
        groups.append(seconds)
        if statistics.median(seconds) > SHORT:
            break
    return min(groups, key=statistics.median)


def product(who, letter, m, k, n, left):
    m, k, n, left = int(m), int(k), int(n), float(left)
    flops = (8 if letter in "cz" else 2) * m * k * n
    predicted = flops / rates.get(letter, math.inf)
    if 2 * predicted > left:
        return f"skip a product would take {predicted:.1f} s"
    a, b = random_matrix(letter, m, k), random_matrix(letter, k, n)
    first, c = timed(a, b)
    error = relative_error(c, a, b)
    del c
    limit = 10 * numpy.finfo(a.dtype).eps * math.sqrt(max(k, 64))
    if not error <= limit:
        return f"wrong {who}, {m}x{k} {a.dtype}: relative error {error}"
    seconds = [first]
    if first <= long:
        time.sleep(0.05)  # wait until the threads of the check rest
        seconds = calmest(a, b)
    release()
    median = statistics.median(seconds)
    rates[letter] = max(rates.get(letter, 0), flops / median)
    print(f"row product,{who},,{letter},{m},{k},{n},{len(seconds)},{median:.5g},"
          f"{min(seconds):.5g},{max(seconds):.5g},s,{1e-9 * flops / median:.5g},,,,{error:.2g}")
    return "done"


long, repeats = 5.0, 7
rates = {}
try:
    import numpy

    generator = numpy.random.default_rng(1)
    libraries = {"cupy": open_cupy, "pytorch": open_pytorch, "numpy": open_numpy,
                 "cublasxt": open_cublasxt}
    version, release, multiply = libraries[sys.argv[1]]()
except Exception as why:  # a peer may fail in any way; measure the others
    print("absent", " ".join(str(why).split()), flush=True)
    sys.exit()
print("ready", version, flush=True)
for line in sys.stdin:
    words = line.split()
    said = "done"
    if words[0] == "long":
        long = float(words[1])
    elif words[0] == "repeats":
        repeats = int(words[1])
    elif words[0] == "product":
        try:
            said = product(*words[1:])
        except Exception as why:
            release()
            said = "wrong " + " ".join(str(why).split())
    print(said, flush=True)
