"""Random programs over the whole vocabulary, grown line by line, checked, and made small when they are wrong.

A program is a function of `ARGUMENTS` as text. Each line is evaluated while it is grown, so that it fits what
stands before it and stays at numbers of order 1.
"""

# ruff: noqa: E501  (a template is read best on one line)

from __future__ import annotations

import random
import re
import warnings
from dataclasses import dataclass, replace

import numpy as np

import penstock as ps
from penstock.testing import use_engine

ARGUMENTS = {"a": (2, 3), "b": (3,), "c": (), "d": (3, 2), "e": (3, 3)}

# {0} and {1} stand for tensors. What is stopped is moved a little, and so are borders: no program shall stand
# on a kink. Those under INNER are bodies of programs inside too; they keep the shape of {0}.
INNER = (
    *("ps.tanh({0})", "ps.sin({0} * 1.3)", "ps.cos({0})", "ps.nn.sigmoid({0})", "-{0}", "{0} * 0.7 + 0.2"),
    *("ps.square({0}) * 0.5", "ps.exp(ps.tanh({0}))", "ps.atan({0})", "ps.erf({0})", "{0} ** 3 * 0.2"),
    *(
        "ps.sqrt({0} * {0} + 0.5)",
        "ps.log({0} * {0} + 1.5)",
        "2.0 / (3.0 + ps.sin({0}))",
        "ps.abs({0} - 0.013)",
    ),
    *(
        "ps.nn.relu({0} + 0.021)",
        "ps.clip({0}, -0.7, 1.1)",
        "ps.log1p(ps.square({0}))",
        "ps.nn.softplus({0})",
    ),
    *("ps.where({0} > 0.17, {0} * 2.0, ps.sin({0}))", "{0} - ps.mean({0})", "{0} * ps.sum({0}) * 0.3"),
    *("ps.astype(ps.astype({0}, 'complex128'), 'float64') * 1.5", "ps.real(ps.exp({0} * 1j))"),
    *("ps.imag(({0} + 0.3j) ** 2)", "ps.abs({0} + (0.4 + 0.2j))", "ps.expm1({0} * 0.5)", "ps.nn.gelu({0})"),
    *(
        "ps.astype(ps.astype({0} * 3.0, 'int64'), 'float64') + {0}",
        "ps.maximum({0}, 0.31)",
        "ps.special.lgamma({0} ** 2 + 1.2)",
    ),
)
WITH_AXES = (
    *("ps.sort({0}, axis=-1)", "ps.cumulative_sum({0}, axis=0)", "ps.flip({0}, axis=-1)", "ps.nn.softmax({0}, axis=-1)"),
    *("{0} - ps.max({0}, axis=0)", "ps.roll({0}, 1, axis=0)", "{0}.at[0].add(ps.sum({0}) * 0.1)", "{0}.at[-1].set(0.4)"),
    *("ps.real(ps.fft.fftn(ps.astype({0}, 'complex128')) * (0.4 + 0.1j))", "{0}.at[..., 0].min(0.2)", "{0}.at[-1].divide(1.5)"),
    *("ps.nn.layer_normalization({0}, 1.3, 0.1)", "ps.nn.l2_normalize({0} + 0.3)", "{0} * ps.special.logsumexp({0}, axis=0)"),
    *("{0}.at[0].multiply(1.7)", "ps.take_along_axis({0}, ps.argsort({0}, axis=0), axis=0)",
      "ps.take({0}, ps.argsort(ps.asarray(np.cos(np.arange({0}.shape[0])))), axis=0)",
      "ps.real(ps.fft.ifft(ps.fft.fft(ps.astype({0}, 'complex128')) * 0.5))",
      "ps.fft.irfft(ps.fft.rfft({0}) * (0.8 + 0.1j), n={0}.shape[-1])", "ps.cumulative_prod({0}, axis=-1)",
      "{0} * ps.linalg.vector_norm({0})", "ps.nn.log_softmax({0}, axis=0)",
      "ps.scan(lambda s, r: (s * 0.5 + r, ps.tanh(s) + r), {0}[0] * 0.0, {0})[1]",
      "ps.scan(lambda s, r: (s * 0.5 + r, s * r), {0}[0] * 0.0, {0}, reverse=True)[1]"),
)  # fmt: skip
SQUARE = (
    *(
        "ps.linalg.inv({0} * 0.3 + 2.0 * ps.eye(3, dtype='float64'))",
        "ps.linalg.cholesky({0} @ {0}.T + ps.eye(3, dtype='float64'))",
    ),
    *(
        "ps.linalg.det({0})",
        "ps.linalg.slogdet({0} * 0.3 + 2.0 * ps.eye(3, dtype='float64'))[1]",
        "ps.linalg.trace({0})",
    ),
    *(
        "ps.linalg.eigvalsh({0} * 0.2 + ps.asarray(np.diag([1.0, 2.5, 4.0])))",
        "ps.linalg.qr({0} * 0.3 + 2.0 * ps.eye(3, dtype='float64'))[1]",
    ),
    *(
        "ps.linalg.svdvals({0} * 0.2 + ps.asarray(np.diag([1.0, 2.5, 4.0])))",
        "ps.tril({0}) + {0}.T",
        "ps.linalg.matrix_power({0} * 0.5, 3)",
    ),
    *(
        "ps.real(ps.linalg.inv({0} * (0.3 + 0.2j) + 2.0 * ps.eye(3, dtype='float64')))",
        "ps.linalg.matrix_norm({0} * 0.2 + ps.asarray(np.diag([1.0, 2.5, 4.0])), ord='nuc')",
    ),
    *(
        "ps.linalg.eigvalsh({0} * (0.2 + 0.1j) + ps.asarray(np.diag([1.0, 2.5, 4.0])))",
        "ps.linalg.matrix_norm({0}, ord=1)",
    ),
    *(
        "ps.abs(ps.linalg.qr({0} * (0.3 + 0.2j) + 2.0 * ps.eye(3, dtype='float64'))[1])",
        "ps.linalg.cross({0}, {0} + e)",
    ),
    *(
        "ps.real(ps.linalg.cholesky({0} @ {0}.T + ps.eye(3, dtype='float64') * (2.0 + 0.0j)))",
        "ps.abs(ps.linalg.det({0} * (1.0 + 0.5j)))",
    ),
    *(
        "ps.nn.conv(ps.reshape({0}, (1, 9, 1)), ps.reshape(e, (3, 3, 1))[:, :1] * 0.5, padding='same')",
        "ps.linalg.diagonal({0}, offset=1)",
    ),
    *(
        "ps.nn.max_pool(ps.reshape({0}, (1, 3, 3, 1)), 2, 1)",
        "ps.nn.average_pool(ps.reshape({0}, (1, 9, 1)), 3, 2, padding='same')",
    ),
    "ps.linalg.pinv({0} * 0.3 + 2.0 * ps.eye(3, dtype='float64'))",
)
UNARY = (
    *("ps.sum({0}, axis=0)", "ps.mean({0}, axis=-1, keepdims=True)", "ps.max({0}, axis=-1)", "ps.prod({0}, axis=0)"),
    *("ps.reshape({0}, (-1,))", "{0}[0]", "{0}[..., -1]", "{0}[1:]", "{0}[::-1]", "{0}[None]", "{0}[ps.asarray([1, 0, 1])]"),
    *("{0}.T", "ps.stack([{0}, {0} * 2.0])", "ps.concat([{0}, ps.sin({0})], axis=0)", "ps.special.logsumexp({0}, axis=0)"),
    *("ps.segments.segment_sum({0}, ps.asarray(np.arange({0}.shape[0]) % 2), 2)", "ps.var({0}, axis=0)",
      "ps.segments.segment_max({0}, ps.asarray(np.arange({0}.shape[0]) // 2), 2)[:1]", "ps.expand_dims({0}, axis=0)",
      "ps.broadcast_to({0}, (2, *{0}.shape)) * 0.5", "ps.one_hot(ps.asarray([2, 0]), 3, dtype='float64') * ps.sum({0})",
      "ps.take({0}, ps.asarray([0, 0, 1]), axis=0)", "ps.linalg.vector_norm({0}, axis=-1)"),
)  # fmt: skip
BINARY = (
    *("{0} + {1}", "{0} - {1}", "{0} * {1}", "{0} / ({1} * {1} + 1.0)", "ps.maximum({0}, {1} + 0.031)"),
    *(
        "ps.where({0} > {1} + 0.37, {0}, {1} * 2.0)",
        "ps.atan2({0}, ps.square({1}) + 0.5)",
        "ps.hypot({0} + 0.01, {1})",
    ),
    *(
        "ps.pow(ps.square({0}) + 0.5, ps.tanh({1}))",
        "stop_gradient({0} * 1.1 + 0.05) * {1}",
        "ps.logaddexp({0}, {1})",
    ),
    *(
        "ps.matmul({0}, {1})",
        "ps.tensordot({0}, {1}, axes=1)",
        "ps.linalg.outer(ps.reshape({0}, (-1,))[:3], ps.reshape({1}, (-1,))[:2])",
    ),
    *(
        "ps.linalg.solve(e * 0.2 + 2.0 * ps.eye(3, dtype='float64'), {0}) * ps.sum({1})",
        "ps.real(({0} + 1j) * ps.conj({1} - 0.5j))",
    ),
    *("{0}.at[0].set({1}[0])", "{0}.at[ps.asarray([1, 0, 1])].add({1}[0])", "ps.concat([{0}, {1}], axis=0)"),
    "ps.cond(ps.sum({1}) > 0.23, lambda q: ps.sin(q) * ps.sum({1}), lambda q: q * 0.6, {0})",
)
# {2} and {3} stand for bodies of INNER over a tensor r, {1} for a tensor that they take from outside.
PROGRAMS = (
    "ps.vmap(lambda r: {2})({0})",
    "ps.vmap(lambda r: {2} * ps.sum({1}), in_axes=-1, out_axes=-1)({0})",
    "ps.vmap(lambda r: ps.cond(ps.sum(r) > 0.11, lambda: {2}, lambda: {3} + ps.sum({1})))({0})",
    "ps.cond(ps.sum({0}) > 0.19, lambda r: {2}, lambda r: {3}, {0})",
    "ps.scan(lambda s, r: ({2} * 0.5 + s * 0.3, s * r), {0}[0] * 0.0 + 0.2, {0})[1]",
    "ps.map(lambda r: {2} + ps.mean({1}), {0})",
    "ps.while_loop(lambda r: ps.sum(r) < 2.0, lambda r: {2} + 0.4, {0}, max_iterations=3)",
    "ps.vmap(lambda r: ps.while_loop(lambda q: ps.sum(q) < 2.0, lambda q: q * 1.2 + 0.5, {2}, max_iterations=3))({0})",
    "ps.checkpoint(lambda r: {2} * ps.sum({1}))({0})",
    "ps.grad(lambda r: ps.sum({2}) + ps.sum(r * r * 0.5))({0})",
    "ps.vmap(ps.grad(lambda r: ps.sum({2}) + ps.sum(r * {1}[0])))({0})",
    "ps.sum(ps.jacobian(lambda r: {2})({0} * 0.5), axis=0)",
    "ps.vmap(lambda r: ps.linalg.solve(e * 0.2 + 2.0 * ps.eye(3, dtype='float64'), {2}))({0})",
    "ps.vmap(lambda r, i: ({2})[i], in_axes=(0, 0))({0}, ps.asarray(np.arange({0}.shape[0]) % {0}.shape[-1]))",
    "ps.vmap(lambda r: ({2}).at[ps.argmax(r, axis=0)].add(0.5))({0})",
    "ps.vmap(lambda r: ({2}).at[ps.argmin(r, axis=0)].multiply(1.3))({0})",
    "ps.vmap(lambda r: ps.segments.segment_max(r, ps.astype(r > 0.0, 'int64') if len(r.shape) == 1 else ps.arange(r.shape[0]), 3)[:1])({0})",
    "ps.vmap(lambda r: ps.take_along_axis({2}, ps.argsort(r, axis=0), axis=0))({0})",
    "ps.vmap(lambda r: ps.linalg.cholesky(ps.linalg.outer(r, r) + ps.eye(r.shape[0], dtype='float64')))({0})",
    "ps.vmap(lambda r: ps.linalg.inv(ps.linalg.outer({2}, r) * 0.2 + 2.0 * ps.eye(r.shape[0], dtype='float64')))({0})",
    "ps.vmap(lambda r: ps.linalg.slogdet(e * ps.mean({2}) * 0.2 + 2.0 * ps.eye(3, dtype='float64'))[1])({0})",
    "ps.vmap(lambda r: ps.abs(ps.fft.fft(ps.astype({2}, 'complex128'), axis=0) + 0.3))({0})",
    "ps.vmap(ps.vmap(lambda r: ps.sin(r) * ps.sum({1}), in_axes=-1))({0})",
    "ps.vmap(ps.custom_gradient(lambda r: (ps.sin(r), lambda ct: ct * ps.cos(r))))({0})",
    "ps.vmap(lambda r: ps.scan(lambda s, q: (s * 0.5 + q, ps.tanh(s) * ps.sum({1})), r[0] * 0.0, {2})[1])({0})",
    "ps.grad(lambda r: ps.sum(ps.vmap(lambda q: ps.sin(q) * ps.sum(q))({2})))({0})",
    "ps.vmap(lambda r: ps.map(lambda q: ps.cond(ps.sum(q) > 0.07, lambda: q * 2.0, lambda: ps.sin(q)), {2}))({0})",
    "ps.sum(ps.hessian(lambda r: ps.sum({2} * r))({0}[0] * 0.5), axis=0)",
    "ps.vmap(lambda r: ps.hvp(lambda q: ps.sum(ps.sin(q) * q), r, {2}))({0})",
    "ps.sum(ps.vmap(ps.jacobian(lambda r: {2}))({0} * 0.5), axis=0)",
    "ps.vjp(lambda r: {2}, {0})[1](ps.ones_like({0}))[0]",
    "ps.jvp(lambda r: {2}, {0}, {0} * 0.5)[1]",
)  # fmt: skip
LIMIT = 30.0


