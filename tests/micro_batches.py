"""Programs that collect gradients over micro-batches: mistakes, and right programs that come near to them.

Texts are in TensorFlow's words, and `in_words` puts them into Penstock's own. A wrong program has the code of
its finding and the variables; `# here` marks the finding's line, and `# cause` that of its cause, if it is
another one.
"""

HEAD = """\
import numpy as np
import tensorflow as tf

w, b = tf.Variable([1.0, 2.0], name="w"), tf.Variable(0.5, name="b")
variables = [w, b]
optimizer = tf.keras.optimizers.SGD(0.05)
parts = [tf.constant([[0.1 * k, 1.0], [0.5, 0.2 * k], [1.0, 0.3]]) for k in range(4)]


def loss_of(part):
    return tf.reduce_mean((tf.reduce_sum(part * w, axis=-1) + b - 1.0) ** 2)


"""

NATIVE = {
    "import tensorflow as tf": "import penstock as ps",
    "tf.keras.optimizers": "ps.optimizers",
    "tf.reduce_": "ps.",
    "tf.constant": "ps.asarray",
    "tf.add_n": "sum",
    "tf.": "ps.",
}


def in_words(vocabulary, text):
    """Returns a whole program in the words of a vocabulary."""
    program = HEAD + text.lstrip("\n")
    if vocabulary == "native":
        for theirs, ours in NATIVE.items():
            program = program.replace(theirs, ours)
    return program


