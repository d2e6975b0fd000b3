# PS428: adapted*
import paddle
import paddle.nn as nn
import paddle.nn.functional as F

paddle.seed(0)


class Adapted(nn.Layer):
    def __init__(self, base):
        super().__init__()
        self.weight = self.create_parameter(base.weight.shape)  # guilty
        self.weight.set_value(base.weight)
        self.weight.stop_gradient = base.weight.stop_gradient  # right
        self.low = self.create_parameter([3, 1])

    def forward(self, features):
        return features @ self.weight + features @ self.low


base = nn.Linear(3, 1)
for one in base.parameters():
    one.stop_gradient = True
net = Adapted(base)
sgd = paddle.optimizer.SGD(0.1, parameters=[one for one in net.parameters() if not one.stop_gradient])
features, wanted = paddle.randn([8, 3]), paddle.randn([8, 1])
for _ in range(3):
    F.mse_loss(net(features), wanted).backward()
    sgd.step()
    sgd.clear_grad()
