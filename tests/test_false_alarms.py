"""Programs that look wrong but are right, in each possible vocabulary, each next to a real mistake."""

import pytest

NATIVE, TENSORFLOW, PADDLE = None, "tensorflow", "paddle"
HEADS = {
    NATIVE: "import penstock as ps\n",
    TENSORFLOW: "import tensorflow as tf\n",
    PADDLE: "import paddle\n",
}
ONES = "import tensorflow.compat.v1 as tf\ntf.disable_v2_behavior()\n"


@pytest.fixture
def findings(check):
    """Check a program after its imports; returns code, severity and variables of each finding."""

    def run(program, dialect=NATIVE, head=None):
        report = check(program, dialect, HEADS[dialect] if head is None else head)
        return [(one.code, one.severity, one.variables) for one in report.findings]

    return run


def codes(findings):
    """The codes alone."""
    return [code for code, _, _ in findings]


def told(findings, code):
    """The variables of the findings with a code."""
    return [variables for one, _, variables in findings if one == code]


# -- a name that a layer's line gives to the layer's result ----------------------------------------------

FIRST_CALLS = {
    "native": (
        NATIVE,
        """
        layer, head = ps.layers.Dense(4), ps.layers.Dense(1)
        optimizer = ps.optimizers.SGD(0.1)

        def forward(x):
            h = layer(x)
            h = ps.nn.relu(h)
            h = head(h)
            return h

        for _ in range(3):
            with ps.GradientTape() as tape:
                loss = ps.mean(forward(ps.ones((2, 3))) ** 2)
            variables = layer.trainable_variables + head.trainable_variables
            optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
        """,
    ),
    "native, a layer under a name": (
        NATIVE,
        """
        layer = ps.layers.Dense(1)
        out = layer(ps.ones((2, 3)))
        variables = layer.trainable_variables
        for _ in range(2):
            with ps.GradientTape() as tape:
                out = layer(ps.ones((2, 3)))
                out = out * 2.0
                loss = ps.mean(out ** 2)
            ps.optimizers.SGD(0.1)
            for v, g in zip(variables, tape.gradient(loss, variables)):
                v.assign_sub(0.1 * g)
        """,
    ),
    "tensorflow": (
        TENSORFLOW,
        """
        class Net(tf.keras.Model):
            def __init__(self):
                super().__init__()
                self.fc1, self.fc2 = tf.keras.layers.Dense(4), tf.keras.layers.Dense(1)

            def call(self, s):
                x = self.fc1(s)
                x = tf.nn.relu(x)
                x = self.fc2(x)
                return x

        net, optimizer = Net(), tf.keras.optimizers.SGD(0.1)
        for _ in range(3):
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean(net(tf.ones([2, 3])) ** 2)
            grads = tape.gradient(loss, net.trainable_variables)
            optimizer.apply_gradients(zip(grads, net.trainable_variables))
        """,
    ),
    "paddle": (
        PADDLE,
        """
        x = paddle.ones([2, 3])
        h = paddle.nn.Linear(3, 4)
        head = paddle.nn.Linear(4, 1)
        optimizer = paddle.optimizer.SGD(0.1, parameters=h.parameters() + head.parameters())
        for _ in range(3):
            loss = (head(h(x)) ** 2).mean()
            loss.backward()
            optimizer.step()
            optimizer.clear_grad()
        h = h(x)
        h = h * 2.0
        """,
    ),
}


@pytest.mark.parametrize(("dialect", "program"), FIRST_CALLS.values(), ids=FIRST_CALLS)
def test_a_layers_result_may_have_the_name_on_the_line_that_built_it(dialect, program, findings):
    assert findings(program, dialect) == []


def test_so_it_may_in_the_layers_of_version_1(findings):
    assert findings(
        """
        x = tf.placeholder(tf.float32, [None, 3])
        w = tf.get_variable("w", [3, 1])
        h = tf.matmul(x, w)
        h = tf.nn.relu(h) + h
        train = tf.train.GradientDescentOptimizer(0.1).minimize(tf.reduce_mean(h ** 2))
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            for _ in range(3):
                session.run(train, {x: [[1.0, 2.0, 3.0]]})
        """,
        TENSORFLOW,
        ONES,
    ) == []  # fmt: skip


