"""The pages of the reference: every public name, by subject, each described by its docstring."""

from __future__ import annotations

import inspect
from functools import cache
from types import ModuleType
from typing import Any

import penstock as ps
import penstock.testing

SUBJECTS = {
    "penstock.functions.creation": ("creation", "Making arrays"),
    "penstock.functions.elementwise": ("elementwise", "Elementwise functions"),
    "penstock.functions.manipulation": ("manipulation", "Shapes"),
    "penstock.functions.statistics": ("statistics", "Sums and statistics"),
    "penstock.functions.quantiles": ("statistics", "Sums and statistics"),
    "penstock.functions.products": ("products", "Products"),
    "penstock.functions.einsum": ("products", "Products"),
    "penstock.functions.ordering": ("ordering", "Sorting, searching and indexing"),
    "penstock.functions.indexing": ("ordering", "Sorting, searching and indexing"),
    "penstock.functions.interpolation": ("ordering", "Sorting, searching and indexing"),
    "penstock.functions.datatypes": ("dtypes", "Dtypes"),
    "penstock.functions.inspection": ("dtypes", "Dtypes"),
    "penstock.functions.prefetching": ("engine", "Steps and what the engine did"),
    "penstock.functions.interchange": ("creation", "Making arrays"),
    "penstock.trace.tensor": ("state", "Tensors and variables"),
    "penstock.state": ("state", "Tensors and variables"),
    "penstock.functions.control": ("control", "Loops and branches"),
    "penstock.functions.vmap": ("control", "Loops and branches"),
    "penstock.grad": ("gradients", "Gradients"),
    "penstock.optimizers.clipping": ("gradients", "Gradients"),
    "penstock.flow": ("reports", "Reports, contracts and ledgers"),
    "penstock.watching": ("reports", "Reports, contracts and ledgers"),
    "penstock.capture": ("engine", "Steps and what the engine did"),
    "penstock.tiers": ("engine", "Steps and what the engine did"),
    "penstock.trace": ("engine", "Steps and what the engine did"),
}
"""For each module, or room, that defines names of the package itself: the page, and its title."""

MODULES = {
    "nn": "Neural networks",
    "losses": "Losses",
    "layers": "Layers",
    "metrics": "Scores",
    "optimizers": "Optimizers and schedules",
    "policies": "Mixed precision",
    "distribution": "Many devices",
    "random": "Random numbers",
    "linalg": "Linear algebra",
    "fft": "Fourier transforms",
    "special": "Special functions",
    "segments": "Segments",
    "training": "Training loops",
    "errors": "Errors",
    "testing": "Testing derivatives",
}


def is_ours(thing: Any) -> bool:
    """Whether a thing is a class or function of this package."""
    return callable(thing) and (getattr(thing, "__module__", None) or "").partition(".")[0] == "penstock"


def members(module: ModuleType) -> dict[str, Any]:
    """Returns the classes and functions that users call by a module's name."""
    listed = getattr(module, "__all__", None)
    names = [name for name in vars(module) if not name.startswith("_")] if listed is None else listed
    things = {name: getattr(module, name) for name in names}
    return {
        name: thing
        for name, thing in sorted(things.items())
        if is_ours(thing) and (listed is not None or thing.__module__ == module.__name__)
    }


def subject(thing: Any) -> tuple[str, str]:
    """Returns the page and the title under which a name of the package itself is described."""
    home = thing.__module__
    while home not in SUBJECTS and "." in home:
        home = home.rpartition(".")[0]
    return SUBJECTS.get(home, ("other", "Other names"))


@cache
def entries() -> dict[str, tuple[str, dict[str, Any]]]:
    """Returns for each page of the reference its title, and its things by the name that users write."""
    found: dict[str, tuple[str, dict[str, Any]]] = {}
    for name, thing in members(ps).items():
        page, title = subject(thing)
        found.setdefault(page, (title, {}))[1][f"ps.{name}"] = thing
    order = list(dict.fromkeys(page for page, _ in SUBJECTS.values()))
    found = {page: found[page] for page in [*order, *(set(found) - set(order))] if page in found}
    for name, title in MODULES.items():
        inside: dict[str, Any] = {}
        module = getattr(ps, name)
        for member, thing in members(module).items():
            inside[f"ps.{name}.{member}"] = thing
        for member in getattr(module, "__all__", ()):
            below = getattr(module, member)
            if isinstance(below, ModuleType):
                inside |= {f"ps.{name}.{member}.{one}": thing for one, thing in members(below).items()}
        found[name] = (f"{title} (`ps.{name}`)", inside)
    return found


def directive(name: str, thing: Any) -> str:
    """Returns the lines by which the site describes one thing under the name that users write."""
    path = f"{thing.__module__}.{thing.__qualname__}"
    home = inspect.getmodule(thing)
    where = name.replace("ps.", "penstock.", 1)
    found: Any = home
    for part in thing.__qualname__.split("."):
        found = getattr(found, part, None)
    path = path if found is thing else where
    lines = [f"::: {path}", "    options:", f'      heading: "{name}"', f'      toc_label: "{name}"']
    return "\n".join(lines)


def first(name: str, thing: Any) -> str:
    """Returns the name under which a thing is described: the first of those that it has."""
    for _, things in entries().values():
        for other, there in things.items():
            if there is thing:
                return other
    return name


def page(title: str, things: dict[str, Any]) -> str:
    """Returns a page of the reference; what has another name before is only mentioned."""
    parts = [f"# {title}"]
    for name, thing in things.items():
        other = first(name, thing)
        link = f"[`{other}`][{_identifier(other, thing)}]"
        parts.append(directive(name, thing) if other == name else f"## {name}\n\nThe same as {link}.")
    return "\n\n".join(parts) + "\n"


def index(pages: dict[str, tuple[str, dict[str, Any]]]) -> str:
    """Returns the first page of the reference: every name, by page."""
    lines = [
        "# Reference",
        "",
        "`import penstock as ps` is how every example begins. A name leads to its description.",
    ]
    for place, (title, things) in pages.items():
        lines += ["", f"## [{title}]({place}.md)", ""]
        lines.append(
            " · ".join(
                f"[`{name.rpartition('.')[2]}`][{_identifier(name, thing)}]" for name, thing in things.items()
            )
        )
    return "\n".join(lines) + "\n"


def _identifier(name: str, thing: Any) -> str:
    return directive(name, thing).splitlines()[0].removeprefix("::: ")
