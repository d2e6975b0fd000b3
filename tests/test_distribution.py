"""Many devices: runs on_devices.py with eight simulated ones, and counts the cost of other programs."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file

import penstock as ps
import processes
from accelerators import on_accelerator
from emitters import Chosen

pytest.importorskip("jax")

HERE = Path(__file__).parent
SECONDS = 300


def variables(**environment):
    """The environment of a process that finds eight devices."""
    flags = "--xla_force_host_platform_device_count=8"
    found = {**os.environ, "XLA_FLAGS": flags, "PENSTOCK_QUIET": "1", **environment}
    if on_accelerator():
        found["JAX_PLATFORMS"] = "cpu"
    if Chosen.code_of_users:
        found["CODE_OF_USERS"] = "1"
    found.pop("PENSTOCK_ENGINE", None)
    return found


def run(*command, **environment):
    """Run Python in a new process that finds eight devices."""
    return subprocess.run(
        [sys.executable, *map(str, command)],
        cwd=HERE.parent,
        env=variables(**environment),
        capture_output=True,
        text=True,
        timeout=SECONDS,
    )


def continued(*command):
    """The same in a process that has imported Penstock and JAX."""
    if on_accelerator():
        return run(*command)
    return processes.run(command, HERE.parent, variables(), ["pytest"])


NUMBERS, SHOWN, COSTS = "same_numbers or live or follows", "examples", "pages or plan or report or table"
"""The tests on eight devices are run in four parts, so that none takes more than ten seconds."""


@pytest.mark.parametrize("part", [NUMBERS, SHOWN, COSTS, f"not ({NUMBERS} or {SHOWN} or {COSTS})"])
def test_the_tests_on_eight_devices_pass(part):
    options = ["-q", "-x", "-p", "no:cacheprovider", *(["--code-of-users"] if Chosen.code_of_users else [])]
    done = continued("-m", "pytest", *options, HERE / "on_devices.py", "-k", part)
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


def test_a_cluster_is_found_by_jax_and_needs_no_arguments():
    slurm = {"JOB_ID": "1", "STEP_NODELIST": "localhost", "NTASKS": "1", "PROCID": "0", "LOCALID": "0"}
    code = "from penstock import distribution as D; D.initialize(); print(D.get_device_count())"
    done = run("-c", code, **{f"SLURM_{name}": value for name, value in slurm.items()})
    assert done.stdout.split()[-1:] == ["8"], done.stderr


SCRIPT = HERE / "two_processes.py"


def launch(how, folder, patience=60):
    """Start two processes of four devices each by the command."""
    options = ("--processes", "2", "--devices", "4", "--patience", str(patience))
    return run("-m", "penstock", "run", *options, SCRIPT, how, folder)


def found_in(output):
    return [list(map(float, line.split(","))) for line in re.findall(r"FOUND \[(.*)\]", output)]


def told(output, what):
    """What each process has said of one attempt."""
    found = re.findall(rf"^\[(\d)\] TOLD {what}(?:: )?(.*)$", output, re.MULTILINE)
    assert sorted(number for number, _ in found) == ["0", "1"], output
    return [text for _, text in sorted(found)]


def test_two_processes_compute_the_results_of_one_and_report_differences(tmp_path):
    done = launch("numbers", tmp_path)
    assert done.returncode == 0, done.stderr
    alone = continued(SCRIPT, "numbers", tmp_path)
    assert alone.returncode == 0, alone.stderr
    (wanted,) = found_in(alone.stdout)
    for found in found_in(done.stdout):
        assert found == pytest.approx(wanted, rel=1e-3)
    # Nobody has set a seed for these: the processes have agreed on one.
    for what, parts in {
        "index": ("RangeError", "index 8 ", "No variable was changed"),
        "contract": ("ContractBroken", "'kept'", "nothing was written"),
        "unchanged": ("True",),
        "shape": ("the data that it takes", "process 1: takes float32[24, 8]", "process 0: takes float32[16"),
        "line": ("what it does", "process 1: sin", "process 0: cos", "two_processes.py:"),
        "value": ("different values in Variable 'own'", "same seed"),
        "seed": ("different values in the random numbers", "ps.random.seed(0)"),
        "path": ("CheckpointError", "other1", "other0", "in every process"),
        "things": ("CheckpointError", "they differ in 'kept'"),
        "what": ("Process 0 is about to run a step", "process 1 to save a checkpoint"),
    }.items():
        for text in told(done.stdout, what):
            assert all(part in text for part in parts), (what, text)
    first, second = told(done.stdout, "absent")
    assert "Process 1 has not come" in first and "save a checkpoint" in first and second == "nothing"


def test_a_process_that_dies_ends_all_and_the_last_checkpoint_resumes(tmp_path):
    done = launch("die", tmp_path)
    said = " ".join(done.stderr.split())
    assert done.returncode == 128 + 9
    assert (
        "penstock: Process 1 was killed by SIGKILL; its last joint step was at tests/two_processes.py:"
        in said
    )
    names = sorted(one.name for one in tmp_path.iterdir())
    wanted = [f"model-0000{number}-of-00002.safetensors" for number in (1, 2)]
    assert names == [*wanted, "model.safetensors.index.json"]
    done = launch("resume", tmp_path)
    assert done.returncode == 0, done.stderr
    assert told(done.stdout, "resumed at 3") == ["", ""]
    assert told(done.stdout, "same") == ["True", "True"]

    # The file can be read by other tools, and loaded on one device.
    index = json.loads((tmp_path / "model.safetensors.index.json").read_text())
    arrays = {file: load_file(tmp_path / file) for file in wanted}
    assert index["weight_map"] == {name: file for file, held in arrays.items() for name in held}
    assert index["metadata"]["total_size"] == sum(a.nbytes for held in arrays.values() for a in held.values())
    weight = ps.Variable(np.zeros((8, 8), np.float32), name="weight")
    optimizer = ps.optimizers.Adam(0.1)
    assert ps.load(tmp_path / "model.safetensors", weight, optimizer)["step"] == 3
    np.testing.assert_array_equal(weight.numpy(), arrays[index["weight_map"]["weight"]]["weight"])


def test_a_process_that_sleeps_ends_all(tmp_path):
    done = launch("sleep", tmp_path, patience=4)
    said = " ".join(done.stderr.split())
    assert done.returncode == 1
    sleeping = 1 + SCRIPT.read_text().splitlines().index("            time.sleep(100)")
    assert f"process 1 has been at tests/two_processes.py:{sleeping}, after " in said, said
    assert "Nothing has moved for 4 seconds" in said and "--patience" in said
    # The sixth step was never reached: the checkpoint of the third is there, complete.
    assert ps.load(tmp_path / "model.safetensors", strict=False)["step"] == 3
