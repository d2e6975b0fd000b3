"""Initializers that are called with a block, and layers inside a layer by their other name."""

import paddle
lin = paddle.nn.Linear(2, 2)
paddle.seed(3)
paddle.nn.initializer.KaimingNormal()(lin.weight, lin.weight.block)
print(lin.weight.tolist(), lin.weight.block is not None)
paddle.nn.initializer.Constant(2.0)(lin.bias); print(lin.bias.tolist())
print((lin.weight * 2).block is not None)
class N(paddle.nn.Layer):
    def __init__(self):
        super().__init__()
        self.a = paddle.nn.ReLU()
        self._modules["b"] = paddle.nn.Linear(2, 1)
    def forward(self, x):
        return self._modules["b"](self.a(x))
n = N(); print(list(n._modules), len(n.parameters()), n(paddle.ones([1, 2])).shape)
n._modules = {"c": paddle.nn.Linear(1, 1)}
print([k for k, _ in n.named_children()], n.c)
try: n._modules = 3
except TypeError as error: print(error)
