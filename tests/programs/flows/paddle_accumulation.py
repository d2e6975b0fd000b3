import paddle
from paddle import nn

net, x = nn.Linear(3, 1), paddle.randn([8, 3])
optimizer = paddle.optimizer.Adam(0.01, parameters=net.parameters())
for step in range(8):
    loss = ((net(x + step) - 1.0) ** 2).mean() / 4
    loss.backward()
    if step % 4 == 3:
        optimizer.step()
        optimizer.clear_grad()
