"""`penstock check` on numbers: non-finite, zero, too small, too large, and their magnitude."""

import json
import math
from pathlib import Path

import pytest

from checking import as_text
from penstock.flow.report.data import as_data, as_json
from penstock.flow.report.page import as_page

NUMBERS = ("PS406", "PS407", "PS501", "PS502", "PS503")
HEAD = (
    "import numpy as np\nimport penstock as ps\nps.random.seed(0)\n"
    "x, y = ps.random.normal((16, 4)), ps.random.normal((16, 2))\n"
    "w = ps.Variable(ps.random.normal((4, 2)), name='w')\nb = ps.Variable(np.zeros(2, 'float32'), name='b')\n"
)
LOOP = (
    "{setup}\noptimizer = ps.optimizers.{optimizer}\nvariables = {variables}\n"
    "for step in range({steps}):\n    with ps.GradientTape() as tape:\n        {loss}\n"
    "    gradients = tape.gradient(loss, variables)\n"
    "    {guard}optimizer.apply_gradients(zip(gradients, variables))\n"
)
MSE = "loss = ps.mean((x @ w + b - y) ** 2)"
LOSS = 12
"""The line of the loss in a program."""


def program(loss, setup="", variables="[w, b]", optimizer="SGD(0.1)", steps=5, guard=""):
    return HEAD + LOOP.format(
        setup=setup, loss=loss, variables=variables, optimizer=optimizer, steps=steps, guard=guard
    )


def joined(*lines):
    return "\n        ".join(lines)


def numbers(report):
    return [(one.code, one.variables) for one in report.findings if one.code in NUMBERS]


def told(report, code):
    return next(one for one in report.findings if one.code == code)


# -- not finite ----------------------------------------------------------------------------------------------

NOT_FINITE = {
    "a slope that is infinite": (
        "loss = ps.sqrt(ps.sum(b**2)) + ps.mean((x @ w - y) ** 2)",
        "",
        ("b",),
        "sqrt",
    ),
    "an exponential": ("loss = ps.mean((ps.exp(100.0 * (x @ w)) + b - y) ** 2)", "", ("w", "b"), "exp"),
    "a quotient": (
        "loss = ps.mean((x @ w + b - y) ** 2) / ps.sum(ps.astype(x > 100.0, 'float32'))",
        "",
        ("w", "b"),
        "… / …",
    ),
    "a mask that leaves a softmax nothing": (
        "loss = ps.mean((ps.nn.softmax(x @ w + mask) - y) ** 2)",
        "mask = ps.asarray(np.full((16, 2), -np.inf, 'float32'))",
        ("w",),
        "softmax",
    ),
}


@pytest.mark.parametrize("kind", NOT_FINITE)
def test_the_first_value_that_is_not_finite_is_reported_with_step_line_and_operation(kind, check):
    loss, setup, variables, operation = NOT_FINITE[kind]
    report = check(program(loss, setup, f"[{', '.join(variables)}]"))
    assert numbers(report) == [("PS407", variables)]
    found = told(report, "PS407")
    assert (found.severity, found.site.line, found.cause.line) == ("error", LOSS + 2, LOSS)
    assert "in step 1." in found.message and operation in found.message
    assert report.status == 1


def test_values_that_diverge_are_told_as_such(check):
    report = check(program(MSE, optimizer="SGD(50.0)", steps=60))
    found = told(report, "PS407")
    assert numbers(report) == [("PS407", ("w", "b"))]
    assert found.cause.line == LOSS and "had grown to" in found.message and "learning rate" in found.fix


def test_data_that_is_not_finite_is_told_as_data(check):
    setup = "x = np.array(x); x[3, 1] = np.nan; x = ps.asarray(x)"
    found = told(check(program(MSE, setup)), "PS407")
    assert "was in the data" in found.message


def test_a_gradient_that_was_never_finite_is_reported_even_if_not_applied(check):
    loss = NOT_FINITE["a slope that is infinite"][0]
    report = check(program(loss, guard="if bool(ps.all(ps.isfinite(gradients[1]))): "))
    assert numbers(report) == [("PS407", ("b",))]
    assert "never finite" in told(report, "PS407").message


def test_a_loss_that_never_was_finite_is_reported_though_its_gradient_is(check):
    report = check(program("loss = -ps.mean(ps.log(ps.nn.relu(x @ w + b)))"))
    assert numbers(report) == [("PS407", ("w", "b"))]
    found = told(report, "PS407")
    assert "log" in found.message and found.cause.line == LOSS


