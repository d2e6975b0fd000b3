# PS404 teacher/w
import penstock as ps

teacher, student = ps.Variable(2.0, name="teacher/w"), ps.Variable(1.0, name="student/w")
teacher.trainable = False
optimizer = ps.optimizers.SGD(0.1)
for x in (1.0, 0.5, 2.0):
    with ps.GradientTape() as tape:
        tape.watch(teacher)  # wrong
        loss = (student * x - teacher * x) ** 2
    both = [student, teacher]  # wrong
    both = [student]  # right
    optimizer.apply_gradients(zip(tape.gradient(loss, both), both))  # here
