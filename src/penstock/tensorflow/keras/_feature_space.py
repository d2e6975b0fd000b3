"""Tables of features as one input of a model: each column prepared in its own way, and some crossed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from penstock.declared import named
from penstock.tensorflow import _arrays
from penstock.tensorflow._convert import constant
from penstock.tensorflow._errors import ArgumentError
from penstock.tensorflow._strings import StringTensor, is_text, strings
from penstock.tensorflow.keras import layers
from penstock.tensorflow.keras._automatic_names import automatic_name
from penstock.tensorflow.keras._functional import Input, KerasTensor
from penstock.tensorflow.keras._layer import Layer
from penstock.tensorflow.keras._serial import UNNAMED, deserialize_keras_object, serialize_keras_object
from penstock.trace.source_site import here
from penstock.trace.tensor import Tensor

UNNAMED[__name__] = "keras.src.layers.preprocessing.feature_space"


class Cross:
    """Several features together as one; `name` is that of theirs."""

    def __init__(self, feature_names: Any, crossing_dim: int, output_mode: str = "one_hot") -> None:
        _check("output_mode", output_mode, ("int", "one_hot"))
        self.feature_names, self.crossing_dim = tuple(feature_names), crossing_dim
        self.output_mode, self.name = output_mode, "_X_".join(feature_names)

    def get_config(self) -> dict[str, Any]:
        """Returns, by name, the arguments that recreate it."""
        names = list(self.feature_names)
        return {"feature_names": names, "crossing_dim": self.crossing_dim, "output_mode": self.output_mode}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Cross:
        """Returns a crossing with these arguments."""
        return cls(**config)


class Feature:
    """A column: its dtype, the layer that prepares it, and how the result is encoded."""

    def __init__(self, dtype: str, preprocessor: Any, output_mode: str) -> None:
        _check("output_mode", output_mode, ("int", "one_hot", "float"))
        self.dtype, self.preprocessor, self.output_mode = dtype, preprocessor, output_mode

    def get_config(self) -> dict[str, Any]:
        """Returns, by name, the arguments that recreate it."""
        return {"dtype": self.dtype, "preprocessor": self.preprocessor, "output_mode": self.output_mode}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Feature:
        """Returns a feature with these arguments."""
        return cls(**config)


def _check(name: str, value: Any, known: tuple[str, ...]) -> None:
    if value not in known:
        raise ArgumentError(
            f"Invalid value for argument `{name}`. Expected one of {', '.join(map(repr, known))}. Received: "
            f"{name}={value!r}",
            site=here(),
        )


class TFDIdentity(Layer):
    """A column as it is."""

    def call(self, x: Any) -> Any:
        """Returns the argument."""
        return x


def _prepared(
    kind: str, column: str, output_mode: str, layer: Callable[..., Any], name: Any, **more: Any
) -> Feature:
    own = name or automatic_name(kind)
    return Feature(column, layer(name=f"{own}_preprocessor", **more), output_mode)


@named("tf.keras.utils.FeatureSpace")
class FeatureSpace(Layer):
    """A table of features, given as a dictionary of columns, as one tensor or a dictionary of them.

    `features` says how each column is prepared: a word such as "float_normalized", or the result of a method
    such as `FeatureSpace.string_categorical(max_tokens=10)`. `crosses` are groups of features that are
    prepared together, too. `adapt` takes what the layers need from a data set of dictionaries; then the space
    is called with a dictionary of values or of batches. `get_inputs` and `get_encoded_features` are the
    symbolic tensors for a model. Raises ArgumentError, a ValueError, for unknown words, for features whose
    result is not encoded where `output_mode="concat"` puts them together, and for a call before `adapt`.

    >>> from penstock import tensorflow as tf
    >>> space = tf.keras.utils.FeatureSpace({"size": "float_normalized", "kind": "string_categorical"})
    >>> space.adapt({"size": [1.0, 3.0], "kind": ["a", "b"]})
    >>> space({"size": 3.0, "kind": "a"}).numpy().tolist()
    [0.0, 0.0, 1.0, 1.0]
    """

    def __init__(
        self,
        features: Any,
        output_mode: str = "concat",
        crosses: Any = None,
        crossing_dim: int = 32,
        hashing_dim: int = 32,
        num_discretization_bins: int = 32,
        name: Any = None,
    ) -> None:
        super().__init__(name=name)
        if not features:
            raise ArgumentError("The `features` argument cannot be None or empty.", site=here())
        _check("output_mode", output_mode, ("dict", "concat"))
        self.crossing_dim, self.hashing_dim, self.output_mode = crossing_dim, hashing_dim, output_mode
        self.num_discretization_bins = num_discretization_bins
        self.features = {key: self._feature(key, one) for key, one in features.items()}
        self.crosses = [self._cross(one) for one in crosses or ()]
        self.inputs = {key: Input((1,), dtype=one.dtype, name=key) for key, one in self.features.items()}
        self.preprocessors = {key: one.preprocessor for key, one in self.features.items()}
        self.crossers = {
            one.name: layers.HashedCrossing(one.crossing_dim, name=one.name) for one in self.crosses
        }
        self.one_hot_encoders: dict[str, Any] = {}
        self.encoded_features: Any = None
        self._is_adapted = False

    # -- kinds of features -----------------------------------------------------------------------------------

    @classmethod
    def cross(cls, feature_names: Any, crossing_dim: int, output_mode: str = "one_hot") -> Cross:
        """Returns several features together as one."""
        return Cross(feature_names, crossing_dim, output_mode)

    @classmethod
    def feature(cls, dtype: str, preprocessor: Any, output_mode: str) -> Feature:
        """Returns a feature that a layer of the user's prepares."""
        return Feature(dtype, preprocessor, output_mode)

    @classmethod
    def float(cls, name: Any = None) -> Feature:
        """Returns numbers as they are."""
        return _prepared("float", "float32", "float", TFDIdentity, name, dtype="float32")

    @classmethod
    def float_rescaled(cls, scale: Any = 1.0, offset: Any = 0.0, name: Any = None) -> Feature:
        """Returns numbers times `scale` plus `offset`."""
        more = {"scale": scale, "offset": offset}
        return _prepared("float_rescaled", "float32", "float", layers.Rescaling, name, **more)

    @classmethod
    def float_normalized(cls, name: Any = None) -> Feature:
        """Returns numbers less their mean, divided by their deviation."""
        return _prepared("float_normalized", "float32", "float", layers.Normalization, name, axis=-1)

    @classmethod
    def float_discretized(
        cls, num_bins: Any, bin_boundaries: Any = None, output_mode: str = "one_hot", name: Any = None
    ) -> Feature:
        """Returns numbers as those of the bins they lie in."""
        more = {"bin_boundaries": bin_boundaries} if bin_boundaries is not None else {"num_bins": num_bins}
        return _prepared("float_discretized", "float32", output_mode, layers.Discretization, name, **more)

    @classmethod
    def integer_categorical(
        cls, max_tokens: Any = None, num_oov_indices: int = 1, output_mode: str = "one_hot", name: Any = None
    ) -> Feature:
        """Returns whole numbers as those of their places in a vocabulary."""
        more = {"max_tokens": max_tokens, "num_oov_indices": num_oov_indices}
        return _prepared("integer_categorical", "int32", output_mode, layers.IntegerLookup, name, **more)

    @classmethod
    def string_categorical(
        cls, max_tokens: Any = None, num_oov_indices: int = 1, output_mode: str = "one_hot", name: Any = None
    ) -> Feature:
        """Returns words as the numbers of their places in a vocabulary."""
        more = {"max_tokens": max_tokens, "num_oov_indices": num_oov_indices}
        return _prepared("string_categorical", "string", output_mode, layers.StringLookup, name, **more)

    @classmethod
    def string_hashed(cls, num_bins: int, output_mode: str = "one_hot", name: Any = None) -> Feature:
        """Returns words as numbers below `num_bins`."""
        return _prepared("string_hashed", "string", output_mode, layers.Hashing, name, num_bins=num_bins)

    @classmethod
    def integer_hashed(cls, num_bins: int, output_mode: str = "one_hot", name: Any = None) -> Feature:
        """Returns whole numbers as numbers below `num_bins`."""
        return _prepared("integer_hashed", "int32", output_mode, layers.Hashing, name, num_bins=num_bins)

    def _feature(self, name: str, given: Any) -> Feature:
        if isinstance(given, dict):
            return deserialize_keras_object(given)  # type: ignore[no-any-return]
        if isinstance(given, Feature):
            return given
        more: dict[str, tuple[Any, ...]] = {
            "float": (), "float_normalized": (), "float_rescaled": (), "integer_categorical": (),
            "string_categorical": (), "float_discretized": (self.num_discretization_bins,),
            "integer_hashed": (self.hashing_dim,), "string_hashed": (self.hashing_dim,),
        }  # fmt: skip
        if given not in more:
            raise ArgumentError(f"Invalid feature type: {given!r}", site=here())
        made: Feature = getattr(self, given)(*more[given], name=name)
        return made

    def _cross(self, given: Any) -> Cross:
        if isinstance(given, dict):
            return deserialize_keras_object(given)  # type: ignore[no-any-return]
        if isinstance(given, Cross):
            return given
        unknown = [one for one in given if one not in self.features]
        if unknown or not self.crossing_dim:
            raise ArgumentError(
                f"`crosses` names {', '.join(map(repr, unknown)) or given}, and the features are "
                f"{', '.join(map(repr, self.features))}; crossing_dim={self.crossing_dim}.",
                site=here(),
            )
        return Cross(given, self.crossing_dim)

    # -- preparing -------------------------------------------------------------------------------------------

    def _list_adaptable_preprocessors(self) -> list[str]:
        """Returns the names of the features whose layers need data."""
        found = []
        for name, layer in self.preprocessors.items():
            given = getattr(layer, "input_mean", None) is not None or (
                isinstance(layer, layers.TextVectorization) and layer._has_input_vocabulary
            )
            if hasattr(layer, "adapt") and not given:
                found.append(name)
        return found

    def adapt(self, dataset: Any) -> None:
        """Takes what the layers need from a data set of dictionaries, or from a dictionary of columns."""
        from penstock.tensorflow._dataset import Dataset

        if isinstance(dataset, dict):
            dataset = Dataset.from_tensor_slices(dataset)
        if not isinstance(dataset, Dataset):
            raise ArgumentError(
                "`adapt()` can only be called on a tf.data.Dataset or a dict of arrays/lists. Received "
                f"instead: {dataset} (of type {type(dataset)})",
                site=here(),
            )
        for name in self._list_adaptable_preprocessors():
            column = [one[name] for one in dataset]
            if column and len(column[0].shape) == 0:
                column = [_batch(column[at : at + 32]) for at in range(0, len(column), 32)]
            self.preprocessors[name].adapt(iter([_column(one) for one in column]))
        self._is_adapted = True
        self.get_encoded_features()

    def get_inputs(self) -> dict[str, Any]:
        """Returns the symbolic tensors of the columns, by name."""
        self._check_adapted()
        return self.inputs

    def get_encoded_features(self) -> Any:
        """Returns the symbolic tensors of the encoded features."""
        if self.encoded_features is None:
            self._check_adapted()
            self.encoded_features = self._encoded(self.inputs)
            self.built = True
        return self.encoded_features

    def _check_adapted(self) -> None:
        if not self._is_adapted and self._list_adaptable_preprocessors():
            raise ArgumentError(
                "You need to call `.adapt(dataset)` on the FeatureSpace before you can start using it.",
                site=here(),
            )
        self._is_adapted = True

    def _encoded(self, columns: dict[str, Any]) -> Any:
        prepared = {key: self.preprocessors[key](columns[key]) for key in columns}
        crossed = {one.name: self.crossers[one.name]([prepared[key] for key in one.feature_names])
                   for one in self.crosses}  # fmt: skip
        modes = {one.name: one.output_mode for one in self.crosses}
        modes.update({key: one.output_mode for key, one in self.features.items()})
        made = {
            key: self._in_rows(key, one) if modes[key] == "one_hot" else one
            for group in (prepared, crossed)
            for key, one in sorted(group.items())
        }
        if self.output_mode == "dict":
            return made
        for key, one in made.items():
            if modes[key] == "int" or str(getattr(one.dtype, "name", one.dtype)) == "string":
                raise ArgumentError(
                    f"Cannot concatenate features because feature {key!r} has not been encoded.",
                    remedy="Use output_mode='dict', or output_mode='one_hot' for the feature.",
                    site=here(),
                )
        parts = list(made.values())
        if isinstance(parts[0], KerasTensor):
            return layers.Concatenate(axis=-1)(parts) if len(parts) > 1 else parts[0]
        return _arrays.concat([_as_floats(one) for one in parts], -1)

    def _in_rows(self, name: str, numbers: Any) -> Any:
        if name not in self.one_hot_encoders:
            layer = self.preprocessors.get(name) or self.crossers[name]
            count = layer.vocabulary_size() if hasattr(layer, "vocabulary_size") else (
                getattr(layer, "num_bins", None) or _bins(layer))  # fmt: skip
            if count is None:
                raise ArgumentError(
                    f"Feature {name!r} has `output_mode='one_hot'`, and how many numbers {layer.name!r} "
                    "gives is not known.",
                    remedy="Use output_mode='int', or 'float' for rows of numbers.",
                    site=here(),
                )
            self.one_hot_encoders[name] = layers.CategoryEncoding(count, output_mode="multi_hot")
        return self.one_hot_encoders[name](numbers)

    def __call__(self, data: Any) -> Any:
        """Returns the encoded features of a dictionary of values, or of batches of them."""
        self.get_encoded_features()
        if not isinstance(data, dict):
            raise ArgumentError(
                f"A FeatureSpace can only be called with a dict. Received: data={data} (of type "
                f"{type(data)})",
                site=here(),
            )
        given = {key: _given(one) for key, one in data.items()}
        alone = any(len(one.shape) == 0 for one in given.values())
        made = self._encoded({key: _column(one) for key, one in given.items()})
        if not alone:
            return made
        return {key: one[0] for key, one in made.items()} if isinstance(made, dict) else made[0]

    def save(self, filepath: Any) -> None:
        """Writes the space with all that it has taken from data, as a .keras file."""
        from penstock.tensorflow.keras import _archives

        _archives.write_model(self, filepath, True, serialize_keras_object(self))

    def _parts_built(self) -> dict[str, Any]:
        """Returns for what shapes the layers of the features are built, as Keras writes them."""
        return {key: {"input_shape": [None, 1]} for key in self.features}

    def save_own_variables(self, store: Any) -> None:
        """Writes nothing: the layers of the features write what they have."""

    def load_own_variables(self, store: Any) -> None:
        """Notes that the layers of the features get what they need from the file; `store` does nothing."""
        self._is_adapted = True

    def get_config(self) -> dict[str, Any]:
        """Returns, by name, the arguments that recreate this layer."""
        return {
            "features": dict(self.features),
            "output_mode": self.output_mode, "crosses": list(self.crosses),
            "crossing_dim": self.crossing_dim, "hashing_dim": self.hashing_dim,
            "num_discretization_bins": self.num_discretization_bins, "name": self.name,
        }  # fmt: skip


def _bins(layer: Any) -> Any:
    bounds = getattr(layer, "bin_boundaries", None)
    return getattr(layer, "num_tokens", None) if bounds is None else len(bounds) + 1


def _given(value: Any) -> Any:
    if hasattr(value, "shape") and not isinstance(value, np.ndarray):
        return value
    return strings(value) if is_text(value) else constant(value)


def _batch(rows: list[Any]) -> Any:
    if isinstance(rows[0], StringTensor):
        return StringTensor(np.array([one.numpy() for one in rows], object))
    return constant(np.stack([np.asarray(one.numpy()) for one in rows]))


def _column(value: Any) -> Any:
    """Returns values with an axis for the feature, and one for the batch."""
    if len(value.shape) >= 2:
        return value
    if isinstance(value, StringTensor):
        return StringTensor(np.asarray(value).reshape(-1, 1))
    return _arrays.reshape(value, (-1, 1))


def _as_floats(value: Any) -> Any:
    from penstock.tensorflow import _elementwise

    return value if not isinstance(value, Tensor) else _elementwise.cast(value, "float32")
