# PS416 created
import paddle
from paddle import nn

paddle.seed(0)


def created(old):
    created = paddle.create_parameter(old.shape, "float32")
    created.set_value(old)
    return created


embed, head = nn.Embedding(4, 3), nn.Embedding(4, 3)
head.weight = embed.weight
embed.weight = created(embed.weight)
head.weight = created(head.weight)  # wrong
head.weight = embed.weight  # right
optimizer = paddle.optimizer.SGD(0.1, parameters=[*{id(p): p for p in (embed.weight, head.weight)}.values()])
for ids in ([0, 1], [2, 3], [1, 2]):
    loss = ((embed(paddle.to_tensor(ids)) @ head.weight.t() - 1.0) ** 2).sum()
    loss.backward()
    optimizer.step()
    optimizer.clear_grad()
