"""Every argument of public functions is read, or its docstring says that it does nothing."""

import ast
import importlib
import inspect
import textwrap
import types
from pathlib import Path

import pytest

import penstock

DIALECTS = ("paddle",)
"""The dialects for which this holds."""
ANYWHERE = {"self", "cls", "name"}
"""`name` names a node of the framework's graph: it has no effect anywhere."""


NAMESPACES = ("", ".callbacks", ".distribution", ".fft", ".layers", ".linalg", ".losses", ".nn",
              ".optimizers", ".random", ".special", ".testing")  # fmt: skip
"""The modules of the native dialect."""
OVERRIDDEN = ("build", "call", "compute_mask", "move", "move_rows", "shares", "start", "get_state_layout")
"""Methods of base classes for users: each receives everything that a subclass may need."""


def unread(function):
    """Returns the parameters that the body of a function never names."""
    own = function.args
    given = [one.arg for one in [*own.posonlyargs, *own.args, *own.kwonlyargs]]
    given += [one.arg for one in (own.vararg, own.kwarg) if one is not None]
    body = [one for one in function.body if not (isinstance(one, ast.Expr) and is_text(one.value))]
    if len(body) == 1 and isinstance(body[0], ast.Raise):
        return []
    read = {one.id for part in body for one in ast.walk(part) if isinstance(one, ast.Name)}
    return [one for one in given if one not in read | ANYWHERE]


def is_text(node):
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def undeclared(source):
    """Yields functions and those of their parameters that are neither read nor declared."""
    for holder in ast.walk(ast.parse(source)):
        if not isinstance(holder, ast.Module | ast.ClassDef):
            continue
        about = ast.get_docstring(holder) if isinstance(holder, ast.ClassDef) else ""
        for one in holder.body:
            if not isinstance(one, ast.FunctionDef):
                continue
            if one.name.startswith("_") and one.name not in ("__init__", "__call__"):
                continue
            if one.name.startswith("on_"):
                # The framework decides what a callback receives; the callback reads what it needs.
                continue
            said = f"{ast.get_docstring(one) or ''} {about or ''}"
            found = [each for each in unread(one) if f"`{each}`" not in said and f"`{each}=" not in said]
            if found:
                yield f"{getattr(holder, 'name', '')}.{one.name}: {', '.join(found)}"


def definitions():
    """Yields the name, the syntax tree and the docstring of each public native function and method."""
    seen = set()
    for path in NAMESPACES:
        space = importlib.import_module(f"penstock{path}")
        for name in space.__all__:
            one = inspect.unwrap(getattr(space, name), stop=lambda given: False)
            if id(one) in seen or isinstance(one, types.ModuleType):
                continue
            seen.add(id(one))
            label = f"{space.__name__}.{name}"
            if isinstance(one, types.FunctionType):
                yield label, one, inspect.getdoc(one) or ""
            elif isinstance(one, type):
                for own in one.__mro__:
                    if not own.__module__.startswith("penstock"):
                        continue
                    for method, value in vars(own).items():
                        public = not method.startswith("_") or method in ("__init__", "__call__")
                        value = getattr(value, "__func__", value)
                        if public and isinstance(value, types.FunctionType) and value not in seen:
                            seen.add(value)
                            if method not in OVERRIDDEN:
                                about = f"{inspect.getdoc(value) or ''} {inspect.getdoc(one) or ''}"
                                yield f"{label}.{method}", value, about


def test_native_arguments_are_read_or_declared_to_do_nothing():
    found, count = [], 0
    for label, one, said in definitions():
        tree = ast.parse(textwrap.dedent(inspect.getsource(one))).body[0]
        if not isinstance(tree, ast.FunctionDef):
            continue
        count += 1
        body = [part for part in tree.body if not (isinstance(part, ast.Expr) and is_text(part.value))]
        silent = [each for each in unread(tree) if f"`{each}`" not in said and f"`{each}=" not in said]
        if silent and body and not isinstance(body[0], ast.Pass):
            found.append(f"{label}: {', '.join(silent)}")
    assert not found, "\n".join(found)
    assert count > 400


def files(dialect):
    return sorted((Path(penstock.__file__).parent / dialect).rglob("*.py"))


@pytest.mark.parametrize("dialect", DIALECTS)
def test_arguments_are_read_or_declared_to_do_nothing(dialect):
    found = [f"{path}: {one}" for path in files(dialect) for one in undeclared(path.read_text("utf-8"))]
    assert not found, "\n".join(found)


def test_a_planted_parameter_is_found():
    silent = 'def f(x, seed=0):\n    """Returns x."""\n    return x\n'
    assert list(undeclared(silent)) == [".f: seed"]
    assert not list(undeclared(silent.replace("Returns x.", "Returns x; `seed` does nothing.")))
    assert not list(undeclared(silent.replace("return x", "return x + seed")))
    assert list(undeclared("class A:\n    def __call__(self, *others):\n        return 1\n")) == [
        "A.__call__: others"
    ]
