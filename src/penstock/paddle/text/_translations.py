"""Sentences and their translations, from files on this machine."""

from __future__ import annotations

import collections
import itertools
import tarfile
from collections.abc import Iterator
from typing import Any

import numpy as np

from penstock.declared import named
from penstock.paddle.io import Dataset
from penstock.paddle.vision.datasets import _found_at, _home, _mode_in

_START, _END, _UNKNOWN = "<s>", "<e>", "<unk>"
_MOST = {"en": 11250, "de": 19220}
"""How many words the languages of WMT16 have in Paddle's archive."""


class _Pairs(Dataset):
    """Items are the numbers of a sentence, of its translation after `<s>`, and of that before `<e>`."""

    data_file: str

    def _gather(self, pairs: Iterator[tuple[list[int], list[int], list[int]]]) -> None:
        found = list(pairs)
        self.src_ids = [source for source, _, _ in found]
        self.trg_ids = [target for _, target, _ in found]
        self.trg_ids_next = [following for _, _, following in found]

    def _lines(self, archive: tarfile.TarFile, name: str) -> Iterator[list[str]]:
        member: Any = archive.extractfile(name)
        for line in member:
            pair = line.decode().strip().split("\t")
            if len(pair) == 2:
                yield pair

    def __getitem__(self, idx: int) -> Any:
        return np.array(self.src_ids[idx]), np.array(self.trg_ids[idx]), np.array(self.trg_ids_next[idx])

    def __len__(self) -> int:
        return len(self.src_ids)


def _size(given: int) -> int:
    if given <= 0:
        raise AssertionError("dict_size should be set as positive number")
    return given


@named("paddle.text.WMT14")
class WMT14(_Pairs):
    """French sentences with English translations, from the archive that Paddle has made of WMT 2014.

    Words have the numbers of their lines in the archive's dictionaries, of which the first `dict_size` are
    used; pairs with more than 80 words are left out. Nothing is downloaded: `download` does nothing. Raises
    PenstockError where the file is not there.
    """

    def __init__(
        self, data_file: Any = None, mode: str = "train", dict_size: int = -1, download: bool = True
    ) -> None:
        self.mode = _mode_in(mode, ("train", "test", "gen"))
        what = "The WMT14 data set"
        self.data_file = str(_found_at(data_file, "wmt14", ("wmt14.tgz",), what, "data_file"))
        self.dict_size = _size(dict_size)
        with tarfile.open(self.data_file) as archive:
            names = archive.getnames()
            self.src_dict, self.trg_dict = (
                self._numbered(archive, names, end) for end in ("src.dict", "trg.dict")
            )
            self._gather(self._pairs(archive, names))

    def _numbered(self, archive: tarfile.TarFile, names: list[str], end: str) -> dict[str, int]:
        (name,) = (one for one in names if one.endswith(end))
        member: Any = archive.extractfile(name)
        lines = itertools.islice(member, self.dict_size)
        return {line.strip().decode(): number for number, line in enumerate(lines)}

    def _pairs(self, archive: tarfile.TarFile, names: list[str]) -> Iterator[Any]:
        for name in names:
            if not name.endswith(f"{self.mode}/{self.mode}"):
                continue
            for source, target in self._lines(archive, name):
                one = [self.src_dict.get(word, 2) for word in (_START, *source.split(), _END)]
                other = [self.trg_dict.get(word, 2) for word in target.split()]
                if max(len(one), len(other)) <= 80:
                    yield one, [self.trg_dict[_START], *other], [*other, self.trg_dict[_END]]

    def get_dict(self, reverse: bool = False) -> tuple[dict[Any, Any], dict[Any, Any]]:
        """Returns the numbers of the words of both languages, or with `reverse` the words by number."""
        if reverse:
            return _reversed(self.src_dict), _reversed(self.trg_dict)
        return self.src_dict, self.trg_dict


def _reversed(numbers: dict[str, int]) -> dict[int, str]:
    return {number: word for word, number in numbers.items()}


@named("paddle.text.WMT16")
class WMT16(_Pairs):
    """Descriptions of images in English and German, from the archive that Paddle has made of WMT 2016.

    Words have the numbers of their lines in the dictionaries that Paddle has written beside the archive.
    Where these are not there, a dictionary begins with `<s>`, `<e>` and `<unk>`, and continues with the most
    frequent words of the sentences to translate: of those for either language, as Paddle makes them. Nothing
    is downloaded: `download` does nothing. Raises PenstockError where the file is not there.
    """

    def __init__(
        self, data_file: Any = None, mode: str = "train", src_dict_size: int = -1, trg_dict_size: int = -1,
        lang: str = "en", download: bool = True,
    ) -> None:  # fmt: skip
        self.mode, self.lang = _mode_in(mode, ("train", "test", "val")), lang
        what = "The WMT16 data set"
        self.data_file = str(_found_at(data_file, "wmt16", ("wmt16.tar.gz",), what, "data_file"))
        other = "de" if lang == "en" else "en"
        sizes = _size(src_dict_size), _size(trg_dict_size)
        self.src_dict_size, self.trg_dict_size = min(sizes[0], _MOST[lang]), min(sizes[1], _MOST[other])
        self.src_dict, self.trg_dict = self._numbered(lang, sizes[0]), self._numbered(other, sizes[1])
        with tarfile.open(self.data_file) as archive:
            self._gather(self._pairs(archive))

    def _numbered(self, language: str, size: int) -> dict[str, int]:
        path = _home() / "wmt16" / f"{language}_{size}.dict"
        words = path.read_text(encoding="utf-8").splitlines() if path.is_file() else []
        if len(words) != size:
            words = [_START, _END, _UNKNOWN, *self._frequent()][: max(size, 3)]
        return {word.strip(): number for number, word in enumerate(words)}

    def _frequent(self) -> list[str]:
        counts: collections.Counter[str] = collections.Counter()
        with tarfile.open(self.data_file) as archive:
            for pair in self._lines(archive, "wmt16/train"):
                counts.update(pair[0 if self.lang == "en" else 1].split())
        return [word for word, _ in sorted(counts.items(), key=lambda one: one[1], reverse=True)]

    def _pairs(self, archive: tarfile.TarFile) -> Iterator[Any]:
        start, end, unknown = (self.src_dict[one] for one in (_START, _END, _UNKNOWN))
        for pair in self._lines(archive, f"wmt16/{self.mode}"):
            source, target = pair if self.lang == "en" else pair[::-1]
            one = [self.src_dict.get(word, unknown) for word in source.split()]
            other = [self.trg_dict.get(word, unknown) for word in target.split()]
            yield [start, *one, end], [start, *other], [*other, end]

    def get_dict(self, lang: str, reverse: bool = False) -> dict[str, int]:
        """Returns the numbers of the words of a language; `reverse` does nothing, as in Paddle."""
        return self.src_dict if lang == self.lang else self.trg_dict
