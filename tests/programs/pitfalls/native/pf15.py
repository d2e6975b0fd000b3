# PS302 maker judge
import penstock as ps

maker, judge = ps.Variable(0.5, name="maker"), ps.Variable(0.3, name="judge")
optimizer = ps.optimizers.SGD(0.1)
for noise in (0.3, -0.2, 0.5):
    with ps.GradientTape() as tape:
        fake = maker * noise
        adversarial = -ps.log(ps.stop_gradient(ps.nn.sigmoid(judge * fake)))  # wrong
        adversarial = -ps.log(ps.nn.sigmoid(judge * fake))  # right
        loss = adversarial + 0.1 * (fake - 1.0) ** 2
    optimizer.apply_gradients([(tape.gradient(loss, maker), maker)])
with ps.GradientTape() as tape:
    loss = (judge * ps.stop_gradient(fake)) ** 2
optimizer.apply_gradients([(tape.gradient(loss, judge), judge)])
