"""A summary of layers inside layers, of one that is called twice, and of what only holds others."""

import paddle

nn = paddle.nn


class Block(nn.Layer):
    def __init__(self, wide):
        super().__init__()
        self.first, self.second, self.dropped = nn.Linear(4, wide), nn.Linear(wide, 4), nn.Dropout(0.5)

    def forward(self, x):
        return x + self.dropped(self.second(self.dropped(self.first(x))))


class Net(nn.Layer):
    def __init__(self):
        super().__init__()
        self.blocks = nn.LayerList([Block(6), Block(5)])
        self.head = nn.Sequential(nn.LayerNorm(4), nn.Linear(4, 2))
        self.scale = self.create_parameter([1])

    def forward(self, x):
        for block in self.blocks:
            x = block(x)
        return self.head(x) * self.scale


print(paddle.summary(Net(), (3, 4)))
print(paddle.summary(nn.Linear(2, 3), (1, 2)))
net = Net()
net.blocks[0].first.weight.stop_gradient = True
print(paddle.summary(nn.Sequential(net, nn.ReLU()), (3, 4)))
print(paddle.text.datasets.__all__)
