# PS101: linear_1.*
import paddle
import paddle.nn as nn
import paddle.nn.functional as F

paddle.seed(0)


class Net(nn.Layer):
    def __init__(self):
        super().__init__()
        self.first, self.refine = nn.Linear(3, 4), nn.Linear(4, 4)

    def forward(self, features):
        return self.first(features)  # wrong
        return self.refine(self.first(features))  # right


net = Net()
adam = paddle.optimizer.Adam(0.01, parameters=net.parameters())
features, wanted = paddle.randn([8, 3]), paddle.randn([8, 4])
for _ in range(3):
    F.mse_loss(net(features), wanted).backward()
    adam.step()  # guilty
    adam.clear_grad()
