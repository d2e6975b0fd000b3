"""Without the parts in C, their definitions in Python do everything, and the whole suite passes.

Here a few of its tests do, which the plain Python alone can break. CONTRIBUTING.md has the command for all.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from penstock.trace.fast_path import accelerated

HERE = Path(__file__).parent
CHOSEN = [
    # Reports: whose line led to an operation, and what a result is made by.
    "test_right_programs.py::test_there_is_nothing_to_say_of_a_right_program[paddle-saliency_in_eval]",
    "test_micro_batches.py::test_a_mistake_in_other_words_is_named[paddle an update with every part]",
    # Ctrl-C: a step is done or not done.
    "test_interrupts.py::test_a_signal_during_a_launch_comes_after_its_outputs_are_kept",
    "test_interrupts.py::test_an_interrupt_at_any_line_leaves_a_step_done_or_not_done[numpy-plain-loop]",
    "test_optimizers.py::test_a_variable_listed_twice_is_moved_twice[numpy-sgd]",
    # How many functions the hot path calls, and what it keeps alive.
    "test_paddle_counts.py::test_a_small_turn_calls_few_functions",
    "test_plan.py::test_values_held_across_training_steps[numpy]",
    # The programs that tests start have the same setting.
    "test_processes.py::test_each_is_a_child_of_one_process",
]


@pytest.mark.skipif(not accelerated, reason="all tests run without the parts in C")
def test_chosen_tests_pass_without_the_parts_in_c():
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *CHOSEN]
    environment = os.environ | {"PENSTOCK_PURE": "1"}
    done = subprocess.run(command, cwd=HERE, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-8000:] + done.stderr[-2000:]
    assert " passed" in done.stdout
