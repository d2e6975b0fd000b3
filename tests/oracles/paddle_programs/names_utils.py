"""Gradients clipped by hand, and parameters as a vector."""

import numpy as np
import paddle


def rounded(tensor):
    return [float(f"{one:.5g}") for one in tensor.flatten().tolist()]


net = paddle.nn.Linear(
    2, 2, weight_attr=paddle.nn.initializer.Assign(np.asarray([[1.0, -2.0], [3.0, 4.0]], np.float32))
)
optimizer = paddle.optimizer.SGD(0.1, parameters=net.parameters())
for step in range(3):
    (net(paddle.ones([1, 2])) ** 2).sum().backward()
    norm = paddle.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
    print(rounded(norm), [rounded(one.grad) for one in net.parameters()])
    optimizer.step()
    optimizer.clear_grad()
print(rounded(net.weight), rounded(net.bias))
(net(paddle.ones([1, 2])) ** 2).sum().backward()
paddle.nn.utils.clip_grad_value_(net.parameters(), 0.5)
print([one.grad.tolist() for one in net.parameters()])
vector = paddle.nn.utils.parameters_to_vector(net.parameters())
print(rounded(vector))
paddle.nn.utils.vector_to_parameters(vector.detach() * 2.0, net.parameters())
print(rounded(net.weight))
