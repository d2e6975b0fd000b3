"""set_value writes; the name still means the same tensor."""

import numpy as np
import paddle

x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
alias = x
x.set_value(np.array([5.0, 6.0], dtype="float32"))
print(alias, x.stop_gradient)
x.set_value(x * 2)
print(alias.numpy())
(x * x).sum().backward()
print(x.grad)
