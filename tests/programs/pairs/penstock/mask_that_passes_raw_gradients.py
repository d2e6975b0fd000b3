# PS404: bias
import penstock as ps

params = [ps.Variable(ps.ones((3,)), name="dense"), ps.Variable(ps.ones((2,)), name="bias", trainable=False)]
for _ in range(3):
    with ps.GradientTape() as tape:
        tape.watch(params)
        loss = ps.sum(params[0] ** 2) + ps.sum(params[1] ** 2)
    for one, slope in zip(params, tape.gradient(loss, params)):
        one.assign_sub(0.1 * slope if one.trainable else slope)  # wrong, guilty
        one.assign_sub(0.1 * slope if one.trainable else ps.zeros_like(slope))  # right
