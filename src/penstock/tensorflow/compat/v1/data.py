"""tf.data: data sets, and the iterators that a graph takes their elements from."""

from __future__ import annotations

from penstock.tensorflow import data as _data
from penstock.tensorflow._graphs.iterators import Iterator as Iterator
from penstock.tensorflow._names import namespace as _namespace

for _name in _data.__all__:
    globals()[_name] = getattr(_data, _name)

_missing, __dir__, __all__ = _namespace("tf.compat.v1.data", globals(), "_graphs.iterators")
__all__ += [_name for _name in _data.__all__ if _name not in __all__]
__getattr__ = _missing
