"""An initializer that draws gives a tensor memory of its own; Constant and Assign write what others show."""

import paddle
from paddle.nn import initializer

paddle.seed(5)
for one in (
    initializer.Normal(), initializer.XavierUniform(), initializer.KaimingNormal(), initializer.Orthogonal(),
    initializer.TruncatedNormal(), initializer.Constant(2.0), initializer.Assign([[1.0, 2.0, 3.0]] * 2),
):  # fmt: skip
    for layer in (paddle.nn.Linear(2, 3), paddle.nn.Linear(2, 3)):
        weight, before = layer.weight, layer.weight.numpy().copy()
        detached = weight.detach()
        one(weight.data)
        print(type(one).__name__, bool((weight.numpy() == before).all()), end=" ")
        one(weight)
        print(bool((weight.numpy() == before).all()), bool((detached.numpy() == before).all()))
    print([round(value, 4) for value in layer.weight.flatten().tolist()])
