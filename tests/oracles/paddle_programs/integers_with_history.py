"""`stop_gradient` of integers that were computed from what is trained, and of what is computed from them."""

import paddle

F = paddle.nn.functional
TABLE = """
x.astype("int32")
x.astype("bool")
paddle.cast(x, "int64")
x.astype("int64").astype("int32")
x.astype("int32") * 2
x.astype("int32") + 1
x.astype("int32").sum()
x.astype("int32")[0]
x.astype("int32").reshape([4])
x.astype("int32").transpose([1, 0])
x.astype("int32").clone()
x.astype("int32").detach()
x.astype("int32").astype("float32")
x.astype("int32") > 2
paddle.clip(x.astype("int32"), 1, 2)
paddle.maximum(x.astype("int32"), y.astype("int32"))
paddle.bitwise_and(x.astype("int32"), y.astype("int32"))
F.one_hot(x.astype("int64"), 7)
paddle.argmax(x)
paddle.argmin(x, 1)
paddle.argmax(x, 1) + 1
paddle.argsort(x)
paddle.topk(x, 2)[1]
paddle.kthvalue(x, 1)[1]
paddle.mode(x)[1]
paddle.cummax(x)[1]
paddle.cummin(x)[1]
paddle.linalg.lu(x)[1]
paddle.median(x, axis=1, mode="min")[1]
F.max_pool2d(x.reshape([1, 1, 2, 2]), 2, return_mask=True)[1]
paddle.nonzero(x)
paddle.searchsorted(x[0], x)
paddle.unique(x)
paddle.histogram(x)
x > 2
x == y
(x > 2).astype("float32")
(paddle.argmax(x, 1) == paddle.to_tensor([0, 1])).astype("float32").mean()
paddle.isnan(x)
paddle.numel(x)
paddle.floor(x)
x // y
"""
leaf = paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]], stop_gradient=False)
other = paddle.to_tensor([[2.0, 1.0], [3.0, 5.0]], stop_gradient=False)
for line in TABLE.strip().splitlines():
    found = []
    for x, y in ((leaf, other), (leaf * 1.0, other * 1.0), (leaf.detach(), other.detach())):
        made = eval(line)
        found.append((str(made.dtype), made.stop_gradient))
    with paddle.no_grad():
        x, y = leaf * 1.0, other * 1.0
        found.append(eval(line).stop_gradient)
    print(line, *found)

# A gradient through places is that of the values.
values, places = paddle.topk(leaf, 1)
(values.sum() + paddle.take_along_axis(leaf, places, 1).sum()).backward()
print(leaf.grad.numpy().tolist(), places.stop_gradient)