WRONG = {
    "an update after the loop, with the last gradients": (
        """
for _ in range(3):
    for part in parts:
        with tf.GradientTape() as tape:
            loss = loss_of(part)
        gradients = tape.gradient(loss, variables)  # here
    optimizer.apply_gradients(zip(gradients, variables))
""",
        "PS408",
        ("w", "b"),
    ),
    "the same with a loss that is printed": (
        """
for _ in range(3):
    for part in parts:
        with tf.GradientTape() as tape:
            loss = loss_of(part)
        gradients = tape.gradient(loss, variables)  # here
        print(float(loss))
    optimizer.apply_gradients(zip(gradients, variables))
""",
        "PS408",
        ("w", "b"),
    ),
    "an update every fourth batch, without a sum": (
        """
for epoch in range(3):
    for number, part in enumerate(parts):
        with tf.GradientTape() as tape:
            loss = loss_of(part)
        gradients = tape.gradient(loss, variables)  # here
        if (number + 1) % 4 == 0:
            optimizer.apply_gradients(zip(gradients, variables))
""",
        "PS408",
        ("w", "b"),
    ),
    "a sum that nobody applies": (
        """
for _ in range(3):
    total = [tf.zeros_like(v) for v in variables]
    for part in parts:
        with tf.GradientTape() as tape:
            loss = loss_of(part) / 4.0
        gradients = tape.gradient(loss, variables)  # here
        total = [t + g for t, g in zip(total, gradients)]
    optimizer.apply_gradients(zip(gradients, variables))
""",
        "PS408",
        ("w", "b"),
    ),
    "a sum that begins again with each part": (
        """
for _ in range(3):
    for part in parts:
        total = [tf.zeros_like(v) for v in variables]
        with tf.GradientTape() as tape:
            loss = loss_of(part) / 4.0
        gradients = tape.gradient(loss, variables)  # here
        total = [t + g for t, g in zip(total, gradients)]
    optimizer.apply_gradients(zip(total, variables))
""",
        "PS408",
        ("w", "b"),
    ),
    "sums in variables that nobody applies": (
        """
sums = [tf.Variable(tf.zeros_like(v), trainable=False) for v in variables]
for _ in range(3):
    for part in parts:
        with tf.GradientTape() as tape:
            loss = loss_of(part) / 4.0
        gradients = tape.gradient(loss, variables)  # here
        for s, g in zip(sums, gradients):
            s.assign_add(g)
    optimizer.apply_gradients(zip(gradients, variables))
    for s in sums:
        s.assign(tf.zeros_like(s))
""",
        "PS408",
        ("w", "b"),
    ),
    "sums in variables, reset for each part": (
        """
sums = [tf.Variable(tf.zeros_like(v), trainable=False) for v in variables]
for _ in range(3):
    for part in parts:
        for s in sums:
            s.assign(tf.zeros_like(s))  # here
        with tf.GradientTape() as tape:
            loss = loss_of(part) / 4.0
        gradients = tape.gradient(loss, variables)  # cause
        for s, g in zip(sums, gradients):
            s.assign_add(g)
    optimizer.apply_gradients(zip(sums, variables))
""",
        "PS408",
        ("w", "b"),
    ),
    "sums in variables, reset before the update": (
        """
sums = [tf.Variable(tf.zeros_like(v), trainable=False) for v in variables]
for _ in range(3):
    for part in parts:
        with tf.GradientTape() as tape:
            loss = loss_of(part) / 4.0
        gradients = tape.gradient(loss, variables)  # cause
        for s, g in zip(sums, gradients):
            s.assign_add(g)
    for s in sums:
        s.assign(tf.zeros_like(s))  # here
    optimizer.apply_gradients(zip([s + 0.0 for s in sums], variables))
""",
        "PS408",
        ("w", "b"),
    ),
    "a list of sums that is never reset": (
        """
total = [tf.zeros_like(v) for v in variables]
for _ in range(4):
    for part in parts:
        with tf.GradientTape() as tape:
            loss = loss_of(part) / 4.0
        gradients = tape.gradient(loss, variables)  # cause
        total = [t + g for t, g in zip(total, gradients)]
    optimizer.apply_gradients(zip(total, variables))  # here
""",
        "PS405",
        ("w", "b"),
    ),
    "the same with a loss that is printed, and an update by hand": (
        """
total = [tf.zeros_like(v) for v in variables]
for _ in range(4):
    for part in parts:
        with tf.GradientTape() as tape:
            loss = loss_of(part) / 4.0
        gradients = tape.gradient(loss, variables)  # cause
        total = [t + g for t, g in zip(total, gradients)]
        print(float(loss))
    for v, t in zip(variables, total):
        v.assign_sub(0.01 * t)  # here
""",
        "PS405",
        ("w", "b"),
    ),
    "sums in variables that are never reset": (
        """
sums = [tf.Variable(tf.zeros_like(v), trainable=False) for v in variables]
for _ in range(4):
    for part in parts:
        with tf.GradientTape() as tape:
            loss = loss_of(part) / 4.0
        gradients = tape.gradient(loss, variables)  # cause
        for s, g in zip(sums, gradients):
            s.assign_add(g)
    optimizer.apply_gradients(zip([s + 0.0 for s in sums], variables))  # here
""",
        "PS405",
        ("w", "b"),
    ),
    "an update with every part": (
        """
sums = [tf.Variable(tf.zeros_like(v), trainable=False) for v in variables]
for turn in range(16):
    with tf.GradientTape() as tape:
        loss = loss_of(parts[turn % 4]) / 4.0
    gradients = tape.gradient(loss, variables)  # cause
    for s, g in zip(sums, gradients):
        s.assign_add(g)
    optimizer.apply_gradients(zip([s + 0.0 for s in sums], variables))  # here
    if (turn + 1) % 4 == 0:
        for s in sums:
            s.assign(tf.zeros_like(s))
""",
        "PS405",
        ("w", "b"),
    ),
    "an update with every part, of a list": (
        """
for epoch in range(4):
    total = [tf.zeros_like(v) for v in variables]
    for part in parts:
        with tf.GradientTape() as tape:
            loss = loss_of(part) / 4.0
        gradients = tape.gradient(loss, variables)  # cause
        total = [t + g for t, g in zip(total, gradients)]
        optimizer.apply_gradients(zip(total, variables))  # here
""",
        "PS405",
        ("w", "b"),
    ),
    "sums in variables that are not divided": (
        """
sums = [tf.Variable(tf.zeros_like(v), trainable=False) for v in variables]
for _ in range(3):
    for part in parts:
        with tf.GradientTape() as tape:
            loss = loss_of(part)
        gradients = tape.gradient(loss, variables)  # cause
        for s, g in zip(sums, gradients):
            s.assign_add(g)
    optimizer.apply_gradients(zip([s + 0.0 for s in sums], variables))  # here
    for s in sums:
        s.assign(tf.zeros_like(s))
""",
        "PS424",
        ("w", "b"),
    ),
    "a list of sums that is not divided, with a loss that is printed": (
        """
for _ in range(3):
    total = [tf.zeros_like(v) for v in variables]
    for part in parts:
        with tf.GradientTape() as tape:
            loss = loss_of(part)
        gradients = tape.gradient(loss, variables)  # cause
        total = [t + g for t, g in zip(total, gradients)]
        print(float(loss))
    optimizer.apply_gradients(zip(total, variables))  # here
""",
        "PS424",
        ("w", "b"),
    ),
    "a copy that follows and is trained": (
        """
slow = [tf.Variable(v, name="slow") for v in variables]
for turn in range(8):
    with tf.GradientTape() as tape:
        goal = tf.reduce_sum(parts[turn % 4] * slow[0]) + slow[1]
        loss = loss_of(parts[turn % 4]) + 0.1 * (goal - 1.0) ** 2
    both = [*variables, *slow]
    optimizer.apply_gradients(zip(tape.gradient(loss, both), both))  # cause
    for s, v in zip(slow, variables):
        s.assign(0.9 * s + 0.1 * v)  # here
""",
        "PS431",
        ("slow",),
    ),
    "limited gradients that the update does not get": (
        """
for part in parts:
    with tf.GradientTape() as tape:
        loss = loss_of(part)
    gradients = tape.gradient(loss, variables)
    limited, norm = tf.clip_by_global_norm(gradients, 1.0)  # here
    optimizer.apply_gradients(zip(gradients, variables))  # cause
""",
        "PS429",
        ("w", "b"),
    ),
}
"""By what is wrong: the program, the code of the finding, its variables."""

