"""Copies that are the original itself, come too late, follow a model only in part, or lose its freeze."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from penstock.flow.diagnoses.diagnosis import diagnosis
from penstock.flow.diagnoses.evidence import FOLLOWERS, WORD, Evidence, at, finding, listed, plural
from penstock.flow.noted import Shared, Undone, Unfollowed, Untied
from penstock.flow.report_model import Finding, Key, Subject, Writer
from penstock.flow.source import loop_around

OFTEN = 2
"""A line that resets variables this often does not do so just once at the end."""


FOLLOWED = 3
"""A line that copies this often lets one model follow another."""


@diagnosis(270)
def undone(seen: Evidence) -> list[Finding]:
    """Returns a finding for each line that resets variables to their values before all updates.

    There is none if several optimizers take turns with them, or another line also writes them: a search that
    starts over, an inner loop, values that are restored.
    """
    found = []
    for fact, one in seen.of(Undone):
        times = one.times // max(len(one.held), 1)
        held = [each for each in one.held if len(each.writers) == 2]
        movers = [
            seen.maker(key, [each])
            for each in held
            for key, writer in each.writers.items()
            if writer.kind == "apply"
        ]
        # Variables that are reset before every training, including the first, start over on purpose.
        before = any(each.writers[fact.by, fact.site].times > times for each in held)
        every = [each for each in seen.subjects if each.owned and (fact.by, fact.site) in each.writers]
        # A few variables that have hardly moved seem reset, although the others have moved.
        if (
            2 * len(held) <= len(every)
            or times < OFTEN
            or before
            or any(line is not None and line.count > 1 for line in movers)
        ):
            continue
        message = (
            f"{fact.by}{at(fact.site)} has reset {listed(held)} {times} times to the "
            f"{plural(held, 'value it', 'values they')} had before the first update. Each time, everything "
            f"that the updates{at(fact.of)} had learned is lost, and training starts over."
        )
        fix = (
            "If the line copies an average, update the average after each step. Save the trained values "
            "before this line, and restore them afterwards."
        )
        found.append(finding("PS414", "warning", held, fact.site, fact.site, message, fix))
    return found


@diagnosis(280)
def trained_copies(seen: Evidence) -> list[Finding]:
    """Returns a finding for each line that makes variables follow others, if their optimizer trains both.

    Models with an optimizer each may copy each other, and two that follow each other are averaged.
    """
    found = []
    groups: dict[tuple[Key, Key], list[tuple[Subject, Subject]]] = {}
    for one, key, source, apply in trained_copies_in(seen):
        groups.setdefault((key, apply), []).append((one, source))
    for (key, apply), pairs in groups.items():
        held, sources = [one for one, _ in pairs], [source for _, source in pairs]
        maker = seen.maker(apply, held)
        made = maker.site if maker is not None else None
        message = (
            f"{key[0]}{at(key[1])} makes {listed(held)} follow {listed(sources)}, but "
            f"{apply[0]}{at(apply[1])} trains {plural(held, 'it', 'them')}, too: each update moves the "
            f"{plural(held, 'copy', 'copies')} by {plural(held, 'its own gradient', 'their own gradients')}."
        )
        fix = (
            f"Leave {listed(held)} out of the optimizer{f' created{at(made)}' if made else ''}: "
            f"{key[1]} alone should write {plural(held, 'it', 'them')}."
        )
        found.append(finding("PS431", "warning", held, key[1], apply[1], message, fix))
    return found


def trained_copies_in(seen: Evidence) -> Iterator[tuple[Subject, Key, Subject, Key]]:
    """Yields variables with the line that makes them follow another, that variable, and their update."""
    alone = {order for made in seen.made if made.count == 1 for order in made.movers}
    for one in seen.subjects:
        named = FOLLOWERS & set(WORD.findall(one.words.group(one.path).lower()))
        for key, taken in one.follows.items() if one.trainable and not one.owner else ():
            # A whole copy may begin a new phase, in which both learn on.
            if taken.whole and not named:
                continue
            source, writer = taken.source, one.writers.get(key)
            together = [
                (apply, each)
                for apply, each in one.writers.items()
                if each.kind == "apply" and apply in source.writers and one.order in alone
            ]
            mutual = any(each.source is one for each in source.follows.values())
            same = any(one.order in made.movers and source.order in made.movers for made in seen.made)
            if writer is not None and together and same and not mutual and writer.times >= OFTEN:
                apply, each = together[0]
                if each.times >= writer.times and each.sum > 0.0:
                    yield one, key, source, apply


@diagnosis(300)
def freeze_left_behind(seen: Evidence) -> list[Finding]:
    """Returns a finding for each line that copies the values of frozen variables into trained ones.

    Only if the program froze them after their creation and computes nothing with them: the others take their
    place. Values kept aside, such as initial or best ones, are not frozen on a separate line.
    """
    groups: dict[Key, list[tuple[Subject, Subject]]] = {}
    for one in seen.subjects:
        if one.owner or not one.trainable or not any(w.kind == "apply" for w in one.writers.values()):
            continue
        for key, taken in one.taken.items():
            source = taken.source
            was_set = any(not value for value, _ in source.settings[1:])
            unused = not (source.read or source.elsewhere or source.asked or source.writers)
            if taken.whole and not source.trainable and was_set and unused:
                groups.setdefault(key, []).append((one, source))
    found = []
    for key, pairs in groups.items():
        held, sources = [one for one, _ in pairs], [source for _, source in pairs]
        by, line = next(key for key, writer in held[0].writers.items() if writer.kind == "apply")
        message = (
            f"{key[0]}{at(key[1])} copies the {plural(held, 'value', 'values')} of {listed(sources)}, "
            f"which {plural(sources, 'is', 'are')} frozen ({sources[0].flag}) and not used anywhere else, "
            f"into {listed(held)}. Copying a value does not copy its flag: {by}{at(line)} trains "
            f"{listed(held)}."
        )
        fix = f"Copy the flag too: {held[0].words.flag_from()}."
        found.append(finding("PS428", "warning", held, key[1], held[0].created, message, fix))
    return found


@diagnosis(290)
def unfollowed(seen: Evidence) -> list[Finding]:
    """Returns a finding for each line that copies the weights of layers whose statistics stay behind."""
    found = []
    noted = [(fact, [each for each in one.held if not each.writers]) for fact, one in seen.of(Unfollowed)]
    lines = {fact.site for fact, _ in noted}
    for fact, held in [*noted, *(one for one in _followed_in_part(seen) if one[0].site not in lines)]:
        if not held:
            continue
        message = (
            f"{fact.by}{at(fact.site)} makes a model follow the weights of {fact.model!r}, but "
            f"{listed(held)} {plural(held, 'keeps its initial value', 'keep their initial values')}: the "
            f"statistics of {fact.model!r} change, and the line does not copy them."
        )
        fix = held[0].words.follow()
        cause = loop_around(fact.site) or fact.site
        found.append(finding("PS415", "warning", held, fact.site, cause, message, fix))
    return found


def _followed_in_part(seen: Evidence) -> Iterator[tuple[Unfollowed, list[Subject]]]:
    """Yields lines that keep copying the variables of layers without their statistics."""
    layers: dict[Key, dict[str, Subject]] = {}
    statistics: dict[str, list[Subject]] = {}
    for one in seen.subjects:
        layer = one.words.layer(one.path)
        if one.statistic:
            statistics.setdefault(layer, []).append(one)
        # Models that learn from each other have their own statistics.
        for key, taken in one.taken.items() if not one.owned else ():
            # A step that failed copies without writing.
            writer = one.writers.get(key)
            if writer is not None and writer.times >= FOLLOWED:
                layers.setdefault(key, {}).setdefault(layer, taken.source)
    for key, copied in layers.items():
        held, model = [], ""
        for layer, source in copied.items():
            moved = [each for each in statistics.get(source.words.layer(source.path), ()) if each.writers]
            names = {(_own(each), each.shape) for each in moved}
            beside = [each for each in statistics.get(layer, ()) if (_own(each), each.shape) in names]
            behind = [each for each in beside if not any(map(_follows, each.writers.values()))]
            held += behind
            model = source.words.group(moved[0].path) if behind and not model else model
        if held:
            yield Unfollowed(*key, model), held


def _follows(line: Writer) -> bool:
    """Returns whether a line keeps writing a statistic, or its layer has computed it again."""
    return line.times >= FOLLOWED or line.terms == ("state",)


def _own(one: Subject) -> str:
    """Returns the name that a variable has in its layer."""
    return one.path.removeprefix(one.words.layer(one.path))


@diagnosis(310)
def untied(seen: Evidence) -> list[Finding]:
    """Returns a finding for each pair of names that shared one variable and now have two, both trained."""
    found = []
    for fact, one in seen.of(Untied):
        held = [each for each in one.held if each.owned and each.writers]
        if len(held) < 2:
            continue
        first, second = fact.names
        message = (
            f"{first!r} and {second!r} shared one {held[0].words.variable}. {first!r} got a new "
            f"one{at(fact.first)}, and {second!r} got another{at(fact.site)}. The two now have separate "
            "gradients and drift apart."
        )
        fix = (
            f"To tie them again, assign the {held[0].words.variable} of {first!r} to {second!r} on that line."
        )
        found.append(finding("PS416", "warning", held, fact.site, fact.site, message, fix))
    return found


@diagnosis(320)
def shared(seen: Evidence) -> list[Finding]:
    """Returns a finding for each name that should have a copy but has the original object."""
    found = []
    for fact, one in seen.of(Shared):
        held = one.held
        message = (
            f"{fact.names[0]!r} and {fact.names[1]!r} are the same object{at(fact.site)}, so training "
            f"{fact.names[0]!r} also changes {fact.names[1]!r}. The program uses {fact.names[1]!r} as a "
            "constant, but every update moves it."
        )
        fix = f"Give {fact.names[1]!r} a copy: copy.deepcopy({fact.names[0]})."
        told = finding("PS417", "warning", held, fact.site, fact.site, message, fix)
        found.append(replace(told, variables=fact.paths))
    return found
