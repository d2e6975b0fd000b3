"""Names that no longer refer to a Variable."""

from __future__ import annotations

import ast

from penstock.flow.bindings import binding, reads_its_name
from penstock.flow.diagnoses.diagnosis import diagnosis
from penstock.flow.diagnoses.evidence import Evidence, at, finding, listed, plural
from penstock.flow.noted import Lost, Noted, Unkept
from penstock.flow.report_model import Finding, Subject
from penstock.flow.source import line_at, statement_at, user_frames
from penstock.trace.source_site import Site


@diagnosis(10)
def rebound(seen: Evidence) -> list[Finding]:
    """Returns a finding for each line that gives a Variable's name to something computed from it.

    The lines are those on which an operation was recorded, and the one at which the program failed.
    """
    lines = list(seen.rebound)
    if seen.error is not None:
        lines += [site for site in user_frames(seen.error) if reads_its_name(site)]
    # The program mistook a result for a variable: the name was meant for that result.
    results = {order for _, one in seen.of(Unkept) for order in one.variables}
    made = {one.created for one in seen.subjects if one.order not in results}
    owners: dict[object, Subject] = {}
    for one in seen.subjects:
        # A line that computes its name from itself binds the result, not what it creates as an argument.
        named = not one.owner and one.returned and one.created not in seen.rebound
        if named and (bound := binding(one.created)) is not None:
            owners.setdefault(bound, one)
    found = []
    for bound, site in {binding(site): site for site in reversed(lines)}.items():
        subject = owners.get(bound)
        # A value computed from a trained variable after training may take its name.
        over = subject is not None and subject.writers and not seen.rebound.get(site, True)
        if subject is not None and not over and site not in made and not _calls_on(site):
            found.append(_finding(subject, site))
    return found


@diagnosis(20)
def displaced(seen: Evidence) -> list[Finding]:
    """Returns a finding for each line that puts a tensor in the place of a Variable in a list.

    The program has asked for the gradient of the tensor since.
    """
    named = {one.path: one for one in seen.subjects if not one.owner}
    places: dict[Site, dict[int, Subject]] = {}
    for one in seen.subjects:
        path, site = (one.explanation and one.explanation.origin) or ("", None)
        if path in named and site is not None and not one.found and _fills_a_place(site):
            places.setdefault(site, {})[named[path].order] = named[path]
    found = []
    for site, variables in places.items():
        held = list(variables.values())
        words = held[0].words
        message = (
            f"`{line_at(site)}`{at(site)} puts a {words.plain} in the place of {listed(held)}: "
            f"{plural(held, 'the ' + words.variable + ' keeps its value', 'they keep their values')}, and "
            f"the {words.plain} has no gradient."
        )
        found.append(finding("PS104", "error", held, site, site, message, _typed(held[0], site)))
    return found


def _fills_a_place(site: Site) -> bool:
    """Returns whether the statement on a line assigns a place of a container, computed from that place."""
    match statement_at(site):
        case ast.AugAssign(target=ast.Subscript()):
            return True
        case ast.Assign(targets=[ast.Subscript() as target], value=value):
            wanted = ast.unparse(target)
            return any(
                isinstance(one, ast.Subscript) and ast.unparse(one) == wanted for one in ast.walk(value)
            )
    return False


@diagnosis(30)
def lost(seen: Evidence) -> list[Finding]:
    """Returns a finding for each line that gives the name of a loop variable to a result for nothing.

    Its variables are those that the line reads and that nothing else writes.
    """
    found = []
    for fact, one in seen.of(Lost):
        held = unwritten(one)
        if not held:
            continue
        words = held[0].words
        message = (
            f"`{line_at(fact.site)}`{at(fact.site)} gives the loop variable {fact.name!r} a {words.plain}, "
            f"and nothing reads it before the loop goes on: the result is lost, and {listed(held)} "
            f"{plural(held, 'keeps its value', 'keep their values')}."
        )
        found.append(
            finding("PS104", "error", held, fact.site, fact.site, message, _typed(held[0], fact.site))
        )
    return found


def unwritten(one: Noted) -> list[Subject]:
    """Returns the variables of a line with a lost result that nothing has written since the first step."""
    return [
        each
        for each in one.held
        if not each.owner and not any(writer.last > 1 for writer in each.writers.values())
    ]


def _calls_on(site: Site) -> bool:
    """Returns whether the line assigns the result of a method of the Variable itself: `w = w.assign(...)`."""
    match statement_at(site):
        case ast.Assign(targets=[target], value=ast.Call(func=ast.Attribute(value=owner))):
            return ast.unparse(owner) == ast.unparse(target)
    return False


def _finding(subject: Subject, site: Site) -> Finding:
    name, words = subject.path, subject.words
    message = (
        f"`{line_at(site)}`{at(site)} gives the name of {words.variable} {name!r} to a {words.plain}. The "
        f"{words.variable}, created{at(subject.created)}, keeps its value and no longer has that name, so "
        "later lines that use the name do not write it."
    )
    return finding("PS104", "error", [subject], site, site, message, _typed(subject, site))


def _typed(subject: Subject, site: Site) -> str:
    """Returns the line that writes the Variable instead."""
    match statement_at(site):
        case ast.AugAssign(target=target, op=ast.Add() | ast.Sub() as op, value=value) if (
            subject.words.adders
        ):
            method = "assign_add" if isinstance(op, ast.Add) else "assign_sub"
            return f"{ast.unparse(target)}.{method}({ast.unparse(value)})"
        case ast.AugAssign(target=target, op=op, value=value):
            whole = ast.BinOp(ast.parse(ast.unparse(target), mode="eval").body, op, value)
            return subject.words.rebound(ast.unparse(target), ast.unparse(whole))
        case (
            ast.Assign(targets=[target], value=value)
            | ast.AnnAssign(target=target, value=ast.expr() as value)
        ):
            return subject.words.rebound(ast.unparse(target), ast.unparse(value))
    return f"Write the {subject.words.variable} with {subject.words.setter}(...)."
