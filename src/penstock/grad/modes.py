"""What a tape can be asked for beside gradients."""

from typing import Any

Mode = tuple[Any, ...]
"""("jacobian" or "batch_jacobian", whether one row is to be computed after the other), or JVP."""

JVP: Mode = ("jvp",)
