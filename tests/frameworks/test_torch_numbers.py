"""Findings on numbers in PyTorch programs: non-finite, zero, too small; and none on right ones."""

import io
import math
import warnings

import pytest

torch = pytest.importorskip("torch")

from penstock.flow.check import inspect  # noqa: E402
from penstock.flow.report.data import as_data  # noqa: E402
from penstock.flow.report.text import show  # noqa: E402
from penstock.frameworks.torch.source import Torch  # noqa: E402
from penstock.running import run_script  # noqa: E402

NUMBERS = ("PS406", "PS407", "PS501", "PS502", "PS503")
LOOP = (
    "import torch\nfrom torch import nn\ntorch.manual_seed(0)\n"
    "x, y = torch.randn(16, 3), torch.randn(16, 1)\n"
    "{setup}\noptimizer = torch.optim.{optimizer}\nfor step in range({steps}):\n    optimizer.zero_grad()\n"
    "    {loss}\n    loss.backward()\n    optimizer.step()\n"
)
NET = "net = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 1))"
MSE = "loss = ((net(x) - y) ** 2).mean()"
PAIR = "v, u = nn.Parameter(torch.tensor([0.0, 1.0])), nn.Parameter(torch.tensor([0.5, 1.0]))"
LOSS = 9
"""The line of the loss in a program."""


@pytest.fixture
def check(tmp_path):
    """Check a program given as text; return the report."""

    def run(program):
        file = tmp_path / "program.py"
        file.write_text(program)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            report = inspect(str(file), lambda: run_script(str(file), None, []), source=Torch())
        assert report.error is None
        return report

    return run


def program(loss, setup=PAIR, optimizer="SGD([v, u], 0.1)", steps=6):
    return LOOP.format(setup=setup, loss=loss, optimizer=optimizer, steps=steps)


def numbers(report):
    return [(one.code, one.variables) for one in report.findings if one.code in NUMBERS]


def told(report, code):
    return next(one for one in report.findings if one.code == code)


WRONG = {
    "a logarithm of zero": ("loss = (torch.log(v) + u).sum()", "PS407", ("v",), "log"),
    "the branch that where does not take": (
        "loss = torch.where(v > 0, torch.sqrt(v), torch.zeros(())).sum() + u.sum()", "PS407", ("v",), "sqrt",
    ),
    "dead units": ("loss = (torch.relu(v - 9.0) + u**2).sum()", "PS406", ("v",), "are dead"),
    "saturation": ("loss = (torch.sigmoid(v + 60.0) + u**2).sum()", "PS406", ("v",), "is saturated"),
    "a factor of zero": ("loss = (0.0 * v + u**2).sum()", "PS406", ("v",), "multiplies by zero"),
}  # fmt: skip


@pytest.mark.parametrize("kind", WRONG)
def test_a_wrong_number_is_reported_with_its_operation_and_line(kind, check):
    loss, code, variables, words = WRONG[kind]
    report = check(program(loss))
    assert numbers(report) == [(code, variables)]
    found = told(report, code)
    assert words in found.message and found.cause.line == LOSS
    assert found.severity == ("error" if code == "PS407" else "note")


RIGHT = {
    "a logarithm of what is bounded": "loss = (torch.log(v + 2.0) + u).sum()",
    "a safe operand in the branch not taken": (
        "safe = torch.where(v > 0, v, torch.ones(())); "
        "loss = torch.where(v > 0, torch.sqrt(safe), torch.zeros(())).sum() + u.sum()"
    ),
    "units that live": "loss = (torch.relu(v + 9.0) + u**2).sum()",
    "a gate that begins at zero": "loss = ((v.sum() - 1.0) * (u * x[0, :2]).sum() - 1.0) ** 2",
}


@pytest.mark.parametrize("kind", RIGHT)
def test_there_is_nothing_to_say_of_right_ones(kind, check):
    assert not numbers(check(program(RIGHT[kind])))


def test_a_step_long_after_the_recorded_ones_is_known(check):
    setup = "net = nn.Linear(3, 1)"
    report = check(program(MSE, setup, "SGD(net.parameters(), 5.0)", steps=60))
    assert [code for code, _ in numbers(report)] == ["PS407"]
    found = told(report, "PS407")
    assert "in step " in found.message and "at the latest" not in found.message
    assert found.cause.line == LOSS + 1 and "learning rate" in found.fix


