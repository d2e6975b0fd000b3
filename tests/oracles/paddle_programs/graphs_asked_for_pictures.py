"""Keywords that change nothing on a processor: pictures of graphs, moments in lower precision."""

import paddle

x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
(gradient,) = paddle.grad((x * x).sum(), x, dump_backward_graph_path=None)
print(gradient.numpy().tolist())
paddle.autograd.backward([(x * 3.0).sum()], dump_backward_graph_path=None)
print(x.grad.numpy().tolist())
weight = paddle.create_parameter([2], "float32", default_initializer=paddle.nn.initializer.Constant(1.0))
optimizer = paddle.optimizer.AdamW(0.1, 0.9, 0.999, 1e-8, [weight], 0.1, False, None, lambda name: True)
for _ in range(2):
    weight.square().sum().backward()
    optimizer.step()
    optimizer.clear_grad()
print(weight.numpy().round(5).tolist())
