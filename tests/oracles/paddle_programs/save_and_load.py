"""State saved and loaded."""

import os
import tempfile

import paddle

with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "state.pdparams")
    layer = paddle.nn.Linear(2, 1, weight_attr=paddle.nn.initializer.Constant(0.5))
    paddle.save(layer.state_dict(), path)
    other = paddle.nn.Linear(2, 1)
    other.set_state_dict(paddle.load(path))
    print(other.weight.numpy().tolist(), other.bias.numpy().tolist())
