"""Random small training programs as text, run by two engines, and made small when the two disagree.

A program is a list of statements; a statement is a line, or a pair of a header and the statements below it.
"""

from __future__ import annotations

import functools
import random
import warnings
from types import CodeType

import numpy as np

import eager_shadow

PRELUDE = """\
a = ps.Variable(0.7, name="a", dtype="float64")
b = ps.Variable(-0.4, name="b", dtype="float64")
c = ps.Variable(0.2, name="c", dtype="float64")
n = ps.Variable(0.9, name="n", dtype="float64", trainable=False)
u = ps.Variable([0.3, -0.6], name="u", dtype="float64")
w = ps.Variable([0.8, 0.1], name="w", dtype="float64")
first = (a, b, c, n, u, w)
t0 = t1 = ps.asarray(np.float64(0.9))
t2 = t3 = ps.asarray(np.array([0.5, -0.2]))
d = [ps.asarray(np.array([0.1 * k, 0.4])) for k in range(3)]
r = [np.array([0.2, -0.1 * k]) for k in range(2)]
sgd = ps.optimizers.SGD(0.05)
momentum = ps.optimizers.SGD(0.04, momentum=0.5)
nesterov = ps.optimizers.SGD(0.03, momentum=0.4, nesterov=True)
adam = ps.optimizers.Adam(0.02)
kept, tapes = [], []
def f(x, y):
    return x * y - x * 0.5
def descend(v, x):
    with ps.GradientTape() as inside:
        y = f(v, x) ** 2
    q = inside.gradient(y, v)
    if q is not None:
        v.assign_sub(q * 0.1)
"""

SCALARS, VECTORS = ("a", "b", "c", "n"), ("u", "w")


