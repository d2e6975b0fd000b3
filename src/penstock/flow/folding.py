"""Short names for many paths: one pattern for a whole subtree, or for numbered ones with the same result.

`gpt/blocks/0..5/*` is everything below the blocks 0 to 5 of `gpt/blocks`. A pattern names only paths with the
same result, and all of them: no other known path matches it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field

ALIKE = 6
"""How many variables with the same result get a row of their own."""
FEW = 24
"""More rows than this are folded again, by the first part of their paths."""
LAST = 3
"""The largest number of names in a pattern."""

_PARTS = re.compile(r"([/.])")
_NUMBERS = re.compile(r"(\d+)")


@dataclass(frozen=True, slots=True)
class Fold:
    """A row: its name, and the paths that it folds, by their places."""

    name: str
    members: tuple[int, ...]


@dataclass(slots=True)
class _Node:
    """A part of a path with everything below it; `number` is true if a number distinguishes it."""

    name: str
    mark: str = ""
    numbered: bool = False
    own: list[int] = field(default_factory=list)
    below: dict[str, _Node] = field(default_factory=dict)
    members: list[int] = field(default_factory=list)
    fates: frozenset[Hashable] = frozenset()
    shape: Hashable = None
    blocks: bool = False


def fold(
    paths: Sequence[str],
    fates: Sequence[Hashable],
    origins: Sequence[Hashable] | None = None,
    alike: int = ALIKE,
    whole: Sequence[Hashable] = (),
) -> list[Fold]:
    """Returns rows for paths, one for each group with the same result, in the order of their first members.

    `fates` has the result of each path, `origins` distinguishes variables with the same path. Subtrees of
    fewer than `alike` paths are not folded. Blocks whose fate is in `whole` are not listed separately.

    >>> blocks = [f"gpt/{part}" for part in ("0/up", "0/down", "1/up", "1/down", "2/up", "2/down", "head")]
    >>> [one.name for one in fold(blocks, ["cut"] * 4 + ["flows"] * 3, alike=2)]
    ['gpt/0..1/*', 'gpt/2/*', 'gpt/head']
    """
    table = _Table(paths, fates, origins or [None] * len(paths), alike, frozenset(whole))
    rows = list(table.rows(table.root, ""))
    if len(rows) > FEW:
        table.coarse = True
        rows = list(table.rows(table.root, ""))
    return sorted(rows, key=lambda row: row.members[0])


def chosen(some: Sequence[str], every: Sequence[str]) -> list[Fold]:
    """Returns rows for some of all paths; their members are places in `some`, without duplicates."""
    wanted = dict.fromkeys(some)
    paths = list(dict.fromkeys([*wanted, *every]))
    rows = fold(paths, [path in wanted for path in paths], alike=2, whole=(True, False))
    return [row for row in rows if row.members[0] < len(wanted)]


def folded(some: Sequence[str], every: Sequence[str]) -> list[str]:
    """Returns some of all paths in few words.

    >>> every = ["net/kernel", "net/bias", "head/kernel", "head/bias", "scale"]
    >>> folded(["net/kernel", "net/bias", "head/kernel", "scale"], every)
    ['net/*', 'head/kernel', 'scale']
    """
    return [row.name for row in chosen(some, every)]


class _Table:
    """Paths as a tree, in which numbered siblings with the same result are merged."""

    def __init__(
        self,
        paths: Sequence[str],
        fates: Sequence[Hashable],
        origins: Sequence[Hashable],
        alike: int,
        whole: frozenset[Hashable],
    ) -> None:
        self.paths, self.fates, self.origins, self.alike, self.whole = paths, fates, origins, alike, whole
        self.coarse = False
        self.root = _Node("")
        self._shapes: dict[Hashable, int] = {}
        for place, path in enumerate(paths):
            node = self.root
            for mark, part in _parts(path):
                found = node.below.get(mark + part)
                if found is None:
                    found = node.below[mark + part] = _Node(part, mark, bool(_NUMBERS.search(part)))
                node = found
            node.own.append(place)
        self._close(self.root)

    def _close(self, root: _Node) -> None:
        """Computes the contents of every node, from the leaves up."""
        waiting, order = [root], []
        for node in waiting:
            order.append(node)
            waiting += node.below.values()
        for node in reversed(order):
            self._merge_numbers(node)
            below = node.below.values()
            node.members = sorted([*node.own, *(place for one in below for place in one.members)])
            node.fates = frozenset(self.fates[place] for place in node.own).union(
                *(one.fates for one in below)
            )
            node.blocks = any(self._is_block(one) or one.blocks for one in below)
            own = frozenset(self.fates[place] for place in node.own)
            shape = own, frozenset((one.mark, one.name, one.shape) for one in below)
            node.shape = self._shapes.setdefault(shape, len(self._shapes))

    def _is_block(self, node: _Node) -> bool:
        return node.numbered and bool(node.below) and len(node.members) >= self.alike

    def _merge_numbers(self, node: _Node) -> None:
        """Merges consecutive siblings that differ only in a number and have the same result."""
        split = {key: [one.mark, *_NUMBERS.split(one.name)] for key, one in node.below.items()}
        for place in range(max(map(len, split.values()), default=0) - 2, 0, -1):
            groups: dict[tuple[str, ...], list[str]] = {}
            for key, words in split.items():
                if place < len(words) and words[place].isdigit():
                    groups.setdefault((*words[:place], "", *words[place + 1 :]), []).append(key)
            for keys in groups.values():
                keys.sort(key=lambda key: int(split[key][place]))
                for run in self._runs(node, keys):
                    first, last = split[run[0]], split[run[-1]][place]
                    merged = self._merged([node.below.pop(key) for key in run])
                    words = [*first[:place], f"{first[place]}..{last}", *first[place + 1 :]]
                    merged.name = "".join(words[1:])
                    for key in run:
                        del split[key]
                    node.below["".join(words)] = merged
                    split["".join(words)] = words

    def _runs(self, node: _Node, keys: Sequence[str]) -> Iterator[list[str]]:
        run: list[str] = []
        for key in [*keys, None]:
            if key is not None and (not run or node.below[key].shape == node.below[run[-1]].shape):
                run.append(key)
                continue
            if len(run) > 1 and sum(len(node.below[one].members) for one in run) >= self.alike:
                yield run
            run = [] if key is None else [key]

    def _merged(self, nodes: Sequence[_Node]) -> _Node:
        """Merges nodes of one shape into one node."""
        first = nodes[0]
        found = _Node(first.name, first.mark, True, fates=first.fates, shape=first.shape, blocks=first.blocks)
        found.own = [place for node in nodes for place in node.own]
        found.members = sorted(place for node in nodes for place in node.members)
        found.below = {
            key: self._merged([node.below[key] for node in nodes]) if len(nodes) > 1 else first.below[key]
            for key in first.below
        }
        return found

    # -- rows -------------------------------------------------------------------------------------------

    def rows(self, node: _Node, path: str, told: frozenset[Hashable] = frozenset()) -> Iterator[Fold]:
        """Yields the rows of a node with this path, without fates that are listed already."""
        if node.fates <= told:
            return
        if node is not self.root and node.below and len(node.members) >= self.alike:
            if len(node.fates) == 1 and not self._has_blocks_to_tell(node):
                yield Fold(f"{path}{self._mark(node)}*", tuple(node.members))
                return
            if len(node.fates) > 1 and (self.coarse or self._is_block(node)):
                for fate, row in self._by_fate(node, path):
                    if fate not in told:
                        told |= {fate}
                        yield row
        for row in self._leaves(node, path):
            if self.fates[row.members[0]] not in told:
                yield row
        for one in node.below.values():
            yield from self.rows(one, path + one.mark + one.name, told)

    def _has_blocks_to_tell(self, node: _Node) -> bool:
        """Whether the blocks below a node with the same result have separate rows."""
        if self.coarse or not node.blocks or self._is_block(node) or node.fates <= self.whole:
            return False
        # A node that is a single block keeps its own name.
        return any(len(one.members) < len(node.members) for one in node.below.values())

    def _leaves(self, node: _Node, path: str) -> Iterator[Fold]:
        """Yields the rows of the paths that end here: one, unless their results or origins differ."""
        apart: dict[Hashable, list[int]] = {}
        for place in node.own:
            apart.setdefault((self.fates[place], self.origins[place]), []).append(place)
        if len({self.paths[place] for place in node.own}) > 1:
            # One number of each: they may have been created anywhere.
            apart = {}
            for place in node.own:
                apart.setdefault(self.fates[place], []).append(place)
        for places in apart.values():
            yield Fold(path, tuple(places))

    def _by_fate(self, node: _Node, path: str) -> Iterator[tuple[Hashable, Fold]]:
        """Yields a row for each fate below a node that the last names of its paths tell from all others."""
        names: dict[Hashable, dict[str, None]] = {}
        places: dict[Hashable, list[int]] = {}
        for place in node.members:
            fate = self.fates[place]
            names.setdefault(fate, {})[_parts(self.paths[place])[-1][1]] = None
            places.setdefault(fate, []).append(place)
        bearers = Counter(name for one in names.values() for name in one)
        mark = self._mark(node)
        for fate, one in names.items():
            if len(one) > LAST or len(places[fate]) == 1 or any(bearers[name] > 1 for name in one):
                continue
            last = next(iter(one)) if len(one) == 1 else f"{{{', '.join(one)}}}"
            yield fate, Fold(f"{path}{mark}*{mark}{last}", tuple(places[fate]))

    @staticmethod
    def _mark(node: _Node) -> str:
        return next(iter(node.below.values())).mark or "/"


def _parts(path: str) -> list[tuple[str, str]]:
    """Returns the parts of a path, each with the sign before it."""
    words = ["", *_PARTS.split(path)]
    return list(zip(words[::2], words[1::2], strict=True))


__all__ = ["ALIKE", "Fold", "chosen", "fold", "folded"]
