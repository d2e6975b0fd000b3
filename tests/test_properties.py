"""Random small programs: the tiers agree, differences confirm the gradients, cotangents enter linearly."""

from dataclasses import dataclass, replace

import numpy as np
import pytest
from hypothesis import Phase, assume, given, settings
from hypothesis import strategies as st

import penstock as ps
from grown_programs import frozen_stops
from penstock.ops.table import table
from penstock.testing import gradients, use_engine

ARGUMENTS = {"a": (2, 3), "b": (3,), "c": (), "d": (3, 2)}

# What is stopped is moved a little, and so are the borders of `where`: a program shall not stand on a kink.
UNARY = (
    *("ps.tanh({0})", "ps.sin({0})", "ps.cos({0})", "ps.nn.sigmoid({0})", "ps.nn.softplus({0})", "-{0}"),
    *(
        "ps.abs({0})",
        "ps.nn.relu({0})",
        "ps.square({0})",
        "ps.exp(ps.tanh({0}))",
        "ps.atan({0})",
        "ps.erf({0})",
    ),
    *(
        "ps.sqrt({0} * {0} + 0.5)",
        "ps.log({0} * {0} + 1.5)",
        "{0} ** 3",
        "{0} * 0.5 + 1",
        "2.0 / (3 + ps.sin({0}))",
    ),
    *(
        "ps.clip({0}, -0.7, 1.1)",
        "ps.floor({0})",
        "ps.sign({0})",
        "ps.log1p(ps.square({0}))",
        "stop_gradient({0} * 1.1 + 0.05)",
    ),
)
BINARY = (
    *("{0} + {1}", "{0} - {1}", "{0} * {1}", "{0} / ({1} * {1} + 1.0)", "ps.maximum({0}, {1})"),
    *(
        "ps.minimum({0}, {1})",
        "ps.where({0} > {1} + 0.37, {0}, {1} * 2.0)",
        "ps.atan2({0}, ps.square({1}) + 0.5)",
    ),
    *(
        "ps.pow(ps.square({0}) + 0.5, ps.tanh({1}))",
        "stop_gradient({0}) * {1}",
        "ps.where({1} < 0.25, stop_gradient({0} - 0.07), {1})",
    ),
)
REDUCTIONS = ("sum", "mean", "max", "min", "prod")
ARRANGEMENTS = (
    "ps.reshape({0}, (-1,))",
    "ps.flip({0})",
    "{0}[::-1]",
    "{0}[1:]",
    "ps.stack([{0}, {0} * 2.0])",
)


@dataclass(frozen=True)
class Program:
    """A function of `ARGUMENTS` as text, and the seed of its arguments."""

    lines: tuple[str, ...]
    seed: int

    def __str__(self):
        shapes = ", ".join(map(str, ARGUMENTS.values()))
        body = "\n    ".join(self.lines)
        return (
            "import numpy as np\nimport penstock as ps\nfrom penstock import stop_gradient\n\n"
            f"def f({', '.join(ARGUMENTS)}):\n    {body}\n\n"
            f"rng = np.random.default_rng({self.seed})\n"
            f"arguments = [ps.asarray(rng.standard_normal(shape)) for shape in ({shapes})]\n"
        )

    def function(self, stop_gradient=ps.stop_gradient):
        scope = {"stop_gradient": stop_gradient}
        exec(str(self).replace("from penstock import stop_gradient\n", ""), scope)
        return scope["f"]

    def arguments(self):
        rng = np.random.default_rng(self.seed)
        return [rng.standard_normal(shape) for shape in ARGUMENTS.values()]


@st.composite
def programs(draw):
    """Draws up to seven statements over the arguments; each reads earlier values."""
    shapes = dict(ARGUMENTS)
    lines = []
    for number in range(draw(st.integers(1, 7))):
        # Late names first, so that computed values are used.
        names = sorted(shapes, reverse=True)
        first, second = draw(st.sampled_from(names)), draw(st.sampled_from(names))
        kind = draw(st.sampled_from(("unary", "binary", "reduce", "matmul", "arrange")))
        expression = None
        if kind == "binary" and fits(np.broadcast_shapes, shapes[first], shapes[second]):
            expression = draw(st.sampled_from(BINARY)).format(first, second)
        elif kind == "reduce" and shapes[first]:
            axis = draw(st.sampled_from((None, *range(len(shapes[first])))))
            keepdims = draw(st.booleans())
            expression = f"ps.{draw(st.sampled_from(REDUCTIONS))}({first}, axis={axis}, keepdims={keepdims})"
        elif kind == "matmul" and shapes[first] and shapes[second]:
            pair = [(x, y) for x in (first, f"{first}.T") for y in (second, f"{second}.T")]
            pair = [(x, y) for x, y in pair if fits(lambda *both: eval_shape(*both, shapes), x, y)]
            if pair:
                expression = "ps.matmul({}, {})".format(*draw(st.sampled_from(pair)))
        elif kind == "arrange" and shapes[first] and shapes[first][0] > 1:
            expression = draw(st.sampled_from(ARRANGEMENTS)).format(first)
        expression = expression or draw(st.sampled_from(UNARY)).format(first)
        name = f"v{number}"
        tensors = {known: ps.zeros(shape) for known, shape in shapes.items()}
        shapes[name] = eval(expression, {"ps": ps, "stop_gradient": ps.stop_gradient, **tensors}).shape
        lines.append(f"{name} = {expression}")
    return Program((*lines, f"return v{len(lines) - 1}"), draw(st.integers(0, 999)))


