"""Diagnoses of writes: recreated optimizers, two writers of one variable, unread flags, hidden changes."""

from __future__ import annotations

import math
from collections.abc import Sequence

from penstock.flow.diagnoses.copies import trained_copies_in
from penstock.flow.diagnoses.diagnosis import diagnosis
from penstock.flow.diagnoses.evidence import Evidence, at, finding, listed, plural
from penstock.flow.noted import Restored, Undone
from penstock.flow.report_model import Finding, Key, Made, Subject, Writer

BRIEF = 4
"""An optimizer that makes this many updates is not created by accident in a loop."""
FEW = 4
"""A source says whether writes were undone for at least this many of them."""


@diagnosis(480)
def recreated(seen: Evidence) -> list[Finding]:
    """Returns a finding for each line whose optimizers take turns updating the same variables."""
    by_order = {one.order: one for one in seen.subjects}
    found = []
    for made in seen.made:
        moved = [
            by_order[uid]
            for uid, movers in made.movers.items()
            if movers > 1 and uid in by_order and uid not in made.shared
        ]
        if not moved or _are_phases(made, moved):
            continue
        count = max(made.movers[one.order] for one in moved)
        severity = "warning" if made.state else "note"
        found.append(
            finding("PS201", severity, moved, made.site, made.site, _lost(made, moved, count), _ONCE)
        )
    return found


def _are_phases(made: Made, moved: list[Subject]) -> bool:
    """Returns whether each of a line's optimizers was used for a separate phase, however short.

    Two optimizers, a sweep over rates, and values that are reset before each are no accident of a loop.
    """
    if made.times >= BRIEF * made.count:
        return True
    turns = range(made.count - 1, made.count + 2)
    put_back = all(
        any(one.kind == "write" and one.times in turns for one in subject.writers.values())
        for subject in moved
    )
    return made.times > made.count and (made.count == 2 or len(made.rates) > 1 or put_back)


_ONCE = "Create the optimizer once, before the loop, and keep it."


def _lost(made: Made, moved: list[Subject], count: int) -> str:
    head = f"This line has created {count} {made.by} optimizers, one after another, for {listed(moved)}. "
    if not made.state:
        return head + (
            "Plain SGD keeps nothing from one step to the next, so the values are the same as with one "
            "optimizer. With momentum or Adam the same line would lose the state each time."
        )
    state = " and ".join(made.state)
    first = "every step is a first step" if made.times == made.count else "the next one starts over"
    return head + (
        f"Each begins with its {state} at zero, applies {_about(made.times / made.count)}, and is then "
        f"dropped with its state: {first}."
    )


def _about(number: float) -> str:
    return f"{number:.3g} update{'' if number == 1 else 's'}"


@diagnosis(500)
def two_writers(seen: Evidence) -> list[Finding]:
    """Returns a note for each pair of lines, one of them an optimizer's, that write in the same step.

    Only if that is the rule: occasionally, values are restored, averaged, or set before training.
    """
    groups: dict[tuple[Key, Key], list[Subject]] = {}
    # Restored values do not count as a write, and a line that undoes all updates has its own finding.
    told = {order for kind in (Restored, Undone) for _, one in seen.of(kind) for order in one.variables}
    told |= {one.order for one, *_ in trained_copies_in(seen)}
    for one in seen.subjects:
        for pair, times in one.together.items() if not one.owner and one.order not in told else ():
            writers = [one.writers[key] for key in pair]
            # For a line that was only counted occasionally, compare its writes until it was last seen.
            span = [one.times for one in writers if one.kind == "apply"]
            span += [one.last for one in writers if one.least and span]
            if span and 1 < times > min(span) / 2 and not any(map(_is_meant_beside, writers)):
                groups.setdefault(pair, []).append(one)
    return [_two(pair, group, _movers(seen, group[0])) for pair, group in groups.items()]


