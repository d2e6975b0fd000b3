"""tf.data: data sets as rows that are shuffled, mapped and put into batches, in NumPy."""

from __future__ import annotations

from penstock.tensorflow._names import namespace as _namespace

__getattr__, __dir__, _public = _namespace(
    "tf.data",
    globals(),
    "_data_experimental _data_options _dataset _kept_data _transformations",
    rest="_data_specs _file_data",
)
