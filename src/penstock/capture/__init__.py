"""Steps that are recorded once and replayed whole: `penstock.step` and `penstock.repeat`."""

from penstock.capture.repeated import repeat
from penstock.capture.steps import step

__all__ = ["repeat", "step"]
