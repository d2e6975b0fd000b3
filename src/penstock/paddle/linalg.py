"""Linear algebra under Paddle's names."""

from penstock.paddle._math import matmul, norm

__all__ = ["matmul", "norm"]
