"""Recurrent layers as loops of the program: their cost, and that they equal the loop written by hand."""

import functools

import numpy as np
import pytest

import penstock as ps
from counting import count_compilations
from penstock.testing import check_grads, use_engine
from penstock.tiers.program import programs

LAYERS = {
    "simple": lambda **options: ps.layers.SimpleRNN(3, dtype="float64", **options),
    "gru": lambda **options: ps.layers.GRU(3, dtype="float64", **options),
    "gru before": lambda **options: ps.layers.GRU(3, reset_after=False, dtype="float64", **options),
    "lstm": lambda **options: ps.layers.LSTM(3, dtype="float64", **options),
}


def sequence(batch=2, steps=5, width=4, seed=0):
    return ps.asarray(np.random.default_rng(seed).normal(size=(batch, steps, width)))


def step_by_step(layer, x, mask=None):
    """Calls a layer on one step after the other and carries its state."""
    order = range(x.shape[1])
    state = [ps.zeros((x.shape[0], 3), dtype="float64")] * layer.state_count
    results = [None] * x.shape[1]
    for t in reversed(order) if layer.go_backwards else order:
        _, *after = layer(x[:, t : t + 1], initial_state=state)
        if mask is not None:
            after = [ps.where(mask[:, t : t + 1], new, old) for new, old in zip(after, state, strict=True)]
        state, results[t] = after, after[0]
    return [ps.stack(results[:: -1 if layer.go_backwards else 1], axis=1), *state]


