"""Gradients of whole numbers and truth values: Paddle's kernels take most of them like floats, and cut them."""

import numpy as np

import paddle

TABLE = """
x + y
x - y
x * y
x / y
x // y
x % y
x ** y
paddle.maximum(x, y)
x * 2.5
2.5 * x
x / 2
5 / x
x ** 2
2 ** x
-x
x.sum()
x.mean()
x.mean(0)
(x.mean() * -40).sum()
x.max()
x.min(0)
x.prod()
x.exp()
x.log()
x.sqrt()
x.sin()
x.tanh()
x.reciprocal()
x.logsumexp()
x.square()
x.abs()
x.sign()
x.floor()
x.ceil()
x.round()
x.trunc()
x.clip(2, 4)
x.cumsum(0)
x.scale(2.7, 1.6)
x.scale(0.5)
x.scale(2, 1.5, bias_after_scale=False)
x.trace()
x.sort()
x.diff()
x.count_nonzero()
x.conj()
x.tile([2, 1])
x.expand([3, 2, 2])
x.reshape([4])[1]
x[0] + x[1]
x[0, 1] * 3
x * x
x.clone() + x
paddle.concat([x, y])
paddle.stack([x, x])
paddle.where(x > 3, x, y)
paddle.gather(x, paddle.to_tensor([1, 0, 1]))
paddle.matmul(x, y)
paddle.inner(x, y)
paddle.heaviside(x, y)
paddle.copysign(x, y)
paddle.atan2(x, y)
paddle.hypot(x, y)
x.astype("float32") * 1.7
x.astype("int16").astype("float64").sum()
(x.astype("float32") * y.astype("float32")).astype("int32") * 2
paddle.nn.functional.mse_loss(x, y.detach())
paddle.nn.functional.one_hot(x, 9)
"""


def shown(one):
    return (
        None
        if one is None
        else (str(one.dtype), one.stop_gradient, np.round(one.numpy().astype("float64"), 3).tolist())
    )


def result_of(line, x, y):
    """Shows a result, and the gradients that it leaves."""
    try:
        found = eval(line)
        about = shown(found)
    except Exception:
        return "is not computed"
    if found.stop_gradient:
        return about, "stops"
    try:
        found.backward()
    except NotImplementedError:
        return about, "meets"
    except Exception:
        return about, "is refused"
    return about, shown(x.grad), shown(y.grad)


for dtype in ("int32", "int64"):
    for line in TABLE.strip().splitlines():
        x = paddle.to_tensor(np.array([[5, 3], [1, 7]]).astype(dtype), stop_gradient=False)
        y = paddle.to_tensor(np.array([[2, 4], [1, 3]]).astype(dtype), stop_gradient=False)
        found = result_of(line, x, y)
        if line in ("x.prod()", "x.exp()"):
            # Paddle gives zeros, and a gradient of another dtype than its tensor.
            found = found[0]
        print(dtype, line, found)
for line in (
    "x + y",
    "x.sum()",
    "x[1]",
    "x.reshape([3, 1]).sum()",
    "x.astype('float32') * 1.5",
    "x.tile([2])",
):
    for dtype in ("bool", "uint8", "int8", "int16"):
        if (line, dtype) != ("x + y", "bool"):
            x, y = (
                paddle.to_tensor(np.array(one).astype(dtype), stop_gradient=False)
                for one in ([5, 0, 7], [2, 4, 3])
            )
            print(dtype, line, result_of(line, x, y))

# A cast to whole numbers and back passes the gradient, cut off.
for line in (
    "x.astype('int32').astype('float32')",
    "x.astype('int32').astype('float32') * x",
    "(x.astype('int64') * 2.7).sum()",
    "x.astype('int32') * x.astype('int32')",
    "x.astype('bool').astype('float32')",
    "(x * 0.4).astype('int32').astype('float32') * 0.9",
    "paddle.round(x).astype('int64').astype('float32')",
    "(x > 2).astype('float32') * x",
):
    x = paddle.to_tensor([1.5, 2.5, 3.75], stop_gradient=False)
    print(line, result_of(line, x, x.detach()))

# Weights have any dtype.
for dtype in ("int32", "bool", "float64", "float32"):
    for of in ("float32", "int64", "float64"):
        x = paddle.to_tensor(np.array([1, 2, 3]).astype(of), stop_gradient=False)
        weights = paddle.to_tensor(np.array([2, 0, 3]).astype(dtype))
        print(dtype, of, shown(paddle.grad(x * 3, x, weights)[0]))
        (x + 1).backward(weights)
        print(shown(x.grad))

# A second pass is not added to the first one's gradient; hooks see whole numbers.
x = paddle.to_tensor([1, 2], stop_gradient=False)
y = x * 3
y.register_hook(lambda gradient: print(shown(gradient)))
y.sum().backward()
try:
    x.sum().backward()
except NotImplementedError:
    print("meets", shown(x.grad))

# Gradients pass from step to step.
x = paddle.to_tensor([1.5, 2.5], stop_gradient=False)
y = (x * 3).astype("int32")
print(y.tolist())
z = y.astype("float32") * 2.0
print(z.tolist())
z.sum().backward()
print(shown(x.grad))
