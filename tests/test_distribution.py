"""Many devices: runs on_devices.py where there are eight of them, simulated, and counts what others pay."""

import os
import re
import socket
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
        [sys.executable, *map(str, command)],
        cwd=HERE.parent,
        env=variables,
        capture_output=True,
        text=True,
        timeout=SECONDS,
    )


PARTS = 2
"""Processes among which the tests of on_devices.py are shared out: one would take longer than a test may."""


@pytest.mark.parametrize("part", range(PARTS))
def test_what_must_hold_on_eight_devices(part):
    file = HERE / "on_devices.py"
    names = re.findall(r"^def (test_\w+)\(", file.read_text(encoding="utf-8"), re.MULTILINE)
    ours = [f"{file}::{name}" for name in names[part::PARTS]]
    done = run("-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *ours)
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


@pytest.mark.parametrize("name", ["digits", "language", "recommend"])
def test_examples_run_on_eight_devices_and_are_clean(name):
    pytest.importorskip("sklearn")
    done = run("-m", "penstock", "check", "--devices", "8", f"examples/devices_{name}.py", count=1)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
    assert "No problems found" in done.stdout and "8 devices" in done.stdout
    losses = [float(line.rpartition(" ")[2]) for line in done.stdout.splitlines() if ": loss " in line]
    assert losses[-1] < 0.9 * losses[0]
    if name == "recommend":
        # A step sends rows: a table of 30 MiB, of which each device holds an eighth, is put together nowhere.
        assert "split: axis 0 over 'rows'  3.8 MiB" in done.stdout
        (line,) = [line for line in done.stdout.splitlines() if line.startswith("Step 1")]
        assert "KiB a step" in line.partition("sends ")[2]


def test_a_check_without_a_distribution_says_how_to_use_the_devices(tmp_path):
    script = tmp_path / "alone.py"
    script.write_text("import penstock as ps\nx = ps.Variable(1.0, name='x')\nx.assign_add(1.0)\n")
    done = run("-m", "penstock", "check", "--devices", "4", script, count=1)
    assert "No distribution was set" in done.stdout and "DataParallel()" in " ".join(done.stdout.split())


def free_port():
    with socket.socket() as probe:
        probe.bind(("localhost", 0))
        return probe.getsockname()[1]


def start(*command, count):
    variables = {**os.environ, "XLA_FLAGS": f"--xla_force_host_platform_device_count={count}"}
    return subprocess.Popen(
        [sys.executable, *map(str, command)],
        env=variables,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def found_in(output):
    (line,) = re.findall(r"FOUND \[(.*)\]", output)
    return [float(one) for one in line.split(",")]


def test_two_processes_compute_what_one_computes():
    port = free_port()
    script = HERE / "two_processes.py"
    every = [start(script, number, port, count=4) for number in range(2)]
    try:
        alone = run(script, 0, 0)
        assert alone.returncode == 0, alone.stderr
        wanted = found_in(alone.stdout)
        for one in every:
            output, errors = one.communicate(timeout=SECONDS)
            assert one.returncode == 0, errors
            assert found_in(output) == pytest.approx(wanted, rel=1e-3)
    finally:
        for one in every:
            one.kill()
            one.communicate()


def test_an_address_in_use_says_so():
    with socket.socket() as taken:
        taken.bind(("localhost", 0))
        taken.listen()
        port = taken.getsockname()[1]
        done = run("-c", f"import penstock as ps; ps.distribution.initialize('localhost:{port}', 2, 0)")
    assert f"localhost:{port} cannot be used" in done.stderr and "Give another port" in done.stderr
    done = run("-c", f"import penstock as ps; ps.distribution.initialize('localhost:{free_port()}', 2, 2)")
    assert "from 0 to 1" in done.stderr
    late = f"D.list_devices(); D.initialize('localhost:{free_port()}', 1, 0)"
    done = run("-c", f"from penstock import distribution as D; {late}")
    assert "first of all, before tensors and devices" in done.stderr, done.stderr
