"""Intended updates, and similar ones that are mistakes: the messages on both."""

import json
from pathlib import Path

import pytest

from checking import DIALECTS, report_on
from penstock.cli import main

PROGRAMS = Path(__file__).parent / "programs" / "flows"


@pytest.fixture
def updates(check):
    """Check a program given as text; return its findings on updates: codes, variables, line."""

    def run(text, dialect=None):
        return [
            (one.code, one.variables, one.site and one.site.line)
            for one in check(text, dialect, warns=True).findings
            if one.code.startswith("PS4")
        ]

    return run


@pytest.mark.parametrize("name", sorted(path.stem for path in PROGRAMS.glob("*.py")))
def test_nothing_is_said_of_updates_that_are_intended(name):
    dialect = name.split("_")[0]
    report = report_on(PROGRAMS / f"{name}.py", DIALECTS[dialect], warns=True)
    assert [one for one in report.findings if one.code.startswith("PS4")] == []


# -- a gradient that is never applied ----------------------------------------------------------------------

TWO = """\
import penstock as ps
body, head = ps.layers.Dense(4, name="body"), ps.layers.Dense(1, name="head")
x = ps.random.normal((8, 3))
head(body(x))
optimizer = ps.optimizers.SGD(0.01)
for _ in range(3):
    with ps.GradientTape() as tape:
        loss = ps.mean((head(body(x)) - 1.0) ** 2)
    chosen = CHOSEN
    optimizer.apply_gradients(zip(tape.gradient(loss, chosen), chosen))
"""


def test_a_layer_behind_the_trained_one_is_missed_and_one_before_it_is_not(updates):
    assert updates(TWO.replace("CHOSEN", "body.variables")) == [("PS401", ("head/kernel", "head/bias"), 10)]
    assert updates(TWO.replace("CHOSEN", "head.variables")) == []
    frozen = TWO.replace("optimizer = ", "head.trainable = False\noptimizer = ")
    assert updates(frozen.replace("CHOSEN", "body.variables")) == []


GIVEN = """\
import penstock as ps
a, b = ps.Variable(1.0, name="a"), ps.Variable(2.0, name="b")
optimizer = ps.optimizers.SGD(0.1)
for _ in range(3):
    with ps.GradientTape() as tape:
        loss = (a * b - 1.0) ** 2
    by_a, by_b = tape.gradient(loss, [a, b])
    optimizer.apply_gradients([(by_a, a)])
    REST
"""


def test_a_gradient_that_is_given_and_never_applied(updates):
    assert updates(GIVEN.replace("REST", "pass")) == [("PS401", ("b",), 8)]
    assert updates(GIVEN.replace("REST", "b.assign_sub(0.1 * by_b)")) == []


HELD = """\
import penstock as ps


class Outer:
    layer = ps.layers.Dense(2, name="inner")


class Net(ps.layers.Model):
    def __init__(self):
        super().__init__(name="net")
        self.head = ps.layers.Dense(1, name="head")
        self.parts = PARTS

    def call(self, x):
        return self.head(Outer.layer(x))


net, x = Net(), ps.random.normal((8, 3))
optimizer = ps.optimizers.SGD(0.01)
net(x)
for _ in range(3):
    with ps.GradientTape() as tape:
        loss = ps.mean((net(x) - 1.0) ** 2)
    optimizer.apply_gradients(zip(tape.gradient(loss, net.trainable_variables), net.trainable_variables))
"""


@pytest.mark.parametrize(
    ("parts", "said"), [("Outer", True), ("[Outer.layer]", False), ("Outer.layer", False)]
)
def test_a_layer_that_the_model_calls_and_does_not_list(parts, said, updates):
    found = updates(HELD.replace("PARTS", parts))
    assert [one[0] for one in found] == ["PS401"] * said


# -- gradients that wait in Paddle ---------------------------------------------------------------------------

PADDLE = """\
import paddle
from paddle import nn
net, x = nn.Linear(3, 1), paddle.randn([8, 3])
optimizer = paddle.optimizer.SGD(0.01, parameters=net.parameters())
for step in range(6):
    BEFORE
    loss = ((net(x) - 1.0) ** 2).mean()
    loss.backward()
    BETWEEN
    optimizer.step()
    AFTER
"""


