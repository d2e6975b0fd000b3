"""The arguments of a watched block: layers, tensors and optimizers that were created before it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import paddle

from penstock.frameworks.eager.given import tell
from penstock.frameworks.paddle.source import Paddle


def register(source: Paddle, given: Mapping[str, Any]) -> None:
    """Tells a started source about existing things, by the names they were passed under."""
    with source.quiet():
        tell(source, given, paddle.optimizer.Optimizer)


__all__ = ["register"]