WEIGHT_OF_A_LAYER = """
class Own({layer}):
    def build(self, shape):
        self.w = self.add_weight(name="w", shape=(1,), initializer="ones")

    def call(self, x):
        return x * self.w

    def shrink(self):
        self.w = self.w * 0.5

own = Own()
own(x)
own.shrink()
"""


def test_a_weight_that_a_layer_has_added_can_lose_its_name(findings):
    program = "x = ps.ones((1,))" + WEIGHT_OF_A_LAYER.format(layer="ps.layers.Layer")
    assert codes(findings(program)) == ["PS104"]
    program = "x = tf.ones([1])" + WEIGHT_OF_A_LAYER.format(layer="tf.keras.layers.Layer")
    assert codes(findings(program, TENSORFLOW)) == ["PS104"]


MASKED = """
class Predictor(paddle.nn.Layer):
    def __init__(self):
        super().__init__()
        self.first = paddle.nn.Linear(3, 4)
        self.last = paddle.nn.Linear(4, 1)

    def forward(self, x, mask):
        out = self.first(x)
        out = self.last(out)
        out = out.squeeze(axis=-1)
        out = {masked}
        return out

model = Predictor()
optimizer = paddle.optimizer.SGD(0.1, parameters=model.parameters())
for _ in range(3):
    loss = (model(paddle.ones([2, 2, 3]), paddle.to_tensor([[False, True], [True, False]])) ** 2).sum()
    loss.backward()
    optimizer.step()
    optimizer.clear_grad()
"""


def test_a_tensor_created_as_an_argument_does_not_have_the_name_of_the_result(findings):
    for masked in (
        "paddle.where(mask, out, paddle.to_tensor(0.0, dtype=out.dtype))",
        "out * paddle.to_tensor(2.0)",
        "paddle.add(x=out, y=paddle.to_tensor([[1.0, 2.0]] * 2))",
    ):
        assert "PS104" not in codes(findings(MASKED.format(masked=masked), PADDLE))


TRAINED = """
w = {variable}
for _ in range(3):
    with {tape} as tape:
        loss = (w - 2.0) ** 2
    g = tape.gradient(loss, w)
    {update}
{last}
"""


@pytest.mark.parametrize(
    ("update", "last", "wrong"),
    [
        ("w.assign_sub(0.1 * g)", "w = w * 255.0", False),
        ("w.assign_sub(0.1 * g)", "w = w - 0.1 * g", True),
        ("w = w - 0.1 * g if g is not None else w", "", True),
    ],
    ids=["made of it when all is over", "an update, by its name", "an update in the loop"],
)
def test_a_value_made_from_a_trained_variable_at_the_end_may_have_its_name(update, last, wrong, findings):
    for dialect, variable, tape in (
        (NATIVE, "ps.Variable(1.0, name='w')", "ps.GradientTape()"),
        (TENSORFLOW, "tf.Variable(1.0, name='w')", "tf.GradientTape()"),
    ):
        program = TRAINED.format(variable=variable, tape=tape, update=update, last=last)
        assert codes(findings(program, dialect)) == ["PS104"] * wrong


# -- a frozen body and a head in one optimizer -----------------------------------------------------------

BODY_AND_HEAD = """
net = paddle.nn.Sequential(paddle.nn.Linear(3, 4), paddle.nn.Linear(4, 1))
for p in net[0].parameters():
    p.stop_gradient = {frozen}
extra = paddle.to_tensor([1.0]{given})
optimizer = paddle.optimizer.{kind}(0.1, parameters=net.parameters() + [extra])
for _ in range(3):
    loss = (net(paddle.ones([2, 3]) * extra) ** 2).mean()
    loss.backward()
    optimizer.step()
    optimizer.clear_grad()
"""


@pytest.mark.parametrize("kind", ["SGD", "Adam"])
def test_an_optimizer_may_hold_frozen_variables(kind, findings):
    right = BODY_AND_HEAD.format(frozen=True, given=", stop_gradient=False", kind=kind)
    assert findings(right, PADDLE) == []
    # Nobody has frozen this one: to_tensor makes it so.
    wrong = BODY_AND_HEAD.format(frozen=False, given="", kind=kind)
    assert codes(findings(wrong, PADDLE)) == ["PS110"]


# -- optimizers of one line ------------------------------------------------------------------------------

