"""peers.py - the Python libraries that are measured beside gpumm.

  python3 bench/peers.py cupy|pytorch|numpy|cublasxt          for bench/run
  python3 bench/peers.py arrays FILE.csv                      CuPy, as products.m arrays
  python3 bench/peers.py operations FILE.csv                  CuPy, as products.m operations
  python3 bench/peers.py graphs FOLDER FILE.csv               CuPy, as products.m iterations, which
                                                              writes the graphs
  python3 bench/peers.py spgemm FOLDER FILE.csv CASE...       cuSPARSE, as kernels spgemm, which
                                                              saves the operands
  python3 bench/peers.py spmm FILE.csv [BLOCKS]               cuSPARSE, as kernels spmm

For bench/run products go from host array to host array, written as the libraries' users write them.
Commands and answers are as in worker.m: "long SECONDS", "repeats N", "product WHO TYPE M K N LEFT",
"forget". If the library or its GPU is missing, the first line is "absent" with the reason, instead
of "ready". cublasxt uses the GPUs of GPUMM_DEVICES, as gpumm does. The other words append rows to
FILE.csv.

SPDX-License-Identifier: BSD-3-Clause
"""
import math
import os
import statistics
import sys
import time

try:
    import numpy
except ImportError as why:
    print("absent", why, flush=True)
    sys.exit()

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
generator = numpy.random.default_rng(1)
release, multiply = None, None


def serve(name):
    """Answers bench/run's commands."""
    global long, repeats, release, multiply
    try:
        libraries = {"cupy": open_cupy, "pytorch": open_pytorch, "numpy": open_numpy,
                     "cublasxt": open_cublasxt}
        version, release, multiply = libraries[name]()
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


# ---- programs of arrays --------------------------------------------------------------------------


def finished_ms(run, count=7):
    """Milliseconds of runs, each with a wait at its end, after one that is not counted."""
    import cupy

    ms = []
    for i in range(count + 1):
        begun = time.perf_counter()
        c = run()
        cupy.cuda.Device().synchronize()
        if i > 0:
            ms.append(1e3 * (time.perf_counter() - begun))
        del c
    return ms


def newton_schulz(x):
    for _ in range(5):
        x = 1.5 * x - 0.5 * (x @ (x.T @ x))
    return x


def repeated(step, x, count=1000):
    for _ in range(count):
        x = step(x)
    return x


def arrays(path):
    import cupy
    from cupyx.scipy.linalg import solve_triangular

    a = numpy.asfortranarray(generator.random((4096, 4096)) / 4096)
    small = cupy.asarray(a)
    rows = cupy.ascontiguousarray(small)
    upper = cupy.asfortranarray(cupy.triu(small) + cupy.eye(4096))
    definite = small.T @ small + cupy.eye(4096)
    v = cupy.random.random(10**7)
    g, h, k = (cupy.random.random((8192, 8192)) for _ in range(3))
    g /= 8192
    e = cupy.eye(64)
    c = e + cupy.random.random((64, 64)) / 100
    x, y = generator.random((2000, 64, 64)), generator.random((2000, 64, 64))
    xg, yg = cupy.asarray(x), cupy.asarray(y)
    programs = {
        "newton-schulz 4096 upload to gather":
            lambda: cupy.asnumpy(newton_schulz(cupy.asarray(a))),
        "newton-schulz 4096 resident": lambda: newton_schulz(small),
        "upload 4096": lambda: cupy.asarray(a),
        "gather 4096": lambda: cupy.asnumpy(small),
        "sort columns 4096": lambda: cupy.sort(rows, axis=1),
        "median of columns 4096": lambda: cupy.median(rows, axis=1),
        "triangular 4096 by 4096": lambda: solve_triangular(upper, small),
        "chol 4096": lambda: cupy.linalg.cholesky(definite),
        "sort 10^7": lambda: cupy.sort(v),
        "places of sort 10^7": lambda: cupy.argsort(v),
        "newton-schulz 8192 resident": lambda: newton_schulz(g),
        "product 8192 resident": lambda: g @ g,
        "G + 2 * H .* K 8192": lambda: g + 2 * h * k,
        "copy 8192": lambda: g.copy(),
        "sum 8192": lambda: g.sum(axis=1),  # along memory, as the columns of Octave
        "sum rows 8192": lambda: g.sum(axis=0),
        "norm fro 8192": lambda: cupy.linalg.norm(g),
        "every second column 8192": lambda: g[::2, :].copy(),
        "chain of 1000 products 64": lambda: repeated(lambda p: p @ e, c),
        "pagemtimes 64x64x2000 host to host":
            lambda: cupy.asnumpy(cupy.asarray(x) @ cupy.asarray(y)),
        "pagemtimes 64x64x2000 resident": lambda: xg @ yg,
        "1000 times x + 1": lambda: repeated(lambda p: p + 1, cupy.arange(1.0, 11.0)),
    }
    with open(path, "a", encoding="utf-8") as file:
        for work, run in programs.items():
            ms = finished_ms(run)
            print(f"{work},cupy,{statistics.median(ms):.4f},{min(ms):.4f},{max(ms):.4f}", file=file)


