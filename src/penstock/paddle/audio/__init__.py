"""paddle.audio: spectra of sounds, on the scale of hearing. Reading and writing of files is not here."""

from penstock.paddle._names import absent
from penstock.paddle.audio import features as features
from penstock.paddle.audio import functional as functional

__all__ = ["features", "functional"]


def __getattr__(name: str) -> object:
    raise absent("paddle.audio", name, __all__)
