# PS417: *
import penstock as ps

ps.random.seed(1)
policy = ps.Variable(ps.random.normal((4, 2)), name="policy")
target = policy  # wrong, guilty
target = ps.Variable(policy, name="target", trainable=False)  # right
states, later, reward = ps.random.normal((8, 4)), ps.random.normal((8, 4)), ps.random.normal((8,))
sgd = ps.optimizers.SGD(0.1)
for turn in range(6):
    goal = reward + 0.9 * ps.max(later @ target, axis=1)
    with ps.GradientTape() as tape:
        loss = ps.mean(((states @ policy)[:, 0] - goal) ** 2)
    sgd.apply_gradients([(tape.gradient(loss, policy), policy)])
    if turn % 3 == 2:  # right
        target.assign(policy)  # right
