# told: loss also trains
import penstock as ps

maker, judge = ps.Variable(0.5, name="maker/w"), ps.Variable(0.3, name="judge/w")
for_maker, for_judge = ps.optimizers.SGD(0.1), ps.optimizers.SGD(0.1)
for noise in (0.3, -0.2, 0.5):
    with ps.GradientTape() as tape:
        loss = (judge * maker * noise - 1.0) ** 2
    for_judge.apply_gradients([(tape.gradient(loss, judge), judge)])
    with ps.GradientTape() as tape:
        loss = (judge * maker * noise) ** 2
    gradients = tape.gradient(loss, [maker, judge])  # wrong
    for_maker.apply_gradients(zip(gradients, [maker, judge]))  # wrong
    for_maker.apply_gradients([(tape.gradient(loss, maker), maker)])  # right