def scattered(n, each, full):
    """As scattered of programs.m."""
    import scipy.sparse

    i, j = generator.integers(0, n, n * each), numpy.tile(numpy.arange(n), each)
    if full:
        zeros, all_of = numpy.zeros(n, dtype=j.dtype), numpy.arange(n)
        i, j = numpy.concatenate((i, zeros, all_of)), numpy.concatenate((j, all_of, zeros))
    return scipy.sparse.coo_matrix((generator.random(i.size), (i, j)), (n, n)).tocsr()


def laplacian(side):
    import scipy.sparse

    line = scipy.sparse.diags([-1.0, 2.0, -1.0], [-1, 0, 1], (side, side))
    one = scipy.sparse.identity(side)
    return (scipy.sparse.kron(line, one) + scipy.sparse.kron(one, line)).tocsr()


def operations(path):
    import cupy
    import cupyx.scipy.sparse

    h = cupy.random.random((16, 16))
    small = generator.random((16, 16))
    programs = {
        "h + h 16": lambda: h + h,
        "gather 16": lambda: cupy.asnumpy(h),
        "upload 16": lambda: cupy.asarray(small),
        "upload 1": lambda: cupy.asarray(1.0),
        "h(3,4)": lambda: float(h[2, 3]),
    }

    def changed(x, mask):
        y = x.copy()
        y[mask] = 2
        return y

    def add(name, dtype):
        x = cupy.random.random(2250000).astype(dtype)
        mask = x > 0.5
        numbers = cupy.nonzero(mask)[0]
        b = cupy.random.random((8192, 8192)).astype(dtype)
        drawn = cupy.random.default_rng(1)
        programs.update({
            name("x(x > 0.5) 2.25 M"): lambda: x[x > 0.5],
            name("find 2.25 M"): lambda: cupy.nonzero(x > 0.5),
            name("x(numbers) 2.25 M"): lambda: x[numbers],
            name("x(mask) = 2 2.25 M"): lambda: changed(x, mask),
            name("x(mask) = [] 2.25 M"): lambda: x[~mask],
            name("cumsum 2.25 M"): lambda: cupy.cumsum(x),
            name("max (abs (x)) 2.25 M"): lambda: cupy.abs(x).max(),
            name("diff 2.25 M"): lambda: cupy.diff(x),
            name("rand 8192"): lambda: cupy.random.random((8192, 8192), dtype=dtype),
            name("randn 8192"): lambda: cupy.random.standard_normal((8192, 8192), dtype=dtype),
            name("randi 8192"): lambda: drawn.integers(1, 1001, (8192, 8192)),
            name("B' + 0 8192"): lambda: b.T.copy() + 0,
            name("B + B' 8192"): lambda: b + b.T,
            name("permute 8192"): lambda: b.T.copy(),
            name("[B, B] 8192"): lambda: cupy.concatenate((b, b), axis=0),  # b lies by rows
            name("[B; B] 8192"): lambda: cupy.concatenate((b, b), axis=1),
            name("triu 8192"): lambda: cupy.triu(b),
            name("repmat 2 x 2 4096"): lambda: cupy.tile(b[:4096, :4096], (2, 2)),
            name("sum (B, 1) 8192"): lambda: b.sum(axis=1),
            name("sum (B, 2) 8192"): lambda: b.sum(axis=0),
            name("max (B) 8192"): lambda: b.max(axis=1),
        })

    add(lambda work: work, numpy.float64)
    add(lambda work: work + " single", numpy.float32)
    matrices = {"laplacian": laplacian(1500), "random": scattered(10**6, 16, False),
                "full row and column": scattered(10**6, 4, True)}
    for name, s in matrices.items():
        a = cupyx.scipy.sparse.csr_matrix(s)
        t = cupyx.scipy.sparse.csr_matrix(s.T.tocsr())
        v = cupy.random.random(s.shape[1])
        w = cupy.asfortranarray(cupy.random.random((s.shape[1], 8)))
        programs[name + " S*x"] = lambda a=a, v=v: a @ v
        programs[name + " S'*x"] = lambda t=t, v=v: t @ v
        programs[name + " S*X, 8 columns"] = lambda a=a, w=w: a @ w
    with open(path, "a", encoding="utf-8") as file:
        for work, run in programs.items():
            ms = finished_ms(run)
            print(f"{work},cupy,{statistics.median(ms):.4f},{min(ms):.4f},{max(ms):.4f}", file=file)