@pytest.mark.parametrize("backwards", [False, True])
@pytest.mark.parametrize("name", LAYERS)
def test_a_loop_is_its_steps(name, backwards):
    layer = LAYERS[name](return_sequences=True, return_state=True, go_backwards=backwards)
    single = LAYERS[name](return_state=True, go_backwards=backwards)
    x = sequence()
    whole = layer(x)
    single.build(x.shape)
    for mine, own in zip(single.weights, layer.weights, strict=True):
        mine.assign(own)
    mask = ps.asarray([[True] * 5, [True, True, False, True, False]])
    for given in (None, mask):
        with ps.GradientTape() as tape:
            whole = layer(x, mask=given)
            loss = sum(ps.sum(ps.sin(one)) for one in whole)
        with ps.GradientTape() as other:
            steps = step_by_step(single, x, given)
            same = sum(ps.sum(ps.sin(one)) for one in steps)
        for a, b in zip(whole, steps, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-14)
        pairs = zip(
            tape.gradient(loss, layer.trainable_weights),
            other.gradient(same, single.trainable_weights),
            strict=True,
        )
        for a, b in pairs:
            np.testing.assert_allclose(a, b, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("engine", ["numpy", "xla"])
@pytest.mark.parametrize("name", LAYERS)
def test_derivatives(name, engine):
    layer = LAYERS[name]()
    layer(sequence(1, 3))
    with use_engine(engine):
        check_grads(layer, sequence(1, 3), order=2)


def operations(steps):
    """Returns how many operations the largest program of a training step holds, in loops too."""
    layer, x = ps.layers.LSTM(8), ps.ones((2, steps, 4))
    layer(x)
    before = set(map(id, programs.values()))
    with ps.GradientTape() as tape:
        loss = ps.sum(layer(x))
    [one.numpy() for one in tape.gradient(loss, layer.trainable_weights)]
    return max(one.operations for one in programs.values() if id(one) not in before)


def test_a_long_sequence_is_no_larger_program():
    assert operations(1000) == operations(10)


def held(program):
    """Yields a program and those inside."""
    yield program
    for step in program.steps:
        for body in step.bodies:
            yield from held(body.program)


def test_the_way_back_multiplies_once_a_turn_and_once_for_the_weights():
    """A turn forward has one product and a turn back another; both gradients of weights are one each."""
    layer, x = ps.layers.LSTM(64), ps.ones((2, 7, 4))
    layer(x)
    before = set(map(id, programs.values()))
    with ps.GradientTape() as tape:
        loss = ps.sum(layer(x))
    found = tape.gradient(loss, layer.trainable_weights)
    [one.numpy() for one in found]
    largest = max((one for one in programs.values() if id(one) not in before), key=lambda one: one.operations)
    outside, *turns = [[step.primitive.name for step in one.steps].count("matmul") for one in held(largest)]
    assert outside == 3, "the input's product, and the gradients of both matrices"
    assert turns == [1, 1]
    # What costs a series is read back, not computed again.
    forward, back = list(held(largest))[1:]
    assert {"sigmoid", "tanh"} <= {step.primitive.name for step in forward.steps}
    assert not {"sigmoid", "tanh"} & {step.primitive.name for step in back.steps}


def test_a_small_weight_is_summed_on_the_way():
    """Where factors take more room than their product, turns add up the product."""
    layer, x = ps.layers.SimpleRNN(2), ps.ones((50, 7, 2))
    layer(x)
    before = set(map(id, programs.values()))
    with ps.GradientTape() as tape:
        loss = ps.sum(layer(x))
    [one.numpy() for one in tape.gradient(loss, layer.trainable_weights)]
    largest = max((one for one in programs.values() if id(one) not in before), key=lambda one: one.operations)
    back = list(held(largest))[-1]
    assert [step.primitive.name for step in back.steps].count("matmul") == 2


def test_lengths_compile_once_each():
    layer = ps.layers.GRU(4, dtype="float64")
    layer(sequence()).numpy()

    def step(x):
        with ps.GradientTape() as tape:
            loss = ps.sum(layer(x))
        return [one.numpy() for one in tape.gradient(loss, layer.trainable_weights)]

    sequences = [sequence(steps=3), sequence(steps=6)]
    before = count_compilations()
    with use_engine("xla"):
        for _ in range(3):
            for x in sequences:
                step(x)
    assert count_compilations() - before == 2


# -- slices of one tensor, taken by the program's own loop -------------------------------------------------


def written_out(steps):
    """Returns the steps of the program of a gradient through a loop over `x[:, t]`, by name."""
    w, x = ps.Variable(ps.ones((4, 4))), ps.Variable(ps.ones((2, steps, 4)))
    before = set(map(id, programs.values()))
    with ps.GradientTape() as tape:
        h = ps.zeros((2, 4))
        for t in range(steps):
            h = ps.tanh(h @ w + x[:, t])
        loss = ps.sum(h)
    [one.numpy() for one in tape.gradient(loss, [w, x])]
    largest = max((one for one in programs.values() if id(one) not in before), key=lambda one: one.operations)
    return [step.primitive.name for step in largest.steps]


def test_the_gradient_of_many_slices_is_one_concatenation():
    names = written_out(12)
    assert names.count("unslice") == 0 and names.count("concat") == 1
    # In proportion to the number of turns: no turn pads an array of all turns.
    assert len(written_out(24)) - len(names) == 2 * (len(written_out(18)) - len(names))


SLICES = {
    "side by side": lambda x: [x[:, 0:2], x[:, 2:5], x[:, 5:6]],
    "with gaps": lambda x: [x[:, 4:6], x[:, 1:2]],
    "overlapping": lambda x: [x[:, t : t + 3] for t in range(4)],
    "the same twice": lambda x: [x[:, 1:3], x[:, 1:3], x[:, 3]],
    "patches": lambda x: [x[i : i + 2, j : j + 3] for i in (0, 2) for j in (0, 3)],
    "patches and rows": lambda x: [x[0], x[1:3, 2], x[:, 5], x[2:, 3:]],
    "every other": lambda x: [x[::2], x[1::2, 1::3], x[:, ::-1]],
    "and the whole": lambda x: [x[:, :3], x, x[:, 3:], x * 2.0],
    "empty": lambda x: [x[:, 2:2], x[1:, :0], x[0, 1:4]],
    "one element": lambda x: [x[2, 3], x[2, 4], x[0, 0]],
}


@pytest.mark.parametrize("engine", ["numpy", "xla"])
@pytest.mark.parametrize("name", SLICES)
def test_gradients_of_slices(name, engine):
    taken = SLICES[name]

    def f(x):
        return [ps.sin(one) * (i + 1.0) for i, one in enumerate(taken(x))]

    with use_engine(engine):
        check_grads(f, np.random.default_rng(0).normal(size=(4, 6)), order=2)


# -- layers that keep their state --------------------------------------------------------------------------


@pytest.mark.parametrize("name", LAYERS)
def test_a_stateful_layer_goes_on_where_it_ended(name):
    layer = LAYERS[name](stateful=True, return_sequences=True)
    x = sequence(steps=6)
    parts = [layer(part) for part in (x[:, :2], x[:, 2:5], x[:, 5:])]
    layer.reset_state()
    whole = layer(x)
    np.testing.assert_allclose(ps.concat(parts, axis=1), whole, rtol=1e-12, atol=1e-14)
    assert [one.trainable for one in layer.kept_states] == [False] * layer.state_count


def test_no_gradient_passes_from_call_to_call():
    layer = ps.layers.GRU(3, stateful=True)
    x = ps.Variable(ps.ones((2, 2, 4)))
    with ps.GradientTape() as tape:
        layer(x)
        loss = ps.sum(layer(ps.ones((2, 2, 4))))
    assert tape.gradient(loss, x) is None


def test_a_captured_step_carries_the_state():
    layer = ps.layers.SimpleRNN(3, stateful=True, dtype="float64")
    x = sequence(steps=6)
    plain = [layer(x[:, t : t + 2]).numpy() for t in (0, 2, 4)]
    layer.reset_state()

    @ps.step
    def step(part):
        return layer(part)

    for t, want in zip((0, 2, 4), plain, strict=True):
        np.testing.assert_allclose(step(x[:, t : t + 2]), want, rtol=1e-12)


def test_errors_of_a_stateful_layer():
    layer = ps.layers.LSTM(3, stateful=True, name="ear")
    layer(ps.ones((2, 2, 4)))
    with pytest.raises(ps.errors.ShapeError, match=r"keeps the state of 2 sequences, but was given 3"):
        layer(ps.ones((3, 2, 4)))
    with pytest.raises(ps.errors.ArgumentError, match=r"has no state(?s:.*)stateful=True"):
        ps.layers.LSTM(3).reset_state()


# -- dropping elements of the state ------------------------------------------------------------------------


def sigmoid(x):
    return 1.0 / (1.0 + np.exp(-x))


def by_hand(name, x, kernel, recurrent, bias, states, kept):
    """The last state; `kept` [gates, batch, units] multiplies h before each gate's product."""
    gates, size = len(kept), recurrent.shape[0]
    matrices = [recurrent[:, i * size : (i + 1) * size] for i in range(gates)]
    first, second = bias if bias.ndim == 2 else (bias, np.zeros_like(bias))
    h, c = states[0], states[-1]
    for t in range(x.shape[1]):
        given = np.split(x[:, t] @ kernel + first, gates, axis=1)
        carried = [h * mask @ m for mask, m in zip(kept, matrices, strict=True)]
        others = [one + two for one, two in zip(carried, np.split(second, gates), strict=True)]
        sums = [one + two for one, two in zip(given, others, strict=True)]
        if name == "simple":
            h = np.tanh(sums[0])
        elif name == "lstm":
            i, f, o = sigmoid(sums[0]), sigmoid(sums[1]), sigmoid(sums[3])
            c = f * c + i * np.tanh(sums[2])
            h = o * np.tanh(c)
        else:
            z, r = sigmoid(sums[0]), sigmoid(sums[1])
            inner = r * others[2] if name == "gru" else (r * h * kept[2]) @ matrices[2]
            h = z * h + (1.0 - z) * np.tanh(given[2] + inner)
    return h


@pytest.mark.parametrize("name", LAYERS)
def test_each_gate_has_its_own_mask_for_all_steps(name, monkeypatch):
    """The draws are taken from the layer and given to the same steps written out."""
    drawn = []
    rng = np.random.default_rng(1)
    layer = LAYERS[name](recurrent_dropout=0.5, seed=3)
    x = sequence(batch=3)
    layer(x)
    for one in layer.weights:
        one.assign(rng.normal(size=one.shape) * 0.5)
    own = type(layer)._dropped

    def noted(self, *arguments):
        drawn.append(own(self, *arguments))
        return drawn[-1]

    monkeypatch.setattr(type(layer), "_dropped", noted)
    states = [ps.asarray(rng.normal(size=(3, 3))) for _ in range(layer.state_count)]
    found = layer(x, initial_state=states, training=True)
    (kept,) = [one.numpy() for one in drawn]
    assert kept.shape == (layer.gates, 3, 3) and set(kept.ravel()) == {0.0, 2.0}
    arrays = [one.numpy() for one in layer.weights]
    wanted = by_hand(name, x.numpy(), *arrays, [one.numpy() for one in states], kept)
    np.testing.assert_allclose(found.numpy(), wanted, rtol=1e-12)
    calm = layer(x, initial_state=states)
    wanted = by_hand(name, x.numpy(), *arrays, [one.numpy() for one in states], np.ones_like(kept))
    np.testing.assert_allclose(calm.numpy(), wanted, rtol=1e-12)


@pytest.mark.parametrize("name", LAYERS)
def test_derivatives_where_the_state_is_dropped(name):
    rng, layer = np.random.default_rng(2), LAYERS[name]()
    layer(sequence(2, 3))
    mask = np.array([[1, 1, 0], [1, 1, 1]], bool)
    kept = 2.0 * rng.integers(0, 2, (layer.gates, 2, 3))
    states = [rng.normal(size=(2, 3)) for _ in range(layer.state_count)]
    words = ("tanh", "sigmoid", False, layer.reset_after)

    def last(x, *weights):
        return type(layer).masked_dropped(x, *weights, *states, kept, mask, words)[1]

    x = sequence(2, 3)
    check_grads(last, x, *(one.value() for one in layer.weights))

    def gradients():
        with ps.GradientTape() as tape:
            loss = ps.sum(ps.square(last(x, *layer.weights)))
        return [one.numpy() for one in tape.gradient(loss, layer.weights)]

    expected = gradients()
    with use_engine("xla"):
        for one, other in zip(gradients(), expected, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-10, atol=1e-13)


def test_what_is_dropped_is_the_same_at_every_step_and_at_none_when_not_training():
    """The state passes on unchanged: its elements are doubled at each step, or are 0 from the first."""
    layer = ps.layers.SimpleRNN(
        32, "linear", use_bias=False, kernel_initializer="zeros", recurrent_initializer="identity",
        recurrent_dropout=0.5, return_sequences=True,
    )  # fmt: skip
    x, ones = ps.zeros((4, 3, 2)), ps.ones((4, 32))
    found = layer(x, initial_state=ones, training=True).numpy()
    gone = found[:, 0] == 0.0
    np.testing.assert_array_equal(found, np.where(gone[:, None], 0.0, [[[2.0], [4.0], [8.0]]]))
    assert 0.3 < gone.mean() < 0.7 and (gone != gone[0]).any()
    assert (layer(x, initial_state=ones).numpy() == 1.0).all()
    again = layer(x, initial_state=ones, training=True).numpy()
    assert (again != found).any(), "each call draws anew"


def steps_of(function):
    """The loops of a program, and how many operations it has."""
    before = set(map(id, programs.values()))
    function()
    made = [one for one in programs.values() if id(one) not in before]
    largest = max(made, key=lambda one: one.operations)
    return sum(step.primitive.name == "scan" for step in largest.steps), largest.operations


def test_a_sequence_with_cells_is_one_loop_for_each_direction():
    """Of Keras' RNN, and of TensorFlow 1's dynamic_rnn; its size does not depend on the number of steps."""
    import penstock.tensorflow as tf

    v1 = tf.compat.v1

    def keras(steps):
        layer = tf.keras.layers.RNN([tf.keras.layers.LSTMCell(3), tf.keras.layers.GRUCell(2)])
        x = tf.ones([2, steps, 4])
        layer(x)
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(layer(x))
        print(tape.gradient(loss, layer.trainable_variables)[0].numpy().sum())

    def graph(steps):
        with tf.Graph().as_default():
            cell = v1.nn.rnn_cell.MultiRNNCell([v1.nn.rnn_cell.BasicLSTMCell(3), v1.nn.rnn_cell.GRUCell(2)])
            outputs, _ = v1.nn.dynamic_rnn(cell, tf.ones([2, steps, 4]), [2, 3], dtype=tf.float32)
            gradients = v1.gradients(v1.reduce_sum(outputs), v1.trainable_variables())
            with v1.Session() as session:
                session.run(v1.global_variables_initializer())
                session.run(gradients)

    for run in (keras, graph):
        few, many = (steps_of(functools.partial(run, steps)) for steps in (4, 9))
        assert few[0] == many[0] == 2
        assert few[1] == many[1]


def wrapped_cells():
    """Cells of TensorFlow 1 around others, and one that the program itself has written."""
    import penstock.tensorflow as tf

    v1 = tf.compat.v1
    cells = v1.nn.rnn_cell

    class Own(cells.RNNCell):
        output_size = state_size = property(lambda self: 4)

        def call(self, inputs, state):
            kernel = v1.get_variable("kernel", [8, 4], initializer=v1.glorot_uniform_initializer(seed=2))
            state = tf.tanh(tf.matmul(tf.concat([inputs, state], 1), kernel))
            return state, state

    return {
        "dropped": lambda: cells.DropoutWrapper(cells.BasicLSTMCell(4), 0.5, 0.6, 0.7, seed=3),
        "dropped alike": lambda: cells.DropoutWrapper(Own(), 0.5, 0.6, 0.7, True, 4, tf.float32, seed=3),
        "added": lambda: cells.ResidualWrapper(Own(), lambda inputs, outputs: inputs + 2.0 * outputs),
        "above one another": lambda: cells.MultiRNNCell(
            [
                cells.DropoutWrapper(cells.GRUCell(4), 0.5),
                cells.ResidualWrapper(cells.DeviceWrapper(Own(), "/cpu:0")),
            ]
        ),
        "own": Own,
    }


@pytest.mark.parametrize("lengths", [None, [2, 3]])
@pytest.mark.parametrize("name", wrapped_cells())
def test_a_graph_has_one_loop_for_any_cell(name, lengths):
    import penstock.tensorflow as tf

    v1, make = tf.compat.v1, wrapped_cells()[name]

    def run(steps):
        with tf.Graph().as_default():
            outputs, _ = v1.nn.dynamic_rnn(make(), tf.ones([2, steps, 4]), lengths, dtype=tf.float32)
            gradients = v1.gradients(v1.reduce_sum(outputs), v1.trainable_variables())
            with v1.Session() as session:
                session.run(v1.global_variables_initializer())
                session.run(gradients)

    few, many = (steps_of(lambda steps=steps: run(steps)) for steps in (7, 50))
    assert few[0] == many[0] == 2, "one forwards, one backwards"
    assert few[1] == many[1]


@pytest.mark.parametrize("lengths", [None, [2, 4]])
@pytest.mark.parametrize("name", ["dropped alike", "added", "own"])
def test_a_loop_of_cells_has_the_values_and_gradients_of_its_steps(name, lengths):
    import penstock.tensorflow as tf

    v1, make = tf.compat.v1, wrapped_cells()[name]
    values = np.random.default_rng(0).normal(size=(2, 5, 4)).astype(np.float32)

    def results(looped):
        with tf.Graph().as_default():
            cell, x = make(), tf.constant(values)
            if looped:
                outputs, state = v1.nn.dynamic_rnn(cell, x, lengths, dtype=tf.float32)
            else:
                rows, state = v1.nn.static_rnn(cell, tf.unstack(x, 5, 1), None, tf.float32, lengths)
                outputs = tf.stack(rows, 1)
            loss = v1.reduce_sum(outputs**2) + v1.reduce_sum(state)
            gradients = v1.gradients(loss, [*v1.trainable_variables(), x])
            with v1.Session() as session:
                session.run(v1.global_variables_initializer())
                return session.run([outputs, state, *gradients])

    for one, other in zip(results(True), results(False), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("engine", ["numpy", pytest.param("xla", marks=pytest.mark.xla)])
def test_each_turn_and_each_run_drops_the_next_numbers_of_a_seed(engine):
    """The numbers of a loop are those that as many draws outside of it give, whichever run replays it."""
    import penstock.tensorflow as tf

    v1 = tf.compat.v1
    cells = v1.nn.rnn_cell

    class Passing(cells.RNNCell):
        output_size = state_size = property(lambda self: 8)

        def call(self, inputs, state):
            return inputs, state

    with tf.Graph().as_default(), v1.Session() as session, use_engine(engine):
        cell = cells.DropoutWrapper(Passing(), input_keep_prob=0.5, seed=3)
        looped, _ = v1.nn.dynamic_rnn(cell, tf.ones([2, 5, 8]), dtype=tf.float32)
        single, _ = cell(tf.ones([2, 8]), cell.zero_state(2, tf.float32))
        found = np.concatenate([session.run(looped).transpose(1, 0, 2) for _ in range(4)])
        expected = np.stack([session.run(single) for _ in range(20)])
    np.testing.assert_array_equal(found, expected)
    assert len({one.tobytes() for one in found}) == 20
