"""What gradients say of themselves: whether they stop gradients, and whether they are leaves."""

import paddle

x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
w = paddle.create_parameter([2], "float32", default_initializer=paddle.nn.initializer.Constant(0.5))
for create_graph in (False, True):
    y = (x * x * w).sum()
    for one in paddle.grad(y, [x, w], create_graph=create_graph, retain_graph=True):
        print("grad", create_graph, one.stop_gradient, (one * 2).stop_gradient)
    (constant,) = paddle.grad((x * 3).sum(), x, create_graph=create_graph)
    print("constant", constant.stop_gradient)

seen = []


def hook(gradient):
    seen.append((gradient.stop_gradient, gradient.is_leaf))


x.register_hook(hook)
w.register_hook(hook)
middle = x * w
middle.retain_grads()
middle.register_hook(hook)
(middle**2).sum().backward()
print(seen)
for one in (x, w, middle):
    print(one.grad.stop_gradient, one.grad.is_leaf, one.grad.detach().stop_gradient)
w.grad.stop_gradient = True
print((w.grad * 2).stop_gradient)


class Product(paddle.autograd.PyLayer):
    @staticmethod
    def forward(ctx, one, other):
        ctx.save_for_backward(one, other)
        return one * other

    @staticmethod
    def backward(ctx, gradient):
        one, other = ctx.saved_tensor()
        print("backward", gradient.stop_gradient, one.stop_gradient, (gradient * other).stop_gradient)
        return gradient * other, gradient * one


one = paddle.to_tensor([3.0, 1.0], stop_gradient=False)
other = paddle.to_tensor([3.0, 4.0], stop_gradient=False)
Product.apply(one * 1, other).sum().backward()
print(one.grad.stop_gradient, other.grad.stop_gradient)
Product.apply(one, other).sum().backward()
print(one.grad, other.grad)
for create_graph in (False, True):
    found = paddle.grad(Product.apply(one, other).sum(), [one, other], create_graph=create_graph)
    print([each.stop_gradient for each in found])
(slope,) = paddle.grad(Product.apply(one, one).sum(), one, create_graph=True)
print(paddle.grad((slope**2).sum(), one)[0].tolist())
