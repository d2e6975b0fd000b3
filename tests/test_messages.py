"""No message reaches a reader with a hole in it: a literal that reads like an f-string has to be one."""

import ast
import builtins
import io
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

from syntax import every_node

PACKAGE = Path(__file__).parents[1] / "src" / "penstock"
FILES = sorted(PACKAGE.rglob("*.py"))


def holes(text: str) -> list[ast.expr]:
    """The expressions that `text` would show with an f before it; none when it could not be an f-string."""
    if "{" not in text:
        return []
    try:
        parsed = ast.parse("f" + repr(text), mode="eval").body
    except SyntaxError:
        return []
    return [part.value for part in getattr(parsed, "values", []) if isinstance(part, ast.FormattedValue)]


def root_name(expression: ast.expr) -> str | None:
    """The name an attribute or subscript chain starts from: `spec` in `spec.shape[0]`."""
    while isinstance(expression, ast.Attribute | ast.Subscript | ast.Call):
        expression = expression.func if isinstance(expression, ast.Call) else expression.value
    return expression.id if isinstance(expression, ast.Name) else None


def last_name(expression: ast.AST) -> str | None:
    """The last name of an expression: `template` in `self.template` and in `template`."""
    return getattr(expression, "attr", getattr(expression, "id", getattr(expression, "arg", None)))


def bound_names(nodes: list[ast.AST]) -> set[str]:
    """Every name the file binds or reads anywhere, and Python's own."""
    names = set(dir(builtins))
    for node in nodes:
        match node:
            case ast.Name(id=name) | ast.arg(arg=name) | ast.alias(asname=str(name)) | ast.alias(name=name):
                names.add(name)
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                names.add(name)
    return names


def filled_later(nodes: list[ast.AST]) -> set[int]:
    """Literals filled later: `"…".format(…)`, or kept under a name that the file calls `format` on."""
    formatted, kept = set(), set()
    for node in nodes:
        match node:
            case ast.Attribute(value=holder, attr="format" | "format_map"):
                kept |= {id(part) for part in ast.walk(holder)}
                formatted.add(root_name(holder))
                formatted.add(last_name(holder))
    formatted.discard(None)
    formatted.discard("self")
    for node in nodes:
        match node:
            case ast.Assign(targets=targets, value=value):
                carriers = targets
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                carriers = [target]
            case _:
                continue
        if any(last_name(carrier) in formatted for carrier in carriers):
            kept |= {id(part) for part in ast.walk(value)}
    return kept


def segment_of(lines: list[bytes], node: ast.expr) -> str:
    """The source of an expression: `ast.get_source_segment` splits the file again for each."""
    first, last = node.lineno - 1, (node.end_lineno or node.lineno) - 1
    text = lines[first : last + 1]
    text[-1] = text[-1][: node.end_col_offset]
    text[0] = text[0][node.col_offset :]
    return b"".join(text).decode()


def plain_pieces(lines: list[bytes], joined: ast.JoinedStr) -> Iterator[tuple[int, str]]:
    """Line and text of the literals without an f that Python glued to the f-strings beside them."""
    if not any("{" in str(getattr(part, "value", "")) for part in joined.values):
        return  # This skips most: a hole without its f is a brace, and tokenizing takes long.
    segment = segment_of(lines, joined)
    depth = 0  # from Python 3.12 on an f-string is many tokens, strings inside its holes among them
    for token in tokenize.generate_tokens(io.StringIO(f"({segment})").readline):
        kind = tokenize.tok_name[token.type]
        depth += (kind == "FSTRING_START") - (kind == "FSTRING_END")
        if kind == "STRING" and depth == 0 and "f" not in token.string.partition(token.string[-1])[0].lower():
            yield joined.lineno + token.start[0] - 1, ast.literal_eval(token.string)