def test_what_is_not_finite_in_a_large_variable_is_seen_in_its_step(check):
    setup = "w = ps.Variable(ps.random.normal((4, 9000)), name='wide')"
    loss = (
        "loss = ps.mean((x @ w) ** 2) + (ps.exp(1000.0 * ps.sum(w) ** 0) if step == 9 else 0.0) * ps.sum(w)"
    )
    report = check(program(loss, setup, "[w]", steps=14))
    assert numbers(report) == [("PS407", ("wide",))]
    assert "in step 10." in told(report, "PS407").message


def test_an_assignment_by_hand_is_looked_at_as_well(check):
    report = check(
        HEAD + "for step in range(4):\n    with ps.GradientTape() as tape:\n"
        "        loss = ps.sqrt(ps.sum(b ** 2))\n    b.assign_sub(0.1 * tape.gradient(loss, b))\n"
    )
    assert numbers(report) == [("PS407", ("b",))]
    assert told(report, "PS407").site.line == 10


FINITE = {
    "a mask of minus infinity": (
        "loss = ps.mean((ps.nn.softmax(x @ ps.concat([w, w**2], axis=1) + mask)[:, :2] - y) ** 2)",
        "mask = ps.asarray(np.array([0.0, 0.0, 0.0, -np.inf], 'float32'))",
    ),
    "a best loss that begins at infinity": (
        MSE + "; best.assign(ps.minimum(best, ps.stop_gradient(loss)))",
        "best = ps.Variable(float('inf'), name='best', trainable=False)",
    ),
    "a root whose operand is bounded": (
        "loss = ps.sqrt(ps.sum(b ** 2) + 1e-6) + ps.mean((x @ w - y) ** 2)",
        "",
    ),
}


@pytest.mark.parametrize("kind", FINITE)
def test_infinities_that_do_no_harm_are_not_told(kind, check):
    loss, setup = FINITE[kind]
    assert not numbers(check(program(loss, setup, "[w]" if "mask" in loss else "[w, b]")))


def test_a_loss_scaled_by_hand_is_on_its_way_down(check):
    report = check(
        HEAD + "scale = 2.0 ** 20\noptimizer = ps.optimizers.SGD(0.01)\nfor step in range(10):\n"
        "    with ps.GradientTape() as tape:\n"
        "        loss = ps.mean(ps.astype((x @ w - y) ** 2, 'float16')) * scale\n"
        "    slope = tape.gradient(loss, w)\n    if bool(ps.all(ps.isfinite(slope))):\n"
        "        optimizer.apply_gradients([(slope / scale, w)])\n    else:\n        scale /= 2\n",
        warns=True,
    )
    assert not numbers(report)


def test_a_comment_says_that_it_is_intended(tmp_path, capsys):
    from penstock.cli import main

    file = tmp_path / "program.py"
    text = program(MSE, optimizer="SGD(50.0)", steps=60)
    file.write_text(text.replace("variables))\n", "variables))  # penstock: ignore[PS407]\n"))
    assert main(["check", str(file)]) == 0
    assert "Left out: PS407" in capsys.readouterr().out


# -- exactly zero --------------------------------------------------------------------------------------------

ZERO = {
    "dead units": ("loss = ps.mean((ps.nn.relu(x @ w - 100.0) + b - y) ** 2)", "", ("w",), "are dead"),
    "saturation": (
        "loss = ps.mean((ps.nn.sigmoid(x @ w * 0.001 + 60.0) + b - y) ** 2)", "", ("w",), "is saturated",
    ),
    "an empty mask": (
        "keep = x[:, 0] > 100.0; loss = ps.sum(ps.where(keep, ps.mean((x @ w + b - y) ** 2, axis=1), 0.0))",
        "", ("w", "b"), "selects nothing",
    ),
    "a mask that multiplies": (
        "keep = ps.astype(x > 100.0, 'float32'); loss = ps.sum((x @ w)[:, :1] * keep)",
        "", ("w",), "selects nothing",
    ),
    "a factor of zero": (
        "loss = ps.sum((b - 1.0) ** 2) + 0.0 * ps.sum(w ** 2)", "", ("w",), "multiplies by zero",
    ),
    "a gate that is closed for good": (
        "loss = ps.mean((b + gate * (x @ w) - y) ** 2)", "gate = ps.Variable(0.0, name='gate')",
        ("w",), "'gate'",
    ),
    "bounds that are left": (
        "loss = ps.mean(ps.clip(x @ w + 5000.0, -1.0, 1.0) - y) + ps.sum((b - 1.0) ** 2)",
        "", ("w",), "is flat",
    ),
}  # fmt: skip


