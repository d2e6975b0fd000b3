# PS104 w
import paddle
from paddle import nn

paddle.seed(0)

w = paddle.create_parameter([1], "float32", default_initializer=nn.initializer.Constant(2.0))
for _ in range(3):
    loss = (w * w).sum()
    loss.backward()
    if w.grad is not None:
        w = w - 0.1 * w.grad  # wrong
        w.set_value(w - 0.1 * w.grad)  # right
        w.clear_gradient()  # right
