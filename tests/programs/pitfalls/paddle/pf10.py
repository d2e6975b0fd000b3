# PS107 linear_0.w_0 linear_0.b_0
import paddle
from paddle import nn

paddle.seed(0)

x = paddle.randn([8, 3])
body, head = nn.Linear(3, 4), nn.Linear(4, 1)  # here
optimizer = paddle.optimizer.SGD(0.1, parameters=body.parameters() + head.parameters())
for _ in range(3):
    paddle.set_grad_enabled(False)  # wrong
    hidden = body(x)  # here
    paddle.set_grad_enabled(True)  # wrong
    loss = ((head(hidden) - 1.0) ** 2).mean()
    loss.backward()  # here
    optimizer.step()  # here
    optimizer.clear_grad()
