"""Right PyTorch programs of many kinds, without findings, including some that only look wrong."""

import warnings
from pathlib import Path
from textwrap import dedent

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: make test-frameworks")

from penstock.flow.check import inspect  # noqa: E402
from penstock.frameworks.torch.source import Torch  # noqa: E402
from penstock.running import run_script  # noqa: E402

FILES = sorted((Path(__file__).parent.parent / "programs" / "right" / "torch").glob("*.py"))


def watched(file):
    """Checks a program; returns the report."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        report = inspect(str(file), lambda: run_script(str(file), None, []), source=Torch())
    assert report.error is None, report.error
    return report


def said(report):
    """Code, severity and variables of each finding."""
    return [(one.code, one.severity, one.variables) for one in report.findings]


@pytest.fixture
def check(tmp_path):
    """Checks a program given as text."""

    def run(text):
        file = tmp_path / "train.py"
        file.write_text("import torch\nfrom torch import nn\ntorch.manual_seed(0)\n" + dedent(text))
        return said(watched(file))

    return run


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_there_is_nothing_to_say_of_a_right_program(file, capsys):
    report = watched(file)
    assert said(report) == []
    assert report.steps >= 3


def test_there_are_a_dozen():
    assert len(FILES) >= 12


# -- names, optimizers, second writers, gradients that are read -------------------------------------------

LAYERS = """
h = nn.Linear(3, 4)
head = nn.Linear(4, 1)
optimizer = torch.optim.SGD([*h.parameters(), *head.parameters()], lr=0.1)
for _ in range(3):
    loss = (head(h(torch.ones(2, 3))) ** 2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
with torch.enable_grad():
    h = h(torch.ones(2, 3))
    h = h * 2.0
"""
REBOUND = """
w = nn.Parameter(torch.ones(3))
optimizer = torch.optim.SGD([w], lr=0.1)
for _ in range(3):
    loss = (w ** 2).sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    {line}
"""


def test_a_module_may_lend_its_name_and_a_parameter_may_not(check):
    assert check(LAYERS) == []
    assert check(REBOUND.format(line="pass")) == []
    assert "PS104" in {
        code for code, _, _ in check(REBOUND.format(line="w = (w * 0.9).detach().requires_grad_()"))
    }


STEP = """
w = nn.Parameter(torch.tensor([2.0, -1.0]))
def make(rate=0.1):
    return torch.optim.Adam([w], lr=rate)
def step(optimizer):
    loss = (w ** 2).sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""


@pytest.mark.parametrize(
    ("program", "wrong"),
    [
        ("first, second = make(), make()\nfor _ in range(3):\n    step(first)\n    step(second)\n", False),
        ("for rate in (0.3, 0.1, 0.03):\n    one = make(rate)\n    step(one)\n    step(one)\n", False),
        ("for _ in range(4):\n    step(make())\n", True),
    ],
    ids=["in turns", "a sweep", "made again"],
)
def test_optimizers_of_one_line(program, wrong, check):
    assert check(STEP + program) == [("PS201", "warning", ("w",))] * wrong


BESIDE = """
w = nn.Parameter(torch.tensor([2.0, -1.0]))
optimizer = torch.optim.SGD([w], lr=0.1)
mask = torch.tensor([1.0, 0.0])
for turn in range(6):
    optimizer.zero_grad()
    (w ** 2).sum().backward()
{before}
    optimizer.step()
{after}
"""
THERE_AND_BACK = """
    with torch.no_grad():
        e = 0.05 * w.grad / w.grad.norm()
        w.add_(e)
    optimizer.zero_grad()
    (w ** 2).sum().backward()
    with torch.no_grad():
        w.sub_(e)
"""


@pytest.mark.parametrize(
    ("before", "after", "wrong"),
    [
        (THERE_AND_BACK, "", False),
        ("", "    w.data.clamp_(-0.5, 0.5)", False),
        ("", "    w.data = w.data.clamp(-0.5, 0.5)", False),
        ("", "    with torch.no_grad():\n        w.mul_(mask)", False),
        ("", "    w.data.add_(0.1)", True),
        ("", "    with torch.no_grad():\n        w.mul_(0.99)", True),
    ],
    ids=["there and back", "clipped", "clipped anew", "masked", "nudged", "shrunk"],
)
def test_a_second_writer(before, after, wrong, check):
    assert check(BESIDE.format(before=before, after=after)) == [("PS202", "note", ("w",))] * wrong


READ = """
net = nn.Linear(3, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
total = 0.0
for turn in range(4):
    optimizer.zero_grad()
    net(torch.randn(4, 3)).mean().backward()
    {taken}
    optimizer.zero_grad()
    (net(torch.randn(4, 3)) ** 2).mean().backward()
    optimizer.step()
"""


def test_a_gradient_that_the_program_reads_is_not_wasted(check):
    assert check(READ.format(taken="total += float(net.weight.grad.norm() + net.bias.grad.norm())")) == []
    assert {code for code, _, _ in check(READ.format(taken="pass"))} == {"PS408"}