@pytest.mark.parametrize(
    ("before", "between", "after", "codes"),
    [
        ("pass", "pass", "optimizer.clear_grad()", []),
        ("net.clear_gradients()", "pass", "pass", []),
        ("pass", "pass", "pass", ["PS405"]),
        ("pass", "optimizer.clear_grad()", "pass", ["PS408"]),
        ("[p.clear_gradient() for p in net.parameters()]", "pass", "pass", []),
        ("pass", "if step % 2 == 0: continue", "optimizer.clear_grad()", ["PS424"]),
    ],
)
def test_the_ledger_of_gradients(before, between, after, codes, updates):
    text = PADDLE.replace("BEFORE", before).replace("BETWEEN", between).replace("AFTER", after)
    assert [one[0] for one in updates(text, "paddle")] == codes


# -- writes that change nothing ------------------------------------------------------------------------------

IDLE = """\
import penstock as ps
w, target = ps.Variable(1.0, name="w"), ps.Variable(1.0, name="target", trainable=False)
optimizer = ps.optimizers.SGD(RATE)
for _ in range(4):
    with ps.GradientTape() as tape:
        loss = (w - 2.0 + target) ** 2
    optimizer.apply_gradients([(tape.gradient(loss, w), w)])
    target.assign(VALUE)
"""


@pytest.mark.parametrize(
    ("rate", "value", "found"),
    [
        ("0.1", "w", []),
        ("0.1", "0.5", []),
        ("0.1", "target * 1.0 + 0.0", []),
        ("0.1", "target", [("PS410", ("target",), 8)]),
        ("0.1", "ps.stop_gradient(target)", [("PS410", ("target",), 8)]),
        ("0.0", "w + 1.0", [("PS410", ("w",), 7)]),
    ],
)
def test_writes_that_change_nothing(rate, value, found, updates):
    assert updates(IDLE.replace("RATE", rate).replace("VALUE", value)) == found


# -- in the course of a program ------------------------------------------------------------------------------

COURSE = """\
import penstock as ps
body, head = ps.Variable(1.0, name="body"), ps.Variable(2.0, name="head")
optimizer = ps.optimizers.Adam(0.1)
for turn in range(8):
    with ps.GradientTape() as tape:
        hidden = body * 3.0
        if STOPPED:
            hidden = ps.stop_gradient(hidden)
        loss = (hidden * head - 1.0) ** 2
    pairs = zip(tape.gradient(loss, [body, head]), [body, head])
    optimizer.apply_gradients([(g, v) for g, v in pairs if g is not None])
"""


@pytest.mark.parametrize(
    ("stopped", "said"),
    [
        ("turn >= 3", True),
        ("turn < 3", False),
        ("turn % 2", False),
        ("turn == 7", False),
        ("turn == 3", False),
    ],
)
def test_a_gradient_that_is_gone(stopped, said, updates):
    assert updates(COURSE.replace("STOPPED", stopped)) == [("PS420", ("body",), 10)] * said


FREEZE = """\
import penstock as ps
layers = [ps.layers.Dense(4, name=f"layer{i}") for i in range(2)]
model, x = ps.layers.Sequential(layers, name="model"), ps.random.normal((8, 3))
model(x)
optimizer = ps.optimizers.SGD(0.01)
def step():
    with ps.GradientTape() as tape:
        loss = ps.mean((model(x) - 1.0) ** 2)
    chosen = [v for v in model.variables if v.trainable]
    optimizer.apply_gradients(zip(tape.gradient(loss, chosen), chosen))
model.trainable = False
BETWEEN
FREED.trainable = True
for _ in range(3):
    step()
"""


@pytest.mark.parametrize(
    ("between", "freed", "codes"),
    [
        ("", "model", ["PS422"]),
        ("", "layers[1]", []),
        ("layers[0].trainable = True\nstep()\nstep()", "model", []),
    ],
)
def test_a_freeze_that_is_undone(between, freed, codes, updates):
    text = FREEZE.replace("BETWEEN", between).replace("FREED", freed)
    assert [one[0] for one in updates(text)] == codes


LIMIT = """\
import penstock as ps
w = ps.Variable([1.0, 2.0], name="w")
optimizer = ps.optimizers.SGD(0.1OPTIONS)
for _ in range(3):
    with ps.GradientTape() as tape:
        loss = ps.sum(w**2) * SCALE
    gradient = tape.gradient(loss, w)
    LIMITED
    optimizer.apply_gradients([(gradient, w)])
"""


