"""What watching costs in steps that are only counted, in calls, operations and bytes."""

import sys
from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: make test-frameworks")

from torch import nn  # noqa: E402
from torch.overrides import _get_current_function_mode_stack  # noqa: E402
from torch.utils._python_dispatch import TorchDispatchMode  # noqa: E402

import penstock  # noqa: E402
from penstock.flow.inspection import Inspection  # noqa: E402
from penstock.frameworks.sampling import SELDOM  # noqa: E402
from penstock.frameworks.torch.source import Torch  # noqa: E402

HOME = str(Path(penstock.__file__).parent)
WARM = 3 * SELDOM + 1
"""After this many steps a check only counts updates, and the next measured one is far off."""


class Dispatched(TorchDispatchMode):
    """Counts the operations that PyTorch runs, and the bytes it copies."""

    def __init__(self):
        super().__init__()
        self.names, self.copied = [], 0

    def __torch_dispatch__(self, function, types, arguments=(), options=None):
        result = function(*arguments, **(options or {}))
        self.names.append(function.overloadpacket.__name__)
        if self.names[-1] in ("clone", "copy_", "_to_copy"):
            self.copied += result.numel() * result.element_size()
        return result


def program(layers, frozen=0):
    """A step of a program whose layers keep statistics; the first few are frozen, and in the optimizer."""
    torch.manual_seed(0)
    net = nn.Sequential(*[nn.Sequential(nn.Linear(8, 8), nn.BatchNorm1d(8)) for _ in range(layers)])
    for one in net[:frozen]:
        one.requires_grad_(False).eval()
    optimizer, x = torch.optim.Adam(net.parameters(), foreach=True), torch.randn(16, 8)

    def step():
        optimizer.zero_grad()
        net(x).pow(2).mean().backward()
        optimizer.step()

    return step, sum(one.numel() * one.element_size() for one in net.parameters())


def calls(step):
    """Returns how many functions of Penstock's a step calls."""
    found = []

    def note(frame, event, argument):
        if event == "call" and frame.f_code.co_filename.startswith(HOME):
            found.append(frame.f_code.co_name)

    sys.setprofile(note)
    try:
        step()
    finally:
        sys.setprofile(None)
    return len(found)


def operations(step, times=1):
    """Returns the operations of some steps, and the bytes they copy."""
    with Dispatched() as seen:
        for _ in range(times):
            step()
    return seen.names, seen.copied


@pytest.mark.parametrize("frozen", [0, 3])
def test_a_counted_step_copies_nothing_and_runs_the_programs_own_operations(frozen):
    step, _ = program(4, frozen)
    for _ in range(WARM):
        step()
    own, copied = operations(step)
    with Inspection(Torch()):
        step, _ = program(4, frozen)
        for _ in range(WARM):
            step()
        watched, more = operations(step)
        assert _get_current_function_mode_stack() == []
    # The number of the loss is looked at.
    extra = list(watched)
    for name in own:
        extra.remove(name)
    assert extra == ["_local_scalar_dense"] and more == copied


def test_occasional_measurements_copy_the_parameters_once():
    step, size = program(4)
    for _ in range(WARM):
        step()
    own, copied = operations(step, SELDOM)
    with Inspection(Torch()):
        step, _ = program(4)
        for _ in range(WARM):
            step()
        watched, more = operations(step, SELDOM)
    assert more - copied == size
    # For 16 parameters: a copy of each, a change, three norms; older versions take more steps for a norm.
    assert len(watched) - len(own) <= SELDOM + 8 * 16


def test_a_counted_step_calls_little_and_little_more_for_each_parameter():
    counts = {}
    for layers in (1, 9):
        with Inspection(Torch()):
            step, _ = program(layers)
            for _ in range(WARM):
                step()
            # A new path is looked for in some steps: the fewest calls are those of a step without.
            counts[layers] = min(calls(step) for _ in range(4))
    each = (counts[9] - counts[1]) / (8 * 4)
    assert each <= 6 and counts[1] - 4 * each <= 64, counts


def test_known_paths_are_walked_rarely():
    with Inspection(Torch()) as inspection:
        step, _ = program(2)
        for _ in range(WARM):
            step()
        turns, walked = inspection.source.turns, []
        walk = turns._path
        turns._path = lambda roots: walked.append(1) or walk(roots)
        for _ in range(320):
            step()
    assert 10 <= len(walked) <= 30


def test_a_branch_that_comes_late_is_seen_in_its_first_step():
    torch.manual_seed(0)
    net, spare, x = nn.Linear(4, 4), nn.Linear(4, 4), torch.randn(8, 4)
    optimizer = torch.optim.SGD([*net.parameters(), *spare.parameters()], 0.1)
    with Inspection(Torch()) as inspection:
        for turn in range(200):
            optimizer.zero_grad()
            out = net(x)
            # Every other branch adds a node to autograd's graph, which shows without a walk.
            out = out + spare(out.detach()) if turn in (150, 151, 152) else out
            out.pow(2).mean().backward()
            optimizer.step()
            if turn == 150:
                assert inspection.source.recording
    assert inspection.source.turns.opened == 1
