"""The variables of optimizers: missing, replaced or frozen ones, and gradients that are applied again."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from penstock.flow.bindings import alias_before, handed_at, schedule_at
from penstock.flow.diagnoses.diagnosis import diagnosis
from penstock.flow.diagnoses.evidence import CAUSES, Evidence, at, call_it, finding, listed, plural
from penstock.flow.diagnoses.names import unwritten
from penstock.flow.diagnoses.traces import COMPILED, late_freed, outdated, told_late, trace_again
from penstock.flow.noted import Discarded, LeftOut, Lost, Rated, Regrown, Remade, Shared, Switched
from penstock.flow.report_model import Finding, Key, Made, Subject, Writer
from penstock.flow.source import call_at, statement_at, uncalled
from penstock.trace.source_site import Site


@diagnosis(80)
def unowned(seen: Evidence) -> list[Finding]:
    """Returns a finding for variables whose gradients, requested or not, are never applied.

    Only if some optimizer has made an update: a program that updates by hand, or not at all, has no owners. A
    model without any variable in an optimizer is reported only if a backward pass gives gradients to nothing
    else, or if a loss passes through it on the way to trained variables: otherwise it may only be read.
    """
    if seen.error is not None or not any(one.owned for one in seen.subjects):
        return []
    gone = {one.created for one in seen.subjects if one.replaced is not None} | {
        one.replaced for one in seen.subjects
    }
    # A program that trains no layer at all, but an image or an embedding, passes through a finished model.
    learns_layers = any(one.owned and _is_layers(one) for one in seen.subjects)
    # If the optimizer's variables are cut off from the loss, that has to be fixed instead.
    missing = any(one.owned and one.asked and not one.found for one in seen.subjects)
    groups: dict[tuple[str, str], list[Subject]] = {}
    late = told_late(seen) | {one.order for one in late_freed(seen)}
    late |= {one.order for _, noted in seen.of(Lost) for one in unwritten(noted)}
    late |= {order for _, noted in seen.of(Remade) for order in noted.variables}
    doubled = _doubled(seen)
    for one in seen.subjects:
        if one.order in late:
            continue
        if _is_unowned(one) and not one.by_hand and not (one.created in gone and one.created is not None):
            group = "" if one.unregistered else one.words.group(one.path)
            listed_apart = any(one.order in other.variables for _, other in seen.of(LeftOut))
            # A backward pass leaves gradients in all variables, including those of a critic that is only
            # evaluated.
            through = one.onward and learns_layers and _is_layers(one) and not one.graded
            told = one.unregistered or one.beside or through
            if one.graded:
                alone = (one.alone or listed_apart) and not missing
                told = told or _is_partly_owned(one, seen) or alone
                # A program unfreezes a variable to train it; two optimizers for the same variables are
                # rarely meant while another model has none.
                told = told or one.once_frozen or (bool(doubled) and _is_layers(one))
            if told:
                groups.setdefault((one.unregistered, group), []).append(one)
    return [*_remade(seen), *(_unowned(group, seen) for group in groups.values())]


def _remade(seen: Evidence) -> list[Finding]:
    """Returns a finding for each line that makes a layer in each step, whose variables nothing can train."""
    found = []
    for fact, one in seen.of(Remade):
        held = [each for each in one.held if _is_unowned(each)]
        if not held:
            continue
        message = (
            f"A {fact.kind} is made{at(fact.site)} in each step. {listed(held)} "
            f"{plural(held, 'gets', 'get')} a gradient, but no optimizer holds {plural(held, 'it', 'them')}, "
            "and the next step begins with new random values."
        )
        fix = (
            f"Make the {fact.kind} once, in the constructor of its module: self.{fact.kind.lower()} = "
            f"{fact.kind}(...), and call that{at(fact.site)}."
        )
        found.append(finding("PS401", "warning", held, fact.site, fact.site, message, fix))
    return found


def _is_unowned(one: Subject) -> bool:
    reached = one.graded or one.beside or one.gradient == "flows"
    return reached and one.trainable and not one.owned and not one.writers and not one.owner and not one.data


def _is_partly_owned(one: Subject, seen: Evidence) -> bool:
    group = one.words.group(one.path)
    return any(other.owned and other.words.group(other.path) == group for other in seen.subjects)


def _doubled(seen: Evidence) -> tuple[Made, Made] | None:
    """Returns two optimizers of different lines that have moved exactly the same variables, or None."""
    known: dict[frozenset[int], Made] = {}
    for one in seen.made:
        moved = frozenset(one.latest[1]) if one.latest is not None else frozenset()
        if moved and known.setdefault(moved, one) is not one:
            return known[moved], one
    return None


def _is_layers(one: Subject) -> bool:
    """Returns whether a variable belongs to a layer; others may be settings that a program stores."""
    return bool(one.words.layer(one.path)) and one.shape != ()


def _unowned(group: Sequence[Subject], seen: Evidence) -> Finding:
    first, they = group[0], plural(group, "it", "them")
    kept = plural(group, "it keeps its initial value", "they keep their initial values")
    stays = f"{kept}, set{at(first.created)}."
    if first.graded or first.beside:
        message = (
            f"{listed(group)} {plural(group, 'gets', 'get')} a gradient in each backward pass, but no "
            f"optimizer that steps holds {they}: {stays}"
        )
    else:
        message = (
            f"The loss depends on {listed(group)}, which {plural(group, 'is', 'are')} trainable, but the "
            f"gradients requested{at(_asked(group, seen))} leave {they} out: {stays}"
        )
    if first.unregistered:
        fix = first.unregistered
        return finding("PS401", "warning", group, first.created, first.created, message, fix)
    owner = next((one.site for one in reversed(seen.made) if one.site is not None), None)
    fix = f"Give {they} to an optimizer (the last one is created{at(owner)}), or freeze {they}."
    for fact, one in seen.of(LeftOut):
        if all(each.order in one.variables for each in group):
            message += (
                f" {fact.name!r}{at(fact.site)} contains {they}, but the optimizer{at(fact.made)} does not."
            )
            fix = f"Give {fact.name!r} to the optimizer{made_at(fact.made)} too, or freeze {they}."
            return finding("PS401", "warning", group, fact.made, fact.site, message, fix)
    doubled = _doubled(seen) if first.graded else None
    if doubled is not None:
        maker, other = sorted(doubled, key=lambda each: (each.site is not None, str(each.site)))
        message += f" The optimizers made{at(maker.site)} and{at(other.site)} move the same variables."
        fix = f"Give {they} to one of these two optimizers, in place of the variables that both hold."
        return finding("PS401", "warning", group, maker.site, other.site, message, fix)
    if first.once_frozen and first.graded and owner is not None:
        message = (
            f"{listed(group)} {plural(group, 'was', 'were')} frozen in earlier steps and "
            f"{plural(group, 'gets', 'get')} a gradient now, but the optimizer{made_at(owner)} does not hold "
            f"{they}: {kept}, set{at(first.created)}."
        )
        fix = (
            f"Give {they} to the optimizer after the line that unfreezes {they}: "
            "optimizer.add_param_group({'params': [...]}). Or give it all of them from the start: it leaves "
            "what has no gradient as it is."
        )
        return finding("PS401", "warning", group, owner, first.created, message, fix)
    handed = handed_at(owner) if first.graded else None
    if handed is not None:
        name, line = handed
        message += f" The optimizer{made_at(owner)} gets {name!r}, and that list{at(line)} leaves {they} out."
        fix = f"Add {they} to {name!r}{at(line)}, or freeze {they}."
        return finding("PS401", "warning", group, owner, line, message, fix)
    applied = _applied(first, seen)
    if first.beside and not first.graded and applied is not None:
        by, place = applied
        message = (
            f"{listed(group)} {plural(group, 'gets', 'get')} a gradient{at(first.where_found)}, but "
            f"{by}{at(place)}, which applies other gradients of that line, does not get {they}: {stays}"
        )
        fix = f"Give {they} to {by}{at(place)} too, or freeze {they}."
        return finding("PS401", "warning", group, place, place, message, fix)
    if not first.graded and not first.beside:
        fix = f"Add {they} to the sources there and to the optimizer's variables, or freeze {they}."
        owner = _asked(group, seen) or owner
    return finding("PS401", "warning", group, owner or first.created, first.created, message, fix)


def _applied(one: Subject, seen: Evidence) -> Key | None:
    """Returns the optimizer, and its line, that applies gradients requested together with this one."""
    for other in seen.subjects:
        if other.owned and other.where_found == one.where_found:
            return next((key for key, writer in other.writers.items() if writer.kind == "apply"), None)
    return None


def _asked(group: Sequence[Subject], seen: Evidence) -> Site | None:
    """Returns the line that requests gradients of trained variables and leaves these out.

    If several do, it is the line whose loss has a term for these variables alone.
    """
    orders = {one.order for one in group}
    terms = [term for term in seen.terms if any(one.order in orders for one in term.unasked)]
    terms.sort(key=lambda term: bool(term.reaches))
    asked = [one for term in terms for one in term.asked] + list(seen.subjects)
    return next((one.where_found for one in asked if one.owned and one.where_found is not None), None)


@diagnosis(60)
def stale(seen: Evidence) -> list[Finding]:
    """Returns a finding for each line that has replaced variables which an optimizer still holds.

    Frozen variables that are replaced by frozen ones would not be updated anyway.
    """
    groups: dict[Site | None, list[Subject]] = {}
    learning = {one.created for one in seen.subjects if one.trainable}
    for one in seen.subjects:
        held = one.owned or one.listed
        if one.replaced is not None and held and (one.trainable or one.replaced in learning):
            groups.setdefault(one.replaced, []).append(one)
    found = []
    for site, group in groups.items():
        made = next((one.site for one in seen.made), None)
        message = (
            f"{listed(group)} {plural(group, 'was', 'were')} replaced{at(site)}, after an optimizer "
            f"(created{at(made)}) had been given {plural(group, 'it', 'them')}. The optimizer still "
            f"updates the old {plural(group, 'variable', 'variables')}, which nothing reads, and never "
            f"moves the new {plural(group, 'one', 'ones')}."
        )
        setter = group[0].words.setter
        fix = (
            "Create the optimizer after this line, or write the new value into the old variable: "
            f"{setter}(...)."
        )
        found.append(finding("PS402", "error", group, site, site, message, fix))
    return found


@diagnosis(120)
def moved_while_frozen(seen: Evidence) -> list[Finding]:
    """Returns a finding for each optimizer that moves frozen variables."""
    groups: dict[tuple[str, Site | None], list[Subject]] = {}
    shrunk: list[Subject] = []
    for one in seen.subjects:
        for key, writer in one.writers.items():
            if writer.frozen and writer.frozen_sum > 0.0 and not one.owner:
                groups.setdefault(key, []).append(one)
        decays = [writer.terms == ("decay",) and writer.kind == "write" for writer in one.writers.values()]
        if decays and all(decays) and not one.trainable and not one.owner:
            shrunk.append(one)
    found = [_moved(key, group, seen) for key, group in groups.items()]
    for site in dict.fromkeys(site for one in shrunk for _, site in one.writers):
        group = [one for one in shrunk if any(line == site for _, line in one.writers)]
        message = (
            f"{listed(group)} {plural(group, 'is', 'are')} frozen ({group[0].flag}), but the "
            f"decay{at(site)} shrinks {plural(group, 'it', 'them')} in every step: it uses a list and "
            "ignores the flag."
        )
        fix = f"Decay only variables for which {group[0].words.wanted} holds."
        found.append(finding("PS404", "warning", group, site, site, message, fix))
    return found + _moved_by_hand(seen)


def _moved(key: Key, group: Sequence[Subject], seen: Evidence) -> Finding:
    """Returns the finding on an optimizer that moves frozen variables."""
    writers = [one.writers[key] for one in group]
    frozen = group[0].frozen_at
    flag = group[0].flag
    flag += f", set{at(frozen)}" if frozen is not None and " at " not in flag else ""
    steps = max(one.frozen for one in writers)
    mean = sum(one.frozen_sum for one in writers) / sum(one.frozen for one in writers)
    made = writers[0].made
    message = (
        f"{listed(group)} {plural(group, 'is', 'are')} frozen ({flag}), but {key[0]}{at(key[1])} has moved "
        f"{plural(group, 'it', 'them')} in {steps} step{'s' * (steps > 1)}, by {mean:.3g} on average. "
    )
    late = outdated(seen, group)
    if late is not None:
        message += f"The step was traced{at(late.traced)}, before the flag was set, and goes by the old flag."
    else:
        message += (
            "An optimizer moves every variable that it holds and that has a gradient, even an old "
            f"one{_beyond(writers)}."
        )
    fix = group[0].words.release(listed(group), made)
    if late is not None or call_at(key[1], COMPILED) is not None:
        fix = trace_again(late.site if late is not None else key[1], frozen, group)
    site = late.site if late is not None else made or key[1]
    return finding("PS404", "warning", group, site, frozen or key[1], message, fix)


def _moved_by_hand(seen: Evidence) -> list[Finding]:
    """Returns a finding for each line that moves frozen variables by their gradients along with others.

    A frozen variable with a separate line, such as a perturbation of the input, is meant to move.
    """
    found = []
    for key in dict.fromkeys(key for one in seen.subjects for key in one.descended):
        every = [one for one in seen.subjects if key in one.descended and key in one.writers]
        held = [
            one
            for one in every
            if not one.trainable
            and one.writers[key].sum > 0.0
            and one.writers[key].last > (one.frozen_after or 0)
        ]
        if not held or not any(one.trainable for one in every):
            continue
        mean = max(one.writers[key].mean for one in held)
        they = plural(held, "it", "them")
        message = (
            f"{listed(held)} {plural(held, 'is', 'are')} frozen ({held[0].flag}), but "
            f"{key[0]}{at(key[1])}, which trains other variables, also moves {they} by "
            f"{plural(held, 'its gradient', 'their gradients')}, by up to {mean:.3g} in a step."
        )
        fix = (
            f"Leave out frozen variables there: write only variables for which {held[0].words.wanted} holds."
        )
        found.append(finding("PS404", "warning", held, key[1], key[1], message, fix))
    return found


def _beyond(writers: Sequence[Writer]) -> str:
    """Says what changes variables without a new gradient, if the causes of their writes are known."""
    means: dict[str, float] = {}
    for one in writers:
        for cause, mean in one.means.items():
            means[cause] = max(means.get(cause, 0.0), mean)
    if means:
        return "; the largest change by each cause: " + ", ".join(f"{c} {m:.3g}" for c, m in means.items())
    causes = [word for term, word in CAUSES.items() if any(term in one.terms for one in writers)]
    if not causes:
        return "" if writers[0].terms != ("gradient",) else "; weight decay and momentum need no new one"
    return f"; this one has {' and '.join(causes)}, which need{'s' * (len(causes) == 1)} no gradient"


@diagnosis(130)
def frozen_state(seen: Evidence) -> list[Finding]:
    """Returns a finding for layers whose statistics are written although all their variables are frozen.

    A layer that the program itself updates, such as a copy that follows another network, is not meant to stay
    constant.
    """
    groups: dict[str, list[Subject]] = {}
    for one in seen.subjects:
        groups.setdefault(one.words.layer(one.path), []).append(one)
    moved: dict[Site | None, list[Subject]] = {}
    for group in groups.values():
        kept = [one for one in group if _is_state(one)]
        beside = [one for one in group if one not in kept and not one.owner]
        frozen = max((one.frozen_after or 0 for one in beside), default=0)
        kept = [one for one in kept if max(writer.last for writer in one.writers.values()) > frozen]
        # A model that follows another by hand is frozen only for autograd, and not meant to stay constant.
        if kept and beside and not any(one.trainable or _follows(one) for one in beside):
            site = next(iter(kept[0].writers.values())).site
            moved.setdefault(site, []).extend(kept)
    switched = {order: fact.site for fact, one in seen.of(Switched) for order in one.variables}
    found = []
    for site, group in moved.items():
        message = (
            f"{listed(group)} {plural(group, 'is', 'are')} written{at(site)} although every parameter of "
            "the layer is frozen. Freezing only stops optimizers; a layer in training mode still updates "
            "its statistics."
        )
        if switched.get(group[0].order) is not None:
            message += f" It was put into training mode{at(switched[group[0].order])}."
        fix = group[0].words.inference()
        cause = switched.get(group[0].order) or site
        found.append(finding("PS403", "warning", group, site, cause, message, fix))
    return found


def _follows(one: Subject) -> bool:
    """Returns whether lines of the program update a frozen variable, other than to shrink or load it."""
    by_hand = [
        line
        for line in one.writers.values()
        if line.kind == "write" and line.terms not in (("load",), ("decay",))
    ]
    return any(line.last > (one.frozen_after or 0) for line in by_hand)


def _is_state(one: Subject) -> bool:
    return bool(one.writers) and all(writer.terms == ("state",) for writer in one.writers.values())


@diagnosis(140)
def applied_again(seen: Evidence) -> list[Finding]:
    """Returns a finding for each line whose updates apply the gradients of earlier steps once more."""
    found = []
    for one in seen.again:
        held = list(one.variables.values())
        message = (
            f"{one.by}{at(one.site)} applies gradients that it has applied before, in {one.times} "
            f"step{'s' * (one.times > 1)}: the gradients of {listed(held)} still contained those of the "
            f"backward pass{at(one.asked)}, and the new ones were added to them."
        )
        fix = f"Clear the gradients before each backward pass: {held[0].words.clear} before {one.asked}."
        message, fix = call_it(message, fix, uncalled(one.site, "zero_grad", "clear_grad"))
        found.append(finding("PS405", "warning", held, one.site, one.asked, message, fix))
    return found


@diagnosis(150)
def wasted(seen: Evidence) -> list[Finding]:
    """Returns a finding for each line that clears gradients that were not applied."""
    found = []
    for one in seen.wasted:
        held = list(one.variables.values())
        message = (
            f"The gradients of {listed(held)} from the backward pass{at(one.asked)} were cleared"
            f"{at(one.cleared)} before any optimizer had applied them, {one.times} "
            f"time{'s' * (one.times > 1)}."
        )
        fix = f"Clear gradients after an update: move {one.cleared} after the step, or step before it."
        if not any(each.writers for each in held):
            message, fix = call_it(message, fix, uncalled(one.asked, "step"))
        found.append(finding("PS408", "warning", held, one.cleared, one.asked, message, fix))
    return found


@diagnosis(160)
def collected(seen: Evidence) -> list[Finding]:
    """Returns a finding for each line that applies too few or too many of the gradients it should collect."""
    found = []
    for fact, one in seen.of(Discarded):
        held = one.held
        head = (
            f"For each update by {fact.by}{at(fact.site)}, the gradients of {listed(held)} are computed "
            f"{fact.count} times{at(fact.asked)}, "
        )
        if fact.cleared is None:
            lost = "first is" if fact.count == 2 else f"first {fact.count - 1} are"
            message = head + f"and the update gets only the last: the {lost} lost."
            fix = (
                "Add them up, apply the sum, and begin a new one after the update; or make the update each "
                f"time, right after {fact.asked}."
            )
        else:
            message = head + f"but their sum is cleared{at(fact.cleared)} before it is applied."
            fix = f"Clear the sum after an update: move {fact.cleared} after {fact.site}."
        found.append(finding("PS408", "warning", held, fact.cleared or fact.asked, fact.asked, message, fix))
    for grown, one in seen.of(Regrown):
        held = one.held
        message = (
            f"{grown.by}{at(grown.site)} applies a sum of gradients of {listed(held)} that still contains "
            f"those of earlier updates: the gradients computed{at(grown.asked)} are added to it, and nothing "
            "sets it to zero between two updates."
        )
        fix = (
            f"Set the sum to zero after each update{at(grown.site)}. If it is set to zero only after several "
            "batches, make the update only then."
        )
        found.append(finding("PS405", "warning", held, grown.site, grown.asked, message, fix))
    return found


@diagnosis(170)
def idle(seen: Evidence) -> list[Finding]:
    """Returns a finding for each line that writes variables but has changed none of them."""
    groups: dict[Key, list[Subject]] = {}
    for one in seen.subjects:
        for key, writer in one.writers.items():
            if writer.idle and not one.owner:
                groups.setdefault(key, []).append(one)
    found = []
    # Two names for one object are reported separately.
    told = {fact.site for fact, _ in seen.of(Shared)}
    for key, group in groups.items():
        every = [one for one in seen.subjects if key in one.writers]
        if len(every) == len(group) and alias_before(key[1]) not in told - {None}:
            applies = group[0].writers[key].kind == "apply"
            found.append(_idle_update(key, group, seen) if applies else _idle_copy(key, group))
    return found


def _how_often(writers: Sequence[Writer]) -> str:
    if all(one.idle >= one.measured for one in writers):
        return "every time"
    return f"in {max(one.idle for one in writers)} of {max(one.times for one in writers)} steps"


def _idle_update(key: Key, group: Sequence[Subject], seen: Evidence) -> Finding:
    """Returns the finding on an optimizer that does not change its variables."""
    writers = [one.writers[key] for one in group]
    maker = seen.maker(key, group)
    made = writers[0].made or (maker.site if maker is not None else None)
    known = [fact for fact, _ in seen.of(Rated) if fact.made == made]
    rate = known[0].site if known else None
    if not known and maker is not None and maker.rates <= {None, 0.0}:
        rate = schedule_at(made)
    why = "its learning rate is zero there, or the gradient is almost zero"
    fix = f"Check the learning rate of the optimizer{made_at(made)} in these steps."
    if rate is not None:
        fix = (
            f"Let the schedule{made_at(rate)} begin above zero, such as at (step + 1) / steps; if it has "
            "its own step(), call it in each iteration."
        )
    if known or rate is not None:
        why = "its learning rate is zero there" + (f", by the schedule{made_at(rate)}" if rate else "")
    elif maker is not None and maker.rates == {0.0}:
        why = f"it was created with a learning rate of zero{at(made)}"
        fix = f"Create it with a learning rate above zero{at(made)}, such as 0.001."
    how = _how_often(writers)
    message = (
        f"{key[0]}{at(key[1])} has a gradient for {listed(group)} and does not change the value, {how}: "
        f"{why}."
    )
    severity = "warning" if how == "every time" else "note"
    return finding("PS410", severity, group, key[1], rate or made or key[1], message, fix)


def _idle_copy(key: Key, group: Sequence[Subject]) -> Finding:
    """Returns the finding on a line that copies variables onto themselves."""
    how = _how_often([one.writers[key] for one in group])
    message = (
        f"{key[0]}{at(key[1])} writes {listed(group)} with {plural(group, 'its', 'their')} own "
        f"{plural(group, 'value', 'values')}, {how}: source and target are the same object."
    )
    fix = "Copy from the model that it should follow, and make sure that the two are different objects."
    alias = alias_before(key[1])
    if alias is not None:
        typed = ast.unparse(statement_at(alias) or ast.Pass())
        message += f" `{typed}`{at(alias)} gives one object two names."
        fix = f"Make a copy{at(alias)}, with separate variables."
    return finding("PS410", "warning", group, key[1], alias or key[1], message, fix)


@diagnosis(180)
def misplaced(seen: Evidence) -> list[Finding]:
    """Returns a finding for each line that froze a copy while the variable itself was trained on."""
    found = []
    for one in seen.misplaced:
        held = [each for each in one.variables.values() if each.trainable]
        if one.attribute:
            found += _on_layer(one.attribute, one.site, [each for each in held if each.owned])
            continue
        if not held:
            continue
        message = (
            f"The flag set{at(one.site)} belongs to another tensor that shares the memory of "
            f"{listed(held)}: {plural(held, 'the variable itself stays', 'the variables themselves stay')} "
            "trainable."
        )
        fix = held[0].words.freeze_layer
        found.append(finding("PS411", "warning", held, one.site, one.site, message, fix))
    return found


def _on_layer(attribute: str, site: Site | None, held: Sequence[Subject]) -> list[Finding]:
    """Returns a finding for a flag that was set on a layer, if an optimizer moves the layer's variables."""
    if not held:
        return []
    stays, them = plural(held, "stays", "stay"), plural(held, "it", "them")
    message = (
        f"The line{at(site)} sets {attribute!r} on a {held[0].words.holder}, where nothing reads it: "
        f"{listed(held)} {stays} trainable, and an optimizer moves {them}."
    )
    return [finding("PS411", "warning", held, site, site, message, held[0].words.freeze_layer)]


def made_at(site: Site | None) -> str:
    """Returns " made at file:line", or nothing if the line is unknown."""
    return f" made at {site}" if site is not None else ""
