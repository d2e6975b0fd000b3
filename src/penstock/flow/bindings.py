"""Names in the user's program that were given to a Variable on one line and to something else on another."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from penstock.flow.graph import Event, Graph
from penstock.flow.source import loop_name_lost, scope_of, statement_at, statements_of
from penstock.trace.source_site import Site


@dataclass(frozen=True, slots=True)
class Binding:
    """A name that a statement binds: `name` in a scope, given as its file and its kind and first line."""

    file: str
    scope: tuple[str, int]
    name: str


def binding(site: Site | None) -> Binding | None:
    """Returns the one name that the statement on a line binds, if it binds one.

    An attribute of `self` belongs to its class, a plain name to its function or module.
    """
    statement = statement_at(site)
    match statement:
        case ast.Assign(targets=[target]) | ast.AnnAssign(target=target) | ast.AugAssign(target=target):
            pass
        case _:
            return None
    assert site is not None
    match target:
        case ast.Name(id=name):
            return Binding(site.file, scope_of(site, name), name)
        case ast.Attribute(value=ast.Name(id="self"), attr=name):
            return Binding(site.file, scope_of(site, None), f"self.{name}")
    return None


def reads_its_name(site: Site | None) -> bool:
    """Returns whether the statement on a line reads the name that it binds: `w = w - step`, `w -= step`."""
    statement = statement_at(site)
    match statement:
        case ast.AugAssign():
            return True
        case (
            ast.Assign(targets=[target], value=value)
            | ast.AnnAssign(target=target, value=ast.expr() as value)
        ):
            wanted = ast.unparse(target)
            return any(
                isinstance(node, ast.Name | ast.Attribute) and ast.unparse(node) == wanted
                for node in ast.walk(value)
            )
    return False


def rebinding_lines(graph: Graph) -> dict[Site, bool]:
    """Returns the lines of a path on which an operation's result takes the name of one of its operands.

    Each comes with whether training goes on after it, or the result is an update by a gradient: a value
    computed from a variable at the very end may take its name.
    """
    found: dict[Site, bool] = {}
    if graph.words.rebinds:
        return found
    events = [
        event for event in graph.events if event.kind in ("operation", "write", "apply", "look", "gradient")
    ]
    for event, following in zip(events, [*events[1:], None], strict=False):
        site = event.site
        if site is None or not _ends_line(event, following):
            continue
        if site in found:
            found[site] = True
        elif binding(site) is not None and reads_its_name(site):
            rest = graph.events[event.number + 1 :]
            found[site] = any(map(_trains, rest)) or _is_update(graph, event)
    return found


def lost_results(graph: Graph) -> dict[Site, tuple[str, set[int]]]:
    """Returns the lines that give the name of a loop variable to a result that nothing reads.

    Each comes with the name and the variables that the operations of the line read.
    """
    found: dict[Site, tuple[str, set[int]]] = {}
    for event in graph.events:
        if event.kind != "operation" or event.site is None:
            continue
        inputs = (n for one in range(event.first, event.last) for n in graph.values[one].inputs)
        read = {graph.values[n].variable for n in inputs} - {None}
        if event.site in found:
            found[event.site][1].update(read)  # type: ignore[arg-type]
        elif read and (name := loop_name_lost(event.site)) is not None:
            found[event.site] = name, read  # type: ignore[assignment]
    for event in graph.events:
        if event.kind in ("write", "apply"):
            found.pop(event.site, None)  # type: ignore[arg-type]
    return found


def _trains(event: Event) -> bool:
    return event.kind in ("open", "gradient", "apply", "write")


def _is_update(graph: Graph, event: Event) -> bool:
    """Returns whether the values of an event depend on a gradient, apart from earlier updates of weights."""
    waiting = list(range(event.first, event.last))
    for number in waiting:
        value = graph.values[number]
        if graph.events[value.event].kind == "gradient":
            return True
        if value.variable is None:
            waiting += [source for source in value.inputs if source not in waiting]
    return False


def _ends_line(event: Event, following: Event | None) -> bool:
    """Returns whether an operation is the last event of its line."""
    return event.kind == "operation" and (following is None or following.site != event.site)


def bound_before(site: Site, name: str) -> Site | None:
    """Returns the last line up to a site that assigns to a name, in the scope of the site."""
    scope, file = scope_of(site, name), site.file
    lines = [
        one.lineno
        for one in statements_of(file)
        if isinstance(one, ast.Assign | ast.AnnAssign)
        and one.lineno <= site.line
        and any(name in _names(target) for target in _targets(one))
        and scope_of(Site(file, one.lineno, ""), name) == scope
    ]
    return Site(file, max(lines), site.function) if lines else None


def _targets(statement: ast.Assign | ast.AnnAssign) -> list[ast.expr]:
    return statement.targets if isinstance(statement, ast.Assign) else [statement.target]


def _names(target: ast.expr) -> set[str]:
    """Returns the names that a target binds: `a`, `self.a`, each of `a, b`."""
    if isinstance(target, ast.Tuple | ast.List):
        return set().union(*map(_names, target.elts))
    return {ast.unparse(target)} if isinstance(target, ast.Name | ast.Attribute) else set()


def indexed_before(site: Site) -> Site | None:
    """Returns the line that assigned an element of something to a name which this line's statement reads."""
    for node in ast.walk(statement_at(site) or ast.Pass()):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            line = bound_before(site, node.id)
            match statement_at(line):
                case ast.Assign(value=ast.Subscript()):
                    return line
    return None