STEP = {
    NATIVE: """
w, b = ps.Variable(1.0, name='w'), ps.Variable(0.5, name='b')
Adam = ps.optimizers.Adam
def step(optimizer, variables=(w,)):
    with ps.GradientTape() as tape:
        loss = sum((v - 2.0) ** 2 for v in variables)
    optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
""",
    TENSORFLOW: """
w, b = tf.Variable(1.0, name='w'), tf.Variable(0.5, name='b')
Adam = tf.keras.optimizers.Adam
def step(optimizer, variables=(w,)):
    with tf.GradientTape() as tape:
        loss = sum((v - 2.0) ** 2 for v in variables)
    optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
""",
}
KEPT = {
    "two on one line": "first, second = Adam(0.1), Adam(0.1)\n"
    "for _ in range(3):\n    step(first)\n    step(second)\n",
    "a comprehension": "optimizers = [Adam(0.1) for _ in range(3)]\n"
    "for _ in range(2):\n    for one in optimizers:\n        step(one)\n",
    "a function that makes them": "def make():\n    return Adam(0.1)\nfirst, second = make(), make()\n"
    "for _ in range(2):\n    step(first)\n    step(second)\n",
    "a second phase": "def train(rate):\n    optimizer = Adam(rate)\n"
    "    for _ in range(3):\n        step(optimizer)\ntrain(0.1)\ntrain(0.1)\n",
    "a sweep": "for rate in (0.3, 0.1, 0.03):\n    optimizer = Adam(rate)\n"
    "    for _ in range(2):\n        step(optimizer)\n",
    "seeds": "for seed in (0.3, 0.1, 0.2):\n    w.assign(seed)\n    optimizer = Adam(0.1)\n"
    "    for _ in range(2):\n        step(optimizer)\n",
    "unfreezing": "for variables in ([w], [w, b]):\n    optimizer = Adam(0.1)\n"
    "    step(optimizer, variables)\n",
    "long phases": "for _ in range(3):\n    optimizer = Adam(0.1)\n"
    "    for _ in range(50):\n        step(optimizer)\n",
}
REMADE = {
    "each turn": "for _ in range(4):\n    step(Adam(0.1))\n",
    "each turn, with a falling rate": "for turn in range(4):\n    step(Adam(0.1 * 0.9 ** turn))\n",
    "each epoch": "for _ in range(4):\n    optimizer = Adam(0.1)\n"
    "    for _ in range(2):\n        step(optimizer)\n",
}


@pytest.mark.parametrize("dialect", STEP)
@pytest.mark.parametrize("program", KEPT.values(), ids=KEPT)
def test_optimizers_that_are_kept(program, dialect, findings):
    assert findings(STEP[dialect] + program, dialect) == []


@pytest.mark.parametrize("dialect", STEP)
@pytest.mark.parametrize("program", REMADE.values(), ids=REMADE)
def test_optimizers_that_are_made_again(program, dialect, findings):
    assert findings(STEP[dialect] + program, dialect) == [("PS201", "warning", ("w",))]


# -- a second writer -------------------------------------------------------------------------------------

BESIDE = """
w = ps.Variable([2.0, -1.0], name="w")
optimizer = ps.optimizers.SGD(0.1)
mask, slow, best = ps.asarray([1.0, 0.0]), w.numpy(), None
{before}
for turn in range(6):
    with ps.GradientTape() as tape:
        loss = ps.sum(w ** 2)
    g = tape.gradient(loss, w)
{climb}
    optimizer.apply_gradients([(g, w)])
{after}
"""
CLIMB = """
    e = 0.05 * g / ps.sqrt(ps.sum(g * g))
    w.assign_add(e)
    with ps.GradientTape() as tape:
        loss = ps.sum(w ** 2)
    g = tape.gradient(loss, w)
    w.assign_sub(e)
"""
MEANT = {
    "set before": ("w.assign([1.0, 3.0])", "", ""),
    "clipped": ("", "", "    w.assign(ps.clip(w, -0.5, 0.5))"),
    "of length one": ("", "", "    w.assign(w / ps.sqrt(ps.sum(w * w)))"),
    "masked": ("", "", "    w.assign(w * mask)"),
    "there and back": ("", CLIMB, ""),
    "slow weights": (
        "",
        "",
        "    if turn % 3 == 2:\n        slow = slow + 0.5 * (w.numpy() - slow)\n        w.assign(slow)",
    ),
    "the best at the end": ("", "", "    best = w.numpy()\nw.assign(best)"),
    "swapped to evaluate": ("", "", "    kept = w.numpy()\n    w.assign(slow)\n    w.assign(kept)"),
}


