"""Axis 0 of tensors without axes, empty lists of axes, and dtypes of bfloat16 and complex operands."""

import paddle

x = paddle.to_tensor(2.0, stop_gradient=False)
for name in ("sum", "mean", "max", "min", "prod", "amax", "amin", "logsumexp", "nansum", "nanmean"):
    function = getattr(paddle, name)
    for axis in (0, -1, [0], None, []):
        found = function(x, axis)
        print(name, axis, found.shape, found.item(), paddle.grad(found, x)[0].item())
    many = paddle.ones([2, 3])
    print([function(many, axis=axis, keepdim=True).shape for axis in ([], (), None, [1])])
flags = x > 0
print(paddle.all(flags, 0).item(), paddle.any(flags, -1).item(), paddle.count_nonzero(x, 0).item())
print(paddle.count_nonzero(paddle.ones([2, 3]), axis=[]).item(), paddle.argmax(x, 0).item())
print([one(x, 0).item() for one in (paddle.cumsum, paddle.cumprod, paddle.sort, paddle.argsort, paddle.squeeze)])
print([one.tolist() for one in paddle.kthvalue(paddle.to_tensor([3.0, 1.0, 2.0]), 2, None)])
print(paddle.gather(paddle.arange(6).reshape([3, 2]), paddle.to_tensor([2, 0]), None).tolist())
print(paddle.ones([4, 3])[[]].shape, paddle.ones([4, 3])[[], 1:].shape)
print(paddle.scale(x, 2.0, bias=-1.0, act="relu").item(), paddle.scale(-x, act="relu").item())
FLOATS = ("bfloat16", "float32", "float64")
for first in (*FLOATS, "complex64", "complex128"):
    kinds = []
    for other in (*FLOATS, "complex64", "complex128", "int32", "bool"):
        a, b = paddle.to_tensor([1, 2]).astype(first), paddle.to_tensor([1, 1]).astype(other)
        if first != "bfloat16" or other not in ("bfloat16", "int32", "bool"):
            try:
                kinds.append(f"{other} {(a + b).dtype} {(b * a).dtype}")
            except TypeError:
                kinds.append(f"{other} refused")
    print(first, kinds)
turn = paddle.to_tensor([1.0 + 2.0j])
print((turn * paddle.to_tensor([2])).tolist(), (paddle.to_tensor([2.0], dtype="bfloat16") * turn).tolist())
