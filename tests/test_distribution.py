"""Many devices: runs on_devices.py where there are eight of them, simulated, and counts what others pay."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("jax")

HERE = Path(__file__).parent
SECONDS = 300


def run(*command, count=8, **environment):
    """Run Python in a process of its own that finds so many devices."""
    flags = f"--xla_force_host_platform_device_count={count}"
    variables = {**os.environ, "XLA_FLAGS": flags, "PENSTOCK_QUIET": "1", **environment}
    variables.pop("PENSTOCK_ENGINE", None)
    return subprocess.run(
        [sys.executable, *map(str, command)], env=variables, capture_output=True, text=True, timeout=SECONDS
    )


def test_what_must_hold_on_eight_devices():
    done = run("-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", HERE / "on_devices.py")
    assert done.returncode == 0, done.stdout[-8000:] + done.stderr[-2000:]
    assert " passed" in done.stdout


PLAIN = """
import sys
import numpy as np
import penstock as ps
weight = ps.Variable(np.ones((4, 2), "float32"))
optimizer = ps.optimizers.Adam(0.1)
for _ in range(20):
    with ps.GradientTape() as tape:
        loss = ps.mean(ps.matmul(np.ones((8, 4), "float32"), weight) ** 2)
    optimizer.apply_gradients([(tape.gradient(loss, weight), weight)])
float(loss)
from penstock.tiers.placement import in_force
from penstock.tiers.program import programs
assert in_force.placement is None
assert not [name for name in sys.modules if name.startswith("penstock.distribution")]
(program,) = [one for one in programs.values() if one.launches]
assert program.compiled
assert all(key == () or isinstance(key[0], int) for key in program.compiled), list(program.compiled)
"""


def test_a_program_without_a_distribution_loads_none_of_it_and_is_launched_as_before():
    done = run("-c", PLAIN)
    assert done.returncode == 0, done.stderr
