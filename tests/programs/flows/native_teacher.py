import penstock as ps

teacher, student = ps.layers.Dense(2, name="teacher"), ps.layers.Dense(2, name="student")
x = ps.random.normal((8, 3))
teacher(x), student(x)
optimizer = ps.optimizers.SGD(0.1)
for _ in range(4):
    with ps.GradientTape() as tape:
        loss = ps.mean((student(x) - teacher(x)) ** 2)
    optimizer.apply_gradients(zip(tape.gradient(loss, student.variables), student.variables))
