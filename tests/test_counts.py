"""Costs that are promised as counts: launches, compilations, calls of rules, imports."""

import subprocess
import sys

import numpy as np
import pytest

import penstock as ps
from counting import calls_of, count_compilations, launches, rules
from penstock.ops import row_loops
from penstock.testing import use_engine
from penstock.tiers import choice
from penstock.tiers.program import CALL, COUNTED, ELEMENT, HANDLED, KEPT, extract
from penstock.trace.fast_path import accelerated
from penstock.trace.recorder import IDLE_DEPTH
from penstock.trace.tree import tree


class TwoScalars:
    """Two unknowns, a quadratic, one optimizer: nothing but overhead."""

    def __init__(self):
        self.x, self.y = ps.Variable(0.0), ps.Variable(1.0)
        self.optimizer = ps.optimizers.SGD(0.1)

    def turn(self, i):
        with ps.GradientTape() as tape:
            loss = (self.x - 2.0) ** 2 + (self.y - 3.0) ** 2
        gradients = tape.gradient(loss, [self.x, self.y])
        self.optimizer.apply_gradients(zip(gradients, [self.x, self.y]))


class TwoScalarsByHand(TwoScalars):
    def turn(self, i):
        with ps.GradientTape() as tape:
            loss = (self.x - 2.0) ** 2 + (self.y - 3.0) ** 2
        by_x, by_y = tape.gradient(loss, [self.x, self.y])
        self.x.assign_sub(0.1 * by_x)
        self.y.assign_sub(0.1 * by_y)


class Perceptron:
    """A classifier with one hidden layer, Adam and a rate that falls."""

    def __init__(self):
        rng = np.random.default_rng(0)
        self.data = [ps.asarray(rng.standard_normal((8, 5)).astype(np.float32)) for _ in range(3)]
        self.labels = [ps.asarray(rng.integers(0, 3, 8)) for _ in range(3)]
        self.variables = [
            ps.Variable(rng.standard_normal(shape).astype(np.float32) * 0.3)
            for shape in ((5, 7), (7,), (7, 3), (3,))
        ]
        self.optimizer = ps.optimizers.Adam(0.01)

    def turn(self, i):
        kernel, bias, head, offset = self.variables
        with ps.GradientTape() as tape:
            hidden = ps.nn.relu(self.data[i % 3] @ kernel + bias)
            logits = hidden @ head + offset
            loss = ps.mean(ps.losses.softmax_cross_entropy(logits, self.labels[i % 3]))
        gradients = tape.gradient(loss, self.variables)
        self.optimizer.apply_gradients(zip(gradients, self.variables))


class PerceptronWithRate(Perceptron):
    def turn(self, i):
        self.optimizer.learning_rate = 0.01 / (i + 1)
        super().turn(i)


class Looked(TwoScalars):
    """As most people write it: the loss is looked at in each turn."""

    def turn(self, i):
        with ps.GradientTape() as tape:
            loss = (self.x - 2.0) ** 2 + (self.y - 3.0) ** 2
        gradients = tape.gradient(loss, [self.x, self.y])
        self.optimizer.apply_gradients(zip(gradients, [self.x, self.y]))
        assert float(loss) >= 0.0


class KeptLosses(TwoScalars):
    """Losses are added up and kept, and nothing is ever read."""

    def __init__(self):
        super().__init__()
        self.losses, self.total = [], 0.0

    def turn(self, i):
        with ps.GradientTape() as tape:
            loss = (self.x - 2.0) ** 2
        self.losses.append(loss)
        self.total = self.total + loss
        self.optimizer.apply_gradients([(tape.gradient(loss, self.x), self.x)])


class KeptLossesOfTensorFlow(KeptLosses):
    def turn(self, i):
        from penstock import tensorflow as tf

        with tf.GradientTape() as tape:
            loss = tf.square(self.x - 2.0)
        self.losses.append(loss)
        self.total = tf.add(self.total, loss)
        self.optimizer.apply_gradients([(tape.gradient(loss, self.x), self.x)])


class Deep:
    """More operations inside the tape than a step may have outside of one, and an optimizer."""

    def __init__(self):
        self.x = ps.Variable(np.linspace(0.1, 0.9, 4, dtype=np.float32))
        self.optimizer = ps.optimizers.SGD(0.1)

    def turn(self, i):
        with ps.GradientTape() as tape:
            y = self.x
            for _ in range(IDLE_DEPTH):
                y = y * self.x
            loss = ps.sum(y)
        self.optimizer.apply_gradients([(tape.gradient(loss, self.x), self.x)])