# ---- iterations on graphs ------------------------------------------------------------------------


def read_graph(name):
    """A graph's columns are CuPy's rows: the products of the transposes are the same work."""
    import cupy
    from cupyx.scipy import sparse

    with open(name, "rb") as file:
        n, stored = numpy.fromfile(file, numpy.int64, 2)
        start = numpy.fromfile(file, numpy.int64, n + 1).astype(numpy.int32)
        index = numpy.fromfile(file, numpy.int32, stored)
        values = numpy.fromfile(file, numpy.float64, stored)
    parts = tuple(map(cupy.asarray, (values, index, start)))
    return sparse.csr_matrix(parts, shape=(int(n), int(n)))


def cluster(m):
    import cupy
    from cupyx.scipy import sparse

    ones = cupy.ones(m.shape[0])
    for _ in range(10):
        m = m @ m
        m.data *= m.data
        m = sparse.diags(1 / (m @ ones)).tocsr() @ m
        m.data *= m.data > 1e-3
        m.eliminate_zeros()
    return m


def power_iteration(m, x):
    import cupy

    for _ in range(10):
        x = m @ (m.T @ x)
        x /= cupy.linalg.norm(x)
    return x


def graphs(folder, path):
    import cupy

    with open(path, "a", encoding="utf-8") as file:
        for name in "random", "mesh", "rmat":
            m = read_graph(f"{folder}/{name}.graph")
            x = cupy.asfortranarray(cupy.random.rand(m.shape[0], 32))
            for work, run in (("clustering", lambda: cluster(m)),
                              ("power iteration", lambda: power_iteration(m, x))):
                try:
                    seconds = f"{1e-3 * statistics.median(finished_ms(run, 3)):.4f}"
                except Exception as why:  # cuSPARSE runs out of memory where products are large
                    seconds = type(why).__name__
                print(f"{work},{name},cupy {cupy.__version__},{m.shape[0]},{m.nnz},{seconds}",
                      file=file, flush=True)


# ---- cuSPARSE on the device alone ----------------------------------------------------------------


def device_ms(run, count=7):
    """The median between events, from the operands to the result; memory comes from CuPy's pool."""
    import cupy

    ms = []
    for i in range(count + 1):
        begun, ended = cupy.cuda.Event(), cupy.cuda.Event()
        begun.record()
        c = run()
        ended.record()
        ended.synchronize()
        if i > 0:
            ms.append(cupy.cuda.get_elapsed_time(begun, ended))
        if i < count:
            del c
    return statistics.median(ms), c


