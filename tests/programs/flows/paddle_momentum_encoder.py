import paddle
from paddle import nn

online, slow, x = nn.Linear(3, 2), nn.Linear(3, 2), paddle.randn([8, 3])
slow.set_state_dict(online.state_dict())
for parameter in slow.parameters():
    parameter.stop_gradient = True
optimizer = paddle.optimizer.SGD(0.01, parameters=online.parameters())
for _ in range(4):
    loss = ((online(x) - slow(x)) ** 2).mean() + (online(x) ** 2).mean()
    loss.backward()
    optimizer.step()
    optimizer.clear_grad()
    with paddle.no_grad():
        for a, b in zip(slow.parameters(), online.parameters()):
            a.set_value(0.9 * a + 0.1 * b)
