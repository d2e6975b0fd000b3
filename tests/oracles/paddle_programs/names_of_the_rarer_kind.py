"""Functions of tensors that few programs ask for, with gradients where there are some."""

import numpy as np
import paddle

rng = np.random.default_rng(0)
t = paddle.to_tensor


def draw(*shape):
    return rng.normal(size=shape).astype("float32")


def one_line(found):
    if isinstance(found, list | tuple):
        return [one_line(one) for one in found]
    array = np.asarray(found)
    if np.iscomplexobj(array):
        array = np.stack([array.real, array.imag])
    return [list(array.shape), str(array.dtype), np.round(array.astype("float64"), 3).ravel()[:12].tolist()]


def shown(word, function, *arrays):
    leaves = [t(one, stop_gradient=one.dtype.kind != "f") for one in arrays]
    found = function(*leaves)
    line = one_line(found)
    if not isinstance(found, list | tuple) and not found.stop_gradient and "complex" not in str(found.dtype):
        (found * t(np.cos(np.arange(found.size)).reshape(found.shape).astype("float32"))).sum().backward()
        line.append([round(float((one.grad * one).sum()), 3) for one in leaves if one.grad is not None])
    print(word, line)


a, b, v, w = draw(2, 3), draw(2, 3), draw(4), draw(4)
m, n = draw(3, 3), draw(3, 3)
whole = np.array([[12, 18, 7], [4, 0, -6]])
for name in ("hstack", "vstack", "dstack", "row_stack", "column_stack"):
    shown(name, lambda x, y, name=name: getattr(paddle, name)([x, y]), a, b)
    shown(name, lambda x, y, name=name: getattr(paddle, name)([x, y]), v, w)
for name in ("atleast_1d", "atleast_2d", "atleast_3d"):
    for one in (np.float32(2.0).reshape(()), v, a, draw(1, 2, 2)):
        shown(name, getattr(paddle, name), one)
shown("tensor_split", lambda x: paddle.tensor_split(x, 3), draw(7))
shown("tensor_split", lambda x: paddle.tensor_split(x, [1, 5], 1), draw(2, 7))
shown("hsplit", lambda x: paddle.hsplit(x, 2), draw(2, 4))
shown("vsplit", lambda x: paddle.vsplit(x, [1]), a)
shown("dsplit", lambda x: paddle.dsplit(x, 2), draw(2, 1, 4))
shown("unflatten", lambda x: paddle.unflatten(x, 1, [3, -1]), draw(2, 6))
shown("block_diag", lambda x, y: paddle.block_diag([x, y]), a, m)
shown("cartesian_prod", lambda x, y: paddle.cartesian_prod([x, y]), v[:2], w[:3])
shown("combinations", lambda x: paddle.combinations(x, 2), v)
shown("combinations", lambda x: paddle.combinations(x, 3, True), v[:2])
shown("vander", lambda x: paddle.vander(x, 3), v)
shown("vander", lambda x: paddle.vander(x, increasing=True), v)
shown("unfold", lambda x: paddle.unfold(x, 1, 2, 1).detach(), a)
shown("as_strided", lambda x: paddle.as_strided(x, [2, 2], [1, 2]).detach(), a)
shown("reduce_as", lambda x: paddle.reduce_as(x, t(draw(3))), a)
shown("multiplex", lambda x, y: paddle.multiplex([x, y], t(np.array([[1], [0]], "int32"))), a, b)
for options in ({}, {"axis": 1}, {"axis": 0, "keepdim": True}, {"axis": [0, 1]}):
    shown("quantile", lambda x, o=options: paddle.quantile(x, 0.3, **o), a)
    shown("quantile", lambda x, o=options: paddle.quantile(x, [0.1, 0.5], **o), a)
