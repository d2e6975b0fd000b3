"""Diagnoses of numbers: non-finite values, zero gradients, changes that are too small or too large."""

from __future__ import annotations

import math
from collections.abc import Sequence

from penstock.flow.diagnoses.diagnosis import diagnosis
from penstock.flow.diagnoses.evidence import Evidence, at, finding, listed, plural
from penstock.flow.report_model import Finding, Subject, Writer
from penstock.flow.sizes import NotFinite, Size, Zero
from penstock.flow.words import NATIVE
from penstock.trace.source_site import Site

LARGE = 1e9
"""Operands this large are a sign of diverging values, not of one unlucky operation."""
LOST = 2.0**-24
"""A change of less than this part of a value is lost: it is half the distance between neighbouring float32
numbers."""
SLOPE = 1e-4
"""If the gradient is at least this part of the values, a lost change is too small; otherwise it may be
right."""
GROWS = 1.5
"""Changes that grow by this factor are those of a learning rate that is warming up."""
VANISHING = 1e-8
"""A gradient of less than this part of another layer's vanishes; a layer scale of 1e-6 may be meant."""
GREW, MOVED_ON = 1e6, 1e3
"""A gradient that grew by the first of these factors, over values that grew by the second, explodes."""
SEEN = 3
"""How many gradients in a row must be zero: a variable that begins at zero has moved by the third step."""


@diagnosis(40)
def not_finite(seen: Evidence) -> list[Finding]:
    """Returns a finding for each line that was the first to write a non-finite value.

    If the non-finite value came from a variable that another line had written, that line is reported.
    Non-finite gradients that were never applied are reported if none was ever finite.
    """
    written = [one for one in seen.lost if one.written]
    began = [one for one in written if one.source != "variable"] or written
    found = [_written(one, seen) for one in began if _counts(one)]
    if found:
        return found
    skipped = {order for one in seen.skipped for order in one.moved}
    for one in seen.lost:
        # A loss scale is lowered until the gradient is finite; if the gradient is finite, the loss should be
        # too.
        scaled = any(size.lost for size in seen.sizes if size.asked == one.site)
        if one.by == "loss" and not scaled and not found:
            found.append(_loss(one))
        if one.written or one.by or any(subject.order in skipped for subject in one.subjects):
            continue
        alike = [
            size.subject
            for size in seen.sizes
            if size.asked == one.site
            and size.lost == size.times
            and size.subject.trainable
            # A variable that has moved had a finite gradient in some unmeasured step.
            and not any(writer.most > 0.0 for writer in size.subject.writers.values())
        ]
        if alike:
            found.append(_never(one, alike))
    return found


def _counts(one: NotFinite) -> bool:
    """Returns whether a write concerns something trained: other lines may store an infinity on purpose."""
    writers = [writer for subject in one.subjects for writer in subject.writers.values()]
    applied = any(
        (writer.by, writer.site) == (one.by, one.site) and writer.kind == "apply" for writer in writers
    )
    state = any(writer.terms == ("state",) for writer in writers)
    trained = any(subject.trainable and subject.asked for subject in one.subjects)
    return applied or trained or (state and math.isnan(one.value))


def _written(one: NotFinite, seen: Evidence) -> Finding:
    held = one.subjects
    value = "a non-finite value" if not one.origin and math.isnan(one.value) else f"{one.value:g}"
    when = f"in step {one.step}"
    if one.since is not None:
        when = f"in step {one.step} at the latest (every value was finite in step {one.since})"
    message = f"{one.by}{at(one.site)} wrote {value} into {listed(held)} {when}. {_cause(one)}"
    orders = {subject.order for subject in held}
    grown = any(
        size.subject.order in orders and size.value > max(MOVED_ON * size.began, LARGE) for size in seen.sizes
    )
    fix = _DIVERGED if grown else _remedy(one)
    return finding("PS407", "error", held, one.site, one.origin, message.rstrip(), fix)


_DIVERGED = "The values diverge. Lower the learning rate, or clip the gradients."


def _never(one: NotFinite, alike: Sequence[Subject]) -> Finding:
    message = (
        f"The gradient of {listed(alike)}, requested{at(one.site)}, was never finite in the steps that "
        f"were measured ({one.value:g} in the first). {_cause(one)}"
    )
    return finding("PS407", "error", alike, one.site, one.origin, message.rstrip(), _remedy(one))