def mentions(site: Site, name: str, detached: bool | None = None) -> bool:
    """Returns whether the statement on a line reads a name, or an attribute of that name.

    `detached` limits this to the places before a call of detach(), or to the others.
    """
    statement = statement_at(site) or ast.Pass()
    inside = {
        node
        for call in ast.walk(statement)
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr == "detach"
        for node in ast.walk(call.func.value)
    }
    return any(
        (detached is None or (node in inside) == detached)
        and (
            (isinstance(node, ast.Name) and node.id == name)
            or (isinstance(node, ast.Attribute) and node.attr == name)
        )
        for node in ast.walk(statement)
    )


def binding_of(site: Site, name: str) -> Site | None:
    """Returns the line of a site's file that assigns to a name, or to an attribute of that name.

    It is the last one before the site, if there is one.
    """
    lines = [
        one.lineno
        for one in statements_of(site.file)
        if isinstance(one, ast.Assign | ast.AnnAssign)
        and any(bound.rpartition(".")[2] == name for target in _targets(one) for bound in _names(target))
    ]
    before = [line for line in lines if line <= site.line] or lines
    return Site(site.file, max(before), "") if before else None


PARAMETERS = ("parameters", "params", "parameter_list", "var_list")
"""Names of the argument with the variables that an optimizer updates."""


def handed_at(made: Site | None) -> tuple[str, Site] | None:
    """Returns the name and the line of the list that an optimizer gets on the line of its creation."""
    for node in ast.walk(statement_at(made) or ast.Pass()):
        match node:
            case ast.Call(args=given, keywords=named):
                told = [one.value for one in named if one.arg in PARAMETERS] or given[:1]
                for one in told:
                    line = bound_before(made, one.id) if made and isinstance(one, ast.Name) else None
                    match statement_at(line):
                        case ast.Assign(value=ast.Constant()) | ast.AnnAssign(value=ast.Constant()) | None:
                            pass
                        case _ if line is not None and isinstance(one, ast.Name):
                            return one.id, line
    return None


RATES = ("learning_rate", "lr")
"""Names of the argument with the learning rate, which may also be the first argument."""


def schedule_at(made: Site | None) -> Site | None:
    """Returns the line of the schedule that an optimizer gets, by a name, on the line of its creation."""
    for node in ast.walk(statement_at(made) or ast.Pass()):
        match node:
            case ast.Call(args=given, keywords=named):
                for one in [one.value for one in named if one.arg in RATES] or given[:1]:
                    line = bound_before(made, one.id) if made and isinstance(one, ast.Name) else None
                    match statement_at(line):
                        case ast.Assign(value=ast.Call()):
                            return line
    return None


def alias_before(site: Site | None) -> Site | None:
    """Returns the line of an alias that this line reads, such as `target = online`.

    A line in a loop also reads the loop's iterable.
    """
    if site is None:
        return None
    for name in _read_on(site):
        line = binding_of(site, name)
        match statement_at(line):
            case ast.Assign(targets=[target], value=ast.Name() | ast.Attribute() as value):
                if ast.unparse(target) != ast.unparse(value):
                    return line
    return None


def _read_on(site: Site) -> list[str]:
    """Returns the names and attributes that a statement and the loops around it read."""
    around = [
        one for one in statements_of(site.file) if one.lineno <= site.line <= (one.end_lineno or one.lineno)
    ]
    read: list[ast.AST] = [one.iter for one in around if isinstance(one, ast.For)]
    statement = statement_at(site)
    read += [statement] if statement is not None else []
    found = []
    for node in (node for one in read for node in ast.walk(one)):
        if isinstance(node, ast.Name):
            found.append(node.id)
        elif isinstance(node, ast.Attribute):
            found.append(node.attr)
    return list(dict.fromkeys(found))