class Writer:
    """Draws programs; `taping` holds the tapes that are open at the next statement."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.tapes = 0
        self.taping: list[str] = []

    def one(self, *choices):
        return self.random.choice(choices)

    def chance(self, p: float) -> bool:
        return self.random.random() < p

    def number(self) -> str:
        return self.one(
            "0.5",
            "-0.3",
            "2.0",
            "1",
            "(i * 0.05)",
            "(0.1 * (i // 3))",
            "(0.2 / (i + 1))",
            "(0.4 if i % 3 else 0.7)",
        )

    def scalar(self, depth: int = 2) -> str:
        kind = self.random.random()
        if depth == 0 or kind < 0.25:
            return self.one(*SCALARS, *SCALARS, "t0", "t1", "t0", "t1")
        if kind < 0.35:
            return f"ps.sum({self.vector(depth - 1)})"
        if kind < 0.55:
            return f"({self.scalar(depth - 1)} {self.one('+', '-', '*')} {self.number()})"
        if kind < 0.8:
            return f"({self.scalar(depth - 1)} {self.one('+', '-', '*')} {self.scalar(depth - 1)})"
        return self.one(
            f"{self.scalar(0)} ** 2",
            f"{self.scalar(0)} ** 3",
            f"ps.tanh({self.scalar(depth - 1)})",
            f"-{self.scalar(0)}",
            f"({self.number()} - {self.scalar(0)})",
            f"ps.stop_gradient({self.scalar(depth - 1)})",
            f"f({self.scalar(0)}, {self.scalar(0)})",
            f"float({self.scalar(0)}) * {self.scalar(0)}",
            f"np.float64(0.1 * i) * {self.scalar(0)}",
            f"r[i % 2][0] - {self.scalar(0)}",
        )

    def vector(self, depth: int = 2) -> str:
        kind = self.random.random()
        if depth == 0 or kind < 0.25:
            return self.one(*VECTORS, *VECTORS, "t2", "t3", "d[i % 3]", "d[0]")
        if kind < 0.45:
            return f"({self.vector(depth - 1)} {self.one('+', '-', '*')} {self.number()})"
        if kind < 0.6:
            return f"({self.vector(depth - 1)} * {self.scalar(0)})"
        if kind < 0.85:
            return f"({self.vector(depth - 1)} {self.one('+', '-', '*')} {self.vector(depth - 1)})"
        return self.one(
            f"{self.vector(0)} ** 2", f"ps.tanh({self.vector(depth - 1)})", f"{self.vector(0)} * r[i % 2]",
            f"f({self.vector(0)}, {self.vector(0)})",
        )  # fmt: skip

    def write(self) -> list:
        if self.chance(0.15):
            x, y = self.one(("a", "b"), ("b", "c"), ("u", "w"))
            return [
                self.one(
                    [f"p = {x}.value()", f"{x}.assign({y})", f"{y}.assign(p)"],
                    [f"{x}.assign({y})", f"{y}.assign({x} * 0.5)"],
                    [f"{x}, {y} = {y}, {x}"],
                    [f"{x}.assign({x})"],
                    [f"p = {x} * 1.0", f"{x}.assign({y})", f"{y}.assign(p)", f"see({x})"],
                )
            ][0]
        if self.chance(0.6):
            v, value = self.one(*SCALARS), self.scalar()
        else:
            v, value = self.one(*VECTORS), self.vector()
        return [
            self.one(
                f"{v}.assign(ps.tanh({value}))",
                f"{v}.assign_add(ps.tanh({value}) * {self.number()} * 0.1)",
                f"{v}.assign_sub({value} * 0.1)",
                f"{v}.assign_sub(0.01)" if v in SCALARS else f"{v}.assign_sub(r[i % 2])",
                f"{v}.assign({self.number()})" if v in SCALARS else f"{v}.assign([0.1, 0.2])",
            )
        ]

    def look(self) -> list:
        return [
            self.one(
                f"see({self.scalar()})", f"see({self.vector()})", f"see({self.one(*SCALARS, *VECTORS)})",
                "see(t0)", "see(t2)", f"float({self.scalar()})",
            )
        ]  # fmt: skip

    def compute(self) -> list:
        if self.chance(0.65):
            return [f"{self.one('t0', 't1')} = ps.tanh({self.scalar()})"]
        return [f"{self.one('t2', 't3')} = ps.tanh({self.vector()})"]

    def keep(self) -> list:
        return self.one(
            ["kept.append(t0)"], ["kept.append(a.value())"], [("if len(kept) > 2:", ["see(kept[-3])"])],
            [("if len(kept) > 1:", ["t0 = kept[-2] * 0.5"])], ["kept.clear()"],
        )  # fmt: skip

    def odd(self) -> list:
        return [
            self.one(
                "a.trainable = not a.trainable",
                "b.trainable = True",
                f"b.trainable = i % {self.one(2, 3, 5)} > 0",
                "c = ps.Variable(c)",
                f"c = ps.Variable(ps.tanh({self.scalar()}))",
                f"descend({self.one('a', 'b', 'c')}, {self.scalar(0)})",
                f"descend({self.one('u', 'w')}, {self.vector(0)})",
                "del p; p = a.value()",
                "sgd.learning_rate = 0.05 / (i + 1)",
                "adam.learning_rate = 0.01 if i % 4 else 0.02",
                ("try:", [*self.block(1), "raise KeyError"]),
            )
        ]

    def tape(self) -> list:
        self.tapes += 1
        k = self.tapes
        tape, persistent = f"tape{k}", self.chance(0.35)
        watching = self.chance(0.9)
        arguments = ", ".join(
            ["persistent=True"] * persistent + ["watch_accessed_variables=False"] * (not watching)
        )
        before = list(self.taping)
        self.taping.append(tape)
        body = []
        if not watching or self.chance(0.2):
            body += [f"{tape}.watch({self.one('t0', 't2', 'n', 'a', 'u')})"]
        body += self.block(self.random.randint(0, 3))
        if self.chance(0.1):
            body += [f"{tape}.reset()"]
        body += [f"y{k} = {self.scalar()}"]
        sources = ", ".join(self.random.sample([*SCALARS, *VECTORS, "t0"], self.random.randint(1, 4)))
        asked = [f"s{k} = [{sources}]", f"g{k} = {tape}.gradient(y{k}, s{k})"]
        if persistent and self.chance(0.2):
            body += asked
        self.taping = before
        result: list = [(f"with ps.GradientTape({arguments}) as {tape}:", body)]
        if self.chance(0.2):
            result += self.block(1)
        result += asked
        used = self.random.random()
        apply = [
            (
                f"for q, v in zip(g{k}, s{k}):",
                [("if q is not None:", ["v.assign_sub(ps.tanh(q) * 0.1)"])],
            )
        ]
        pairs = f"[(q, v) for q, v in zip(g{k}, s{k}) if q is not None and v is not n]"
        optimizer = self.one("sgd", "momentum", "nesterov", "adam", "sgd")
        if "t0" in sources.split(", ") or used < 0.3:
            result += [(f"for q in g{k}:", ["see(q)"])]
        elif used < 0.6:
            result += apply
        elif used < 0.9:
            result += [f"p{k} = {pairs}", (f"if p{k}:", [f"{optimizer}.apply_gradients(p{k})"])]
        else:
            result += [
                f"t1 = t1 if g{k}[0] is None else g{k}[0] * 0.1"
                if sources.split(", ")[0] in SCALARS
                else f"see(g{k}[0])"
            ]
        if persistent and self.chance(0.5):
            result += self.one(
                [(f"for q in {tape}.gradient(y{k} * 1.0, s{k}):", ["see(q)"])],
                [(f"for q in {tape}.gradient(y{k}, s{k}):", ["see(q)"])],
                [
                    f"tapes.append(({tape}, y{k}, s{k}))",
                    ("if len(tapes) > 2:", [
                        "q = tapes[-2][0].gradient(tapes[-2][1], tapes[-2][2], output_gradients=t0)",
                        ("for v in q:", ["see(v)"]),
                    ]),
                ],
            )  # fmt: skip
        return result

    def statement(self) -> list:
        kind = self.random.random()
        if self.taping:
            if kind < 0.35:
                return self.compute()
            if kind < 0.5:
                return self.write()
            if kind < 0.62:
                return self.look()
            if kind < 0.68 and len(self.taping) < 2:
                return self.tape()
            if kind < 0.74:
                return [(f"with {self.taping[-1]}.stop_recording():", self.block(1))]
            if kind < 0.8:
                return self.keep()
        elif kind < 0.3:
            return self.tape()
        elif kind < 0.45:
            return self.compute()
        elif kind < 0.62:
            return self.write()
        elif kind < 0.72:
            return self.look()
        elif kind < 0.78:
            return self.keep()
        if kind < 0.9:
            test = self.one("i % 2:", "i % 3 == 1:", f"float({self.scalar(0)}) > 0.1:", "i > 4:")
            return [(f"if {test}", self.block(2))]
        if kind < 0.94:
            return [("for j in range(2):", self.block(2))]
        return self.odd()

    def block(self, size: int) -> list:
        found = []
        for _ in range(size):
            found += self.statement()
        return found or ["pass"]

    def program(self, turns: int) -> list:
        body = self.block(self.random.randint(2, 6))
        if self.chance(0.5):
            body += [(f"if i % {self.one(1, 2, 5)} == 0:", ["see(*first)"])]
        loop: list = [(f"for i in range({turns}):", body)]
        if self.chance(0.12):
            loop = [("with ps.GradientTape() as whole:", [(loop[0][0], ["whole.reset()", *body])])]
        if self.chance(0.1):
            loop = [
                ("with ps.GradientTape(persistent=True) as whole:", loop),
                "y = a * b",
                "see(whole.gradient(t0, a))",
            ]
        return ["p = a.value()", *loop]


def source(program: list, indent: str = "") -> str:
    """Returns a program's text."""
    lines = []
    for one in program:
        if isinstance(one, str):
            lines.append(indent + one)
        else:
            lines.append(indent + one[0])
            lines.append(source(one[1] or ["pass"], indent + "    "))
            if one[0] == "try:":
                lines += [indent + "except KeyError:", indent + "    pass"]
    return "\n".join(lines)


