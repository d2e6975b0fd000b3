# PS201 linear_0.w_0 linear_0.b_0
import paddle
from paddle import nn

paddle.seed(0)

net, x = nn.Linear(3, 1), paddle.randn([8, 3])
optimizer = paddle.optimizer.Adam(0.1, parameters=net.parameters())  # right
for _ in range(4):
    optimizer = paddle.optimizer.Adam(0.1, parameters=net.parameters())  # wrong
    loss = ((net(x) - 1.0) ** 2).mean()
    loss.backward()
    optimizer.step()
    optimizer.clear_grad()
