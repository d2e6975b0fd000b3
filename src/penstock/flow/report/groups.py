"""Groups of variables: those with the same result share one row, under a pattern's name."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from penstock.flow.folding import fold, folded
from penstock.flow.report_model import Subject, Writer


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a table: one variable, or a group with the same result under a pattern's name."""

    name: str
    members: tuple[Subject, ...]

    @property
    def first(self) -> Subject:
        """The variable that was created first; its description applies to all."""
        return self.members[0]

    @property
    def alone(self) -> bool:
        """Whether it is one variable."""
        return len(self.members) == 1

    @property
    def spec(self) -> str:
        """Shape and dtype of one variable, or how many there are."""
        one = f"{self.first.dtype}[{', '.join(map(str, self.first.shape))}]"
        if self.alone:
            return one
        if all(
            member.path == self.first.path and member.shape == self.first.shape for member in self.members
        ):
            return f"{one}, {len(self.members)} of them"
        return f"{len(self.members)} variables"

    @property
    def writers(self) -> list[Writer]:
        """Its writers, each with its effect on all members together; `times` is the sum over them."""
        return [_together([member.writers[key] for member in self.members]) for key in self.first.writers]


def rows(subjects: Sequence[Subject], apart: bool = False) -> list[Row]:
    """Returns the rows of a table in order of creation; each variable separately if `apart`.

    >>> from penstock.trace.source_site import Site
    >>> blocks = [f"net/{number}/{name}" for number in range(4) for name in ("kernel", "bias")]
    >>> known = [
    ...     Subject(path, (), "float32", True, Site("train.py", 1, ""), order)
    ...     for order, path in enumerate([*blocks, "scale"])
    ... ]
    >>> [(row.name, row.spec) for row in rows(known)]
    [('net/*', '8 variables'), ('scale', 'float32[]')]
    """
    if apart:
        return [Row(one.path, (one,)) for one in subjects]
    fates = [_fate(one) for one in subjects]
    still = {fate for one, fate in zip(subjects, fates, strict=True) if not one.writers}
    folds = fold([one.path for one in subjects], fates, [_origin(one) for one in subjects], whole=list(still))
    found = [Row(one.name, tuple(subjects[place] for place in one.members)) for one in folds]
    return sorted(found, key=lambda row: row.first.order)


def _fate(one: Subject) -> tuple[object, ...]:
    writers = tuple((key, writer.times) for key, writer in one.writers.items())
    return one.bits, one.gradient, one.cut, writers


def _origin(one: Subject) -> tuple[object, ...]:
    return one.created, one.shape, one.dtype


def _together(writers: Sequence[Writer]) -> Writer:
    first = writers[0]
    times, measured = sum(one.times for one in writers), sum(one.measured for one in writers)
    parts = {cause: sum(one.parts.get(cause, 0.0) for one in writers) for cause in first.parts}
    split = sum(one.split for one in writers)
    looked_at = [one for one in writers if one.measured]
    total = sum(one.total for one in looked_at)
    return Writer(
        first.by, first.site, first.terms, times, total, measured, first.kind, parts=parts, split=split,
        least=first.least, stood_for=sum(one.times - one.measured for one in looked_at),
    )  # fmt: skip


def named(some: Sequence[Subject], every: Iterable[Subject]) -> list[str]:
    """Returns names of variables for readers: whole groups of trainable ones have one name.

    >>> from penstock.trace.source_site import Site
    >>> def one(path):
    ...     return Subject(path, (), "float32", True, Site("train.py", 1, ""), 0)
    >>> known = [one(f"net/{number}/{name}") for number in range(4) for name in ("kernel", "bias")]
    >>> named(known[:6], known)
    ['net/0..2/*']
    """
    wanted = all(one.trainable for one in some)
    known = [one.path for one in every if not one.owner and (one.trainable or not wanted)]
    return folded([one.path for one in some], known)


def called(paths: Sequence[str], every: Sequence[Subject]) -> list[str]:
    """Returns names of the variables of these paths for readers."""
    bearing = set(paths)
    return named([one for one in every if one.path in bearing], every)


def patterns(some: Iterable[Subject], every: Iterable[Subject]) -> list[str]:
    """Returns the paths of some variables for data, or the pattern of a family if it is complete.

    >>> from penstock.trace.source_site import Site
    >>> def one(path):
    ...     return Subject(path, (), "float32", True, Site("train.py", 1, ""), 0)
    >>> known = [one(path) for path in ("net/kernel", "net/bias", "head/kernel", "head/bias", "scale")]
    >>> patterns(known[:3] + known[4:], known)
    ['net/*', 'head/kernel', 'scale']
    """
    families: dict[str, set[str]] = {}
    for one in every:
        family, slash, _ = one.path.partition("/")
        if slash and one.trainable and not one.owner:
            families.setdefault(family, set()).add(one.path)
    chosen = dict.fromkeys(one.path for one in some)
    whole = {family for family, members in families.items() if len(members) > 1 and members <= chosen.keys()}
    found: dict[str, None] = {}
    for path in chosen:
        family, slash, _ = path.partition("/")
        found[f"{family}/*" if slash and family in whole else path] = None
    return list(found)
