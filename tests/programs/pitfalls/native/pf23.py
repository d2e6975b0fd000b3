# PS109 w
import penstock as ps

w = ps.Variable(2.0, name="w")
memory = ps.Variable(0.0, name="memory", trainable=False)
for _ in range(3):
    with ps.GradientTape() as tape:
        value = w * 3.0
        memory.assign(value)  # here
        loss = memory * memory  # wrong
        loss = value * value  # right
    gradient = tape.gradient(loss, w)  # here
    if gradient is not None:
        w.assign_sub(0.01 * gradient)
