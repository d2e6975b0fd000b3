"""Kinds of programs that people run in PyTorch: what is said of them, and that their results stay the same."""

import subprocess
import sys
from textwrap import dedent

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: make test-frameworks")

from frameworks.torch_kinds import FAILING, RIGHT, WRONG  # noqa: E402
from penstock.flow.check import inspect  # noqa: E402
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
    """Runs a program without a check and with one; returns the tensors it ends with, twice, and the report."""
    file, kept = folder / "train.py", folder / "kept.pt"
    file.write_text(HEAD + dedent(text) + KEEP.replace("KEPT", repr(str(kept))))
    torch.manual_seed(0)
    assert run_script(str(file), None, []) is None
    plain = torch.load(kept)
    kept.unlink()
    report = inspect(str(file), lambda: run_script(str(file), None, []), source=Torch())
    return plain, torch.load(kept) if kept.exists() else None, report


def assert_same(plain, watched):
    """The tensors of both runs are the same to the last bit."""
    assert watched is not None and plain.keys() == watched.keys()
    for key, value in plain.items():
        same = torch.equal(value, watched[key])
        assert same or torch.equal(value.isnan(), watched[key].isnan()), key


def line_of(text, mark="# here"):
    """The line of the program, with its head, on which a mark stands."""
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
