"""Options of functions that are seldom given: where results go, what counts as a median, how bits move."""

import warnings

import numpy as np
import paddle
import paddle.nn.functional as F

warnings.simplefilter("ignore")

# -- made with a gradient wanted, into a tensor that is there
for make in (
    lambda **o: paddle.linspace(0, 10, 5, **o),
    lambda **o: paddle.arange(4, **o),
    lambda **o: paddle.ones([2, 2], **o),
    lambda **o: paddle.zeros([2, 2], **o),
    lambda **o: paddle.full([2], 3.5, **o),
    lambda **o: paddle.eye(2, **o),
):
    one = make(device="cpu", requires_grad=True)
    print(one.tolist(), one.dtype, one.stop_gradient)
    print(make().stop_gradient)
for make in (paddle.ones_like, paddle.zeros_like, lambda x, **o: paddle.full_like(x, 2, **o)):
    one = make(paddle.rand([2]), device="cpu", requires_grad=True)
    print(one.tolist(), one.stop_gradient)
place = paddle.zeros([3, 2])
print(paddle.ones([3, 2], out=place) is place, place.tolist())
for draw in (paddle.rand, paddle.randn, paddle.empty):
    print(draw([2, 3], device="cpu", requires_grad=True).stop_gradient, draw([2, 3]).stop_gradient)

# -- in order
x = paddle.to_tensor([[3.0, 1.0], [2.0, 5.0], [0.5, 4.0]])
place = paddle.zeros([3, 2])
print(paddle.msort(input=x, out=place) is place, place.tolist())

# -- bits
x = paddle.to_tensor([[1, 100, -8], [16, 32, -128]], dtype="int8")
y = paddle.to_tensor([[4, 2, 1], [1, 2, 1]], dtype="int8")
for how in (True, False):
    print(paddle.bitwise_left_shift(x, y, is_arithmetic=how).tolist())
    print(paddle.bitwise_right_shift(x, y, is_arithmetic=how).tolist())

# -- medians
x = paddle.to_tensor(np.array([[1, np.nan, 3, np.nan], [1, 2, 3, 4], [np.nan, 1, 2, 3]]))
for axis in (-1, 0):
    print(paddle.median(x, axis=axis, keepdim=True).tolist())
    values, places = paddle.median(x, axis=axis, keepdim=True, mode="min")
    print(values.tolist(), places.tolist())
print(paddle.median(x).item(), paddle.median(x, mode="min").item())
print(x.nanmedian((0, 1), mode="min").tolist(), x.nanmedian(mode="min").tolist())
print(x.nanmedian((0, 1), keepdim=True).tolist())

# -- values looked at as another dtype
x = paddle.arange(24, dtype="float32").reshape([2, 3, 4])
for kind in ("uint8", paddle.int16, "int32", "float64"):
    seen = paddle.view(x, kind)
    print(seen.shape, seen.dtype, seen.astype("float64").sum().item() if seen.dtype != paddle.float64 else "")
print(paddle.view(x.astype("int32"), "uint8")[0, 0].tolist())
print(paddle.view(x, [6, -1]).shape)

# -- eigenvalues at the top, and lengths as a tensor
a = paddle.to_tensor([[2.0, 1.0], [1.0, 3.0]], stop_gradient=False)
values = paddle.eigvalsh(a + a.T, UPLO="L")
(values * paddle.to_tensor([1.0, 2.0])).sum().backward()
print(values.numpy().round(5).tolist(), a.grad.numpy().round(5).tolist())
print(paddle.shape(x).dtype, paddle.shape(x).tolist())

# -- a tensor made from one: nothing is asked for
leaf = paddle.asarray([1.0, 2.0], requires_grad=True)
print(leaf.stop_gradient, paddle.asarray(leaf).stop_gradient, paddle.asarray(leaf, dtype="float64").dtype)
print(paddle.asarray(leaf, requires_grad=True).stop_gradient, leaf.stop_gradient)

# -- whole channels
paddle.seed(0)
x = paddle.ones([4, 6, 5])
found = F.dropout1d(x, p=0.5)
rows = found.numpy().reshape(24, 5)
print(
    (rows == rows[:, :1]).all(),
    sorted(set(rows[:, 0].tolist())),
    F.dropout1d(x, 0.5, training=False).equal_all(x).item(),
)
print(F.dropout1d(paddle.ones([6, 5]), 0.3, training=False).shape)
for bad in (lambda: F.dropout1d(x, 1.5), lambda: F.dropout1d(paddle.ones([3]))):
    try:
        bad()
    except (ValueError, RuntimeError) as error:
        print(isinstance(error, ValueError))

# -- changes of distributions
affine = paddle.distribution.AffineTransform(paddle.to_tensor(0.0), paddle.to_tensor(2.0))
print(affine.forward_log_det_jacobian(paddle.to_tensor([1.0, 2.0])).shape)
print(affine.inverse_log_det_jacobian(paddle.to_tensor([1.0, 2.0])).numpy().round(5).tolist())
moved = paddle.distribution.TransformedDistribution(
    paddle.distribution.Normal(paddle.zeros([2]), paddle.ones([2])), [affine]
)
print(moved.log_prob(paddle.to_tensor([0.5, 1.0])).numpy().round(5).tolist())
