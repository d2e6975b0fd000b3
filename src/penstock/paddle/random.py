"""Random numbers under Paddle's names."""

from penstock.paddle._creation import seed

__all__ = ["seed"]
