"""Parameters and layers as text."""

import paddle

p = paddle.create_parameter([2], "float32", default_initializer=paddle.nn.initializer.Constant(0.5))
print(p)
print(p.name, p.trainable, p.stop_gradient)
net = paddle.nn.Sequential(paddle.nn.Linear(3, 4), paddle.nn.ReLU(), paddle.nn.Dropout(0.2), paddle.nn.Linear(4, 1))
print(net)
print(paddle.nn.Embedding(10, 3), paddle.nn.LayerNorm(4), paddle.nn.Flatten(), paddle.nn.Softmax())
print([name for name, _ in net.named_parameters()])
print(net[0].weight.name, net[3].bias.name, net.full_name())
