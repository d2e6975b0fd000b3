"""Changes in the course of a program: gradients that go missing, and freezes that are undone."""

from __future__ import annotations

from collections import Counter

from penstock.flow.diagnoses.diagnosis import diagnosis
from penstock.flow.diagnoses.evidence import CAUSES, FOLLOWERS, WORD, Evidence, at, finding, listed, plural
from penstock.flow.noted import Unrun
from penstock.flow.report_model import Finding, Key, Subject
from penstock.trace.source_site import Site


@diagnosis(330)
def gone(seen: Evidence) -> list[Finding]:
    """Returns a finding for variables that had a gradient until a step and none in any turn since.

    Only if the same line requested it all along: another line is another phase. A freeze in the meantime is
    intended.
    """
    groups: dict[tuple[int, Site | None], list[Subject]] = {}
    for one in seen.subjects:
        if one.gone is not None and one.trainable and one.found and not one.data and not one.owner:
            groups.setdefault((one.gone.until, one.cut or one.gone.site), []).append(one)
    found = []
    for (until, _), group in groups.items():
        first = group[0]
        assert first.gone is not None
        explained = first.explanation
        cut = explained.cut if explained is not None else None
        why = f" ({explained.reason}{at(cut)})" if explained is not None else ""
        moved = [one for one in group if _moves_after(one, until)]
        message = (
            f"{listed(group)} had a gradient until step {until}. In the {first.gone.times} steps since "
            f"then {plural(group, 'it has', 'they have')} had none{why}, although the program still asks "
            f"for it{at(first.gone.site)}."
        )
        if moved:
            message += (
                f" The optimizer gets zeros instead, and continues to move {plural(moved, 'it', 'them')} "
                "by momentum or decay."
            )
        them = plural(group, "it", "them")
        fix = (
            f"If {plural(group, 'it', 'they')} should continue to learn, compute the target with {them} in "
            f"every step. If not, leave {them} out of the sources from then on."
        )
        site = cut or first.gone.site
        found.append(finding("PS420", "warning", group, first.gone.site, site, message, fix, explained))
    return found


@diagnosis(340)
def emptied(seen: Evidence) -> list[Finding]:
    """Returns a finding for variables that an optimizer still moves after their last backward pass.

    Clearing has left zeros, and weight decay and momentum treat zeros as a gradient.
    """
    groups: dict[Key, list[Subject]] = {}
    for one in seen.subjects:
        if one.emptied is not None and one.trainable and not one.owner:
            writer = one.writers.get(one.emptied[0])
            moved = one.emptied[2] or bool(CAUSES.keys() & writer.terms) if writer is not None else False
            if writer is not None and writer.sum > 0.0 and moved:
                groups.setdefault(one.emptied[0], []).append(one)
    found = []
    for (by, site), group in groups.items():
        times = max(one.emptied[1] for one in group if one.emptied is not None)
        terms = {term for one in group for term in one.writers[by, site].terms}
        causes = " and ".join(word for term, word in CAUSES.items() if term in terms)
        causes = causes or "weight decay and momentum"
        message = (
            f"No backward pass has reached {listed(group)} in the last {times} steps, but {by}{at(site)} "
            f"has still moved {plural(group, 'it', 'them')}. Clearing leaves gradients of zero, which are "
            f"enough for {causes}."
        )
        fix = group[0].words.clear_whole
        made = next((one.site for one in seen.made if one.by == by), None)
        found.append(finding("PS426", "warning", group, site, made or site, message, fix))
    return found


@diagnosis(350)
def never_written(seen: Evidence) -> list[Finding]:
    """Returns a finding for statistics that are read while their layer is trained, but never written.

    Values that were loaded or assigned are a choice, and so is a layer that has been frozen for a while.
    """
    groups: dict[str, list[Subject]] = {}
    for one in seen.subjects:
        if not one.owner:
            groups.setdefault(one.words.layer(one.path), []).append(one)
    lines: dict[Key, tuple[list[Subject], list[Subject]]] = {}
    for group in groups.values():
        kept = [one for one in group if one.statistic and one.read and not (one.writers or one.given)]
        beside = [one for one in group if one.trainable and _trains(one)]
        if not kept or not beside or any(one.once_frozen for one in group if not one.statistic):
            continue
        key = next(key for key, writer in beside[0].writers.items() if writer.kind == "apply")
        still, trained = lines.setdefault(key, ([], []))
        still += kept
        trained += beside
    found = []
    for (by, site), (kept, beside) in lines.items():
        one_layer = len({one.words.layer(one.path) for one in kept}) == 1
        message = (
            f"{by}{at(site)} trains {listed(beside)}, but the {'layer is' if one_layer else 'layers are'} in "
            f"inference mode: {'it reads' if one_layer else 'they read'} {listed(kept)} and "
            f"{'has' if one_layer else 'have'} never written {plural(kept, 'it', 'them')}, so "
            f"{plural(kept, 'it still has its initial value', 'they still have their initial values')}, "
            f"set{at(kept[0].created)}."
        )
        fix = kept[0].words.training()
        found.append(finding("PS413", "warning", kept, site, kept[0].created, message, fix))
    return found