def _loss(one: NotFinite) -> Finding:
    message = (
        f"The loss whose gradient is requested{at(one.site)} was not finite in any step that was measured "
        f"({one.value:g} in the first). {_cause(one)}"
    )
    return finding("PS407", "error", one.subjects, one.site, one.origin, message.rstrip(), _remedy(one))


def _cause(one: NotFinite) -> str:
    """Says where a non-finite value came from."""
    if one.source == "data":
        return f"It was in the data: {one.operation}{at(one.origin)}."
    if one.source == "variable":
        return f"It was in {one.operation} before the step."
    if one.source == "loss":
        return f"In that step the loss was already {one.operation}, in the backward pass{at(one.origin)}."
    if one.source == "update":
        return f"The gradient was finite; {one.operation} was not{_grown(one)}."
    if one.source:
        of = "the derivative of " if one.source == "slope" and "backward" not in one.operation else ""
        return (
            f"The first value that was not finite came from {of}{one.operation}{at(one.origin)}{_grown(one)}."
        )
    return ""


def _grown(one: NotFinite) -> str:
    return f", whose operands had grown to {one.largest:.3g}" if one.largest >= LARGE else ""


def _remedy(one: NotFinite) -> str:
    where = at(one.origin)
    if one.source == "data":
        return "Remove or replace such data before the step."
    if one.largest >= LARGE:
        return _DIVERGED
    if one.source == "slope" and one.branch:
        return (
            f"Both branches of a where are differentiated, and 0 times an infinite slope is nan. Give the "
            f"function{where} an operand with a finite slope where its result is not chosen: "
            "where(ok, f(where(ok, x, 1.0)), 0.0)."
        )
    if one.source in ("slope", "operation"):
        return (
            f"Keep the operands{where} where the value and its slope are finite: add a small number, or "
            f"bound them, such as {one.subjects[0].words.bounded if one.subjects else NATIVE.bounded}."
        )
    return "Print the loss of each step, and look at the first that is not finite."


@diagnosis(540)
def zero_gradients(seen: Evidence) -> list[Finding]:
    """Returns a note for each cause that has kept gradients at exactly zero although a path is open.

    Variables that start at zero and move in the next step are skipped: one of two factors, the last layer of
    a block. So are a bias whose layer has a gradient, and a loss at its minimum.
    """
    groups: dict[object, list[Size]] = {}
    # A vanishing gradient may underflow to zero at the end of its path.
    small = {one.site for one in vanishing(seen)}
    for size in seen.sizes:
        if size.zero is None and size.asked in small:
            continue
        if not _is_zero(size) or (size.zero is None and _is_alone(size, seen.sizes)):
            continue
        why = size.zero
        if why is not None and why.kind == "flat" and why.low == why.high == 0.0:
            continue
        key = (size.asked, why and (why.kind, why.site))
        groups.setdefault(key, []).append(size)
    return [_zero(group) for group in groups.values()]


def _is_zero(size: Size) -> bool:
    """Returns whether every gradient of a variable was zero, as far as that is known."""
    one = size.subject
    if not one.trainable or one.owner or size.zeros < size.times or size.times < SEEN:
        return False
    if len(size.steps) < SEEN and any(size.steps):
        return False
    # A variable that moves by its gradient had one, in some unmeasured step.
    return not any(
        writer.kind == "apply" and writer.most > 0.0 and not {"decay", "momentum"}.intersection(writer.terms)
        for writer in one.writers.values()
    )


def _is_alone(size: Size, sizes: Sequence[Size]) -> bool:
    """Returns whether other variables of the layer have a gradient."""
    one = size.subject
    layer = one.words.layer(one.path)
    return len(one.shape) <= 1 and any(
        other.zeros < other.times and other.subject.words.layer(other.subject.path) == layer
        for other in sizes
    )


def _zero(group: Sequence[Size]) -> Finding:
    first, held = group[0], [size.subject for size in group]
    why = first.zero
    times = max(size.times for size in group)
    message = (
        f"{plural(held, 'The gradient', 'The gradients')} of {listed(held)} {plural(held, 'was', 'were')} "
        f"exactly zero in each of the {times} steps that were measured, although a path is open: "
        f"{_why(why, group)}."
    )
    site = first.asked or held[0].created
    severity = "warning" if why is not None and why.kind == "step" else "note"
    return finding("PS406", severity, held, site, why.site if why else None, message, _open(why, held))


