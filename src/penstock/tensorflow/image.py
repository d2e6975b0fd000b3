"""tf.image: sizes, colours and random changes of images."""

from __future__ import annotations

from penstock.tensorflow._names import namespace as _namespace

__getattr__, __dir__, _public = _namespace(
    "tf.image",
    globals(),
    "_colours _image_changes _image_parts _pictures_as_bytes _resizing",
    rest="_bounding_boxes _distorted_boxes _rarer_networks",
)
