# PS101 linear_2.w_0 linear_2.b_0
import paddle
from paddle import nn

paddle.seed(0)

x = paddle.randn([8, 3])
body, head = nn.Linear(3, 4), nn.Linear(4, 1)  # here
extra = nn.Linear(3, 4)  # here
optimizer = paddle.optimizer.SGD(0.1, parameters=body.parameters() + head.parameters() + extra.parameters())
for _ in range(3):
    hidden = body(x)  # wrong
    hidden = body(x) + extra(x)  # right
    loss = ((head(hidden) - 1.0) ** 2).mean()
    loss.backward()  # here
    optimizer.step()  # here
    optimizer.clear_grad()
