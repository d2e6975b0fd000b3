"""A counter of integers takes no gradient part, and counts."""

import paddle

counter = paddle.to_tensor(0)
x = paddle.to_tensor(1.0, stop_gradient=False)
for _ in range(3):
    (x * 2).backward()
    counter.set_value(counter + 1)
print(counter, x.grad)
