"""Rooms of the house: a file imports from its own room and from rooms above it, never downward."""

import ast
import graphlib
from collections.abc import Iterator
from pathlib import Path

import pytest

# From the ground up; `__init__` is the public face, `import penstock` itself.
ROOMS = (
    "foreign",
    "lazy",
    "declared",
    "errors",
    "trace",
    "ops",
    "state",
    "tiers",
    "functions",
    "grad",
    "optimizers",
    "layers",
    "capture",
    "flow",
    "frameworks",
    "watching",
    "magic",
    "metrics",
    "training",
    "callbacks",
    "distribution",
    "pytesting",
    "__init__",
    "fft",
    "linalg",
    "losses",
    "nn",
    "random",
    "segments",
    "special",
    "tensorflow",
    "paddle",
    "notebooks",
    "running",
    "scripts",
    "several",
    "launched",
    "launching",
    "doctor",
    "cli",
    "__main__",
    "testing",
)

PACKAGE = Path(__file__).parents[1] / "src" / "penstock"
FILES = sorted(PACKAGE.rglob("*.py"))


def room_of(parts: tuple[str, ...]) -> str:
    """The room of a name inside the package: ('trace', 'tree') is in 'trace', () is the public face."""
    return parts[0] if parts else "__init__"


def is_type_checking(test: ast.expr) -> bool:
    """Whether an `if` asks for TYPE_CHECKING, so that its body never runs."""
    return getattr(test, "id", getattr(test, "attr", None)) == "TYPE_CHECKING"


def running_nodes(tree: ast.AST) -> Iterator[ast.AST]:
    """Every node that can run, function bodies included; what stands under TYPE_CHECKING is left out."""
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        yield node
        if isinstance(node, ast.If) and is_type_checking(node.test):
            waiting.extend(node.orelse)
        else:
            waiting.extend(ast.iter_child_nodes(node))


def imported_names(node: ast.AST, package: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """Dotted names that one node imports, relative ones resolved against the package the file lies in."""
    match node:
        case ast.Import(names=names):
            yield from (tuple(alias.name.split(".")) for alias in names)
        case ast.ImportFrom(module=module, names=names, level=level):
            origin = package[: len(package) + 1 - level] if level else ()
            origin += tuple(module.split(".")) if module else ()
            # `from penstock import trace` names a room, `from penstock import Variable` the public face.
            yield from ((*origin, alias.name) for alias in names)
        case ast.Call(
            func=ast.Name(id=caller) | ast.Attribute(attr=caller), args=[ast.Constant(value=str(name)), *_]
        ) if caller in ("import_module", "__import__"):
            yield tuple(name.split("."))
        case ast.Dict(keys=keys):
            # The tables of `later`: modules that are imported when one of their names is asked for.
            for key in keys:
                if isinstance(key, ast.Constant) and str(key.value).startswith("penstock."):
                    yield tuple(str(key.value).split("."))


def downward_imports(source: str, path: Path) -> list[str]:
    """Complaints about imports that lead below the room of `path`, which is relative to the package."""
    home = room_of(path.with_suffix("").parts)
    if home not in ROOMS:
        return [f"{path}:1: room {home!r} is not in ROOMS: say where it stands"]
    package = ("penstock", *path.parent.parts)
    complaints = []
    for node in running_nodes(ast.parse(source)):
        for name in imported_names(node, package):
            if name[0] != "penstock":
                continue
            room = room_of(name[1:])
            room = room if room in ROOMS else "__init__"
            if ROOMS.index(room) > ROOMS.index(home):
                line = f"{path}:{node.lineno}"
                complaints.append(f"{line}: {home} imports {'.'.join(name)}, which stands below it ({room})")
    return complaints


def test_the_package_is_where_this_test_looks():
    assert PACKAGE / "__init__.py" in FILES


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_imports_go_upward(path):
    complaints = downward_imports(path.read_text(encoding="utf-8"), path.relative_to(PACKAGE))
    assert not complaints, "\n".join(complaints)


@pytest.mark.parametrize(
    ("path", "source", "line"),
    [
        ("trace/tree.py", "from penstock.grad import tape", 1),
        ("trace/tree.py", "import penstock.grad.tape as tape", 1),
        ("trace/tree.py", "from ..grad.tape import GradientTape", 1),
        ("trace/tree.py", "from .. import grad", 1),
        ("trace/tree.py", "import penstock", 1),
        ("trace/tree.py", "from penstock import Variable", 1),
        ("trace/__init__.py", "from ..grad import tape", 1),
        ("errors.py", "def late():\n    from . import trace", 2),
        ("ops/table.py", "import importlib\nimportlib.import_module('penstock.tiers.xla')", 2),
        ("ops/table.py", "later(__name__, {'penstock.functions.fft': 'fft'})", 1),
        ("ops/table.py", "HOMES = {\n    'penstock.functions.fft': 'fft',\n}", 1),
        ("flow/diagnoses/cut.py", "from ...cli import main", 1),
        ("trace/tree.py", "if TYPE_CHECKING:\n    pass\nelse:\n    from ..grad import tape", 4),
        ("cellar/wine.py", "", 1),
    ],
)
def test_a_planted_downward_import_is_found(path, source, line):
    (complaint,) = downward_imports(source, Path(path))
    assert complaint.startswith(f"{path}:{line}: ")


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("grad/tape.py", "from penstock.trace import tree\nfrom ..errors import Used\nfrom . import rows"),
        ("trace/tree.py", "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from ..grad import tape"),
        ("trace/tree.py", "import typing\nif typing.TYPE_CHECKING:\n    from ..grad import tape"),
        ("trace/__init__.py", "from .tree import Tree"),
        ("__init__.py", "from .flow.explain import explain\nfrom penstock.trace.tensor import Tensor"),
        ("tensorflow/__init__.py", "import penstock as ps\nimport tensorflow"),
    ],
)
def test_upward_imports_are_fine(path, source):
    assert downward_imports(source, Path(path)) == []


def imports_among(folder: str) -> dict[str, set[str]]:
    """Which files of a folder import which others of it, wherever in a file that stands."""
    homes = {}
    for path in sorted((PACKAGE / folder).rglob("*.py")):
        parts = path.relative_to(PACKAGE).with_suffix("").parts
        homes[".".join(("penstock", *parts)).removesuffix(".__init__")] = path
    found = {}
    for name, path in homes.items():
        package = ("penstock", *path.relative_to(PACKAGE).parent.parts)
        named = [
            one
            for node in running_nodes(ast.parse(path.read_text("utf-8")))
            for one in imported_names(node, package)
        ]
        reached = {".".join(one) for one in named} | {
            ".".join(one[:-1]) for one in named if ".".join(one) not in homes
        }
        found[name] = reached & set(homes) - {name}
    return found


@pytest.mark.parametrize("folder", ["paddle"])
def test_no_files_import_each_other(folder):
    try:
        graphlib.TopologicalSorter(imports_among(folder)).prepare()
    except graphlib.CycleError as error:
        pytest.fail(" is imported by ".join(error.args[1]))