@pytest.mark.parametrize("kind", ZERO)
def test_gradients_that_are_zero_are_distinguished_by_what_makes_them_so(kind, check):
    loss, setup, variables, words = ZERO[kind]
    held = "[w, b]" if "+ b" in loss or "(b" in loss else "[w]"
    report = check(program(loss, setup, held))
    assert numbers(report) == [("PS406", variables)]
    found = told(report, "PS406")
    assert words in found.message and (found.severity, found.cause.line) == ("note", LOSS)
    rows = {one.path: one.gradient for one in report.variables}
    assert [rows[name] for name in variables] == ["zero"] * len(variables)
    assert report.status == 0


def test_two_factors_that_are_both_zero_wait_for_each_other(check):
    setup = "p = ps.Variable(np.zeros((4, 1), 'float32'), name='p'); q = ps.Variable({}, name='q')"
    loss = "loss = ps.mean((x @ p @ q - y) ** 2)"
    both = check(program(loss, setup.format("np.zeros((1, 2), 'float32')"), "[p, q]"))
    assert numbers(both) == [("PS406", ("p", "q"))]
    assert "both zero" in told(both, "PS406").message
    one = check(program(loss, setup.format("np.ones((1, 2), 'float32')"), "[p, q]"))
    assert not numbers(one)


NOT_ZERO = {
    "a last layer that begins at zero": (
        "loss = ps.mean((ps.tanh(x @ w) @ head - y) ** 2)",
        "head = ps.Variable(np.zeros((2, 2), 'float32'), name='head')",
        "[w, head]",
    ),
    "a weight that is turned up": (
        "loss = ps.mean((x @ w - y) ** 2) + min(1.0, step / 4) * ps.sum((b - 1.0) ** 2)", "", "[w, b]",
    ),
    "a loss at its minimum": ("loss = ps.sum(b ** 2)", "", "[b]"),
    "units that are dead in part": ("loss = ps.mean((ps.nn.relu(x @ w) + b - y) ** 2)", "", "[w, b]"),
}  # fmt: skip


@pytest.mark.parametrize("kind", NOT_ZERO)
def test_what_is_zero_on_its_way_is_not_told(kind, check):
    loss, setup, held = NOT_ZERO[kind]
    assert not numbers(check(program(loss, setup, held, steps=8)))


# -- too small, too large ------------------------------------------------------------------------------------


@pytest.mark.parametrize("optimizer", ["SGD(1e-9)", "Adam(1e-9)"])
def test_a_learning_rate_that_moves_nothing_is_reported(optimizer, check):
    report = check(program(MSE, optimizer=optimizer))
    assert numbers(report) == [("PS501", ("w",))]
    found = told(report, "PS501")
    assert found.severity == "warning" and found.site.line == LOSS + 2 and found.cause.line == 8


@pytest.mark.parametrize(
    ("optimizer", "every"),
    [
        ("SGD(1e-5)", ""),
        ("Adam(1e-5)", ""),
        ("SGD(1e-9)", "optimizer.learning_rate = 1e-9 * 10.0 ** step; "),
        ("Adam(1e-6)", "optimizer.learning_rate = 1e-6 * (step + 1); "),
    ],
)
def test_small_rates_and_rates_that_warm_up_are_not_told(optimizer, every, check):
    assert not numbers(check(program(every + MSE, optimizer=optimizer, steps=6)))


def deep(activation, layers):
    return HEAD + (
        f"body = [ps.layers.Dense(4, activation={activation!r}) for _ in range({layers})]\n"
        "net = ps.layers.Sequential(body + [ps.layers.Dense(2)])\nnet(x)\n"
        "optimizer = ps.optimizers.SGD(0.01)\nfor _ in range(4):\n"
        "    with ps.GradientTape() as tape:\n        loss = ps.mean((net(x) - y) ** 2)\n"
        "    held = net.trainable_variables\n"
        "    optimizer.apply_gradients(zip(tape.gradient(loss, held), held))\n"
    )


def test_a_gradient_that_vanishes_behind_many_sigmoids_is_reported_with_its_sizes(check):
    report = check(deep("sigmoid", 24))
    found = told(report, "PS502")
    assert "sequential/0/kernel" in found.variables and "sequential/24/kernel" not in found.variables
    assert not numbers(check(deep("sigmoid", 5))) and not numbers(check(deep("tanh", 12)))


