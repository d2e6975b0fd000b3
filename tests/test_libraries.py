"""Which libraries a program for the processor is compiled with."""

import sys
import types
import weakref

import numpy as np
import pytest

import penstock as ps
from penstock.testing import use_engine
from penstock.tiers import completion, libraries, xla
from penstock.tiers.storing import stored
from penstock.tiers.uploads import SMALL, Uploads
from penstock.tiers.xla import compilations

jax = pytest.importorskip("jax")

OTHERS = {libraries.PASSES: libraries.SUMS, libraries.REGIONS: True}
"""The options that XLA gets for any program."""


class Lowered:
    """Stands for a program that JAX has lowered, by default an empty one: notes how it is compiled."""

    def __init__(self, unknown=(), failure=None, function=lambda: ()):
        self.unknown, self.failure, self.asked = unknown, failure, []
        self.compiler_ir = jax.jit(function).lower().compiler_ir

    def compile(self, compiler_options=None):
        self.asked.append(compiler_options)
        refused = [one for one in self.unknown if one in (compiler_options or {})]
        if refused or self.failure:
            raise jax.errors.JaxRuntimeError(self.failure or f"No such compile option: '{refused[0]}'")
        return self


def module(backend):
    return types.SimpleNamespace(default_backend=lambda: backend, errors=jax.errors, config=jax.config)


def program(function, *arguments):
    """The program that one launch of a function makes."""
    before = len(compilations)
    with use_engine("xla"):
        ps.wait(function(*map(ps.asarray, arguments)))
    # It does not matter whether the installed XLA knows the option: the next call uses the stand-in.
    libraries._refused.clear()
    return compilations[before][0]


@pytest.fixture(autouse=True)
def unasked(monkeypatch):
    monkeypatch.delenv("XLA_FLAGS", raising=False)
    monkeypatch.setattr(libraries, "_refused", [])


def asked(program, backend="cpu"):
    lowered = Lowered()
    libraries.compiled(module(backend), lowered, program)
    return lowered.asked


def with_products(library):
    """The options that XLA gets on the processor."""
    return {libraries.OPTION: library, **OTHERS}


def test_only_large_products_are_for_the_other_library():
    small = program(lambda a, b: a @ b, np.ones((3, 4)), np.ones((4, 5)))
    large = program(lambda a, b: a @ b, np.ones((256, 129)), np.ones((129, 256)))
    assert asked(small) == [with_products("")]
    assert asked(large) == [with_products(libraries.PRODUCTS)]


def residual(x, *, again=False):
    """A chain of sums, each with several readers: these values are stored."""
    block = lambda h: ps.tanh(h - ps.mean(h, axis=-1, keepdims=True)) @ h  # noqa: E731
    block = ps.checkpoint(block) if again else block
    for _ in range(3):
        x = x + block(x) + ps.mean(x, axis=0)
    return x


@pytest.mark.parametrize("again", [False, True], ids=["plain", "with calls"])
def test_barriers_last_where_values_are_stored_and_no_program_is_inside(again):
    # XLA ends the process if it finds a barrier around several values in a call.
    made = program(lambda x: residual(x, again=again), np.ones((256, 256), np.float32))
    assert stored(made)
    passes = libraries.SUMS if again else f"{libraries.SUMS},{libraries.BARRIERS}"
    assert asked(made)[0][libraries.PASSES] == passes


def test_a_stack_times_one_matrix_is_one_tall_product_and_two_stacks_are_not():
    stack, one = np.ones((64, 8, 128)), np.ones((128, 128))
    assert asked(program(lambda a, b: a @ b, stack, one)) == [with_products(libraries.PRODUCTS)]
    assert asked(program(lambda a, b: a @ b, stack, np.ones((64, 128, 128)))) == [with_products("")]


def test_products_in_a_loop_count():
    def turned(a, b):
        return ps.scan(lambda carry, _: (carry @ b, None), a, length=3)[0]

    assert asked(program(turned, np.ones((256, 256)), np.ones((256, 256)))) == [
        with_products(libraries.PRODUCTS)
    ]


