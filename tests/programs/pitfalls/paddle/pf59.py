import paddle
from paddle import nn

paddle.seed(0)

table = nn.Embedding(4, 3, weight_attr=paddle.ParamAttr(trainable=False))  # wrong
table = nn.Embedding(4, 3)  # right
head = nn.Linear(3, 1)
optimizer = paddle.optimizer.SGD(0.1, parameters=table.parameters() + head.parameters())
for _ in range(3):
    loss = ((head(table(paddle.to_tensor([1, 2]))) - 1.0) ** 2).mean()
    loss.backward()
    optimizer.step()
    optimizer.clear_grad()
