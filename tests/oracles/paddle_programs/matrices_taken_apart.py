"""Eigenvalues of any matrix, triangular factors, reflections, factors of low rank."""

import warnings

import numpy as np
import paddle

warnings.simplefilter("ignore")

rng = np.random.default_rng(0)


def draw(*shape, wanted=True):
    return paddle.to_tensor(rng.normal(size=shape), stop_gradient=not wanted)


def shown(x):
    return (x.numpy() + 0.0).round(5).tolist()


x = draw(3, 3, wanted=False)
values, vectors = paddle.linalg.eig(x)
print(values.dtype, np.abs(x.numpy() @ vectors.numpy() - vectors.numpy() * values.numpy()).max() < 1e-9)
print(np.sort_complex(paddle.linalg.eigvals(x).numpy()).round(5).tolist())
for lengths in ((3, 3), (4, 2), (2, 4), (2, 3, 3)):
    a = draw(*lengths)
    packed, pivots, infos = paddle.linalg.lu(a, get_infos=True)
    print(shown(packed), pivots.tolist(), pivots.dtype, infos.tolist(), infos.dtype)
    (packed * paddle.to_tensor(np.cos(np.arange(packed.size)).reshape(packed.shape))).sum().backward()
    if lengths[-1] == lengths[-2]:
        print(shown(a.grad))
    p, lower, upper = paddle.linalg.lu_unpack(packed, pivots)
    print(shown(p), shown(lower), shown(upper), np.allclose((p @ lower @ upper).numpy(), a.numpy()))
packed, pivots = paddle.linalg.lu(draw(3, 3))
right = draw(3, 2)
for way in "NT":
    print(shown(paddle.linalg.lu_solve(right, packed, pivots, way)))

a = draw(4, 3)
vectors, factors = np.linalg.qr(a.numpy(), mode="raw")
vectors, factors = paddle.to_tensor(vectors.T.copy()), paddle.to_tensor(factors)
q = paddle.linalg.householder_product(vectors, factors)
print(shown(q), np.allclose((q.T @ q).numpy(), np.eye(3)))
vectors, factors, y, z = draw(4, 4), draw(4), draw(4, 2), draw(2, 4)
print(shown(paddle.linalg.ormqr(vectors, factors, y)))
print(shown(paddle.linalg.ormqr(vectors, factors, y, transpose=True)))
print(shown(paddle.linalg.ormqr(vectors, factors, z, left=False)))
print(shown(paddle.linalg.ormqr(vectors, factors, z, left=False, transpose=True)))

a = draw(5, 2) @ draw(2, 4)
left, sizes, right = paddle.linalg.svd_lowrank(a, q=2)
print(left.shape, sizes.shape, right.shape, shown(sizes))
print(np.allclose((left @ paddle.diag(sizes) @ right.T).numpy(), a.numpy()))
left, sizes, right = paddle.linalg.pca_lowrank(a.T, q=2)
print(left.shape, sizes.shape, right.shape, shown(sizes))
x = draw(3, 3, wanted=False)
print(x.qr()[0].shape, x.solve(draw(3, 1)).shape, x.slogdet().shape, x.cov().shape)
samples = paddle.to_tensor([[0.0, 1.0], [1.0, 0.0], [2.0, 2.0], [2.0, 2.0]], dtype="float64")
counts, borders = paddle.histogramdd(samples, bins=[3, 2], ranges=[0.0, 2.0, 0.0, 3.0])
print(counts.tolist(), [one.numpy().round(6).tolist() for one in borders])
