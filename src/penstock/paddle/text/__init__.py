"""Data sets of text from files on this machine, and the best path through tags."""

from __future__ import annotations

import collections
import re
import string
import sys
import tarfile
from collections.abc import Iterator
from typing import Any

import numpy as np

from penstock.paddle._convert import data, operand
from penstock.paddle._dtype import default_dtype
from penstock.paddle._names import namespace as _namespace
from penstock.paddle._paths import path_to
from penstock.paddle.io import Dataset
from penstock.paddle.nn._layer import Standard as Layer
from penstock.paddle.vision.datasets import _found_at, _mode_in


class UCIHousing(Dataset):
    """Prices of houses in Boston: 13 features, brought to about -1 .. 1, and a price.

    Nothing is downloaded: `download` does nothing. Raises PenstockError where the file is not there.
    """

    def __init__(self, data_file: Any = None, mode: str = "train", download: bool = True) -> None:
        self.mode = _mode_in(mode, ("train", "test"))
        what = f"The {type(self).__name__} data set ({self.mode})"
        self.data_file = str(_found_at(data_file, "uci_housing", ("housing.data",), what, "data_file"))
        rows = np.fromfile(self.data_file, sep=" ").reshape(-1, 14)
        low, high, mean = rows.min(0), rows.max(0), rows.sum(0) / len(rows)
        rows[:, :13] = ((rows - mean) / (high - low))[:, :13]
        cut = int(len(rows) * 0.8)
        self.data = rows[:cut] if self.mode == "train" else rows[cut:]
        self.dtype = default_dtype()

    def __getitem__(self, idx: int) -> Any:
        row = self.data[idx].astype(self.dtype)
        return row[:-1], row[-1:]

    def __len__(self) -> int:
        return len(self.data)


class Imdb(Dataset):
    """Reviews of films as numbers of words, with 0 for those that praise and 1 for the others.

    Words that occur more than `cutoff` times have numbers, the most frequent first. Nothing is downloaded:
    `download` does nothing. Raises PenstockError where the file is not there.
    """

    def __init__(
        self, data_file: Any = None, mode: str = "train", cutoff: int = 150, download: bool = True
    ) -> None:
        self.mode = _mode_in(mode, ("train", "test"))
        what = f"The Imdb data set ({self.mode})"
        names = ("imdb%2FaclImdb_v1.tar.gz", "aclImdb_v1.tar.gz")
        self.data_file = str(_found_at(data_file, "imdb", names, what, "data_file"))
        counts: collections.Counter[bytes] = collections.Counter()
        own: dict[int, list[list[bytes]]] = {0: [], 1: []}
        for part, kind, words in self._reviews():
            counts.update(words)
            if part == self.mode:
                own[("pos", "neg").index(kind)].append(words)
        frequent = sorted((-count, word) for word, count in counts.items() if count > cutoff)
        self.word_idx: dict[Any, int] = {word: number for number, (_, word) in enumerate(frequent)}
        unknown = self.word_idx["<unk>"] = len(self.word_idx)
        self.docs = [
            [self.word_idx.get(one, unknown) for one in words] for kind in own for words in own[kind]
        ]
        self.labels = [kind for kind, reviews in own.items() for _ in reviews]

    def _reviews(self) -> Iterator[tuple[str, str, list[bytes]]]:
        """Yields the part, the kind and the words of each review."""
        marks = string.punctuation.encode()
        with tarfile.open(self.data_file) as archive:
            for member in archive:
                found = re.match(r"aclImdb/(train|test)/(pos|neg)/.*\.txt$", member.name)
                file = archive.extractfile(member) if found else None
                if found and file is not None:
                    text = file.read().rstrip(b"\n\r").translate(None, marks).lower()
                    yield found[1], found[2], text.split()

    def __getitem__(self, idx: int) -> Any:
        return np.array(self.docs[idx]), np.array([self.labels[idx]])

    def __len__(self) -> int:
        return len(self.docs)


def viterbi_decode(
    potentials: Any, transition_params: Any, lengths: Any, include_bos_eos_tag: bool = True, name: Any = None
) -> Any:
    """Returns the scores of the best paths through tags [batch, length, tags], and these paths.

    With `include_bos_eos_tag` the last two tags mark the beginning and the end of a sequence. Values are
    looked at.
    """
    scores, change = operand(potentials), operand(transition_params)
    counts = np.asarray(operand(lengths)).astype(int)
    values, moves = np.asarray(scores.detach()), np.asarray(change.detach())
    longest = int(counts.max(initial=0))
    paths = np.zeros((len(values), longest), np.int64)
    best = []
    for row, count in enumerate(counts):
        present = values[row, 0] + (moves[-1] if include_bos_eos_tag else 0.0)
        back = []
        for step in range(1, count):
            total = present[:, None] + moves
            back.append(total.argmax(0))
            present = total.max(0) + values[row, step]
        if include_bos_eos_tag:
            present = present + moves[-2]
        tag = int(present.argmax())
        best.append(present[tag])
        for step in range(count - 1, -1, -1):
            paths[row, step] = tag
            tag = int(back[step - 1][tag]) if step else tag
    return data(np.asarray(best, values.dtype)), data(paths)


class ViterbiDecoder(Layer):
    """The best paths through tags, with one table of changes from tag to tag."""

    def __init__(self, transitions: Any, include_bos_eos_tag: bool = True, name: Any = None) -> None:
        super().__init__()
        self.transitions, self.include_bos_eos_tag = transitions, include_bos_eos_tag

    def forward(self, potentials: Any, lengths: Any) -> Any:
        """Returns scores and paths."""
        return viterbi_decode(potentials, self.transitions, lengths, self.include_bos_eos_tag)


path_to(sys.modules[__name__], "datasets", sys.modules[__name__])


_REST = "text._corpora text._ratings text._translations"
__getattr__, __dir__, _public = _namespace("paddle.text", globals(), rest=_REST)
