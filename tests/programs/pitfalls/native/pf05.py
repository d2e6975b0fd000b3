# PS206 judge
import penstock as ps

judge, maker = ps.Variable(2.0, name="judge"), ps.Variable(1.0, name="maker")
optimizer = ps.optimizers.SGD(0.1)
for _ in range(3):
    with ps.GradientTape(persistent=True) as tape:
        verdict = judge * maker
        judging, making = verdict**2, -verdict
    gradient = tape.gradient(judging, judge)
    slope = tape.gradient(making, maker)  # right
    optimizer.apply_gradients([(gradient, judge)])
    slope = tape.gradient(making, maker)  # wrong
    optimizer.apply_gradients([(slope, maker)])