@dataclass(frozen=True)
class Program:
    """Lines, the i-th of which makes `v<i>` and the last the result; and the seed of the arguments."""

    lines: tuple[str, ...]
    seed: int

    def __str__(self) -> str:
        shapes = ", ".join(map(str, ARGUMENTS.values()))
        body = "\n    ".join((*self.lines, f"return {self.lines[-1].split(' = ')[0]}"))
        return (
            "import numpy as np\nimport penstock as ps\nfrom penstock import stop_gradient\n\n"
            f"def f({', '.join(ARGUMENTS)}):\n    {body}\n\n"
            f"rng = np.random.default_rng({self.seed})\n"
            f"arguments = [ps.asarray(rng.standard_normal(shape)) for shape in ({shapes})]\n"
        )

    def function(self, stop_gradient=ps.stop_gradient):
        scope = {"stop_gradient": stop_gradient}
        text = str(self).replace("from penstock import stop_gradient\n", "")
        exec(compile(text, f"<program {self.seed}>", "exec"), scope)
        return scope["f"]

    def arguments(self, more: int = 0):
        rng = np.random.default_rng(self.seed + 1000 * more)
        return [rng.standard_normal(shape) for shape in ARGUMENTS.values()]


def is_fit(value) -> bool:
    """Whether further lines can use a line's value: real, finite, not large, not empty, of few numbers."""
    if not isinstance(value, ps.Tensor) or value.dtype != np.float64 or not 0 < np.prod(value.shape) <= 64:
        return False
    array = value.numpy()
    return bool(np.isfinite(array).all() and np.abs(array).max() < LIMIT)


