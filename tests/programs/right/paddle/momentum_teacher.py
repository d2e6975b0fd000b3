"""Mean teacher: the teacher follows the student, statistics included, and is read without a gradient."""

import paddle
import paddle.nn as nn
import paddle.nn.functional as F

paddle.seed(9)


def network():
    return nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1D(4), nn.Linear(4, 1))


student, teacher = network(), network()
teacher.set_state_dict(student.state_dict())
for p in teacher.parameters():
    p.stop_gradient = True
adam = paddle.optimizer.Adam(0.01, parameters=student.parameters())
x, y = paddle.randn([16, 3]), paddle.randn([16, 1])
for _ in range(5):
    with paddle.no_grad():
        goal = teacher(x + 0.1 * paddle.randn([16, 3]))
    guess = student(x)
    (F.mse_loss(guess, y) + F.mse_loss(guess, goal)).backward()
    adam.step()
    adam.clear_grad()
    with paddle.no_grad():
        for t, s in zip(teacher.parameters(), student.parameters()):
            if not s.stop_gradient:
                t.set_value(0.9 * t + 0.1 * s)
teacher.eval()
print(float(F.mse_loss(teacher(x), y)))
