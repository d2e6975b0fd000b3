import paddle
from paddle import nn

net = nn.Linear(3, 1)
optimizer = paddle.optimizer.SGD(0.01, parameters=net.parameters())
for _ in range(4):
    loss = (net(paddle.randn([8, 3])) ** 2).mean()
    loss.backward()
    optimizer.step()
    optimizer.clear_grad()
picture = paddle.to_tensor([[1.0, 2.0, 3.0]], stop_gradient=False)
loss = (net(picture) ** 2).mean()
loss.backward()
print(picture.grad.abs().numpy())
