"""The gradient of the input, for examples that fool the network and for a map of what it looks at."""

import paddle
from paddle import nn

paddle.seed(0)
net = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 2))
opt = paddle.optimizer.SGD(0.1, parameters=net.parameters())
for step in range(4):
    x = paddle.randn([8, 4])
    y = (x[:, 0] > 0).astype("int64")
    x.stop_gradient = False
    loss = nn.functional.cross_entropy(net(x), y)
    (slope,) = paddle.grad(loss, x)
    worse = (x + 0.1 * slope.sign()).detach()
    loss = nn.functional.cross_entropy(net(worse), y)
    loss.backward()
    opt.step()
    opt.clear_grad()
x = paddle.to_tensor(paddle.randn([1, 4]).numpy(), stop_gradient=False)
net(x)[0, 0].backward()
print(x.grad.abs().numpy())