def grow(seed: int, length: int | None = None) -> Program:
    """Grows a program of up to seven lines, each of which reads values of earlier lines."""
    choose = random.Random(seed)
    scope = {"ps": ps, "np": np, "stop_gradient": ps.stop_gradient}
    scope |= dict(zip(ARGUMENTS, map(ps.asarray, Program((), seed).arguments())))
    names, lines = list(ARGUMENTS), []
    wanted = length or choose.randint(2, 7)
    with use_engine("numpy"):
        while len(lines) < wanted:
            recent = names[-3:] if choose.random() < 0.7 else names
            first, second = choose.choice(recent), choose.choice(names)
            templates = choose.choices(
                (INNER, WITH_AXES, SQUARE, UNARY, BINARY, PROGRAMS), (3, 3, 2, 3, 4, 5)
            )[0]
            bodies = [choose.choice((*INNER, *WITH_AXES)).format("r") for _ in range(2)]
            expression = choose.choice(templates).format(first, second, *bodies)
            try:
                value = eval(expression, scope)
                fit = is_fit(value)
            except ps.errors.PenstockError:
                continue
            except IndexError as error:
                if "tuple index" in str(error):
                    continue  # A template needs the length of an axis that does not exist.
                raise
            if fit:
                name = f"v{len(lines)}"
                scope[name] = value
                names.append(name)
                lines.append(f"{name} = {expression}")
    return Program(tuple(lines), seed)


