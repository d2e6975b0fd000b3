"""Random training programs over variables of many shapes and dtypes, run by one tier after the other.

They hold values while these are overwritten, reset numbers, change batch sizes, fail in the middle, and mix
plain steps with captured ones. The statements are those of `random_programs`: lines, and headers with lines.
"""

from __future__ import annotations

import contextlib
import copy
import pickle
import threading
import warnings

import numpy as np

import penstock as ps
from memory import forget_paths
from penstock.testing import assert_idle, use_engine
from penstock.trace.local import local
from random_programs import Writer, shrink, source

PRELUDE = """\
rng = np.random.default_rng(seed)
def drawn(*shape):
    return (rng.standard_normal(shape) * 0.3).astype(np.float32)
a = ps.Variable(0.7, name="a")
b = ps.Variable(-0.4, name="b")
total = ps.Variable(0.0, name="total", trainable=False)
count = ps.Variable(0, name="count", trainable=False)
steps = ps.Variable(np.int32(0), name="steps", trainable=False)
p = ps.Variable(drawn(4, 4), name="p")
q = ps.Variable(drawn(4, 4), name="q")
r = ps.Variable(drawn(4), name="r")
big = ps.Variable(drawn(40, 40), name="big")
more = ps.Variable(drawn(40, 40), name="more")
wide = ps.Variable(rng.standard_normal(3) * 0.3, name="wide")
half = ps.Variable(drawn(5).astype(np.float16), name="half")
turn = ps.Variable((drawn(3) + 1j * drawn(3)).astype(np.complex64), name="turn")
on = ps.Variable(np.array([True, False, True]), name="on", trainable=False)
few = ps.Variable(np.zeros((0, 3), np.float32), name="few")
cells = {one.name: one for one in (
    a, b, total, count, steps, p, q, r, big, more, wide, half, turn, on, few)}
batches = [ps.asarray(drawn(size, 4)) for size in (3, 3, 2)]
rows = [drawn(size, 4) for size in (3, 1)]
square = drawn(4, 4)
large = drawn(40, 40)
sgd = ps.optimizers.SGD(0.05)
momentum = ps.optimizers.SGD(0.04, momentum=0.5)
adam = ps.optimizers.Adam(0.02)
rms = ps.optimizers.RMSprop(0.01)
decayed = ps.optimizers.AdamW(0.01, weight_decay=0.01)
mean = ps.metrics.Mean()
kept = []
@ps.custom_gradient
def halved(x):
    return x * 1.0, lambda ct: ct * 0.5
def score(x, w, offset):
    return ps.mean(ps.tanh(x @ w + offset) ** 2)
"""

MATRICES, LARGE, NUMBERS = ("p", "q"), ("big", "more"), ("a", "b", "total")
OTHERS = ("wide", "half", "turn", "on", "few", "count", "steps", "r")
EVERY = (*MATRICES, *LARGE, *NUMBERS, *OTHERS)
TRAINED = ("a", "b", "p", "q", "r", "big", "more", "wide", "half", "few")


