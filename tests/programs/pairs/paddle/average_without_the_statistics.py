# PS415: batch_norm1d_1.*
import paddle
import paddle.nn as nn
import paddle.nn.functional as F

paddle.seed(0)


def network():
    return nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1D(4), nn.Linear(4, 1))


net, slow = network(), network()
slow.eval()
sgd = paddle.optimizer.SGD(0.05, parameters=net.parameters())
features, wanted = paddle.randn([16, 3]) + 2.0, paddle.randn([16, 1])
for _ in range(5):
    F.mse_loss(net(features), wanted).backward()
    sgd.step()
    sgd.clear_grad()
    with paddle.no_grad():
        for mine, other in zip(slow.parameters(), net.parameters()):  # guilty
            if not other.stop_gradient:  # wrong
                mine.set_value(0.9 * mine + 0.1 * other)  # wrong
            mine.set_value(0.9 * mine + 0.1 * other)  # right
print(float(F.mse_loss(slow(features), wanted)))
