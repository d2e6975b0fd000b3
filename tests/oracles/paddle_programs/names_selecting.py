"""Scattering, picking, counting: values, and gradients."""

import paddle


def slope(function, *given):
    leaves = [paddle.to_tensor(one, stop_gradient=False) for one in given]
    found = function(*leaves)
    (found * paddle.arange(1.0, found.numel() + 1.0).reshape(found.shape)).sum().backward()
    print(found.detach(), [one.grad.tolist() for one in leaves])


rows = paddle.to_tensor([2, 0])
slope(lambda x, u: paddle.scatter(x, rows, u), [[1.0], [2.0], [3.0]], [[5.0], [7.0]])
slope(lambda x, u: paddle.scatter(x, rows, u, overwrite=False), [[1.0], [2.0], [3.0]], [[5.0], [7.0]])
places = paddle.to_tensor([[1], [2], [1]])
slope(lambda x, u: paddle.scatter_nd_add(x, places, u), [0.0, 1.0, 2.0, 3.0], [9.0, 10.0, 11.0])
slope(lambda u: paddle.scatter_nd(places, u, [4]), [9.0, 10.0, 11.0])
slope(lambda x, u: paddle.index_add(x, rows, 0, u), [[1.0], [2.0], [3.0]], [[5.0], [7.0]])
slope(lambda x: paddle.index_fill(x, rows, 0, -1.0), [[1.0], [2.0], [3.0]])
slope(lambda x: paddle.index_sample(x, paddle.to_tensor([[0, 0], [1, 0]])), [[1.0, 2.0], [3.0, 4.0]])
slope(lambda x: paddle.repeat_interleave(x, 2, 0), [[1.0, 2.0], [3.0, 4.0]])
slope(lambda x: paddle.repeat_interleave(x, paddle.to_tensor([1, 2]), 1), [[1.0, 2.0], [3.0, 4.0]])
slope(lambda x: paddle.take(x, paddle.to_tensor([0, 3])), [[1.0, 2.0], [3.0, 4.0]])
slope(lambda x: paddle.rot90(x, 1, [0, 1]), [[1.0, 2.0], [3.0, 4.0]])
slope(lambda x: paddle.cumprod(x, dim=1), [[1.0, 2.0], [3.0, 4.0]])
slope(lambda x: paddle.diff(x, axis=0), [[1.0, 2.0], [3.0, 5.0]])
slope(lambda x: paddle.nansum(x, axis=0), [[1.0, float("nan")], [3.0, 4.0]])
slope(lambda x: paddle.nanmean(x), [[1.0, float("nan")], [3.0, 5.0]])
slope(lambda x: paddle.put_along_axis(x, paddle.to_tensor([[1], [0]]), 9.0, 1), [[1.0, 2.0], [3.0, 4.0]])
x = paddle.to_tensor([[3.0, 1.0, 2.0], [6.0, 5.0, 4.0]])
print(paddle.median(x), paddle.median(x, axis=1), paddle.median(x, axis=0, keepdim=True))
print(paddle.kthvalue(x, 2))
print(paddle.count_nonzero(x, axis=0), paddle.bincount(paddle.to_tensor([1, 1, 3]), minlength=5))
print(paddle.histogram(x, bins=3, min=0.0, max=6.0))
print(paddle.searchsorted(paddle.to_tensor([1.0, 3.0, 5.0]), paddle.to_tensor([3.0, 9.0]), right=True))
print(paddle.bucketize(x, paddle.to_tensor([2.0, 4.0])))
print(paddle.slice(x, [0, 1], [0, 1], [1, 3]), paddle.strided_slice(x, [1], [0], [3], [2]))
print(paddle.crop(x, [1, 2], [1, 0]), paddle.tril_indices(2, 3, 0), paddle.triu_indices(2))
print(paddle.broadcast_shape([2, 1], [3]), paddle.is_empty(x), paddle.tolist(x))
for running in (paddle.cummax, paddle.cummin):
    slope(lambda x, running=running: running(x)[0], [1.0, 2.0, 2.0, 1.0, 3.0, 3.0, 0.0])
    slope(lambda x, running=running: running(x, axis=0)[0], [[1.0, 2.0], [float("nan"), 5.0], [0.5, 5.0]])
    print(running(paddle.to_tensor([[1, 3], [3, 2]]), axis=-1, dtype="int32"))
    print(running(paddle.to_tensor([1.0, float("nan"), 5.0, float("nan"), 2.0])))
leaf = paddle.to_tensor([[0.3, -8.0], [-1.0, 0.5], [0.6, 9.0]], stop_gradient=False)
(paddle.logcumsumexp(leaf, axis=0) * paddle.to_tensor([[1.0], [3.0], [5.0]])).sum().backward()
print([[round(one, 4) for one in row] for row in leaf.grad.tolist()])
print(paddle.logcumsumexp(paddle.to_tensor([[1.0, 2.0], [0.0, 3.0]])))
print(paddle.to_tensor([1, 2]).logcumsumexp(), x.cummax(axis=0)[1])
