"""The magic of notebooks: `%load_ext penstock`, then `%%penstock check` at the top of a cell."""

from __future__ import annotations

import ast
import shlex
import sys
from importlib import import_module
from types import FrameType
from typing import Any

from penstock.errors import PenstockError
from penstock.frameworks.sources import BLOCKS
from penstock.trace.source_site import Site, cell_of
from penstock.watching import Watch

_USE = "Write %%penstock check, optionally followed by --steps N or --with FRAMEWORK."


def load_ipython_extension(shell: Any) -> None:
    """Gives IPython the magic `%%penstock`, when a notebook says `%load_ext penstock`.

    `%%penstock check` at the top of a cell runs the cell, watches it as `penstock.watch` watches a block, and
    shows the report below it as a page. `--steps N` watches the first N steps alone; `--with torch` and
    `--with tensorflow` watch PyTorch and TensorFlow. An exception in the cell propagates, after the report.

    >>> class Shell:
    ...     def register_magic_function(self, function, kind, name):
    ...         print(f"%%{name}")
    >>> load_ipython_extension(Shell())
    %%penstock
    """

    def penstock(line: str, cell: str) -> Watch:
        return _checked(shell, line, cell)

    penstock.__doc__ = load_ipython_extension.__doc__
    shell.register_magic_function(penstock, "cell", "penstock")


def _checked(shell: Any, line: str, cell: str) -> Watch:
    """Runs a cell under watch; returns the watch, which the notebook shows."""
    framework, steps = _options(line)
    # The magic is the first line of the cell: an empty line in its place keeps the numbers of the others.
    text = "\n" + shell.transform_cell(cell)
    name = shell.compile.cache(text, _number(shell), raw_code=text)
    tree = ast.parse(text, name)
    watch = Watch({}, framework, steps, Site(name, 2, "<module>"))
    try:
        with watch:
            for node in tree.body:
                last = node is tree.body[-1] and isinstance(node, ast.Expr)
                if last and isinstance(node, ast.Expr):
                    value = eval(compile(ast.Expression(node.value), name, "eval"), shell.user_ns)
                    if value is not None:
                        _show(value)
                else:
                    exec(compile(ast.Module([node], []), name, "exec"), shell.user_ns)
    except BaseException:
        if watch._report is not None:
            _show(watch)
        raise
    return watch


def _number(shell: Any) -> int:
    """Returns the number of the running cell, which has called the magic."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        cell = cell_of(frame.f_code.co_filename)
        if cell is not None:
            return cell[1]
        frame = frame.f_back
    return int(shell.execution_count)


def _show(value: Any) -> None:
    shown: Any = import_module("IPython.display")
    shown.display(value)


def _options(line: str) -> tuple[str | None, int | None]:
    """Returns the framework and the number of steps; raises PenstockError for an unknown option."""
    words = shlex.split(line)
    if words[:1] != ["check"]:
        raise PenstockError(f"%%penstock was given {line!r}.", remedy=_USE)
    found: dict[str, str] = {}
    rest = words[1:]
    while rest:
        name, equals, value = rest.pop(0).partition("=")
        if name not in ("--steps", "--with") or not (equals or rest):
            raise PenstockError(f"%%penstock check was given {name!r}.", remedy=_USE)
        found[name] = value if equals else rest.pop(0)
    steps, framework = found.get("--steps"), found.get("--with")
    if steps is not None and not (steps.isdigit() and int(steps)):
        raise PenstockError(
            f"%%penstock check was given --steps {steps}.", remedy="Give a whole number of at least 1."
        )
    if framework is not None and framework not in BLOCKS:
        raise PenstockError(
            f"%%penstock check was given --with {framework}.", remedy=f"It knows {', '.join(BLOCKS)}."
        )
    return framework, int(steps) if steps is not None else None


__all__ = ["load_ipython_extension"]
