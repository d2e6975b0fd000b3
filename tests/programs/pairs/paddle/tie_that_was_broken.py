# PS416: made
import paddle
import paddle.nn as nn
import paddle.nn.functional as F

paddle.seed(0)


class Words(nn.Layer):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(6, 4)
        self.head = nn.Embedding(6, 4)
        self.head.weight = self.embed.weight

    def forward(self, ids):
        return self.embed(ids) @ self.head.weight.t()


def anew(weight):
    made = paddle.create_parameter(weight.shape, "float32")
    made.set_value(weight)
    return made


net = Words()
net.embed.weight = anew(net.embed.weight)
net.head.weight = anew(net.head.weight)  # wrong, guilty
net.head.weight = net.embed.weight  # right
sgd = paddle.optimizer.SGD(0.5, parameters=net.parameters())
ids = paddle.randint(0, 6, [32])
for _ in range(4):
    F.cross_entropy(net(ids), (ids + 1) % 6).backward()
    sgd.step()
    sgd.clear_grad()
