"""An input that takes no part."""

import paddle

x = paddle.to_tensor(2.0, stop_gradient=False)
y = paddle.to_tensor(3.0, stop_gradient=False)
print(paddle.grad(x * x, [x, y], allow_unused=True))
paddle.grad(x * x, [x, y])
