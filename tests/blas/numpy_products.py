"""Products and solutions of linear systems by NumPy, by rows and by columns, against sums of products.
SPDX-License-Identifier: BSD-3-Clause"""
import numpy as np

random = np.random.default_rng(20261123)
for kind, bound in ((np.float32, 1e-4), (np.float64, 1e-12), (np.complex128, 1e-12)):
    a = random.random((70, 50)).astype(kind)
    b = random.random((50, 60)).astype(kind)
    if kind is np.complex128:
        a += 1j * random.random(a.shape)
    for x in (a, np.asfortranarray(a), a[:, ::2].repeat(2, axis=1)):
        right = (x[:, :, None] * b[None, :, :]).sum(axis=1)
        assert np.allclose(x @ b, right, atol=bound, rtol=bound)
        assert np.allclose(np.dot(b.T, x.T), right.T, atol=bound, rtol=bound)
    assert np.allclose(a @ a.T, (a[:, None, :] * a[None, :, :]).sum(axis=2), atol=bound, rtol=bound)
    square = a[:50] + 50 * np.eye(50)
    assert np.allclose(square @ np.linalg.solve(square, b), b, atol=10 * bound)
    assert np.allclose(square @ np.linalg.inv(square), np.eye(50), atol=10 * bound)
    q, r = np.linalg.qr(a)
    assert np.allclose(q @ r, a, atol=10 * bound)