@pytest.mark.parametrize("parts", MEANT.values(), ids=MEANT)
def test_a_second_writer_that_is_intended(parts, findings):
    program = BESIDE.format(**dict(zip(("before", "climb", "after"), parts, strict=True)))
    assert findings(program) == []
    spoken = program.replace("ps.clip(", "tf.clip_by_value(").replace("ps.sum", "tf.reduce_sum")
    spoken = spoken.replace("ps.optimizers", "tf.keras.optimizers").replace("ps.asarray", "tf.constant")
    assert findings(spoken.replace("ps.", "tf."), TENSORFLOW) == []


@pytest.mark.parametrize(
    "after", ["w.assign_add([0.1, 0.1])", "w.assign(0.99 * w)", "w.assign(w + 0.1 * mask)"]
)
def test_a_second_writer_in_every_step_is_reported(after, findings):
    program = BESIDE.format(before="", climb="", after=f"    {after}")
    assert findings(program) == [("PS202", "note", ("w",))]


def test_a_line_that_undoes_each_update_is_reported_unless_the_result_was_measured(findings):
    program = BESIDE.format(before="", climb="", after="    w.assign(slow)")
    assert findings(program) == [("PS414", "warning", ("w",))]
    tried = BESIDE.format(before="", climb="", after="    print(float(ps.sum(w * w)))\n    w.assign(slow)")
    assert [one for one in findings(tried) if one[1] != "note"] == []


# -- frozen variables that should never train ------------------------------------------------------------


def test_statistics_queues_and_copies_are_no_frozen_weights(findings):
    program = """
    w = tf.Variable([[1.0, 2.0], [3.0, 4.0]], name="w")
    key = tf.Variable(w, trainable=False, name="key")
    queue = tf.Variable(tf.ones([4, 2]), trainable=False, name="queue")
    mean = tf.Variable(tf.zeros([2]), trainable=False, name="mean")
    cache = tf.Variable(0.0, trainable=False, name="cache")
    count = tf.Variable(0, trainable=False, name="count")
    {more}
    for step in range(3):
        x = tf.constant([[1.0, float(step)], [0.5, 1.0]])
        mean.assign(0.9 * mean + 0.1 * tf.reduce_mean(x, 0))
        with tf.GradientTape() as tape:
            q, k = tf.matmul(x - mean, w), tf.matmul(x - mean, key)
            logits = tf.matmul(q, tf.concat([k, queue], 0), transpose_b=True)
            loss = tf.reduce_mean(logits ** 2) * {factor} + cache / (1.0 + tf.cast(count, tf.float32))
        w.assign_sub(0.001 * tape.gradient(loss, w))
        key.assign(0.9 * key + 0.1 * w)
        queue.assign(tf.concat([queue[2:], k], 0))
        cache.assign(loss)
        count.assign_add(1)
    """
    assert findings(program.format(more="", factor="1.0"), TENSORFLOW) == []
    frozen = program.format(more="frozen = tf.Variable(1.0, trainable=False, name='frozen')", factor="frozen")
    assert findings(frozen, TENSORFLOW) == [("PS203", "note", ("frozen",))]


# -- barriers --------------------------------------------------------------------------------------------

BARRIERS = {
    "an argument": """
        def cost(x):
            return ps.sum(x * ps.stop_gradient({held}))
        ps.grad(cost)(ps.ones(3))
        """,
    "a tree": """
        def cost(tree):
            x = tree["b"]
            return ps.sum(tree["w"] * ps.stop_gradient({held}))
        ps.grad(cost)({{"w": ps.ones(3), "b": ps.ones(3)}})
        """,
    "a watched tensor": """
        x = ps.ones(3)
        with ps.GradientTape() as tape:
            tape.watch(x)
            loss = ps.sum(x * ps.stop_gradient({held}))
        tape.gradient(loss, x)
        """,
    "a frozen network": """
        x = ps.Variable(ps.ones(3), trainable=False, name="target")
        w = ps.Variable(ps.ones(3), name="w")
        for turn in range(2):
            with ps.GradientTape() as tape:
                loss = ps.sum(w * ps.stop_gradient({held}))
            w.assign_sub(0.1 * tape.gradient(loss, w))
            x.assign(0.9 * x + 0.1 * w)
        """,
}


