"""tf.keras.preprocessing: what older programs prepare pictures, texts and sequences with."""

from __future__ import annotations

from penstock.tensorflow._names import namespace as _namespace

__getattr__, __dir__, _public = _namespace(
    "tf.keras.preprocessing", globals(), listed={__name__: "image sequence text"}, rest="keras._folders"
)
