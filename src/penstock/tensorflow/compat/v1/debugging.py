"""tf.debugging of TensorFlow 1: checks, which are operations in a graph."""

from __future__ import annotations

from penstock.tensorflow import debugging as _newer
from penstock.tensorflow._graphs.build import lift as _lift
from penstock.tensorflow._names import namespace as _namespace
from penstock.tensorflow.compat.v1 import _lifted

Assert = _lifted.Assert
is_finite, is_inf, is_nan = _lifted.math.is_finite, _lifted.math.is_inf, _lifted.math.is_nan
is_non_decreasing, is_strictly_increasing = (
    _lifted.math.is_non_decreasing,
    _lifted.math.is_strictly_increasing,
)
check_numerics = _lift(_newer.check_numerics, "CheckNumerics")
assert_same_float_dtype, is_numeric_tensor = _newer.assert_same_float_dtype, _newer.is_numeric_tensor
assert_proper_iterable, assert_shapes = _newer.assert_proper_iterable, _newer.assert_shapes
enable_check_numerics, disable_check_numerics = _newer.enable_check_numerics, _newer.disable_check_numerics
set_log_device_placement = _newer.set_log_device_placement
get_log_device_placement = _newer.get_log_device_placement
enable_traceback_filtering = _newer.enable_traceback_filtering
disable_traceback_filtering = _newer.disable_traceback_filtering
is_traceback_filtering_enabled = _newer.is_traceback_filtering_enabled
__getattr__, __dir__, __all__ = _namespace("tf.compat.v1.debugging", globals(), "compat.v1._checks")
