"""REINFORCE with a running baseline."""

import penstock as ps

ps.random.seed(8)
logits = ps.Variable(ps.zeros((3,)), name="logits")
baseline = ps.Variable(0.0, name="baseline", trainable=False)
pays = [0.1, 1.0, 0.3]
adam = ps.optimizers.Adam(0.1)
for turn in range(12):
    probabilities = ps.nn.softmax(logits)
    action = int(ps.argmax(probabilities + 0.5 * ps.random.normal((3,))))
    reward = pays[action]
    with ps.GradientTape() as tape:
        loss = -ps.nn.log_softmax(logits)[action] * (reward - baseline)
    adam.apply_gradients([(tape.gradient(loss, logits), logits)])
    baseline.assign(0.9 * baseline + 0.1 * reward)
print(logits.numpy())