def _is_meant_beside(writer: Writer) -> bool:
    """Returns whether a line may legitimately write the variables of an optimizer.

    A constraint is part of the update and declared at the variable; a load is explicit. After a clip or a
    restore the optimizer is meant to continue from the new value, and it never sees writes that are undone.
    """
    declared = writer.terms in (("constraint",), ("load",))
    return declared or writer.settling or 2 * writer.undone >= min(writer.times, FEW)


def _movers(seen: Evidence, subject: Subject) -> list[Made]:
    """Returns, for each optimizer that has moved a variable, the line that made it."""
    return [made for made in seen.made for _ in range(made.movers.get(subject.order, 0))] + [
        made for made in seen.made if subject.order in made.shared
    ]


def _beside(writers: Sequence[Writer], movers: Sequence[Made]) -> str:
    """Explains the effect of two writers of one variable in one step, given the optimizers that move it."""
    if any(one.kind != "apply" for one in writers):
        return (
            "Neither takes the other into account: the optimizer's next update starts where the other line "
            "left off."
            if any(one.kind == "apply" for one in writers)
            else "Each starts from the value that the other has written."
        )
    if len(movers) == 1:
        return (
            f"The optimizer created at {movers[0].site} makes both updates, so it takes two steps here, "
            "each from where the other left off, and counts both in its state."
        )
    return (
        "These are two optimizers: each starts from the value that the other has written, and neither "
        "counts the other's updates in its state."
    )


def _two(pair: tuple[Key, Key], group: list[Subject], movers: Sequence[Made]) -> Finding:
    first, second = pair
    steps = group[0].together[pair]
    amounts = []
    for key in pair:
        mean = sum(one.writers[key].mean for one in group) / len(group)
        where = f" at {key[1]}" if key[1] is not None else ""
        amount = f"mean change {mean:.3g}" if math.isfinite(mean) else "change not measured"
        amounts.append(f"{key[0]}{where} ({amount})")
    message = (
        f"In {steps} step{'' if steps == 1 else 's'} {listed(group)} "
        f"{plural(group, 'was', 'were')} written by {amounts[0]} and by {amounts[1]}. "
        + _beside([group[0].writers[key] for key in pair], movers)
    )
    fix = "Keep both if both are intended; otherwise remove one."
    return finding("PS202", "note", group, second[1], first[1], message, fix)


@diagnosis(510)
def overtaken(seen: Evidence) -> list[Finding]:
    """Returns a note for each line that requests a gradient after its weights have been replaced.

    The gradient is correct for the old values. A note, because two updates may be meant to start from the
    same values. An error if the framework keeps no old values and the program has failed.
    """
    found = []
    for one in seen.stale:
        if one.failed and seen.error is not None:
            held = one.variables
            message = (
                f"The backward pass{at(one.site)} needs {listed(held)} as "
                f"{plural(held, 'it was', 'they were')} read{at(one.read)}, and "
                f"{one.by}{at(one.written)} has written {plural(held, 'it', 'them')} "
                "since: the old values are gone."
            )
            fix = f"Call backward() before {one.written}, or compute its loss again after that line."
            found.append(finding("PS206", "error", held, one.site, one.written, message, fix))
            continue
        held = [subject for subject in one.variables if subject.asked and not subject.owner]
        if not held:
            continue
        had = plural(held, "it was", "they were")
        message = (
            f"The gradient requested{at(one.site)} belongs to the old {plural(held, 'value', 'values')} of "
            f"{listed(held)}, as {had} read{at(one.read)}: {one.by}{at(one.written)} has written "
            f"{plural(held, 'it', 'them')} since."
        )
        fix = (
            f"Ask for it before {one.written}, or compute its target again after that line. Keep it as it "
            "is if both updates should start from the same values."
        )
        found.append(finding("PS206", "note", held, one.site, one.written, message, fix))
    return found