@pytest.fixture(scope="module")
def sums():
    """A program without products; the same lines are recorded, and compiled, once."""
    return program(lambda a: a + 5, np.ones(3))


def loop(value, body=lambda value: value + 1):
    return jax.lax.fori_loop(0, 5, lambda _, one: body(one), value)


def in_a_branch(value):
    return jax.lax.cond(value > 1, loop, lambda one: one, value)


@pytest.mark.parametrize(
    "function, looped, analyzed",
    [
        (lambda: jax.numpy.ones(3), False, True),
        (lambda: loop(1), False, False),
        (lambda: loop(1), True, True),
        (lambda: loop(loop(1)), True, False),
        (lambda: loop(1, loop), True, False),
        (lambda: loop(1, in_a_branch), True, False),
        (lambda: in_a_branch(2), False, False),
        (lambda: jax.jit(loop)(1), False, False),
        (lambda: jax.lax.map(jax.jit(loop), jax.numpy.arange(3)), True, False),
    ],
)
def test_regions_are_analyzed_unless_there_is_a_loop_besides_that_around_the_program(
    sums, function, looped, analyzed
):
    lowered = Lowered(function=function)
    libraries.compiled(module("cpu"), lowered, sums, looped)
    assert (libraries.REGIONS in lowered.asked[0]) == analyzed


def test_regions_are_not_analyzed_if_jax_lowers_in_an_unknown_way(sums):
    lowered = Lowered()
    del lowered.compiler_ir
    libraries.compiled(module("cpu"), lowered, sums)
    assert lowered.asked == [{libraries.OPTION: "", libraries.PASSES: libraries.SUMS}]


def test_a_gpu_multiplies_by_its_libraries_and_other_accelerators_are_left_alone(monkeypatch):
    one = program(lambda a: a + 1, np.ones(3))
    assert asked(one, "gpu") == [{libraries.GENERATED: False}]
    assert asked(one, "tpu") == [None]
    monkeypatch.setenv("XLA_FLAGS", f"--{libraries.GENERATED}=true")
    assert asked(one, "gpu") == [None]


@pytest.mark.parametrize(
    "size, dtype, precision, generated",
    [(5, "float32", None, False), (6, "float32", "tensorfloat32", True), (7, "bfloat16", None, True)],
)
def test_a_gpu_may_generate_kernels_for_much_work_of_few_digits(
    monkeypatch, size, dtype, precision, generated
):
    square = np.ones((size, size), np.float64)
    one = program(lambda a: ps.astype(a, dtype) @ ps.astype(a, dtype), square)
    assert asked(one, "gpu") == [{libraries.GENERATED: False}]
    monkeypatch.setattr(libraries, "MANY", one.cost)
    with jax.default_matmul_precision(precision):
        assert asked(one, "gpu") == [None if generated else {libraries.GENERATED: False}]


def test_the_users_own_choice_is_left_alone(monkeypatch):
    one = program(lambda a: a + 6, np.ones(3))
    monkeypatch.setenv("XLA_FLAGS", f"--{libraries.OPTION}=")
    assert asked(one) == [OTHERS]
    everything = f"--{libraries.OPTION}= --{libraries.PASSES}=cse --{libraries.REGIONS}=false"
    monkeypatch.setenv("XLA_FLAGS", everything)
    assert asked(one) == [None]


def test_an_xla_without_the_option_is_asked_once():
    one = program(lambda a: a + 2, np.ones(3))
    lowered = Lowered([libraries.OPTION])
    for _ in range(2):
        libraries.compiled(module("cpu"), lowered, one)
    assert lowered.asked == [with_products(""), OTHERS, OTHERS]