def test_a_scale_of_a_millionth_on_a_branch_is_no_vanishing_gradient(check):
    setup = (
        "v, scale = ps.Variable(ps.random.normal((4, 4)), name='v'), ps.Variable(np.full(4, 1e-6, 'float32'))"
    )
    loss = "loss = ps.mean(((x + scale * (x @ v)) @ w - y) ** 2)"
    assert not numbers(check(program(loss, setup, "[v, scale, w]", steps=6)))


def test_values_that_explode_and_are_finite_yet_are_reported(check):
    report = check(program(MSE, optimizer="SGD(50.0)", steps=10))
    assert numbers(report) == [("PS503", ("w",))]
    assert not numbers(check(program(MSE, optimizer="SGD(0.1)", steps=10)))
    far = "y = y + 250000.0"
    assert not numbers(check(program(MSE, far, optimizer="SGD(0.3)", steps=30)))


# -- sizes and terms -----------------------------------------------------------------------------------------


def test_the_report_has_the_sizes_of_values_gradients_and_changes(check):
    report = check(
        program("loss = ps.sum((b - 3.0) ** 2)", "b.assign([1.0, 1.0])", "[b]", "SGD(0.25)", steps=1)
    )
    (size,) = as_data(report)["sizes"]
    root = math.sqrt(2.0)
    assert size["variables"] == ["b"] and (size["measured"], size["zero"], size["not_finite"]) == (1, 0, 0)
    assert [size[key] for key in ("value", "gradient", "change")] == pytest.approx([root, 4 * root, root])
    assert any(line.split() == ["b", "1.4", "5.7", "1"] for line in as_text(report, 120).splitlines())
    assert "<td class=path>b<td class=number>1.4<td class=number>5.7<td class=number>1" in as_page(report)


def test_rows_of_a_table_count_as_often_as_they_were_read(check):
    setup = "table = ps.Variable(np.ones((5, 1), 'float32'), name='table')"
    report = check(program("loss = ps.sum(ps.take(table, [1, 1, 3], axis=0))", setup, "[table]", steps=1))
    (size,) = as_data(report)["sizes"]
    assert size["gradient"] == pytest.approx(math.sqrt(2.0**2 + 1.0))


def test_a_term_of_weight_zero_trains_nothing(check):
    loss = joined(
        "far = ps.sum(w ** 2)", "near = ps.sum((b - 1.0) ** 2)", "loss = near + 0.0 * far + 2.0 * ps.sum(w)"
    )
    report = check(program(loss, "w.assign(ps.ones((4, 2)))", steps=4))
    terms = {one["term"]: one for one in as_data(report)["terms"]}
    assert terms["far"]["weight"] == 0.0 and terms["near"]["weight"] == 1.0
    assert not numbers(report), "w is trained by another term"
    lines = as_text(report, 120).splitlines()
    assert any("far" in line and "its weight is 0" in line for line in lines)


def test_the_report_says_which_term_dominates(check):
    setup = "a = ps.Variable(1.0, name='a')"
    loss = joined("one = 3.0 * a", "two = a * a", "loss = one + 0.5 * two")
    report = check(program(loss, setup, "[a]", "SGD(0.0)", steps=2))
    shares = {one["term"]: one["share"] for one in as_data(report)["terms"]}
    assert shares == pytest.approx({"one": 3.0 / 3.5, "two": 0.5 / 3.5})


def test_the_report_says_how_often_gradients_were_clipped(check):
    loss = "loss = ps.sum((b - 3.0) ** 2)"
    clipped = "gradients, _ = ps.clip_by_global_norm(gradients, 2.0); "
    by_hand = check(program(loss, variables="[b]", optimizer="SGD(0.5)", steps=4, guard=clipped))
    own = check(program(loss, variables="[b]", optimizer="SGD(0.5, global_clipnorm=2.0)", steps=4))
    slopes = [6.0 * math.sqrt(2.0)]
    while len(slopes) < 4:
        # Each step moves by half of the remaining gradient, and the slope is twice the distance.
        slopes.append(slopes[-1] - min(slopes[-1], 2.0))
    active = sum(slope > 2.0 for slope in slopes)
    for report, line in ((by_hand, 14), (own, 14)):
        (one,) = as_data(report)["clipped"]
        assert (one["clipped"], one["measured"], one["line"]) == (active, 4, line)
        assert f"in {active} of the 4 steps measured" in as_text(report, 120)
    assert as_data(check(program(loss, variables="[b]")))["clipped"] == []


