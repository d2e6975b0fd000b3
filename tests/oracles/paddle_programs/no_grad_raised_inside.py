"""An exception closes no_grad."""

import paddle

x = paddle.to_tensor(3.0, stop_gradient=False)
try:
    with paddle.no_grad():
        raise KeyError("left")
except KeyError:
    pass
print(paddle.is_grad_enabled(), (x * 2).stop_gradient)
