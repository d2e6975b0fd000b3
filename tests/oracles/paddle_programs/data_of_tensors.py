"""`x.data` has the tensor's memory and no history: what is written to it is written to the tensor."""

import paddle

constant = paddle.nn.initializer.Constant
w = paddle.create_parameter([2], "float32", default_initializer=constant(1.0))
kept = w.data
print(type(kept).__name__, kept.stop_gradient, kept.is_leaf, w.stop_gradient)
kept.fill_(3.0)
print(w.tolist())
w.data.zero_()
print(w.tolist())
w.data.add_(paddle.ones([2]))
w.data[0] = 9.0
print(w.tolist(), w.stop_gradient)
w.data = paddle.to_tensor([5.0, 6.0])
print(w)
(w * w).sum().backward()
w.data -= 0.5 * w.grad
print(w.grad.tolist(), w.tolist(), w.stop_gradient)
w.detach().fill_(7.0)
print(w.tolist())
w.data.clip_(0.0, 1.0)
w.data.copy_(w.data * 3, False)
print(w.tolist(), w.data.norm().stop_gradient)
x = paddle.ones([2])
x.stop_gradient = False
y = x * 2
y.data.fill_(1.0)
print(y.tolist(), y.stop_gradient)
y.sum().backward()
print(x.grad.tolist())
layer = paddle.nn.Linear(2, 2)
layer.weight.data.normal_(0, 0.0)
layer.bias.data.fill_(1.0)
optimizer = paddle.optimizer.SGD(0.5, parameters=layer.parameters())
for _ in range(3):
    layer(paddle.ones([1, 2])).sum().backward()
    optimizer.step()
    optimizer.clear_grad()
    for one in layer.parameters():
        one.data.clip_(-0.25, 0.25)
    print(layer.weight.tolist(), layer.bias.tolist())
