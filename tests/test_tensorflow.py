"""The TensorFlow dialect where recorded programs do not reach: aliases, state, errors, costs."""

import copy
import subprocess
import sys

import numpy as np
import pytest

import penstock as ps
from counting import launches, rules
from penstock import tensorflow as tf
from penstock.errors import PenstockError
from penstock.testing import use_engine

# -- names ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("module", "name", "words"),
    [
        (tf, "assign", "variable.assign(value)"),
        (tf, "reduce_men", "reduce_mean"),
        (tf, "log", "tf.math.log"),
        (tf.nn, "rleu", "relu"),
        (tf.math, "sqare", "square"),
        (tf.linalg, "matmull", "matmul"),
        (tf.random, "uniforn", "uniform"),
        (tf.keras, "optimizer", "optimizers"),
        (tf.keras.optimizers, "Adams", "Adam"),
        (tf.compat.v1, "asign", "assign"),
        (tf.dtypes, "float31", "float32"),
        (tf.errors, "InvalidArgument", "InvalidArgumentError"),
    ],
)
def test_a_name_that_is_not_there_names_its_neighbours(module, name, words):
    with pytest.raises(AttributeError) as caught:
        getattr(module, name)
    assert f"has no attribute {name!r}" in str(caught.value)
    assert "this name (yet)" in str(caught.value)
    assert words in str(caught.value)


@pytest.mark.parametrize(
    "module",
    [tf, tf.math, tf.nn, tf.linalg, tf.random, tf.errors, tf.dtypes, tf.keras, tf.keras.optimizers],
)
def test_names_that_a_module_lists_exist(module):
    assert len(set(module.__all__)) == len(module.__all__)
    for name in module.__all__:
        assert getattr(module, name) is None or getattr(module, name).__doc__


@pytest.mark.parametrize(
    "module",
    [tf.math, tf.nn, tf.linalg, tf.random, tf.errors, tf.dtypes, tf.keras, tf.keras.optimizers, tf.compat.v1],
)
def test_a_module_shows_no_other_names(module):
    shown = {name for name in vars(module) if not name.startswith("_")}
    assert shown - set(module.__all__) <= {"annotations", "Any", "ClassVar", "Iterable", "Sequence"}


def test_importing_the_dialect_does_not_load_jax():
    program = "import sys, penstock.tensorflow; sys.exit('jax' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


# -- the result of assign -------------------------------------------------------------------------------


def test_the_result_of_assign_is_the_variable_under_another_name(tier):
    v = tf.Variable([1.0, 2.0], name="v")
    alias = v.assign([3.0, 4.0])
    assert isinstance(alias, tf.Variable)
    assert alias.name == "UnreadVariable"
    v.assign_add([1.0, 1.0])
    assert alias.numpy().tolist() == [4.0, 5.0]
    assert (alias * 2.0 + alias).numpy().tolist() == [12.0, 15.0]
    assert tf.reduce_sum(alias).numpy() == 9.0
    assert (v @ tf.ones([2, 1]) if v.shape.rank == 2 else alias[1]).numpy() == 5.0
    alias.assign_sub([4.0, 4.0])
    assert v.numpy().tolist() == [0.0, 1.0]
    assert len(list(alias)) == 2


def test_gradients_reach_a_variable_through_the_result_of_assign(tier):
    v = tf.Variable(2.0)
    alias = v.assign(3.0)
    v.numpy()
    with tf.GradientTape() as tape:
        y = alias * alias + tf.square(alias)
    by_alias, by_name = tape.gradient(y, [alias, v])
    assert by_alias.numpy() == by_name.numpy() == 12.0
    tf.keras.optimizers.SGD(0.5).apply_gradients([(by_alias, alias)])
    assert v.numpy() == -3.0


def test_a_tape_watches_and_differentiates_the_result_of_assign(tier):
    v = tf.Variable(2.0, trainable=False)
    with tf.GradientTape() as tape:
        alias = v.assign(3.0)
        tape.watch(alias)
        y = v * v
    assert tape.gradient(y, v).numpy() == 6.0


def test_copies_are_apart():
    v = tf.Variable([1.0, 2.0], name="v", trainable=False)
    twin = copy.deepcopy({"weights": [v]})["weights"][0]
    v.assign([5.0, 6.0])
    assert twin.numpy().tolist() == [1.0, 2.0]
    assert (twin.name, twin.trainable) == ("v:0", False)
    t = tf.constant(1.0)
    assert copy.deepcopy(t) is t


