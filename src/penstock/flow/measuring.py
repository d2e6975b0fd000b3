"""Measures gradients in some steps of a program, and finds values that are non-finite or exactly zero.

A gradient that no variable keeps is gone when the step is over, so the step is computed again. That is done
for the first steps of each requesting line and then more and more rarely: see decision 0035.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from penstock.flow import sampling
from penstock.flow.clips import Clip, note, pairs_of
from penstock.flow.graph import Request
from penstock.flow.loss_terms import TermFact
from penstock.flow.observed import Passage, Variable, Wrote
from penstock.flow.origins import first_bad, is_bad, told
from penstock.flow.paths import PathFacts
from penstock.flow.report_model import Subject, Term
from penstock.flow.sizes import NotFinite, Size, Unread, Weighed
from penstock.flow.zeros import zero_of
from penstock.trace.source_site import Site

EARLY = frozenset((1, 2, 3, 4, 8, 16))
"""The gradients of a requesting line that are measured on a path of little work, by their count."""
COSTLY = frozenset((1, 2, 4))
"""Those that are measured on a heavy path; from the 1024th on, one in each factor of eight.
Nothing depends on the tier: the report on a program is the same whichever runs it."""


MODELS = 8
"""How many models that one line trains are measured separately."""


def is_due(count: int, heavy: bool) -> bool:
    """Returns whether the gradient number `count` is measured.

    >>> [count for count in range(1, 2000) if is_due(count, heavy=False)]
    [1, 2, 3, 4, 8, 16, 1024]
    """
    if count <= 16:
        return count in (COSTLY if heavy else EARLY)
    return count >= 1024 and not count & (count - 1) and count.bit_length() % 3 == 2


def until_due(count: int) -> int:
    """Returns how many more come after this many before one may be due, on a heavy path or another.

    >>> until_due(4), until_due(15), until_due(16)
    (3, 0, 1007)
    """
    due = 1024
    while due <= count or not is_due(due, heavy=False):
        due *= 2
    return min((one for one in EARLY if one > count), default=due) - count - 1


class Measuring:
    """The measurements of a program: `sizes` by number of the variable, `lost` by the writing line.

    With `deep`, every step that writes at most sampling.HUGE numbers is measured, and the share of each term
    in each gradient.
    """

    def __init__(self, subject: Callable[[Variable], Subject], deep: bool = False) -> None:
        self._subject = subject
        self.deep = deep
        self._counts: dict[object, int] = {}
        self._models: dict[Site | None, int] = {}
        self.sizes: dict[int, Size] = {}
        self.lost: dict[object, NotFinite] = {}
        self.clips: dict[object, Clip] = {}
        self._rows: dict[int, tuple[Variable, Callable[[], int | None]]] = {}
        self._losses: dict[Site | None, list[int]] = {}
        self._bad_losses: dict[Site | None, NotFinite] = {}
        self.terms: dict[object, Weighed] = {}
        self._gone: set[int] = set()

    # -- gradients ------------------------------------------------------------------------------------------

    def passed(self, passage: Passage, step: int) -> None:
        """Measures the requested gradients of a passage that are due."""
        requests = _requests(passage)
        if not requests and passage.graph.requests:
            self._explain(passage)
            return
        begins = passage.begins
        due = [one for one, index in requests if one.event >= begins and self._comes(one, index, passage)]
        if not due:
            return
        numbers = {n for one in due for parts in one.gradients for n in parts}
        numbers |= {n for one in due for n in (*one.sources, *one.targets) if n is not None}
        events = {one.event for one in due}
        known: PathFacts = passage.facts["check"]
        terms = [one for one in known.terms if one.request in events]
        for term in terms:
            numbers |= {term.number, *(n for n, _ in term.outer + term.inner)}
        pairs = passage.facts.get("clips")
        if pairs is None:
            pairs = passage.facts["clips"] = pairs_of(passage.graph)
        numbers |= {n for one in pairs for n in (one.before, one.after)}
        values = passage.values(numbers)
        if values is None:
            return
        note(passage, pairs, values, self.clips)
        for request in due:
            self._measure(passage, request, values, step)
            self._look(passage, request, values, step)
            own = [term for term in terms if term.request == request.event]
            weighed = [(term, found) for term in own if (found := self._weigh(term, request, values))]
            if self.deep and len(weighed) > 1:
                self._share(passage, request, weighed)

    def _share(self, passage: Passage, request: Request, weighed: Sequence[tuple[TermFact, Weighed]]) -> None:
        """Notes the share of each term in the gradient of each variable."""
        shares = passage.shares(request, [term.number for term, _ in weighed])
        for term, found in weighed:
            for index, size in shares.get(term.number, {}).items():
                subject = self._subject(passage.variables[index])
                before = found.gradients.get(subject.order, (subject, 0.0))[1]
                found.gradients[subject.order] = subject, before + size * abs(found.outer)

    def _look(self, passage: Passage, request: Request, values: dict[int, Any], step: int) -> None:
        """Tests whether a loss is finite, and finds the first non-finite value behind it."""
        bad = [one for one in request.targets if is_bad(values[one])]
        counts = self._losses.setdefault(request.site, [0, 0])
        counts[0] += 1
        counts[1] += bool(bad)
        if bad and counts == [1, 1]:
            known = [passage.graph.values[one].variable for one in request.sources if one is not None]
            subjects = [self._subject(passage.variables[one]) for one in known if one is not None]
            found = NotFinite(step, "loss", request.site, tuple(subjects), math.nan, False)
            self._bad_losses[request.site] = self._origin(passage, bad[0], found)

    def found(self) -> list[NotFinite]:
        """Returns the non-finite values; losses only if they were never finite."""
        losses = [
            one
            for site, one in self._bad_losses.items()
            if self._losses[site][0] == self._losses[site][1] > 1
        ]
        return [*self.lost.values(), *losses]

    def _weigh(self, term: TermFact, request: Request, values: dict[int, Any]) -> Weighed | None:
        """Notes the share of a term in its loss, if that is a single number."""
        value = np.asarray(values[term.number])
        scales = [(np.asarray(values[number]), divides) for number, divides in term.outer + term.inner]
        if value.size != 1 or any(scale.size != 1 for scale, _ in scales):
            return None
        weights = [_scale(scale, divides) for scale, divides in scales]
        key = term.name, term.site, term.twin
        found = self.terms.setdefault(key, Weighed(request.site))
        found.times += 1
        found.weight = math.prod(weights)
        found.outer = math.prod(weights[: len(term.outer)])
        amount = float(np.abs(value).reshape(())) * abs(found.outer)
        found.sum += amount if math.isfinite(amount) else 0.0
        return found

    def tell(self, terms: Mapping[tuple[str, Site | None, int], Term]) -> None:
        """Adds the measurements to terms."""
        whole: dict[object, float] = {}
        for one in self.terms.values():
            whole[one.asked] = whole.get(one.asked, 0.0) + one.mean
        for key, term in terms.items():
            found = self.terms.get(key)
            if found is not None:
                term.weight = found.weight
                term.gradients = [(one, size / found.times) for one, size in found.gradients.values()]
                term.share = found.mean / whole[found.asked] if whole[found.asked] else math.nan

    def _explain(self, passage: Passage) -> None:
        """Looks up why gradients that the source has measured itself were zero."""
        for request in reversed(passage.graph.requests):
            held = []
            for source in request.sources:
                index = passage.graph.values[source].variable if source is not None else None
                size = (
                    self.sizes.get(self._subject(passage.variables[index]).order)
                    if index is not None
                    else None
                )
                if (
                    index is not None
                    and size is not None
                    and size.zero is None
                    and size.zeros == size.times > 1
                ):
                    held.append((index, size))
            why = zero_of(passage, request, [index for index, _ in held]) if held else {}
            for index, size in held:
                size.zero = why.get(index)

    def _comes(self, request: Request, index: int, passage: Passage) -> bool:
        """Counts a request of a line, and returns whether it is measured this time.

        A line may train one model after another: the first variable distinguishes them. With many models,
        those after the first few share a count.
        """
        key = request.site, passage.variables[index].uid if index >= 0 else -1
        count = self._counts.get(key)
        if count is None:
            known = self._models[request.site] = self._models.get(request.site, 0) + 1
            count = 0
            if known > MODELS:
                key = request.site, -2
                count = self._counts.get(key, 0)
        self._counts[key] = count = count + 1
        return self.in_every_step(passage) or is_due(count, passage.is_heavy)

    def in_every_step(self, passage: Passage) -> bool:
        """Returns whether a passage is measured each time: if `deep`, unless that moves too much memory."""
        return self.deep and passage.elements_written <= sampling.HUGE

    def keys(self, passage: Passage) -> list[object]:
        """Returns the keys under which the requests of a passage measured before are counted."""
        begins = passage.begins
        keys = [
            (one.site, passage.variables[index].uid if index >= 0 else -1)
            for one, index in _requests(passage)
            if one.event >= begins
        ]
        return [key if key in self._counts else (key[0], -2) for key in keys]

    def count(self, key: object) -> int:
        """Returns the count of a key."""
        return self._counts.get(key, 0)

    def add(self, key: object, times: int) -> None:
        """Counts requests that are not due."""
        self._counts[key] = self._counts.get(key, 0) + times

    def _measure(self, passage: Passage, request: Request, values: dict[int, Any], step: int) -> None:
        graph, zeros = passage.graph, []
        for source, parts in zip(request.sources, request.gradients, strict=False):
            index = graph.values[source].variable if source is not None else None
            if source is None or index is None or not parts:
                continue
            gradient, value = _dense(values, parts), np.asarray(values[source])
            if len(parts) == 1 and gradient.shape != value.shape:
                # This is not a gradient but the rows of a Jacobian.
                continue
            size = self.size(passage.variables[index])
            size.note(step, norm(gradient), norm(value), request.site)
            if size.zeros == size.times > 1 and size.zero is None:
                zeros.append((index, size))
            if size.lost == size.times == 1:
                self._note_gradient(passage, request, parts[-1], step, size)
        if zeros:
            why = zero_of(passage, request, [index for index, _ in zeros])
            for index, size in zeros:
                size.zero = why.get(index)

    def size(self, variable: Variable) -> Size:
        """Returns the notes on the sizes of a variable."""
        subject = self._subject(variable)
        found = self.sizes.get(subject.order)
        if found is None:
            found = self.sizes[subject.order] = Size(subject)
        return found

    def _note_gradient(self, passage: Passage, request: Request, number: int, step: int, size: Size) -> None:
        """Looks up the origin of the first non-finite gradient of a variable."""
        key = "gradient", request.site
        before = self.lost.get(key)
        if before is not None:
            return
        self.lost[key] = self._origin(
            passage, number, NotFinite(step, "", request.site, (size.subject,), math.nan, False)
        )

    def clipped(self, by: str, site: Site | None, active: bool) -> None:
        """Counts a line that clips gradients, if the source finds out itself whether it has clipped one."""
        clip = self.clips.setdefault((by, site), Clip(by, site))
        clip.times += 1
        clip.active += active

    # -- tables ---------------------------------------------------------------------------------------------

    def tables(self, passage: Passage, writes: Sequence[Wrote]) -> None:
        """Keeps a note on tables before their first write: rows that are never read stay unchanged."""
        wanted: frozenset[int] | None = passage.facts.get("tables")
        if wanted is None:
            rows = (
                (one.sources[at], parts)
                for one in passage.graph.requests
                for at, parts in enumerate(one.gradients)
                if len(parts) == 2
            )
            values = passage.graph.values
            found = {values[source].variable for source, _ in rows if source is not None}
            wanted = passage.facts["tables"] = frozenset(one for one in found if one is not None)
        if wanted:
            held = {passage.variables[index].uid for index in wanted}
            for one in writes:
                if one.uid in held and one.kind == "apply" and one.uid not in self._rows:
                    self._rows[one.uid] = one.variable, one.untouched()

    def unread(self) -> list[Unread]:
        """Returns the tables with rows that were never read, as far as their optimizers show it."""
        found = []
        for variable, untouched in self._rows.values():
            rows = untouched()
            if rows:
                subject = self._subject(variable)
                found.append(Unread(subject, rows, subject.shape[0]))
        return found

    # -- writes ---------------------------------------------------------------------------------------------

    def wrote(self, passage: Passage, one: Wrote, subject: Subject) -> None:
        """Examines a write whose value may be non-finite; finds the origin if it is the first."""
        if one.own or subject.order in self._gone or one.is_finite():
            return
        self._gone.add(subject.order)
        key = one.by, one.site
        known = self.lost.get(key)
        if known is not None:
            if known.step == one.step:
                self.lost[key] = replace(known, subjects=(*known.subjects, subject))
            return
        graph = passage.graph
        number = next(
            (
                write.value
                for write in graph.writes
                if write.event == one.event and passage.variables[write.variable].uid == one.uid
            ),
            None,
        )
        found = NotFinite(one.step, one.by, one.site, (subject,), math.nan)
        self.lost[key] = found if number is None else self._origin(passage, number, found)

    def note_lost(self, subjects: Sequence[Subject], found: NotFinite) -> None:
        """Notes a source's finding on a write of non-finite values."""
        self._gone |= {one.order for one in subjects}
        self.lost.setdefault((found.by, found.site), replace(found, subjects=tuple(subjects)))

    def _origin(self, passage: Passage, number: int, found: NotFinite) -> NotFinite:
        """Adds the origin to a finding on a non-finite value."""
        graph = passage.graph
        values = passage.values(graph.ancestors([number]))
        if values is None or not is_bad(values[number]):
            return found
        return told(passage, found, number, first_bad(graph, values, number), values)


