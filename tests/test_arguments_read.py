"""Every argument of a dialect's public functions is read, or its docstring says that it does nothing."""

import ast
from pathlib import Path

import pytest

import penstock

DIALECTS = ("paddle",)
"""The dialects of which it holds."""
ANYWHERE = {"self", "cls", "name"}
"""`name` gives a node of the framework's graph a name: nowhere does it do anything."""


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
                # What a callback is told is the framework's to say: it reads what it needs.
                continue
            said = f"{ast.get_docstring(one) or ''} {about or ''}"
            found = [each for each in unread(one) if f"`{each}`" not in said and f"`{each}=" not in said]
            if found:
                yield f"{getattr(holder, 'name', '')}.{one.name}: {', '.join(found)}"


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
