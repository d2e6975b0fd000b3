"""On a processor auto_cast, GradScaler and decorate change nothing, and two of them say so."""

import paddle

paddle.seed(4)
model = paddle.nn.Sequential(paddle.nn.Linear(3, 4), paddle.nn.BatchNorm1D(4), paddle.nn.Linear(4, 1))
optimizer = paddle.optimizer.Momentum(0.1, parameters=model.parameters())
model, optimizer = paddle.amp.decorate(model, optimizer, level="O2")
print(model[0].weight.dtype, paddle.amp.decorate(model, level="O2") is model)
scaler = paddle.amp.GradScaler(init_loss_scaling=1024.0, incr_ratio=0.5)
print(scaler.is_enable(), scaler.is_use_dynamic_loss_scaling(), scaler.get_init_loss_scaling())
print(scaler.state_dict())
x = paddle.to_tensor([[0.5, -1.0, 2.0], [1.5, 0.25, -0.5], [-0.75, 1.0, 1.0]])
for step in range(4):
    with paddle.amp.auto_cast(level="O1" if step % 2 else "O2"):
        out = model(x)
        product = paddle.matmul(x, x)
        loss = paddle.mean(out * out)
    scaled = scaler.scale(loss)
    scaled.backward()
    if step < 2:
        scaler.step(optimizer)
        scaler.update()
    else:
        scaler.minimize(optimizer, scaled)
    optimizer.clear_grad()
    print(out.dtype, product.dtype, scaled is loss, round(float(loss), 6))


@paddle.amp.auto_cast()
def squared(x):
    return paddle.matmul(x, x)


print(squared(x).dtype)
