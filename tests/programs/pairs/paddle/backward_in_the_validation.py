# PS405: linear_0.*
import paddle
import paddle.nn as nn
import paddle.nn.functional as F

paddle.seed(0)
net = nn.Linear(3, 1)
sgd = paddle.optimizer.SGD(0.1, parameters=net.parameters())


def run(features, wanted, optimizer=None):
    loss = F.mse_loss(net(features), wanted)
    loss.backward()  # wrong, guilty
    if optimizer is not None:
        loss.backward()  # right
        optimizer.step()
        optimizer.clear_grad()
    return float(loss)


train = paddle.randn([8, 3]), paddle.randn([8, 1])
test = paddle.randn([8, 3]) * 5.0, paddle.randn([8, 1])
for _ in range(3):
    run(*train, sgd)
    print(run(*test))
