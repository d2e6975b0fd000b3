"""tf.keras.applications.imagenet_utils: pictures as models want them, and the words for their classes."""

from __future__ import annotations

from typing import Any

from penstock.tensorflow._errors import ArgumentError as _ArgumentError
from penstock.tensorflow._names import namespace as _namespace
from penstock.tensorflow.keras.applications import _parts
from penstock.trace.source_site import here as _here


def preprocess_input(x: Any, data_format: str | None = None, mode: str = "caffe") -> Any:
    """Returns pictures of 0 .. 255 as a family of models wants them.

    `mode` is "tf" (-1 .. 1), "torch" (0 .. 1, less the mean of ImageNet, divided by its deviation) or "caffe"
    (blue first, less the mean). An array of floating-point numbers is changed in place, as Keras does. Raises
    ArgumentError for another mode.
    """
    if mode not in ("caffe", "tf", "torch"):
        raise _ArgumentError(
            f"Expected mode to be one of `caffe`, `tf` or `torch`. Received: mode={mode}", site=_here()
        )
    return _parts.prepared(x, mode, data_format)


__getattr__, __dir__, __all__ = _namespace(
    "tf.keras.applications.imagenet_utils", globals(), "keras.applications._parts"
)
