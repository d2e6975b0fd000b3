"""Modules whose parameters PyTorch shards, with one process and with two over Gloo."""

import os
import subprocess
import sys
from textwrap import dedent

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: make test-frameworks")

from frameworks.test_torch_kinds import HEAD, assert_same  # noqa: E402

PROGRAM = """
    import sys, os
    import torch.distributed as dist

    kind, meet, kept, spare = sys.argv[1:]
    rank, world = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
    dist.init_process_group("gloo", init_method=meet, rank=rank, world_size=world)

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.a, self.b = nn.Linear(4, 8), nn.Linear(8, 2)
            if spare == "spare":
                self.spare = nn.Linear(2, 2)

        def forward(self, x):
            return self.b(torch.relu(self.a(x)))

    net = Net()
    if kind == "fully_shard":
        from torch.distributed.device_mesh import init_device_mesh
        from torch.distributed.fsdp import fully_shard

        mesh = init_device_mesh("cpu", (world,))
        for one in (net.a, net.b, net):
            fully_shard(one, mesh=mesh)
    else:
        from torch.distributed.fsdp import FullyShardedDataParallel

        net = FullyShardedDataParallel(net, device_id=torch.device("cpu"), use_orig_params=kind == "original")
    optimizer = torch.optim.Adam(net.parameters(), 0.1)
    for step in range(6):
        optimizer.zero_grad()
        loss = net(torch.randn(8, 4)).pow(2).mean()
        loss.backward()
        optimizer.step()
    if rank == 0:
        torch.save({"loss": loss.detach()}, kept)
    dist.destroy_process_group()
    """


def run(folder, kind, world, how, spare):
    """Runs the program in this many processes; returns their status and reports, and the saved weights."""
    file, kept = folder / "train.py", folder / f"{how}.pt"
    file.write_text(HEAD + dedent(PROGRAM))
    check = ["-m", "penstock", "check", "--with", "torch"] if how == "watched" else []
    command = [
        sys.executable,
        "-W",
        "ignore",
        *check,
        str(file),
        kind,
        f"file://{folder / how}",
        str(kept),
        spare,
    ]
    began = [
        subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env={**os.environ, "RANK": str(rank), "WORLD_SIZE": str(world)},
        )
        for rank in range(world)
    ]
    said = [one.communicate(timeout=300)[0] for one in began]
    return [one.returncode for one in began], said, torch.load(kept, weights_only=True)


def skip_if_absent(kind):
    if kind == "fully_shard":
        pytest.importorskip("torch.distributed.fsdp")
        if not hasattr(torch.distributed.fsdp, "fully_shard"):
            pytest.skip("this PyTorch has no torch.distributed.fsdp.fully_shard")


@pytest.mark.parametrize(("kind", "world"), [("original", 1), ("fully_shard", 2)])
def test_there_is_nothing_to_say_of_a_right_sharded_program(tmp_path, kind, world):
    skip_if_absent(kind)
    codes, said, plain = run(tmp_path, kind, world, "plain", "whole")
    assert codes == [0] * world, said
    codes, said, watched = run(tmp_path, kind, world, "watched", "whole")
    assert codes == [0] * world, said
    assert all("6 steps" in one and "No problems found." in one for one in said)
    assert_same(plain, watched)


def test_a_layer_of_a_sharded_model_that_nothing_reads_is_named(tmp_path):
    skip_if_absent("fully_shard")
    codes, said, _ = run(tmp_path, "fully_shard", 1, "watched", "spare")
    assert codes == [1], said
    assert "PS101" in said[0]
    assert "'net.spare.weight'" in said[0]
