"""Running a script unchanged, with its `import tensorflow` or `import paddle` resolved to Penstock."""

from __future__ import annotations

import ast
import contextlib
import importlib
import os
import sys
from collections.abc import Iterator, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import BuiltinImporter, ModuleSpec, PathFinder
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

from penstock import notebooks
from penstock.errors import PenstockError
from penstock.trace.local import local
from penstock.trace.recorder import Trace
from penstock.trace.source_site import display_file
from penstock.trace.tracebacks import shorten

DIALECTS = {
    "tensorflow": {"tensorflow": "penstock.tensorflow", "keras": "penstock.tensorflow.keras"},
    "paddle": {"paddle": "penstock.paddle"},
}
"""By dialect: the module of Penstock for each name of a framework."""
FIRST = {
    "tensorflow": "penstock.tensorflow.compat.v1",
    "tensorflow.compat": "penstock.tensorflow.compat",
}
"""The modules for a program with TensorFlow 1's names."""


STANDARD_INPUT = "<stdin>"
"""The file name of a script from standard input."""


def run_script(
    path: str, dialect: str | None, arguments: list[str], module: str | None = None
) -> BaseException | None:
    """Runs a Python file as `python path arguments...` would, and runs the pending operations at the end.

    The cells of a notebook are run in order, as one program. With `module`, the name of the module in the
    file `path`, it runs like `python -m module arguments...`.

    With a `dialect`, "tensorflow" or "paddle", imports of that framework and of its submodules resolve to
    Penstock while the script runs, for the script and for what it imports. Returns the exception that ended
    the script, its traceback without frames of Penstock; None if it ran to its end or left with `sys.exit()`
    or `sys.exit(0)`. Raises PenstockError for a file that does not exist and for an unknown dialect.
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
    old = dialect == "tensorflow" and speaks_tensorflow_1(script)
    if old:
        names = {**names, **FIRST}
    failure: BaseException | None = None
    with _as_main(script, arguments, module) as main, _resolving(names), _graphs(old):
        try:
            if module is not None and main.__package__:
                importlib.import_module(main.__package__)
            for code in _compiled(script, main):
                exec(code, main.__dict__)
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
        shorten(failure, BaseException)
    return failure


def _compiled(script: Path, main: ModuleType) -> Iterator[CodeType]:
    if script.suffix == notebooks.SUFFIX:
        main.__dict__.setdefault("display", print)
        yield from notebooks.compiled(script)
    else:
        yield compile(script.read_bytes(), main.__file__ or str(script), "exec", dont_inherit=True)


def file_of(module: str) -> str:
    """Returns the file that `python -m module` would run, without importing anything.

    Raises PenstockError for a module that is not found, or that is not a Python file.
    """
    path: Sequence[str] | None = [os.getcwd(), *sys.path]
    spec: ModuleSpec | None = None
    parts = module.split(".")
    for count in range(1, len(parts) + 1):
        spec = PathFinder.find_spec(".".join(parts[:count]), path) if path is not None else None
        if spec is None and count == 1:
            spec = BuiltinImporter.find_spec(parts[0])
        if spec is None:
            raise PenstockError(
                f"There is no module {'.'.join(parts[:count])!r}.",
                remedy="Run penstock from a folder where `python -m` finds the module.",
            )
        path = spec.submodule_search_locations
    if path is not None:
        spec = PathFinder.find_spec(f"{module}.__main__", path)
    if spec is None or not spec.origin or not spec.origin.endswith(".py"):
        raise PenstockError(
            f"The module {module!r} cannot be run: it is a package without __main__.py, or not a Python "
            "file.",
            remedy=f"Name a module in it: -m {module}.train",
        )
    return display_file(spec.origin)


def _finish() -> None:
    """Runs the pending operations, so that their errors and writes are seen.

    Afterwards the last step of the program, which would keep its variables alive, is forgotten.
    """
    trace: Trace = local.trace
    if trace.node.parent is not None:
        trace.run(reset=True)
    trace.previous = None


@contextlib.contextmanager
def _as_main(script: Path, arguments: Sequence[str], module: str | None = None) -> Iterator[ModuleType]:
    """Makes this process look as if Python had been started with the script or module."""
    main = ModuleType("__main__")
    main.__file__ = os.path.abspath(script)
    main.__builtins__ = __builtins__  # type: ignore[attr-defined]
    piped = script.name == STANDARD_INPUT
    folder = os.path.dirname(os.path.realpath(script)) if module is None and not piped else os.getcwd()
    if module is not None:
        # Python runs a package by the file __main__.py in it.
        inside = script.name == "__main__.py" and not module.endswith("__main__")
        name = f"{module}.__main__" if inside else module
        main.__package__ = name.rpartition(".")[0]
        main.__spec__ = ModuleSpec(name, None, origin=str(script))
    kept = sys.argv, sys.path[:], sys.modules.get("__main__")
    known = set(sys.modules)
    sys.argv = ["-" if piped else str(script) if module is None else main.__file__, *arguments]
    sys.path.insert(0, folder)
    sys.modules["__main__"] = main
    try:
        yield main
    finally:
        sys.argv, sys.path[:] = kept[0], kept[1]
        if kept[2] is not None:
            sys.modules["__main__"] = kept[2]
        # A module next to the script belongs to it: another script may have one of the same name.
        beside = {name for name in set(sys.modules) - known if _lies_in(sys.modules[name], folder)}
        for name in [name for name in sys.modules if name.partition(".")[0] in beside]:
            del sys.modules[name]


def _lies_in(module: ModuleType, folder: str) -> bool:
    """Returns whether a module is a file or a package directly inside a folder."""
    file = getattr(module, "__file__", None) or ""
    # What a library puts among the modules need not be one, and then has no name.
    name = getattr(module, "__name__", "")
    return file in (os.path.join(folder, f"{name}.py"), os.path.join(folder, name, "__init__.py"))


# -- imports ------------------------------------------------------------------------------------------------


class _Resolver(MetaPathFinder, Loader):
    """Finds modules of Penstock under the name of a framework."""

    def __init__(self, names: dict[str, str]) -> None:
        self.names = names
        self.specs: dict[str, ModuleSpec | None] = {}
        self.bound: list[tuple[ModuleType, str, ModuleType]] = []

    def find_spec(self, fullname: str, *_: Any) -> ModuleSpec | None:
        root = fullname.partition(".")[0]
        return ModuleSpec(fullname, self, is_package=True) if root in self.names else None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        root = max((one for one in self.names if f"{spec.name}.".startswith(f"{one}.")), key=len)
        rest = spec.name[len(root) + 1 :]
        module = None
        if not any(part.startswith("_") for part in rest.split(".")):
            module = next(
                filter(None, (_module(f"{home}.{rest}".rstrip(".")) for home in self._homes(root))), None
            )
        if module is None:
            instead = f"\n{_instead_of(self.names[root], rest)}".rstrip()
            raise ModuleNotFoundError(
                f"No module named {spec.name!r}: {self.names[root]} does not have it (yet).{instead}",
                name=spec.name,
            )
        self.specs[spec.name] = module.__spec__
        within, _, last = spec.name.rpartition(".")
        around = sys.modules.get(within)
        if around is not None and last not in vars(around) and module.__name__ != f"{around.__name__}.{last}":
            self.bound.append((around, last, module))
        return module

    def unbind(self) -> None:
        """Takes away the names that Python has given to modules for those of another, which it imported."""
        for around, name, module in self.bound:
            if vars(around).get(name) is module:
                delattr(around, name)

    def _homes(self, root: str) -> Iterator[str]:
        """Yields the modules of Penstock in which those of a framework are looked for.

        What TensorFlow 1 shares with its successor (`tensorflow.keras`, `tensorflow.python`) is there once.
        """
        yield self.names[root]
        if self.names[root] == FIRST.get(root):
            yield DIALECTS["tensorflow"].get(root, self.names[root])

    def exec_module(self, module: ModuleType) -> None:
        # The import machinery has set its own spec; the module keeps its original one.
        assert module.__spec__ is not None
        module.__spec__ = self.specs.pop(module.__spec__.name)


def _module(own: str) -> ModuleType | None:
    """Returns a module of Penstock, which may be a name of another; None if there is none."""
    try:
        return importlib.import_module(own)
    except ModuleNotFoundError as error:
        if error.name is None or not own.startswith(error.name):
            raise
    place, _, name = own.rpartition(".")
    found = getattr(sys.modules.get(place), name, None)
    return found if isinstance(found, ModuleType) else None


def _instead_of(dialect: str, name: str) -> str:
    """Returns a dialect's advice for a module that it does not have."""
    try:
        names = importlib.import_module(f"{dialect}._names")
    except ModuleNotFoundError:
        return ""
    return str(names.instead_of(name)) if hasattr(names, "instead_of") else ""


