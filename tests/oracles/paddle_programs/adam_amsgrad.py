"""Adam and AdamW whose mean square never falls; AdamW that spares a parameter."""

import paddle

for kind in (paddle.optimizer.Adam, paddle.optimizer.AdamW):
    x = paddle.to_tensor([4.0, -3.0], stop_gradient=False)
    optimizer = kind(0.5, parameters=[x], beta2=0.5, weight_decay=0.1, amsgrad=True)
    for _ in range(10):
        (x * x).sum().backward()
        optimizer.step()
        optimizer.clear_grad()
    print(x.numpy().round(4).tolist())
x = paddle.create_parameter([2], "float32", default_initializer=paddle.nn.initializer.Constant(4.0))
y = paddle.create_parameter([2], "float32", default_initializer=paddle.nn.initializer.Constant(4.0))
optimizer = paddle.optimizer.AdamW(
    0.1, parameters=[x, y], weight_decay=0.5, apply_decay_param_fun=lambda name: name == x.name
)
for _ in range(3):
    ((x * x).sum() + (y * y).sum()).backward()
    optimizer.step()
    optimizer.clear_grad()
print(x.numpy().round(5).tolist(), y.numpy().round(5).tolist())