class TrainingWriter(Writer):
    """Draws programs; `inside` says whether a statement is part of a step that is captured."""

    inside = False

    def value(self) -> str:
        return self.one(
            "0.5", "-0.3", "2.0", "0.0", "1", "(i * 0.05)", "(0.1 * (i // 3))", "(0.4 if i % 3 else 0.7)"
        )

    def given(self) -> str:
        return self.value() if not self.inside else self.one("0.5", "-0.3", "0.0", "1")

    def data(self) -> str:
        if self.inside:
            return self.one("x", "x", "batches[0]")
        return self.one("batches[i % 3]", "batches[0]", "rows[i % 2]", "rows[0]")

    def term(self) -> str:
        m, n = self.one(*MATRICES), self.one(*MATRICES)
        g = self.one(*LARGE)
        return self.one(
            f"score({self.data()}, {m}, r)",
            f"score({self.data()}, {m}, {self.one('a', 'b', '0.1')})",
            f"ps.sum({m} * {n}) * 0.1",
            f"ps.mean(ps.tanh({m} @ {n}))",
            f"ps.mean({g} ** 2)",
            "ps.mean(ps.tanh(big @ more)) * 0.5",
            f"ps.mean({g} * a)",
            "a * b", "(a - 1.0) ** 2", "b ** 2 * total", "ps.sum(r) * a",
            f"ps.astype(ps.sum(wide ** 2), 'float32') * {self.given()}",
            "ps.astype(ps.sum(half * half), 'float32')",
            "ps.sum(ps.real(turn * ps.conj(turn)))",
            "ps.sum(ps.where(on, r[:3], 0.0))",
            "ps.sum(few) + 0.0",
            "ps.astype(count, 'float32') * a * 0.01",
            f"ps.cond(a > {self.given()}, lambda: ps.sum({m}) * 0.1, lambda: ps.sum({n} ** 2))",
            f"ps.scan(lambda s, x: (s * 0.5 + ps.sum(x), s), a * 1.0, {m})[0]",
            "ps.while_loop(lambda x: x < 1.5, lambda x: x * 1.5 + 0.4, ps.abs(a), max_iterations=4)",
            f"ps.checkpoint(lambda x: ps.sum(ps.tanh(x)))({m})",
            f"ps.sum(halved({m}))",
            f"ps.sum(ps.take(r, ps.asarray([0, 2, 0]))) * {self.given()}",
            f"ps.sum(ps.stop_gradient({m}) * {n})",
        )  # fmt: skip

    def loss(self) -> str:
        return " + ".join(self.term() for _ in range(self.random.randint(1, 3)))

    def train(self) -> list:
        found = ", ".join(self.random.sample(TRAINED, self.random.randint(1, 4)))
        optimizer = self.one("sgd", "momentum", "adam", "rms", "decayed")
        body = [f"loss = {self.loss()}"]
        if self.chance(0.15):
            body = [*self.write(), *body]
        if self.chance(0.15):
            body += self.write()
        persistent = self.one("", "", "", "persistent=True")
        lines: list = [
            (f"with ps.GradientTape({persistent}) as tape:", body),
            f"sources = [{found}]",
            "slopes = tape.gradient(loss, sources)",
            "pairs = [(g, v) for g, v in zip(slopes, sources) if g is not None]",
        ]
        apply = self.random.random()
        if apply < 0.7:
            lines.append(("if pairs:", [f"{optimizer}.apply_gradients(pairs)"]))
        else:
            lines.append(("for g, v in pairs:", ["v.assign_sub(g * 0.1)"]))
        if self.chance(0.3):
            lines += self.one(
                ["total.assign_add(loss)"], ["total.assign_add(loss)", "count.assign_add(1)"],
                ["mean.update(loss)"] if not self.inside else ["total.assign(total + loss)"],
                ["b.assign(loss)"], ["steps.assign_add(1)", "total.assign_add(loss * 0.5)"],
            )  # fmt: skip
        if not self.inside:
            after = self.random.random()
            if after < 0.15:
                lines.append("keep(loss)")
            elif after < 0.25:
                lines.append("keep(slopes[0])")
            elif after < 0.4:
                lines.append("see(loss)")
            if self.chance(0.7):
                lines.append("del tape, slopes, pairs")
        return lines

    def write(self) -> list:
        m, n, g, h, s = (self.one(*names) for names in (MATRICES, MATRICES, LARGE, LARGE, NUMBERS))
        inside = [
            [f"{s}.assign({self.given()})"],
            [f"{s}.assign_add({self.given()})"],
            ["total.assign(0.0)"], ["total.assign(0.0)", "count.assign(0)"],
            [f"{m}.assign({n})"], [f"{g}.assign({h})"],
            [f"{m}.assign({n} * 0.5)"], [f"{g}.assign({h} * 0.9 + 0.01)"],
            [f"{m}.assign_sub({n} * 0.1)"], [f"{g}.assign_add({h} * 0.1)"],
            [f"held = {m}.value()", f"{m}.assign({n})", f"{n}.assign(held)"],
            [f"held = {g}.value()", f"{g}.assign({h} * 0.9)", f"{h}.assign(held)"],
            [f"{m}.assign(ps.tanh({m}))", f"{m}.assign({m} + 0.1)"],
            [f"both = {m} * 0.5", "p.assign(both)", "q.assign(both)"],
            ["both = big * 0.5", "big.assign(both)", "more.assign(both)"],
            ["r.assign(p[0])"], ["r.assign(ps.sum(q, axis=0) * 0.3)"],
            ["on.assign(ps.logical_not(on))"], ["on.assign([True, True, False])"],
            ["turn.assign(turn * 0.5j)"], ["wide.assign(wide * 0.9)"], ["half.assign(half * 0.5)"],
            ["half.assign(half + 0.25)"],
            ["few.assign(few * 2.0)"], ["steps.assign(steps + 1)"], ["count.assign_add(2)"],
            ["a.assign(b)"], ["b.assign(a)"], ["b.assign(a * 0.5)", "a.assign(b)"], ["a.assign(total * 0.1)"],
        ]  # fmt: skip
        outside = [
            [f"{m}.assign(square)"], [f"{m}.assign(square.T)"], [f"{m}.assign(large[:4, :4])"],
            [f"{g}.assign(large)"], [f"{g}.assign(large.T)"], [f"{g}.assign(np.asarray({h}))"],
            ["square += 0.01", f"{m}.assign(square)", "square *= 0.5"],
            ["large *= 0.9", f"{g}.assign(large)", "large += 0.01"],
            ["a.assign(float(b))"], ["r.assign([0.1, 0.2, 0.3, 0.4])"], ["r.assign(np.asarray(r)[::-1])"],
            ["wide.assign([0.1, 0.2, i * 0.1])"], ["count.assign(i)"], ["steps.assign(np.int32(i))"],
            ["b.assign(np.float32(i))"], ["b.assign(np.asarray(0.25, np.float32))"],
            [f"{m}.assign(kept_value({m}))"], [f"{g}.assign(kept_value({g}))"],
            ["if len(kept) > 2 and np.shape(kept[-3]) == (40, 40):", "    big.assign(kept[-3])"],
        ]  # fmt: skip
        if self.inside:
            return list(self.one(*inside))
        found = self.one(*inside, *outside)
        if found[0].startswith("if "):
            return [(found[0], [found[1].strip()])]
        return list(found)

    def hold(self) -> list:
        v = self.one(*EVERY)
        return self.one(
            [f"keep({v}.value())"], [f"keep({v}.numpy())"], [f"keep(np.asarray({v}))"],
            [f"keep(np.asarray({v}.value()))"], ["keep(np.asarray(big)[1:3])"], ["keep(big.value()[0])"],
            [f"keep(ps.asarray({v}))"], [f"keep({v} * 1)"] if v != "on" else ["keep(on.value())"],
            ["keep(np.asarray(p).T)"], ["del kept[:-4]"], ["kept.clear()"], ["keep(ps.Variable(big))"],
            ["keep(memoryview(np.asarray(more)))"], ["keep([big.value(), more.value()])"],
        )  # fmt: skip

    def look(self) -> list:
        v = self.one(*EVERY)
        return self.one(
            [f"see({v})"], [f"see({v} + 0)"] if v != "on" else ["see(on)"], [f"see({self.loss()})"],
            ["see(mean.result())"], ["mean.reset()"], ["see(mean.result())", "mean.reset()"],
            ["ps.wait()"], [f"ps.wait({v})"], [f"see({v}.version)"],
        )  # fmt: skip

    def rare(self) -> list:
        m, v = self.one(*MATRICES, *LARGE), self.one(*TRAINED)
        failing = self.one(
            "raise KeyError", "see(ps.take(r, ps.asarray([i * 3])))", "r.assign(p)",
            "total.assign_add(ps.sum(ps.take(r, ps.astype(ps.sum(p) * 0.0 + 9.0, 'int32'))))",
        )  # fmt: skip
        lost = [f"loss = {self.loss()}", *self.write(), failing]
        return self.one(
            [("try:", [*self.block(1), failing])],
            [("try:", [("with ps.GradientTape() as tape:", lost)])],
            [("try:", [*self.write(), *self.write(), failing])],
            [f"copied = copy.deepcopy({m})", "see(copied)", f"copied.assign_add({m})", "keep(copied)"],
            [f"loaded = pickle.loads(pickle.dumps({m}))", f"{m}.assign(loaded)"],
            ["adam.learning_rate = 0.01 if i % 4 else 0.02"],
            [f"{v}.trainable = not {v}.trainable"], [f"{v}.trainable = i % 3 > 0"], [f"{v}.trainable = True"],
            ["sgd.learning_rate = 0.05 / (i + 1)"],
            [("with ps.ledger() as book:", self.block(2))],
            [("with ps.ledger(values=True) as book:", self.block(2))],
            [("def work():", self.block(2)), "alongside(work)"],
            [("def work():", ["global_write(big)"]), "alongside(work)"],
            ["save()"], ["restore()"], ["save()", *self.block(1), "restore()"],
            ["frozen = ps.freeze(p)", *self.look(), "ps.unfreeze(p)"],
        )  # fmt: skip

    def captured(self) -> list:
        return [
            self.one(
                "see(replayed(batches[i % 3]))", "see(replayed(rows[i % 2]))", "see(plain(batches[i % 3]))",
                "replayed(batches[0])", "plain(batches[0])", "repeated(batches[0])",
                "see(repeated(batches[i % 3]))",
                "keep(replayed(batches[0]))", "see(replayed(batches[0]), plain(batches[0]))",
            )
        ]  # fmt: skip

    def statement(self) -> list:
        kind = self.random.random()
        if self.inside:
            return self.train() if kind < 0.5 else self.write()
        if kind < 0.35:
            return self.train()
        if kind < 0.55:
            return self.write()
        if kind < 0.67:
            return self.hold()
        if kind < 0.77:
            return self.look()
        if kind < 0.86:
            return self.captured()
        if kind < 0.92:
            test = self.one("i % 2:", "i % 3 == 1:", "i > 4:", "float(a) > 0.1:")
            return [(f"if {test}", self.block(2))]
        return self.rare()

    def program(self, turns: int) -> list:
        self.inside = True
        step = [*self.train(), *self.block(self.random.randint(0, 2))]
        self.inside = False
        body = self.block(self.random.randint(2, 6))
        return [
            ("def plain(x):", ["i = 0", *step, "return [loss, *[one for one in slopes if one is not None]]"]),
            "replayed, repeated = ps.step(plain), ps.repeat(ps.step(plain), 3)",
            (
                f"for i in range({turns}):",
                [*body, (f"if i % {self.one(1, 2, 4)} == 0:", ["see(*cells.values())"])],
            ),
        ]