# -- refusals leave everything as it was ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "words", "wrong"),
    [
        (ValueError, "Shape mismatch", lambda v: v.assign([1.0])),
        (tf.errors.InvalidArgumentError, "shapes must be equal", lambda v: v.assign_add(1.0)),
        (tf.errors.InvalidArgumentError, "shapes must be equal", lambda v: v.assign_sub([[1.0, 2.0]])),
        (ValueError, "requested dtype float32", lambda v: v.assign(tf.constant([1, 2]))),
        (TypeError, "Cannot convert 'x'", lambda v: v.assign("x")),
        (TypeError, "Cannot convert [1j, 0]", lambda v: v.assign_add([1j, 0])),
        (tf.errors.InvalidArgumentError, "Incompatible shapes", lambda v: v * [1.0, 2.0, 3.0]),
        (tf.errors.InvalidArgumentError, "cannot compute Mul", lambda v: v * tf.constant([1, 2])),
        (tf.errors.InvalidArgumentError, "Matrix size-incompatible", lambda v: tf.ones([2, 3]) @ [[1.0]]),
        (tf.errors.InvalidArgumentError, "has different ndims", lambda v: tf.ones([2, 2]) @ v),
        (TypeError, "item assignment", lambda v: v.__setitem__(0, 1.0)),
        (AttributeError, "no attribute 'assign'", lambda v: (v - 1.0).assign(1.0)),
        (RuntimeError, "`var *= value`", lambda v: v.__imul__(2.0)),
    ],
)
def test_a_refusal_has_tensorflows_type_and_changes_nothing(kind, words, wrong):
    v = tf.Variable([1.0, 2.0], name="v")
    before = v.version
    with pytest.raises(kind) as caught:
        wrong(v)
    assert words in str(caught.value)
    assert v.numpy().tolist() == [1.0, 2.0]
    assert v.version == before
    if kind is not AttributeError:
        assert isinstance(caught.value, PenstockError)
        assert caught.value.site.file == __file__


@pytest.mark.parametrize(
    "finish",
    [
        lambda v, y: y.numpy(),
        lambda v, y: print(y),
        lambda v, y: v.assign(tf.reduce_sum(y)).numpy(),
        lambda v, y: v.assign_add(tf.reduce_sum(y)) and v.numpy(),
    ],
)
def test_an_index_out_of_range_is_an_invalid_argument_wherever_it_is_found(tier, finish):
    v = tf.Variable(1.0)
    indices = tf.Variable([0, 5])
    y = tf.gather(tf.Variable([1.0, 2.0]), indices + 0)
    with pytest.raises(tf.errors.InvalidArgumentError, match="index 5"):
        finish(v, y)
    assert v.numpy() == 1.0
    assert v.assign_add(1.0).numpy() == 2.0


def test_an_index_out_of_range_stops_an_optimizer(tier):
    table = tf.Variable([[1.0], [2.0]])
    optimizer = tf.keras.optimizers.Adam(0.1)
    with pytest.raises(tf.errors.InvalidArgumentError):
        for ids in ([0], [1], [9], [0]):
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(tf.gather(table, tf.constant(ids)))
            optimizer.apply_gradients([(tape.gradient(loss, table), table)])
    assert np.all(np.isfinite(table.numpy()))


def test_tapes_refuse_with_tensorflows_types():
    v = tf.Variable(1.0)
    with tf.GradientTape() as tape:
        y = v * v
        with pytest.raises(ValueError, match="still recording"), tape:
            pass
    for use in (tape.reset, lambda: tape.watch(v), lambda: tape.stop_recording().__enter__()):
        with pytest.raises(ValueError, match="not recording"):
            use()
    tape.gradient(y, v)
    with pytest.raises(RuntimeError, match="non-persistent GradientTape") as caught:
        tape.gradient(y, v)
    assert isinstance(caught.value, ps.errors.TapeError)


# -- tensors and variables ----------------------------------------------------------------------------------


def test_masks_select_and_pass_gradients(tier):
    v = tf.Variable([1.0, -2.0, 3.0])
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(v[v > 0.0] * 2.0) + tf.reduce_sum(tf.boolean_mask(v, [True, True, False]))
    assert tape.gradient(y, v).numpy().tolist() == [3.0, 1.0, 2.0]
    with pytest.raises(ValueError, match="incompatible"):
        v[tf.constant([True, False])]


def test_parts_of_a_variable_can_be_assigned_inside_a_tape(tier):
    v = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    source = tf.Variable(5.0)
    with tf.GradientTape() as tape:
        v[0, 1].assign(source * 2.0)
        y = tf.reduce_sum(v * v)
    assert v.numpy().tolist() == [[1.0, 10.0], [3.0, 4.0]]
    by_v, by_source = tape.gradient(y, [v, source])
    assert by_v.numpy().tolist() == [[2.0, 20.0], [6.0, 8.0]]
    assert by_source is None