def _requests(passage: Passage) -> Sequence[tuple[Request, int]]:
    """Returns the requests of a path that got a gradient, each with its first variable."""
    requests: Sequence[tuple[Request, int]] | None = passage.facts.get("measured")
    if requests is None:
        every = [one for one in passage.graph.requests if any(one.gradients)]
        requests = passage.facts["measured"] = [(one, _first(passage, one)) for one in every]
    return requests


def _first(passage: Passage, request: Request) -> int:
    """Returns the number of the first variable in a request; -1 if there is none."""
    values = passage.graph.values
    known = (values[one].variable for one in request.sources if one is not None)
    return next((one for one in known if one is not None), -1)


def _scale(number: Any, divides: bool) -> float:
    found = float(np.real(number).reshape(()))
    return (1.0 / found if found else math.inf) if divides else found


def _dense(values: dict[int, Any], parts: Sequence[int]) -> Any:
    """Returns a gradient as one array; for rows, the existing rows, each once."""
    if len(parts) == 1:
        return np.asarray(values[parts[0]])
    ids, rows = (np.asarray(values[one]) for one in parts)
    flat = rows.reshape(ids.size, -1)
    kept, place = np.unique(ids.ravel(), return_inverse=True)
    total = np.zeros((kept.size, flat.shape[1]), np.float64)
    np.add.at(total, place.ravel(), flat)
    return total


def norm(value: Any) -> float:
    """Returns the Euclidean norm of an array, computed in double precision."""
    array = np.asarray(value)
    if array.dtype.kind not in "fcV":
        array = array.astype(np.float64)
    with np.errstate(all="ignore"):
        if array.dtype.kind == "f" and array.dtype.itemsize >= 4:
            flat = array.ravel()
            found = float(np.dot(flat, flat))
            if 1e-30 < found < 1e30:
                return math.sqrt(found)
        wide = np.abs(array).astype(np.float64).ravel()
        return math.sqrt(found) if (found := float(np.dot(wide, wide))) >= 0 else math.nan


__all__ = ["Measuring", "is_due", "norm", "until_due"]
