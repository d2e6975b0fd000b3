"""Weight decay under Paddle's names."""

from penstock.paddle.optimizer._base import L1Decay, L2Decay

__all__ = ["L1Decay", "L2Decay"]
