"""Twin critics with slow copies that follow softly, in Paddle."""

import paddle
from paddle import nn

paddle.seed(0)


def mlp():
    return nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 2))


online, target = mlp(), mlp()
target.set_state_dict(online.state_dict())
target.eval()
opt = paddle.optimizer.Adam(0.01, parameters=online.parameters())
for step in range(6):
    s, s2, r = paddle.randn([8, 3]), paddle.randn([8, 3]), paddle.randn([8])
    a = paddle.randint(0, 2, [8])
    with paddle.no_grad():
        best = online(s2).argmax(axis=1)
        future = (target(s2) * nn.functional.one_hot(best, 2)).sum(axis=1)
        goal = r + 0.9 * future
    chosen = (online(s) * nn.functional.one_hot(a, 2)).sum(axis=1)
    loss = nn.functional.smooth_l1_loss(chosen, goal)
    opt.clear_grad()
    loss.backward()
    opt.step()
    with paddle.no_grad():
        for slow, fast in zip(target.parameters(), online.parameters()):
            slow.set_value(slow * 0.9 + fast * 0.1)
print(float(loss))
