"""Ratings of films by their viewers, from a file on this machine."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator
from typing import Any

import numpy as np

from penstock.declared import named
from penstock.paddle.io import Dataset
from penstock.paddle.vision.datasets import _found_at, _mode_in

_AGES = (1, 18, 25, 35, 45, 50, 56)


class MovieInfo:
    """The number, the title and the kinds of a film."""

    def __init__(self, index: str, categories: list[str], title: str) -> None:
        self.index, self.categories, self.title = int(index), categories, title

    def value(self, categories_dict: dict[str, int], movie_title_dict: dict[str, int]) -> list[list[int]]:
        """Returns the number of the film, those of its kinds and those of the words of its title."""
        words = [movie_title_dict[one.lower()] for one in self.title.split()]
        return [[self.index], [categories_dict[one] for one in self.categories], words]

    def __repr__(self) -> str:
        return f"<MovieInfo id({self.index}), title({self.title}), categories({self.categories})>"


class UserInfo:
    """The number, the gender, the age and the job of a viewer."""

    def __init__(self, index: str, gender: str, age: str, job_id: str) -> None:
        self.index, self.is_male = int(index), gender == "M"
        self.age, self.job_id = _AGES.index(int(age)), int(job_id)

    def value(self) -> list[list[int]]:
        """Returns the number, the gender (0 if male), the class of age and the job."""
        return [[self.index], [0 if self.is_male else 1], [self.age], [self.job_id]]

    def __repr__(self) -> str:
        gender = "M" if self.is_male else "F"
        return f"<UserInfo id({self.index}), gender({gender}), age({_AGES[self.age]}), job({self.job_id})>"


@named("paddle.text.Movielens")
class Movielens(Dataset):
    """A million ratings of films: the viewer, the film, and a rating from -3 to 5.

    Items are eight arrays: number, gender, age and job of the viewer, number, kinds and title of the film,
    and the rating. A share `test_ratio` is drawn as the test set by NumPy's stream, which is seeded with
    `rand_seed`, as Paddle does. The numbers of kinds and words follow the order of a set of texts, which
    changes from process to process in Paddle, too, unless PYTHONHASHSEED is set. Nothing is downloaded:
    `download` does nothing. Raises PenstockError where the file is not there.
    """

    def __init__(
        self, data_file: Any = None, mode: str = "train", test_ratio: float = 0.1, rand_seed: int = 0,
        download: bool = True,
    ) -> None:  # fmt: skip
        self.mode = _mode_in(mode, ("train", "test"))
        what, names = "The Movielens data set", ("movielens%2Fml-1m.zip", "ml-1m.zip")
        self.data_file = str(_found_at(data_file, "sentiment", names, what, "data_file"))
        self.test_ratio, self.rand_seed = test_ratio, rand_seed
        np.random.seed(rand_seed)
        self.movie_info: dict[int, MovieInfo] = {}
        self.user_info: dict[int, UserInfo] = {}
        kinds: set[str] = set()
        words: set[str] = set()
        for number, title, categories in self._rows("movies"):
            found: Any = re.match(r"^(.*)\((\d+)\)$", title)
            movie = MovieInfo(number, categories.split("|"), found.group(1))
            self.movie_info[movie.index] = movie
            for one in movie.categories:
                kinds.add(one)
            for one in movie.title.split():
                words.add(one.lower())
        self.movie_title_dict = {word: number for number, word in enumerate(words)}
        self.categories_dict = {kind: number for number, kind in enumerate(kinds)}
        for number, gender, age, job, _ in self._rows("users"):
            self.user_info[int(number)] = UserInfo(number, gender, age, job)
        self.data = list(self._ratings())

    def _rows(self, name: str) -> Iterator[list[str]]:
        with zipfile.ZipFile(self.data_file) as archive, archive.open(f"ml-1m/{name}.dat") as file:
            for line in file:
                yield line.decode("latin").strip().split("::")

    def _ratings(self) -> Iterator[list[Any]]:
        for user, movie, rating, _ in self._rows("ratings"):
            if (np.random.random() < self.test_ratio) is (self.mode == "test"):
                film = self.movie_info[int(movie)].value(self.categories_dict, self.movie_title_dict)
                yield [*self.user_info[int(user)].value(), *film, [float(rating) * 2 - 5.0]]

    def __getitem__(self, idx: int) -> Any:
        return tuple(np.array(one) for one in self.data[idx])

    def __len__(self) -> int:
        return len(self.data)


__all__ = ["Movielens"]