LOOPS = [
    TwoScalars,
    TwoScalarsByHand,
    Perceptron,
    PerceptronWithRate,
    Looked,
    KeptLosses,
    KeptLossesOfTensorFlow,
    Deep,
]


@pytest.mark.parametrize("loop", LOOPS)
def test_one_turn_is_one_launch(compiled, loop):
    made = loop()
    for i in range(4):
        made.turn(i)
    ps.wait()
    before = launches()
    for i in range(20):
        made.turn(i + 4)
    ps.wait()
    assert launches() - before == 20


@pytest.mark.parametrize("loop", LOOPS)
def test_from_the_second_pass_on_no_rule_is_called(compiled, loop):
    made = loop()
    # The second pass may find that a number varies, and an optimizer has its state from the first one on.
    turns = 3 if loop is PerceptronWithRate else 2
    for i in range(turns):
        made.turn(i)
    ps.wait()
    with rules() as counted:
        for i in range(turns, 12):
            made.turn(i)
        ps.wait()
    assert not counted, counted


@pytest.mark.parametrize("loop", LOOPS)
def test_from_the_second_pass_on_the_tree_does_not_grow(loop):
    with use_engine("numpy"):
        made = loop()
        for i in range(4):
            made.turn(i)
        ps.wait()
        before = tree.count
        for i in range(4, 30):
            made.turn(i)
        ps.wait()
        assert tree.count == before


@pytest.mark.parametrize("loop", LOOPS)
def test_nothing_is_compiled_after_the_second_pass(compiled, loop):
    made = loop()
    compiled = []
    for i in range(12):
        made.turn(i)
        ps.wait()
        compiled.append(count_compilations())
    # One more turn than passes: a turn runs when the next one begins, or at the wait.
    assert compiled[3] == compiled[-1], compiled


def test_the_counters_count(compiled):
    with rules() as counted:
        x = ps.Variable(1.25)
        with ps.GradientTape() as tape:
            y = ps.sin(x) * x
        tape.gradient(y, x)
        assert counted["shape"] >= 2 and counted["derivative"] >= 3
        before, compiled = launches(), count_compilations()
        float(y)
        assert launches() == before + 1 and count_compilations() == compiled + 1


@pytest.mark.parametrize(
    "varying",
    [
        lambda x, i: x * (i * 0.1),
        lambda x, i: x * i,
        lambda x, i: (i * 0.1) - x,
        lambda x, i: x * 0.5 + (i + 1) * 0.25,
        lambda x, i: x ** (i + 4),
        lambda x, i: ps.maximum(x, i * 0.1),
        lambda x, i: ps.where(x > i * 0.1, x, i * 1.0),
        lambda x, i: ps.clip(x, -0.1 * i, 0.1 * i),
        lambda x, i: ps.full((2,), i * 0.1) * x,
        lambda x, i: ps.full((2,), i * 0.1, dtype="float64") + x,
        lambda x, i: ps.nn.leaky_relu(x, 0.01 * i),
        lambda x, i: ps.nn.elu(x, 0.01 * (i + 1)),
        lambda x, i: ps.asarray(i * 0.1) * x,
        lambda x, i: np.float32(i) * x,
        lambda x, i: x * np.full((2,), i, np.float32),
        lambda x, i: x.assign(x * 0.0 + i * 0.1),
        lambda x, i: x.assign_add([i * 0.1, 1.0]),
    ],
)
def test_a_number_that_varies_compiles_nothing_more(compiled, varying):
    x = ps.Variable([0.3, 2.0])
    compiled, values = [], []
    for i in range(7):
        values.append(varying(x, i).numpy())
        compiled.append(count_compilations())
    assert compiled[2] == compiled[-1], compiled
    with use_engine("numpy"):
        again = ps.Variable([0.3, 2.0])
        for i in range(7):
            assert np.allclose(values[i], varying(again, i).numpy(), rtol=1e-5, atol=1e-6), i


def test_several_numbers_that_vary_settle_together(compiled):
    x = ps.Variable(1.0)
    compiled = []
    for i in range(8):
        y = x * (i * 0.1) + i
        y = y * (i + 1.0) - 0.5 * i
        y = y * (2.0 * i)
        assert np.isclose(float(y), ((0.1 * i + i) * (i + 1.0) - 0.5 * i) * 2.0 * i, rtol=1e-5)
        compiled.append(count_compilations())
    assert compiled[2] == compiled[-1], compiled