class Values:
    """The values that a program has seen, and copies of those that it keeps."""

    def __init__(self) -> None:
        self.seen: list = []

    def see(self, *values) -> None:
        for one in values:
            if one is None:
                self.seen.append(None)
            elif isinstance(one, list | tuple):
                self.see(*one)
            else:
                self.seen.append(np.array(one))


def run(program: list, seed: int = 0) -> list:
    """Runs a program; returns what it saw, its variables, its optimizers' state, and what it kept."""
    values = Values()
    names: dict = {}

    def kept_value(cell):
        found = [one for one in names["kept"] if isinstance(one, ps.Tensor) and one.shape == cell.shape]
        return found[-1] if found else cell

    def alongside(work):
        failed = []

        def whole():
            try:
                work()
                ps.wait()
            except BaseException as error:
                failed.append(error)

        thread = threading.Thread(target=whole)
        thread.start()
        thread.join()
        if failed and not isinstance(failed[0], KeyError):
            raise failed[0]

    saved: dict = {}

    def save():
        saved.clear()
        saved.update({name: one.numpy() for name, one in names["cells"].items()})

    def restore():
        for name, value in saved.items():
            names["cells"][name].assign(value)

    names.update(
        ps=ps, np=np, copy=copy, pickle=pickle, see=values.see, keep=lambda one: names["kept"].append(one),
        seed=seed, kept_value=kept_value, alongside=alongside, save=save, restore=restore,
        global_write=lambda cell: cell.assign_add(cell * 0.1),
    )  # fmt: skip
    text = PRELUDE + source(program).replace(
        "except KeyError:", "except (KeyError, ps.errors.PenstockError):"
    )
    code = compile(text, "<program>", "exec")
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        exec(code, names)
        values.see(*names["cells"].values())
        for optimizer in ("momentum", "adam", "rms", "decayed"):
            values.see(*names[optimizer].variables)
        values.see(*[one.version for one in names["cells"].values()])
        values.see(*names["kept"])
    return values.seen