@contextlib.contextmanager
def _resolving(names: dict[str, str]) -> Iterator[None]:
    """Makes imports of these names find Penstock; afterwards they find the original modules again."""

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
        resolver.unbind()
        for name in [name for name in sys.modules if of_framework(name)]:
            del sys.modules[name]
        sys.modules.update(kept)


def _explain_import(error: BaseException, names: dict[str, str]) -> None:
    """Adds an explanation to an ImportError that is caused by a name missing from Penstock.

    If a framework is not installed, the error says how to run the script without it.
    """
    if not isinstance(error, ImportError) or not error.name:
        return
    if isinstance(error, ModuleNotFoundError):
        root = error.name.partition(".")[0]
        dialect = next((name for name, own in DIALECTS.items() if root in own), None)
        if error.name == root and dialect is not None and root not in names:
            error.msg = (
                f"{error.msg}\n{root} is not installed. To run the script on Penstock instead, write --as "
                f"{dialect} before it."
            )
        elif error.name == root == "torch":
            error.msg = (
                f"{error.msg}\nPyTorch is not installed here, and Penstock reports on programs that run in "
                "PyTorch itself. Install it, pip install torch, and type --with torch in front of the script."
            )
        return
    for framework, own in names.items():
        if error.name == own or error.name.startswith(f"{own}."):
            error.add_note(f"Imports of {framework} resolve to {own}, which does not have this name (yet).")
            return


