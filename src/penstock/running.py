"""Running a script unchanged, with its `import tensorflow` or `import paddle` resolved to Penstock."""

from __future__ import annotations

import contextlib
import importlib
import os
import sys
from collections.abc import Iterator, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType, TracebackType
from typing import Any

from penstock.errors import PenstockError
from penstock.trace.recorder import Trace, local
from penstock.trace.site import PACKAGE

DIALECTS = {
    "tensorflow": {"tensorflow": "penstock.tensorflow", "keras": "penstock.tensorflow.keras"},
    "paddle": {"paddle": "penstock.paddle"},
}
"""By dialect: which module of Penstock answers to the name of which framework."""


def run_script(path: str, dialect: str | None, arguments: list[str]) -> BaseException | None:
    """Runs a Python file as `python path arguments...` would, and computes what it left pending.

    With a `dialect`, "tensorflow" or "paddle", imports of that framework and of its submodules resolve to
    Penstock while the script runs, for the script and for what it imports. Returns the exception that ended
    the script, its traceback without frames of Penstock; None if it ran to its end or left with `sys.exit()`
    or `sys.exit(0)`. Raises PenstockError for a file that is not there and for an unknown dialect.
    """
    script = Path(path)
    if not script.is_file():
        what = "is a directory" if script.is_dir() else "is not there"
        raise PenstockError(
            f"The script {path!r} {what}.",
            origin=f"looked for it in {Path.cwd()}",
            remedy="Give the path of a Python file.",
        )
    if dialect is not None and dialect not in DIALECTS:
        raise PenstockError(
            f"There is no dialect {dialect!r}.", remedy=f"Use {' or '.join(map(repr, DIALECTS))}, or none."
        )
    names = DIALECTS[dialect] if dialect is not None else {}
    failure: BaseException | None = None
    with _as_main(script, arguments) as main, _resolving(names):
        try:
            exec(
                compile(script.read_bytes(), main.__file__ or path, "exec", dont_inherit=True), main.__dict__
            )
        except BaseException as error:
            failure = error
        try:
            _finish()
        except BaseException as error:
            failure = failure or error
    _flush_streams()
    if isinstance(failure, SystemExit) and not failure.code:
        return None
    if failure is not None:
        _explain_import(failure, names)
        _strip(failure)
    return failure


def _finish() -> None:
    """Computes what is pending, so that what is wrong with it is found and its writes are seen."""
    trace: Trace = local.trace
    if trace.node.parent is not None:
        trace.run(reset=True)


@contextlib.contextmanager
def _as_main(script: Path, arguments: Sequence[str]) -> Iterator[ModuleType]:
    """Makes this process look to the script as if Python had been started with it."""
    main = ModuleType("__main__")
    main.__file__ = os.path.abspath(script)
    main.__builtins__ = __builtins__  # type: ignore[attr-defined]
    folder = os.path.dirname(os.path.realpath(script))
    kept = sys.argv, sys.path[:], sys.modules.get("__main__")
    known = set(sys.modules)
    sys.argv = [str(script), *arguments]
    sys.path.insert(0, folder)
    sys.modules["__main__"] = main
    try:
        yield main
    finally:
        sys.argv, sys.path[:] = kept[0], kept[1]
        if kept[2] is not None:
            sys.modules["__main__"] = kept[2]
        # A module beside the script belongs to it: another script may have one of the same name.
        beside = {name for name in set(sys.modules) - known if _lies_in(sys.modules[name], folder)}
        for name in [name for name in sys.modules if name.partition(".")[0] in beside]:
            del sys.modules[name]


def _lies_in(module: ModuleType, folder: str) -> bool:
    """Returns whether a module is a file or a package directly inside a folder."""
    file = getattr(module, "__file__", None) or ""
    name = module.__name__
    return file in (os.path.join(folder, f"{name}.py"), os.path.join(folder, name, "__init__.py"))


# -- imports ------------------------------------------------------------------------------------------------


class _Resolver(MetaPathFinder, Loader):
    """Finds modules of Penstock under the name of a framework."""

    def __init__(self, names: dict[str, str]) -> None:
        self.names = names
        self.specs: dict[str, ModuleSpec | None] = {}

    def find_spec(self, fullname: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        root = fullname.partition(".")[0]
        return ModuleSpec(fullname, self, is_package=True) if root in self.names else None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        root, _, rest = spec.name.partition(".")
        own = f"{self.names[root]}.{rest}" if rest else self.names[root]
        private = any(part.startswith("_") for part in rest.split("."))
        try:
            if private:
                raise ModuleNotFoundError(name=own)
            module = importlib.import_module(own)
        except ModuleNotFoundError as error:
            if error.name is None or not own.startswith(error.name):
                raise
            raise ModuleNotFoundError(
                f"No module named {spec.name!r}: {self.names[root]} does not have it, or not yet.",
                name=spec.name,
            ) from None
        self.specs[spec.name] = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        # The machinery has put its own spec there; the module stays the one it was.
        assert module.__spec__ is not None
        module.__spec__ = self.specs.pop(module.__spec__.name)


@contextlib.contextmanager
def _resolving(names: dict[str, str]) -> Iterator[None]:
    """Lets imports of these names find Penstock; afterwards they find what they found before."""

    def of_framework(name: str) -> bool:
        return name.partition(".")[0] in names

    resolver = _Resolver(names)
    kept = {name: module for name, module in sys.modules.items() if of_framework(name)}
    for name in kept:
        del sys.modules[name]
    sys.meta_path.insert(0, resolver)
    try:
        yield
    finally:
        sys.meta_path.remove(resolver)
        for name in [name for name in sys.modules if of_framework(name)]:
            del sys.modules[name]
        sys.modules.update(kept)


def _explain_import(error: BaseException, names: dict[str, str]) -> None:
    """Adds to an ImportError whose cause is that Penstock lacks a name, that it does."""
    if not isinstance(error, ImportError) or isinstance(error, ModuleNotFoundError) or not error.name:
        return
    for framework, own in names.items():
        if error.name == own or error.name.startswith(f"{own}."):
            error.add_note(
                f"Imports of {framework} resolve to {own}, which does not have this name, or not yet."
            )
            return


# -- what went wrong ----------------------------------------------------------------------------------------


def _strip(error: BaseException) -> None:
    """Takes the frames of Penstock and of the import machinery out of a traceback, and of those behind it."""
    waiting: list[BaseException | None] = [error]
    seen: set[int] = set()
    while waiting:
        one = waiting.pop()
        if one is None or id(one) in seen:
            continue
        seen.add(id(one))
        one.__traceback__ = _user_traceback(one.__traceback__)
        waiting += [one.__cause__, one.__context__]


def _user_traceback(traceback: TracebackType | None) -> TracebackType | None:
    entries = []
    while traceback is not None:
        file = traceback.tb_frame.f_code.co_filename
        if not file.startswith(PACKAGE) and not file.startswith("<frozen importlib"):
            entries.append(traceback)
        traceback = traceback.tb_next
    kept = None
    for entry in reversed(entries):
        kept = TracebackType(kept, entry.tb_frame, entry.tb_lasti, entry.tb_lineno)
    return kept


def _flush_streams() -> None:
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError, AttributeError):
            stream.flush()
