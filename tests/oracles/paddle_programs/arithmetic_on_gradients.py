"""What is computed from a tensor's `grad` wants a gradient, too, unless nothing is being recorded."""

import paddle

x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
y = (x * x).sum()
y.backward()
print(x.grad.stop_gradient, x.grad.is_leaf, x.grad)
doubled = x.grad * 2
print(doubled.stop_gradient, doubled.is_leaf, doubled)
norm = paddle.norm(x.grad)
print(norm.stop_gradient, norm)
print((x.grad > 1).stop_gradient, paddle.sign(x.grad).stop_gradient, paddle.argmax(x.grad).stop_gradient)
print(x.grad.detach().stop_gradient, x.grad.clone().stop_gradient, x.grad[0].stop_gradient)
print(x.grad.astype("float64").stop_gradient, (x.grad > x.grad).astype("float32").stop_gradient)
with paddle.no_grad():
    print((x.grad * 2).stop_gradient)
(slope,) = paddle.grad((x * x).sum(), x)
print(slope.stop_gradient, (slope * 2).stop_gradient)
(x * 3).sum().backward()
print(x.grad.tolist(), (x.grad + 1).stop_gradient)
layer = paddle.nn.Linear(2, 2, weight_attr=paddle.nn.initializer.Constant(0.5))
layer(paddle.ones([1, 2])).sum().backward()
total = sum((one.grad**2).sum() for one in layer.parameters())
print(total)
before = layer.weight.grad
kept = before * 1
layer.clear_gradients()
print(kept.stop_gradient, (kept + 1).stop_gradient, kept.tolist())
z = paddle.to_tensor([3.0], stop_gradient=False)
(z * z).backward()
held = z.grad
more = held * z
print(more.stop_gradient)
more.backward()
print(z.grad.tolist())