def run(program: list, engine) -> list:
    """Runs a program on an engine; returns the values it saw, and the variables at the end.

    The code is the one that the shadow has run. An engine remembers code, so each run of it is of new code.
    """
    try:
        return run_text(source(program), engine)
    finally:
        code_of.cache_clear()


@functools.lru_cache(maxsize=1)
def code_of(text: str) -> CodeType:
    """Returns the code of a program."""
    text = PRELUDE + text + "\nsee(*first)\nsee(*[v.version for v in first])\nsee(a, b, c, u, w, *kept)\n"
    return compile(text, "<program>", "exec")


def run_text(program: str, engine) -> list:
    """Runs the text of a program."""
    seen: list = []

    def see(*values):
        for one in values:
            if one is None:
                seen.append(None)
            elif isinstance(one, (list, tuple)):
                see(*one)
            else:
                seen.append(np.array(one.numpy() if hasattr(one, "numpy") else one, np.float64))

    exec(code_of(program), {"ps": engine, "np": np, "see": see})
    return seen


def pasteable(program: list) -> str:
    """Returns the full text of a program, ready to paste into a file and run."""
    return (
        "import numpy as np\nimport penstock as ps\ndef see(*values):\n    print(*values)\n"
        + PRELUDE
        + source(program)
        + "\nsee(*first)"
    )


