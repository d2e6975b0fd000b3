"""x += outside and inside no_grad."""

import paddle

x = paddle.to_tensor([1.0], stop_gradient=False)
alias = x
x += 1
print(x is alias, x, x.is_leaf)
