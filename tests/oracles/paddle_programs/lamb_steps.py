"""LAMB: what decays is scaled to its norm, what does not is so only on request."""

import paddle

for decay, always in ((0.1, False), (0.0, False), (0.0, True)):
    x = paddle.to_tensor([4.0, -3.0], stop_gradient=False)
    optimizer = paddle.optimizer.Lamb(0.01, decay, parameters=[x], always_adapt=always)
    for _ in range(5):
        (x * x).sum().backward()
        optimizer.step()
        optimizer.clear_grad()
    print(x.numpy().round(5).tolist())
x = paddle.create_parameter([2], "float32", default_initializer=paddle.nn.initializer.Constant(4.0))
y = paddle.create_parameter([2], "float32", default_initializer=paddle.nn.initializer.Constant(4.0))
optimizer = paddle.optimizer.Lamb(
    0.01, 0.1, parameters=[x, y], exclude_from_weight_decay_fn=lambda one: one.name == y.name
)
for _ in range(3):
    ((x * x).sum() + (y * y).sum()).backward()
    optimizer.step()
    optimizer.clear_grad()
print(x.numpy().round(5).tolist(), y.numpy().round(5).tolist())
