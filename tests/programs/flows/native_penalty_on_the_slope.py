import penstock as ps

judge = ps.layers.Dense(1, name="judge")
judge(ps.zeros((1, 3)))
optimizer = ps.optimizers.Adam(0.01)
for _ in range(4):
    x = ps.random.normal((8, 3))
    with ps.GradientTape() as tape:
        with ps.GradientTape() as inner:
            inner.watch(x)
            verdict = ps.sum(judge(x) ** 2)
        slope = inner.gradient(verdict, x)
        loss = ps.mean((ps.sum(slope**2, axis=1) - 1.0) ** 2)
    optimizer.apply_gradients(zip(tape.gradient(loss, judge.variables), judge.variables))
