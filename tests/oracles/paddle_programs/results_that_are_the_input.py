"""Functions that have nothing to do give a result of its own, which is looked at before backward."""

import paddle

functional = paddle.nn.functional
SAME = {
    "adaptive_avg_pool1d": lambda x: functional.adaptive_avg_pool1d(x, 4),
    "adaptive_max_pool1d": lambda x: functional.adaptive_max_pool1d(x, 4),
    "avg_pool1d": lambda x: functional.avg_pool1d(x, 1),
    "pad": lambda x: functional.pad(x, [0, 0], data_format="NCL"),
    "interpolate": lambda x: functional.interpolate(x, size=[4], mode="linear", data_format="NCW"),
    "dropout": lambda x: functional.dropout(x, 0.0),
    "reshape": lambda x: x.reshape([2, 3, 4]),
    "transpose": lambda x: x.transpose([0, 1, 2]),
    "tile": lambda x: paddle.tile(x, [1, 1, 1]),
    "expand": lambda x: x.expand([2, 3, 4]),
    "concat": lambda x: paddle.concat([x]),
    "add_n": lambda x: paddle.add_n([x]),
    "roll": lambda x: paddle.roll(x, 0),
    "identity": lambda x: paddle.nn.Identity()(x),
    "slice": lambda x: x[:],
    "repeat": lambda x: paddle.repeat_interleave(x, 1),
    "sum": lambda x: paddle.sum(x.unsqueeze(0), axis=0),
    "power": lambda x: paddle.linalg.matrix_power(x[:, :3, :3], 1),
}
for name, function in SAME.items():
    x = paddle.ones([2, 3, 4])
    x.stop_gradient = False
    y = function(x)
    y.numpy()
    paddle.mean(y).backward()
    print(name, round(float(x.grad.sum()), 6))
