"""Fine-tuning with batch normalisation kept in evaluation mode all along, and its scale trained."""

import paddle
import paddle.nn as nn
import paddle.nn.functional as F

paddle.seed(1)
net = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1D(4), nn.Linear(4, 1))
x, y = paddle.randn([16, 3]), paddle.randn([16, 1])
with paddle.no_grad():
    for _ in range(3):
        net(x)
adam = paddle.optimizer.Adam(0.01, parameters=net.parameters())
for _ in range(4):
    net.train()
    net[1].eval()
    F.mse_loss(net(x), y).backward()
    adam.step()
    adam.clear_grad()