def test_a_part_of_a_tensor_cannot_be_assigned():
    with pytest.raises(AttributeError, match=r"tf\.Variable"):
        tf.constant([1.0, 2.0])[0].assign(1.0)


@pytest.mark.parametrize(
    ("write", "wanted"),
    [
        (lambda t: t.scatter_nd_add([[0, 1], [2, 0]], [10.0, 20.0]), [[1, 12], [3, 4], [25, 6]]),
        (lambda t: t.scatter_nd_sub([[1]], [[1.0, 1.0]]), [[1, 2], [2, 3], [5, 6]]),
        (
            lambda t: t.scatter_update(tf.IndexedSlices(tf.constant([[0.0, 0.0]]), tf.constant([2]))),
            [[1, 2], [3, 4], [0, 0]],
        ),
        (lambda t: t[1:].assign([[0.0, 0.0], [1.0, 1.0]]), [[1, 2], [0, 0], [1, 1]]),
        (lambda t: t[:, 0].assign(7.0), [[7, 2], [7, 4], [7, 6]]),
    ],
)
def test_writes_to_places(tier, write, wanted):
    table = tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    assert isinstance(write(table), tf.Variable)
    assert table.numpy().tolist() == wanted


def test_a_place_outside_is_refused():
    table = tf.Variable([[1.0, 2.0]])
    with pytest.raises(tf.errors.InvalidArgumentError, match="outside"):
        table.scatter_nd_update([[3]], [[0.0, 0.0]])
    assert table.numpy().tolist() == [[1.0, 2.0]]


def test_rows_print_negate_and_clip():
    table = tf.Variable([[1.0], [2.0]], name="table")
    with tf.GradientTape() as tape:
        loss = 3.0 * tf.reduce_sum(tf.gather(table, tf.constant([1])))
    slope = tape.gradient(loss, table)
    assert isinstance(slope, tf.IndexedSlices)
    assert (-slope).values.numpy().tolist() == [[-3.0]]
    assert tf.clip_by_norm(slope, 1.0).values.numpy().tolist() == [[1.0]]
    assert tf.clip_by_value(slope, 0.0, 2.0).values.numpy().tolist() == [[2.0]]
    (clipped,), norm = tf.clip_by_global_norm([slope], 1.5)
    assert (clipped.values.numpy().tolist(), norm.numpy()) == ([[1.5]], 3.0)
    assert str(slope).startswith("IndexedSlices(indices=tf.Tensor([1], shape=(1,), dtype=int32)")
    assert "IndexedSlices object" in repr(slope)
    assert tf.convert_to_tensor(slope).numpy().tolist() == [[0.0], [3.0]]


def test_native_functions_take_the_dialects_tensors_and_give_them_back():
    v = tf.Variable([1.0, 4.0])
    for result in (
        ps.sqrt(v),
        ps.sum(v + 1.0),
        ps.zeros_like(v),
        ps.nn.softmax(v),
        v + ps.asarray([1.0, 1.0]),
    ):
        assert np.all(np.isfinite(np.asarray(result)))
    assert isinstance(ps.sqrt(v), tf.Tensor)
    assert tf.sqrt(ps.asarray([4.0])).numpy().tolist() == [2.0]


@pytest.mark.parametrize("native_first", [True, False])
def test_native_and_tensorflow_variables_keep_their_rules_on_one_line(native_first):
    def half(x):
        return x * 0.5

    for native in (native_first, not native_first) * 2:
        v = ps.Variable(3, dtype="int32") if native else tf.Variable(3)
        if native:
            assert float(half(v)) == 1.5
        else:
            with pytest.raises(TypeError, match=r"Cannot convert 0\.5"):
                half(v)


def test_trainable_cannot_be_set_and_frozen_variables_are_not_watched():
    v = tf.Variable(1.0, trainable=False)
    with pytest.raises(AttributeError, match="has no setter"):
        v.trainable = True
    with tf.GradientTape() as tape:
        y = v * v
    assert tape.gradient(y, v) is None


def test_function_keeps_the_attributes_of_its_function():
    def double(x):
        return x * 2

    signed = tf.function(jit_compile=True, input_signature=[tf.TensorSpec([None], tf.float32)])(double)
    for made in (tf.function(double), tf.function(jit_compile=True)(double), signed):
        assert made.python_function is double
        assert made.__name__ == "double"
    assert repr(tf.TensorSpec([None, 3])) == "TensorSpec(shape=(None, 3), dtype=tf.float32, name=None)"


