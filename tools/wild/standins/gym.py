"""Stands in for gym, which is gymnasium under its old name."""

from gymnasium import *  # noqa: F403
from gymnasium import Env, Wrapper, make, spaces, vector, wrappers

__all__ = ["Env", "Wrapper", "make", "spaces", "vector", "wrappers"]
