"""The order in which several workers run the files of the suite, and which tests took too long."""

from collections.abc import Iterable

import pytest

LONGEST = (
    "test_vjp_table", "test_examples", "test_distribution", "test_resume", "test_recorder", "test_memory",
    "test_vmap", "test_checkpoint", "test_vocabulary_special", "test_check_memory", "test_shared_updates",
    "test_audit", "test_array_api_values", "test_check_cost", "test_damaged_files",
    "test_optimizers_properties", "test_phases", "test_vocabulary", "test_cli", "test_vocabulary_random",
    "test_pytest_plugin", "test_paddle", "test_budget", "test_array_api", "test_linear",
    "test_paddle_programs", "test_plan", "test_ledger_split", "test_control", "test_recurrent",
    "test_audit_page", "test_cli_choices", "test_array_api_linalg", "test_convolution", "test_without_jax",
    "test_optimizers", "test_threads", "test_counts", "test_functions", "test_higher", "test_interrupts",
)  # fmt: skip
"""Files of ten seconds and more, the longest first: begun last, one would leave the other workers idle."""
MOST = 10.0
"""Seconds that a test may take."""


def longest_first(items: list[pytest.Item]) -> None:
    """Puts the files that take long first; the others, and the tests of a file, stay in their order."""
    places = {name: place for place, name in enumerate(LONGEST)}
    items.sort(key=lambda item: places.get(item.path.stem, len(places)))


def too_long(reports: Iterable[pytest.TestReport]) -> list[str]:
    """Returns a line for each test that took longer than a test may, the longest first."""
    seconds: dict[str, float] = {}
    for one in reports:
        if isinstance(one, pytest.TestReport):
            seconds[one.nodeid] = seconds.get(one.nodeid, 0.0) + one.duration
    found = sorted(((taken, name) for name, taken in seconds.items() if taken > MOST), reverse=True)
    return [f"{taken:6.1f} s  {name}" for taken, name in found]