# -- random -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "draw",
    [
        lambda: tf.random.normal([1000], mean=2.0, stddev=0.5),
        lambda: tf.random.truncated_normal([1000], mean=2.0, stddev=0.5),
        lambda: tf.random.uniform([1000], 1.0, 3.0),
        lambda: tf.random.uniform([1000], 1, 4, dtype=tf.int32),
        lambda: tf.nn.dropout(tf.fill([1000], 2.0), rate=0.25),
    ],
)
def test_draws_have_their_mean_and_follow_the_seed(tier, draw):
    tf.random.set_seed(5)
    first, second = draw(), draw()
    assert isinstance(first, tf.Tensor)
    assert first.shape == [1000]
    assert abs(first.numpy().mean() - 2.0) < 0.1
    assert not np.array_equal(first, second)
    tf.random.set_seed(5)
    assert np.array_equal(draw(), first)


def test_gradients_reach_the_mean_and_the_spread(tier):
    mean, spread = tf.Variable(1.0), tf.Variable(2.0)
    with tf.GradientTape() as tape:
        drawn = tf.random.normal([4], mean=mean, stddev=spread)
        total = tf.reduce_sum(drawn)
    by_mean, by_spread = tape.gradient(total, [mean, spread])
    assert by_mean.numpy() == 4.0
    assert np.isclose(by_spread.numpy(), ((drawn.numpy() - 1.0) / 2.0).sum(), atol=1e-5)


# -- optimizers -------------------------------------------------------------------------------------------


def test_the_learning_rate_is_a_variable_once_asked_for(tier):
    v, optimizer = tf.Variable(8.0), tf.keras.optimizers.SGD(0.5)
    optimizer.apply_gradients([(tf.constant(1.0), v)])
    rate = optimizer.learning_rate
    assert rate is optimizer.learning_rate
    rate.assign(0.25)
    optimizer.apply_gradients([(tf.constant(1.0), v)])
    optimizer.learning_rate = 2.0
    assert float(rate) == 2.0
    optimizer.apply_gradients([(tf.constant(1.0), v)])
    assert v.numpy() == 5.25


@pytest.mark.parametrize("optimizer", [tf.keras.optimizers.SGD(0.5), tf.keras.optimizers.Adam(0.5)])
def test_iterations_count_every_update(tier, optimizer):
    optimizer = type(optimizer)(0.5)
    v = tf.Variable(0.0)
    for _ in range(3):
        optimizer.apply_gradients([(tf.constant(1.0), v)])
    iterations = optimizer.iterations
    assert int(iterations) == 3
    optimizer.apply_gradients([(tf.constant(1.0), v)])
    optimizer.apply([tf.constant(1.0)], [v])
    assert int(iterations) == 5
    assert (iterations.dtype, iterations.trainable) == ("int64", False)


def test_state_has_keras_names():
    tf.keras.backend.clear_session()
    v = tf.Variable([0.0], name="layer/kernel")
    adam = tf.keras.optimizers.Adam(0.5)
    adam.apply_gradients([(tf.constant([1.0]), v)])
    assert [one.path for one in adam.variables] == [
        "adam/iteration",
        "adam/learning_rate",
        "adam/layer_kernel_0_momentum",
        "adam/layer_kernel_0_velocity",
    ]
    assert (
        repr(adam.learning_rate) == "<Variable path=adam/learning_rate, shape=(), dtype=float32, value=0.5>"
    )
    assert tf.keras.optimizers.Adam().name == "adam_1"


def test_hyper_parameters_can_be_set(tier):
    v = tf.Variable(0.0)
    optimizer = tf.keras.optimizers.SGD(0.5, momentum=0.5)
    for momentum in (0.5, 0.0, 1.0):
        optimizer.momentum = momentum
        optimizer.apply_gradients([(tf.constant(1.0), v)])
    assert v.numpy() == -0.5 - 0.5 - 1.0


def test_a_schedule_of_ones_own_is_followed(tier):
    class Halving(tf.keras.optimizers.schedules.LearningRateSchedule):
        def __call__(self, step):
            return 1.0 * 0.5 ** tf.cast(step, tf.float32)

    v = tf.Variable(0.0)
    optimizer = tf.keras.optimizers.SGD(Halving())
    for _ in range(3):
        optimizer.apply_gradients([(tf.constant(-1.0), v)])
    assert v.numpy() == 1.75
    assert float(optimizer.learning_rate) == 0.125
    with pytest.raises(TypeError, match="not settable"):
        optimizer.learning_rate = 0.1