@diagnosis(530)
def flags(seen: Evidence) -> list[Finding]:
    """Returns a note on frozen variables in a loss, if nothing depends on the flag.

    The flag has two effects: a tape finds no gradient for such a variable, and a program may select by it. If
    neither happens, the list of sources alone keeps the variable constant.
    """
    held = [
        one
        for one in seen.subjects
        if not one.owner
        and not one.data
        and not one.trainable
        and one.gradient == "frozen"
        and one.frozen_after is None
        and one.read
        and not one.asked
        and not one.consulted
        and not one.words.flag_decides
        # Statistics, queues, copies and counters are never trained and do not count as frozen. Neither do
        # variables that a layer created untrainable, without a word in the program. A written variable is not
        # meant to stay constant: an annealed coefficient is no weight.
        and not one.fed
        and not one.writers
        and one.dtype.startswith(("float", "bfloat", "complex"))
        and one.returned
        and any(other.found for other in seen.subjects)
    ]
    # A failed program may have been about to read the flag, and a request for all variables uses it.
    if not held or seen.error is not None or seen.whole:
        return []
    flag = held[0].flag
    them = plural(held, "it", "them")
    message = (
        f"{listed(held)} {plural(held, 'is', 'are')} frozen ({flag}), and the list of sources leaves "
        f"{them} out, so no gradient was requested for {them}. Neither a tape nor the program has read the "
        "flag, so the result would be the same without it."
    )
    chosen = held[0].words.wanted
    fix = f"To let the flag decide, select the sources by it: [v for v in variables if {chosen}]."
    return [finding("PS203", "note", held, held[0].created, held[0].created, message, fix)]


@diagnosis(490)
def skipped(seen: Evidence) -> list[Finding]:
    """Returns a finding for each line all of whose updates were skipped.

    It is a note if they would be finite without the loss scale, which is still decreasing.
    """
    found = []
    for one in seen.skipped:
        if not one.always or one.first is None:
            continue
        held = [*one.moved.values()]
        first = one.first
        never = f"{listed(held)} {plural(held, 'has', 'have')} not moved: {one.said}"
        if first.scaled:
            fix = (
                "Let it run longer, since each such step halves the scale, or begin with a smaller loss "
                "scale."
            )
            found.append(finding("PS205", "note", held, one.site, first.origin, never, fix))
            continue
        fix = (
            f"Fix {first.origin}: keep its operands where values and slopes are finite, for example by a "
            "clip or by adding a small number."
        )
        found.append(finding("PS205", "warning", held, one.site, first.origin, never, fix))
    return found


@diagnosis(50)
def unaccounted(seen: Evidence) -> list[Finding]:
    """Returns a finding for each variable whose value differs from the result of its recorded writes."""
    if seen.conservation is None:
        return []
    found = []
    for subject in dict.fromkeys(one.subject for one in seen.conservation.unrecorded):
        changes = [one for one in seen.conservation.unrecorded if one.subject is subject]
        first, many = changes[0], len(changes)
        when = f"after step {first.steps}" if first.steps else "before the first step was over"
        times = f"{many} times, first {when} by" if many > 1 else f"{when} by"
        message = (
            f"{listed([subject])} has changed {times} {first.change:.3g} (the norm of the change) without "
            "a record: by no assignment, optimizer, layer or checkpoint. Something has written into the "
            "memory of the variable without using its methods."
        )
        typed = subject.words.rebound(subject.path, "...")
        fix = f"Write it with its methods, which record, check and undo: {typed}."
        found.append(finding("PS204", "error", [subject], subject.created, subject.created, message, fix))
    for subject in dict.fromkeys(subject for subject, _, _ in seen.conservation.failed):
        (by, site), step = next((key, step) for one, key, step in seen.conservation.failed if one is subject)
        message = (
            f"The changes by each cause of a write to {listed([subject])} in step {step} do not add up to "
            f"its new value. The writer is {by}{at(site)}."
        )
        fix = f"The shares that {by} reports do not match its writes: fix its rule, or do not rely on them."
        found.append(finding("PS204", "error", [subject], site, site, message, fix))
    return found
