"""Programs that collect gradients in TensorFlow 1, in functions of TensorFlow 2, in Paddle and in PyTorch.

Mistakes, and right programs that come near to them, as in `micro_batches.py`.
"""

TENSORFLOW = """\
import tensorflow as tf

tf.random.set_seed(0)
parts = [(tf.random.normal([6, 3]), tf.random.normal([6, 1])) for _ in range(4)]
model = tf.keras.Sequential([tf.keras.layers.Dense(4, activation="tanh"), tf.keras.layers.Dense(1)])
model(parts[0][0])
variables = model.trainable_variables
optimizer = tf.keras.optimizers.Adam(0.01)
loss_of = tf.keras.losses.MeanSquaredError()
sums = [tf.Variable(tf.zeros_like(v), trainable=False) for v in variables]


"""

TENSORFLOW_1 = """\
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
x, y = tf.placeholder(tf.float32, [None, 2]), tf.placeholder(tf.float32, [None, 1])
w = tf.get_variable("w", [2, 1], initializer=tf.ones_initializer())
loss = tf.reduce_mean((tf.matmul(x, w) - y) ** 2)
optimizer = tf.train.GradientDescentOptimizer(0.05)
pairs = optimizer.compute_gradients(loss, [w])  # cause
sums = [tf.Variable(tf.zeros_like(v.initialized_value()), trainable=False, name="sum") for _, v in pairs]
parts = [{x: [[0.1 * k, 1.0], [0.5, 0.2 * k]], y: [[1.0], [0.5]]} for k in range(4)]
"""

PADDLE = """\
import paddle
from paddle import nn
import paddle.nn.functional as F

paddle.seed(0)
net = nn.Linear(3, 1)
optimizer = paddle.optimizer.SGD(0.05, parameters=net.parameters())
parts = [(paddle.randn([6, 3]), paddle.randn([6, 1])) for _ in range(4)]


"""

TORCH = """\
import copy

import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)
net = nn.Linear(3, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.05)
parts = [(torch.randn(6, 3), torch.randn(6, 1)) for _ in range(4)]


"""

HEADS = {
    "tensorflow": TENSORFLOW, "tensorflow1": TENSORFLOW_1, "paddle": PADDLE, "torch": TORCH
}  # fmt: skip