@pytest.mark.parametrize("program", BARRIERS.values(), ids=BARRIERS)
def test_a_barrier_before_the_source_of_a_gradient(program, findings):
    # The program takes a gradient by name with respect to the stopped part of a tree.
    told = ["PS106"] if "tree" in program else []
    assert codes(findings(program.format(held="2.0 * x"))) == told
    assert "PS301" in codes(findings(program.format(held="2.0 * ps.asarray([1.0, 2.0, 3.0])")))


CROSS_ENTROPY = """
x = tf.placeholder(tf.float32, [None, 2])
y = tf.placeholder(tf.float32, [None, 2])
w = tf.get_variable("w", [2, 2])
logits = tf.matmul(x, w)
mean, variance = tf.nn.moments(logits, [0])
{labels}
loss = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits(labels=y, logits=logits))
loss = loss + tf.losses.softmax_cross_entropy(y, logits) + 0.01 * tf.reduce_mean(variance)
train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for _ in range(3):
        session.run(train, {{x: [[1.0, 2.0], [3.0, 5.0]], y: [[1.0, 0.0], [0.0, 1.0]]}})
"""


def test_a_barrier_that_the_program_never_wrote_is_not_reported(findings):
    assert findings(CROSS_ENTROPY.format(labels=""), TENSORFLOW, ONES) == []
    written = CROSS_ENTROPY.format(labels="logits = logits + tf.stop_gradient(x)")
    assert codes(findings(written, TENSORFLOW, ONES)) == ["PS301"]


# -- derivatives of values other than losses -------------------------------------------------------------


def test_a_second_derivative_is_no_loss(findings):
    second = """
    x, a, b = tf.Variable(3.0, name="x"), tf.Variable(2.0, name="a"), tf.Variable(1.0, name="b")
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            y = a * x ** 3 * b
        slope = inner.gradient(y, x)
    print(outer.gradient({target}, x))
    """
    for target in ("slope", "tf.reduce_sum(slope)"):
        assert findings(second.format(target=target), TENSORFLOW) == []


def test_a_gradient_that_moves_nothing_need_not_train_all(findings):
    first = """
    x, b = ps.Variable(3.0, name="x"), ps.Variable(1.0, name="b")
    with ps.GradientTape() as tape:
        loss = x ** 2 + b
    slope = tape.gradient(loss, x)
    """
    assert findings(first) == [("PS302", "note", ("b",))]
    assert findings(first.rstrip() + "\n    x.assign_sub(0.1 * slope)\n") == [("PS302", "warning", ("b",))]


def test_a_tape_with_an_explicit_list_watches_nothing_else(findings):
    for dialect, name in ((NATIVE, "ps"), (TENSORFLOW, "tf")):
        program = f"""
        a, b = {name}.Variable(3.0, name="a"), {name}.Variable(1.0, name="b")
        with {name}.GradientTape({{}}) as tape:
            tape.watch(b)
            first = {{}}
            loss = first + b ** 2
        b.assign_sub(0.1 * tape.gradient(loss, b))
        """
        assert findings(program.format("watch_accessed_variables=False", "a ** 2"), dialect) == []
        held = program.format("", f"{name}.stop_gradient(a) ** 2")
        assert codes(findings(held, dialect)) == ["PS302"]


def test_a_term_may_be_there_for_the_sake_of_another_step(findings):
    apart = """
    u, v = ps.Variable(3.0, name="u"), ps.Variable(1.0, name="v")
    for turn in range(3):
        with ps.GradientTape() as tape:
            loss = (u - 1.0) ** 2 + (v - 2.0) ** 2
        u.assign_sub(0.1 * tape.gradient(loss, u))
    {more}
    """
    assert findings(apart.format(more="")) == [("PS302", "warning", ("v",))]
    other = "    with ps.GradientTape() as tape:\n            other = v ** 2\n"
    other += "        v.assign_sub(0.1 * tape.gradient(other, v))"
    assert findings(apart.format(more=other)) == []


# -- gradients that are missing --------------------------------------------------------------------------

QUALITY = """
state, goal = tf.placeholder(tf.float32, [None, 2]), tf.placeholder(tf.float32, [None, 1])
def network(name):
    with tf.variable_scope(name):
        return tf.matmul(state, tf.get_variable("w", [2, 1]))
q, other = network("online"), network("other")
train = tf.train.AdamOptimizer(0.1).minimize(tf.reduce_mean((q - goal) ** 2))
weights = [tf.trainable_variables("online")[0], tf.trainable_variables("other")[0]]
sync = tf.assign(weights[1], weights[0])
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for turn in range(4):
        seen = {{state: [[1.0, 2.0]]}}
        following = {following}
        session.run(train, {{**seen, goal: following + 1.0}})
        {after}
"""


