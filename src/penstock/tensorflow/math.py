"""tf.math: functions of numbers, reductions, segments and sequences."""

from __future__ import annotations

from typing import Any

from penstock.tensorflow._names import namespace as _namespace

_find, __dir__, _public = _namespace(
    "tf.math",
    globals(),
    "_activations _elementwise _reductions",
    listed={"penstock.tensorflow._rarer_names": "approx_max_k approx_min_k"},
    rest="_layer_functions _ordering _scatter _special",
)
_public += ["special"]


def __getattr__(name: str) -> Any:
    if name == "special":
        from penstock.tensorflow import _special_functions

        return _special_functions
    return _find(name)
