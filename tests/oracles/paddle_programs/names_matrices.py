"""Products, parts and decompositions of matrices: values, and gradients."""

import paddle

spd = [[4.0, 1.0], [1.0, 3.0]]
wide = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]


def rounded(tensor):
    return [0.0 if abs(one) < 1e-5 else float(f"{one:.4g}") for one in tensor.flatten().tolist()]


def slope(function, *given):
    leaves = [paddle.to_tensor(one, stop_gradient=False) for one in given]
    found = function(*leaves)
    (found * paddle.arange(1.0, found.numel() + 1.0).reshape(found.shape)).sum().backward()
    print(found.shape, rounded(found), [rounded(one.grad) for one in leaves])


slope(lambda x, y: paddle.einsum("ij,kj->ik", x, y), wide, wide)
slope(lambda x: paddle.einsum("ii->i", x), spd)
slope(lambda x, y: paddle.tensordot(x, y, axes=1), spd, wide)
slope(lambda x, y: paddle.inner(x, y), wide, wide)
slope(lambda x, y: paddle.mv(x, y), spd, [1.0, 2.0])
slope(lambda a, x, y: paddle.addmm(a, x, y, beta=0.5, alpha=2.0), spd, spd, spd)
slope(lambda x, y: paddle.kron(x, y), [[1.0, 2.0]], spd)
slope(lambda x, y: paddle.cross(x, y), wide, [[0.0, 1.0, 0.0], [1.0, 0.0, 0.0]])
slope(lambda x, y: paddle.dist(x, y, 2), spd, [[1.0, 1.0], [1.0, 1.0]])
slope(lambda x: paddle.diagonal(x), wide)
slope(lambda x: paddle.trace(x), spd)
slope(lambda x: paddle.diag(x), [1.0, 2.0])
slope(lambda x: paddle.diag(x, offset=1), wide)
print(paddle.diag_embed(paddle.to_tensor(wide)))
slope(lambda x: paddle.diagflat(x), [1.0, 2.0])
slope(paddle.linalg.det, spd)
slope(paddle.linalg.inv, spd)
slope(lambda x, y: paddle.linalg.solve(x, y), spd, [[1.0], [2.0]])
slope(lambda x, y: paddle.linalg.triangular_solve(x, y, upper=False), spd, [[1.0], [2.0]])
slope(lambda x: paddle.linalg.matrix_power(x, 3), spd)
slope(lambda x, y: paddle.linalg.multi_dot([x, y, x]), spd, spd)
x = paddle.to_tensor(spd)
print(*map(rounded, (paddle.linalg.cholesky(x), paddle.linalg.eigvalsh(x), paddle.linalg.eigh(x)[0])))
print(rounded(paddle.linalg.svd(x)[1]), [one.shape for one in paddle.linalg.qr(paddle.to_tensor(wide))])
print([one.shape for one in paddle.linalg.svd(paddle.to_tensor(wide))])
print(rounded(paddle.linalg.slogdet(x)))
