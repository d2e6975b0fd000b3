# PS101 unused; PS101 dropped
import penstock as ps

used, unused = ps.Variable(1.0, name="used"), ps.Variable(1.0, name="unused")
dropped = ps.Variable(1.0, name="dropped")
for _ in range(3):
    with ps.GradientTape() as tape:
        penalty = dropped * dropped
        loss = used * used  # wrong
        loss = (used + unused) ** 2 + penalty  # right
    for gradient, variable in zip(tape.gradient(loss, [used, unused, dropped]), [used, unused, dropped]):  # here
        if gradient is not None:
            variable.assign_sub(0.1 * gradient)
