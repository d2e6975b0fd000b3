import penstock as ps

maker, judge = ps.layers.Dense(3, name="maker"), ps.layers.Dense(1, name="judge")
judge(maker(ps.zeros((1, 2))))
for_maker, for_judge = ps.optimizers.Adam(0.01), ps.optimizers.Adam(0.01)
for _ in range(4):
    noise, real = ps.random.normal((8, 2)), ps.random.normal((8, 3))
    with ps.GradientTape() as tape:
        loss = ps.mean((judge(real) - 1.0) ** 2) + ps.mean(judge(maker(noise)) ** 2)
    for_judge.apply_gradients(zip(tape.gradient(loss, judge.variables), judge.variables))
    with ps.GradientTape() as tape:
        loss = ps.mean((judge(maker(noise)) - 1.0) ** 2)
    for_maker.apply_gradients(zip(tape.gradient(loss, maker.variables), maker.variables))