# -- TensorFlow 1 -----------------------------------------------------------------------------------------


def speaks_tensorflow_1(script: Path) -> bool:
    """Returns whether a script, or a module next to it that it imports, uses a name only TensorFlow 1 has.

    Examples are `tf.Session` or `tf.train.AdamOptimizer` after `import tensorflow as tf`; names that
    TensorFlow 2 also has do not show how old a program is. Nothing is run. A file that cannot be parsed is
    ignored.
    """
    return any(_names_only_1_has(tree) for _, tree in trees(script, script.parent))


def trees(script: Path, folder: Path) -> Iterator[tuple[Path, ast.AST]]:
    """Yields the syntax of a script and of the modules in a folder that it imports; none is run.

    A file that cannot be parsed is skipped.
    """
    waiting, seen = [script], set[Path]()
    while waiting:
        file = waiting.pop()
        if file in seen:
            continue
        seen.add(file)
        try:
            text = notebooks.text_of(file) if file.suffix == notebooks.SUFFIX else file.read_bytes()
            tree = ast.parse(text)
        except (OSError, SyntaxError, ValueError, PenstockError):
            continue
        yield file, tree
        for name in filter(None, _imported(tree)):
            beside = folder.joinpath(*name.split("."))
            waiting += [one for one in (beside.with_suffix(".py"), beside / "__init__.py") if one.is_file()]


ENGINES = (
    "torch",
    "tensorflow",
    "keras",
    "paddle",
    "penstock",
    "jax",
    "mxnet",
    "mlx",
    "tinygrad",
    "autograd",
)
"""The frameworks that --with auto knows by name."""


def imported_engines(script: str, module: str | None = None) -> dict[str, Path]:
    """Returns the frameworks that a program imports, each with the file that does, in the order of ENGINES.

    Modules next to a script, or below the working directory of a module, are also read.
    """
    folder = Path(script).parent if module is None else Path.cwd()
    found: dict[str, Path] = {}
    for file, tree in trees(Path(script), folder):
        for name in _imported(tree):
            found.setdefault(name.partition(".")[0], file)
    return {name: found[name] for name in ENGINES if name in found}


