"""Layers for categories: whole numbers and words as numbers below a bound, and as rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from penstock.declared import named
from penstock.layers.cloning import arguments_of
from penstock.ops.guards import require_range
from penstock.tensorflow import _elementwise
from penstock.tensorflow._convert import constant, operand
from penstock.tensorflow._errors import ArgumentError
from penstock.tensorflow._fingerprints import crossed, fingerprint, keyed
from penstock.tensorflow._strings import is_text, strings
from penstock.tensorflow.keras._encoded_rows import MODES, encoded, encoded_shape, encoded_tensor, mode_of
from penstock.tensorflow.keras._functional import KerasTensor
from penstock.tensorflow.keras._layer import Layer
from penstock.tensorflow.keras._preparing import Prepares
from penstock.tensorflow.keras._vocabulary_counts import array_of
from penstock.tensorflow.sparse import SparseTensor
from penstock.trace.source_site import here


@named("tf.keras.layers.CategoryEncoding")
class CategoryEncoding(Prepares):
    """Whole numbers as rows: "multi_hot", "one_hot", or "count", where `count_weights` may say how much.

    Raises ArgumentError for weights with another mode, and without `num_tokens`. A number that is not below
    `num_tokens` is left out; a negative one raises `tf.errors.InvalidArgumentError` when the rows are
    computed, except as "one_hot", where it gives a row of zeros.

    >>> from penstock import tensorflow as tf
    >>> tf.keras.layers.CategoryEncoding(4, output_mode="count")([[0, 1], [2, 2]]).numpy().tolist()
    [[1.0, 1.0, 0.0, 0.0], [0.0, 0.0, 2.0, 0.0]]
    """

    def __init__(
        self, num_tokens: Any = None, output_mode: str = "multi_hot", sparse: bool = False, **options: Any
    ) -> None:
        super().__init__(**options)
        self.output_mode = mode_of(self, output_mode, sparse, MODES[1:])
        if num_tokens is None:
            raise ArgumentError("num_tokens must be set to use this layer.", site=here())
        if num_tokens < 1:
            raise ArgumentError(f"`num_tokens` must be >= 1. Received: num_tokens={num_tokens}.", site=here())
        self.num_tokens, self.sparse = num_tokens, bool(sparse)

    def _looks_up(self, given: Any, count_weights: Any = None) -> Any:
        """Returns the result for numbers with only a known shape."""
        made = encoded_tensor(given.shape, self.num_tokens, self.output_mode, self.compute_dtype)
        made.sparse = self.sparse
        return made

    def call(self, inputs: Any, count_weights: Any = None) -> Any:
        """Computes the layer."""
        if count_weights is not None and self.output_mode != "count":
            raise ArgumentError(
                "`count_weights` is not used when `output_mode` is not `'count'`. Received "
                f"`count_weights={count_weights}`.",
                site=here(),
            )
        parts = hasattr(inputs, "_is_sparse") or hasattr(inputs, "nested_row_splits")
        numbers = inputs if parts else operand(inputs)
        if self.output_mode != "one_hot" and not parts and numbers._spec.dtype.kind in "iu":
            most = int(np.iinfo(numbers._spec.dtype).max)
            numbers = require_range(numbers, what="CategoryEncoding: a number", low=0, high=most)
        return encoded(
            numbers, self.num_tokens, self.output_mode, self.compute_dtype, count_weights, self.sparse
        )


class _Hashes(Layer):
    """A layer whose result is computed at once, from words or numbers, as numbers below `num_bins`."""

    num_bins: int
    output_mode: str
    sparse: bool

    def _bounded(self, num_bins: int, output_mode: str, sparse: bool, modes: tuple[str, ...]) -> None:
        if num_bins is None or num_bins <= 0:
            raise ArgumentError(f"{type(self).__name__}: num_bins={num_bins} is not above 0.", site=here())
        self.num_bins, self.sparse = num_bins, sparse
        self.output_mode = mode_of(self, output_mode, sparse and output_mode != "int", modes)

    def _rows(self, numbers: Any) -> Any:
        if self.output_mode == "int":
            return numbers
        return encoded(numbers, self.num_bins, self.output_mode, self.compute_dtype, sparse=self.sparse)


@named("tf.keras.layers.Hashing")
class Hashing(_Hashes):
    """Words or whole numbers as numbers below `num_bins`: the rests of their FarmHash, as in Keras.

    With `salt`, a whole number or two of them, the hash is SipHash under this key. `mask_value` gets the
    number 0, and the others those above it. `output_mode` and `sparse` are those of CategoryEncoding.

    >>> from penstock import tensorflow as tf
    >>> tf.keras.layers.Hashing(num_bins=3)(["A", "B", "C", "D", "E"]).numpy().tolist()
    [1, 0, 1, 1, 2]
    """

    def __init__(
        self,
        num_bins: int,
        mask_value: Any = None,
        salt: Any = None,
        output_mode: str = "int",
        sparse: bool = False,
        **options: Any,
    ) -> None:
        if output_mode == "int" and options.get("dtype") is None:
            options["dtype"] = "int64"
        super().__init__(**options)
        self._bounded(num_bins, output_mode, sparse, MODES)
        self.mask_value = mask_value
        self.salt = [salt, salt] if isinstance(salt, int) else salt

    def _looks_up(self, given: Any) -> Any:
        """Returns the result for inputs with only a known shape."""
        mode = "multi_hot" if self.output_mode != "int" else "int"
        return encoded_tensor(given.shape, self.num_bins, mode, self.compute_dtype)

    def compute_output_shape(self, input_shape: Any, *more: Any, **options: Any) -> Any:
        """Returns the shape of the result for inputs of a shape."""
        if more or options:
            return super().compute_output_shape(input_shape, *more, **options)
        return encoded_shape(input_shape, self.num_bins, "int" if self.output_mode == "int" else "multi_hot")

    def __call__(self, inputs: Any, **options: Any) -> Any:
        """Computes the layer."""
        if isinstance(inputs, KerasTensor):
            return super().__call__(inputs, **options)
        self.built = True
        if isinstance(inputs, SparseTensor):
            return self._rows(SparseTensor(inputs.indices, self._numbers(inputs.values), inputs.dense_shape))
        if hasattr(inputs, "nested_row_splits"):
            return self._rows(inputs.with_flat_values(self._numbers(inputs.flat_values)))
        return self._rows(self._numbers(inputs))

    def _numbers(self, inputs: Any) -> Any:
        array = array_of(inputs)
        array = array.astype(np.int64) if array.dtype.kind == "f" else array
        above = int(self.mask_value is not None and self.num_bins > 1)
        masked = str(self.mask_value).encode() if above else None
        found = []
        for one in array.ravel().tolist():
            word = one if isinstance(one, bytes) else str(one).encode()
            found.append(0 if word == masked else above + self._hash(word) % (self.num_bins - above))
        return constant(np.array(found, np.int64).reshape(array.shape))

    def _hash(self, word: bytes) -> int:
        return fingerprint(word) if self.salt is None else keyed(word, tuple(self.salt))


@named("tf.keras.layers.HashedCrossing")
class HashedCrossing(_Hashes):
    """Several words or whole numbers together as one number below `num_bins`, by their hash, as in Keras.

    The inputs have one shape: `()`, `(batch,)` or `(batch, 1)`. `output_mode` is "int" or "one_hot". Raises
    ArgumentError, a ValueError, for fewer than two inputs, other shapes, and numbers with a fraction.

    >>> from penstock import tensorflow as tf
    >>> layer = tf.keras.layers.HashedCrossing(num_bins=5)
    >>> layer((tf.constant(["A", "B"]), tf.constant([101, 102]))).numpy().tolist()
    [1, 1]
    """

    def __init__(
        self, num_bins: int, output_mode: str = "int", sparse: bool = False, dtype: Any = None, **options: Any
    ) -> None:
        super().__init__(dtype="int64" if dtype is None and output_mode == "int" else dtype, **options)
        self._bounded(num_bins, output_mode, sparse, MODES[:2])

    def get_config(self) -> dict[str, Any]:
        """Returns, by name, the arguments that recreate this layer."""
        config = {**arguments_of(self), **super().get_config(), "dtype": self.dtype}
        return {key: config[key] for key in ("name", "dtype", "num_bins", "output_mode", "sparse")}

    def _looks_up(self, given: Any) -> Any:
        """Returns the result for inputs with only a known shape."""
        return encoded_tensor(given[0].shape, self.num_bins, self.output_mode, self.compute_dtype)

    def compute_output_shape(self, input_shape: Any, *more: Any, **options: Any) -> Any:
        """Returns the shape of the result for inputs of these shapes."""
        if more or options:
            return super().compute_output_shape(input_shape, *more, **options)
        return encoded_shape(input_shape[0], self.num_bins, self.output_mode)

    def __call__(self, inputs: Any, **options: Any) -> Any:
        """Computes the layer."""
        if not isinstance(inputs, list | tuple) or len(inputs) < 2:
            raise ArgumentError(
                f"`HashedCrossing` should be called on a list of at least two inputs. Received: {inputs}",
                site=here(),
            )
        if any(isinstance(one, KerasTensor) for one in inputs):
            return super().__call__(inputs, **options)
        self.built = True
        arrays = self._checked(inputs)
        columns = [
            [fingerprint(one) if isinstance(one, bytes) else one for one in array.ravel().tolist()]
            for array in arrays
        ]
        found = [crossed(row) % self.num_bins for row in zip(*columns, strict=True)]
        numbers = constant(np.array(found, np.int64).reshape(arrays[0].shape))
        if self.output_mode == "int":
            return _elementwise.cast(numbers, self.compute_dtype)
        return self._rows(numbers)

    def _checked(self, inputs: Sequence[Any]) -> list[Any]:
        if any(hasattr(one, "_is_sparse") or hasattr(one, "nested_row_splits") for one in inputs):
            raise ArgumentError("All `HashedCrossing` inputs should be dense tensors.", site=here())
        arrays = [np.asarray(strings(one)) if is_text(one) else array_of(one) for one in inputs]
        shape = arrays[0].shape
        for array in arrays:
            if array.dtype.kind not in "iuO":
                raise ArgumentError(
                    "All `HashedCrossing` inputs should have an integer or string dtype. Received: "
                    f"{array.dtype}",
                    site=here(),
                )
            if array.shape != shape or len(shape) > 2 or (len(shape) == 2 and shape[-1] != 1):
                raise ArgumentError(
                    "All `HashedCrossing` inputs should have one shape: `()`, `(batch_size,)` or "
                    f"`(batch_size, 1)`. Received: {', '.join(str(one.shape) for one in arrays)}",
                    site=here(),
                )
        return arrays