LIMIT = 1e3
"""A program whose values are larger is unsuitable: errors explode."""


@functools.lru_cache(maxsize=1)
def expected(text: str) -> list | None:
    """Returns the values that the shadow sees; None if it fails, or sees one beyond the limit."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            found = run_text(text, eager_shadow.engine)
        except Exception:
            return None
    return found if all(one is None or (np.abs(one) < LIMIT).all() for one in found) else None


def fit(program: list) -> bool:
    """Returns whether a program is suitable."""
    return expected(source(program)) is not None


def difference(program: list, engine, tolerance: float = 1e-7) -> str | None:
    """Returns how the engine differs from the shadow, or None; also None if the program is unsuitable."""
    wanted = expected(source(program))
    if wanted is None:
        return None
    try:
        got = run(program, engine)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    if len(got) != len(wanted):
        return f"{len(got)} values were seen instead of {len(wanted)}"
    for number, (mine, theirs) in enumerate(zip(got, wanted)):
        if (mine is None) != (theirs is None):
            return f"value {number} is {mine} instead of {theirs}"
        if mine is None:
            continue
        if mine.shape != theirs.shape or not np.allclose(mine, theirs, tolerance, tolerance):
            return f"value {number} is {mine} instead of {theirs}"
    return None


def smaller(program: list):
    """Yields every program that is this one with something left out."""
    for i, one in enumerate(program):
        yield program[:i] + program[i + 1 :]
        if isinstance(one, tuple):
            header, below = one
            if not header.startswith("for i "):
                yield program[:i] + list(below) + program[i + 1 :]
            for less in smaller(below):
                yield [*program[:i], (header, less), *program[i + 1 :]]
            if header.startswith("for i in range("):
                turns = int(header[15:-2])
                for fewer in {1, 2, turns // 2, turns - 1}:
                    if 0 < fewer < turns:
                        yield [*program[:i], (f"for i in range({fewer}):", below), *program[i + 1 :]]


def shrink(program: list, wrong) -> list:
    """Returns a program that is still wrong and no longer so once anything is left out."""
    found = True
    while found:
        found = False
        for less in smaller(program):
            if wrong(less):
                program, found = less, True
                break
    return program