# -- properties --------------------------------------------------------------------------------------------


def evaluated(f, arguments):
    """The value of a program and its gradients by all arguments, zeros for absent ones."""
    tensors = [ps.asarray(one) for one in arguments]
    with ps.GradientTape(watch_accessed_variables=False) as tape:
        tape.watch(*tensors)
        value = f(*tensors)
    weights = np.cos(np.arange(value.size) + 1.0).reshape(value.shape)
    found = tape.gradient(value, tensors, output_gradients=ps.asarray(weights), unconnected_gradients="zero")
    return value.numpy(), [g.numpy() for g in found], weights


def frozen_stops(program, arguments):
    """The program with its stopped values fixed at these arguments, as differences need it."""
    kept = []

    def keep(x):
        kept.append(np.asarray(x.numpy()))
        return x

    program.function(keep)(*(ps.asarray(one) for one in arguments))

    def at(moved):
        again = iter(kept)
        held = program.function(lambda x: ps.asarray(next(again)))
        return held(*(ps.asarray(one) for one in moved)).numpy()

    return at


def slope(at, arguments, moves, weights, step):
    ahead, behind = (at([x + s * d for x, d in zip(arguments, moves)]) for s in (step, -step))
    return np.vdot(weights, (ahead - behind) / (2 * step))


