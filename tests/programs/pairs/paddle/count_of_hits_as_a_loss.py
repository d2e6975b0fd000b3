# PS105: linear_0.*
import paddle
import paddle.nn as nn
import paddle.nn.functional as F

paddle.seed(0)
net = nn.Linear(3, 1)
sgd = paddle.optimizer.SGD(0.05, parameters=net.parameters())
features = paddle.randn([8, 3])
label = (features[:, :1] > 0).astype("float32")
for _ in range(3):
    sure = F.sigmoid(net(features))
    hits = (paddle.round(sure) == label).astype("float32")  # wrong, guilty
    hits = 1.0 - paddle.abs(sure - label)  # right
    loss = 1.0 - hits.mean()
    loss.backward()
    sgd.step()
    sgd.clear_grad()
