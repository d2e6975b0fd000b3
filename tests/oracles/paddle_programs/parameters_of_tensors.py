"""Parameters made of tensors, initializers of one's own, and layers by other names."""

import numpy as np
import paddle

nn = paddle.nn


class Halves(nn.initializer.Initializer):
    def forward(self, var, block=None):
        var.set_value(paddle.full(var.shape, 0.5, var.dtype))


class Net(nn.Layer):
    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(paddle.to_tensor([2.0, 3.0]))
        self.fixed = nn.Parameter(paddle.ones([2]), requires_grad=False)
        self.fc = nn.Linear(2, 2, weight_attr=Halves(), bias_attr=nn.initializer.Constant(1.0))

    def forward(self, x):
        return self.fc(x) * self.scale + self.fixed


net = Net()
print([name for name, _ in net.named_parameters()], [one.stop_gradient for one in net.parameters()])
print(net.scale.name, net.fixed.name)
print(net.scale.persistable, net.scale.is_leaf, net.scale.trainable, net.fixed.trainable, nn.Parameter().shape)
start = paddle.ones([2])
made = nn.Parameter(data=start)
start += 1.0
print(isinstance(made, nn.Parameter), nn.Parameter(paddle.ones([2], "int32"), False).dtype)
print(net.fc.weight.numpy().tolist(), net.fc.bias.numpy().tolist())
optimizer = paddle.optimizer.SGD(0.1, parameters=net.parameters())
x = paddle.to_tensor([[1.0, -1.0], [0.5, 2.0]])
for _ in range(2):
    loss = net(x).square().mean()
    loss.backward()
    optimizer.step()
    optimizer.clear_grad()
    print(round(loss.item(), 5), net.scale.numpy().round(5).tolist(), net.fixed.numpy().tolist())
print(sorted(net.state_dict()))
again = paddle.create_parameter([2], "float32")
print(nn.initializer.Constant(2.0).forward(again), again.numpy().tolist())
print(Halves()(again), again.numpy().tolist())
try:
    nn.Parameter([1.0])
except TypeError:
    print("no list")
print(nn.HuberLoss is nn.SmoothL1Loss, nn.UpsamplingBilinear2d is nn.UpsamplingBilinear2D)
print(nn.HuberLoss()(paddle.to_tensor([1.0, 3.0]), paddle.zeros([2])).item())
