"""`penstock check --split`: how much each cause has moved each variable, and whether writes add up."""

import json
import re

import numpy as np
import pytest

from checking import as_text
from penstock.cli import main
from penstock.flow.report.data import as_data
from penstock.flow.report.page import as_page

MIXED = """\
import numpy as np
import penstock as ps

rng = np.random.default_rng(0)
x, y = rng.standard_normal((32, 6)).astype(np.float32), rng.integers(0, 3, 32)
base = ps.layers.Dense(8, activation="relu")
layers = [base, ps.layers.Dense(8), ps.layers.BatchNormalization(), ps.layers.Dense(3)]
model = ps.layers.Sequential(layers, name="net")
model(ps.asarray(x))
base.trainable = False
optimizer = ps.optimizers.AdamW(0.01, weight_decay=0.1, global_clipnorm=0.5)
seen = ps.Variable(0, name="seen")

for _ in range(5):
    with ps.GradientTape() as tape:
        loss = ps.mean(ps.losses.softmax_cross_entropy(model(x, training=True), y))
    variables = model.trainable_variables
    optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
    seen.assign_add(32)
"""
MEDDLING = """\
import ctypes
import numpy as np
import penstock as ps

weight = ps.Variable(np.ones(2, np.float32), name="weight")
for turn in range(4):
    weight.assign_add([1.0, 1.0])
    if turn == 2:
        ctypes.memset(np.asarray(weight).ctypes.data, 0, 8)
"""


def parts(report):
    """For each variable that was written: the writer, and the mean norm by cause."""
    return {
        one["path"]: {write["by"]: write["parts"] for write in one["writes"]}
        for one in as_data(report)["variables"]
        if one["writes"]
    }


def test_each_writer_tells_its_causes(check, tier):
    report = check(MIXED, split=True)
    found = parts(report)
    assert set(found) == {
        "net/1/kernel", "net/1/bias", "net/2/gamma", "net/2/beta", "net/2/moving_mean",
        "net/2/moving_variance", "net/3/kernel", "net/3/bias", "seen",
    }  # fmt: skip
    assert found["seen"] == {"assign_add": {"assign": 32.0}}
    assert set(found["net/2/moving_mean"]) == {"state"} and set(found["net/2/moving_mean"]["state"]) == {
        "state"
    }
    moved = found["net/1/kernel"]["AdamW"]
    assert list(moved) == ["gradient", "momentum", "clip", "decay", "rounding"]
    assert all(moved[cause] > 1e-4 for cause in ("gradient", "momentum", "clip", "decay"))
    assert moved["rounding"] < 1e-6
    data = as_data(report)["conservation"]
    # 9 variables, 13 of the optimizer's own: two moments for each of six, and the number of the step.
    assert data == {"writes": 5 * (9 + 13), "holds": True, "failed": [], "unrecorded": []}
    assert report.findings == []


def test_nothing_of_it_without_being_asked(check):
    report = check(MIXED)
    data = as_data(report)
    assert "conservation" not in data and report.conservation is None
    assert not any("parts" in write for one in data["variables"] for write in one["writes"])
    assert "What moved them" not in as_page(report)


def test_a_change_behind_the_recorders_back_is_a_finding(check):
    report = check(MEDDLING, split=True)
    (finding,) = [one for one in report.findings if one.severity == "error"]
    assert (finding.code, finding.name, finding.variables) == ("PS204", "unaccounted-change", ("weight",))
    assert "after step 3 by 5.66" in finding.message and "without a record" in finding.message
    assert "weight.assign(...)" in finding.fix
    assert (finding.site.line, report.status) == (5, 1)
    data = as_data(report)["conservation"]
    assert not data["holds"]
    assert data["unrecorded"] == [
        {"variable": "weight", "after_step": 3, "change": pytest.approx(np.sqrt(32.0))}
    ]
    assert check(MEDDLING).findings == []


