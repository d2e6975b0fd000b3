"""Corpora of sentences from files on this machine: windows of words, and words with their roles."""

from __future__ import annotations

import collections
import gzip
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from penstock.declared import named
from penstock.paddle.io import Dataset
from penstock.paddle.vision.datasets import _found_at, _mode_in


@named("paddle.text.Imikolov")
class Imikolov(Dataset):
    """Sentences of the Penn Treebank as numbers of words, from the archive of Mikolov's page.

    Items are `window_size` words in a row (`data_type` "NGRAM"), or a sentence after `<s>` and the same
    sentence before `<e>` ("SEQ"), where longer ones than a positive `window_size` are left out. Words that
    occur more than `min_word_freq` times have numbers, the most frequent first. Nothing is downloaded:
    `download` does nothing. Raises PenstockError where the file is not there.
    """

    def __init__(
        self, data_file: Any = None, data_type: str = "NGRAM", window_size: int = -1, mode: str = "train",
        min_word_freq: int = 50, download: bool = True,
    ) -> None:  # fmt: skip
        if data_type.upper() not in ("NGRAM", "SEQ"):
            raise AssertionError(f"data type should be 'NGRAM', 'SEQ', but got {data_type}")
        self.data_type, self.mode = data_type.upper(), _mode_in(mode, ("train", "test"))
        if self.data_type == "NGRAM" and window_size < 0:
            raise AssertionError("Invalid gram length")
        self.window_size, self.min_word_freq = window_size, min_word_freq
        what, names = "The Imikolov data set", ("imikolov%2Fsimple-examples.tgz", "simple-examples.tgz")
        self.data_file = str(_found_at(data_file, "imikolov", names, what, "data_file"))
        self.word_idx = self._numbered()
        self.data = list(self._items())

    def _lines(self, part: str) -> Iterator[list[bytes]]:
        with tarfile.open(self.data_file) as archive:
            member: Any = archive.extractfile(f"./simple-examples/data/ptb.{part}.txt")
            for line in member:
                yield line.split()

    def _numbered(self) -> dict[Any, int]:
        """Returns the number of each word: words are bytes, and marks are text, as in Paddle."""
        counts: collections.Counter[Any] = collections.Counter()
        for part in ("train", "valid"):
            for words in self._lines(part):
                counts.update(words)
                counts.update(("<s>", "<e>"))
        kept = [(word, count) for word, count in counts.items() if count > self.min_word_freq]
        kept.sort(key=lambda one: (-one[1], one[0]))
        found = {word: number for number, (word, _) in enumerate(kept)}
        found["<unk>"] = len(found)
        return found

    def _items(self) -> Iterator[Any]:
        known, unknown, size = self.word_idx, self.word_idx["<unk>"], self.window_size
        for words in self._lines(self.mode):
            numbers = [known.get(word, unknown) for word in words]
            if self.data_type == "NGRAM":
                whole = [known.get("<s>", unknown), *numbers, known.get("<e>", unknown)]
                for end in range(size, len(whole) + 1):
                    yield tuple(whole[end - size : end])
            elif size <= 0 or len(numbers) + 1 <= size:
                yield [known["<s>"], *numbers], [*numbers, known["<e>"]]

    def __getitem__(self, idx: int) -> Any:
        return tuple(np.array(one) for one in self.data[idx])

    def __len__(self) -> int:
        return len(self.data)


