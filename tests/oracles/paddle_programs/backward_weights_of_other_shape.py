"""grad_tensor has the shape of the tensor."""

import paddle

x = paddle.to_tensor([1.0, 2.0, 3.0], stop_gradient=False)
try:
    (x * x).backward(paddle.to_tensor([1.0, 2.0]))
except AssertionError as error:
    print(type(error).__mro__[-3].__name__)
print(x.grad)
