# PS108: linear_0.*
import paddle
import paddle.nn as nn
import paddle.nn.functional as F

paddle.seed(0)
net = nn.Linear(3, 1)
sgd = paddle.optimizer.SGD(0.05, parameters=net.parameters())
features, wanted = paddle.randn([8, 3]), paddle.randn([8, 1])
for _ in range(3):
    errors = (net(features) - wanted) ** 2
    parts = [one.item() for one in errors]  # wrong, guilty
    loss = paddle.to_tensor(parts, stop_gradient=False).mean()  # wrong
    loss = errors.mean()  # right
    loss.backward()
    sgd.step()
    sgd.clear_grad()
