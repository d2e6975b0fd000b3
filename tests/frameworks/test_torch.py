"""Programs that run in PyTorch itself: the report on wrong ones, and no finding on right ones.

These need PyTorch: `make test-frameworks` makes an environment that has it.
"""

import json
import subprocess
import sys
from textwrap import dedent

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: make test-frameworks")

from penstock.flow.check import inspect  # noqa: E402
from penstock.flow.report.data import as_data  # noqa: E402
from penstock.flow.torch_pages import TORCH_PAGES, TORCH_PROGRAMS  # noqa: E402
from penstock.frameworks.torch.source import Torch  # noqa: E402
from penstock.running import run_script  # noqa: E402

HEAD = "import torch\nfrom torch import nn\nfrom torch.nn import functional as F\ntorch.manual_seed(0)\n"


@pytest.fixture
def check(tmp_path):
    """Runs a program under inspection; returns the report."""

    def run(text, limit=None):
        file = tmp_path / "train.py"
        file.write_text(text if text.lstrip().startswith("import torch") else HEAD + dedent(text))
        return inspect(str(file), lambda: run_script(str(file), None, []), limit, source=Torch())

    return run


def found(report):
    """What is said, notes left out: code, variables, line."""
    assert report.error is None, report.error
    return [
        (one.code, one.variables, one.site and one.site.line)
        for one in report.findings
        if one.severity != "note"
    ]


def line_of(text, mark="# here"):
    """The line number of a mark in the program, with its head."""
    whole = HEAD + dedent(text)
    return next(number for number, line in enumerate(whole.splitlines(), 1) if mark in line)


# -- the manual -------------------------------------------------------------------------------------------


PROGRAMS = {code: page[2:4] for code, page in TORCH_PAGES.items()} | TORCH_PROGRAMS


@pytest.mark.parametrize("code", PROGRAMS)
def test_the_manuals_programs_are_wrong_and_right(check, code):
    wrong, right = (check(dedent(one).lstrip()) for one in PROGRAMS[code])
    assert code in {one.code for one in [*wrong.findings, *wrong.asides]}
    assert right.findings == right.asides == []


# -- wrong programs ---------------------------------------------------------------------------------------

