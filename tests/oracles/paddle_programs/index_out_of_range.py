"""An index outside."""

import paddle

x = paddle.to_tensor([1.0, 2.0, 3.0])
print(x[5])
