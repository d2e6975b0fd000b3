"""What is put into a tensor is differentiated."""

import paddle

w = paddle.to_tensor([2.0, 3.0], stop_gradient=False)
buffer = paddle.zeros([3])
buffer[0] = w[0] * 10
buffer[2] = w[1] * w[1]
print(buffer)
(buffer * paddle.to_tensor([1.0, 1.0, 2.0])).sum().backward()
print(w.grad)
