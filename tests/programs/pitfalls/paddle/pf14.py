# PS401 linear_0.w_0 linear_0.b_0
import paddle
from paddle import nn

paddle.seed(0)


class Net(nn.Layer):
    def __init__(self):
        super().__init__()
        self.hidden = [nn.Linear(3, 4)]  # wrong
        self.hidden = nn.LayerList([nn.Linear(3, 4)])  # right
        self.head = nn.Linear(4, 1)

    def forward(self, x):
        return self.head(self.hidden[0](x))


net, x = Net(), paddle.randn([8, 3])
optimizer = paddle.optimizer.SGD(0.1, parameters=net.parameters())
for _ in range(3):
    loss = ((net(x) - 1.0) ** 2).mean()
    loss.backward()
    optimizer.step()
    optimizer.clear_grad()
