"""Who wants a gradient unless told otherwise."""

import paddle

print(paddle.to_tensor(1.0).stop_gradient)
print(paddle.to_tensor(1.0, stop_gradient=False).stop_gradient)
print(paddle.create_parameter([2], "float32").stop_gradient)
print(paddle.ones([2]).stop_gradient, paddle.randn([2]).stop_gradient)
print(paddle.nn.Linear(2, 2).weight.stop_gradient)
x = paddle.to_tensor(1.0, stop_gradient=False)
print((x + 1).stop_gradient, (x + 1).detach().stop_gradient, x.clone().stop_gradient)
print((paddle.to_tensor(1.0) * 2).stop_gradient)
print(x.is_leaf, (x * 2).is_leaf, paddle.ones([1]).is_leaf)
