# PS401: linear_0.*
import paddle
import paddle.nn as nn
import paddle.nn.functional as F

paddle.seed(0)


class Net(nn.Layer):
    def __init__(self):
        super().__init__()
        self.parts = [nn.Linear(3, 4)]  # wrong, guilty
        self.parts = nn.LayerList([nn.Linear(3, 4)])  # right
        self.last = nn.Linear(4, 1)

    def forward(self, features):
        return self.last(F.tanh(self.parts[0](features)))


net = Net()
adam = paddle.optimizer.Adam(0.01, parameters=net.parameters())
features, wanted = paddle.randn([8, 3]), paddle.randn([8, 1])
for _ in range(3):
    F.mse_loss(net(features), wanted).backward()
    adam.step()
    adam.clear_grad()
