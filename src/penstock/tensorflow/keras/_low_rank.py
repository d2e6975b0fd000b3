"""Low-rank adaptation: a kernel that stays as it is, plus the product of two small trained matrices."""

from __future__ import annotations

from typing import Any

import numpy as np

import penstock as ps
from penstock.tensorflow._errors import ArgumentError
from penstock.tensorflow.keras._layer import Layer
from penstock.trace.source_site import here
from penstock.trace.tensor import Cell

OF_CLASS = {
    "Conv1D": "kernel",
    "Conv2D": "kernel",
    "Conv3D": "kernel",
    "Dense": "kernel",
    "EinsumDense": "kernel",
    "Embedding": "embeddings",
}
"""The variable of each class of layers that can be adapted."""


class LowRank(Layer):
    """A layer whose kernel can be adapted, also by the options `lora_rank` and `lora_alpha`.

    >>> from penstock import tensorflow as tf
    >>> layer = tf.keras.layers.Dense(2, kernel_initializer="ones", name="head")
    >>> layer.build((None, 3))
    >>> layer.enable_lora(1)
    >>> [variable.path for variable in layer.trainable_variables]
    ['head/bias', 'head/lora_kernel_a', 'head/lora_kernel_b']
    """

    _options_of_its_own = ("lora_rank", "lora_alpha")
    """Options that no `__init__` names."""
    _adapted = "kernel"
    lora_enabled = False
    lora_rank: Any = None
    lora_alpha: Any = None

    def _check_options(self, more: dict[str, Any]) -> None:
        rank, alpha = more.pop("lora_rank", None), more.pop("lora_alpha", None)
        if rank is not None:
            self.lora_rank, self.lora_alpha = rank, rank if alpha is None else alpha
        super()._check_options(more)

    def build(self, input_shape: Any = None) -> None:
        """Makes the variables, and those of the adaptation if the layer was given a rank."""
        was_built = self.built
        super().build(input_shape)
        if self.lora_rank and not was_built:
            self.built = True
            # Keras forgets the `lora_alpha` that Dense and Embedding were given.
            keeps = self._class_of_keras() not in ("Dense", "Embedding")
            self.enable_lora(self.lora_rank, self.lora_alpha if keeps else None)

    def _class_of_keras(self) -> str:
        return next(one.__name__ for one in type(self).__mro__ if one.__name__ in OF_CLASS)

    def enable_lora(
        self, rank: int, lora_alpha: Any = None, a_initializer: Any = "he_uniform",
        b_initializer: Any = "zeros",
    ) -> None:  # fmt: skip
        """Freezes the kernel and adds `lora_alpha / rank` times the product of two matrices to it.

        Args:
            rank: the number of columns of the first matrix, an int.
            lora_alpha: as above; None for `rank`.
            a_initializer: the initializer of the first matrix, or its name.
            b_initializer: the initializer of the second matrix, or its name.

        Raises:
            ArgumentError: if the layer is not built, has a constraint or is adapted already.
        """
        name = self._adapted
        if getattr(self, f"{name}_constraint"):
            self._refuse_lora(
                f"Lora is incompatible with {'kernel' if name == 'kernel' else 'embedding'} constraints. In "
                f"order to enable lora on this layer, remove the `{name}_constraint` argument."
            )
        if not self.built:
            self._refuse_lora("Cannot enable lora on a layer that isn't yet built.")
        if self.lora_enabled:
            self._refuse_lora("lora is already enabled. This can only be done once per layer.")
        frozen = next(one for key, one in self._weights if key == name)
        *before, last = frozen._spec.shape
        for letter, shape, initializer in (
            ("a", (*before, rank), a_initializer), ("b", (rank, last), b_initializer),
        ):  # fmt: skip
            made = self.add_weight(
                shape=shape, initializer=initializer, dtype="float32", autocast=self.autocast,
                regularizer=getattr(self, f"{name}_regularizer"), name=f"lora_{name}_{letter}",
            )  # fmt: skip
            setattr(self, f"lora_{name}_{letter}", made)
        frozen.trainable = False
        delattr(self, name)
        setattr(self, f"_{name}", frozen)
        self.lora_enabled = True
        self.lora_rank, self.lora_alpha = rank, rank if lora_alpha is None else lora_alpha

    def _refuse_lora(self, fact: str) -> None:
        raise ArgumentError(fact, origin=f"{type(self).__name__} {self.name!r}", site=here())

    def __getattr__(self, key: str) -> Any:
        if key == self._adapted and self.__dict__.get("lora_enabled"):
            return self._merged()
        if key == f"_{self._adapted}" and self._adapted in self.__dict__:
            # Keras keeps the variable itself under this name, adapted or not.
            return self.__dict__[self._adapted]
        return super().__getattr__(key)

    def _merged(self) -> Any:
        """Returns the kernel with the product added, in the dtype in which the layer computes."""
        name = self._adapted
        frozen, a, b = (getattr(self, key) for key in (f"_{name}", f"lora_{name}_a", f"lora_{name}_b"))
        made = frozen + (self.lora_alpha / self.lora_rank) * ps.matmul(a, b)
        return made if made._spec.dtype == self._compute else ps.astype(made, self._compute)

    # -- files -----------------------------------------------------------------------------------------------

    def _variables_in_files(self) -> list[Any]:
        """Returns the variables that files keep: the kernel is written with the product added."""
        own = [getattr(self, f"_{self._adapted}"), self.__dict__.get("bias")]
        rest = [one for _, one in self._parts([]) if isinstance(one, Cell)]
        rest = [one for one in rest if not any(one is known for known in (*own, *self._added()))]
        return [one for one in own if one is not None] + rest

    def _added(self) -> list[Any]:
        return [getattr(self, f"lora_{self._adapted}_{letter}") for letter in "ab"]

    def _values_in_files(self) -> list[Any]:
        """Returns what files keep of each of these variables."""
        first, *rest = self._variables_in_files()
        merged = np.asarray(self._merged().numpy()).astype(first._spec.dtype)
        return [merged, *(np.asarray(one.numpy()) for one in rest)]

    def get_config(self) -> dict[str, Any]:
        """Returns, by name, the arguments that make a layer like this one, as Keras writes them."""
        config = super().get_config()
        if not self.lora_rank:
            return config
        return {**config, "lora_rank": self.lora_rank, "lora_alpha": self.lora_alpha}


__all__ = ["OF_CLASS", "LowRank"]
