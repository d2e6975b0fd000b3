"""The arguments of a watched block: modules, tensors and optimizers that were created before it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch

from penstock.frameworks.eager.given import tell
from penstock.frameworks.torch.source import Torch


def register(source: Torch, given: Mapping[str, Any]) -> None:
    """Tells a started source about existing things, by the names they were passed under."""
    tell(source, given, torch.optim.Optimizer)


__all__ = ["register"]
