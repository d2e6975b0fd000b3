"""Hooks before and after forward."""

import paddle

layer = paddle.nn.Linear(1, 1, weight_attr=paddle.nn.initializer.Constant(2.0))
before = layer.register_forward_pre_hook(lambda layer, inputs: (inputs[0] + 1,))
after = layer.register_forward_post_hook(lambda layer, inputs, output: output * 10)
print(layer(paddle.to_tensor([[1.0]])).item())
before.remove()
print(layer(paddle.to_tensor([[1.0]])).item())
after.remove()
print(layer(paddle.to_tensor([[1.0]])).item())
