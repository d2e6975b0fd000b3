"""tf.keras.preprocessing.text: texts as numbers of words."""

from __future__ import annotations

import hashlib
import json
from collections import Counter, OrderedDict, defaultdict
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from penstock.tensorflow._errors import ArgumentError as _ArgumentError
from penstock.tensorflow._names import namespace as _namespace
from penstock.trace.source_site import here as _here

FILTERS = '!"#$%&()*+,-./:;<=>?@[\\]^_`{|}~\t\n'


def text_to_word_sequence(
    input_text: str, filters: str = FILTERS, lower: bool = True, split: str = " "
) -> list[str]:
    """Returns the words of a text, without the characters to filter.

    >>> from penstock import tensorflow as tf
    >>> tf.keras.preprocessing.text.text_to_word_sequence("To be, or not to be?")
    ['to', 'be', 'or', 'not', 'to', 'be']
    """
    text = input_text.lower() if lower else input_text
    table: dict[str, Any] = dict.fromkeys(filters, split)
    text = text.translate(str.maketrans(table))
    return [word for word in text.split(split) if word]


def hashing_trick(
    text: str,
    n: int,
    hash_function: Any = None,
    filters: str = FILTERS,
    lower: bool = True,
    split: str = " ",
    analyzer: Any = None,
) -> list[int]:
    """Returns each word of a text as a number from 1 to n - 1, from a hash: Python's own, or "md5"."""
    words = text_to_word_sequence(text, filters, lower, split) if analyzer is None else analyzer(text)

    def md5(word: str) -> int:
        return int(hashlib.md5(word.encode()).hexdigest(), 16)

    number: Any = hash if hash_function is None else md5 if hash_function == "md5" else hash_function
    return [int(number(word) % (n - 1) + 1) for word in words]


def one_hot(
    input_text: str,
    n: int,
    filters: str = FILTERS,
    lower: bool = True,
    split: str = " ",
    analyzer: Any = None,
) -> list[int]:
    """Returns each word of a text as a number from 1 to n - 1, from Python's hash."""
    return hashing_trick(input_text, n, hash, filters, lower, split, analyzer)


