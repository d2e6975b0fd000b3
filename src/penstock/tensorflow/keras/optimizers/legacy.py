"""tf.keras.optimizers.legacy: optimizers that Keras 3 refuses, in its words."""

from __future__ import annotations

from typing import Any, NoReturn

from penstock.tensorflow._names import namespace as _namespace


class _Refused:
    """An optimizer of Keras 2, which Keras 3 does not have: making one raises ImportError."""

    def __init__(self, *arguments: Any, **options: Any) -> NoReturn:
        count = len(arguments) + len(options)
        raise ImportError(
            "`keras.optimizers.legacy` is not supported in Keras 3. When using `tf.keras`, to continue using "
            "a `tf.keras.optimizers.legacy` optimizer, you can install the `tf_keras` package (Keras 2) and "
            "set the environment variable `TF_USE_LEGACY_KERAS=True` to configure TensorFlow to use "
            f"`tf_keras` when accessing `tf.keras`.\n{type(self).__name__} was given {count} arguments: "
            f"write tf.keras.optimizers.{type(self).__name__} with the same ones."
        )


class Adagrad(_Refused):
    """Refused, as by Keras 3: write `tf.keras.optimizers.Adagrad`."""


class Adam(_Refused):
    """Refused, as by Keras 3: write `tf.keras.optimizers.Adam`."""


class Ftrl(_Refused):
    """Refused, as by Keras 3: write `tf.keras.optimizers.Ftrl`."""


class RMSprop(_Refused):
    """Refused, as by Keras 3: write `tf.keras.optimizers.RMSprop`."""


class SGD(_Refused):
    """Refused, as by Keras 3: write `tf.keras.optimizers.SGD`."""


class Optimizer(_Refused):
    """Refused, as by Keras 3: write `tf.keras.optimizers.Optimizer`."""


__getattr__, __dir__, __all__ = _namespace("tf.keras.optimizers.legacy", globals())
