"""What is written to a tensor is written to its views, and the other way round."""

import numpy
import paddle

ways = {
    "reshape": lambda x: x.reshape([4]),
    "flatten": lambda x: x.flatten(),
    "unsqueeze": lambda x: x.unsqueeze(0),
    "transpose": lambda x: x.transpose([1, 0]),
    "T": lambda x: x.T,
    "row": lambda x: x[1],
    "slice": lambda x: x[0:1],
    "every second": lambda x: x[::2],
    "column": lambda x: x[:, 1],
    "element": lambda x: x[1, 0],
    "view": lambda x: x.view([4]),
    "detach": lambda x: x.detach(),
    "chain": lambda x: x.T[0].reshape([1, 2]).detach(),
    "unbind": lambda x: paddle.unbind(x)[0],
    "split": lambda x: paddle.split(x, 2)[0],
    "unstack": lambda x: paddle.unstack(x)[0],
    "clone": lambda x: x.clone(),
    "places": lambda x: x[[0]],
    "mask": lambda x: x[x > 2],
    "expand": lambda x: x.expand([2, 2, 2]),
    "cast": lambda x: paddle.cast(x, "float32"),
    "astype": lambda x: x.astype("float32"),
    "flip": lambda x: x.flip(0),
    "crop": lambda x: paddle.crop(x, [1, 2]),
}
for name, way in ways.items():
    x = paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]])
    y = way(x)
    y.fill_(7.0)
    found = x.tolist()
    x = paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]]) + 0.0
    y = way(x)
    x[1] = 9.0
    print(name, found, y.tolist())

x = paddle.zeros([2, 2])
row = x[0]
element = row[1]
element.fill_(3.0)
row.scale_(2.0)
print(x.tolist(), row.tolist(), element.item())

weight = paddle.create_parameter([2], "float32", default_initializer=paddle.nn.initializer.Constant(1.0))
seen = weight.detach()
print(seen.tolist())
seen.set_value(numpy.array([5.0, 6.0], "float32"))
print(weight.tolist())
seen = weight.detach()
weight.set_value(numpy.array([7.0, 8.0], "float32"))
print(seen.tolist())

x = paddle.zeros([3])
y = paddle.ones([3])
x.set_value(y)
x.add_(y)
print(y.tolist())
