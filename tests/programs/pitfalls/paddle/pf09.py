# PS405 linear_0.w_0 linear_0.b_0
import paddle
from paddle import nn

paddle.seed(0)

net, x = nn.Linear(3, 1), paddle.randn([8, 3])
optimizer = paddle.optimizer.SGD(0.1, parameters=net.parameters())
for _ in range(3):
    loss = ((net(x) - 1.0) ** 2).mean()
    loss.backward()  # wrong
    loss.backward()  # right
    optimizer.step()
    optimizer.clear_grad()  # right