def _why(why: Zero | None, group: Sequence[Size]) -> str:
    if why is None:
        return "the gradients along it cancel out, or are too small for a number"
    what = f"`{why.operation}`{at(why.site)}"
    factors = list(dict.fromkeys(one.zero.factor for one in group if one.zero and one.zero.waits is not None))
    if len(factors) > 1:
        return f"{what} multiplies {' by '.join(factors)}, which are both zero, so neither gets a gradient"
    if why.kind == "factor":
        return f"{what} multiplies by {f'{why.factor}, which is zero' if why.factor else 'zero'}"
    if why.kind == "mask":
        return f"in {what} the mask, {why.factor}, selects nothing"
    if why.kind == "dead":
        return f"the units of {what} are dead: no input is above 0 (the largest is {why.high:.3g})"
    if why.kind == "step":
        return f"{what} has slope zero wherever it has a slope"
    if why.kind == "saturated":
        return f"{what} is saturated: its inputs go from {why.low:.3g} to {why.high:.3g}, where it is flat"
    return f"{what} is flat there: its inputs go from {why.low:.3g} to {why.high:.3g}"


def _open(why: Zero | None, held: Sequence[Subject]) -> str:
    they = plural(held, "it", "them")
    if why is None:
        return f"Check how the loss uses {they}: it may not depend on their value."
    if why.kind == "factor" and why.waits is not None:
        return f"Initialize {why.factor} with small random values, so that a gradient passes."
    if why.kind == "factor":
        return (
            "Leave terms multiplied by zero out of the loss, or give them a weight other than zero. To "
            f"keep {listed(held)} unchanged, freeze {they}."
        )
    if why.kind == "mask":
        return "Check how the mask is computed; a batch that selects nothing trains nothing."
    if why.kind == "dead":
        return "Lower the learning rate or change the initial values; leaky_relu has a slope everywhere."
    if why.kind == "step":
        return (
            f"Let the gradient pass as if {why.factor} were not there: "
            f"{held[0].words.around(why.factor, 'x')}."
        )
    return (
        "Bring its inputs nearer to 0: use smaller initial values, normalised inputs, or a lower learning "
        "rate."
    )


# -- too small, too large ------------------------------------------------------------------------------------


@diagnosis(450)
def tiny_updates(seen: Evidence) -> list[Finding]:
    """Returns a finding for each line whose updates are so small that rounding swallows them.

    This concerns all of its variables: a layer that hardly moves next to others is another matter. Rates that
    warm up grow.
    """
    lines: dict[tuple[str, object], list[tuple[Size, Writer]]] = {}
    for size in seen.sizes:
        for key, writer in size.subject.writers.items():
            if writer.kind == "apply" and size.subject.trainable:
                lines.setdefault(key, []).append((size, writer))
    found = []
    for (by, _), every in lines.items():
        # A variable that starts at zero, such as a bias, is as small as its changes.
        rows = [(size, writer) for size, writer in every if size.began > 0.0]
        held = [size.subject for size, writer in rows if _is_lost(size, writer)]
        if not held or len(held) < len(rows) or not any(writer.most for _, writer in every):
            continue
        size, writer = max(rows, key=lambda row: row[1].most / row[0].value)
        less = "in float32 a change of less than 6e-08 of a value is lost to rounding"
        if not writer.most:
            message = (
                f"{by}{at(writer.site)} does not change a bit of {listed(held)}, although the gradient is "
                f"{size.gradient:.3g} where the value is {size.value:.3g} (norms): {less}."
            )
        else:
            message = (
                f"{by}{at(writer.site)} moves {listed(held)} by no more than {writer.most / size.value:.2g} "
                f"of {plural(held, 'its', 'their')} size in a step: by {writer.most:.3g} where the value is "
                f"{size.value:.3g} and the gradient {size.gradient:.3g} (norms); {less}."
            )
        made = _made(by, writer, seen)
        fix = f"Raise the learning rate{at(made)}: 1e-3 is usual for Adam, 1e-2 for SGD."
        found.append(finding("PS501", "warning", held, writer.site, made, message, fix))
    return found


