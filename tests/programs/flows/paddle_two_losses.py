import paddle
from paddle import nn

net, x = nn.Linear(3, 2), paddle.randn([8, 3])
optimizer = paddle.optimizer.SGD(0.01, parameters=net.parameters())
for _ in range(4):
    both = net(x)
    (both[:, 0] ** 2).mean().backward(retain_graph=True)
    ((both[:, 1] - 1.0) ** 2).mean().backward()
    optimizer.step()
    optimizer.clear_grad()
