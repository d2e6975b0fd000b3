"""A block of a PyTorch program under watch: earlier objects have names, and no hook stays behind."""

import json
from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: make test-frameworks")

from torch import nn  # noqa: E402

import penstock as ps  # noqa: E402
from penstock.cli import main  # noqa: E402
from penstock.errors import PenstockError  # noqa: E402
from penstock.pytesting import Flow, FlowError  # noqa: E402


def training(turns=2):
    """A model, its optimizer, and a function that makes steps with them; `cut=True` cuts the model off."""
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(2, 3), nn.Linear(3, 1))
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    inputs = torch.ones(4, 2)

    def step(times=1, cut=False):
        for _ in range(times):
            optimizer.zero_grad()
            out = model(inputs)
            if cut:
                out = out.detach().requires_grad_()
            (out**2).mean().backward()
            optimizer.step()

    step(turns)
    return model, optimizer, step


def standing():
    """What of PyTorch a watch replaces, and the modes that are on."""
    return (
        torch.autograd.backward,
        torch.autograd.grad,
        torch.optim.Optimizer.__init__,
        torch.nn.Module.zero_grad,
        torch.nn.Parameter.__new__,
        list(torch.overrides._get_current_function_mode_stack()),
    )


def test_names_come_from_the_arguments_and_lines_are_said_to_be_unknown():
    model, optimizer, step = training()
    spare = nn.Parameter(torch.ones(2))
    with ps.watch(model, optimizer, scale=spare, heads=[nn.Linear(1, 1)]) as report:
        step(3)
    assert (report.framework, report.steps, report.status) == ("torch", 3, 0)
    rows = {one.path: one.bits for one in report.variables}
    assert rows["model.0.weight"] == rows["model.1.bias"] == "1 1 1 1 1"
    assert rows["scale"] == rows["heads[0].weight"] == "1 0 0 0 0"
    assert "It is unknown which lines created model.*" in str(report)
    assert report.data()["variables"][0]["created"] is None
    assert report._repr_html_().startswith("<iframe")


def test_a_cut_is_found():
    model, optimizer, step = training()
    with ps.watch(model, optimizer) as report:
        step(3, cut=True)
    assert report.status == 1
    assert any("model.0.weight" in one.variables for one in report.findings)
    assert "unknown:0" not in str(report)


def test_a_block_without_a_step_does_not_take_an_optimizer_for_absent():
    model, optimizer, _ = training()
    with ps.watch(model, optimizer) as report:
        model(torch.ones(1, 2)).sum().backward()
    assert report.findings == []


def test_watches_are_nested_and_repeated_and_leave_nothing_behind():
    model, optimizer, step = training()
    before = standing()
    with ps.watch(model, optimizer) as outer:
        step()
        with ps.watch(model) as inner:
            step(2)
        step()
    with pytest.raises(ZeroDivisionError), ps.watch(model) as failed:
        step(2)
        raise ZeroDivisionError
    with ps.watch(model, steps=2) as short:
        step(5)
    assert [one.steps for one in (outer, inner, failed, short)] == [4, 2, 2, 2]
    assert [one.status for one in (outer, inner, failed, short)] == [0, 0, 2, 0]
    assert standing() == before
    assert [one.report.barriers for one in (outer, inner)] == [[], []]
    assert not model[0].weight._post_accumulate_grad_hooks


def test_after_enough_steps_nothing_is_recorded_any_more():
    model, _, step = training()
    with ps.watch(model, steps=2) as report:
        step(2)
        assert not torch.overrides._get_current_function_mode_stack()
        step(3)
    assert (report.steps, report.report.stopped, report.findings) == (2, True, [])


def test_results_are_the_same_to_the_last_bit():
    plain, _, step = training()
    step(6)
    watched, optimizer, step = training()
    with ps.watch(watched, optimizer):
        step(6)
    for one, other in zip(plain.parameters(), watched.parameters(), strict=True):
        assert torch.equal(one, other)


@pytest.mark.parametrize("extra", [ps.Variable(1.0), 3], ids=["variable", "number"])
def test_things_of_another_framework_are_refused(extra):
    model, _, _ = training(0)
    with pytest.raises(PenstockError, match="not an object of 'torch'"):
        ps.watch(model, extra)


def test_the_fixture_of_pytest_checks_what_a_step_trains():
    model, optimizer, step = training()
    for one in model[0].parameters():
        one.requires_grad_(False)
    flow = Flow()
    with flow.watch(model, optimizer):
        step(2)
    flow.check(trains="1/*", keeps=["0/*", "model.0.*"])
    with pytest.raises(FlowError, match=r"'model.0.weight' should be trained, but has no gradient: frozen."):
        flow.check(trains="model.*")
    with pytest.raises(
        FlowError,
        match=r"'model.1.bias' should stay unchanged: SGD at "
        r".*test_torch_watch.py",
    ):
        flow.check(keeps="*/bias")


PROGRAM = """
import torch
w = torch.nn.Parameter(torch.ones(2))
optimizer = torch.optim.SGD([w], 0.1)
for _ in range(3):
    optimizer.zero_grad()
    loss = w.detach().sum().requires_grad_()
    loss.backward()
    optimizer.step()
"""


def test_the_command_decides_by_the_imports_and_runs_notebooks(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    cells = [{"cell_type": "code", "source": part} for part in PROGRAM.split("optimizer", 1)]
    cells[1]["source"] = "optimizer" + cells[1]["source"]
    Path("train.ipynb").write_text(json.dumps({"cells": cells}))
    Path("train.py").write_text(PROGRAM)
    assert main(["check", "--with", "auto", "train.py"]) == 1
    shown = capsys.readouterr()
    assert shown.err == "penstock: train.py imports torch: as with --with torch.\n"
    assert "PS106" in shown.out
    assert main(["check", "--with", "auto", "train.ipynb", "--format", "json"]) == 1
    data = json.loads(capsys.readouterr().out)
    assert data["framework"]["name"] == "torch"
    assert data["variables"][0]["created"] == {"file": "train.ipynb", "cell": 1, "line": 3}
    assert {one["cell"] for one in data["findings"]} == {2}