def test_an_xla_without_any_of_the_options_compiles_as_it_is():
    one = program(lambda a: a + 4, np.ones(3))
    lowered = Lowered([libraries.OPTION, libraries.PASSES, libraries.REGIONS])
    for _ in range(2):
        libraries.compiled(module("cpu"), lowered, one)
    assert lowered.asked == [with_products(""), OTHERS, {libraries.REGIONS: True}, None, None]


def test_another_failure_to_compile_is_not_hidden():
    one = program(lambda a: a + 3, np.ones(3))
    with pytest.raises(jax.errors.JaxRuntimeError, match="out of memory"):
        libraries.compiled(module("cpu"), Lowered(failure="out of memory"), one)


# -- products on accelerators --------------------------------------------------------------------------------


def precision(module, **options):
    """How the products of a program are to be computed that is lowered inside `full_products`."""
    with libraries.full_products(module, **options):
        text = jax.jit(lambda a, b: a @ b).lower(np.ones((2, 2), np.float32), np.ones((2, 2), np.float32))
    return "HIGHEST" in text.as_text()


def test_products_on_accelerators_and_in_files_keep_all_digits(monkeypatch):
    assert not precision(jax)
    assert precision(jax, exported=True)
    monkeypatch.setattr(jax, "default_backend", lambda: "gpu")
    assert precision(jax)
    with jax.default_matmul_precision("tensorfloat32"):
        assert not precision(jax) and not precision(jax, exported=True)


def test_an_accelerators_values_outlive_a_forked_process():

    array = jax.numpy.ones(3)
    before = sys.getrefcount(array)
    completion._keep_for_ever([])
    assert sys.getrefcount(array) == before
    completion._keep_for_ever([array])
    assert sys.getrefcount(array) == before + 1


def sent(step):
    """What is copied to a device that stands for a GPU while a compiled program repeats a step."""
    counted = []
    send = xla.on_device

    def count(value):
        counted.append(value)
        return send(value)

    with pytest.MonkeyPatch.context() as patch, use_engine("xla"):
        ps.wait(step())
        patch.setattr(xla, "on_device", count)
        patch.setattr(xla, "sent", lambda value: uploads.copy(value, count))
        uploads = Uploads()
        for _ in range(3):
            ps.wait(step())
    return counted


def test_constants_of_a_step_are_sent_to_an_accelerator_once():
    x = ps.asarray(np.ones((2, 700), np.float32))
    table = ps.Variable(np.ones((700, 1), np.float32))
    attention = ps.layers.MultiHeadAttention(1, 2)
    long = ps.asarray(np.ones((1, 300, 4), np.float32))

    def step():
        rows = ps.take(table, ps.arange(700), axis=0)
        return ps.sum(x @ rows) + ps.sum(attention(long, long, use_causal_mask=True))

    mask = 300 * 300
    assert mask > SMALL
    assert sorted(one.size for one in sent(step)) == [700, mask]


def test_data_of_each_step_is_sent_each_time_and_not_kept():
    draw = np.random.default_rng(0)
    w = ps.Variable(np.ones((1 << 15,), np.float32))
    made = []

    def step():
        data = draw.standard_normal(1 << 15).astype(np.float32)
        made.append(weakref.ref(data))
        return ps.sum(w * ps.asarray(data))

    assert len(sent(step)) == 3
    assert all(one() is None for one in made)


def test_a_variable_that_starts_from_a_constant_does_not_share_its_copy():
    uploads = Uploads()
    zeros = ps.zeros(3)
    with pytest.MonkeyPatch.context() as patch, use_engine("xla"):
        patch.setattr(xla, "sent", lambda value: uploads.copy(value, xla.on_device))
        v = ps.Variable(zeros)
        for _ in range(3):
            v.assign_add(ps.zeros(3) + 1.0)
            ps.wait()
        assert ps.zeros(3).numpy().tolist() == [0.0, 0.0, 0.0]
        assert (ps.zeros(3) + zeros).numpy().tolist() == [0.0, 0.0, 0.0]
    assert v.numpy().tolist() == [3.0, 3.0, 3.0]
