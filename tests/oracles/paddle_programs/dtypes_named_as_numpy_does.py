import numpy as np
import paddle

for kind in ("float", "int", "double", "half", "short", "long", "uint16", float, int, bool, complex, np.float32):
    print(kind, paddle.zeros([1], dtype=kind).dtype, paddle.ones([1]).astype(kind).dtype)
print(paddle.arange(3, dtype=float).dtype, paddle.sum(paddle.ones([2]), dtype=float).dtype)
x = paddle.to_tensor([1.0 / 3.0], "float64")
print((x.astype(float) * 3 - 1).numpy(), x.astype("float").numpy().dtype)


class Angles(paddle.nn.Layer):
    def __init__(self):
        super().__init__(dtype="float64")
        self.theta = self.create_parameter([2], dtype="float", default_initializer=paddle.nn.initializer.Constant(0.1))
        self.phi = self.create_parameter([2])
        print(self.theta.dtype, self.phi.dtype, paddle.nn.Linear(1, 1).to(dtype=float).weight.dtype)

    def forward(self):
        return paddle.cos(self.theta).sum()


angles = Angles()
optimizer = paddle.optimizer.SGD(0.5, parameters=angles.parameters())
for _ in range(3):
    loss = angles()
    loss.backward()
    optimizer.step()
    optimizer.clear_grad()
    print(loss.numpy().tolist())