def outcome(program: list, tier: str, seed: int = 0) -> list | Exception:
    """Runs a program on a tier from an empty tree; returns what it saw, or the error that it raised."""
    with contextlib.suppress(Exception):
        local.trace.run(True)
    with contextlib.suppress(AssertionError):
        assert_idle()
    forget_paths()
    with use_engine(tier):
        try:
            return run(program, seed)
        except Exception as error:
            return error


TOLERANCE = {"f2": 2e-2, "f4": 2e-4, "c8": 2e-4, "f8": 1e-6}
LIMIT = 1e3


def fit(values: list | Exception) -> bool:
    """Returns whether the values of a program can be compared: rounding stays small."""
    return isinstance(values, list) and all(
        one is None or (np.isfinite(one).all() and (np.abs(one) < LIMIT).all()) for one in values
    )


def apart(mine: list | Exception, wanted: list | Exception) -> str | None:
    """Returns the first difference between what two runs of a program saw, or None."""
    if isinstance(mine, Exception):
        return f"{type(mine).__name__}: {mine}"
    if len(mine) != len(wanted):
        return f"{len(mine)} values were seen instead of {len(wanted)}"
    for number, (one, other) in enumerate(zip(mine, wanted, strict=True)):
        if (one is None) != (other is None):
            return f"value {number} is {one} instead of {other}"
        if one is None:
            continue
        if one.dtype != other.dtype or one.shape != other.shape:
            return f"value {number} is {one.dtype}{one.shape} instead of {other.dtype}{other.shape}"
        near = TOLERANCE.get(one.dtype.str[1:], 0.0)
        if not np.allclose(one, other, near, near):
            return f"value {number} is {one} instead of {other}"
    return None


def difference(program: list, tier: str, seed: int = 0) -> str | None:
    """Returns how a tier differs from NumPy on a program, or None; also None if it is unsuitable."""
    wanted = outcome(program, "numpy", seed)
    return apart(outcome(program, tier, seed), wanted) if fit(wanted) else None


__all__ = ["TrainingWriter", "apart", "difference", "fit", "outcome", "shrink", "source"]
