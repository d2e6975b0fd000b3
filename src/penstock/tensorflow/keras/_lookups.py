"""Vocabularies: words or whole numbers as those of their places, and back."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from penstock.declared import named
from penstock.errors import PenstockError
from penstock.layers.cloning import arguments_of
from penstock.tensorflow import _elementwise
from penstock.tensorflow._convert import constant
from penstock.tensorflow._errors import ArgumentError
from penstock.tensorflow._fingerprints import fingerprint, keyed
from penstock.tensorflow._strings import StringTensor, is_text, strings
from penstock.tensorflow.keras._encoded_rows import encoded, encoded_shape, mode_of
from penstock.tensorflow.keras._functional import KerasTensor
from penstock.tensorflow.keras._layer import Layer
from penstock.tensorflow.keras._vocabulary_counts import Counts, samples
from penstock.tensorflow.sparse import SparseTensor, to_dense
from penstock.trace.source_site import here

_METHODS = ("floormod", "farmhash")
_MODES = ("int", "one_hot", "multi_hot", "count", "tf_idf")


class VocabularyError(PenstockError, RuntimeError):
    """A vocabulary that a layer needs and does not have, or whose size changes too late."""


class Lookup(Layer):
    """Words or numbers as those of their places in a vocabulary."""

    _text = True

    def __init__(
        self,
        max_tokens: Any = None,
        num_oov_indices: int = 1,
        mask_token: Any = None,
        oov_token: Any = "[UNK]",
        vocabulary: Any = None,
        idf_weights: Any = None,
        invert: bool = False,
        output_mode: str = "int",
        pad_to_max_tokens: bool = False,
        sparse: bool = False,
        encoding: str = "utf-8",
        salt: Any = None,
        oov_method: str = "floormod",
        vocabulary_size: int | None = None,
        has_input_vocabulary: bool | None = None,
        **options: Any,
    ) -> None:
        super().__init__(**options)
        self.output_mode = mode_of(self, output_mode, sparse, _MODES)
        self.max_tokens, self.num_oov_indices, self.mask_token = max_tokens, num_oov_indices, mask_token
        self.oov_token, self.invert, self.sparse = oov_token, invert, sparse
        self.pad_to_max_tokens, self.encoding, self.oov_method = pad_to_max_tokens, encoding, oov_method
        self.salt = [salt, salt] if isinstance(salt, int) else salt
        self._has_input_vocabulary = vocabulary is not None if has_input_vocabulary is None else (
            has_input_vocabulary)  # fmt: skip
        self._refuse_together(vocabulary, idf_weights)
        self._size = vocabulary_size
        self._idf: Any = None
        self._tokens: list[Any] = []
        self._numbers: dict[Any, int] = {}
        self._counts = Counts()
        if vocabulary is not None:
            self.set_vocabulary(vocabulary, idf_weights)

    def _refuse_together(self, vocabulary: Any, idf_weights: Any) -> None:
        """Raises ArgumentError for arguments that contradict each other."""
        weighted = self.output_mode == "tf_idf"
        limits = self.max_tokens, self.num_oov_indices
        for wrong, said in (
            (limits[0] is not None and limits[0] <= 1, f"max_tokens={limits[0]} is not above 1"),
            (self.pad_to_max_tokens and limits[0] is None, "pad_to_max_tokens=True needs max_tokens"),
            (limits[1] < 0, f"num_oov_indices={limits[1]} is below 0"),
            (self.invert and self.output_mode != "int", "invert=True needs output_mode='int'"),
            (self.oov_method not in _METHODS, f"oov_method={self.oov_method!r} is none of {_METHODS}"),
            (
                self.salt is not None and not self._text and self.oov_method != "farmhash",
                "salt needs oov_method='farmhash'",
            ),
            (idf_weights is not None and not weighted, "idf_weights need output_mode='tf_idf'"),
            (
                weighted and idf_weights is None and vocabulary is not None,
                "a vocabulary needs idf_weights with output_mode='tf_idf'",
            ),
            (weighted and self.sparse, "sparse=True is not taken with output_mode='tf_idf'"),
        ):
            if wrong:
                raise ArgumentError(f"{type(self).__name__}: {said}.", site=here())

    @property
    def _first_oov(self) -> int:
        return int(self.mask_token is not None and self.output_mode == "int")

    @property
    def _offset(self) -> int:
        """How many numbers stand for padding and unknown words, before those of the vocabulary."""
        return self._first_oov + self.num_oov_indices

    def _token(self, one: Any) -> Any:
        if self._text:
            return one.decode(self.encoding) if isinstance(one, bytes) else str(one)
        return int(one)

    # -- the vocabulary --------------------------------------------------------------------------------------

    def set_vocabulary(self, vocabulary: Any, idf_weights: Any = None) -> None:
        """Takes words, the most frequent first; or a file with one in each line.

        The tokens for padding and unknown words may come first. With `output_mode="tf_idf"`, each word has a
        weight. Raises ArgumentError for a file that is not there, for words that are there twice, for the
        token of padding among the words, and for too many.
        """
        if (idf_weights is None) == (self.output_mode == "tf_idf"):
            what = "needs" if idf_weights is None else "takes no"
            raise ArgumentError(
                f"{type(self).__name__}: output_mode={self.output_mode!r} {what} idf_weights.", site=here()
            )
        given = self._from_file(vocabulary) if isinstance(vocabulary, str) else vocabulary
        array = np.asarray(strings(given)) if is_text(given) else np.asarray(given)
        tokens = [self._token(one) for one in array.ravel().tolist()]
        special = [self.mask_token] * self._first_oov + [self.oov_token] * self.num_oov_indices
        complete = tokens[: self._offset] == special
        weights = None if idf_weights is None else self._of_all(idf_weights, len(tokens), complete)
        tokens = tokens[self._offset :] if complete else tokens
        self._refuse_tokens(tokens, array.size)
        self._keep(tokens)
        self._idf = weights

    def _from_file(self, path: str) -> list[str]:
        if not os.path.isfile(path):
            raise ArgumentError(f"Vocabulary file {path} does not exist.", site=here())
        with open(path, encoding=self.encoding) as file:
            return file.read().splitlines()

    def _refuse_tokens(self, tokens: list[Any], size: int) -> None:
        if not size:
            raise ArgumentError("Cannot set an empty vocabulary.", site=here())
        if len(set(tokens)) < len(tokens):
            twice = sorted({str(one) for one in tokens if tokens.count(one) > 1})
            raise ArgumentError(
                "The passed vocabulary has at least one repeated term. Please uniquify your dataset. The "
                f"repeated terms are: {twice}",
                site=here(),
            )
        reserved = [self.mask_token, *([self.oov_token] if self.invert else [])]
        found = next((one for one in reserved if one is not None and one in tokens), None)
        if found is not None:
            raise ArgumentError(
                f"Found the reserved token {found!r} at an unexpected location in `vocabulary`.",
                why="Tokens for padding and for unknown words come first, all of them, or are left out.",
                site=here(),
            )
        if self.max_tokens is not None and self._offset + len(tokens) > self.max_tokens:
            raise ArgumentError(
                "Attempted to set a vocabulary larger than the maximum vocab size. Received vocabulary size "
                f"is {self._offset + len(tokens)}; `max_tokens` is {self.max_tokens}.",
                site=here(),
            )

    def _of_all(self, given: Any, count: int, complete: bool) -> Any:
        """Returns the weights of all the numbers, also of those that stand for unknown words."""
        weights = np.asarray(given, np.float32).ravel()
        if len(weights) != count:
            raise ArgumentError(
                f"`idf_weights` must be the same length as vocabulary. len(idf_weights) is {len(weights)}; "
                f"len(vocabulary) is {count}",
                site=here(),
            )
        if not complete:
            weights = np.concatenate([np.full(self._offset, np.average(weights)), weights])
        return self._padded(weights)

    def _padded(self, weights: Any) -> Any:
        more = self.max_tokens - len(weights) if self.pad_to_max_tokens else 0
        return np.pad(weights, (0, more)).astype(np.float32)

    def _keep(self, tokens: list[Any]) -> None:
        size = len(tokens) + self._offset
        fixed = self.output_mode != "int" and not self.pad_to_max_tokens
        if fixed and self._size is not None and self._size != size:
            raise VocabularyError(
                f"{type(self).__name__} {self.name!r}: the vocabulary has {size} entries, and had "
                f"{self._size}.",
                why=f"With output_mode={self.output_mode!r} this is the length of the rows.",
                remedy="Make a new layer, or set max_tokens= and pad_to_max_tokens=True.",
                site=here(),
            )
        self._size, self._tokens = size, tokens
        self._numbers = {one: number + self._offset for number, one in enumerate(tokens)}

    def get_vocabulary(self, include_special_tokens: bool = True) -> list[Any]:
        """Returns the vocabulary, with what stands for padding and for unknown words."""
        special = []
        if include_special_tokens:
            special = [self.mask_token] * self._first_oov + [self.oov_token] * self.num_oov_indices
        # Keras holds them in an array of NumPy.
        return [*special, *(np.str_(one) if isinstance(one, str) else np.int64(one) for one in self._tokens)]

    def vocabulary_size(self) -> int:
        """Returns the length of the vocabulary, with what stands for padding and for unknown words."""
        return len(self._tokens) + self._offset

    # -- the vocabulary of data ------------------------------------------------------------------------------

    def adapt(self, data: Any, batch_size: Any = None, steps: Any = None) -> None:
        """Takes the vocabulary from data: the most frequent first, ties in reverse order.

        `data` is an array, a tensor, or a data set of batches, of which `steps` are read if it is given.
        `batch_size` does nothing: all the data is read. Raises ArgumentError if a vocabulary was given.
        """
        self.reset_state()
        for array in samples(data, steps):
            self.update_state(array)
        self.finalize_state()

    def update_state(self, data: Any) -> None:
        """Counts the words of a batch. One axis is one sample, and so are the rows of two."""
        if self._has_input_vocabulary:
            raise ArgumentError(
                f"Cannot adapt layer {self.name!r} after setting a static vocabulary via `vocabulary` "
                "argument or `set_vocabulary()` method.",
                site=here(),
            )
        self._counts.add(self._split_up(data), self._token)

    def _split_up(self, data: Any) -> Any:
        """Returns data with the words that it consists of."""
        return data

    def finalize_state(self) -> None:
        """Takes the vocabulary from the words that have been counted; leaves it if there are none."""
        if self._counts.tokens:
            kept = None if not self.max_tokens else max(0, self.max_tokens - self._offset)
            tokens = self._counts.ordered({self.mask_token, self.oov_token})[:kept]
            self._keep(tokens)
            if self.output_mode == "tf_idf":
                weights = self._counts.weights(tokens)
                self._idf = self._padded(np.concatenate([np.full(self._offset, weights.mean()), weights]))
        self.reset_state()

    def reset_state(self) -> None:
        """Forgets the words that have been counted; the vocabulary remains."""
        self._counts = Counts()

    # -- looking up ------------------------------------------------------------------------------------------

    def _width(self) -> int:
        width = self.max_tokens if self.pad_to_max_tokens else self._size
        if width is None:
            raise VocabularyError(
                f"{type(self).__name__} {self.name!r} has no vocabulary, which is the length of the rows of "
                f"output_mode={self.output_mode!r}.",
                remedy="Call adapt(data) first, or give vocabulary=.",
                site=here(),
            )
        return int(width)

    def _known(self, token: Any) -> int:
        if self.mask_token is not None and token == self.mask_token:
            # Padding counts for nothing in a row.
            return 0 if self.output_mode == "int" else -1
        number = self._numbers.get(token)
        return self._unknown(token) if number is None else number

    def _unknown(self, token: Any) -> int:
        if self.num_oov_indices == 1:
            return self._first_oov
        if not self.num_oov_indices:
            raise ArgumentError(
                f"When `num_oov_indices=0` all inputs should be in vocabulary, found OOV value {token!r}.",
                remedy="Set num_oov_indices=1.",
                site=here(),
            )
        if not self._text and self.oov_method == "floormod":
            return int(self._first_oov + token % self.num_oov_indices)
        word = str(token).encode(self.encoding)
        found = fingerprint(word) if self.salt is None else keyed(word, tuple(self.salt))
        return self._first_oov + found % self.num_oov_indices

    def __call__(self, *inputs: Any, **options: Any) -> Any:
        """Looks the inputs up."""
        (given,) = inputs
        if isinstance(given, KerasTensor):
            return super().__call__(*inputs, **options)
        self.built = True
        return self.call(given)

    def _looks_up(self, given: Any) -> Any:
        """Returns the result for inputs with only a known shape."""
        if self.invert:
            return KerasTensor(given.shape, "string" if self._text else "int64")
        # As in Keras, the symbolic tensor of rows has the dtype of numbers, and the rows are whole numbers.
        dtype = "int64" if self.output_mode == "int" else "float32"
        return KerasTensor(self.compute_output_shape(given.shape), dtype)

    def compute_output_shape(self, input_shape: Any, *more: Any, **options: Any) -> Any:
        """Returns the shape of the result for inputs of a shape."""
        if more or options:
            return super().compute_output_shape(input_shape, *more, **options)
        width = None if self.output_mode == "int" else self._width()
        return encoded_shape(input_shape, width, self.output_mode)

    def call(self, inputs: Any) -> Any:
        """Looks the inputs up."""
        if isinstance(inputs, SparseTensor):
            found: Any = SparseTensor(inputs.indices, self._places(inputs.values), inputs.dense_shape)
            if self.output_mode != "int":
                return self._rows(found)
            # As in Keras, words remain where they are, and whole numbers are filled up with zeros.
            return found if self._text else to_dense(found)
        if hasattr(inputs, "nested_row_splits"):
            found = inputs.with_flat_values(self._places(inputs.flat_values))
        else:
            found = self._places(inputs)
        return found if self.invert or self.output_mode == "int" else self._rows(found)

    def _places(self, given: Any) -> Any:
        if self.invert:
            return self._words_of(np.asarray(given.numpy() if hasattr(given, "numpy") else given))
        array = np.asarray(strings(given)) if self._text else np.asarray(
            given.numpy() if hasattr(given, "numpy") else given)  # fmt: skip
        flat = array.ravel().tolist()
        known = {one: self._known(self._token(one)) for one in set(flat)}
        numbers = [known[one] for one in flat]
        return constant(np.array(numbers, np.int64).reshape(array.shape))

    def _words_of(self, numbers: Any) -> Any:
        every = self.get_vocabulary()
        flat = [every[n] if 0 <= n < len(every) else self.oov_token for n in numbers.ravel().tolist()]
        if not self._text:
            return constant(np.array(flat, np.int64).reshape(numbers.shape))
        made = np.empty(numbers.size, object)
        made[:] = flat
        return StringTensor(made.reshape(numbers.shape))

    def _rows(self, numbers: Any) -> Any:
        if self.output_mode != "tf_idf":
            return encoded(numbers, self._width(), self.output_mode, "int64", sparse=self.sparse)
        counted = encoded(numbers, self._width(), "count", "int64")
        return _elementwise.cast(counted, "float32") * constant(self._idf)

    # -- files -----------------------------------------------------------------------------------------------

    def get_config(self) -> dict[str, Any]:
        """Returns, by name, the arguments that recreate this layer."""
        config = {**arguments_of(self), **super().get_config()}
        config.pop("has_input_vocabulary", None)
        for name in ("vocabulary", "idf_weights"):
            config[name] = _listed(config.get(name))
        if "salt" in config:
            config["salt"] = self.salt
        return {**config, "vocabulary_size": self._size}

    def save_own_variables(self, store: Any) -> None:
        """Writes the weights of words."""
        if self.output_mode == "tf_idf" and self._idf is not None:
            store["idf_weights"] = self._idf

    def load_own_variables(self, store: Any) -> None:
        """Takes the weights of words from a file."""
        if self.output_mode == "tf_idf" and store is not None and "idf_weights" in store:
            self._idf = np.asarray(store["idf_weights"], np.float32)

    def save_assets(self, inner_path: str) -> None:
        """Writes the vocabulary to a folder, unless it was an argument."""
        if not self._has_input_vocabulary or isinstance(arguments_of(self)["vocabulary"], str):
            with open(os.path.join(inner_path, "vocabulary.txt"), "w", encoding="utf-8") as file:
                file.write("\n".join(str(one) for one in self.get_vocabulary()))

    def load_assets(self, inner_path: str) -> None:
        """Takes the vocabulary from a folder."""
        path = os.path.join(inner_path, "vocabulary.txt")
        if self._tokens or not os.path.isfile(path):
            return
        with open(path, encoding="utf-8") as file:
            lines = file.read().split("\n")
        self._keep([self._token(one) for one in lines[self._offset :] if one])


def _listed(value: Any) -> Any:
    """Returns a vocabulary as a list; None for that of a file, which is kept beside the configuration."""
    if value is None or isinstance(value, str):
        return None
    array = np.asarray(strings(value)) if is_text(value) else np.asarray(value)
    return [one.decode() if isinstance(one, bytes) else one for one in array.tolist()]


@named("tf.keras.layers.StringLookup")
class StringLookup(Lookup):
    """Words as the numbers of their places in a vocabulary; 0 stands for unknown words.

    With several `num_oov_indices`, the FarmHash of an unknown word says which of them it gets, as in Keras;
    SipHash with a `salt`. `output_mode` makes rows of the numbers of a sample: "multi_hot", "count",
    "one_hot", or "tf_idf" with weights; as a SparseTensor with `sparse`. With `invert`, numbers become words.

    >>> from penstock import tensorflow as tf
    >>> layer = tf.keras.layers.StringLookup(vocabulary=["a", "b"])
    >>> layer(["b", "z"]).numpy().tolist()
    [2, 0]
    """


_OPTIONS = ["idf_weights", "invert", "oov_method", "output_mode", "pad_to_max_tokens", "salt", "sparse"]
"""What IntegerLookup takes as StringLookup does, and its configuration names."""


@named("tf.keras.layers.IntegerLookup")
class IntegerLookup(Lookup):
    """Whole numbers as those of their places in a vocabulary; 0 stands for unknown ones.

    With several `num_oov_indices`, the remainder of a division says which of them an unknown number gets, as
    in Keras. The other arguments are those of StringLookup.

    >>> from penstock import tensorflow as tf
    >>> layer = tf.keras.layers.IntegerLookup(vocabulary=[12, 36], num_oov_indices=2)
    >>> layer([36, 4, 5]).numpy().tolist()
    [3, 0, 1]
    """

    _text = False

    def __init__(
        self,
        max_tokens: Any = None,
        num_oov_indices: int = 1,
        mask_token: Any = None,
        oov_token: Any = -1,
        vocabulary: Any = None,
        vocabulary_dtype: str = "int64",
        **options: Any,
    ) -> None:
        if vocabulary_dtype != "int64":
            raise ArgumentError(
                "Only `vocabulary_dtype='int64'` is supported. Received: "
                f"vocabulary_dtype={vocabulary_dtype}",
                site=here(),
            )
        super().__init__(max_tokens, num_oov_indices, mask_token, oov_token, vocabulary, **options)

    def get_config(self) -> dict[str, Any]:
        """Returns, by name, the arguments that recreate this layer."""
        return {**{name: self.__dict__.get(name) for name in _OPTIONS}, **super().get_config()}
