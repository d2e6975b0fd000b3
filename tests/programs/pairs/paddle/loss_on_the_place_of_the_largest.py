# PS105: linear_0.*
import paddle
import paddle.nn as nn
import paddle.nn.functional as F

paddle.seed(0)
net = nn.Linear(3, 2)
sgd = paddle.optimizer.SGD(0.05, parameters=net.parameters())
features = paddle.randn([8, 3])
label = (features[:, 0] > 0).astype("float32")
for _ in range(3):
    logits = net(features)
    chosen = paddle.argmax(logits, axis=1).astype("float32")  # wrong, guilty
    chosen = F.softmax(logits, axis=1)[:, 1]  # right
    loss = ((chosen - label) ** 2).mean()
    loss.backward()
    sgd.step()
    sgd.clear_grad()
