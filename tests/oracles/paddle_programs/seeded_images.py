"""A convolutional network on drawn images, with dropout of channels and a noisy target."""

import paddle
from paddle import nn
from paddle.nn import functional as F

paddle.seed(5)


class Net(nn.Layer):
    def __init__(self):
        super().__init__()
        self.one = nn.Conv2D(1, 6, 3, padding=1)
        self.norm = nn.BatchNorm2D(6)
        self.two = nn.Conv2D(6, 8, 3, weight_attr=nn.initializer.KaimingNormal())
        self.out = nn.Linear(8 * 3 * 3, 4)

    def forward(self, x):
        x = F.max_pool2d(F.leaky_relu(self.norm(self.one(x))), 2)
        x = F.dropout2d(F.relu(self.two(x)), 0.25, training=self.training)
        x = F.max_pool2d(x, 1)
        return self.out(F.adaptive_avg_pool2d(x, 3).flatten(1))


net = Net()
optimizer = paddle.optimizer.Momentum(0.05, parameters=net.parameters())
images, classes = paddle.rand([16, 1, 10, 10]), paddle.randint(0, 4, [16])
for step in range(6):
    mixed = paddle.bernoulli(paddle.full([16, 4], 0.2)) + F.one_hot(classes, 4)
    loss = F.binary_cross_entropy_with_logits(net(images), paddle.clip(mixed, 0.0, 1.0))
    loss.backward()
    optimizer.step()
    optimizer.clear_grad()
    print(step, f"{loss.item():.4f}")
