"""grad_outputs weighs the elements."""

import paddle

x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
print(paddle.grad([x * x], [x], grad_outputs=[paddle.to_tensor([3.0, 10.0])]))