def against_differences(program: Program) -> str | None:
    """Returns how the gradients differ from finite differences, or None."""
    with use_engine("numpy"):
        arguments = program.arguments()
        _, found, weights = evaluated(program.function(), arguments)
        size = max(1.0, *(np.abs(g).max(initial=0) for g in found))
        rng = np.random.default_rng(0)
        moves = [rng.standard_normal(one.shape) for one in arguments]
        at = frozen_stops(program, arguments)
        wants = [slope(at, arguments, moves, weights, step) for step in (1e-5, 3e-6, 1e-6)]
        got = sum(np.vdot(g, d) for g, d in zip(found, moves))
        if size > 1e4 or np.ptp(wants) > 1e-6 * size:
            return None  # Steep, or near a kink: differences prove nothing.
        if abs(got - wants[1]) <= 1e-5 * size:
            return None
        return f"the gradient along a direction is {got}, by differences {wants[1]}"


def between_tiers(program: Program) -> str | None:
    """Returns how XLA differs from NumPy, or None; runs the same path again with other values."""
    f = program.function()
    for more in (0, 1):
        results = []
        for engine in ("numpy", "xla"):
            with use_engine(engine):
                try:
                    value, found, _ = evaluated(f, program.arguments(more))
                except ps.errors.PenstockError:
                    if more and not results:
                        return None
                    raise
            results.append([value, *found])
        finite = [np.abs(one[np.isfinite(one)]).max(initial=0) for one in results[0]]
        size = max(1.0, *finite)
        if size > 1e4 or (more and not all(np.isfinite(one).all() for one in results[0])):
            return None  # Other values may leave the range that the program was grown for.
        for place, (got, want) in enumerate(zip(results[1], results[0])):
            what = f"gradient {place}" if place else "the value"
            if got.shape != want.shape or got.dtype != want.dtype:
                return f"{what} is {got.dtype}{got.shape} in XLA, {want.dtype}{want.shape} in NumPy"
            if not np.allclose(got, want, rtol=0, atol=1e-9 * size, equal_nan=True):
                return f"{what} is\n{got} in XLA\n{want} in NumPy (values {more})"
    return None


def over_batches(program: Program) -> str | None:
    """Returns how the program over a batch differs from one example after the other, or None."""
    with use_engine("numpy"):
        f = program.function()
        examples = [program.arguments(more) for more in range(3)]
        alone = [evaluated(f, one) for one in examples]
        if not all(np.isfinite(one[0]).all() and np.abs(one[0]).max() < 1e4 for one in alone):
            return None
        stacks = [ps.asarray(np.stack(parts)) for parts in zip(*examples)]
        with ps.GradientTape(watch_accessed_variables=False) as tape:
            tape.watch(*stacks)
            together = ps.vmap(f)(*stacks)
        weights = ps.asarray(np.stack([one[2] for one in alone]))
        slopes = tape.gradient(together, stacks, output_gradients=weights, unconnected_gradients="zero")
        parts = [together, *slopes]
        wants = [np.stack(p) for p in zip(*([one[0], *one[1]] for one in alone))]
        for place, (got, want) in enumerate(zip(parts, wants)):
            size = max(1.0, np.abs(want[np.isfinite(want)]).max(initial=0))
            got = got.numpy()
            if size < 1e6 and not np.allclose(got, want, rtol=0, atol=1e-9 * size, equal_nan=True):
                what = f"gradient {place}" if place else "the value"
                return f"{what} of a batch is\n{got}, one after the other\n{want}"
    return None


