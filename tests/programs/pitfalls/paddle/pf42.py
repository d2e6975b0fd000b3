# PS107 linear_0.w_0 linear_0.b_0
import paddle
from paddle import nn

paddle.seed(0)

x = paddle.randn([8, 3])
body, head = nn.Linear(3, 4), nn.Linear(4, 1)
optimizer = paddle.optimizer.SGD(0.1, parameters=body.parameters() + head.parameters())
for _ in range(3):
    with paddle.no_grad():  # wrong
        hidden = body(x)  # wrong
    hidden = body(x)  # right
    loss = ((head(hidden) - 1.0) ** 2).mean()
    loss.backward()
    optimizer.step()
    optimizer.clear_grad()
