# refused: KernelError
import paddle
from paddle import nn

paddle.seed(0)

w, b = paddle.to_tensor(3, stop_gradient=False), paddle.to_tensor(1.0, stop_gradient=False)  # wrong
w, b = paddle.to_tensor(3.0, stop_gradient=False), paddle.to_tensor(1.0, stop_gradient=False)  # right
optimizer = paddle.optimizer.SGD(0.1, parameters=[w, b])
for _ in range(3):
    loss = (w.astype("float32") * b - 1.0) ** 2
    loss.backward()
    optimizer.step()
    optimizer.clear_grad()