def test_a_constraint_holds_after_an_update(tier):
    v = tf.Variable(1.0, constraint=lambda value: tf.clip_by_value(value, 0.0, 1.0))
    optimizer = tf.keras.optimizers.SGD(1.0)
    optimizer.apply_gradients([(tf.constant(5.0), v)])
    assert v.numpy() == 0.0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"learning_rate": 1}, "should be float"),
        ({"rate": 0.1}, "not recognized"),
        ({"momentum": 2.0}, "between"),
        ({"clipnorm": 1.0, "clipvalue": 1.0}, "Only one of"),
        ({"gradient_accumulation_steps": 1}, ">= 2"),
        ({"use_ema": True, "ema_momentum": 2.0}, "ema_momentum"),
    ],
)
def test_arguments_that_are_refused(arguments, words):
    with pytest.raises(ValueError, match=words):
        tf.keras.optimizers.SGD(**arguments)


def test_a_refused_update_moves_no_variable(tier):
    first, second = tf.Variable(1.0, name="first"), tf.Variable([1.0, 2.0], name="second")
    adam = tf.keras.optimizers.Adam(0.5)
    with pytest.raises(tf.errors.InvalidArgumentError, match="'second'"):
        adam.apply_gradients([(tf.constant(1.0), first), (tf.constant([1.0]), second)])
    assert (first.numpy(), second.numpy().tolist(), int(adam.iterations)) == (1.0, [1.0, 2.0], 0)


def test_the_error_and_the_warning_give_the_reason():
    stopped, read = tf.Variable(1.0, name="stopped"), tf.Variable(1.0, name="read")
    optimizer = tf.keras.optimizers.SGD(0.5)
    with tf.GradientTape(persistent=True) as tape:
        y = tf.stop_gradient(stopped) * 2.0
        z = y * read
    with pytest.raises(ValueError, match="No gradients provided") as caught:
        optimizer.apply_gradients([(tape.gradient(y, stopped), stopped)])
    assert "'stopped'" in str(caught.value)
    assert "stop_gradient" in str(caught.value)
    # tf.train's optimizers find the reason in the same place, and say which variables they were given.
    older = tf.compat.v1.train.AdamOptimizer(0.5)
    for apply in (
        lambda: older.apply_gradients([(None, stopped)]),
        lambda: older.minimize(lambda: tf.stop_gradient(stopped) * 2.0, var_list=[stopped]),
    ):
        with pytest.raises(ValueError, match=r"No gradients provided.*tf.Variable 'stopped:0'") as caught:
            apply()
        assert "'stopped': " in caught.value.origin
    slopes = tape.gradient(z, [stopped, read])
    with pytest.warns(UserWarning, match=r"Gradients do not exist for variables \['stopped:0'\]") as warned:
        tf.keras.optimizers.SGD(0.5).apply_gradients(zip(slopes, [stopped, read]))
    assert "stop_gradient" in str(warned[0].message)
    assert warned[0].filename == __file__


# -- costs --------------------------------------------------------------------------------------------------


def loop(turns):
    x, y = tf.Variable(0.0), tf.Variable(1.0, trainable=False)
    optimizer = tf.keras.optimizers.SGD(0.1)
    for i in range(turns):
        optimizer.learning_rate = 0.1 / (1 + i % 5)
        with tf.GradientTape() as tape:
            loss = (x - 2) ** 2 + tf.square(y - 3.0)
        slopes = tape.gradient(loss, [x])
        optimizer.apply_gradients(zip(slopes, [x]))
        y.assign_add(0.25 * tf.ones([]))
    return x.numpy()


def test_a_turn_of_the_loop_is_one_launch_and_records_nothing_new():
    with use_engine("xla"):
        loop(10)
        before = launches()
        with rules() as called:
            loop(20)
    assert launches() - before <= 21
    assert not called


def test_what_an_optimizer_by_hand_cannot_do_is_refused():
    class Asking(tf.keras.optimizers.Adam):
        def update_step(self, gradient, variable, learning_rate):
            super().update_step(gradient, variable, learning_rate)

    class Decaying(tf.keras.optimizers.SGD):
        def _apply_weight_decay(self, variables):
            pass

    with pytest.raises(ValueError, match="Decaying writes _apply_weight_decay"):
        Decaying(0.1)
    x = tf.Variable(1.0)
    for optimizer in (Asking(0.1), tf.keras.optimizers.Optimizer(0.1)):
        with pytest.raises(NotImplementedError, match="the base has no update_step"):
            optimizer.apply_gradients([(tf.constant(1.0), x)])
    assert float(x) == 1.0