def _imported(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module or ""
            yield from (f"{node.module}.{alias.name}" if node.module else alias.name for alias in node.names)
        elif isinstance(node, ast.Call) and node.args and _imports(node.func):
            name = node.args[0]
            if isinstance(name, ast.Constant) and isinstance(name.value, str) and name.value.strip("./"):
                yield name.value


def _imports(function: ast.expr) -> bool:
    """Returns whether a function imports the module whose name it is given: `__import__("6-train")`."""
    name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
    return name in ("__import__", "import_module")


def _names_only_1_has(tree: ast.AST) -> bool:
    aliases = {
        alias.asname or "tensorflow"
        for node in ast.walk(tree)
        if isinstance(node, ast.Import)
        for alias in node.names
        if alias.name == "tensorflow" or (alias.name.startswith("tensorflow.") and not alias.asname)
    }
    # Where a word stands for compat.v1 from some line on, the program says itself which it means.
    aliases -= {
        alias.asname
        for node in ast.walk(tree)
        if isinstance(node, ast.Import)
        for alias in node.names
        if alias.name == "tensorflow.compat.v1" and alias.asname
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module == "tensorflow":
            if any(alias.name in ONLY_1 for alias in node.names):
                return True
        elif isinstance(node, ast.Attribute):
            parts: list[str] = []
            one: ast.expr = node
            while isinstance(one, ast.Attribute):
                parts.append(one.attr)
                one = one.value
            if isinstance(one, ast.Name) and one.id in aliases:
                parts.reverse()
                if parts[0] in ONLY_1 or ".".join(parts[:2]) in ONLY_1:
                    return True
    return False


_WORDS = """
    AUTO_REUSE ConfigProto GPUOptions GraphKeys InteractiveSession Session VariableScope app contrib
    disable_eager_execution disable_v2_behavior enable_eager_execution flags get_collection
    get_collection_ref get_default_graph get_default_session get_variable get_variable_scope
    global_variables global_variables_initializer initialize_all_variables layers local_variables
    local_variables_initializer placeholder placeholder_with_default python_io reset_default_graph
    trainable_variables variable_scope variables_initializer train.AdadeltaOptimizer
    train.AdagradOptimizer train.AdamOptimizer train.FtrlOptimizer train.GradientDescentOptimizer
    train.MomentumOptimizer train.Optimizer train.RMSPropOptimizer train.Saver
    train.exponential_decay train.get_global_step train.get_or_create_global_step
    train.create_global_step train.piecewise_constant train.polynomial_decay
    train.inverse_time_decay losses.absolute_difference losses.mean_squared_error
    losses.softmax_cross_entropy losses.sparse_softmax_cross_entropy losses.sigmoid_cross_entropy
    losses.get_total_loss nn.dynamic_rnn nn.rnn_cell nn.softmax_cross_entropy_with_logits_v2
    nn.xw_plus_b summary.FileWriter summary.merge_all
"""
ONLY_1 = frozenset(_WORDS.split())
"""Names of TensorFlow 1 that TensorFlow 2 does not have, about graphs, sessions and the like.

Names such as `tf.assign` or `tf.log` do not decide: people type them in eager programs too, by mistake.
"""


@contextlib.contextmanager
def _graphs(old: bool) -> Iterator[None]:
    """Lets a program in TensorFlow 1 build its graph from its first line on; then forgets the graph."""
    module: Any = importlib.import_module("penstock.tensorflow._graphs.functions") if old else None
    if old:
        importlib.import_module(FIRST["tensorflow"])
        module.disable_v2_behavior()
    try:
        yield
    finally:
        module = module or sys.modules.get("penstock.tensorflow._graphs.functions")
        if module is not None:
            module.forget()


# -- what went wrong ----------------------------------------------------------------------------------------


def _flush_streams() -> None:
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError, AttributeError):
            stream.flush()