def test_the_report_counts_rows_that_nobody_reads(check):
    setup = "table = ps.Variable(ps.random.normal((9, 2)), name='table')"
    loss = "loss = ps.mean((ps.take(table, [1, 4, step], axis=0) - 1.0) ** 2)"
    report = check(program(loss, setup, "[table]", "Adam(0.1)", steps=3))
    assert as_data(report)["unread_rows"] == [{"variable": "table", "rows": 5, "of": 9}]
    assert not numbers(report)
    decayed = check(program(loss, setup, "[table]", "SGD(0.1, weight_decay=0.1)", steps=3))
    assert as_data(decayed)["unread_rows"] == []


def test_deep_takes_gradients_apart_by_terms(check):
    setup = "a, c = ps.Variable(1.0, name='a'), ps.Variable(2.0, name='c')"
    loss = joined("one = 3.0 * a", "two = a * a * c", "loss = one + 0.5 * two")
    text = program(loss, setup, "[a, c]", "SGD(0.0)", steps=20)
    reports = [check(text, deep=deep) for deep in (False, True)]
    plain, deep = ({one["term"]: one["gradients"] for one in as_data(each)["terms"]} for each in reports)
    assert plain == {"one": {}, "two": {}}
    assert deep["one"] == pytest.approx({"a": 3.0}) and deep["two"] == pytest.approx({"a": 2.0, "c": 0.5})
    assert [one["measured"] for one in as_data(reports[1])["sizes"]] == [20, 20]
    shown = as_text(reports[1], 140)
    assert "60 % of a" in shown and "40 % of a, 100 % of c" in shown


def test_the_report_is_data_without_numbers_that_json_lacks(check):
    json.loads(as_json(check(program(NOT_FINITE["an exponential"][0]))))


# -- in the other vocabularies -------------------------------------------------------------------------------

TENSORFLOW = (
    "import tensorflow as tf\n{setup}\nopt = tf.keras.optimizers.SGD({rate})\nfor step in range(5):\n"
    "    with tf.GradientTape() as tape:\n        loss = {loss}\n"
    "    opt.apply_gradients(zip(tape.gradient(loss, held), held))\n"
)
PADDLE = (
    "import paddle\n{setup}\nopt = paddle.optimizer.SGD({rate}, parameters=held)\nfor step in range(5):\n"
    "    loss = {loss}\n    loss.backward()\n    opt.step()\n    opt.clear_grad()\n"
)
TF_SETUP = "v = tf.Variable([0.0, 1.0], name='v'); u = tf.Variable([0.5, 1.0], name='u'); held = [v, u]"
PD_SETUP = (
    "v, u = (paddle.create_parameter([2], 'float32', name=n) for n in 'vu')\n"
    "v.set_value(paddle.to_tensor([0.0, 1.0])); u.set_value(paddle.to_tensor([0.5, 1.0])); held = [v, u]"
)


@pytest.mark.parametrize(
    ("dialect", "loss", "right", "rate", "found"),
    [
        ("tensorflow", "tf.reduce_sum(tf.math.log(v) + u)", "tf.reduce_sum(tf.math.log(v + 2.0) + u)", 0.1,
         ("PS407", ("v",))),
        ("tensorflow", "tf.reduce_sum(tf.nn.relu(v - 9.0) + u)", "tf.reduce_sum(tf.nn.relu(v + 9.0) + u)",
         0.1, ("PS406", ("v",))),
        ("paddle", "(paddle.log(v) + u).sum()", "(paddle.log(v + 2.0) + u).sum()", 0.1, ("PS407", ("v",))),
        ("paddle", "(paddle.nn.functional.relu(v - 9.0) + u ** 2).sum()",
         "(paddle.nn.functional.relu(v + 9.0) + u ** 2).sum()", 0.1, ("PS406", ("v",))),
    ],
)  # fmt: skip
def test_the_same_is_said_in_other_vocabularies(dialect, loss, right, rate, found, check):
    text, setup = (TENSORFLOW, TF_SETUP) if dialect == "tensorflow" else (PADDLE, PD_SETUP)
    wrong = check(text.format(setup=setup, loss=loss, rate=rate), dialect)
    assert numbers(wrong) == [found]
    assert (
        told(wrong, found[0]).cause.line
        == text.format(setup=setup, loss=loss, rate=rate).split(loss)[0].count("\n") + 1
    )
    assert not numbers(check(text.format(setup=setup, loss=right, rate=rate), dialect))


def test_the_example_that_diverges_on_purpose_says_so():
    text = (Path(__file__).parents[1] / "examples" / "clipping.py").read_text()
    assert text.count("penstock: ignore[PS407]") == 1
