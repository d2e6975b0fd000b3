"""The order in which several workers run the files of the suite, and which tests took too long."""

from collections.abc import Iterable

import pytest

LONGEST = (
    "test_vjp_table", "test_examples", "test_distribution", "test_recorder", "test_vmap",
    "test_optimizers_properties", "test_memory", "test_resume", "test_array_api_values",
    "test_vocabulary_special", "test_linear", "test_shared_updates", "test_checkpoint",
    "test_tensorflow_graph_programs", "test_plan", "test_control", "test_phases", "test_ledger_split",
    "test_graph_files", "test_check_cost", "test_check_memory", "test_applications",
    "test_keras_programs", "test_paddle_programs", "test_optimizers_parts", "test_vocabulary_random",
    "test_optimizers", "test_disk", "test_vocabulary", "test_threads", "test_export", "test_types",
    "test_audit_page", "test_book", "test_right_programs", "test_array_api", "test_budget",
    "test_paddle", "test_tape", "test_paddle_counts", "test_optimizers_options", "test_lengths",
    "test_array_api_edges", "test_optimizers_schedules", "test_reported_programs", "test_without_jax",
    "test_properties", "test_interrupts", "test_captured_programs", "test_fork", "test_explain",
    "test_functions",
)  # fmt: skip
"""Files of five seconds and more, the longest first: begun last, one would leave the other workers idle."""
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