def _made(by: str, writer: Writer | None, seen: Evidence) -> Site | None:
    """Returns the line that created an optimizer, if only one has its name."""
    if writer is not None and writer.made is not None:
        return writer.made
    lines = {one.site for one in seen.made if one.by == by}
    return lines.pop() if len(lines) == 1 else None


def _is_lost(size: Size, writer: Writer) -> bool:
    return (
        writer.measured > 1
        and writer.most < LOST * size.value
        and writer.most <= GROWS * writer.first
        and size.gradient > SLOPE * size.value
    )


@diagnosis(460)
def vanishing(seen: Evidence) -> list[Finding]:
    """Returns a finding for layers with a negligible gradient compared to others in the same loss."""
    asked: dict[object, dict[str, list[Size]]] = {}
    for size in seen.sizes:
        one = size.subject
        # A bias may have almost no gradient: normalization, or a softmax, cancels it.
        if len(one.shape) > 1 and size.times >= 2 and size.sum and not size.lost and one.trainable:
            layer = one.words.layer(one.path) or one.path
            asked.setdefault(size.asked, {}).setdefault(layer, []).append(size)
    found = []
    for line, layers in asked.items():
        roots = {layer: _root(sizes) for layer, sizes in layers.items()}
        name, most = max(roots.items(), key=lambda pair: pair[1])
        weak = [layer for layer, root in roots.items() if root < VANISHING * most]
        if not weak:
            continue
        # Further along the path, it may underflow.
        gone = [
            size
            for size in seen.sizes
            if size.asked == line
            and size.zeros == size.times
            and size.zero is None
            and len(size.subject.shape) > 1
            and size.subject.trainable
        ]
        sizes = [*gone, *(size for layer in weak for size in layers[layer])]
        held = [size.subject for size in sizes]
        least = min(roots[layer] for layer in weak)
        strong = listed([size.subject for size in layers[name]])
        message = (
            f"The gradient vanishes on its way to {listed(held)}: it is {least:.2g} per element there, and "
            f"{most:.2g} in {strong}."
        )
        fix = (
            "Give the gradient a better path: relu in place of sigmoid or tanh, normalisation, residual "
            "connections, or larger initial values."
        )
        found.append(finding("PS502", "warning", held, sizes[0].asked, None, message, fix))
    return found


def _root(sizes: Sequence[Size]) -> float:
    """Returns the root of the mean square of a layer's gradient."""
    return math.sqrt(sum(one.gradient**2 for one in sizes) / max(1, sum(one.elements for one in sizes)))


@diagnosis(470)
def exploding(seen: Evidence) -> list[Finding]:
    """Returns a finding for each line whose gradients and values explode."""
    told = {(one.by, one.site) for one in seen.lost if one.written}
    groups: dict[object, list[Size]] = {}
    for size in seen.sizes:
        one = size.subject
        writers = [writer for writer in one.writers.values() if writer.kind == "apply"]
        faster = any(writer.most > GREW * writer.first > 0.0 for writer in writers)
        far = max([size.value, *(writer.most for writer in writers)]) > MOVED_ON * size.began > 0.0
        grew = size.times >= SEEN and (size.last > GREW * size.first or faster) and far
        if grew and one.trainable and not told.intersection(one.writers):
            groups.setdefault(size.asked, []).append(size)
    found = []
    for group in groups.values():
        held = [size.subject for size in group]
        size = max(group, key=lambda one: one.last / one.first)
        writer = next((one for one in size.subject.writers.values() if one.kind == "apply"), None)
        changes = f" Its largest change was {writer.most:.3g}." if writer is not None else ""
        message = (
            f"{listed(held)} {plural(held, 'explodes', 'explode')}: the gradient of {size.subject.path!r} "
            f"grew from {size.first:.3g} to {size.last:.3g} in the steps that were measured, and its values "
            f"from {size.began:.3g} to {size.value:.3g} (norms).{changes}"
        )
        made = _made(writer.by, writer, seen) if writer is not None else None
        fix = f"Lower the learning rate{at(made)}, or clip the gradients."
        found.append(finding("PS503", "warning", held, size.asked, None, message, fix))
    return found