RIGHT = {
    "a list of sums": """
for _ in range(4):
    total = [tf.zeros_like(v) for v in variables]
    for part in parts:
        with tf.GradientTape() as tape:
            loss = loss_of(part)
        total = [t + g / 4.0 for t, g in zip(total, tape.gradient(loss, variables))]
        print(float(loss))
    optimizer.apply_gradients(zip(total, variables))
""",
    "sums in variables": """
sums = [tf.Variable(tf.zeros_like(v), trainable=False) for v in variables]
for turn in range(12):
    with tf.GradientTape() as tape:
        loss = loss_of(parts[turn % 4]) / 4.0
    for s, g in zip(sums, tape.gradient(loss, variables)):
        s.assign_add(g)
    if turn % 4 == 3:
        optimizer.apply_gradients(zip([s + 0.0 for s in sums], variables))
        for s in sums:
            s.assign(tf.zeros_like(s))
""",
    "one update for a whole epoch": """
for epoch in range(3):
    every = []
    for part in parts:
        with tf.GradientTape() as tape:
            loss = loss_of(part)
        every.append(tape.gradient(loss, variables))
        print(float(loss))
    means = [tf.add_n([one[k] for one in every]) / 4.0 for k in range(2)]
    optimizer.apply_gradients(zip(means, variables))
""",
    "a sum for the log": """
seen = [tf.zeros_like(v) for v in variables]
for turn in range(8):
    with tf.GradientTape() as tape:
        loss = loss_of(parts[turn % 4])
    gradients = tape.gradient(loss, variables)
    seen = [s + tf.abs(g) for s, g in zip(seen, gradients)]
    optimizer.apply_gradients(zip(gradients, variables))
print([s.numpy() for s in seen])
""",
    "sums in variables for the log": """
seen = [tf.Variable(tf.zeros_like(v), trainable=False) for v in variables]
for epoch in range(3):
    for part in parts:
        with tf.GradientTape() as tape:
            loss = loss_of(part)
        gradients = tape.gradient(loss, variables)
        for s, g in zip(seen, gradients):
            s.assign_add(g)
        optimizer.apply_gradients(zip(gradients, variables))
    print([s.numpy() for s in seen])
    for s in seen:
        s.assign(tf.zeros_like(s))
""",
    "the sign of the gradient": """
for turn in range(8):
    with tf.GradientTape() as tape:
        loss = loss_of(parts[turn % 4])
    for v, g in zip(variables, tape.gradient(loss, variables)):
        v.assign_sub(0.01 * tf.sign(g))
""",
    "a majority of signs": """
for _ in range(3):
    votes = [tf.zeros_like(v) for v in variables]
    for part in parts:
        with tf.GradientTape() as tape:
            loss = loss_of(part)
        votes = [s + tf.sign(g) for s, g in zip(votes, tape.gradient(loss, variables))]
        print(float(loss))
    optimizer.apply_gradients(zip([tf.sign(s) for s in votes], variables))
""",
    "momentum by hand, in variables": """
speed = [tf.Variable(tf.zeros_like(v), trainable=False) for v in variables]
for turn in range(8):
    with tf.GradientTape() as tape:
        loss = loss_of(parts[turn % 4])
    for v, s, g in zip(variables, speed, tape.gradient(loss, variables)):
        s.assign(0.9 * s + g)
        v.assign_sub(0.01 * s)
""",
    "momentum by hand, in a list": """
speed = [tf.zeros_like(v) for v in variables]
for turn in range(8):
    with tf.GradientTape() as tape:
        loss = loss_of(parts[turn % 4])
    speed = [0.9 * s + g for s, g in zip(speed, tape.gradient(loss, variables))]
    print(float(loss))
    optimizer.apply_gradients(zip(speed, variables))
""",
    "momentum whose factor is computed": """
speed = [tf.zeros_like(v) for v in variables]
for turn in range(8):
    rate = tf.constant(1.0 - 1.0 / (turn + 2.0))
    with tf.GradientTape() as tape:
        loss = loss_of(parts[turn % 4])
    speed = [rate * s + g for s, g in zip(speed, tape.gradient(loss, variables))]
    print(float(loss))
    optimizer.apply_gradients(zip(speed, variables))
""",
    "Adagrad by hand": """
squares = [tf.Variable(tf.zeros_like(v), trainable=False) for v in variables]
for turn in range(8):
    with tf.GradientTape() as tape:
        loss = loss_of(parts[turn % 4])
    for v, s, g in zip(variables, squares, tape.gradient(loss, variables)):
        s.assign_add(g * g)
        v.assign_sub(0.05 * g / (tf.sqrt(s) + 1e-6))
""",
    "averaged stochastic gradients": """
memory = [[tf.zeros_like(v) for v in variables] for _ in parts]
total = [tf.zeros_like(v) for v in variables]
for turn in range(12):
    k = turn % 4
    with tf.GradientTape() as tape:
        loss = loss_of(parts[k])
    gradients = tape.gradient(loss, variables)
    total = [t - old + g for t, old, g in zip(total, memory[k], gradients)]
    memory[k] = gradients
    print(float(loss))
    optimizer.apply_gradients(zip([t / 4.0 for t in total], variables))
""",
    "averaged stochastic gradients, in variables": """
memory = [[tf.Variable(tf.zeros_like(v), trainable=False) for v in variables] for _ in parts]
total = [tf.Variable(tf.zeros_like(v), trainable=False) for v in variables]
for turn in range(12):
    k = turn % 4
    with tf.GradientTape() as tape:
        loss = loss_of(parts[k])
    for t, old, g in zip(total, memory[k], tape.gradient(loss, variables)):
        t.assign(t + g - old)
        old.assign(g)
    optimizer.apply_gradients(zip([t / 4.0 for t in total], variables))
""",
    "reduced variance": """
at = [tf.Variable(v, trainable=True) for v in variables]


def slopes(part, where):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((tf.reduce_sum(part * where[0], axis=-1) + where[1] - 1.0) ** 2)
    return tape.gradient(loss, where)


whole = tf.concat(parts, axis=0)
for epoch in range(3):
    for a, v in zip(at, variables):
        a.assign(v)
    full = slopes(whole, at)
    for part in parts:
        new, old = slopes(part, variables), slopes(part, at)
        optimizer.apply_gradients(zip([n - o + f for n, o, f in zip(new, old, full)], variables))
""",
    "dual averaging": """
first = [v.numpy() for v in variables]
total = [tf.zeros_like(v) for v in variables]
for turn in range(8):
    with tf.GradientTape() as tape:
        loss = loss_of(parts[turn % 4])
    total = [t + g for t, g in zip(total, tape.gradient(loss, variables))]
    print(float(loss))
    for v, f, t in zip(variables, first, total):
        v.assign(f - 0.05 * t)
""",
    "the mean of the last gradients": """
last = []
for turn in range(8):
    with tf.GradientTape() as tape:
        loss = loss_of(parts[turn % 4])
    last = [*last, tape.gradient(loss, variables)][-4:]
    print(float(loss))
    means = [tf.add_n([one[k] for one in last]) / 4.0 for k in range(2)]
    optimizer.apply_gradients(zip(means, variables))
""",
    "the sum of two gradients, one old": """
before = [tf.zeros_like(v) for v in variables]
for turn in range(8):
    with tf.GradientTape() as tape:
        loss = loss_of(parts[turn % 4])
    gradients = tape.gradient(loss, variables)
    print(float(loss))
    optimizer.apply_gradients(zip([g + o for g, o in zip(gradients, before)], variables))
    before = gradients
""",
    "a line search": """
for turn in range(6):
    with tf.GradientTape() as tape:
        loss = loss_of(parts[0])
    gradients = tape.gradient(loss, variables)
    before, rate = [v.numpy() for v in variables], 4.0
    while True:
        for v, o, g in zip(variables, before, gradients):
            v.assign(o - rate * g)
        if float(loss_of(parts[0])) <= float(loss):
            break
        rate /= 2.0
""",
    "steps that a test turns down": """
for turn in range(12):
    with tf.GradientTape() as tape:
        loss = loss_of(parts[turn % 4])
    gradients = tape.gradient(loss, variables)
    if float(loss) < 0.2 and turn < 9:
        continue
    optimizer.apply_gradients(zip(gradients, variables))
""",
    "batches with an infinite norm are left out": """
for turn in range(12):
    with tf.GradientTape() as tape:
        loss = loss_of(parts[turn % 4])
    gradients = tape.gradient(loss, variables)
    if not np.isfinite(float(tf.reduce_sum(gradients[0]))) or turn % 3:
        continue
    optimizer.apply_gradients(zip(gradients, variables))
""",
    "two gradients of one line": """
def slopes(part):
    with tf.GradientTape() as tape:
        loss = loss_of(part)
    return tape.gradient(loss, variables)


for _ in range(4):
    one, other = slopes(parts[0]), slopes(parts[1])
    alike = sum(tf.reduce_sum(a * b) for a, b in zip(one, other))
    print(float(alike))
    optimizer.apply_gradients(zip(one, variables))
""",
    "gradients that are timed before training": """
def slopes(part):
    with tf.GradientTape() as tape:
        loss = loss_of(part)
    return tape.gradient(loss, variables)


for _ in range(5):
    slopes(parts[0])
for turn in range(8):
    optimizer.apply_gradients(zip(slopes(parts[turn % 4]), variables))
""",
    "sharpness": """
for turn in range(6):
    with tf.GradientTape() as tape:
        loss = loss_of(parts[turn % 4])
    up = [0.05 * g for g in tape.gradient(loss, variables)]
    for v, e in zip(variables, up):
        v.assign_add(e)
    with tf.GradientTape() as tape:
        loss = loss_of(parts[turn % 4])
    gradients = tape.gradient(loss, variables)
    for v, e in zip(variables, up):
        v.assign_sub(e)
    optimizer.apply_gradients(zip(gradients, variables))
""",
    "Reptile": """
for task in range(4):
    before = [v.numpy() for v in variables]
    for _ in range(3):
        with tf.GradientTape() as tape:
            loss = loss_of(parts[task])
        for v, g in zip(variables, tape.gradient(loss, variables)):
            v.assign_sub(0.05 * g)
    for v, o in zip(variables, before):
        v.assign(o + 0.5 * (v - o))
""",
    "meta-learning": """
for _ in range(3):
    with tf.GradientTape() as outer:
        total = 0.0
        for part in parts:
            with tf.GradientTape() as inner:
                loss = loss_of(part)
            fast = [v - 0.05 * g for v, g in zip(variables, inner.gradient(loss, variables))]
            total = total + tf.reduce_mean((tf.reduce_sum(part * fast[0], axis=-1) + fast[1]) ** 2) / 4.0
    optimizer.apply_gradients(zip(outer.gradient(total, variables), variables))
""",
    "a penalty on the slope": """
for turn in range(6):
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            point = parts[turn % 4] * 1.0
            inner.watch(point)
            score = tf.reduce_sum(point * w, axis=-1) + b
        slope = inner.gradient(score, point)
        loss = tf.reduce_mean(score) + tf.reduce_mean((tf.reduce_sum(slope**2, axis=-1) - 1.0) ** 2)
    optimizer.apply_gradients(zip(outer.gradient(loss, variables), variables))
""",
    "an average of weights": """
slow = [tf.Variable(v, trainable=False) for v in variables]
for turn in range(8):
    with tf.GradientTape() as tape:
        loss = loss_of(parts[turn % 4])
    optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
    for s, v in zip(slow, variables):
        s.assign(0.9 * s + 0.1 * v)
""",
    "two networks against each other": """
judge = tf.Variable(0.3, name="judge")
other = tf.keras.optimizers.SGD(0.05)
for turn in range(6):
    with tf.GradientTape() as tape:
        loss = (judge * loss_of(parts[turn % 4]) - 1.0) ** 2
    other.apply_gradients([(tape.gradient(loss, judge), judge)])
    with tf.GradientTape() as tape:
        loss = -judge * loss_of(parts[turn % 4])
    optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
""",
    "a recurrence in pieces": """
for epoch in range(3):
    state, total = tf.constant(0.0), [tf.zeros_like(v) for v in variables]
    for part in parts:
        with tf.GradientTape() as tape:
            state = tf.tanh(tf.reduce_sum(part * w) + b + tf.stop_gradient(state))
            loss = (state - 0.5) ** 2
        total = [t + g for t, g in zip(total, tape.gradient(loss, variables))]
    optimizer.apply_gradients(zip(total, variables))
""",
    "gradients that are limited one by one": """
for _ in range(3):
    total = [tf.zeros_like(v) for v in variables]
    for part in parts:
        with tf.GradientTape() as tape:
            loss = loss_of(part)
        limited, _ = tf.clip_by_global_norm(tape.gradient(loss, variables), 1.0)
        total = [t + g for t, g in zip(total, limited)]
    noise = [0.01 * tf.ones_like(t) for t in total]
    optimizer.apply_gradients(zip([(t + n) / 4.0 for t, n in zip(total, noise)], variables))
""",
    "only the norm is wanted": """
for part in parts:
    with tf.GradientTape() as tape:
        loss = loss_of(part)
    gradients = tape.gradient(loss, variables)
    _, norm = tf.clip_by_global_norm(gradients, 1e9)
    print(float(norm))
    optimizer.apply_gradients(zip(gradients, variables))
""",
    "importance of weights": """
importance = [tf.zeros_like(v) for v in variables]
for part in parts:
    with tf.GradientTape() as tape:
        loss = loss_of(part)
    importance = [s + g * g for s, g in zip(importance, tape.gradient(loss, variables))]
    print(float(loss))
kept = [v.numpy() for v in variables]
for turn in range(6):
    with tf.GradientTape() as tape:
        loss = loss_of(parts[turn % 4])
        for v, k, s in zip(variables, kept, importance):
            loss = loss + tf.reduce_sum(s * (v - k) ** 2)
    optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
""",
    "the rest of an epoch is dropped": """
sums = [tf.Variable(tf.zeros_like(v), trainable=False) for v in variables]
for epoch in range(4):
    for s in sums:
        s.assign(tf.zeros_like(s))
    for turn in range(7):
        with tf.GradientTape() as tape:
            loss = loss_of(parts[turn % 4]) / 2.0
        for s, g in zip(sums, tape.gradient(loss, variables)):
            s.assign_add(g)
        if turn % 2 == 1:
            optimizer.apply_gradients(zip([s + 0.0 for s in sums], variables))
            for s in sums:
                s.assign(tf.zeros_like(s))
""",
    "a controller with an integral": """
integral = [tf.Variable(tf.zeros_like(v), trainable=False) for v in variables]
for turn in range(8):
    with tf.GradientTape() as tape:
        loss = loss_of(parts[turn % 4])
    for v, i, g in zip(variables, integral, tape.gradient(loss, variables)):
        i.assign(0.95 * i + g)
        v.assign_sub(0.01 * g + 0.001 * i)
""",
    "gradients of several tasks, without their conflict": """
for _ in range(4):
    every = []
    for part in parts[:2]:
        with tf.GradientTape() as tape:
            loss = loss_of(part)
        every.append(tape.gradient(loss, variables))
    merged = []
    for one, other in zip(*every):
        along = tf.reduce_sum(one * other) / (tf.reduce_sum(other * other) + 1e-6)
        merged.append(one - tf.minimum(along, 0.0) * other + other)
    optimizer.apply_gradients(zip(merged, variables))
""",
    "differences of gradients": """
history = []
old = None
for turn in range(8):
    with tf.GradientTape() as tape:
        loss = loss_of(parts[0])
    gradients = tape.gradient(loss, variables)
    if old is not None:
        history.append([g - o for g, o in zip(gradients, old)])
    old = gradients
    for v, g in zip(variables, gradients):
        v.assign_sub(0.05 * g)
""",
    "Nesterov's momentum by hand": """
speed = [tf.zeros_like(v) for v in variables]
for turn in range(8):
    for v, s in zip(variables, speed):
        v.assign_add(0.9 * s)
    with tf.GradientTape() as tape:
        loss = loss_of(parts[turn % 4])
    gradients = tape.gradient(loss, variables)
    for v, s in zip(variables, speed):
        v.assign_sub(0.9 * s)
    speed = [0.9 * s - 0.05 * g for s, g in zip(speed, gradients)]
    for v, s in zip(variables, speed):
        v.assign_add(s)
""",
    "Adam by hand, in lists": """
m = [tf.zeros_like(v) for v in variables]
u = [tf.zeros_like(v) for v in variables]
for turn in range(8):
    with tf.GradientTape() as tape:
        loss = loss_of(parts[turn % 4])
    gradients = tape.gradient(loss, variables)
    m = [0.9 * a + 0.1 * g for a, g in zip(m, gradients)]
    u = [0.99 * a + 0.01 * g * g for a, g in zip(u, gradients)]
    print(float(loss))
    for v, a, c in zip(variables, m, u):
        v.assign_sub(0.01 * a / (tf.sqrt(c) + 1e-6))
""",
    "the slope of a norm": """
for turn in range(5):
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            loss = loss_of(parts[turn % 4])
        gradients = inner.gradient(loss, variables)
        norm = sum(tf.reduce_sum(g * g) for g in gradients)
        total = norm + 0.0
    second = outer.gradient(total, variables)
    optimizer.apply_gradients(zip([g + 0.1 * h for g, h in zip(gradients, second)], variables))
""",
    "norms of the parts": """
for epoch in range(3):
    norms = []
    total = None
    for part in parts:
        with tf.GradientTape() as tape:
            loss = loss_of(part) / 4.0
        gradients = tape.gradient(loss, variables)
        norms.append(float(sum(tf.reduce_sum(g * g) for g in gradients)))
        total = gradients if total is None else [a + b for a, b in zip(total, gradients)]
    optimizer.apply_gradients(zip(total, variables))
    print(norms)
""",
    "a judge that learns three times as often": """
judge = tf.Variable(0.3, name="judge")
other = tf.keras.optimizers.SGD(0.05)
for turn in range(4):
    for part in parts[:3]:
        with tf.GradientTape() as tape:
            loss = (judge * loss_of(part) - 1.0) ** 2
        other.apply_gradients([(tape.gradient(loss, judge), judge)])
    with tf.GradientTape() as tape:
        loss = -judge * loss_of(parts[3])
    optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
""",
    "gradients of several losses of one tape": """
for turn in range(5):
    with tf.GradientTape(persistent=True) as tape:
        losses = [loss_of(part) for part in parts]
    each = [tape.gradient(one, variables) for one in losses]
    mean = [tf.add_n([one[k] for one in each]) / 4.0 for k in range(2)]
    optimizer.apply_gradients(zip(mean, variables))
""",
    "the worst batch": """
for turn in range(4):
    worst, chosen = -1.0, None
    for part in parts:
        with tf.GradientTape() as tape:
            loss = loss_of(part)
        gradients = tape.gradient(loss, variables)
        if float(loss) > worst:
            worst, chosen = float(loss), gradients
    optimizer.apply_gradients(zip(chosen, variables))
""",
    "the worst batch of a list": """
for turn in range(4):
    candidates = []
    for part in parts:
        with tf.GradientTape() as tape:
            loss = loss_of(part)
        candidates.append((float(loss), tape.gradient(loss, variables)))
    worst, chosen = max(candidates, key=lambda one: one[0])
    optimizer.apply_gradients(zip(chosen, variables))
""",
    "rates that are tried": """
for turn in range(4):
    best = None
    for rate in (0.1, 0.05, 0.01):
        kept = [v.numpy() for v in variables]
        with tf.GradientTape() as tape:
            loss = loss_of(parts[0])
        gradients = tape.gradient(loss, variables)
        for v, g in zip(variables, gradients):
            v.assign_sub(rate * g)
        found = float(loss_of(parts[0]))
        if best is None or found < best[0]:
            best = (found, [v.numpy() for v in variables])
        for v, k in zip(variables, kept):
            v.assign(k)
    for v, k in zip(variables, best[1]):
        v.assign(k)
""",
    "sums in NumPy": """
for turn in range(6):
    grads = [np.zeros(v.shape, "float32") for v in variables]
    for part in parts:
        with tf.GradientTape() as tape:
            loss = loss_of(part)
        for total, g in zip(grads, tape.gradient(loss, variables)):
            total += g.numpy() / 4
    for v, g in zip(variables, grads):
        v.assign_sub(0.05 * g)
""",
    "gradients kept in NumPy": """
log = []
for turn in range(6):
    for part in parts[:2]:
        with tf.GradientTape() as tape:
            loss = loss_of(part)
        gradients = tape.gradient(loss, variables)
        log.append([g.numpy() for g in gradients])
        optimizer.apply_gradients(zip(gradients, variables))
""",
    "sums of errors": """
def total_of(part):
    return tf.reduce_sum((tf.reduce_sum(part * w, axis=-1) + b - 1.0) ** 2)


for _ in range(4):
    total = [tf.zeros_like(v) for v in variables]
    for part in parts:
        with tf.GradientTape() as tape:
            loss = total_of(part)
        total = [t + g for t, g in zip(total, tape.gradient(loss, variables))]
        print(float(loss))
    optimizer.apply_gradients(zip([t / 12.0 for t in total], variables))
""",
    "down one loss and up another": """
for turn in range(6):
    with tf.GradientTape() as tape:
        loss = loss_of(parts[0])
    first = tape.gradient(loss, variables)
    with tf.GradientTape() as tape:
        loss = loss_of(parts[1])
    second = tape.gradient(loss, variables)
    optimizer.apply_gradients(zip([a - 0.1 * c for a, c in zip(first, second)], variables))
""",
    "the noise of gradients": """
sums = [tf.Variable(tf.zeros_like(v), trainable=False) for v in variables]
scale = tf.Variable(0.0, trainable=False)
for turn in range(8):
    with tf.GradientTape() as tape:
        loss = loss_of(parts[turn % 4])
    gradients = tape.gradient(loss, variables)
    for s, g in zip(sums, gradients):
        s.assign(0.9 * s + 0.1 * g)
    scale.assign(sum(tf.reduce_sum((g - s) ** 2) for g, s in zip(gradients, sums)))
    optimizer.apply_gradients(zip(gradients, variables))
""",
    "limited gradients for a second model": """
copy = [tf.Variable(v, trainable=False) for v in variables]
for turn in range(6):
    with tf.GradientTape() as tape:
        loss = loss_of(parts[turn % 4])
    gradients = tape.gradient(loss, variables)
    limited = [tf.minimum(tf.maximum(g, -0.1), 0.1) for g in gradients]
    optimizer.apply_gradients(zip(gradients, variables))
    for c, g in zip(copy, limited):
        c.assign_sub(0.05 * g)
""",
    "what signs have left out": """
left = [tf.zeros_like(v) for v in variables]
for turn in range(8):
    with tf.GradientTape() as tape:
        loss = loss_of(parts[turn % 4])
    wanted = [rest + g for rest, g in zip(left, tape.gradient(loss, variables))]
    sent = [tf.sign(x) * 0.1 for x in wanted]
    left = [x - s for x, s in zip(wanted, sent)]
    print(float(loss))
    optimizer.apply_gradients(zip(sent, variables))
""",
    "a second model that starts from the first in each phase": """
other = [tf.Variable(v, name="other") for v in variables]
for phase in range(3):
    for o, v in zip(other, variables):
        o.assign(v)
    for part in parts:
        with tf.GradientTape() as tape:
            found = tf.reduce_sum(part * other[0], axis=-1) + other[1]
            loss = loss_of(part) + tf.reduce_mean((found - 0.5) ** 2)
        both = [*variables, *other]
        optimizer.apply_gradients(zip(tape.gradient(loss, both), both))
""",
    "a teacher that follows": """
teacher = [tf.Variable(v, trainable=False, name="teacher") for v in variables]
for turn in range(8):
    part = parts[turn % 4]
    goal = tf.reduce_sum(part * teacher[0], axis=-1) + teacher[1]
    with tf.GradientTape() as tape:
        loss = loss_of(part) + tf.reduce_mean((tf.reduce_sum(part * w, axis=-1) + b - goal) ** 2)
    optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
    for t, v in zip(teacher, variables):
        t.assign(0.9 * t + 0.1 * v)
""",
    "weights that are pulled to each other": """
other = [tf.Variable(v, name="other") for v in variables]
for turn in range(8):
    part = parts[turn % 4]
    with tf.GradientTape() as tape:
        found = tf.reduce_sum(part * other[0], axis=-1) + other[1]
        loss = loss_of(part) + tf.reduce_mean((found - 0.5) ** 2)
    both = [*variables, *other]
    for v, g in zip(both, tape.gradient(loss, both)):
        v.assign_sub(0.05 * g)
""",
    "only what has become large": """
left = [tf.Variable(tf.zeros_like(v), trainable=False) for v in variables]
for turn in range(8):
    with tf.GradientTape() as tape:
        loss = loss_of(parts[turn % 4])
    for rest, v, g in zip(left, variables, tape.gradient(loss, variables)):
        rest.assign_add(g)
        big = tf.where(tf.abs(rest) > 0.5, 1.0, 0.0)
        sent = rest * big
        rest.assign(rest - sent)
        v.assign_sub(0.05 * sent)
""",
    "two phases": """
for _ in range(3):
    total = [tf.zeros_like(v) for v in variables]
    for part in parts:
        with tf.GradientTape() as tape:
            loss = loss_of(part) / 4.0
        total = [t + g for t, g in zip(total, tape.gradient(loss, variables))]
    optimizer.apply_gradients(zip(total, variables))
for part in parts:
    with tf.GradientTape() as tape:
        loss = loss_of(part)
    optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
""",
    "a while loop": """
step = 0
total = [tf.zeros_like(v) for v in variables]
while step < 12:
    with tf.GradientTape() as tape:
        loss = loss_of(parts[step % 4]) / 3.0
    gradients = tape.gradient(loss, variables)
    total = [t + g for t, g in zip(total, gradients)]
    step += 1
    if step % 3 == 0:
        optimizer.apply_gradients(zip(total, variables))
        total = [tf.zeros_like(v) for v in variables]
""",
}
"""By what it does: a right program."""
