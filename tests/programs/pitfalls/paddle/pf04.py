# PS402 linear_0.w_0
import paddle
from paddle import nn

paddle.seed(0)

x = paddle.randn([8, 3])
body, head = nn.Linear(3, 4), nn.Linear(4, 1)
optimizer = paddle.optimizer.SGD(0.1, parameters=body.parameters() + head.parameters())
body.weight = paddle.create_parameter([3, 4], "float32")  # wrong
body.weight.set_value(paddle.ones([3, 4]))  # right
for _ in range(3):
    loss = ((head(body(x)) - 1.0) ** 2).mean()
    loss.backward()
    optimizer.step()
    optimizer.clear_grad()
