"""A frozen body and a trained head go to one optimizer; the body stays in inference mode."""

import paddle
from paddle import nn

paddle.seed(0)
body = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1D(8), nn.ReLU())
head = nn.Linear(8, 3)
net = nn.Sequential(body, head)
for p in body.parameters():
    p.stop_gradient = True
body.eval()
opt = paddle.optimizer.AdamW(0.01, parameters=net.parameters(), weight_decay=0.01)
x, y = paddle.randn([16, 4]), paddle.randint(0, 3, [16])
for epoch in range(4):
    loss = nn.functional.cross_entropy(net(x), y)
    loss.backward()
    opt.step()
    opt.clear_grad()
print(float(loss))
