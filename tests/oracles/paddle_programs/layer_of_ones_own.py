"""A layer with a parameter, a buffer and a layer inside."""

import paddle


class Scale(paddle.nn.Layer):
    def __init__(self):
        super().__init__()
        self.factor = self.create_parameter([1], default_initializer=paddle.nn.initializer.Constant(2.0))
        self.register_buffer("seen", paddle.zeros([1]))
        self.inner = paddle.nn.Linear(1, 1, weight_attr=paddle.nn.initializer.Constant(3.0))

    def forward(self, x):
        self.seen = self.seen + 1
        return self.inner(x) * self.factor


net = Scale()
y = net(paddle.to_tensor([[4.0]]))
print(y, net.seen)
print(list(net.state_dict()), [name for name, _ in net.named_sublayers()])
y.backward()
print(net.factor.grad, net.inner.weight.grad)
net.eval()
print(net.training, net.inner.training)
