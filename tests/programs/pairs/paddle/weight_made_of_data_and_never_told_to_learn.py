# PS110: w
import paddle
import paddle.nn as nn
import paddle.nn.functional as F

paddle.seed(0)
w = paddle.to_tensor([[0.5], [0.5], [0.5]])  # wrong
w = paddle.to_tensor([[0.5], [0.5], [0.5]], stop_gradient=False)  # right
bias = paddle.create_parameter([1], "float32")
sgd = paddle.optimizer.SGD(0.05, parameters=[w, bias])
features, wanted = paddle.randn([8, 3]), paddle.randn([8, 1])
for _ in range(3):
    F.mse_loss(features @ w + bias, wanted).backward()
    sgd.step()  # guilty
    sgd.clear_grad()
