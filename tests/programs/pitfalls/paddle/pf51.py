import paddle
from paddle import nn

paddle.seed(0)

teacher, student, x = nn.Linear(3, 1), nn.Linear(3, 1), paddle.randn([8, 3])
both = teacher.parameters() + student.parameters()  # wrong
both = student.parameters()  # right
optimizer = paddle.optimizer.SGD(0.1, parameters=both)
for parameter in teacher.parameters():
    parameter.stop_gradient = True
for _ in range(3):
    loss = ((student(x) - teacher(x)) ** 2).mean()
    loss.backward()
    optimizer.step()
    optimizer.clear_grad()
