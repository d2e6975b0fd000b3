"""Values and slopes of activations."""

import paddle
import paddle.nn.functional as F

for name in ("relu", "sigmoid", "tanh", "gelu", "silu", "elu", "selu", "leaky_relu", "softplus", "softsign", "relu6",
             "log_sigmoid", "hardtanh", "mish"):
    x = paddle.to_tensor([-2.0, -0.5, 0.25, 3.0], stop_gradient=False)
    y = getattr(F, name)(x)
    y.sum().backward()
    print(name, y.numpy().round(5).tolist(), x.grad.numpy().round(5).tolist())
x = paddle.to_tensor([[1.0, 2.0, 3.0]], stop_gradient=False)
y = F.softmax(x)
(y * y).sum().backward()
print(y.numpy().round(5).tolist(), x.grad.numpy().round(5).tolist())