def fits(rule, *operands):
    try:
        rule(*operands)
    except ValueError:
        return False
    return True


def eval_shape(left, right, shapes):
    arrays = [np.zeros(shapes[one[:2].rstrip(".")]) for one in (left, right)]
    np.matmul(*(array.T if one.endswith(".T") else array for one, array in zip((left, right), arrays)))


def evaluated(f, arguments, cotangent=None):
    """The value of a program, its gradients by all arguments (zeros for absent ones), and the cotangent."""
    tensors = [ps.asarray(one) for one in arguments]
    value = f(*tensors).numpy()
    if cotangent is None:
        cotangent = np.random.default_rng(value.size).standard_normal(value.shape)
    found = gradients(f, tensors, range(len(tensors)), [cotangent])
    found = [np.zeros(one.shape) if g is None else g.numpy() for g, one in zip(found, tensors)]
    return value, found, cotangent


def require(condition, what, program):
    """An assertion whose message pytest does not change, ready to paste."""
    if not condition:
        raise AssertionError(f"{what}\n\n{program}")


def check_against_differences(program):
    arguments = program.arguments()
    _, found, cotangent = evaluated(program.function(), arguments)
    size = max(1.0, *(np.abs(g).max(initial=0) for g in found))
    # A steep program is also curved, and differences prove nothing.
    assume(size < 1e3)
    rng = np.random.default_rng(0)
    moves = [rng.standard_normal(one.shape) for one in arguments]
    at, step = frozen_stops(program, arguments), 1e-6
    ahead, behind = (at([x + s * d for x, d in zip(arguments, moves)]) for s in (step, -step))
    want = np.vdot(cotangent, (ahead - behind) / (2 * step))
    got = sum(np.vdot(g, d) for g, d in zip(found, moves))
    require(abs(got - want) <= 1e-6 * size, f"tape {got}, differences {want}", program)


def check_linearity(program):
    f, arguments = program.function(), program.arguments()
    value, by_one, one = evaluated(f, arguments)
    other = np.random.default_rng(7).standard_normal(value.shape)
    _, by_other, _ = evaluated(f, arguments, other)
    _, by_both, _ = evaluated(f, arguments, 2.0 * one - 3.0 * other)
    for x, y, both in zip(by_one, by_other, by_both):
        size = np.abs(x).max(initial=1) + np.abs(y).max(initial=1)
        linear = np.allclose(both, 2.0 * x - 3.0 * y, rtol=0, atol=1e-13 * size)
        require(linear, "not linear in the cotangent", program)


def check_that_tiers_agree(program):
    f = program.function()
    # The second time on the same path, with other values: nothing may have been baked in.
    for again in (program, replace(program, seed=program.seed + 1000)):
        results = []
        for engine in ("numpy", "xla"):
            with use_engine(engine):
                value, found, _ = evaluated(f, again.arguments())
            results.append([value, *found])
        # Intermediate values are of order 1, and so are their roundings: 1 - tanh(9) ** 2 keeps few places.
        size = max(1.0, *(np.abs(one).max(initial=0) for one in results[0]))
        for got, want in zip(results[1], results[0]):
            require(got.shape == want.shape and got.dtype == want.dtype, f"{got.dtype}{got.shape}", again)
            close = np.allclose(got, want, rtol=0, atol=1e-12 * size, equal_nan=True)
            require(close, f"XLA gives\n{got}, NumPy\n{want}", again)


@settings(max_examples=400)
@given(programs())
def test_differences_confirm_gradients(program):
    with use_engine("numpy"):
        check_against_differences(program)


@settings(max_examples=100)
@given(programs())
def test_gradients_are_linear_in_the_cotangent(program):
    with use_engine("numpy"):
        check_linearity(program)


@settings(max_examples=60)
@given(programs())
def test_tiers_agree_on_programs(program):
    check_that_tiers_agree(program)


@pytest.mark.parametrize(
    ("check", "part", "planted"),
    [
        (check_against_differences, "vjp", (lambda ct, y, x: ct * (1.0 - y),)),
        (check_linearity, "vjp", (lambda ct, y, x: ct * ct,)),
        (check_that_tiers_agree, "numpy", lambda x: np.tanh(x) * 1.001),
    ],
)
def test_a_planted_mistake_is_found_and_the_program_printed(check, part, planted):
    tanh = table["tanh"]
    right = getattr(tanh, part)

    @settings(max_examples=200, phases=[Phase.generate], database=None)
    @given(programs())
    def search(program):
        with use_engine("numpy"):
            check(program)

    object.__setattr__(tanh, part, planted)
    try:
        with pytest.raises(AssertionError) as caught:
            search()
    finally:
        object.__setattr__(tanh, part, right)
    text = str(caught.value)
    assert "tanh" in text
    exec(text[text.index("import numpy") :], {})
