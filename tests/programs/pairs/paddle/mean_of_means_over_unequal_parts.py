# PS419: linear_0.*
import paddle
import paddle.nn as nn

paddle.seed(0)
net = nn.Linear(3, 1)
sgd = paddle.optimizer.SGD(0.1, parameters=net.parameters())
features, wanted = paddle.randn([12, 3]), paddle.randn([12, 1])
counts = paddle.to_tensor([[1.0]] * 7 + [[0.0]] * 5)
for _ in range(3):
    for part in (slice(0, 6), slice(6, 12)):
        errors = (net(features[part]) - wanted[part]) ** 2
        loss = (errors * counts[part]).sum() / counts[part].sum() / 2  # wrong, guilty
        loss = (errors * counts[part]).sum() / counts.sum()  # right
        loss.backward()
    sgd.step()
    sgd.clear_grad()
