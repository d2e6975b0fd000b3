"""QR, SVD and eigenvectors have the signs of LAPACK, and gradients that go to both triangles."""

import numpy as np
import paddle

linalg = paddle.linalg
REAL = np.array([[1.0, -2.0, 0.5], [0.3, -1.0, 2.0], [-1.5, 0.2, 0.7]])
IMAGINARY = np.array([[0.2, 0.4, -0.3], [0.1, -0.5, 0.6], [0.9, -0.2, 0.3]])
WEIGHTS = paddle.to_tensor([[0.5, -1.0, 2.0], [1.0, 0.3, -0.7], [-0.2, 0.8, 1.1]], dtype="float64")


def rounded(array):
    found = np.round(np.asarray(array), 4) + 0.0
    return np.stack([found.real + 0.0, found.imag + 0.0]).tolist() if found.dtype.kind == "c" else found.tolist()


def shown(name, function, given, gradients=True):
    x = paddle.to_tensor(given, stop_gradient=False)
    results = function(x)
    print(name, [rounded(one.numpy()) for one in results])
    if gradients:
        total = 0.0
        for one in results:
            one = one.real() if one.is_complex() else one
            rows, columns = one.shape if one.ndim == 2 else (1, one.shape[0])
            total = total + (one * WEIGHTS[:rows, :columns]).sum()
        print("  by", rounded(paddle.grad(total, x)[0].numpy()))


for mode in ("reduced", "complete"):
    for rows in (3, 2):
        shown(f"qr {mode}", lambda x: linalg.qr(x, mode), REAL[:rows], rows == 3)
    shown("qr tall", lambda x: linalg.qr(x, mode), REAL[:, :2], mode == "reduced")
shown("qr complex", linalg.qr, REAL + 1j * IMAGINARY, False)
shown("svd", linalg.svd, REAL)
shown("svd full", lambda x: linalg.svd(x, full_matrices=True), REAL[:, :2], False)
shown("svd complex", linalg.svd, REAL + 1j * IMAGINARY, False)
for triangle in ("L", "U"):
    for given in (REAL + REAL.T, REAL + 1j * IMAGINARY, REAL):
        shown(f"eigh {triangle}", lambda x: linalg.eigh(x, triangle), given)
        shown("values", lambda x: [linalg.eigvalsh(x, triangle)], given)
shown("eig", linalg.eig, REAL)
shown("eig complex", linalg.eig, REAL + 1j * IMAGINARY)
shown("eigvals", lambda x: [linalg.eigvals(x)], np.stack([REAL, REAL @ REAL, IMAGINARY]), False)
shown("pinv", lambda x: [linalg.pinv(x, hermitian=True)], REAL + 1j * IMAGINARY, False)