def literals(lines: list[bytes], nodes: list[ast.AST]) -> Iterator[tuple[int, str, ast.AST]]:
    """Line, text and node of every string that is neither an f-string nor a docstring."""
    inside, lone = set(), set()
    for node in nodes:
        match node:
            case ast.JoinedStr(values=parts):
                nested = [
                    part for part in every_node(node) if isinstance(part, ast.JoinedStr) and part is not node
                ]
                inside |= {id(part) for part in [*parts, *nested]}
            case ast.Expr(value=ast.Constant() as text):
                lone.add(id(text))
    inside |= lone
    for node in nodes:
        if id(node) in inside:
            continue
        if isinstance(node, ast.JoinedStr):
            yield from ((line, text, node) for line, text in plain_pieces(lines, node))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.lineno, node.value, node


def missing_f(source: str) -> Iterator[tuple[int, str]]:
    """Line and text of each literal whose f is missing.

    In a `raise` any hole counts. Elsewhere all its names have to be known in the file, so that a
    style sheet or a piece of JSON is left in peace.
    """
    lines = source.encode().splitlines(keepends=True)
    nodes = list(every_node(ast.parse(source)))
    with_holes = [(line, text, node) for line, text, node in literals(lines, nodes) if "{" in text]
    if not with_holes:
        return
    known, filled = bound_names(nodes), filled_later(nodes)
    raised = {id(part) for node in nodes if isinstance(node, ast.Raise) for part in every_node(node)}
    for line, text, node in with_holes:
        names = {root_name(hole) for hole in holes(text)} - {None}
        if names and id(node) not in filled and (id(node) in raised or names <= known):
            yield line, text


def test_every_message_with_a_hole_is_an_f_string():
    found = [
        f"{path.relative_to(PACKAGE)}:{line}: put an f before {text!r}"
        for path in FILES
        for line, text in missing_f(path.read_text(encoding="utf-8"))
    ]
    assert not found, "\n".join(found)


PLANTED = {
    "in a raise": ("def write(path):\n    raise ValueError('no Variable {path!r}')", 2),
    "of a name the file does not know": ("raise ValueError('the Variable is {other.spec}')", 1),
    "added to an f-string": ("raise ValueError(f'value is {1}, ' + 'the Variable is {other}')", 1),
    "glued to an f-string": ("def f(x):\n    return (\n        f'value is {x}, '\n        'not {x}')", 4),
    "before an f-string": ("def f(x):\n    return (\n        'Ω {x}, '\n        f'{x:>{3}} {str(x)!r}')", 3),
    "raised later": ("def f(spec):\n    text = 'shape {spec.shape[0]:>4}'\n    raise ValueError(text)", 2),
    "in a warning": ("import warnings\ndef warn(name):\n    warnings.warn('{name} is new')", 3),
    "shown on the terminal": ("def show(count, console):\n    console.print('step {count}')", 2),
}

SOUND = {
    "an f-string": "def write(path):\n    raise ValueError(f'no Variable {path!r}')",
    "doubled braces": "def write(path):\n    raise ValueError(f'{path}: no {{path}} ' 'here')",
    "formatted at once": "def write(path):\n    raise ValueError('no {path!r}'.format(path=path))",
    "a template": "TEXT = 'no Variable {path}'\ndef write(path):\n    return TEXT.format(path=path)",
    "a table of templates": "TEXTS = {'a': 'no {path}'}\ndef f(path):\n    return TEXTS['a'].format(path)",
    "a docstring": "def write(path):\n    'Docstring about {path}.'",
    "a style sheet": "STYLE = 'body {margin: 0}'",
    "JSON": "SHAPE = '{\"name\": 1}'",
    "a set": "raise ValueError('the set {1, 2} is not empty: {}')",
    "a lone brace": "raise ValueError('a brace { alone')",
}


@pytest.mark.parametrize(("source", "line"), PLANTED.values(), ids=PLANTED)
def test_a_planted_missing_f_is_found(source, line):
    assert [where for where, _ in missing_f(source)] == [line]


@pytest.mark.parametrize("source", SOUND.values(), ids=SOUND)
def test_a_sound_literal_is_left_alone(source):
    assert list(missing_f(source)) == []
