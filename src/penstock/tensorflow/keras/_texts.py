"""Texts as rows of numbers of words."""

from __future__ import annotations

from typing import Any

import numpy as np

from penstock.declared import named
from penstock.tensorflow import strings as words
from penstock.tensorflow._convert import constant
from penstock.tensorflow._errors import ArgumentError
from penstock.tensorflow._strings import StringTensor, strings
from penstock.tensorflow.keras._automatic_names import automatic_name
from penstock.tensorflow.keras._encoded_rows import mode_of
from penstock.tensorflow.keras._layer import Layer
from penstock.tensorflow.keras._lookups import Lookup
from penstock.trace.source_site import here

_PUNCTUATION = r"""[!"#$%&()\*\+,-\./:;<=>?@\[\\\]^_`{|}~\']"""
_STANDARDS = ("lower_and_strip_punctuation", "lower", "strip_punctuation", None)
_SPLITS = ("whitespace", "character", None)
_MODES = ("int", "one_hot", "multi_hot", "count", "tf_idf")


class _InFiles(Layer):
    """Stands for the layer that keeps the vocabulary of texts in Keras' files, beside that of the texts."""

    def __init__(self, texts: Any) -> None:
        super().__init__(name=automatic_name("StringLookup"))
        object.__setattr__(self, "_texts", texts)
        self.save_assets, self.load_assets = texts.save_assets, texts.load_assets

    def save_own_variables(self, store: Any) -> None:
        """Writes the counts of the texts."""
        self._texts.save_own_variables(store)

    def load_own_variables(self, store: Any) -> None:
        """Takes the counts of the texts back."""
        self._texts.load_own_variables(store)


@named("tf.keras.layers.TextVectorization")
class TextVectorization(Lookup):
    """Texts as rows of numbers of words: in small letters, without punctuation, split at blanks.

    `standardize` and `split` are a word for what is done, None, or a function of a tensor of texts. With
    `ngrams`, adjacent words are joined. A row has `output_sequence_length` numbers, or as many as the
    longest; with `ragged`, each has its own number of them. The other arguments are those of StringLookup.

    >>> from penstock import tensorflow as tf
    >>> layer = tf.keras.layers.TextVectorization(output_sequence_length=3, vocabulary=["cat", "dog"])
    >>> layer(["A dog, a cat!"]).numpy().tolist()
    [[1, 3, 1]]
    """

    def __init__(
        self,
        max_tokens: Any = None,
        standardize: Any = "lower_and_strip_punctuation",
        split: Any = "whitespace",
        ngrams: Any = None,
        output_mode: str = "int",
        output_sequence_length: Any = None,
        pad_to_max_tokens: bool = False,
        vocabulary: Any = None,
        idf_weights: Any = None,
        sparse: bool = False,
        ragged: bool = False,
        encoding: str = "utf-8",
        **options: Any,
    ) -> None:
        mode = mode_of(self, output_mode, sparse, _MODES)
        ngrams = tuple(ngrams) if isinstance(ngrams, list) else ngrams
        widths = ngrams if isinstance(ngrams, tuple) else (1 if ngrams is None else ngrams,)
        for wrong, said in (
            (not callable(standardize) and standardize not in _STANDARDS, f"standardize={standardize!r}"),
            (not callable(split) and split not in _SPLITS, f"split={split!r}"),
            (not all(isinstance(one, int) for one in widths), f"ngrams={ngrams!r}"),
            (not isinstance(output_sequence_length, int | None), f"{output_sequence_length=}"),
            (
                mode != "int" and output_sequence_length is not None,
                f"{output_sequence_length=} with {mode!r}",
            ),
            (ragged and mode != "int", f"ragged=True with output_mode={mode!r}"),
        ):
            if wrong:
                raise ArgumentError(f"TextVectorization: {said} is not taken.", site=here())
        self.standardize, self.split, self.ngrams = standardize, split, ngrams
        self.output_sequence_length, self.ragged = output_sequence_length, ragged
        super().__init__(
            max_tokens, 1, "", "[UNK]", vocabulary, idf_weights, False, mode, pad_to_max_tokens, sparse,
            encoding, **options,
        )  # fmt: skip
        self._lookup_layer = _InFiles(self)

    def compute_output_shape(self, input_shape: Any, *more: Any, **options: Any) -> Any:
        """Returns the shape of the result for texts of a shape; None for the number of words."""
        if more or options:
            return super().compute_output_shape(input_shape, *more, **options)
        own = tuple(input_shape)
        if self.output_mode == "int":
            return (own[0], self.output_sequence_length)
        alone = self.split is not None or len(own) <= 1
        return super().compute_output_shape((*own, 1 if self.split is None else None) if alone else own)

    def _split_up(self, data: Any) -> Any:
        """Returns texts as rows of words."""
        x = data if hasattr(data, "nested_row_splits") else strings(data)
        if callable(self.standardize):
            x = self.standardize(x)
        elif self.standardize is not None:
            x = words.lower(x) if "lower" in self.standardize else x
            x = words.regex_replace(x, _PUNCTUATION, "") if "strip" in self.standardize else x
        if self.split is not None:
            x = self._split(self._flattened(x))
        if self.ngrams is None:
            return x
        widths = range(1, self.ngrams + 1) if isinstance(self.ngrams, int) else self.ngrams
        return words.ngrams(x, list(widths))

    def _flattened(self, x: Any) -> Any:
        if len(x.shape) <= 1:
            return x
        if x.shape[-1] != 1:
            raise ArgumentError(
                "When using `TextVectorization` to tokenize strings, the input rank must be 1 or the last "
                f"shape dimension must be 1. Received: inputs.shape={x.shape} with rank={len(x.shape)}",
                site=here(),
            )
        return StringTensor(np.asarray(x)[..., 0])

    def _split(self, x: Any) -> Any:
        if callable(self.split):
            return self.split(x)
        return words.split(x) if self.split == "whitespace" else words.unicode_split(x, "UTF-8")

    def call(self, inputs: Any) -> Any:
        """Returns texts as rows of numbers of words, filled up with zeros."""
        found = super().call(self._split_up(inputs))
        length = self.output_sequence_length
        if self.output_mode != "int":
            return found
        if hasattr(found, "nested_row_splits"):
            if not self.ragged:
                return found.to_tensor(0, shape=(*[None] * (len(found.shape) - 1), length))
            return found if length is None else found[..., :length]
        if length is None:
            return found
        array = np.asarray(found.numpy())[..., :length]
        more = 0 if self.ragged else length - array.shape[-1]
        return constant(np.pad(array, [(0, 0)] * (array.ndim - 1) + [(0, more)]))