@pytest.mark.parametrize(
    ("options", "scale", "limited", "said"),
    [
        ("", "512.0", "gradient = ps.clip(gradient, -1.0, 1.0) / 512.0", True),
        ("", "512.0", "gradient = ps.clip(gradient / 512.0, -1.0, 1.0)", False),
        ("", "512.0", "gradient = ps.clip(gradient, -1.0, 1.0) / 2.0", False),
        ("", "1.0", "gradient = ps.clip_by_norm(gradient, 1.0) / 4.0", False),
        (", loss_scale_factor=512.0", "512.0", "gradient = ps.minimum(gradient, 1.0)", True),
        (", loss_scale_factor=512.0", "512.0", "pass", False),
    ],
)
def test_a_limit_before_the_scale_is_out(options, scale, limited, said, updates):
    text = LIMIT.replace("OPTIONS", options).replace("SCALE", scale).replace("LIMITED", limited)
    assert updates(text) == [("PS419", ("w",), 8)] * said


def test_variables_that_a_term_also_trains_are_one_line(tmp_path):
    text = """\
import penstock as ps
actor, critic, body = (ps.Variable(0.5, name=f"{name}/w") for name in ("actor", "critic", "body"))
with ps.GradientTape() as tape:
    value = critic * BODY
    advantage = 1.0 - STOP(value)
    policy_loss = -ps.log(ps.nn.sigmoid(actor * BODY)) * advantage
    value_loss = (1.0 - value) ** 2
    loss = policy_loss + value_loss
tape.gradient(loss, [actor, critic, body])
"""
    said = {}
    for stop in ("", "ps.stop_gradient"):
        for shared in ("body", "0.7"):
            file = tmp_path / "train.py"
            file.write_text(text.replace("BODY", shared).replace("STOP", stop))
            said[stop, shared] = report_on(file, None).asides
    (one,) = said["", "0.7"]
    assert (one.code, one.severity, one.variables, one.site.line) == ("PS409", "note", ("critic/w",), 6)
    assert "policy_loss" in one.line and "also trains critic/*" in one.line and one.line.endswith("(PS409).")
    assert "put a stop_gradient" in one.fix
    assert said["ps.stop_gradient", "0.7"] == said["ps.stop_gradient", "body"] == []


FOLLOW = """\
import penstock as ps
online, copy = ps.layers.Dense(2, name="online"), ps.layers.Dense(2, name="NAME")
x = ps.random.normal((8, 3))
online(x), copy(x)
FIRST
optimizer = ps.optimizers.SGD(0.01)
for step in range(6):
    goal = 1.0 + 0.9 * copy(x)
    with ps.GradientTape() as tape:
        loss = ps.mean((online(x) - goal) ** 2)
    optimizer.apply_gradients(zip(tape.gradient(loss, online.variables), online.variables))
    if step == 4:
        SYNC
"""


@pytest.mark.parametrize(
    ("name", "first", "sync", "said"),
    [
        ("target", "", "pass", True),
        ("target", "", "copy.set_weights(online.get_weights())", False),
        ("target", "copy.set_weights(online.get_weights())", "pass", True),
        ("reference", "", "pass", False),
    ],
)
def test_a_target_that_never_follows(name, first, sync, said, updates):
    text = FOLLOW.replace("NAME", name).replace("FIRST", first).replace("SYNC", sync)
    assert [one[0] for one in updates(text)] == ["PS425"] * said


TWO_CRITICS = """\
import penstock as ps
names = "actor", "first", "second", "first_target", "second_target"
actor, first, second, first_target, second_target = (ps.layers.Dense(1, name=name) for name in names)
x = ps.random.normal((8, 3))
for layer in (actor, first, second, first_target, second_target):
    layer(x)
optimizer = ps.optimizers.SGD(0.01)
variables = actor.variables + first.variables + second.variables
for step in range(6):
    goal = 1.0 + ps.minimum(first_target(x), second_target(x))
    with ps.GradientTape() as tape:
        loss = ps.mean((first(x) - goal) ** 2 + (second(x) - goal) ** 2 + actor(x) ** 2)
    optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
    for mine, theirs in zip(first_target.variables, first.variables):
        mine.assign(0.9 * mine + 0.1 * theirs)
"""


def test_a_target_that_never_follows_is_noted_once(updates):
    assert [one[:2] for one in updates(TWO_CRITICS)] == [
        ("PS425", ("second_target/kernel", "second_target/bias"))
    ]