@pytest.mark.parametrize(
    "select",
    [lambda x, i: x[i], lambda x, i: x[i : i + 2], lambda x, i: x[..., i], lambda x, i: x[:, i : i + 1]],
)
def test_a_loop_counter_as_an_index_compiles_nothing_more(compiled, select):
    x = ps.asarray(np.arange(64.0).reshape(8, 8))
    compiled = []
    for i in range(6):
        assert np.array_equal((select(x, i) * 1.0).numpy(), select(np.arange(64.0).reshape(8, 8), i))
        compiled.append(count_compilations())
    assert compiled[2] == compiled[-1], compiled


def test_a_program_is_compiled_once_wherever_it_is_written(compiled):
    x = ps.Variable([1.0, 2.0, 3.0, 4.0, 5.5])
    (ps.cos(x) * 2.5).numpy()
    before = count_compilations()
    (ps.cos(x) * 2.5).numpy()
    y = ps.Variable([5.0, 4.0, 3.0, 2.0, 1.0])

    def elsewhere(v):
        return ps.cos(v) * 2.5

    elsewhere(y).numpy()
    assert count_compilations() == before


@pytest.mark.xla
def test_a_check_of_ids_takes_as_long_in_a_longer_program(compiled):
    def calls(length):
        table = ps.Variable(np.ones((10, 2), np.float32))

        @ps.step
        def looked_up(ids):
            found = ps.take(table, ids, axis=0)
            for _ in range(length):
                found = ps.sin(found)
            return found

        for i in range(3):
            looked_up(np.array([i, 1]))
        with pytest.raises(ps.errors.RangeError, match="index 10"):
            looked_up(np.array([10, 1]))
        return calls_of(lambda: looked_up(np.array([4, 5])))

    assert calls(40) == calls(10)


@pytest.mark.xla
def test_the_switch_comes_at_a_fixed_count():
    with use_engine("auto"):
        x = ps.Variable([1.0, 2.0, 7.0])
        kinds, compiled = [], []
        for _ in range(choice.HOT_RUNS + 3):
            y = ps.tanh(x) * 0.123
            y.numpy()
            kinds.append(type(y._value) is np.ndarray)
            compiled.append(count_compilations())
        assert kinds == [True] * choice.HOT_RUNS + [False] * 3
        assert compiled[-1] == compiled[choice.HOT_RUNS] == compiled[choice.HOT_RUNS - 1] + 1


@pytest.mark.xla
@pytest.mark.parametrize("turns", [0, 1, 3])
def test_a_heavy_program_is_compiled_once_numpy_has_worked_for_as_long(monkeypatch, turns):
    monkeypatch.setattr(choice, "HEAVY", 1000)
    monkeypatch.setattr(choice, "CLIENT", 0)
    with use_engine("auto"):
        # A size of its own for each number of turns: a program of that size may be compiled already.
        x = ps.Variable(np.ones((30 + turns, 31), np.float32))
        kinds = []
        for _ in range(turns + 2):
            y = ps.sum(x @ x.T)
            if not kinds:
                program = extract(y._trace.program(), [y._slot])[0]
                monkeypatch.setattr(
                    choice,
                    "KERNEL",
                    int(turns * program.work / (choice.HEAVIER * program.kernels)) + 1,
                )
            y.numpy()
            kinds.append(type(y._value) is np.ndarray)
        assert kinds == [True] * turns + [False] * 2


def test_equal_blocks_share_their_kernels():
    with use_engine("numpy"):
        x = ps.Variable(np.ones((4, 4), np.float32))

        def program_of(blocks):
            y = x
            for _ in range(blocks):
                y = ps.tanh(y @ x)
            found = extract(y._trace.program(), [y._slot])[0]
            y.numpy()
            return found

        one, many = program_of(1), program_of(20)
        assert one.kernels == many.kernels == 2 and many.operations == 40