@diagnosis(360)
def undone(seen: Evidence) -> list[Finding]:
    """Returns a finding for each line whose frozen variables were all unfrozen again before any step.

    If some of them stay frozen, the others were unfrozen on purpose.
    """
    groups: dict[Site, list[Subject]] = {}
    for one in seen.subjects:
        for value, site in one.settings[1:]:
            if not value and site is not None and not one.owner:
                groups.setdefault(site, []).append(one)
    found = []
    for site, group in groups.items():
        freed = [_freed_at(one, site) for one in group]
        if any(line is None or line == site for line in freed) or any(one.once_frozen for one in group):
            continue
        moved = [one for one in group if one.trainable and _trains(one)]
        if not moved:
            continue
        message = (
            f"{listed(group)} {plural(group, 'was', 'were')} frozen{at(site)} and unfrozen "
            f"again{at(freed[0])} before any step. The freeze has had no effect: {listed(moved)} "
            f"{plural(moved, 'is', 'are')} trained."
        )
        fix = (
            f"Freeze after {freed[0]}, or leave the frozen variables out of that line; otherwise delete "
            "the line that freezes."
        )
        found.append(finding("PS422", "warning", group, freed[0], site, message, fix))
    return found


@diagnosis(370)
def limited(seen: Evidence) -> list[Finding]:
    """Returns a finding for each line that limits gradients before they are divided by the loss scale."""
    found = []
    for one in seen.limited:
        held = list(one.variables.values())
        message = (
            f"The gradient of {listed(held)} is clipped{at(one.site)} while it still contains the loss "
            f"scale. Dividing by the scale{at(one.scaled)} then also divides the limit, so the gradient "
            "ends up too small by that factor."
        )
        fix = f"Divide by the loss scale before {one.site}; optimizer.unscale(gradients) does so."
        found.append(finding("PS419", "warning", held, one.site, one.scaled, message, fix))
    return found


@diagnosis(380)
def summed(seen: Evidence) -> list[Finding]:
    """Returns a note for each line that applies a sum of gradients of means.

    A note, because the parts may be separate tasks whose gradients are meant to be added.
    """
    found = []
    for one in seen.summed:
        held = list(one.variables.values())
        message = (
            f"{one.by}{at(one.site)} moves {listed(held)} by the sum of {one.count} "
            f"gradients{at(one.asked)}, each the gradient of a mean. If these are parts of one batch, the "
            f"sum is {one.count} times the gradient of the whole batch."
        )
        fix = f"For parts of one batch, divide each loss, or the sum of the gradients, by {one.count}."
        found.append(finding("PS424", "note", held, one.site, one.asked, message, fix))
    return found


@diagnosis(390)
def unfollowed(seen: Evidence) -> list[Finding]:
    """Returns a note for models whose name says that they follow another, but that nothing has written.

    The name is the only evidence: a constant copy may be intended, such as a reference or a teacher.
    """
    moved: dict[tuple[str, tuple[int, ...], str], dict[str, Subject]] = {}
    for one in seen.subjects:
        if _trains(one) and not one.owner:
            moved.setdefault(_place_of(one), {}).setdefault(one.words.group(one.path), one)
    groups: dict[str, list[Subject]] = {}
    for one in seen.subjects:
        late = any(writer.last > 1 for writer in one.writers.values())
        if _place_of(one) not in moved or late or one.owner or one.owned:
            continue
        model = one.words.group(one.path)
        if FOLLOWERS & set(WORD.findall(model.lower())):
            groups.setdefault(model, []).append(one)
    found = []
    for group in groups.values():
        # The model with the most variables in the same places; other models may share a few by chance.
        leaders = Counter(leader for one in group for leader in moved[_place_of(one)])
        leader = leaders.most_common(1)[0][0]
        twins = [moved[_place_of(one)][leader] for one in group if leader in moved[_place_of(one)]]
        steps = max(max(w.times for w in twin.writers.values()) for twin in twins)
        if steps < LONG:
            continue
        message = (
            f"Nothing has written {listed(group)} since the first step, while {leader!r} has moved {steps} "
            f"times. {plural(group, 'Its name says', 'Their names say')} that "
            f"{plural(group, 'it follows', 'they follow')} other variables."
        )
        fix = f"Write {plural(group, 'it', 'them')} in the loop, or choose another name for values that stay."
        site = group[0].created
        found.append(finding("PS425", "note", group, site, site, message, fix))
    return found


LONG = 4
"""After this many steps, a model that follows differs from one that does not."""


@diagnosis(400)
def unrun(seen: Evidence) -> list[Finding]:
    """Returns a finding for each line of updates that no session runs, if their variables are read."""
    found = []
    for fact, one in seen.of(Unrun) if seen.error is None else ():
        held = [each for each in one.held if not each.writers]
        if not held:
            continue
        message = (
            f"{fact.by}{at(fact.site)} would update {listed(held)}, but no session has run it: "
            f"{plural(held, 'it still has its initial value', 'they still have their initial values')}, "
            f"set{at(held[0].created)}."
        )
        fix = (
            "Also run it in the session: session.run([..., update]), with the operation "
            f"built{at(fact.site)}."
        )
        found.append(finding("PS427", "warning", held, fact.site, fact.site, message, fix))
    return found


def _place_of(one: Subject) -> tuple[str, tuple[int, ...], str]:
    """Returns a key that is equal for variables in the same place of two models."""
    return one.path[len(one.words.group(one.path)) :], one.shape, one.dtype


def _freed_at(one: Subject, site: Site) -> Site | None:
    """Returns the line that unfroze a variable after `site` had frozen it, if it has stayed unfrozen."""
    freed: Site | None = None
    since = False
    for value, line in one.settings[1:]:
        if line == site and not value:
            since, freed = True, None
        elif since:
            freed = line if value else None
    return freed


def _moves_after(one: Subject, step: int) -> bool:
    return any(writer.kind == "apply" and writer.last > step for writer in one.writers.values())


def _trains(one: Subject) -> bool:
    return any(writer.kind == "apply" for writer in one.writers.values())


__all__ = ["emptied", "gone", "limited", "never_written", "summed", "undone", "unfollowed", "unrun"]
