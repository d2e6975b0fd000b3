# nothing
import paddle
from paddle import nn

paddle.seed(0)

table, net = paddle.randn([4, 3]), nn.Linear(3, 1)
optimizer = paddle.optimizer.SGD(0.1, parameters=net.parameters())
for _ in range(3):
    rows = paddle.gather(table, paddle.to_tensor([1, 2]))
    rows = rows.detach()  # wrong
    loss = ((net(rows) - 1.0) ** 2).mean()
    loss.backward()
    optimizer.step()
    optimizer.clear_grad()
