"""The catalogue of mistakes, in PyTorch itself: each wrong program is named, each repaired one is not."""

import sys
from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: make test-frameworks")
sys.path.insert(0, str(Path(__file__).parents[1]))

import pitfalls  # noqa: E402
from penstock.frameworks.torch.source import Torch  # noqa: E402


@pytest.mark.parametrize("program", pitfalls.programs("torch"))
def test_the_mistake_is_named_and_its_repair_is_not(program, tmp_path):
    pitfalls.check_wrong(program, *pitfalls.report_on(program, "wrong", tmp_path, Torch()))
    pitfalls.check_right(*pitfalls.report_on(program, "right", tmp_path, Torch()))