WRONG = {
    ("tensorflow", "a compiled pass, and only the last gradients"): (
        """
@tf.function
def slopes(features, wanted):
    with tf.GradientTape() as tape:
        loss = loss_of(wanted, model(features))
    return tape.gradient(loss, variables), loss  # here


for _ in range(3):
    for features, wanted in parts:
        gradients, loss = slopes(features, wanted)
        print(float(loss))
    optimizer.apply_gradients(zip(gradients, variables))
""",
        "PS408",
    ),
    ("tensorflow", "a compiled pass, and sums that are never reset"): (
        """
@tf.function
def collect(features, wanted):
    with tf.GradientTape() as tape:
        loss = loss_of(wanted, model(features)) / 4.0
    for s, g in zip(sums, tape.gradient(loss, variables)):  # cause
        s.assign_add(g)
    return loss


@tf.function
def update():
    optimizer.apply_gradients(zip(sums, variables))  # here


for _ in range(4):
    for features, wanted in parts:
        collect(features, wanted)
    update()
""",
        "PS405",
    ),
    ("tensorflow", "a compiled pass, and sums that are not divided"): (
        """
@tf.function
def collect(features, wanted):
    with tf.GradientTape() as tape:
        loss = loss_of(wanted, model(features))
    for s, g in zip(sums, tape.gradient(loss, variables)):  # cause
        s.assign_add(g)
    return loss


for _ in range(4):
    for features, wanted in parts:
        print(float(collect(features, wanted)))
    optimizer.apply_gradients(zip(sums, variables))  # here
    for s in sums:
        s.assign(tf.zeros_like(s))
""",
        "PS424",
    ),
    ("tensorflow", "an update every fourth batch, in a class"): (
        """
class Trainer:
    def __init__(self, every):
        self.every, self.count = every, 0
        self.total = [tf.zeros_like(v) for v in variables]

    def step(self, features, wanted):
        with tf.GradientTape() as tape:
            loss = loss_of(wanted, model(features)) / self.every
        gradients = tape.gradient(loss, variables)  # cause
        self.total = [t + g for t, g in zip(self.total, gradients)]
        self.count += 1
        if self.count % self.every == 0:
            optimizer.apply_gradients(zip(self.total, variables))  # here
        return float(loss)


trainer = Trainer(2)
for _ in range(3):
    for features, wanted in parts:
        trainer.step(features, wanted)
""",
        "PS405",
    ),
    ("tensorflow1", "sums that are never reset"): (
        """
collect = [s.assign_add(g / 4.0) for s, (g, _) in zip(sums, pairs)]
train = optimizer.apply_gradients([(s, v) for s, (_, v) in zip(sums, pairs)])  # here
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for _ in range(4):
        for part in parts:
            session.run(collect, part)
        session.run(train)
""",
        "PS405",
    ),
    ("tensorflow1", "sums that are reset for each part"): (
        """
collect = [s.assign_add(g / 4.0) for s, (g, _) in zip(sums, pairs)]
train = optimizer.apply_gradients([(s, v) for s, (_, v) in zip(sums, pairs)])
zero = [s.assign(tf.zeros_like(s)) for s in sums]  # here
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for _ in range(4):
        for part in parts:
            session.run(zero)
            session.run(collect, part)
        session.run(train)
""",
        "PS408",
    ),
    ("tensorflow1", "an update with every part"): (
        """
collect = [s.assign_add(g / 4.0) for s, (g, _) in zip(sums, pairs)]
train = optimizer.apply_gradients([(s, v) for s, (_, v) in zip(sums, pairs)])  # here
zero = [s.assign(tf.zeros_like(s)) for s in sums]
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for _ in range(4):
        session.run(zero)
        for part in parts:
            session.run(collect, part)
            session.run(train)
""",
        "PS405",
    ),
    ("tensorflow1", "sums that are not divided"): (
        """
collect = [s.assign_add(g) for s, (g, _) in zip(sums, pairs)]
train = optimizer.apply_gradients([(s, v) for s, (_, v) in zip(sums, pairs)])  # here
zero = [s.assign(tf.zeros_like(s)) for s in sums]
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for _ in range(4):
        session.run(zero)
        for part in parts:
            session.run(collect, part)
        session.run(train)
""",
        "PS424",
    ),
    ("paddle", "gradients that are never cleared"): (
        """
for _ in range(4):
    for features, wanted in parts:
        (F.mse_loss(net(features), wanted) / 4).backward()  # cause
    optimizer.step()  # here
""",
        "PS405",
    ),
    ("paddle", "gradients that are cleared for each part"): (
        """
for _ in range(4):
    for features, wanted in parts:
        optimizer.clear_grad()  # here
        (F.mse_loss(net(features), wanted) / 4).backward()  # cause
    optimizer.step()
""",
        "PS408",
    ),
    ("paddle", "an update with every part"): (
        """
for turn in range(16):
    features, wanted = parts[turn % 4]
    (F.mse_loss(net(features), wanted) / 4).backward()  # cause
    optimizer.step()  # here
    if turn % 4 == 3:
        optimizer.clear_grad()
""",
        "PS405",
    ),
    ("paddle", "losses that are not divided"): (
        """
for _ in range(4):
    for features, wanted in parts:
        F.mse_loss(net(features), wanted).backward()  # cause
    optimizer.step()  # here
    optimizer.clear_grad()
""",
        "PS424",
    ),
    ("paddle", "losses that are not divided, and printed"): (
        """
for turn in range(16):
    features, wanted = parts[turn % 4]
    loss = F.mse_loss(net(features), wanted)
    loss.backward()  # cause
    print(float(loss))
    if turn % 4 == 3:
        optimizer.step()  # here
        optimizer.clear_grad()
""",
        "PS424",
    ),
    ("paddle", "cleared before the update"): (
        """
for _ in range(4):
    for features, wanted in parts:
        (F.mse_loss(net(features), wanted) / 4).backward()  # cause
    optimizer.clear_grad()  # here
    optimizer.step()
""",
        "PS408",
    ),
    ("paddle", "clipped after the update"): (
        """
for features, wanted in parts:
    F.mse_loss(net(features), wanted).backward()
    optimizer.step()  # cause
    nn.utils.clip_grad_norm_(net.parameters(), 1.0)  # here
    optimizer.clear_grad()
""",
        "PS429",
    ),
    ("torch", "gradients that are never cleared"): (
        """
for _ in range(4):
    for features, wanted in parts:
        (F.mse_loss(net(features), wanted) / 4).backward()  # cause
    optimizer.step()  # here
""",
        "PS405",
    ),
    ("torch", "gradients that are cleared for each part"): (
        """
for _ in range(4):
    for features, wanted in parts:
        optimizer.zero_grad()  # here
        (F.mse_loss(net(features), wanted) / 4).backward()  # cause
    optimizer.step()
""",
        "PS408",
    ),
    ("torch", "cleared before the update"): (
        """
for _ in range(4):
    for features, wanted in parts:
        (F.mse_loss(net(features), wanted) / 4).backward()  # cause
    optimizer.zero_grad()  # here
    optimizer.step()
""",
        "PS408",
    ),
    ("torch", "an update with every part"): (
        """
for turn in range(16):
    features, wanted = parts[turn % 4]
    (F.mse_loss(net(features), wanted) / 4).backward()  # cause
    optimizer.step()  # here
    if turn % 4 == 3:
        optimizer.zero_grad()
""",
        "PS405",
    ),
    ("torch", "losses that are not divided"): (
        """
for _ in range(4):
    optimizer.zero_grad()
    for features, wanted in parts:
        loss = F.mse_loss(net(features), wanted)
        loss.backward()  # cause
    optimizer.step()  # here
""",
        "PS424",
    ),
    ("torch", "losses by a module that are not divided, and printed"): (
        """
loss_of = nn.CrossEntropyLoss()
net = nn.Linear(3, 4)
optimizer = torch.optim.Adam(net.parameters(), lr=0.01)
for turn in range(16):
    features = parts[turn % 4][0]
    loss = loss_of(net(features), torch.arange(6) % 4)
    loss.backward()  # cause
    print(loss.item())
    if (turn + 1) % 4 == 0:
        optimizer.step()  # here
        optimizer.zero_grad()
""",
        "PS424",
    ),
    ("torch", "clipped after the update"): (
        """
for features, wanted in parts:
    optimizer.zero_grad()
    F.mse_loss(net(features), wanted).backward()
    optimizer.step()  # cause
    nn.utils.clip_grad_norm_(net.parameters(), 1.0)  # here
""",
        "PS429",
    ),
    ("torch", "clipped before the backward pass"): (
        """
for features, wanted in parts:
    optimizer.zero_grad()
    loss = F.mse_loss(net(features), wanted)
    nn.utils.clip_grad_norm_(net.parameters(), 1.0)  # here
    loss.backward()
    optimizer.step()  # cause
""",
        "PS429",
    ),
    ("torch", "a schedule that never steps"): (
        """
schedule = torch.optim.lr_scheduler.StepLR(optimizer, 2)  # here
for features, wanted in parts:
    optimizer.zero_grad()
    F.mse_loss(net(features), wanted).backward()
    optimizer.step()  # cause
""",
        "PS430",
    ),
    ("torch", "a schedule that steps first"): (
        """
schedule = torch.optim.lr_scheduler.StepLR(optimizer, 2)
for features, wanted in parts:
    optimizer.zero_grad()
    F.mse_loss(net(features), wanted).backward()
    schedule.step()  # here
    optimizer.step()  # cause
""",
        "PS430",
    ),
    ("paddle", "a schedule that never steps"): (
        """
schedule = paddle.optimizer.lr.StepDecay(0.05, step_size=2)  # here
optimizer = paddle.optimizer.SGD(schedule, parameters=net.parameters())
for features, wanted in parts:
    F.mse_loss(net(features), wanted).backward()
    optimizer.step()  # cause
    optimizer.clear_grad()
""",
        "PS430",
    ),
    ("torch", "a target that is trained, too"): (
        """
target = copy.deepcopy(net)
optimizer = torch.optim.SGD([*net.parameters(), *target.parameters()], lr=0.05)
for turn in range(8):
    features, wanted = parts[turn % 4]
    goal = wanted + 0.9 * target(features)
    optimizer.zero_grad()
    F.mse_loss(net(features), goal).backward()
    optimizer.step()  # cause
    with torch.no_grad():
        for mine, theirs in zip(target.parameters(), net.parameters()):
            mine.lerp_(theirs, 0.1)  # here
""",
        "PS431",
    ),
}
"""By vocabulary and what is wrong: the program and the code of the finding."""

