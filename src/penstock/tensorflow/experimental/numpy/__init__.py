"""tf.experimental.numpy: NumPy's names for functions on tensors, with its dtypes."""

from __future__ import annotations

from penstock.tensorflow._names import namespace as _namespace

_WHERE = "creation elementwise products promotion reductions selection shapes"
__getattr__, __dir__, __all__ = _namespace(
    "tf.experimental.numpy",
    globals(),
    "_numpy.behaviour _numpy.constants " + " ".join(f"_numpy.{one}" for one in _WHERE.split()),
    later={__name__: "random"},
)
