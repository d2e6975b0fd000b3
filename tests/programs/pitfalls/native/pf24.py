# PS103 counter
import penstock as ps

counter = ps.Variable(0, name="counter")  # wrong
counter = ps.Variable(0.0, name="counter")  # right
for _ in range(3):
    with ps.GradientTape() as tape:
        loss = counter * 2.0
    gradient = tape.gradient(loss, counter)
    if gradient is not None:
        counter.assign_sub(0.01 * gradient)
