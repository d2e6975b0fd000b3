"""Distillation: the student starts from the teacher's values, and the frozen teacher is read in the loss."""

import penstock as ps

ps.random.seed(12)
teacher = ps.Variable(ps.random.normal((4, 1)), name="teacher")
teacher.trainable = False
student = ps.Variable(ps.zeros((4, 1)), name="student")
student.assign(teacher)
x, y = ps.random.normal((16, 4)), ps.random.normal((16, 1))
sgd = ps.optimizers.SGD(0.05)
for _ in range(5):
    with ps.GradientTape() as tape:
        answer = x @ student
        loss = ps.mean((answer - y) ** 2) + ps.mean((answer - x @ teacher) ** 2)
    sgd.apply_gradients([(tape.gradient(loss, student), student)])
print(float(loss))
