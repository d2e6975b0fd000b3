"""The order in which workers run the files of the suite, what they report, and which tests took too long."""

from collections.abc import Iterable

import pytest
from _pytest.runner import runtestprotocol

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
SHOWN = 0.005
"""Seconds from which pytest lists the setup, the call or the teardown of a test among the slowest."""


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


def tells_something(report: pytest.TestReport) -> bool:
    """Whether a worker sends the report on a part of a test: a setup or teardown may pass in no time."""
    return report.when == "call" or not report.passed or report.duration >= SHOWN


def run_and_report(item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
    """Has a worker send one report on most tests in place of three: each costs a third of a millisecond."""
    if not hasattr(item.config, "workerinput"):
        return None
    for report in runtestprotocol(item, nextitem=nextitem, log=False):
        if tells_something(report):
            item.ihook.pytest_runtest_logreport(report=report)
    item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
    return True
