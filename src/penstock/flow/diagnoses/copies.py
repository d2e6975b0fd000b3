"""Copies that are none, that come too late, or that follow a model in part."""

from __future__ import annotations

from dataclasses import replace

from penstock.flow.diagnoses.evidence import Evidence, at, finding, listed, plural
from penstock.flow.noted import Shared, Undone, Unfollowed, Untied
from penstock.flow.seen import Finding
from penstock.flow.source import loop_around

OFTEN = 2
"""A line that takes variables back so often does not do it once, at the end of something."""


def undone(seen: Evidence) -> list[Finding]:
    """Returns a finding for each line that takes variables back to where they were before all updates.

    Not where several optimizers take turns with them, or another line writes them too: a search that begins
    anew, an inner loop, values that are put back.
    """
    found = []
    for fact, one in seen.of(Undone):
        times = one.times // max(len(one.held), 1)
        held = [each for each in one.held if len(each.writers) == 2]
        made = {
            writer.made for each in held for key, writer in each.writers.items() if writer.kind == "apply"
        }
        movers = [line for line in seen.made if line.site in made]
        every = [each for each in seen.subjects if each.owned and (fact.by, fact.site) in each.writers]
        # A few that have hardly moved are back where they were, wherever the others are.
        if 2 * len(held) <= len(every) or times < OFTEN or any(line.count > 1 for line in movers):
            continue
        message = (
            f"{fact.by}{at(fact.site)} has written {listed(held)} {times} times with the "
            f"{plural(held, 'value it', 'values they')} had before the first update: what the updates"
            f"{at(fact.of)} had learned by then is lost, and the next begin anew."
        )
        fix = (
            "Update what is copied from after each step, if it is an average; and keep the trained values "
            "before this line, to copy them back after what it is for."
        )
        found.append(finding("PS414", "warning", held, fact.site, fact.site, message, fix))
    return found


def unfollowed(seen: Evidence) -> list[Finding]:
    """Returns a finding for each line that copies the weights of layers whose statistics stay behind."""
    found = []
    for fact, one in seen.of(Unfollowed):
        held = [each for each in one.held if not each.writers]
        if not held:
            continue
        message = (
            f"{fact.by}{at(fact.site)} makes a model follow the weights of {fact.model!r}, and "
            f"{listed(held)} {plural(held, 'stays', 'stay')} as created: the statistics of {fact.model!r} "
            "move, and what is copied does not include them."
        )
        fix = held[0].words.follow()
        cause = loop_around(fact.site) or fact.site
        found.append(finding("PS415", "warning", held, fact.site, cause, message, fix))
    return found


def untied(seen: Evidence) -> list[Finding]:
    """Returns a finding for each pair of names that had one variable, and have two now, each trained."""
    found = []
    for fact, one in seen.of(Untied):
        held = [each for each in one.held if each.owned and each.writers]
        if len(held) < 2:
            continue
        first, second = fact.names
        message = (
            f"{first!r} and {second!r} had one {held[0].words.variable}. {first!r} was given another"
            f"{at(fact.first)} and {second!r} one of its own{at(fact.site)}, so they are two now: each has a "
            "gradient of its own, and they drift apart."
        )
        fix = f"Tie them again, where {second!r} gets its own: assign that of {first!r} to it."
        found.append(finding("PS416", "warning", held, fact.site, fact.site, message, fix))
    return found


def shared(seen: Evidence) -> list[Finding]:
    """Returns a finding for each name that was to have a copy and has the thing itself."""
    found = []
    for fact, one in seen.of(Shared):
        held = one.held
        message = (
            f"{fact.names[0]!r} and {fact.names[1]!r} are one and the same{at(fact.site)}: what trains the "
            f"one writes the other. {fact.names[1]!r} is taken for a constant, and moves with every update."
        )
        fix = f"Give {fact.names[1]!r} a copy: copy.deepcopy({fact.names[0]})."
        told = finding("PS417", "warning", held, fact.site, fact.site, message, fix)
        found.append(replace(told, variables=fact.paths))
    return found
