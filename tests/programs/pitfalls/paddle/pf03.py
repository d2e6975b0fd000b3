# PS403 batch_norm1d_0.w_1 batch_norm1d_0.w_2
import paddle
from paddle import nn

paddle.seed(0)

x = paddle.randn([8, 3])
norm, head = nn.BatchNorm1D(3), nn.Linear(3, 1)
for parameter in norm.parameters():
    parameter.stop_gradient = True
norm.eval()  # right
optimizer = paddle.optimizer.SGD(0.1, parameters=head.parameters())
for _ in range(3):
    loss = ((head(norm(x)) - 1.0) ** 2).mean()  # wrong
    loss = ((head(norm(x)) - 1.0) ** 2).mean()  # right
    loss.backward()
    optimizer.step()
    optimizer.clear_grad()