def of_second_order(program: Program) -> str | None:
    """Returns how the gradient of the gradients along a direction differs from differences, or None."""
    if "stop_gradient" in str(program).split("def f")[1] or "while_loop" in str(program):
        return None
    with use_engine("numpy"):
        arguments, f = program.arguments(), program.function()
        rng = np.random.default_rng(1)
        moves = [rng.standard_normal(one.shape) for one in arguments]
        weights = np.cos(np.arange(f(*map(ps.asarray, arguments)).size) + 1.0)

        def along(*given):
            found = ps.grad(
                lambda *x: ps.sum(ps.reshape(f(*x), (-1,)) * weights), argnums=tuple(range(len(given)))
            )(*given)
            return sum(
                (ps.sum(g * d) for g, d in zip(found, moves) if g is not None),
                ps.asarray(0.0, dtype="float64"),
            )

        def at(moved):
            return along(*map(ps.asarray, moved)).numpy()

        _, found, one = evaluated(along, arguments)
        turns = [rng.standard_normal(one.shape) for one in arguments]
        size = max(1.0, *(np.abs(g).max(initial=0) for g in found))
        wants = [slope(at, arguments, turns, one, step) for step in (1e-5, 3e-6, 1e-6)]
        got = sum(np.vdot(g, d) for g, d in zip(found, turns))
        if size > 1e4 or not np.isfinite(wants).all() or np.ptp(wants) > 1e-5 * size:
            return None
        if abs(got - wants[1]) <= 1e-4 * size:
            return None
        return f"the second derivative along two directions is {got}, by differences {wants[1]}"


CHECKS = {one.__name__: one for one in (against_differences, between_tiers, over_batches, of_second_order)}


def wrong(program: Program, name: str) -> str | None:
    """Returns the defect that one check finds in a program, or None."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            return CHECKS[name](program)
        except Exception as error:
            return f"{type(error).__name__}: {error}"


# -- making them small --------------------------------------------------------------------------------------


def smaller(program: Program):
    """Yields programs with less in them: fewer lines, or a line that is data."""
    lines = program.lines
    for stop in range(1, len(lines)):
        yield replace(program, lines=lines[:stop])
    for i, line in enumerate(lines[:-1]):
        name = line.split(" = ")[0]
        others = [*ARGUMENTS, *(f"v{j}" for j in range(i))]
        rest = lines[i + 1 :]
        if not any(re.search(rf"\b{name}\b", one) for one in rest):
            yield replace(program, lines=(*lines[:i], *rest))
            continue
        for other in others:
            replaced = tuple(re.sub(rf"\b{name}\b", other, one) for one in rest)
            yield replace(program, lines=(*lines[:i], *replaced))
    for i, line in enumerate(lines):
        name, expression = line.split(" = ", 1)
        for inner in sorted({*INNER, *WITH_AXES}, key=len):
            own = inner.format("r")
            if own != "-r" and own in expression:
                yield replace(
                    program,
                    lines=(*lines[:i], f"{name} = {expression.replace(own, '-r', 1)}", *lines[i + 1 :]),
                )


def kind(found: str) -> str:
    """The part of a failure that identifies it while the program is reduced."""
    return re.sub(r"[-\d.e+\[\]\s]+", " ", found)[:60]


def shrink(program: Program, name: str) -> Program:
    """Returns a program that is wrong in the same way, and not once anything is left out."""
    first = kind(wrong(program, name) or "")
    going_on = True
    while going_on:
        going_on = False
        for less in smaller(program):
            found = wrong(less, name)
            if found is not None and kind(found) == first:
                program, going_on = less, True
                break
    return program


def complaint(seed: int, checks=tuple(CHECKS)) -> str | None:
    """Grows a program and checks it; returns the defect with a reduced program, for pasting, or None."""
    program = grow(seed)
    for name in checks:
        if wrong(program, name) is not None:
            small = shrink(program, name)
            return f"seed {seed}, {name}: {wrong(small, name)}\n\n{small}"
    return None
