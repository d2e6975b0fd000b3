"""Warnings of PyTorch under a check: the same ones as without, on the same lines."""

import subprocess
import sys
from textwrap import dedent

import pytest

pytest.importorskip("torch", reason="PyTorch is not installed: make test-frameworks")

PROGRAM = """
    import torch
    from torch import nn
    from torch.nn import functional as F

    net = nn.Linear(3, 2)
    optimizer = torch.optim.SGD(net.parameters(), 0.1)
    schedule = torch.optim.lr_scheduler.StepLR(optimizer, 1)
    for _ in range(3):
        optimizer.zero_grad()
        out = F.softmax(net(torch.randn(4, 3)))
        other = nn.Softmax()(net(torch.randn(4, 3)))
        loss = nn.MSELoss()(out, torch.randn(4, 1)) + other.sum()
        kept = torch.tensor(out)
        turned = (out[None].T, net.weight[None].T)
        loss.backward()
        schedule.step()
        optimizer.step()
        nn.utils.clip_grad_norm(net.parameters(), 1.0)
        larger = F.upsample(out[None, None], scale_factor=2)
    """


def test_warnings_stand_on_the_lines_of_the_program(tmp_path):
    file = tmp_path / "train.py"
    file.write_text(dedent(PROGRAM))

    def warned(*command, status=0):
        done = subprocess.run(
            [sys.executable, *command, str(file)], capture_output=True, text=True, timeout=120
        )
        assert done.returncode == status, done.stderr
        return done.stderr

    plain = warned()
    assert plain.count(f"{file}:") >= 5
    # The program clips after the update, and steps its schedule before: the report has two warnings.
    assert warned("-m", "penstock", "check", "--with", "torch", status=1) == plain
