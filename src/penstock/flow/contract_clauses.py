"""The clauses of a contract, the variables they select, and the findings it declares as intended."""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass, field, replace
from typing import Any

from penstock.errors import PenstockError
from penstock.flow.manual import words
from penstock.flow.report_model import Finding
from penstock.flow.target_networks import Following, pairs
from penstock.state.selection import name_of, names, near, select, variables_of
from penstock.trace.source_site import Site, here

Wanted = tuple[Any, ...]
"""The subjects of a clause: patterns, and numbers of variables."""


@dataclass(frozen=True, slots=True)
class Terms:
    """The clauses of a contract, as `contract` explains them; None for an absent clause.

    Equal terms have one `number`.
    """

    updates: Wanted | None
    reads: Wanted | None
    locked: Wanted | None
    reaches: Wanted | None
    unused: Wanted | None
    follows: tuple[tuple[Wanted, Wanted, float | None], ...]
    name: str = field(compare=False)
    site: Site = field(compare=False)
    objects: Mapping[int, Any] = field(compare=False)
    number: int = field(compare=False, default=-1)

    def of(self, clause: str, present: Set[int], wanted: Wanted | None = None) -> dict[int, Any]:
        """Returns the variables that a clause selects, by their numbers, given those of the present record.

        If several living variables have the same path, as when a notebook has made its model twice, a pattern
        selects those on the record, or else the youngest.
        """
        wanted = getattr(self, clause) if wanted is None else wanted
        if wanted is None:
            return {}
        chosen = select([self.objects.get(one, one) for one in wanted], what=f"contract, {clause}")
        found = {variable._uid: variable for variable in chosen}
        bearers: dict[str, list[int]] = {}
        for uid, variable in found.items():
            bearers.setdefault(name_of(variable), []).append(uid)
        for uids in bearers.values():
            meant = {uid for uid in uids if uid in present or uid in self.objects} or {max(uids)}
            for uid in uids:
                if uid not in meant:
                    del found[uid]
        return found

    def pairs(self, present: Set[int]) -> list[Following]:
        """Returns which variables follow which, and at which rate."""
        found: list[Following] = []
        for target, source, rate in self.follows:
            targets, sources = (self.of("follows", present, one).values() for one in (target, source))
            found += pairs(list(targets), list(sources), rate)
        return found


def terms_of(name: str, clauses: Mapping[str, Any]) -> Terms:
    """Returns the terms made of these clauses."""
    if all(value is None for value in clauses.values()):
        raise PenstockError(
            f"{name} has no clause.", remedy="Give a clause, such as updates='generator/*'.", site=here()
        )
    objects: dict[int, Any] = {}
    plain: dict[str, Any] = {
        clause: None if clauses.get(clause) is None else _wanted(clauses[clause], objects)
        for clause in ("updates", "reads", "locked", "reaches", "unused")
    }
    follows = []
    for target, given in (clauses.get("follows") or {}).items():
        source, rate = given if isinstance(given, tuple) and len(given) == 2 else (given, None)
        if not (rate is None or isinstance(rate, int | float)):
            raise PenstockError(
                f"follows: the rate {rate!r} ({type(rate).__name__}) is not a number.",
                remedy="Give a number after the sources, as in (sources, 0.005).",
                site=here(),
            )
        follows.append((_wanted(target, objects), _wanted(source, objects), rate))
    for code, wanted in (clauses.get("allow") or {}).items():
        allow(code, _wanted(wanted, objects), objects)
    made = Terms(**plain, follows=tuple(follows), name=name, site=here(), objects=objects)
    return replace(made, number=_numbers.setdefault(replace(made, objects={}), len(_numbers)))


_numbers: dict[Terms, int] = {}
"""A small number for each distinct set of terms so far, for use in short keys."""


def _wanted(thing: Any, objects: dict[int, Any]) -> Wanted:
    """Returns the subjects of a clause as hashable values; variables go into `objects` by their numbers."""
    if isinstance(thing, str):
        return (thing,)
    if isinstance(thing, list | tuple | set | frozenset):
        return tuple(part for one in thing for part in _wanted(one, objects))
    chosen = {variable._uid: variable for variable in variables_of(thing)}
    objects.update(chosen)
    return tuple(chosen)


@dataclass(frozen=True, slots=True)
class Allowance:
    """A finding that a contract silences in `penstock check`, for these variables and no others."""

    code: str
    wanted: Wanted
    objects: Mapping[int, Any] = field(compare=False)

    def covers(self, code: str, path: str) -> bool:
        """Returns whether a finding about a variable of this path is allowed."""
        if code != self.code:
            return False
        # Its variables may no longer exist.
        chosen = select([self.objects.get(one, one) for one in self.wanted], missing_ok=True)
        return any(path in names(variable) for variable in chosen)


allowances: dict[Allowance, None] = {}
"""The allowances of contracts since the process began, oldest first."""


def allow(code: str, wanted: Wanted, objects: Mapping[int, Any]) -> None:
    """Notes an allowance. Raises PenstockError for a code that no finding has."""
    codes = [word for word in words() if word.startswith("PS")]
    if code not in codes:
        raise PenstockError(
            f"allow= was given {code!r}, which is not the code of a finding.",
            origin=f"Codes: {', '.join(near(code, codes) or map(repr, codes))}",
            remedy="penstock explain CODE describes a finding.",
            site=here(),
        )
    allowances[Allowance(code, wanted, dict(objects))] = None


def meant(finding: Finding) -> bool:
    """Returns whether every variable of a finding is covered by a contract's `allow`."""
    return bool(finding.variables) and all(
        any(one.covers(finding.code, path) for one in allowances) for path in finding.variables
    )


__all__ = ["Allowance", "Terms", "allowances", "meant", "terms_of"]
