"""tf.keras.datasets: published data sets, read from files on this machine."""

from __future__ import annotations

from penstock.tensorflow._names import namespace as _namespace

__getattr__, __dir__, __all__ = _namespace(
    "tf.keras.datasets",
    globals(),
    listed={__name__: "boston_housing california_housing cifar10 cifar100 fashion_mnist imdb mnist reuters"},
)
