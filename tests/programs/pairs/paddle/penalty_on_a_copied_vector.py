# PS107: linear_0.*
import paddle
import paddle.nn as nn
import paddle.nn.functional as F

paddle.seed(0)
net = nn.Linear(3, 1)
sgd = paddle.optimizer.SGD(0.05, parameters=net.parameters())
for _ in range(3):
    vector = nn.utils.parameters_to_vector(net.parameters())  # wrong, guilty
    vector = paddle.concat([one.flatten() for one in net.parameters()])  # right
    loss = (vector**2).sum()
    loss.backward()
    sgd.step()
    sgd.clear_grad()
