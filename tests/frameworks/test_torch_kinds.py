"""Kinds of programs that people run in PyTorch: the findings on them, and unchanged results."""

import io
import os
import subprocess
import sys
from textwrap import dedent

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: make test-frameworks")

from frameworks.torch_kinds import FAILING, RIGHT, WRONG  # noqa: E402
from penstock.flow.check import inspect  # noqa: E402
from penstock.flow.report.text import show  # noqa: E402
from penstock.frameworks.torch import source  # noqa: E402
from penstock.frameworks.torch.source import Torch  # noqa: E402
from penstock.running import run_script  # noqa: E402

HEAD = "import torch\nfrom torch import nn\nfrom torch.nn import functional as F\ntorch.manual_seed(0)\n"
KEEP = """
kept = {}
for key, thing in list(globals().items()):
    if isinstance(thing, nn.Module):
        kept |= {f"{key}.{path}": one.detach().clone() for path, one in thing.state_dict().items()}
    elif isinstance(thing, torch.Tensor):
        kept[key] = thing.detach().clone()
torch.save(kept, KEPT)
"""


def both(folder, text):
    """Runs a program without a check and with one; returns the tensors it ends with, and the report."""
    file, kept = folder / "train.py", folder / "kept.pt"
    file.write_text(HEAD + dedent(text) + KEEP.replace("KEPT", repr(str(kept))))
    torch.manual_seed(0)
    assert run_script(str(file), None, []) is None
    plain = torch.load(kept, weights_only=True)
    kept.unlink()
    report = inspect(str(file), lambda: run_script(str(file), None, []), source=Torch())
    return plain, torch.load(kept, weights_only=True) if kept.exists() else None, report


def assert_same(plain, watched):
    """The tensors of both runs are the same to the last bit."""
    assert watched is not None and plain.keys() == watched.keys()
    for key, value in plain.items():
        same = torch.equal(value, watched[key])
        assert same or torch.equal(value.isnan(), watched[key].isnan()), key


def line_of(text, mark="# here"):
    """The line number of a mark in the program, with its head."""
    whole = HEAD + dedent(text)
    return next(number for number, line in enumerate(whole.splitlines(), 1) if mark in line)


@pytest.mark.parametrize("name", RIGHT)
def test_there_is_nothing_to_say_of_a_right_kind(tmp_path, name):
    plain, watched, report = both(tmp_path, RIGHT[name])
    assert report.error is None
    assert [(one.code, one.message) for one in report.findings] == []
    assert_same(plain, watched)


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_kind_is_named_with_its_line(tmp_path, name):
    text, code, variables = WRONG[name]
    plain, watched, report = both(tmp_path, text)
    assert report.error is None
    said = [(one.code, one.variables, one.site.line) for one in report.findings if one.severity != "note"]
    assert said == [(code, variables, line_of(text))]
    assert_same(plain, watched)


@pytest.mark.parametrize("name", FAILING)
def test_a_failing_kind_says_who_wrote_what(tmp_path, name):
    text, code, variables = FAILING[name]
    file = tmp_path / "train.py"
    file.write_text(HEAD + dedent(text))
    report = inspect(str(file), lambda: run_script(str(file), None, []), source=Torch())
    assert isinstance(report.error, RuntimeError) and report.status == 2
    (said,) = report.findings
    assert (said.code, said.variables, said.severity) == (code, variables, "error")
    assert (said.site.line, said.cause.line) == (line_of(text), line_of(text, "# wrote"))


def test_findings_before_an_error_are_reported(tmp_path):
    text = """
        body, head = nn.Linear(3, 4), nn.Linear(4, 1)
        optimizer = torch.optim.SGD([*body.parameters(), *head.parameters()], 0.1)
        for step in range(6):
            hidden = body(torch.randn(8, 3)).detach()
            if step == 2:
                hidden @ torch.randn(3)
            optimizer.zero_grad()
            head(hidden).pow(2).mean().backward()
            optimizer.step()
        """
    file = tmp_path / "train.py"
    file.write_text(HEAD + dedent(text))
    report = inspect(str(file), lambda: run_script(str(file), None, []), source=Torch())
    assert isinstance(report.error, RuntimeError) and report.steps == 2
    assert [one.code for one in report.findings] == ["PS106"]


HAND = """
    import copy

    net = nn.Linear(3, 1)
    mean, other = copy.deepcopy(net).requires_grad_(False), copy.deepcopy(net).requires_grad_(False)
    optimizer = torch.optim.SGD(net.parameters(), 0.1)
    for step in range(20):
        optimizer.zero_grad()
        net(torch.randn(8, 3)).pow(2).mean().backward()
        optimizer.step()
        with torch.no_grad():
            for kept, one in zip(mean.parameters(), net.parameters()):
                kept.lerp_(one, 0.1)
            other.bias.data.copy_(net.bias)
    """


def test_writes_by_hand_are_counted_to_the_end(tmp_path):
    plain, watched, report = both(tmp_path, HAND)
    assert_same(plain, watched)
    writers = {one.path: list(one.writers.values()) for one in report.variables}
    (lerp,), (copied,) = writers["mean.weight"], writers["other.bias"]
    assert (lerp.by, lerp.times, lerp.least) == ("lerp_", 20, False)
    assert copied.least and copied.times < 20
    screen = io.StringIO()
    show(report, screen, width=200)
    assert screen.getvalue().count(">=") == 1
    assert "nan" not in screen.getvalue()


