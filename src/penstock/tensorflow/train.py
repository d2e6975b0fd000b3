"""tf.train: checkpoints, examples in record files, and moving averages."""

from __future__ import annotations

from typing import Any

from penstock.tensorflow._names import namespace as _namespace


class CheckpointOptions:
    """Options about how files are written; none of them changes anything here."""

    def __init__(self, **options: Any) -> None:
        self.__dict__.update(options)


__getattr__, __dir__, __all__ = _namespace(
    "tf.train",
    globals(),
    "_averages _checkpoints _coordinator _examples _tracking",
    rest="_views_of_objects",
)
