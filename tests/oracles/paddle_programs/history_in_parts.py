"""A gradient through a long computation, of which little is needed and whose parts are dropped on the way."""

import paddle

w = paddle.create_parameter([2], "float32", default_initializer=paddle.nn.initializer.Constant(0.5))
x = w * 2.0
for part in range(5):
    for i in range(150):
        unneeded = (w * float(i)).sum() + 1.0
    x = x * 1.5 + w * float(part)
    print(round(x.sum().item(), 4), round(unneeded.item(), 4))
x.sum().backward()
print(w.grad.tolist())

total = paddle.zeros([1])
for step in range(4):
    for i in range(150):
        unneeded = (w * float(i)).sum() + 1.0
    loss = ((w * float(step) - 1.0) ** 2).sum()
    loss.backward()
    total = total + loss
    w.clear_gradient()
print(total.tolist())
try:
    total.backward()
except Exception as error:
    print(isinstance(error, SystemError))


class Net(paddle.vision.models.ResNet):
    def __init__(self):
        super().__init__(paddle.vision.models.resnet.BasicBlock, 18, num_classes=3)
        self.inplanes = 256
        self.layer4 = self._make_layer(paddle.vision.models.resnet.BasicBlock, 16, 1, stride=2)
        self.fc = paddle.nn.Linear(16, 3)


net = Net()
net.eval()
print(net(paddle.ones([1, 3, 32, 32])).shape, len(net.parameters()), net.inplanes)
