"""Cuts in words: what each one is, on which line, and what to type."""

from __future__ import annotations

from penstock.flow.graph import Tape
from penstock.flow.naming import Place, spoken
from penstock.flow.reach import Cut, Verdict
from penstock.flow.source import line_at
from penstock.flow.words import Words
from penstock.trace.source_site import Site

STANDING = -1
"""The number of the tape that is always recording, in a framework that has one."""


def cut_site(place: Place, cut: Cut) -> Site | None:
    """Returns the line of a cut: where a variable without derivative was created, else the operation's."""
    if cut.operand is None and cut.word in ("frozen", "unwatched"):
        return None
    there = place.at(cut.value)
    inside = there.value.inside(cut.operand)
    if inside is not None and inside.site is not None and cut.word not in ("outside", "unwatched"):
        return inside.site
    if cut.operand is None and there.value.variable is not None:
        site: Site = there.bound.site
        return site
    return place.graph.site(cut.value)


def remark(place: Place, cut: Cut) -> str:
    """Says what a cut is, for the line of the cut."""
    name = spoken(place)
    inside = place.value.inside(cut.operand)
    if inside is not None and cut.word not in ("outside", "unwatched"):
        if inside.site == place.value.site:
            return f"no gradient passes {inside.name}: the path ends here"
        return f"{cut.word} inside: the path ends at {inside.name} ({inside.site})"
    if cut.word == "discrete":
        return _remark_discrete(place, cut, name)
    if cut.word == "outside":
        return f"computed {outside(place)}"
    words = place.graph.words
    if cut.word == "unwatched" and cut.operand is not None:
        return words.late_watch
    remarks = {
        "stopped": "the path ends here",
        "flat": f"{name} has slope zero wherever it has a slope: the path ends here",
        "overwritten": f"{name} stores a value, not its history: the path ends here",
        "unruled": f"{name} has no derivative rule: the path ends here",
        "frozen": _remark_frozen(place),
        "unwatched": words.unwatched,
    }
    return remarks.get(cut.word, "")


def _remark_frozen(place: Place) -> str:
    if place.value.variable is None:
        return place.graph.words.frozen("")
    return place.bound.words.frozen(place.bound.flag)


def _remark_discrete(place: Place, cut: Cut, name: str) -> str:
    spec = place.value.spec
    if cut.operand is None:
        return f"{spec} has no derivative"
    if place.value.differentiable:
        return f"{name} takes whole numbers there: the path ends here"
    return f"{name} returns {'booleans' if spec.startswith('bool') else 'integers'}: the path ends here"


def outside(place: Place) -> str:
    """Says when a value outside its tape's record was computed: before it, after it, or in a pause."""
    found = _tape_around(place)
    words = place.graph.words
    if found is None:
        return words.unrecorded
    tape, before, after = found
    if tape.number == STANDING:
        since = tape.closed[before] if before is not None and before < len(tape.closed) else None
        return f"{words.silence}, from {since} on" if since is not None else words.silence
    if before is None:
        return f"before the tape opened at {tape.opened[after or 0]}"
    if after is None:
        return f"after the tape opened at {tape.opened[before]} had closed"
    return f"while recording was off, from {tape.closed[before]} on"


def _tape_around(place: Place) -> tuple[Tape, int | None, int | None] | None:
    """Returns the tape of a place's region, and the numbers of its intervals before and after the place."""
    if place.region is None or not place.region.intervals:
        return None
    start = place.region.intervals[0][0]
    standing = [tape for tape in place.graph.tapes if tape.number == STANDING]
    for tape in [*place.graph.tapes, *standing]:
        own = tape.region(len(place.graph.values)).intervals
        if own and (own[0][0] == start or tape in standing):
            before = [i for i, (_, stop) in enumerate(own) if stop <= place.number]
            after = [i for i, (first, _) in enumerate(own) if first > place.number]
            return tape, before[-1] if before else None, after[0] if after else None
    return None


