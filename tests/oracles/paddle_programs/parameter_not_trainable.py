"""ParamAttr(trainable=False)."""

import paddle

layer = paddle.nn.Linear(2, 1, weight_attr=paddle.ParamAttr(trainable=False))
print(layer.weight.stop_gradient, layer.weight.trainable, layer.bias.trainable)
layer(paddle.ones([1, 2])).sum().backward()
print(layer.weight.grad, layer.bias.grad)
layer.weight.trainable = True
print(layer.weight.stop_gradient)