@named("paddle.text.Conll05st")
class Conll05st(Dataset):
    """Sentences with one verb each and the roles of their words, from the test set of CoNLL 2005.

    Items are nine rows of numbers, one for each word: the word, the words two and one places before the
    verb, the verb and those after it, the verb's form, 1 near the verb, and the word's role. The numbers of
    roles follow the order of a set of texts, which changes from process to process in Paddle, too, unless
    PYTHONHASHSEED is set. Nothing is downloaded: `download` does nothing. Raises PenstockError where a file
    is not there.
    """

    def __init__(
        self, data_file: Any = None, word_dict_file: Any = None, verb_dict_file: Any = None,
        target_dict_file: Any = None, emb_file: Any = None, download: bool = True,
    ) -> None:  # fmt: skip
        def found(given: Any, name: str, argument: str) -> str:
            names = (name, name.removeprefix("conll05st%2F"))
            return str(_found_at(given, "conll05st", names, "The Conll05st data set", argument))

        self.data_file = found(data_file, "conll05st-tests.tar.gz", "data_file")
        self.word_dict_file = found(word_dict_file, "conll05st%2FwordDict.txt", "word_dict_file")
        self.verb_dict_file = found(verb_dict_file, "conll05st%2FverbDict.txt", "verb_dict_file")
        self.target_dict_file = found(target_dict_file, "conll05st%2FtargetDict.txt", "target_dict_file")
        self._emb_file = emb_file
        self.word_dict, self.predicate_dict = map(_numbers_of, (self.word_dict_file, self.verb_dict_file))
        self.label_dict = _numbers_of_roles(self.target_dict_file)
        examples = list(self._examples())
        self.sentences = [sentence for sentence, _, _ in examples]
        self.predicates = [verb for _, verb, _ in examples]
        self.labels = [roles for _, _, roles in examples]

    def _examples(self) -> Iterator[tuple[list[str], str, list[str]]]:
        """Yields a sentence, one of its verbs and the roles of its words, for each verb."""
        place = "conll05st-release/test.wsj"
        with tarfile.open(self.data_file) as archive:
            files: Any = [
                archive.extractfile(f"{place}/{one}/test.wsj.{one}.gz") for one in ("words", "props")
            ]
            with gzip.GzipFile(fileobj=files[0]) as words, gzip.GzipFile(fileobj=files[1]) as properties:
                sentence: list[str] = []
                rows: list[list[str]] = []
                for word, line in zip(words, properties):
                    row = line.decode().split()
                    if row:
                        sentence.append(word.strip().decode())
                        rows.append(row)
                        continue
                    verbs, *columns = zip(*rows)
                    for verb, column in zip([one for one in verbs if one != "-"], columns):
                        yield sentence, verb, _roles(column)
                    sentence, rows = [], []

    def __getitem__(self, idx: int) -> Any:
        sentence, roles = self.sentences[idx], self.labels[idx]
        size, verb = len(sentence), roles.index("B-V")
        near = {verb + i: 1 for i in range(-2, 3)}
        around = [
            sentence[verb + i] if 0 <= verb + i < len(roles) else "bos" if i < 0 else "eos"
            for i in range(-2, 3)
        ]
        rows = [
            [self.word_dict.get(one, 0) for one in sentence],
            *([self.word_dict.get(one, 0)] * size for one in around),
            [self.predicate_dict.get(self.predicates[idx])] * size,
            [near.get(i, 0) for i in range(len(roles))],
            [self.label_dict.get(one) for one in roles],
        ]
        return tuple(map(np.array, rows))

    def __len__(self) -> int:
        return len(self.sentences)

    def get_dict(self) -> tuple[dict[str, int], dict[str, int], dict[str, int]]:
        """Returns the numbers of words, of verbs and of roles."""
        return self.word_dict, self.predicate_dict, self.label_dict

    @property
    def emb_file(self) -> str:
        """The path of the file of embeddings."""
        names = ("conll05st%2Femb", "emb")
        what = "The embedding of the Conll05st data set"
        return str(_found_at(self._emb_file, "conll05st", names, what, "emb_file"))

    def get_embedding(self) -> str:
        """Returns the path of the file of embeddings."""
        return self.emb_file


def _numbers_of(path: str) -> dict[str, int]:
    return {line.strip(): number for number, line in enumerate(Path(path).read_text().splitlines())}


def _numbers_of_roles(path: str) -> dict[str, int]:
    kinds: set[str] = set()
    for line in Path(path).read_text().splitlines():
        role = line.strip()
        if role.startswith(("B-", "I-")):
            kinds.add(role[2:])
    roles = [f"{part}-{kind}" for kind in kinds for part in "BI"]
    return {role: number for number, role in enumerate([*roles, "O"])}


def _roles(column: Any) -> list[str]:
    """Returns the role of each word, from the brackets in a column of the file."""
    found, role, inside = [], "O", False
    for mark in column:
        if "(" in mark:
            role, inside = mark[1 : mark.find("*")], ")" not in mark
            found.append(f"B-{role}")
        elif mark in ("*", "*)"):
            found.append(f"I-{role}" if inside or mark == "*)" else "O")
            inside = inside and mark == "*"
        else:
            raise RuntimeError(f"Unexpected label: {mark}")
    return found
