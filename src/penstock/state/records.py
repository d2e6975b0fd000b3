"""The parts of a checkpoint besides variables, such as the state of the random numbers."""

from collections.abc import Callable
from typing import Any, NamedTuple


class Record(NamedTuple):
    """How to store something as plain data, how to restore it, and its form (see `state.form`)."""

    note: Callable[[], Any]
    restore: Callable[[Any], None]
    form: Callable[[], Any]


records: dict[str, Record] = {}
"""The parts of every checkpoint, by name."""