class Tokenizer:
    """Numbers the words of texts by how often they occur; 0 is kept for padding.

    >>> from penstock import tensorflow as tf
    >>> words = tf.keras.preprocessing.text.Tokenizer()
    >>> words.fit_on_texts(["a b a", "a c"])
    >>> words.texts_to_sequences(["c a d"])
    [[3, 1]]
    """

    def __init__(
        self,
        num_words: int | None = None,
        filters: str = FILTERS,
        lower: bool = True,
        split: str = " ",
        char_level: bool = False,
        oov_token: Any = None,
        analyzer: Callable[[str], Any] | None = None,
        **options: Any,
    ) -> None:
        num_words = options.pop("nb_words", num_words)
        self.document_count: int = options.pop("document_count", 0)
        if options:
            raise TypeError(f"Unrecognized keyword arguments: {options}")
        self.num_words, self.filters, self.lower, self.split = num_words, filters, lower, split
        self.char_level, self.oov_token, self.analyzer = char_level, oov_token, analyzer
        self.word_counts: OrderedDict[str, int] = OrderedDict()
        self.word_docs: dict[str, int] = defaultdict(int)
        self.index_docs: dict[int, int] = defaultdict(int)
        self.word_index: dict[str, int] = {}
        self.index_word: dict[int, str] = {}

    def _words(self, text: Any) -> Any:
        if self.char_level or isinstance(text, list):
            if not self.lower:
                return text
            return [one.lower() for one in text] if isinstance(text, list) else text.lower()
        if self.analyzer is not None:
            return self.analyzer(text)
        return text_to_word_sequence(text, self.filters, self.lower, self.split)

    def fit_on_texts(self, texts: Iterable[Any]) -> None:
        """Counts the words of texts, and numbers them."""
        for text in texts:
            self.document_count += 1
            words = self._words(text)
            for word in words:
                self.word_counts[word] = self.word_counts.get(word, 0) + 1
            for word in set(words):
                self.word_docs[word] += 1
        ordered = sorted(self.word_counts.items(), key=lambda pair: pair[1], reverse=True)
        vocabulary = [*([] if self.oov_token is None else [self.oov_token]), *(word for word, _ in ordered)]
        self.word_index = {word: number for number, word in enumerate(vocabulary, 1)}
        self.index_word = {number: word for word, number in self.word_index.items()}
        for word, count in self.word_docs.items():
            self.index_docs[self.word_index[word]] = count

    def fit_on_sequences(self, sequences: Any) -> None:
        """Counts in how many sequences each number occurs."""
        self.document_count += len(sequences)
        for one in sequences:
            for number in set(one):
                self.index_docs[number] += 1

    def texts_to_sequences(self, texts: Iterable[Any]) -> list[list[int]]:
        """Returns texts as numbers of words; words without a number are left out, or become `oov_token`."""
        return list(self.texts_to_sequences_generator(texts))

    def texts_to_sequences_generator(self, texts: Iterable[Any]) -> Iterator[list[int]]:
        """Yields each text as numbers of words."""
        unknown = self.word_index.get(self.oov_token)
        for text in texts:
            numbers = (self.word_index.get(word) for word in self._words(text))
            kept = (
                number if number is not None and (not self.num_words or number < self.num_words) else unknown
                for number in numbers
            )
            yield [one for one in kept if one is not None]

    def sequences_to_texts(self, sequences: Iterable[Any]) -> list[str]:
        """Returns numbers of words as texts."""
        return list(self.sequences_to_texts_generator(sequences))

    def sequences_to_texts_generator(self, sequences: Iterable[Any]) -> Iterator[str]:
        """Yields each sequence of numbers as a text."""
        for one in sequences:
            words = []
            for number in one:
                word = self.index_word.get(number)
                known = word is not None and (not self.num_words or number < self.num_words)
                word = word if known else self.oov_token
                words += [] if word is None else [word]
            yield " ".join(words)

    def texts_to_matrix(self, texts: Iterable[Any], mode: str = "binary") -> Any:
        """Returns a row for each text, with a column for each word: see sequences_to_matrix."""
        return self.sequences_to_matrix(self.texts_to_sequences(texts), mode)

    def sequences_to_matrix(self, sequences: Any, mode: str = "binary") -> Any:
        """Returns a row for each sequence: whether a word is there ("binary"), how often ("count"), in which
        part of the words ("freq"), or "tfidf": (1 + log count) log(1 + documents / (1 + documents with the
        word))."""
        width = self.num_words or (len(self.word_index) + 1 if self.word_index else 0)
        if not width:
            raise _ArgumentError(
                "Specify a dimension (`num_words` argument), or fit on some text data first.", site=_here()
            )
        if mode not in ("binary", "count", "freq", "tfidf"):
            raise _ArgumentError(f"Unknown vectorization mode: {mode}", site=_here())
        if mode == "tfidf" and not self.document_count:
            raise _ArgumentError("Fit the Tokenizer on some data before using tfidf mode.", site=_here())
        made = np.zeros((len(sequences), width))
        for row, sequence in zip(made, sequences, strict=True):
            for number, count in Counter(n for n in sequence if n < width).items():
                if mode == "tfidf":
                    rare = np.log(1 + self.document_count / (1 + self.index_docs.get(number, 0)))
                    row[number] = (1 + np.log(count)) * rare
                else:
                    row[number] = {"binary": 1, "count": count, "freq": count / len(sequence)}[mode]
        return made

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments and the counts, the latter as JSON."""
        plain = ("num_words", "filters", "lower", "split", "char_level", "oov_token", "document_count")
        counted = ("word_counts", "word_docs", "index_docs", "index_word", "word_index")
        return {
            **{name: getattr(self, name) for name in plain},
            **{name: json.dumps(getattr(self, name)) for name in counted},
        }

    def to_json(self, **options: Any) -> str:
        """Returns the tokenizer as JSON, which tokenizer_from_json reads."""
        return json.dumps({"class_name": "Tokenizer", "config": self.get_config()}, **options)


def tokenizer_from_json(json_string: str) -> Tokenizer:
    """Returns the tokenizer that to_json has written."""
    config = json.loads(json_string)["config"]
    counted = {
        name: json.loads(config.pop(name))
        for name in ("word_counts", "word_docs", "index_docs", "index_word", "word_index")
    }
    made = Tokenizer(**config)
    for name, value in counted.items():
        by_number = name in ("index_docs", "index_word")
        setattr(made, name, {int(key): one for key, one in value.items()} if by_number else value)
    return made


__getattr__, __dir__, __all__ = _namespace("tf.keras.preprocessing.text", globals())
