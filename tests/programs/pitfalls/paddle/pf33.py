# PS422 linear_0.w_0 linear_0.b_0
import paddle
from paddle import nn

paddle.seed(0)

x = paddle.randn([8, 3])
base, adapter = nn.Linear(3, 1), nn.Linear(3, 1)
for parameter in base.parameters():
    parameter.stop_gradient = True
for parameter in base.parameters() + adapter.parameters():  # wrong
    parameter.stop_gradient = False  # wrong
chosen = [p for p in base.parameters() + adapter.parameters() if not p.stop_gradient]
optimizer = paddle.optimizer.SGD(0.1, parameters=chosen)
for _ in range(3):
    loss = ((base(x) + adapter(x) - 1.0) ** 2).mean()
    loss.backward()
    optimizer.step()
    optimizer.clear_grad()