def fix_for(place: Place, verdict: Verdict, source: str, target: str, own: Words) -> str:
    """Returns what to type. `source` and `target` are their names, `own` the words of the source."""
    if verdict.look is not None:
        how, left = verdict.look.how, verdict.look.site
        copied = _copied(place, verdict)
        # NumPy itself requests the array if one of its functions gets a tensor.
        asked = how == "numpy.asarray()" and "asarray" not in line_at(left)
        if asked or (how.startswith("numpy.") and how not in ("numpy.asarray()", "numpy.array()")):
            also = f", and remove {copied}" if copied else ""
            return f"Stay with tensors: call a function of tensors instead of NumPy's at {left}{also}."
        return f"Stay with tensors: remove the {how} at {left}{copied and f', and {copied}'}."
    if not verdict.cuts:
        return own.unread(source, target) if verdict.reason == "unused" else ""
    cut = verdict.cuts[0]
    there, words = place.at(cut.value), place.graph.words
    name, where = there.event.name, cut_site(place, cut)
    inside = there.value.inside(cut.operand)
    if inside is not None and cut.word not in ("outside", "unwatched"):
        if inside.remedy:
            return inside.remedy
        name = inside.name
    if cut.word == "discrete":
        return _fix_discrete(there, cut, name)
    said = spoken(there) if name == there.event.name else name
    function = name if said.startswith("`") else said
    if cut.word == "outside":
        return _fix_outside(there)
    if cut.word == "unwatched" and cut.operand is not None:
        return words.watch_before(source, where)
    fixes = {
        "stopped": _fix_stopped(there, where, source, target),
        "flat": f"Let the gradient pass as if {said} were not there: {words.around(function, 'x')}.",
        "overwritten": f"Compute with the value assigned at {where}, instead of the variable.",
        "unruled": words.derivative(said),
        "frozen": (there.bound.words if there.value.variable is not None else words).unfreeze(source),
        "unwatched": words.watch(source),
        "dead_end": own.lost(source, target),
    }
    return fixes[cut.word]


def _fix_stopped(there: Place, where: Site | None, source: str, target: str) -> str:
    barrier = there.graph.words.barrier_in(line_at(where))
    fix = f"Remove the {barrier} at {where}, if {source} is meant to learn from {target}."
    if not _is_aim(there):
        return fix
    return (
        f"{fix} That changes the algorithm: the {barrier} fixes one side of a difference, and the other "
        f"side learns to approach it. To train {source} as well, add a term with the {barrier} on the "
        "other side."
    )


def _is_aim(there: Place) -> bool:
    """Returns whether a constant value is subtracted from a learning one, or the reverse."""
    graph, region = there.graph, there.region
    if region is None:
        return False
    learning, waiting = graph.tracked(region), [there.number]
    for number in waiting:
        for user in graph.users(number):
            value = graph.values[user]
            if value.role == "sum" and value.name != "add":
                if any(one in learning for one in value.inputs if one != number):
                    return True
            elif value.role:
                waiting.append(user)
    return False


def _copied(place: Place, verdict: Verdict) -> str:
    """Says what else to leave out, if a value that left the record came back in a new variable."""
    back = place.at(verdict.entry) if verdict.entry is not None else place
    assert verdict.look is not None
    if back.value.kind != "variable" or back.bound.words.maker == verdict.look.how:
        return ""
    return f"the {back.bound.words.maker} at {back.bound.site}, which copies a value without its history"


def _fix_discrete(there: Place, cut: Cut, name: str) -> str:
    spec = there.value.spec
    if cut.operand is None and there.value.variable is not None:
        such = " such as 0.0" if spec.endswith("[]") else ""
        return there.bound.words.create_smooth(such)
    if name in ("argmax", "argmin"):
        return f"Train on something smooth instead, for example {there.graph.words.smooth_choice}."
    if name == "cast":
        around = there.graph.words.around("round", "x")
        return f"Stay with a floating-point dtype here, or round with {around}."
    if spec.startswith("bool"):
        return "Use something smooth in place of the comparison, for example sigmoid of the difference."
    said = spoken(there) if name == there.event.name else name
    return f"Replace {said} by a smooth operation."


def _fix_outside(there: Place) -> str:
    found, words = _tape_around(there), there.graph.words
    site = there.graph.site(there.number)
    if found is None:
        return words.record(site)
    if there.event.kind == "gradient" and found[0].number == STANDING:
        return words.again_standing(site)
    if there.event.kind == "gradient":
        return words.again(site)
    tape, before, _ = found
    if tape.number == STANDING:
        since = tape.closed[before] if before is not None and before < len(tape.closed) else None
        if since == site and "grad" not in line_at(site):
            # A function of the framework has switched off recording itself.
            return (
                f"The function called at {site} records nothing: compute its result with operations that do."
            )
        return f"Move the computation at {site} out of no_grad."
    return moved_into(site, tape.opened[before or 0])


def moved_into(site: Site | None, opened: Site | None, along: str = "") -> str:
    """Returns the advice to compute a line, and what comes `along`, inside the block of a tape."""
    if site is not None and opened is not None and site.function != opened.function:
        # The line may be right where it is, in a function that is called too early.
        along = f", or the call that runs it{along or ','}"
    into = f" opened at {opened}" if opened else ""
    return f"Move {site}{along} into the with block of the tape{into}."
