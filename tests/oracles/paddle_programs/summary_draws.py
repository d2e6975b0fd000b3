import paddle
from paddle import nn

paddle.seed(3)
net = nn.Sequential(nn.Flatten(), nn.Linear(8, 4), nn.BatchNorm1D(4), nn.Dropout(0.5), nn.Linear(4, 2))
paddle.summary(net, (3, 2, 4))
print(paddle.rand([2]).tolist())
net[2].eval()
paddle.summary(net, (None, 2, 4), "float32")
print(paddle.rand([2]).tolist(), [layer.training for layer in net.sublayers()])
net[2]._mean.set_value(paddle.zeros([4]))
net.eval()
net[3].train()
paddle.summary(net, paddle.static.InputSpec([None, 2, 4], "float32"))
print(paddle.rand([2]).tolist(), net.training, net[3].training)


class Two(nn.Layer):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(2, 2)

    def forward(self, first, second):
        print((first[0, 0] < 1).item(), second.dtype)
        return self.body(first) + paddle.cast(second, "float32")


paddle.summary(Two(), [(1, 2), (1, 2)], dtypes=["float32", "int64"])
print(paddle.rand([2]).tolist())


class Named(nn.Layer):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(2, 2)

    def forward(self, inputs):
        return self.body(inputs["x"]) if isinstance(inputs, dict) else self.body(inputs[0]) + inputs[1]


print(paddle.summary(Named(), input={"x": paddle.rand([1, 2])}))
print(paddle.summary(Named(), input=[paddle.rand([1, 2]), paddle.rand([1, 2])]))
model = paddle.Model(net, paddle.static.InputSpec([-1, 2, 4], "float32", "x"))
model.summary()
model.summary((1, 2, 4))
print(paddle.rand([2]).tolist())
