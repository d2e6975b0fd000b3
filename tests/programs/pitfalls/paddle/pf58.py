# PS413 batch_norm1d_0.w_1 batch_norm1d_0.w_2
import paddle
from paddle import nn

paddle.seed(0)

x = paddle.randn([8, 3])
model = nn.Sequential(nn.BatchNorm1D(3), nn.Linear(3, 1))  # here
model.eval()  # wrong
optimizer = paddle.optimizer.SGD(0.1, parameters=model.parameters())
for _ in range(3):
    loss = ((model(x) - 1.0) ** 2).mean()
    loss.backward()
    optimizer.step()  # here
    optimizer.clear_grad()
