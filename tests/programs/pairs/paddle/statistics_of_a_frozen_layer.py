# PS403: batch_norm1d_0.*
import paddle
import paddle.nn as nn
import paddle.nn.functional as F

paddle.seed(0)
norm, head = nn.BatchNorm1D(3), nn.Linear(3, 1)
for one in norm.parameters():
    one.stop_gradient = True
norm.eval()  # right
sgd = paddle.optimizer.SGD(0.1, parameters=head.parameters())
for _ in range(4):
    hidden = norm(paddle.randn([8, 3]) + 2.0)  # guilty
    F.mse_loss(head(hidden), paddle.randn([8, 1])).backward()
    sgd.step()
    sgd.clear_grad()
