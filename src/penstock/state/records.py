"""What belongs to a checkpoint beside variables, such as the state of the random numbers."""

from collections.abc import Callable
from typing import Any

records: dict[str, tuple[Callable[[], Any], Callable[[Any], None]]] = {}
"""By name: how to note it as plain data, and how to bring it back."""
