"""Skipped updates in `penstock check`, its formats and `ps.explain`."""

import json

import pytest

import penstock as ps
from checking import as_text
from penstock.flow.report.data import as_data, as_json
from penstock.flow.report.github import as_github
from penstock.flow.report.page import as_page
from penstock.flow.report.sarif import as_sarif

SCALED = """import penstock as ps
w = ps.Variable([0.5, 2.0], name="w")
optimizer = ps.optimizers.{optimizer}
for step in range({steps}):
    with ps.GradientTape() as tape:
        hidden = ps.astype(w * 40.0, "float16")
        loss = optimizer.scale_loss(ps.astype(ps.mean(hidden * hidden), "float32"))
        if step == 11:
            loss = loss + ps.log(ps.sum(w) * 0.0)
    optimizer.apply_gradients([(tape.gradient(loss, w), w)])
"""

PADDLE = """import paddle
paddle.set_device("gpu")
net = paddle.nn.Linear(4, 1)
optimizer = paddle.optimizer.SGD(0.1, parameters=net.parameters())
scaler = paddle.amp.GradScaler(init_loss_scaling=2.0**{power})
for step in range(4):
    out = net(paddle.ones([8, 4]))
    loss = {loss}
    scaler.scale(loss).backward()
    scaler.step(optimizer)
    scaler.update()
    optimizer.clear_grad()
"""


@pytest.mark.parametrize("kind", ["SGD", "Adam"])
def test_steps_left_out_beside_others_are_counted(kind, check):
    report = check(SCALED.format(optimizer=f"{kind}(1e-4, loss_scale_factor='dynamic')", steps=14))
    assert report.error is None and report.findings == [] and report.status == 0
    (line,) = as_data(report)["skipped"]
    assert (line["by"], line["line"], line["updates"]) == (kind, 10, 14)
    # The slope by `hidden` is 80 times the scale, and 65504 the largest number: 512 is the first that fits.
    assert line["steps"] == [1, 2, 3, 4, 5, 6, 12] and line["scale"] == [32768.0, 256.0]
    (first, six), (second, one) = line["not_finite"].items()
    assert (six, one) == (6, 1) and "in the backward pass at" in first and second.startswith("log(")
    assert line["first"]["step"] == 1 and line["first"]["variables"] == ["w"]
    said = f"7 of 14 updates by {kind} were skipped (steps 1 to 6, 12)"
    for shown in (as_text(report, 200), as_page(report), as_github(report)):
        assert said in shown
    (told,) = json.loads(as_sarif(report))["runs"][0]["invocations"][0]["toolExecutionNotifications"]
    assert told["level"] == "note" and said in told["message"]["text"]
    assert told["locations"][0]["physicalLocation"]["region"]["startLine"] == 10
    json.loads(as_json(report))


def test_a_scale_that_is_still_falling_is_a_note(check):
    report = check(SCALED.format(optimizer="SGD(1e-4, loss_scale_factor='dynamic')", steps=3))
    (finding,) = report.findings
    assert (finding.code, finding.severity, finding.variables) == ("PS205", "note", ("w",))
    assert "smaller loss scale" in finding.fix and report.status == 0
    assert "32768 to 4096" in finding.message


@pytest.mark.parametrize(
    ("power", "loss", "severity"),
    [
        (126, "out.square().mean() * 1e3", "note"),
        (4, "paddle.sqrt(out.square() * 0.0).mean()", "warning"),
        (4, "paddle.log(out.square() * 0.0).mean()", "warning"),
        (4, "out.square().mean()", None),
    ],
    ids=["too large a scale", "no slope there", "no value there", "all is well"],
)
def test_only_skips_with_a_cause_other_than_the_scale_are_warnings(power, loss, severity, check):
    report = check(PADDLE.format(power=power, loss=loss), "paddle")
    assert report.error is None
    assert [one.severity for one in report.findings] == ([severity] if severity else [])
    for finding in report.findings:
        assert (
            finding.code == "PS205" and "all 4 updates by SGD were skipped (steps 1 to 4)" in finding.message
        )
        assert finding.fix.startswith("Fix" if severity == "warning" else "Let it run longer")


def test_two_optimizers_are_distinguished(check):
    report = check(
        "import penstock as ps\na, b = ps.Variable(1.0, name='a'), ps.Variable(0.0, name='b')\n"
        "first, second = ps.optimizers.SGD(0.1, finite='skip'), ps.optimizers.Adam(0.1, finite='skip')\n"
        "for _ in range(3):\n    with ps.GradientTape(persistent=True) as tape:\n"
        "        one, two = a * a, ps.sqrt(b * b)\n"
        "    first.apply_gradients([(tape.gradient(one, a), a)])\n"
        "    second.apply_gradients([(tape.gradient(two, b), b)])\n    a.assign_add(0.5)\n"
    )
    (line,) = report.skipped
    assert (line.by, line.times, line.steps) == ("Adam", 3, [1, 2, 3])
    assert [one.path for one in line.moved.values()] == ["b"]


def scaled_steps(optimizer, weight, slopes):
    loss = None
    for slope in slopes:
        with ps.GradientTape() as tape:
            loss = weight * slope
        optimizer.apply_gradients([(tape.gradient(loss, weight), weight)])
    return loss


def test_another_loss_that_is_not_finite_is_not_to_blame(check):
    report = check("""import penstock as ps
a, b = ps.Variable(1.0, name="a"), ps.Variable(1.0, name="b")
first, second = ps.optimizers.SGD(0.1, finite="skip"), ps.optimizers.SGD(0.1, finite="skip")
for step in range(4):
    with ps.GradientTape(persistent=True) as tape:
        x = a * (1e38 if step == 1 else 1.0)
        one = x * x
        other = ps.log(b - 1.0) * b
    first.apply_gradients([(tape.gradient(one, a), a)])
    second.apply_gradients([(tape.gradient(other, b), b)])
""")
    ours, others = report.skipped
    assert ours.steps == [2] and others.steps == [1, 2, 3, 4]
    assert [list(one.origins.values()) for one in (ours, others)] == [[1], [4]]
    assert "x * x" in next(iter(ours.origins)) and "log" in next(iter(others.origins))


@pytest.mark.parametrize("kind", [ps.optimizers.SGD, ps.optimizers.Adam])
def test_explain_says_why_a_variable_has_not_moved(kind):
    weight = ps.Variable(1.0, name="stuck")
    optimizer = kind(0.1, finite="skip")
    answer = ps.explain(scaled_steps(optimizer, weight, [float("inf"), float("nan")]), weight)
    assert answer.reason == "flows"
    (note,) = answer.notes
    assert f"All 2 updates were skipped by {kind.__name__}, created at" in note
    assert "'stuck' has not moved" in note
    answer = ps.explain(scaled_steps(optimizer, weight, [1.0]), weight)
    (note,) = answer.notes
    assert f"2 of 3 updates were skipped by {kind.__name__}" in note and "has not moved" not in note
    other = ps.Variable(1.0)
    assert ps.explain(scaled_steps(kind(0.1, finite="skip"), other, [1.0]), other).notes == ()


def test_explain_does_not_look_where_that_would_end_a_step():
    weight = ps.Variable(1.0, name="stuck")
    optimizer = ps.optimizers.SGD(0.1, finite="skip")
    with ps.GradientTape(persistent=True) as tape:
        loss = weight * float("inf")
        optimizer.apply_gradients([(tape.gradient(loss, weight), weight)])
        assert ps.explain(loss, weight).notes == ()
        assert ps.explain(loss, weight).reason == "flows"
    assert "has not moved" in ps.explain(loss, weight).notes[0]