class Cusparse:
    """A A by the cuSPARSE that CuPy has loaded, with one of its algorithms. CuPy itself has only
    the default, and, where that fails, ALG2 without the call from which ALG2 takes its memory."""

    ALGORITHM = {"cusparse_alg2": 4, "cusparse_alg3": 5}  # as cusparse.h numbers them
    R_64F, INDEX_32 = 1, 2

    def __init__(self):
        import ctypes

        import cupyx.cusparse  # loads it

        self.c = ctypes
        with open("/proc/self/maps", encoding="utf-8") as maps:
            paths = [line.split()[5] for line in maps if "/libcusparse.so" in line]
        self.library = ctypes.CDLL(paths[0])

    def call(self, name, *arguments):
        """Integers are passed with 64 bits, which the callee may read as 32."""
        c = self.c
        passed = [c.c_void_p(x) if x is None else c.c_int64(x) if isinstance(x, int) else x
                  for x in arguments]
        status = getattr(self.library, "cusparse" + name)(*passed)
        if status:
            self.library.cusparseGetErrorName.restype = c.c_char_p
            raise RuntimeError(f"{name}: {self.library.cusparseGetErrorName(status).decode()}")

    def describe(self, start, column, values):
        descriptor = self.c.c_void_p()
        n = start.size - 1
        self.call("CreateCsr", self.c.byref(descriptor), n, n, values.size, start.data.ptr,
                  column.data.ptr, values.data.ptr, self.INDEX_32, self.INDEX_32, 0, self.R_64F)
        return descriptor

    def multiply(self, x, peer, fraction):
        """fraction: of the products, in a chunk of ALG3."""
        import cupy

        c, ref = self.c, self.c.byref
        start, column = cupy.zeros_like(x[0]), cupy.empty(0, x[1].dtype)
        one, zero, size, size2 = c.c_double(1), c.c_double(0), c.c_size_t(), c.c_size_t()
        rows, columns, nnz, descriptor = c.c_int64(), c.c_int64(), c.c_int64(), c.c_void_p()
        a, b, result = self.describe(*x), self.describe(*x), self.describe(start, column,
                                                                           cupy.empty(0))

        def take(bytes_):  # at least one byte: without a buffer a call only returns the size
            return cupy.empty(max(bytes_.value, 1), numpy.int8)

        try:
            self.call("SpGEMM_createDescr", ref(descriptor))
            product = (cupy.cuda.device.get_cusparse_handle(), 0, 0, ref(one), a, b, ref(zero),
                       result, self.R_64F, self.ALGORITHM[peer], descriptor)
            self.call("SpGEMM_workEstimation", *product, ref(size), None)
            first = take(size)
            self.call("SpGEMM_workEstimation", *product, ref(size), first.data.ptr)
            part = c.c_float(fraction)
            self.call("SpGEMM_estimateMemory", *product, part, ref(size), None, None)
            third = take(size)
            self.call("SpGEMM_estimateMemory", *product, part, ref(size), third.data.ptr,
                      ref(size2))
            del third
            second = take(size2)
            self.call("SpGEMM_compute", *product, ref(size2), second.data.ptr)
            self.call("SpMatGetSize", result, ref(rows), ref(columns), ref(nnz))
            column, values = cupy.empty(nnz.value, x[1].dtype), cupy.empty(nnz.value)
            self.call("CsrSetPointers", result, start.data.ptr, column.data.ptr, values.data.ptr)
            self.call("SpGEMM_copy", *product)
        finally:
            self.call("SpGEMM_destroyDescr", descriptor)
            for matrix in a, b, result:
                self.call("DestroySpMat", matrix)
        return start, column, values


def csr(x):
    from cupyx.scipy import sparse

    n = x[0].size - 1
    return sparse.csr_matrix((x[2], x[1], x[0]), shape=(n, n))


