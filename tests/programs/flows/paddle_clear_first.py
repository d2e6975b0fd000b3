import paddle
from paddle import nn

net, x = nn.Sequential(nn.BatchNorm1D(3), nn.Linear(3, 1)), paddle.randn([8, 3])
optimizer = paddle.optimizer.SGD(0.01, parameters=net.parameters())
optimizer.clear_grad()
for step in range(4):
    net.train()
    optimizer.clear_grad()
    loss = ((net(x) - 1.0) ** 2).mean()
    loss.backward()
    optimizer.step()
    net.eval()
    with paddle.no_grad():
        print(float(((net(x) - 1.0) ** 2).mean()))
