"""What was drawn can become a leaf."""

import paddle

x = paddle.randn([4])
x.stop_gradient = False
y = (x * x * 3).sum()
y.backward()
print(paddle.allclose(x.grad, 6 * x.detach()).item(), x.is_leaf, x.stop_gradient)
