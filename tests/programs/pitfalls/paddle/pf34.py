# PS426 linear_1.w_0 linear_1.b_0
import paddle
from paddle import nn

paddle.seed(0)

used, idle, x = nn.Linear(3, 1), nn.Linear(3, 1), paddle.randn([8, 3])
optimizer = paddle.optimizer.Adam(0.1, parameters=used.parameters() + idle.parameters())
for turn in range(6):
    found = used(x) + idle(x) if turn < 2 else used(x)
    loss = ((found - 1.0) ** 2).mean()
    loss.backward()
    optimizer.step()  # here
    optimizer.clear_grad()  # wrong
    optimizer.clear_grad(set_to_zero=False)  # right