def test_windows_are_opened_for_paths_that_come_late_and_not_without_end(tmp_path):
    text = """
        first, rest = nn.Linear(3, 3), nn.Linear(3, 1)
        optimizer = torch.optim.SGD([*first.parameters(), *rest.parameters()], 0.1)
        for step in range(150):
            x = torch.randn(4, 3)
            for _ in range(1 + step // 2):
                x = x + first(x) / 40
            optimizer.zero_grad()
            rest(x).pow(2).mean().backward()
            optimizer.step()
        """
    plain, watched, report = both(tmp_path, text)
    assert_same(plain, watched)
    assert report.findings == [] and report.steps == 150
    assert 0 < report.passed_over < 75 and report.paths > report.passed_over


def test_steps_by_hand_are_counted_without_a_recording(tmp_path):
    text = """
        net = nn.Linear(3, 1)
        for step in range(30):
            loss = net(torch.randn(8, 3)).pow(2).mean()
            slopes = torch.autograd.grad(loss, list(net.parameters()))
            with torch.no_grad():
                for one, slope in zip(net.parameters(), slopes):
                    one -= 0.01 * slope
        """
    plain, watched, report = both(tmp_path, text)
    assert_same(plain, watched)
    assert report.findings == [] and report.steps == 30
    assert [[w.times for w in one.writers.values()] for one in report.variables] == [[30], [30]]


def test_a_step_that_is_too_long_is_passed_over(tmp_path, monkeypatch):
    monkeypatch.setattr(source, "ROOM", 200)
    text = """
        net = nn.Linear(3, 3)
        optimizer = torch.optim.SGD(net.parameters(), 0.01)
        for step in range(6):
            x = torch.randn(8, 3)
            for _ in range(100):
                x = net(x).tanh()
            optimizer.zero_grad()
            x.pow(2).mean().backward()
            optimizer.step()
        """
    plain, watched, report = both(tmp_path, text)
    assert_same(plain, watched)
    assert report.findings == [] and report.steps == 6 and report.passed_over == 1


def test_gradients_that_another_thread_computes_are_gradients(tmp_path):
    _, _, report = both(tmp_path, RIGHT["a backward pass in threads"])
    assert [(one.path, one.gradient) for one in report.variables] == [
        ("net.weight", "flows"),
        ("net.bias", "flows"),
    ]


COMPILED = """
    import warnings

    warnings.simplefilter("ignore")

    class Twice(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, slope):
            return slope * 2

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.used, self.spare = nn.Linear(3, 1), nn.Linear(3, 1)

        def forward(self, x):
            return Twice.apply(self.used(x)).tanh()

    graphs = torch.zeros(())

    def count(graph, inputs):
        graphs.add_(1)
        return graph.forward

    net = Net()
    run = torch.compile(net, backend=count)
    optimizer = torch.optim.SGD(net.parameters(), 0.1)
    for step in range(12):
        optimizer.zero_grad()
        run(torch.randn(8, 3)).pow(2).mean().backward()
        optimizer.step()  # here
    """


def test_compiled_code_is_seen_as_written_and_compiled_once_afterwards(tmp_path):
    plain, watched, report = both(tmp_path, COMPILED)
    assert_same(plain, watched)
    said = [(one.code, one.variables, one.site.line) for one in report.findings]
    assert said == [("PS101", ("net.spare.weight", "net.spare.bias"), line_of(COMPILED))]


PARALLEL = """
    import os
    import sys

    import torch.distributed as dist

    rank = int(os.environ["RANK"])
    dist.init_process_group("gloo", init_method=sys.argv[1], rank=rank, world_size=2)

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.used, self.spare = nn.Linear(3, 1), nn.Linear(3, 1)

        def forward(self, x):
            return self.used(x)

    net = nn.parallel.DistributedDataParallel(Net(), find_unused_parameters=True)
    optimizer = torch.optim.SGD(net.parameters(), 0.1)
    torch.manual_seed(rank)
    for _ in range(6):
        optimizer.zero_grad()
        net(torch.randn(8, 3)).pow(2).mean().backward()
        optimizer.step()
    if rank == 0:
        torch.save(net.state_dict(), sys.argv[2])
    dist.destroy_process_group()
    """


def test_each_of_two_processes_has_its_report_and_the_same_weights(tmp_path):
    file = tmp_path / "train.py"
    file.write_text(HEAD + dedent(PARALLEL))

    def run(how):
        began = []
        for rank in "01":
            meet, kept = f"file://{tmp_path / how}", str(tmp_path / f"{how}.pt")
            check = ["-m", "penstock", "check", "--with", "torch"] if how == "watched" else []
            command = [sys.executable, *check, str(file), meet, kept]
            environment = {**os.environ, "RANK": rank}
            began.append(subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment))
        said = [one.communicate(timeout=120)[0] for one in began]
        return [one.returncode for one in began], said, torch.load(tmp_path / f"{how}.pt", weights_only=True)

    codes, _, plain = run("plain")
    assert codes == [0, 0]
    codes, said, watched = run("watched")
    assert codes == [1, 1] and all("PS101" in one and "spare" in one for one in said)
    assert_same(plain, watched)