LOOP = """\
import penstock as ps
weights = [ps.Variable(1.0, name="a"), ps.Variable(2.0, name="b")]
total = 0.0
for _ in range(3):
    with ps.GradientTape() as tape:
        for weight in weights:
            weight = weight * 2.0
            LAST
        LATER
        loss = sum(one ** 2 for one in weights) + total
    for weight, slope in zip(weights, tape.gradient(loss, weights)):
        weight.assign_sub(0.1 * slope)
"""


@pytest.mark.parametrize(
    ("last", "later"),
    [("total = total + weight", "pass"), ("pass", "total = weight"), ("print(float(weight))", "pass")],
)
def test_a_result_with_the_name_of_a_loop_variable_may_be_read(last, later, updates):
    text = LOOP.replace("LAST", last).replace("LATER", later)
    assert updates(text) == []


ON_LAYERS = {
    "native": (
        TWO.replace("optimizer = ", "BEFORE\noptimizer = ").replace(
            "CHOSEN", "body.variables + head.variables"
        ),
        None,
        "body.requires_grad = False",
        "body.note = False",
    ),
    "paddle": (
        PADDLE.replace("optimizer = ", "BEFORE\noptimizer = ", 1)
        .replace("BEFORE\n    ", "pass\n    ")
        .replace("BETWEEN", "pass")
        .replace("AFTER", "optimizer.clear_grad()"),
        "paddle",
        "net.stop_gradient = True",
        "net.stop_gradient = False",
    ),
}


@pytest.mark.parametrize("name", ON_LAYERS)
def test_a_flag_that_a_layer_does_not_have(name, updates):
    text, dialect, wrong, right = ON_LAYERS[name]
    (found,) = updates(text.replace("BEFORE", wrong), dialect)
    assert found[0] == "PS411" and found[2] == text.splitlines().index("BEFORE") + 1
    assert updates(text.replace("BEFORE", right), dialect) == []


ZEROS = """\
import paddle
from paddle import nn
used, idle = nn.Linear(3, 1), nn.Linear(3, 1)
optimizer = paddle.optimizer.OPTIMIZER, parameters=used.parameters() + idle.parameters())
x = paddle.randn([8, 3])
for turn in range(6):
    found = used(x) + idle(x) if WHEN else used(x)
    (found**2).mean().backward()
    optimizer.step()
    optimizer.clear_grad(HOW)
"""


@pytest.mark.parametrize(
    ("optimizer", "when", "how", "said"),
    [
        ("SGD(0.1, weight_decay=0.1", "turn < 2", "", True),
        ("Adam(0.1", "turn < 2", "", True),
        ("SGD(0.1", "turn < 2", "", False),
        ("Adam(0.1", "turn < 2", "set_to_zero=False", False),
        ("Adam(0.1", "turn % 2", "", False),
        ("Adam(0.1", "turn < 5", "", False),
    ],
)
def test_variables_that_zeros_move(optimizer, when, how, said, updates):
    text = ZEROS.replace("OPTIMIZER", optimizer).replace("WHEN", when).replace("HOW", how)
    moved = [one for one in updates(text, "paddle") if one[0] == "PS426"]
    assert [len(one[1]) for one in moved] == [2] * said


ACTOR = """\
import penstock as ps
actor, critic = ps.Variable(0.5, name="actor/w"), ps.Variable(0.5, name="critic/w")
with ps.GradientTape() as tape:
    value = critic * 0.7
    policy_loss = -ps.log(ps.nn.sigmoid(actor * 0.7)) * (1.0 - value)COMMENT
    value_loss = (1.0 - value) ** 2
    loss = policy_loss + value_loss
tape.gradient(loss, [actor, critic])
"""


def test_variables_that_a_term_also_trains_have_a_code_and_no_effect_on_the_status(tmp_path, capsys):
    file = tmp_path / "train.py"

    def told(*options, comment=""):
        file.write_text(ACTOR.replace("COMMENT", comment))
        assert main(["check", str(file), *options]) == 0
        return capsys.readouterr().out

    shown = told()
    assert sum("PS409" in line for line in shown.splitlines()) == 1 and "also trains critic/*" in shown
    data = json.loads(told("--format", "json"))
    assert data["findings"] == [] and [one["code"] for one in data["asides"]] == ["PS409"]
    (result,) = json.loads(told("--format", "sarif"))["runs"][0]["results"]
    assert (result["ruleId"], result["level"]) == ("PS409", "note")
    assert "also trains" not in told("--ignore", "PS409")
    silent = told(comment="  # penstock: ignore[PS409]")
    assert "also trains" not in silent and "Left out: PS409 by the comment at" in silent