@pytest.mark.parametrize(
    ("following", "after", "wrong"),
    [
        ("session.run(other, seen)", "session.run(sync)", False),
        ("session.run(other, seen)", "", False),
        ("session.run(q, seen)", "session.run(sync)", False),
        ("session.run(q, seen)", "", True),
    ],
    ids=["a target network", "one that never follows", "a copy", "a network that nobody uses"],
)
def test_minimize_with_an_empty_list(following, after, wrong, findings):
    found = findings(QUALITY.format(following=following, after=after), TENSORFLOW, ONES)
    assert told(found, "PS101") == [("other/w",)] * wrong


def test_an_operation_without_a_rule_may_matter_to_the_loss(check):
    report = check(
        "import penstock as ps\nw = ps.Variable(2.0, name='w')\nidle = ps.Variable(1.0, name='idle')\n"
        "with ps.GradientTape() as tape:\n"
        "    loss = ps.while_loop(lambda a: a < 9.0, lambda a: a * w, w)\n"
        "tape.gradient(loss, [w, idle])\n"
    )
    unruled, unused = [one.message for one in report.findings if one.code == "PS101"]
    assert "unruled" in unruled and "stays the same" not in unruled and ":5" in unruled
    assert "unused" in unused and "The loss stays the same whatever it holds." in unused


LEAVING = {
    "a mean of NumPy's": "{made}(np.mean(h.numpy()))",
    "a function of NumPy's": "{made}(np.square(h))",
    "float": "{made}(float({total}(h)))",
    "item": "{made}({total}(h).numpy().item())",
    "a list": "{made}(h.numpy().tolist())",
    "int": "{made}(float(int({total}(h))))",
    "a loop": "{made}(sum(float(one) for one in h))",
    "asarray": "{made}(np.asarray(h))",
    "array": "{made}(np.array(h) * 2)",
    "text": "{made}(float(f'{{float({total}(h)):.3f}}'))",
    "the variable itself": "{made}(np.mean(w.numpy()))",
}


@pytest.mark.parametrize("spelling", LEAVING.values(), ids=LEAVING)
@pytest.mark.parametrize("dialect", [NATIVE, TENSORFLOW])
def test_a_target_that_left_has_escaped(spelling, dialect, findings):
    name, made, total = ("ps", "ps.asarray", "ps.sum") if dialect is NATIVE else (
        "tf", "tf.constant", "tf.reduce_sum"
    )  # fmt: skip
    program = (
        f"import numpy as np\nw = {name}.Variable([2.0, 3.0], name='w')\n"
        f"with {name}.GradientTape() as tape:\n    h = w * w\n    loss = {{}}\ntape.gradient(loss, w)\n"
    )
    assert findings(program.format(spelling.format(made=made, total=total)), dialect) == [
        ("PS108", "warning", ("w",))
    ]
    assert codes(findings(program.format(f"{total}(h)"), dialect)) == []


def test_a_target_that_was_never_there_has_not(findings):
    assert codes(
        findings(
            "w = ps.Variable([2.0, 3.0], name='w')\nwith ps.GradientTape() as tape:\n    h = w * w\n"
            "tape.gradient(ps.asarray(3.0), w)\n"
        )
    ) == ["PS101"]


STARTED = """
import numpy as np
w = ps.Variable([1.0, 2.0], name="w")
optimizer = ps.optimizers.SGD(0.1)
for _ in range(3):
    with ps.GradientTape() as tape:
        outputs = w * ps.asarray([3.0, 4.0])
        right = np.asarray(outputs) > 3.5
        total = {start}
        total = total + ps.square(outputs - 1.0)
        loss = ps.mean(total)
    optimizer.apply_gradients([(tape.gradient(loss, w), w)])
"""


@pytest.mark.parametrize("start", ["ps.zeros(2)", "ps.full((2,), 0.5)", "ps.asarray([0.0, 0.0])"])
def test_a_sum_that_begins_with_zeros_has_no_dead_term(start, findings):
    assert findings(STARTED.format(start=start)) == []


def test_a_term_of_values_that_were_read_is_dead(findings):
    assert codes(findings(STARTED.format(start="ps.asarray(np.asarray(outputs) * 0.5)"))) == ["PS302"]