def test_a_write_that_does_not_add_up_is_a_finding(check, monkeypatch):
    from penstock.flow import causes

    monkeypatch.setattr(causes, "difference", lambda before, cause, after: {cause: np.float64(0.25)})
    report = check(MEDDLING.partition("    if")[0], split=True)
    (finding,) = report.findings
    assert finding.code == "PS204" and finding.site.line == 7
    assert "in step 1 do not add up to its new value. The writer is assign_add" in finding.message
    assert as_data(report)["conservation"]["failed"][0] == {
        "variable": "weight", "step": 1, "by": "assign_add", "file": report.script, "line": 7,
    }  # fmt: skip


@pytest.mark.parametrize("width", [60, 80, 100, 140])
def test_the_table_fits_every_terminal(check, width, tmp_path):
    shown = as_text(check(MIXED, split=True), width)
    assert max(map(len, shown.splitlines())) <= width
    assert "to the last bit." in " ".join(shown.split())
    (header,) = (line for line in shown.splitlines() if "momentum" in line)
    first = ["variable", "moved", "by"] if width == 140 else ["moved", "by"]
    assert header.split()[: len(first) + 3] == [*first, "gradient", "momentum", "clip"]
    assert ("rounding" in header) == (width == 140)


def test_the_page_shows_it(check):
    shown = as_page(check(MIXED, split=True))
    assert "<h2>What moved them</h2>" in shown and "to the last bit." in shown
    assert '<i class="momentum" style="width:' in shown
    assert "What dividing" not in shown


def test_moved_variables_are_shown_next_to_many_that_are_cut(check):
    report = check(
        "import penstock as ps\n"
        "cut = [ps.Variable(1.0, name=f'cut{chr(97 + n % 7)}_{n * n}/w{n}') for n in range(45)]\n"
        "w = ps.Variable(2.0, name='moving')\nsgd = ps.optimizers.SGD(0.1, momentum=0.5)\n"
        "for _ in range(2):\n    with ps.GradientTape() as tape:\n"
        "        loss = w * w + sum(ps.round(one) * (n + 1.0) for n, one in enumerate(cut))\n"
        "    sgd.apply_gradients(zip(tape.gradient(loss, [w, *cut]), [w, *cut]))\n",
        split=True,
    )
    _, _, movements = as_text(report, 120).partition("moved by")
    assert re.search(r"(?m)^moving +SGD line \d+", movements)


def test_the_command_takes_it(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.py").write_text(MEDDLING)
    assert main(["check", "train.py"]) == 0
    capsys.readouterr()
    assert main(["check", "train.py", "--split"]) == 1
    shown = capsys.readouterr().out
    assert "PS204 unaccounted-change" in shown and "1 other change had no record." in " ".join(shown.split())
    assert main(["check", "--split", "--format", "json", "train.py"]) == 1
    assert json.loads(capsys.readouterr().out)["conservation"]["holds"] is False


@pytest.mark.parametrize(
    ("dialect", "program"),
    [
        (
            "tensorflow",
            "import tensorflow as tf\nw = tf.Variable(1.0, name='w')\nadam = tf.keras.optimizers.Adam(0.1)\n"
            "for _ in range(3):\n    with tf.GradientTape() as tape:\n        loss = w * w\n"
            "    adam.apply_gradients([(tape.gradient(loss, w), w)])\n    w.assign_add(0.5)\n",
        ),
        (
            "paddle",
            "import paddle\nw = paddle.create_parameter([1], 'float32', name='w')\n"
            "w.set_value(paddle.to_tensor([1.0]))\nadam = paddle.optimizer.Adam(0.1, parameters=[w])\n"
            "for _ in range(3):\n    loss = (w * w).sum()\n    loss.backward()\n"
            "    adam.step()\n    adam.clear_grad()\n    w.set_value(w + 0.5)\n",
        ),
    ],
)
def test_programs_of_other_frameworks(check, dialect, program):
    report = check(program, dialect, split=True)
    found = parts(report)["w"]
    assert found["Adam"]["gradient"] > 0.01 and "momentum" in found["Adam"]
    (assignment,) = (one for by, one in found.items() if "assign" in by or by == "set_value")
    assert assignment["assign"] == pytest.approx(0.5, rel=0.7)
    assert report.conservation.holds and report.conservation.writes >= 6
