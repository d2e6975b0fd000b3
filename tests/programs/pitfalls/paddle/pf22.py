# PS408 linear_0.w_0 linear_0.b_0
import paddle
from paddle import nn

paddle.seed(0)

net, x = nn.Linear(3, 1), paddle.randn([8, 3])
optimizer = paddle.optimizer.SGD(0.01, parameters=net.parameters())
for _ in range(3):
    for part in range(4):
        optimizer.clear_grad()  # wrong
        loss = ((net(x + part) - 1.0) ** 2).mean() / 4.0
        loss.backward()
    optimizer.step()
    optimizer.clear_grad()  # right
