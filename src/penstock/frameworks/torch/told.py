"""The reports of the PyTorch source: a write."""

from __future__ import annotations

from typing import Any

import torch

from penstock.frameworks.eager import told


class Written(told.Written):
    """One write that an optimizer or the program has made."""

    __slots__ = ()

    def undoes(self, before: Any) -> bool:
        with torch._C.DisableTorchFunction(), torch.no_grad():
            old, now = self.before, self.variable.tensor()
            if old is None or now is None or not old.shape == before.shape == now.shape:
                return False
            near = max(1e-3 * float((now - old).norm()), 1e-6 * float(now.norm()))
            return float((now - before).norm()) <= near < float((before - old).norm())


__all__ = ["Written"]
