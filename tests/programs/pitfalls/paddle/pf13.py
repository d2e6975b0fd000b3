# PS401 linear_1.w_0 linear_1.b_0
import paddle
from paddle import nn

paddle.seed(0)

x = paddle.randn([8, 3])
body, head = nn.Linear(3, 4), nn.Linear(4, 1)
optimizer = paddle.optimizer.Adam(0.01, parameters=body.parameters())  # wrong
optimizer = paddle.optimizer.Adam(0.01, parameters=body.parameters() + head.parameters())  # right
for _ in range(3):
    loss = ((head(body(x)) - 1.0) ** 2).mean()
    loss.backward()
    optimizer.step()
    optimizer.clear_grad()