def spgemm_row(folder, case, peer):
    """The row of one peer: its fastest chunk; wrong if C x differs from A (A x)."""
    import cupy

    x = tuple(cupy.asarray(numpy.fromfile(f"{folder}/{case}.{what}", kind).astype(to))
              for what, kind, to in (("start", numpy.int64, numpy.int32),
                                     ("column", numpy.int32, numpy.int32),
                                     ("values", numpy.float64, numpy.float64)))
    a = csr(x)
    t = cupy.asarray(generator.random(a.shape[0]))
    right = a @ (a @ t)
    best = f"{case},{peer},{a.shape[0]},{a.nnz},,"
    least = math.inf
    for fraction in (0.1, 0.2, 0.5, 1.0) if peer == "cusparse_alg3" else (1.0,):
        try:
            run = (lambda: a @ a) if peer == "cusparse" else (
                lambda: Cusparse().multiply(x, peer, fraction))
            ms, c = device_ms(run)
            c = c if peer == "cusparse" else csr(c)
            error = float(abs(c @ t - right).max() / abs(right).max())
            said = f"{ms:.4f}" if error < 1e-12 else f"wrong (relative error {error:.1e})"
            if error < 1e-12 and ms < least or least == math.inf:
                least = ms if error < 1e-12 else least
                best = f"{case},{peer},{a.shape[0]},{a.nnz},{c.nnz},{said}"
        except Exception as why:  # a product may fail in any way; measure the others
            if least == math.inf:
                best = f"{case},{peer},,,,{' '.join(str(why).split()).replace(',', ';')}"
    return best


def spgemm(folder, path, *cases):
    """Each peer has a process of its own, so that one that fails does not block the device."""
    import multiprocessing

    with open(path, "a", encoding="utf-8") as file:
        print("case,kernel,n,nnz,nnz_c,ms", file=file)
        for case in cases:
            for peer in "cusparse", *Cusparse.ALGORITHM:
                with multiprocessing.get_context("spawn").Pool(1) as process:
                    print(process.apply(spgemm_row, (folder, case, peer)), file=file, flush=True)


def expanded(blocks, per_row, b):
    """A random sparse matrix of full blocks, about as many in each row."""
    import cupy
    from cupyx.scipy import sparse

    key = numpy.unique(numpy.repeat(numpy.arange(blocks), per_row) * blocks
                       + generator.integers(0, blocks, blocks * per_row))
    row, column = key // blocks, key % blocks
    i = (row[:, None, None] * b + numpy.arange(b)[:, None]).repeat(b, 2).ravel()
    j = (column[:, None, None] * b + numpy.arange(b)).repeat(b, 1).ravel()
    values = cupy.random.random(i.size) - 0.5
    x = sparse.coo_matrix((values, (cupy.asarray(i), cupy.asarray(j))), (blocks * b, blocks * b))
    return x.tocsr(), len(key)


def spmm(path, widths="1,4,8,9,16"):
    """By rows, and, of plain matrices, by columns, times a full matrix of 256 columns."""
    import cupy
    from cupyx import cusparse

    with open(path, "a", encoding="utf-8") as file:
        for b in map(int, widths.split(",")):
            blocks, per_row = 200000 // b, 16
            s, stored = expanded(blocks, per_row, b)
            x = cupy.asfortranarray(cupy.random.random((blocks * b, 256)) - 0.5)
            y, by_rows = cupy.zeros_like(x, order="F"), cupy.ascontiguousarray(x)
            forms = {"rows x full": lambda: cusparse.spmm(s, x, y, 1, 0),
                     "rows x full by rows": lambda: s @ by_rows}  # full x columns, transposed
            if b == 1:
                forms["columns x full"] = lambda t=s.T.tocsr().T: cusparse.spmm(t, x, y, 1, 0)
            for name, run in forms.items():
                ms = device_ms(run)[0]
                print(f"spmm,cusparse {name},d,{b},{blocks},256,{per_row},{stored},,,{ms:.4f},"
                      f"{2e-6 * stored * b * b * 256 / ms:.1f},,random", file=file, flush=True)
            cupy.get_default_memory_pool().free_all_blocks()


PROGRAMS = {"arrays": arrays, "operations": operations, "graphs": graphs, "spgemm": spgemm, "spmm": spmm}

if __name__ == "__main__":
    if sys.argv[1] in PROGRAMS:
        PROGRAMS[sys.argv[1]](*sys.argv[2:])
    else:
        serve(sys.argv[1])
