"""Many variables in few words: a family that fared alike is called by its pattern."""

from __future__ import annotations

from collections.abc import Iterable

from penstock.flow.seen import Subject


def patterns(some: Iterable[Subject], every: Iterable[Subject]) -> list[str]:
    """Returns the paths of some variables; where all trainable ones of a family are there, its pattern.

    >>> from penstock.trace.site import Site
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
