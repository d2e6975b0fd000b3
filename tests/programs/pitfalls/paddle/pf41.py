# PS403 batch_norm1d_0.w_1 batch_norm1d_0.w_2
import paddle
from paddle import nn

paddle.seed(0)

x = paddle.randn([8, 3])
model = nn.Sequential(nn.BatchNorm1D(3), nn.Linear(3, 1))
for parameter in model[0].parameters():
    parameter.stop_gradient = True
model.train()
model[0].eval()
model.train()  # wrong
optimizer = paddle.optimizer.SGD(0.1, parameters=model[1].parameters())
for _ in range(3):
    loss = ((model(x) - 1.0) ** 2).mean()  # here
    loss.backward()
    optimizer.step()
    optimizer.clear_grad()