shown("quantile", lambda x: paddle.quantile(x, 0.3, 1, interpolation="lower"), a)
holes = a.copy()
holes[0, 1] = np.nan
shown("nanquantile", lambda x: paddle.nanquantile(x, 0.4, 1).detach(), holes)
shown("nanmedian", lambda x: paddle.nanmedian(x, 1).detach(), holes)
shown("mode", lambda x: paddle.mode(x), np.array([[1, 2, 2, 3, 1], [4, 4, 0, 1, 1]]))
shown("histogram_bin_edges", lambda x: paddle.histogram_bin_edges(x, 4), v)
shown("cov", paddle.linalg.cov, draw(3, 5))
shown("cov", lambda x: paddle.linalg.cov(x, False, False), draw(3, 5))
shown("corrcoef", lambda x: paddle.linalg.corrcoef(x).detach(), draw(3, 5))
shown("cdist", paddle.cdist, draw(2, 3, 4), draw(2, 5, 4))
shown("cdist", lambda x, y: paddle.cdist(x, y, 1.0), draw(3, 4), draw(5, 4))
shown("pdist", paddle.pdist, draw(4, 3))
shown("trapezoid", lambda y, x: paddle.trapezoid(y, x), a, np.sort(draw(3)))
shown("trapezoid", lambda y: paddle.trapezoid(y, dx=0.5, axis=0), a)
shown("cumulative_trapezoid", paddle.cumulative_trapezoid, a)
shown("gammainc", lambda y: paddle.gammainc(t(np.abs(v)), y), np.abs(w))
shown("gammaincc", lambda y: paddle.gammaincc(t(np.abs(v)), y), np.abs(w))
shown("sinc", paddle.sinc, v)
shown("gcd", paddle.gcd, whole, whole[::-1].copy())
shown("lcm", paddle.lcm, whole, np.abs(whole) + 1)
shown("ldexp", lambda x: paddle.ldexp(x, t([1, 2, -1])), a)
shown("frexp", lambda x: paddle.frexp(x), v)
shown("multigammaln", lambda x: paddle.multigammaln(x, 2), np.abs(v) + 3)
shown("polar", paddle.polar, np.abs(v), w)
shown("as_complex", paddle.as_complex, draw(3, 2))
shown("as_real", lambda x: paddle.as_real(paddle.complex(x, x * 2)), v)
shown("isin", paddle.isin, whole, np.array([4, 7]))
shown("isposinf", paddle.isposinf, np.array([1.0, np.inf, -np.inf], "float32"))
shown("isreal", paddle.isreal, v)
shown("renorm", lambda x: paddle.renorm(x, 2.0, 0, 1.0), m * 2)
shown(
    "baddbmm", lambda i, x, y: paddle.baddbmm(i, x, y, 0.5, 2.0), draw(2, 3, 2), draw(2, 3, 4), draw(2, 4, 2)
)
shown("vecdot", lambda x, y: paddle.linalg.vecdot(x, y, 0), a, b)
shown("logspace", lambda: paddle.logspace(0, 2, 5))
shown("shard_index", lambda x: paddle.shard_index(x, 20, 2, 1), np.array([[16], [1]]))
shown("diagonal_scatter", lambda x: paddle.diagonal_scatter(x, t(n[0])), m)
shown("select_scatter", lambda x, y: paddle.select_scatter(x, y, 1, 2), a, draw(2))
shown("slice_scatter", lambda x, y: paddle.slice_scatter(x, y, [1], [0], [3], [2]), a, draw(2, 2))
shown("masked_scatter", lambda x, y: paddle.masked_scatter(x, t(a > 0), y), b, draw(6))
shown("index_put", lambda x, y: paddle.index_put(x, (t([0, 1]), t([2, 0])), y), a, draw(2))
shown("index_put", lambda x, y: paddle.index_put(x, (t([0, 0]), t([2, 2])), y, True), a, draw(2))
for name in ("eq", "gt", "le", "mul", "sub", "div", "negative", "clamp", "less", "true_divide"):
    given = {"negative": (), "clamp": (-0.5, 0.5)}.get(name, (t(b),))
    shown(name, lambda x, g=given, name=name: getattr(x, name)(*g), a)
shown("svdvals", paddle.linalg.svdvals, m)
shown("matrix_rank", paddle.linalg.matrix_rank, m @ np.diag([1, 1, 0]).astype("float32") @ n)
shown("vector_norm", lambda x: paddle.linalg.vector_norm(x, 3.0, 1), a)
shown("matrix_norm", lambda x: paddle.linalg.matrix_norm(x, "nuc"), m)
shown("matrix_norm", lambda x: paddle.linalg.matrix_norm(x, 1, keepdim=True), m)
for order in (None, "fro", 1, -2):
    shown("cond", lambda x, order=order: paddle.linalg.cond(x, order).detach(), m)
root = np.tril(np.abs(m)) + np.eye(3, dtype="float32")
shown("cholesky_solve", lambda x, y: paddle.linalg.cholesky_solve(x, y), draw(3, 2), root)
shown("lstsq", lambda x, y: paddle.linalg.lstsq(x, y)[0].detach(), draw(5, 3), draw(5, 2))
x = t(a)
x.mul_(t(b)).sub_(t(b))
print(np.round(x.numpy(), 3).tolist(), x.inplace_version)
