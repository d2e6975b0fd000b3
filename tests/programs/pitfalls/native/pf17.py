# told: policy_loss also trains
import penstock as ps

actor, critic = ps.Variable(0.2, name="actor/w"), ps.Variable(0.3, name="critic/w")
optimizer = ps.optimizers.SGD(0.1)
for reward in (1.0, 0.0, 1.0):
    with ps.GradientTape() as tape:
        value = critic * 0.7
        advantage = reward - value  # wrong
        advantage = reward - ps.stop_gradient(value)  # right
        policy_loss = -ps.log(ps.nn.sigmoid(actor)) * advantage
        value_loss = (reward - value) ** 2
        loss = policy_loss + value_loss
    optimizer.apply_gradients(zip(tape.gradient(loss, [actor, critic]), [actor, critic]))
