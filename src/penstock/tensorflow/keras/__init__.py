"""tf.keras: layers, models, losses, metrics, optimizers and callbacks under Keras 3's names."""

from __future__ import annotations

from penstock.tensorflow._names import namespace as _namespace

__version__ = "3.15.0"
_MODULES = (
    "activations applications backend callbacks config constraints datasets distillation distribution "
    "dtype_policies export initializers layers losses metrics mixed_precision models ops optimizers "
    "preprocessing random regularizers saving tree utils"
)
_INSTEAD = {
    "quantizers": "There is no quantization here: layers compute in the dtypes of floats.",
    "Quantizer": "There is no quantization here: layers compute in the dtypes of floats.",
    "wrappers": "Call fit and predict of the model itself: no class of scikit-learn wraps it here.",
    "visualization": "Draw with matplotlib; tf.image.draw_bounding_boxes draws boxes into images.",
}
__getattr__, __dir__, __all__ = _namespace(
    "tf.keras",
    globals(),
    "keras._functional keras._layer keras._metric keras._variable keras.initializers keras.losses "
    "keras.mixed_precision keras.models keras.optimizers._base keras.regularizers",
    rest="keras._input_spec keras._name_scopes keras._operation keras._stateless",
    listed={__name__: _MODULES},
    instead=_INSTEAD,
)
