"""The rate that falls is the one applied."""

import paddle

x = paddle.to_tensor([4.0], stop_gradient=False)
scheduler = paddle.optimizer.lr.StepDecay(0.5, step_size=1, gamma=0.5)
optimizer = paddle.optimizer.SGD(scheduler, parameters=[x])
for _ in range(4):
    (x * 1.0).backward()
    optimizer.step()
    optimizer.clear_grad()
    print(optimizer.get_lr(), x.item())
    scheduler.step()
plain = paddle.optimizer.SGD(0.5, parameters=[x])
plain.set_lr(0.25)
print(plain.get_lr())