RIGHT = {
    ("tensorflow", "a compiled pass with sums"): """
@tf.function
def collect(features, wanted):
    with tf.GradientTape() as tape:
        loss = loss_of(wanted, model(features)) / 4.0
    for s, g in zip(sums, tape.gradient(loss, variables)):
        s.assign_add(g)
    return loss


for _ in range(4):
    for features, wanted in parts:
        print(float(collect(features, wanted)))
    optimizer.apply_gradients(zip(sums, variables))
    for s in sums:
        s.assign(tf.zeros_like(s))
""",
    ("tensorflow", "an accumulator of its own"): """
class Accumulator:
    def __init__(self):
        self.count = tf.Variable(0, trainable=False)
        self.sums = None

    def add(self, gradients):
        if self.sums is None:
            self.sums = [tf.Variable(tf.zeros_like(g), trainable=False) for g in gradients]
        for s, g in zip(self.sums, gradients):
            s.assign_add(g)
        self.count.assign_add(1)

    def take(self):
        found = [s / tf.cast(self.count, tf.float32) for s in self.sums]
        for s in self.sums:
            s.assign(tf.zeros_like(s))
        self.count.assign(0)
        return found


held = Accumulator()
for _ in range(3):
    for features, wanted in parts:
        with tf.GradientTape() as tape:
            loss = loss_of(wanted, model(features))
        held.add(tape.gradient(loss, variables))
    optimizer.apply_gradients(zip(held.take(), variables))
""",
    ("tensorflow", "the optimizer accumulates"): """
optimizer = tf.keras.optimizers.Adam(0.01, gradient_accumulation_steps=4)
for _ in range(4):
    for features, wanted in parts:
        with tf.GradientTape() as tape:
            loss = loss_of(wanted, model(features))
        optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
""",
    ("tensorflow", "a penalty with all variables before the update"): """
for _ in range(4):
    gradients = None
    for features, wanted in parts:
        with tf.GradientTape() as tape:
            loss = loss_of(wanted, model(features))
        part = tape.gradient(loss, variables)
        gradients = part if gradients is None else [a + b for a, b in zip(gradients, part)]
    gradients = [g / len(parts) + 0.001 * v for g, v in zip(gradients, variables)]
    gradients, _ = tf.clip_by_global_norm(gradients, 1.0)
    optimizer.apply_gradients(zip(gradients, variables))
""",
    ("tensorflow", "the critic learns five times as often"): """
judge = tf.keras.Sequential([tf.keras.layers.Dense(1)])
judge(parts[0][1])
fast = tf.keras.optimizers.SGD(0.01)
for turn in range(12):
    features, wanted = parts[turn % 4]
    with tf.GradientTape(persistent=True) as tape:
        made = model(features)
        judged = tf.reduce_mean(judge(made)) - tf.reduce_mean(judge(wanted))
        loss = -tf.reduce_mean(judge(made))
    by_judge = tape.gradient(judged, judge.trainable_variables)
    by_maker = tape.gradient(loss, variables)
    fast.apply_gradients(zip(by_judge, judge.trainable_variables))
    if turn % 3 == 2:
        optimizer.apply_gradients(zip(by_maker, variables))
""",
    ("tensorflow1", "sums"): """
collect = [s.assign_add(g / 4.0) for s, (g, _) in zip(sums, pairs)]
train = optimizer.apply_gradients([(s, v) for s, (_, v) in zip(sums, pairs)])
zero = [s.assign(tf.zeros_like(s)) for s in sums]
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for _ in range(4):
        session.run(zero)
        for part in parts:
            session.run(collect, part)
        session.run(train)
""",
    ("tensorflow1", "gradients to look at, and the update of all at once"): """
gradients = [g for g, _ in pairs]
whole = optimizer.apply_gradients(pairs)
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for _ in range(4):
        for part in parts:
            print(session.run(gradients, part))
        session.run(whole, parts[0])
""",
    ("tensorflow1", "gradients that are summed in NumPy"): """
places = [tf.placeholder(tf.float32, v.shape) for _, v in pairs]
train = optimizer.apply_gradients([(p, v) for p, (_, v) in zip(places, pairs)])
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for _ in range(4):
        every = [session.run([g for g, _ in pairs], part) for part in parts]
        means = [sum(one) / 4.0 for one in zip(*every)]
        session.run(train, dict(zip(places, means)))
""",
    ("paddle", "divided losses"): """
for turn in range(16):
    features, wanted = parts[turn % 4]
    (F.mse_loss(net(features), wanted) / 4).backward()
    if turn % 4 == 3:
        optimizer.step()
        optimizer.clear_grad()
""",
    ("paddle", "gradients divided before the update"): """
for _ in range(4):
    for features, wanted in parts:
        F.mse_loss(net(features), wanted).backward()
    for one in net.parameters():
        one.grad.set_value(one.grad / 4)
    nn.utils.clip_grad_norm_(net.parameters(), 1.0)
    optimizer.step()
    optimizer.clear_grad()
""",
    ("paddle", "sums of errors"): """
for _ in range(4):
    for features, wanted in parts:
        (F.mse_loss(net(features), wanted, reduction="sum") / 24).backward()
    optimizer.step()
    optimizer.clear_grad()
""",
    ("paddle", "a norm that is printed after the update"): """
for features, wanted in parts:
    F.mse_loss(net(features), wanted).backward()
    optimizer.step()
    print(float(sum((one.grad**2).sum() for one in net.parameters())))
    optimizer.clear_grad()
""",
    ("paddle", "a schedule by epochs"): """
schedule = paddle.optimizer.lr.StepDecay(0.05, step_size=2)
optimizer = paddle.optimizer.SGD(schedule, parameters=net.parameters())
for _ in range(3):
    for features, wanted in parts:
        F.mse_loss(net(features), wanted).backward()
        optimizer.step()
        optimizer.clear_grad()
    schedule.step()
""",
    ("torch", "divided losses"): """
for turn in range(16):
    features, wanted = parts[turn % 4]
    loss = F.mse_loss(net(features), wanted)
    loss = loss / 4
    loss.backward()
    if (turn + 1) % 4 == 0:
        nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
""",
    ("torch", "gradients divided before the update"): """
for _ in range(4):
    optimizer.zero_grad()
    for features, wanted in parts:
        F.mse_loss(net(features), wanted).backward()
    for one in net.parameters():
        one.grad /= 4
    optimizer.step()
""",
    ("torch", "gradients divided through their data"): """
for _ in range(4):
    optimizer.zero_grad()
    for features, wanted in parts:
        F.mse_loss(net(features), wanted).backward()
    for one in net.parameters():
        one.grad.data.mul_(0.25)
    optimizer.step()
""",
    ("torch", "sums of errors"): """
for _ in range(4):
    optimizer.zero_grad()
    for features, wanted in parts:
        (F.mse_loss(net(features), wanted, reduction="sum") / 24).backward()
    optimizer.step()
""",
    ("torch", "a real and a false batch"): """
judge = nn.Linear(1, 1)
judging = torch.optim.SGD(judge.parameters(), lr=0.05)
for features, wanted in parts:
    judging.zero_grad()
    F.binary_cross_entropy_with_logits(judge(wanted), torch.ones(6, 1)).backward()
    F.binary_cross_entropy_with_logits(judge(net(features).detach()), torch.zeros(6, 1)).backward()
    judging.step()
    optimizer.zero_grad()
    F.binary_cross_entropy_with_logits(judge(net(features)), torch.ones(6, 1)).backward()
    optimizer.step()
""",
    ("torch", "several tasks, each with its weight"): """
heads = nn.ModuleList([nn.Linear(3, 1) for _ in range(2)])
optimizer = torch.optim.SGD([*net.parameters(), *heads.parameters()], lr=0.05)
weights = [0.7, 0.3]
for features, wanted in parts:
    optimizer.zero_grad()
    for head, weight in zip(heads, weights):
        (weight * F.mse_loss(head(features) + net(features), wanted)).backward()
    optimizer.step()
""",
    ("torch", "episodes of a policy"): """
for _ in range(4):
    optimizer.zero_grad()
    for features, wanted in parts:
        scores = net(features)
        (-(F.logsigmoid(scores) * wanted).sum()).backward()
    optimizer.step()
""",
    ("torch", "a norm that is measured after the update"): """
for features, wanted in parts:
    optimizer.zero_grad()
    F.mse_loss(net(features), wanted).backward()
    optimizer.step()
    print(float(nn.utils.get_total_norm([one.grad for one in net.parameters()])))
""",
    ("torch", "a bound without an end, to measure the norm after the update"): """
for features, wanted in parts:
    optimizer.zero_grad()
    F.mse_loss(net(features), wanted).backward()
    optimizer.step()
    norm = nn.utils.clip_grad_norm_(net.parameters(), float("inf"))
    print(float(norm))
""",
    ("torch", "clipped between two updates"): """
other = torch.optim.SGD([net.bias], lr=0.01)
optimizer = torch.optim.SGD([net.weight], lr=0.01)
for features, wanted in parts:
    net.zero_grad()
    F.mse_loss(net(features), wanted).backward()
    optimizer.step()
    nn.utils.clip_grad_norm_(net.parameters(), 1.0)
    other.step()
""",
    ("torch", "a schedule by epochs"): """
schedule = torch.optim.lr_scheduler.StepLR(optimizer, 2)
for _ in range(3):
    for features, wanted in parts:
        optimizer.zero_grad()
        F.mse_loss(net(features), wanted).backward()
        optimizer.step()
    schedule.step()
""",
    ("torch", "schedules after one another"): """
warm = torch.optim.lr_scheduler.LinearLR(optimizer, 0.1, total_iters=2)
then = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 4)
schedule = torch.optim.lr_scheduler.SequentialLR(optimizer, [warm, then], milestones=[2])
for features, wanted in parts:
    optimizer.zero_grad()
    F.mse_loss(net(features), wanted).backward()
    optimizer.step()
    schedule.step()
""",
    ("torch", "a schedule that is drawn before training"): """
schedule = torch.optim.lr_scheduler.StepLR(optimizer, 2)
rates = []
for _ in range(5):
    rates.append(schedule.get_last_lr()[0])
    schedule.step()
optimizer = torch.optim.SGD(net.parameters(), lr=0.05)
schedule = torch.optim.lr_scheduler.StepLR(optimizer, 2)
for features, wanted in parts:
    optimizer.zero_grad()
    F.mse_loss(net(features), wanted).backward()
    optimizer.step()
    schedule.step()
""",
    ("torch", "a run that goes on where it stopped"): """
schedule = torch.optim.lr_scheduler.StepLR(optimizer, 2)
for _ in range(3):
    schedule.step()
for features, wanted in parts:
    optimizer.zero_grad()
    F.mse_loss(net(features), wanted).backward()
    optimizer.step()
    schedule.step()
""",
    ("torch", "a schedule for the end of a short run"): """
schedule = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer)
for _ in range(2):
    for features, wanted in parts:
        optimizer.zero_grad()
        loss = F.mse_loss(net(features), wanted)
        loss.backward()
        optimizer.step()
    schedule.step(loss.item())
""",
    ("torch", "networks that learn from each other"): """
other = copy.deepcopy(net)
learning = torch.optim.SGD(other.parameters(), lr=0.02)
for turn in range(8):
    features, wanted = parts[turn % 4]
    for model, its in ((net, optimizer), (other, learning)):
        its.zero_grad()
        F.mse_loss(model(features), wanted).backward()
        its.step()
    if turn % 4 == 3:
        other.load_state_dict(net.state_dict())
""",
    ("torch", "a target whose gradients nobody uses"): """
target = copy.deepcopy(net)
for turn in range(8):
    features, wanted = parts[turn % 4]
    goal = wanted + 0.9 * target(features)
    optimizer.zero_grad()
    F.mse_loss(net(features), goal).backward()
    optimizer.step()
    with torch.no_grad():
        for mine, theirs in zip(target.parameters(), net.parameters()):
            mine.lerp_(theirs, 0.1)
""",
}
"""By vocabulary and what it does: a right program."""


def program(vocabulary, text):
    """Returns a whole program."""
    return HEADS[vocabulary] + text.lstrip("\n")
