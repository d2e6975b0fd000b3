# PS414: linear_0.*
import paddle
import paddle.nn as nn
import paddle.nn.functional as F

paddle.seed(0)


class Average:
    def __init__(self, net):
        self.net = net
        self.kept = {name: one.clone().detach() for name, one in net.named_parameters()}

    def follow(self):
        for name, one in self.net.named_parameters():
            self.kept[name] = 0.9 * self.kept[name] + 0.1 * one.detach()

    def publish(self):
        for name, one in self.net.named_parameters():
            one.set_value(self.kept[name])  # guilty


net = nn.Linear(3, 1)
average = Average(net)
sgd = paddle.optimizer.SGD(0.1, parameters=net.parameters())
features, wanted = paddle.randn([8, 3]), paddle.randn([8, 1])
for _ in range(3):
    for _ in range(4):
        F.mse_loss(net(features), wanted).backward()
        sgd.step()
        sgd.clear_grad()
        average.follow()  # right
    learned = {name: one.clone().detach() for name, one in net.named_parameters()}  # right
    average.publish()
    print(float(F.mse_loss(net(features), wanted)))
    for name, one in net.named_parameters():  # right
        one.set_value(learned[name])  # right
