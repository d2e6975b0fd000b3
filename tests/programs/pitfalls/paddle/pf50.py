# PS101 linear_1.w_0 linear_1.b_0
import paddle
from paddle import nn

paddle.seed(0)

net, decay, x = nn.Linear(3, 1), nn.Linear(3, 1), paddle.randn([8, 3])  # here
optimizer = paddle.optimizer.SGD(0.1, parameters=net.parameters() + decay.parameters())
for _ in range(3):
    penalty = (decay(x) ** 2).mean()  # here
    loss = ((net(x) - 1.0) ** 2).mean()  # wrong
    loss = ((net(x) - 1.0) ** 2).mean() + penalty  # right
    loss.backward()  # here
    optimizer.step()  # here
    optimizer.clear_grad()