@pytest.mark.xla
@pytest.mark.parametrize("more", [1, 3])
def test_a_program_that_compiles_slowly_is_compiled_once_numpy_has_worked_for_as_long(monkeypatch, more):
    monkeypatch.setattr(choice, "CLIENT", 0)
    turns = choice.HOT_RUNS + more
    with use_engine("auto"):
        x = ps.Variable(np.ones(30 + more, np.float32))
        kinds = []
        for _ in range(turns + 2):
            y = ps.tanh(ps.sin(x) * 0.1)
            if not kinds:
                program = extract(y._trace.program(), [y._slot])[0]
                monkeypatch.setattr(choice, "KERNEL", turns * program.work // program.pieces + 1)
            y.numpy()
            kinds.append(type(y._value) is np.ndarray)
        assert kinds == [True] * turns + [False] * 2


def test_a_heavy_program_of_very_many_steps_waits_longer(monkeypatch):
    """XLA's passes over its steps take longer than its few kernels."""
    x = ps.ones((64, 64))
    y = x @ x
    for _ in range(20):
        y = y + x
    program = extract(y._trace.program(), [y._slot])[0]
    y.numpy()
    monkeypatch.setattr(choice, "HEAVY", program.cost - 1)
    monkeypatch.setattr(choice, "CLIENT", 0)
    least = int(2 * program.work / (choice.HEAVIER * program.kernels))
    monkeypatch.setattr(choice, "KERNEL", least)
    assert [choice.pays(program, runs) for runs in (1, 3)] == [False, True]
    monkeypatch.setattr(choice, "LONG", 0)
    more = (choice.HEAVIER * program.kernels + len(program.steps) // HANDLED) / (
        choice.HEAVIER * program.kernels
    )
    waits = [choice.pays(program, runs) for runs in range(1, 16)].index(True) + 1
    assert waits == int(2 * more) + 1 > 3


def test_results_that_are_kept_take_longer_to_compile_and_calls_longer_to_run():
    with use_engine("numpy"):
        x = ps.Variable(np.ones((4, 4), np.float32))
        values = [ps.tanh(x)]
        values.append(ps.sin(values[0]))
        values.append(ps.cos(values[1]))
        calls = values[0]._trace.program()
        last = extract(calls, [values[2]._slot])[0]
        every = extract(calls, [one._slot for one in values])[0]
        ps.wait()
    assert last.kernels == every.kernels == 3
    assert (last.pieces, every.pieces) == (3 + 3, 3 + 9)
    assert last.work == every.work == last.cost + 3 * (CALL + 16 * ELEMENT)


def test_no_program_waits_for_more_runs_than_a_checkpoint_stores():
    """A step of little work, whose kernels all differ and whose results are all kept, waits longest."""
    pieces = 1 + KEPT + 1 / HANDLED
    assert choice.KERNEL * pieces / CALL < COUNTED


def test_the_calls_in_a_loop_count_once_for_each_turn():
    with use_engine("numpy"):
        x = ps.ones((7, 3, 2))
        outputs = ps.scan(lambda c, row: (ps.tanh(c + row), None), x[0], x)[0]
        program = extract(outputs._trace.program(), [outputs._slot])[0]
        outputs.numpy()
    (loop,) = (one for one in program.steps if one.bodies)
    (body,) = (one.program for one in loop.bodies)
    own = program.cost + CALL * len(program.steps) + ELEMENT * sum(one.spec.size for one in program.steps)
    assert len(body.steps) == 2
    assert program.work == own + 7 * 2 * (CALL + 6 * ELEMENT)


def test_xla_compiles_nothing_of_a_loop_that_is_computed_by_rows(monkeypatch):
    def kernels(built):
        monkeypatch.setattr(row_loops, "described", lambda: built)
        x, w = ps.ones((7, 3, 2)), ps.ones((2, 2))
        outputs = ps.scan(lambda c, row: (ps.tanh(c @ w + row), None), x[0], x)[0]
        program = extract(outputs._trace.program(), [outputs._slot])[0]
        ps.wait()
        program._kernels = 0
        return program.kernels

    with use_engine("numpy"):
        assert kernels(None) == kernels(("", 0, 0)) + 3


@pytest.mark.xla
def test_a_program_with_a_loop_that_ends_by_its_values_does_not_wait(monkeypatch):
    """How often NumPy makes the calls of the loop is not known."""
    monkeypatch.setattr(choice, "KERNEL", 10**18)
    monkeypatch.setattr(choice, "CLIENT", 0)
    with use_engine("auto"):
        x = ps.Variable(1.0)
        kinds = []
        for _ in range(choice.HOT_RUNS + 2):
            y = ps.while_loop(lambda v: v < 9.0, lambda v: v * 2.0, x * 1.5)
            y.numpy()
            kinds.append(type(y._value) is np.ndarray)
        assert kinds == [True] * choice.HOT_RUNS + [False] * 2


# -- imports -------------------------------------------------------------------------------------------------


def in_a_fresh_process(program, **environment):
    import os

    clean = {name: value for name, value in os.environ.items() if not name.startswith("PENSTOCK")}
    clean["PENSTOCK_CACHE_DIR"] = ""
    return subprocess.run(
        [sys.executable, "-c", program],
        env=clean | environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


# What `import penstock` loads: what every program that records something uses. Anything else waits until it
# is asked for, by penstock/lazy.py or an import inside a function; take away here what can wait too.
STARTED = """
penstock penstock.errors penstock.foreign penstock.lazy
penstock.flow penstock.flow.hooks
penstock.functions penstock.functions.arguments penstock.functions.array penstock.functions.indexing
penstock.functions.interchange penstock.functions.methods penstock.functions.keys penstock.functions.operators
penstock.functions.at
penstock.grad penstock.grad.holding penstock.grad.live penstock.grad.query penstock.grad.rows
penstock.grad.tape
penstock.ops penstock.ops.bits penstock.ops.comparison_xla penstock.ops.complex_edges
penstock.ops.complex_parts penstock.ops.gather penstock.ops.index penstock.ops.linear penstock.ops.pointwise
penstock.ops.promotion penstock.ops.shape penstock.ops.table penstock.ops.validation
penstock.state penstock.state.flags penstock.state.records penstock.state.variable
penstock.tiers penstock.tiers.choice penstock.tiers.commits penstock.tiers.completion
penstock.tiers.executables penstock.tiers.failures penstock.tiers.placement penstock.tiers.plan
penstock.tiers.program penstock.tiers.publishing penstock.tiers.reference penstock.tiers.run
penstock.trace penstock.trace._hot penstock.trace.budget penstock.trace.builder penstock.trace.captured
penstock.trace.convert penstock.trace.dtypes penstock.trace.engine penstock.trace.fast_path
penstock.trace.history penstock.trace.kinds penstock.trace.leaf penstock.trace.lengths penstock.trace.local
penstock.trace.nesting penstock.trace.polynomials penstock.trace.recorder penstock.trace.source_site
penstock.trace.spec penstock.trace.structure penstock.trace.tensor penstock.trace.tracebacks
penstock.trace.tree
"""
BORROWED = {"__future__", "copy", "dataclasses", "threading"}
"""The modules of Python's standard library that it loads and NumPy does not."""


def test_modules_that_an_import_loads():
    program = """
import sys, numpy
before = set(sys.modules)
import penstock
print(*set(sys.modules) - before)
"""
    done = in_a_fresh_process(program)
    assert done.returncode == 0, done.stderr
    loaded = set(done.stdout.split())
    own = {name for name in loaded if name.partition(".")[0] == "penstock"}
    assert own >= {"penstock", "penstock.trace.recorder"}
    assert not own - set(STARTED.split()), "importing takes longer: let these wait until they are asked for"
    assert not loaded - own - BORROWED, "importing takes longer: NumPy alone does without these"


def test_modules_that_one_plain_step_loads():
    program = """
import sys, penstock as ps
x = ps.Variable([1.0, 2.0])
with ps.GradientTape() as tape:
    loss = (x - 1.0) ** 2
ps.optimizers.SGD(0.1).apply_gradients([(tape.gradient(loss, x), x)])
x.numpy()
print(*(name for name in sys.modules if name.startswith("penstock.")))
"""
    done = in_a_fresh_process(program)
    assert done.returncode == 0, done.stderr
    rooms = {tuple(name.split(".")[1:]) for name in done.stdout.split()}
    assert ("optimizers", "descent") in rooms
    assert not {("layers",), ("capture",), ("tensorflow",), ("paddle",)} & rooms
    assert not {("flow", "graph"), ("flow", "answers"), ("flow", "report"), ("tiers", "xla")} & rooms
    assert not {("ops", name) for name in ("special", "incomplete", "distributions", "fft", "window")} & rooms


def test_importing_and_the_first_steps_leave_jax_alone():
    program = """
import sys, penstock as ps
assert "jax" not in sys.modules, "import"
x = ps.Variable([1.0, 2.0])
optimizer = ps.optimizers.Adam(0.1)
for _ in range(5):
    with ps.GradientTape() as tape:
        loss = ps.mean((x - 1.0) ** 2)
    optimizer.apply_gradients([(tape.gradient(loss, x), x)])
    float(loss)
ps.wait(x)
assert "jax" not in sys.modules, "steps"
"""
    done = in_a_fresh_process(program)
    assert done.returncode == 0, done.stderr


def test_the_numpy_engine_never_imports_jax():
    program = """
import sys, penstock as ps
x = ps.Variable([1.0, 2.0])
for _ in range(200):
    x.assign_add(x * 0.001)
x.numpy()
assert "jax" not in sys.modules
"""
    done = in_a_fresh_process(program, PENSTOCK_ENGINE="numpy")
    assert done.returncode == 0, done.stderr


@pytest.mark.xla
def test_the_environment_chooses_the_engine():
    program = "import penstock as ps; y = ps.asarray(1.0) + 1.0; y.numpy(); print(type(y._value).__name__)"
    assert in_a_fresh_process(program, PENSTOCK_ENGINE="numpy").stdout == "ndarray\n"
    assert in_a_fresh_process(program, PENSTOCK_ENGINE="auto").stdout == "ndarray\n"
    assert in_a_fresh_process(program, PENSTOCK_ENGINE="xla").stdout == "ArrayImpl\n"
    wrong = in_a_fresh_process(program, PENSTOCK_ENGINE="cuda")
    assert wrong.returncode == 1 and "PENSTOCK_ENGINE is 'cuda'" in wrong.stderr and "numpy" in wrong.stderr


@pytest.mark.xla
def test_jax_keeps_its_own_settings():
    program = """
import jax, jax.numpy as jnp, penstock as ps
before = jnp.asarray(1.5).dtype
x = ps.Variable(0.1, dtype="float64")
y = ps.asarray([2**40 + 1]) * 3
assert x.numpy() == 0.1 and (x * 3.0).numpy() == 0.1 * 3.0 and y.numpy()[0] == (2**40 + 1) * 3
assert jnp.asarray(1.5).dtype == before == jnp.float32
assert (jnp.arange(3) * 2).dtype == jnp.int32
assert not jax.config.jax_enable_x64
for step in range(30):
    x.assign(x * 1.0 + step * 0.1)
assert x.numpy().dtype == "float64"
assert abs(x.numpy() - (0.1 + sum(s * 0.1 for s in range(30)))) < 1e-13, x.numpy()
"""
    done = in_a_fresh_process(program, PENSTOCK_ENGINE="xla")
    assert done.returncode == 0, done.stderr


def test_building_looks_at_each_layer_a_few_times(monkeypatch):
    """At any depth: naming the whole model after each layer would take quadratic time."""
    looked = []
    parts = ps.layers.Layer._parts
    monkeypatch.setattr(
        ps.layers.Layer, "_parts", lambda self, seen: (looked.append(self), parts(self, seen))[1]
    )

    class Stack(ps.layers.Layer):
        def __init__(self, depth):
            super().__init__()
            self.parts = [ps.layers.Dense(2) for _ in range(depth)]

        def call(self, x):
            for one in self.parts:
                x = one(x)
            return x

    for depth in (8, 32):
        looked.clear()
        model = Stack(depth)
        model(ps.ones((1, 2)))
        assert len(looked) <= 4 * (depth + 1)
        paths = [one.path for one in model.variables]
        assert len(set(paths)) == 2 * depth and all(path.startswith(f"{model.path}/parts/") for path in paths)


@pytest.mark.skipif(not accelerated, reason="the plain Python of the hot path calls more functions")
def test_a_first_step_calls_few_functions():
    """Most of a short script's time is its first step, which is Python: rules, operands, specs, imports."""
    source = """
import sys, numpy as np, penstock as ps
rng = np.random.default_rng(0)
x, labels = ps.asarray(rng.standard_normal((8, 5)).astype(np.float32)), ps.asarray(rng.integers(0, 3, 8))
shapes = (5, 7), (7,), (7, 3), (3,)
w1, b1, w2, b2 = own = [ps.Variable(rng.standard_normal(one).astype(np.float32)) for one in shapes]
optimizer, calls = ps.optimizers.Adam(0.01), 0
def count(frame, event, argument):
    global calls
    calls += event in ("call", "c_call")
sys.setprofile(count)
with ps.GradientTape() as tape:
    loss = ps.mean(ps.losses.softmax_cross_entropy(ps.nn.relu(x @ w1 + b1) @ w2 + b2, labels))
optimizer.apply_gradients(zip(tape.gradient(loss, own), own))
ps.wait()
sys.setprofile(None)
print(calls)
"""
    done = in_a_fresh_process(source)
    assert done.returncode == 0, done.stderr
    # A quarter more when each operator looked for the user's line and inspect described each function.
    assert int(done.stdout) <= 21_500