def test_steps_by_hand_are_looked_at_too(check):
    report = check(
        "import torch\nw = torch.tensor(1.0, requires_grad=True)\nfor step in range(9):\n"
        "    loss = (w - 3.0) ** 4\n    loss.backward()\n    with torch.no_grad():\n"
        "        w -= 1e30 * w.grad\n    w.grad = None\n"
    )
    assert numbers(report) == [("PS407", ("w",))]
    assert told(report, "PS407").cause.line == 4


def test_a_learning_rate_that_moves_nothing_is_reported(check):
    wrong = check(program(MSE, NET, "Adam(net.parameters(), 1e-9)"))
    assert [code for code, _ in numbers(wrong)] == ["PS501"]
    assert told(wrong, "PS501").cause.line == 6
    for rate in (1e-5, 1e-3):
        assert not numbers(check(program(MSE, NET, f"Adam(net.parameters(), {rate})")))


def test_a_deep_stack_of_sigmoids_is_reported_and_a_shallow_one_is_not(check):
    pair = "(nn.Linear(3, 3), nn.Sigmoid())"
    deep = f"net = nn.Sequential(*[m for _ in range({{}}) for m in {pair}], nn.Linear(3, 1))"
    wrong = check(program(MSE, deep.format(24), "SGD(net.parameters(), 0.01)"))
    assert [code for code, _ in numbers(wrong)] == ["PS502"]
    assert "net.0.weight" in told(wrong, "PS502").variables
    assert not numbers(check(program(MSE, deep.format(4), "SGD(net.parameters(), 0.01)")))


def test_the_sizes_are_in_the_report(check):
    setup = "w = nn.Parameter(torch.ones(2))"
    report = check(program("loss = ((w - 3.0) ** 2).sum()", setup, "SGD([w], 0.25)", steps=1))
    (size,) = as_data(report)["sizes"]
    root = math.sqrt(2.0)
    assert [size[key] for key in ("gradient", "change")] == pytest.approx([4 * root, root])
    stream = io.StringIO()
    show(report, stream, width=100)
    assert "|gradient|" in stream.getvalue()


@pytest.mark.parametrize(
    ("line", "active", "times"),
    [
        # Of the norm it is known in every step; of single numbers in those that are recorded.
        ("nn.utils.clip_grad_norm_([v], 20.5)", 9, 30),
        ("nn.utils.clip_grad_norm_([v], max_norm=100.0)", 0, 30),
        ("nn.utils.clip_grad_value_([v], 10.5)", 5, 16),
        ("nn.utils.clip_grad_value_([v], clip_value=torch.tensor(100.0))", 0, 16),
    ],
)
def test_it_is_counted_how_often_a_line_clips(check, line, active, times):
    text = program(
        "loss = (v * step).sum()", "v = nn.Parameter(torch.ones(1))", "SGD([v], 0.1)", steps=30
    ).replace("    optimizer.step()", f"    {line}\n    optimizer.step()")
    report = check(text)
    (clip,) = report.clips
    name = line[len("nn.utils.") :].split("(")[0]
    assert (clip.by, clip.site.line, clip.active, clip.times) == (name, LOSS + 2, active, times)
    stream = io.StringIO()
    show(report, stream, width=100)
    assert f"{name} changed gradients in {active} of the {times} steps measured" in stream.getvalue()


def test_the_mean_change_counts_updates_that_were_not_measured(check):
    report = check(program("loss = v.sum()", "v = nn.Parameter(torch.ones(4))", "SGD([v], 0.5)", 40))
    (size,) = report.sizes
    assert size.change == pytest.approx(1.0)


def test_remedies_can_be_typed_in_pytorch(check):
    (said,) = check(program("loss = torch.sqrt((v - v).sum() ** 2) + u.sum()")).findings
    typed = said.fix.partition("such as ")[2].rstrip(".")
    x = torch.tensor([-1.0, 2.0])
    assert bool((eval(typed, {"torch": torch, "x": x}) > 0).all())
    wrong = program(
        "loss = (net(x).argmax(1) * 1.0).sum().requires_grad_()", NET, "SGD(net.parameters(), 0.1)"
    )
    said = next(one for one in check(wrong).findings if one.code == "PS105")
    typed = said.fix.partition("for example ")[2].rstrip(".")
    logits, labels = torch.zeros(2, 3), torch.tensor([0, 2])
    assert float(eval(typed, {"torch": torch, "logits": logits, "labels": labels})) == pytest.approx(
        math.log(3)
    )
