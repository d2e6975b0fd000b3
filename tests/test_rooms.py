"""Rooms of the house: a file imports from its own room and from rooms above it, never downward."""

import ast
import functools
import importlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from syntax import children, every_node

# From the ground up; `__init__` is the public face, `import penstock` itself.
ROOMS = (
    "foreign",
    "lazy",
    "declared",
    "errors",
    "interrupts",
    "streams",
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
    """Whether an `if` tests TYPE_CHECKING, so that its body never runs."""
    return getattr(test, "id", getattr(test, "attr", None)) == "TYPE_CHECKING"


def running_nodes(tree: ast.AST, *, statements: bool = False) -> Iterator[ast.AST]:
    """Every node that can run, including function bodies, but not those under TYPE_CHECKING.

    With `statements` only what is no expression.
    """
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        yield node
        if isinstance(node, ast.If) and is_type_checking(node.test):
            waiting.extend(node.orelse)
        elif statements:
            waiting += [one for one in children(node) if not isinstance(one, ast.expr)]
        else:
            waiting += children(node)


IN_EXPRESSIONS = re.compile(r"import_module|__import__|_namespace|['\"]penstock\.")
"""What a file says that has an import in an expression."""


def imported_names(node: ast.AST, package: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """Dotted names that one node imports, relative ones resolved against the file's package."""
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
        case ast.Call(func=ast.Name(id="_namespace"), args=[_, _, ast.Constant(value=str(sources)), *_]) if (
            len(package) > 1
        ):
            # The files that a module of a dialect draws its names from.
            yield from (("penstock", package[1], *one.split(".")) for one in sources.split())
        case ast.Dict(keys=keys):
            # The tables of `later`: modules that are imported when one of their names is first used.
            for key in keys:
                if isinstance(key, ast.Constant) and str(key.value).startswith("penstock."):
                    yield tuple(str(key.value).split("."))


@functools.cache
def importing_nodes(source: str) -> list[ast.AST]:
    """The nodes of a file that import something. Several tests read every file, which is parsed once."""
    nodes = running_nodes(ast.parse(source), statements=not IN_EXPRESSIONS.search(source))
    return [node for node in nodes if any(imported_names(node, ("penstock", "a")))]


def downward_imports(source: str, path: Path) -> list[str]:
    """Complaints about imports that lead below the room of `path`, which is relative to the package."""
    home = room_of(path.with_suffix("").parts)
    if home not in ROOMS:
        return [f"{path}:1: room {home!r} is not in ROOMS: say where it stands"]
    package = ("penstock", *path.parent.parts)
    complaints = []
    for node in importing_nodes(source):
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


def test_imports_go_upward():
    complaints = [
        complaint
        for path in FILES
        for complaint in downward_imports(path.read_text(encoding="utf-8"), path.relative_to(PACKAGE))
    ]
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


def module_of(path: Path) -> tuple[str, ...]:
    """The dotted name of a file, relative to the package."""
    parts = path.with_suffix("").parts
    return parts[:-1] if parts[-1] == "__init__" else parts


COMPILED = [path.relative_to(PACKAGE).with_suffix("").parts for path in PACKAGE.rglob("*.c")]


def circles(files: dict[Path, str]) -> list[list[str]]:
    """Groups of files that import each other, directly or not, including imports inside functions.

    `files` has the source of each file by its path, which is relative to the package.
    """
    modules = {module_of(path): path for path in files}
    known: dict[Path, set[Path]] = {}
    for path, source in files.items():
        found = known[path] = set()
        for node in importing_nodes(source):
            for name in imported_names(node, ("penstock", *path.parent.parts)):
                # `from penstock.trace.tree import Node` names a file, as `from penstock.trace import tree`.
                inside = name[1:] if name[0] == "penstock" else ()
                if any(inside[: len(one)] == one for one in COMPILED):
                    continue  # Written in C: it imports nothing.
                while inside and inside not in modules:
                    inside = inside[:-1]
                if inside and modules[inside] != path:
                    found.add(modules[inside])
    behind = {path: reached(path, known) for path in known}
    groups = {frozenset({path, *(o for o in ends if path in behind[o])}) for path, ends in behind.items()}
    return sorted(sorted(map(str, group)) for group in groups if len(group) > 1)


def reached(start: Path, known: dict[Path, set[Path]]) -> set[Path]:
    """The files that one leads to."""
    found: set[Path] = set()
    waiting = [start]
    while waiting:
        for other in known[waiting.pop()] - found:
            found.add(other)
            waiting.append(other)
    return found


def test_no_two_files_import_each_other():
    rooms = [path.relative_to(PACKAGE) for path in FILES]
    assert circles({path: (PACKAGE / path).read_text(encoding="utf-8") for path in rooms}) == []


@pytest.mark.parametrize(
    ("sources", "found"),
    [
        ({"ops/a.py": "from . import b", "ops/b.py": "def f():\n    from penstock.ops.a import f"}, 2),
        ({"ops/a.py": "from .b import f", "ops/b.py": "from .c import f", "ops/c.py": "from . import a"}, 3),
        ({"ops/a.py": "from .b import f", "ops/b.py": "from .c import f", "ops/c.py": ""}, 0),
        (
            {
                "ops/a.py": "from .b import f",
                "ops/b.py": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from .a import g",
            },
            0,
        ),
        ({"ops/__init__.py": "from .a import f", "ops/a.py": "from . import f"}, 2),
        (
            {
                "paddle/fft.py": "_namespace('paddle.fft', globals(), '_waves _more')",
                "paddle/_waves.py": "from penstock.paddle import fft",
            },
            2,
        ),
    ],
)
def test_a_planted_circle_is_found(sources, found):
    groups = circles({Path(path): source for path, source in sources.items()})
    assert [len(group) for group in groups] == ([found] if found else [])


DOORS = {"_past", "_slot", "_spec", "_tensor_class", "_trace", "_trainable", "_uid", "_value"}
"""Private members of tensors and variables that every room reads: decision 0045."""

CEILINGS = {
    "_dialect": 3, "_flags": 3, "_locked": 4, "_look": 1, "_pending": 13, "_quotient_dtype": 1,
    "_version": 7, "_write": 4,
}  # fmt: skip
"""How often the native rooms read another private member of them. Mend the code, not the number."""


def nodes_of(source: str) -> list[ast.AST]:
    """Every node of a file."""
    return [*every_node(ast.parse(source))]


def private_members(nodes: Iterable[ast.AST]) -> set[str]:
    """The private attributes and methods that classes have, among these nodes."""
    found = set()
    for node in nodes:
        match node:
            case ast.FunctionDef(name=name) | ast.AnnAssign(target=ast.Name(id=name)):
                found.add(name)
            case ast.Attribute(value=ast.Name(id="self"), attr=name):
                found.add(name)
    return {name for name in found if re.match("_[a-z]", name)}


def foreign_reads(nodes: Iterable[ast.AST], private: set[str]) -> list[str]:
    """The private members that are read of something other than `self` and `cls`, each time."""
    return [
        node.attr
        for node in nodes
        if isinstance(node, ast.Attribute)
        and node.attr in private
        and not (isinstance(node.value, ast.Name) and node.value.id in ("self", "cls"))
    ]


def test_private_members_of_tensors_are_read_across_rooms_through_a_few_doors():
    homes = [PACKAGE / "trace" / "tensor.py", PACKAGE / "state" / "variable.py"]
    private = set().union(*(private_members(nodes_of(path.read_text(encoding="utf-8"))) for path in homes))
    assert private >= DOORS | set(CEILINGS)
    read: Counter[str] = Counter()
    for path in FILES:
        room = room_of(path.relative_to(PACKAGE).with_suffix("").parts)
        # A dialect's tensors are subclasses, and those of `frameworks` belong to PyTorch.
        if room not in ("trace", "state", "tensorflow", "paddle", "frameworks"):
            nodes = nodes_of(path.read_text(encoding="utf-8"))
            read.update(foreign_reads(nodes, private - private_members(nodes) | DOORS))
    over = {
        name: count for name, count in read.items() if name not in DOORS and count > CEILINGS.get(name, 0)
    }
    assert over == {}


def test_a_planted_foreign_read_is_found():
    private = private_members(nodes_of("class Cell:\n    def _write(self): self._value = 1\n    _spec: int"))
    assert private == {"_write", "_value", "_spec"}
    assert sorted(foreign_reads(nodes_of("self._value; x._value; f(y)._spec; x.value"), private)) == [
        "_spec",
        "_value",
    ]


ELSEWHERE = {
    "penstock.frameworks.torch": "torch",
    "penstock.frameworks.tensorflow": "tensorflow",
    "penstock.frameworks.paddle": "paddle",
    "penstock.distribution": "jax",
    "penstock.capture.export": "jax",
}
"""Parts of the package that import what need not be installed."""


def test_every_file_can_be_imported():
    """Other tests import most files, and pytest those that have examples."""
    absent = tuple(part for part, needed in ELSEWHERE.items() if find_spec(needed) is None)
    imported = 0
    for path in FILES:
        parts = path.relative_to(PACKAGE).with_suffix("").parts
        name = ".".join(("penstock", *parts)).removesuffix(".__init__")
        if parts != ("__main__",) and not name.startswith(absent):
            importlib.import_module(name)
            imported += 1
    assert imported > len(FILES) // 2