WRONG = {
    "a generator's loss on a detached image": (
        """
        g, d = nn.Linear(2, 3), nn.Linear(3, 1)
        optimizer = torch.optim.Adam(g.parameters())
        for _ in range(3):
            fake = g(torch.randn(4, 2)).detach()
            loss = F.softplus(-d(fake)).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()  # here
        """,
        "PS106",
        ("g.weight", "g.bias"),
    ),
    "a loss through argmax": (
        """
        net = nn.Linear(3, 4)
        other = torch.zeros(1, requires_grad=True)
        optimizer = torch.optim.SGD([*net.parameters(), other], 0.1)
        for _ in range(3):
            hit = (net(torch.randn(8, 3)).argmax(1) == 1).float()
            loss = 1 - hit.mean() + other.sum()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()  # here
        """,
        "PS105",
        ("net.weight", "net.bias"),
    ),
    "a value that went through a Python number": (
        """
        net, scale = nn.Linear(3, 1), torch.ones(1, requires_grad=True)
        optimizer = torch.optim.SGD([*net.parameters(), scale], 0.1)
        for _ in range(3):
            value = net(torch.randn(8, 3)).mean().item()
            loss = (scale * torch.tensor(value)).sum()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()  # here
        """,
        "PS108",
        ("net.weight", "net.bias"),
    ),
    "a body under no_grad": (
        """
        body, head = nn.Linear(3, 4), nn.Linear(4, 1)
        optimizer = torch.optim.SGD([*body.parameters(), *head.parameters()], 0.1)
        for _ in range(3):
            with torch.no_grad():
                features = body(torch.randn(8, 3))
            optimizer.zero_grad()
            head(features).pow(2).mean().backward()
            optimizer.step()  # here
        """,
        "PS107",
        ("body.weight", "body.bias"),
    ),
    "a layer that nothing reads": (
        """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.used, self.spare = nn.Linear(3, 1), nn.Linear(3, 1)

            def forward(self, x):
                return self.used(x)

        net = Net()
        optimizer = torch.optim.SGD(net.parameters(), 0.1)
        for _ in range(3):
            optimizer.zero_grad()
            net(torch.randn(8, 3)).pow(2).mean().backward()
            optimizer.step()  # here
        """,
        "PS101",
        ("net.spare.weight", "net.spare.bias"),
    ),
    "a weight whose name goes to a tensor": (
        """
        w = torch.ones(3, requires_grad=True)
        for _ in range(2):
            loss = (w * 2.0).pow(2).sum()
            loss.backward()
            w = w - 0.1 * w.grad  # here
            break
        """,
        "PS104",
        ("w",),
    ),
    "updates that a scaler leaves out": (
        """
        net = nn.Linear(3, 1)
        optimizer = torch.optim.SGD(net.parameters(), 0.1)
        scaler = torch.amp.GradScaler("cpu")
        for _ in range(3):
            optimizer.zero_grad()
            loss = (net(torch.randn(8, 3)) * float("inf")).mean()
            scaler.scale(loss).backward()
            scaler.step(optimizer)  # here
            scaler.update()
        """,
        "PS205",
        ("net.weight", "net.bias"),
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_program_is_named_with_its_line(check, name):
    text, code, variables = WRONG[name]
    assert (code, variables, line_of(text)) in found(check(text))


# -- right programs ---------------------------------------------------------------------------------------

RIGHT = {
    "a classifier": """
        net = nn.Sequential(nn.Linear(8, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Dropout(), nn.Linear(16, 3))
        optimizer = torch.optim.Adam(net.parameters(), 1e-3)
        for _ in range(8):
            x, y = torch.randn(32, 8), torch.randint(3, (32,))
            optimizer.zero_grad()
            loss = F.cross_entropy(net(x), y)
            loss.backward()
            optimizer.step()
            loss.item()
        """,
    "adversaries": """
        g, d = nn.Linear(2, 3), nn.Linear(3, 1)
        of_g, of_d = torch.optim.Adam(g.parameters()), torch.optim.Adam(d.parameters())
        for _ in range(6):
            real, z = torch.randn(8, 3), torch.randn(8, 2)
            fake = g(z)
            of_d.zero_grad()
            F.binary_cross_entropy_with_logits(d(real), torch.ones(8, 1)).backward()
            F.binary_cross_entropy_with_logits(d(fake.detach()), torch.zeros(8, 1)).backward()
            of_d.step()
            of_g.zero_grad()
            F.binary_cross_entropy_with_logits(d(fake), torch.ones(8, 1)).backward()
            of_g.step()
        """,
    "a frozen backbone": """
        body, head = nn.Linear(3, 4), nn.Linear(4, 1)
        body.requires_grad_(False)
        optimizer = torch.optim.AdamW(head.parameters(), 1e-3, weight_decay=0.1)
        for _ in range(6):
            optimizer.zero_grad()
            head(body(torch.randn(8, 3))).pow(2).mean().backward()
            optimizer.step()
        """,
    "accumulation over parts of a batch": """
        net = nn.Linear(3, 1)
        optimizer = torch.optim.SGD(net.parameters(), 0.1)
        for _ in range(3):
            optimizer.zero_grad()
            for part in torch.randn(4, 8, 3):
                (net(part).pow(2).mean() / 4).backward()
            optimizer.step()
        """,
    "a target network that follows": """
        import copy

        net = nn.Linear(3, 1)
        target = copy.deepcopy(net).requires_grad_(False)
        optimizer = torch.optim.SGD(net.parameters(), 0.1)
        for _ in range(6):
            x = torch.randn(8, 3)
            loss = (net(x) - 0.9 * target(x)).pow(2).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            with torch.no_grad():
                for mine, theirs in zip(target.parameters(), net.parameters()):
                    mine.lerp_(theirs, 0.1)
        """,
    "a closure": """
        w = torch.zeros(3, requires_grad=True)
        optimizer = torch.optim.LBFGS([w])

        def closure():
            optimizer.zero_grad()
            loss = (w - 1.0).pow(2).sum()
            loss.backward()
            return loss

        for _ in range(3):
            optimizer.step(closure)
        """,
    "a recurrent network": """
        net, head = nn.LSTM(3, 5, batch_first=True), nn.Linear(5, 1)
        optimizer = torch.optim.Adam([*net.parameters(), *head.parameters()])
        for _ in range(5):
            optimizer.zero_grad()
            out, _ = net(torch.randn(4, 6, 3))
            head(out[:, -1]).pow(2).mean().backward()
            nn.utils.clip_grad_norm_(net.parameters(), 1.0)
            optimizer.step()
        """,
    "a step written by hand": """
        w = torch.ones(3, requires_grad=True)
        for _ in range(5):
            loss = (w * 2.0).pow(2).sum()
            loss.backward()
            with torch.no_grad():
                w -= 0.01 * w.grad
            w.grad = None
        """,
    "a function with a gradient of its own": """
        class Round(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                return x.round()

            @staticmethod
            def backward(ctx, slope):
                return slope

        w = torch.ones(3, requires_grad=True)
        optimizer = torch.optim.SGD([w], 0.1)
        for _ in range(5):
            optimizer.zero_grad()
            (Round.apply(w * 1.5) - 1).pow(2).sum().backward()
            optimizer.step()
        """,
    "tied weights": """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.table, self.head = nn.Embedding(7, 4), nn.Linear(4, 7, bias=False)
                self.head.weight = self.table.weight

            def forward(self, x):
                return self.head(self.table(x))

        net = Net()
        optimizer = torch.optim.SGD(net.parameters(), 0.1)
        for _ in range(4):
            x = torch.randint(7, (8,))
            optimizer.zero_grad()
            F.cross_entropy(net(x), x).backward()
            optimizer.step()
        """,
    "a second phase with another optimizer": """
        net = nn.Sequential(nn.Linear(3, 4), nn.Linear(4, 1))
        for rate in (0.1, 0.01):
            optimizer = torch.optim.Adam(net.parameters(), rate)
            for _ in range(6):
                optimizer.zero_grad()
                net(torch.randn(8, 3)).pow(2).mean().backward()
                optimizer.step()
        """,
    "checkpointed blocks": """
        from torch.utils.checkpoint import checkpoint

        body, head = nn.Linear(3, 4), nn.Linear(4, 1)
        optimizer = torch.optim.SGD([*body.parameters(), *head.parameters()], 0.1)
        for _ in range(4):
            x = torch.randn(8, 3)
            optimizer.zero_grad()
            head(checkpoint(body, x, use_reentrant=False)).pow(2).mean().backward()
            optimizer.step()
        """,
    "a functional call": """
        net = nn.Linear(3, 1)
        held = {name: one.detach().clone().requires_grad_() for name, one in net.named_parameters()}
        optimizer = torch.optim.SGD(held.values(), 0.1)
        for _ in range(4):
            optimizer.zero_grad()
            torch.func.functional_call(net, held, torch.randn(8, 3)).pow(2).mean().backward()
            optimizer.step()
        """,
    "mixed precision": """
        net = nn.Linear(3, 1)
        optimizer = torch.optim.SGD(net.parameters(), 0.1)
        scaler = torch.amp.GradScaler("cpu")
        for _ in range(5):
            optimizer.zero_grad()
            with torch.autocast("cpu", dtype=torch.bfloat16):
                loss = net(torch.randn(8, 3)).float().pow(2).mean()
            scaler.scale(loss).backward()
            scaler.step(optimizer)
            scaler.update()
        """,
}


@pytest.mark.parametrize("name", RIGHT)
def test_there_is_nothing_to_say_of_a_right_program(check, name):
    report = check(RIGHT[name])
    assert report.error is None
    assert [(one.code, one.message) for one in report.findings] == []


# -- side effects that a check must not have --------------------------------------------------------------


@pytest.mark.parametrize("name", [*RIGHT, *WRONG])
def test_a_check_changes_no_result(tmp_path, name):
    """Every tensor that the program ends with is the same to the last bit, with the check and without."""
    text = RIGHT[name] if name in RIGHT else WRONG[name][0]
    file = tmp_path / "train.py"
    tail = """
kept = {}
for key, thing in list(globals().items()):
    if isinstance(thing, nn.Module):
        kept |= {f"{key}.{path}": one.detach().clone() for path, one in thing.state_dict().items()}
    elif isinstance(thing, torch.Tensor):
        kept[key] = thing.detach().clone()
torch.save(kept, KEPT)
"""
    kept = tmp_path / "kept.pt"
    file.write_text(HEAD + dedent(text) + tail.replace("KEPT", repr(str(kept))))

    def outcome(watched):
        if watched:
            inspect(str(file), lambda: run_script(str(file), None, []), source=Torch())
        else:
            assert run_script(str(file), None, []) is None
        return torch.load(kept, weights_only=True)

    plain, watched = outcome(False), outcome(True)
    assert plain.keys() == watched.keys() and plain
    for key, value in plain.items():
        assert torch.equal(value, watched[key]) or bool(value.isnan().all()), key


def test_nothing_is_left_behind(check):
    from torch.optim import optimizer
    from torch.overrides import _get_current_function_mode_stack

    def hooks():
        return (
            torch.autograd.backward,
            torch.autograd.grad,
            torch.optim.Optimizer.zero_grad,
            torch.nn.Module.load_state_dict,
            torch.nn.Parameter.__new__,
            len(optimizer._global_optimizer_pre_hooks),
            len(optimizer._global_optimizer_post_hooks),
            len(_get_current_function_mode_stack()),
        )

    before = hooks()
    check(RIGHT["a classifier"])
    check("raise ValueError('in the middle')")
    assert hooks() == before


def test_steps_end_a_program(check):
    report = check(RIGHT["a classifier"], limit=2)
    assert (report.steps, report.stopped, report.status) == (2, True, 0)


def test_a_failing_program_is_explained(check):
    report = check(
        """
        net = nn.Linear(3, 1)
        loss = net(torch.randn(8, 3)).detach().mean()
        loss.backward()  # here
        """
    )
    assert report.status == 2 and isinstance(report.error, RuntimeError)
    assert report.findings[0].code == "PS106"


def test_counting_goes_on_after_the_recorded_steps(check):
    report = check(RIGHT["a classifier"])
    rows = {one.path: one for one in report.variables}
    (writer,) = rows["net.0.weight"].writers.values()
    assert (report.steps, writer.by, writer.times) == (8, "Adam", 8)
    assert {one["bits"] for one in as_data(report)["variables"] if "running" not in one["path"]} == {
        "1 1 1 1 1"
    }


def test_the_command_reports_on_a_script_that_runs_in_pytorch(tmp_path):
    file = tmp_path / "train.py"
    file.write_text(HEAD + dedent(WRONG["a body under no_grad"][0]))
    done = subprocess.run(
        [sys.executable, "-m", "penstock", "check", "--with", "torch", "--format", "json", str(file)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1, done.stderr
    data = json.loads(done.stdout)
    assert data["framework"] == {"name": "torch", "version": torch.__version__}
    assert data["findings"][0]["code"] == "PS107"


def test_the_steps_before_a_limit_are_analysed(check):
    report = check("""
        net, spare = nn.Linear(3, 1), nn.Linear(3, 1)
        optimizer = torch.optim.SGD([*net.parameters(), *spare.parameters()], 0.1)
        for _ in range(20):
            optimizer.zero_grad()
            net(torch.randn(4, 3)).pow(2).mean().backward()
            optimizer.step()
    """, 8)  # fmt: skip
    assert report.steps == 8 and report.variables[0].read
    assert [one.code for one in report.findings] == ["PS101"]


# -- optimizers that move nothing, or the wrong model ----------------------------------------------------

TWO_MODELS = """
    maker, judge = nn.Linear(2, 3), nn.Linear(3, 1)
    maker_optimizer = torch.optim.Adam({held}.parameters())  # made
    judge_optimizer = torch.optim.Adam(judge.parameters())
    for _ in range(6):
        {before}
        judge_optimizer.zero_grad()
        made = maker(torch.randn(8, 2))
        (judge({given}).mean() - judge(torch.randn(8, 3)).mean()).backward()
        judge_optimizer.step()
        {after}
        maker_optimizer.zero_grad()
        loss = -judge(maker(torch.randn(8, 2)){cut}).mean()
        loss.backward()
        maker_optimizer.step()  # here
    """
MENDED = {"held": "maker", "before": "", "given": "made.detach()", "after": "", "cut": ""}
MAKER = ("maker.weight", "maker.bias")


def test_an_optimizer_whose_parameters_were_frozen_after_it_was_made(check):
    text = TWO_MODELS.format(**MENDED | {"before": "maker.requires_grad_(False)", "given": "made"})
    report = check(text)
    assert found(report) == [("PS102", MAKER, line_of(text))]
    (finding,) = report.findings
    assert finding.cause.line == line_of(text, "# made")
    assert "requires_grad_()" in finding.fix
    # Frozen in turns, or made for frozen parameters: nothing to say.
    turns = {"before": "maker.requires_grad_(False)", "after": "maker.requires_grad_(True)", "given": "made"}
    assert found(check(TWO_MODELS.format(**MENDED | turns))) == []
    assert found(check(TWO_MODELS.format(**MENDED))) == []


def test_a_pass_for_an_optimizer_that_gets_nothing_is_not_called_wasted_for_another(check):
    report = check(TWO_MODELS.format(**MENDED | {"cut": ".detach()"}))
    assert {code for code, *_ in found(report)} == {"PS106", "PS302"}


def test_two_optimizers_of_one_model_beside_a_model_without_any(check):
    text = TWO_MODELS.format(**MENDED | {"held": "judge"})
    report = check(text)
    assert found(report) == [("PS401", MAKER, line_of(text, "# made"))]
    assert "in place of the variables that both hold" in report.findings[0].fix


def test_parameters_that_are_unfrozen_after_their_optimizer_was_made(check):
    text = """
    body, head = nn.Linear(2, 3), nn.Linear(3, 1)
    body.requires_grad_(False)
    net = nn.Sequential(body, head)
    optimizer = torch.optim.SGD({chosen}, 0.1)  # here
    for step in range(8):
        if step == 3:
            body.requires_grad_(True)
        optimizer.zero_grad()
        net(torch.randn(8, 2)).square().mean().backward()
        optimizer.step()
    """
    wrong = text.format(chosen="[p for p in net.parameters() if p.requires_grad]")
    report = check(wrong)
    assert found(report) == [("PS401", ("body.weight", "body.bias"), line_of(wrong))]
    assert "add_param_group" in report.findings[0].fix
    assert found(check(text.format(chosen="net.parameters()"))) == []


@pytest.mark.parametrize(
    ("forgotten", "code"),
    [("optimizer.step", "PS408"), ("optimizer.zero_grad", "PS405"), ("loss.backward", "PS102")],
)
def test_a_method_that_is_named_and_not_called(check, forgotten, code):
    text = """
    net = nn.Linear(2, 1)
    optimizer = torch.optim.SGD(net.parameters(), 0.1)
    for _ in range(6):
        optimizer.zero_grad()
        loss = net(torch.randn(8, 2)).square().mean()
        loss.backward()
        optimizer.step()
    """
    wrong = text.replace(f"{forgotten}()", forgotten)
    (finding,) = check(wrong).findings
    assert finding.code == code
    assert finding.fix.startswith(f"Write {forgotten}() at ")
    assert found(check(text)) == []
