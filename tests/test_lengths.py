"""Unknown lengths: shape rules treat them as they treat numbers, for all feeds."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import penstock as ps
from penstock import tensorflow as tf
from penstock.errors import CaptureError, PenstockError
from penstock.functions.scratch import inferred
from penstock.tensorflow.compat import v1
from penstock.trace import lengths
from penstock.trace.lengths import Length, LengthError, explore, unknown, value
from penstock.trace.spec import spec
from penstock.trace.tensor import Tensor

SIZES = (0, 1, 2, 5, 12, 64)
K = tf.keras.layers


def name_of(length):
    """The one name that a length is."""
    (name,) = lengths.names_in(length)
    return name


# -- arithmetic --------------------------------------------------------------------------------------------


@st.composite
def expressions(draw, depth=3):
    """A function of two lengths, as a function and as text."""
    kind = draw(st.sampled_from("nmk+-*/%<>" if depth else "nmk"))
    if kind in "nm":
        return (lambda n, m: n) if kind == "n" else (lambda n, m: m)
    if kind == "k":
        number = draw(st.integers(-3, 9))
        return lambda n, m: number
    a, b = draw(expressions(depth - 1)), draw(expressions(depth - 1))
    divisor = draw(st.integers(1, 7))
    return {
        "+": lambda n, m: a(n, m) + b(n, m),
        "-": lambda n, m: a(n, m) - b(n, m),
        "*": lambda n, m: a(n, m) * b(n, m),
        "/": lambda n, m: a(n, m) // divisor,
        "%": lambda n, m: a(n, m) % divisor,
        "<": lambda n, m: lengths.minimum(a(n, m), b(n, m)),
        ">": lambda n, m: lengths.maximum(a(n, m), b(n, m)),
    }[kind]


@settings(max_examples=200, deadline=None)
@given(expressions(), st.integers(0, 40), st.integers(0, 40))
def test_an_expression_has_the_value_of_its_numbers(expression, first, second):
    n, m = unknown("n"), unknown("m")
    found = value(expression(n, m), {name_of(n): first, name_of(m): second})
    assert found == expression(first, second)


@settings(max_examples=200, deadline=None)
@given(expressions(), expressions())
def test_a_comparison_is_decided_only_where_every_number_agrees(left, right):
    n, m = unknown("n"), unknown("m")
    numbers = list(itertools.product(range(0, 30, 3), range(0, 30, 4)))
    questions = (
        lambda a, b: a == b,
        lambda a, b: a <= b,
        lambda a, b: a < b,
    )
    for question in questions:
        answers = {question(left(a, b), right(a, b)) for a, b in numbers}
        try:
            decided = question(left(n, m), right(n, m))
        except LengthError:
            continue
        assert answers == {decided}


def test_lengths_written_alike_are_equal_and_hash_alike():
    n = unknown("n")
    assert (n + n) // 2 == n
    assert hash(2 * n - n) == hash(n)
    assert {n * 3 + 1: "found"}[n + 2 * n + 1] == "found"
    assert (n * 32) // 32 is not None and (n * 32) % 32 == 0
    assert n != n + 1
    assert n // 2 <= n
    assert lengths.maximum(n, 0) == n


def test_functions_that_need_the_number_say_so():
    n = unknown("batch")
    for ask in (int, float, range, lambda one: one > 3, bool):
        with pytest.raises(LengthError, match="batch"):
            ask(n)


def test_an_answer_is_supposed_and_kept():
    n = unknown("n")

    def rule():
        if n % 32:
            raise ValueError("not a multiple")
        assert n % 32 == 0
        return n // 32

    assert explore(rule, lambda found, reduce: reduce(found)) == n // 32

    def equal():
        if n != 5:
            raise ValueError("five")
        return n

    assert explore(equal, lambda found, reduce: reduce(found)) == 5


def test_a_rule_that_no_answer_helps_raises_its_first_error():
    n = unknown("n")

    def rule():
        raise ValueError("for a long axis" if n > 10 else "for a short one")

    with pytest.raises(ValueError, match="for a long axis"):
        explore(rule, lambda found, reduce: found)


def test_a_loop_over_a_length_ends():
    n = unknown("n")

    def rule():
        i = 0
        while i < n:
            i += 1
        return i

    with pytest.raises(CaptureError):
        explore(rule, lambda found, reduce: found)


# -- rules -------------------------------------------------------------------------------------------------

FUNCTIONS = {
    "add": (lambda x, y: x + y, ("n", 3), ("m", 3)),
    "add one": (lambda x, y: x + y, ("n", 3), (1, 3)),
    "add five": (lambda x, y: x + y, ("n", 3), (5, 3)),
    "matmul": (lambda x, y: x @ y, ("n", "m"), ("k", 2)),
    "reshape": (lambda x: ps.reshape(x, (-1, 32)), ("n",)),
    "reshape beside": (lambda x: ps.reshape(x, (x.shape[0], -1)), ("n", 3, "m")),
    "stack": (lambda x, y: ps.stack([x, y]), ("n", 3), ("m", 3)),
    "concat": (lambda x, y: ps.concat([x, y], axis=1), ("n", "k"), ("m", 3)),
    "tile": (lambda x: ps.tile(x, (2, 3)), ("n", 3)),
    "pad": (lambda x: ps.nn.pad(x, ((1, 2), (0, 0))), ("n", 3)),
    "pad edge": (lambda x: ps.nn.pad(x, ((1, 2), (0, 0)), "edge"), ("n", 3)),
    "pad reflect": (lambda x: ps.nn.pad(x, ((1, 2), (0, 0)), "reflect"), ("n", 3)),
    "one entry": (lambda x: x[40], ("n", 3)),
    "last": (lambda x: x[:, -1], ("n", "m")),
    "part": (lambda x: x[2:5], ("n",)),
    "end": (lambda x: x[-3:], ("n",)),
    "inside": (lambda x: x[1:-1], ("n",)),
    "every other": (lambda x: x[::2], ("n",)),
    "backwards": (lambda x: x[7:1:-2], ("n",)),
    "half": (lambda x: x[: x.shape[0] // 2], ("n",)),
    "mean": (lambda x: ps.mean(x, axis=0), ("n", "m")),
    "var": (lambda x: ps.var(x, axis=0, correction=1), ("n", "m")),
    "max": (lambda x: ps.max(x, axis=0), ("n", 3)),
    "softmax": (ps.nn.softmax, ("n", "m")),
    "einsum": (lambda x, y: ps.einsum("bij,kjl->bil", x, y), ("n", 3, "m"), ("k", "j", 2)),
    "roll": (lambda x: ps.roll(x, 1, axis=0), ("n", 3)),
    "repeat": (lambda x: ps.repeat(x, 3, axis=0), ("n", 3)),
    "squeeze": (lambda x: ps.squeeze(x, axis=0), ("n", 3)),
    "squeeze all": (ps.squeeze, ("n", 3)),
    "diff": (lambda x: ps.diff(x, axis=0), ("n", 3)),
    "meshgrid": (lambda x, y: ps.meshgrid(x, y), ("n",), ("m",)),
    "conv": (lambda x, k: ps.nn.conv(x, k), ("n", "m", 3), (5, 3, 4)),
    "conv same": (lambda x, k: ps.nn.conv(x, k, 2, "same"), ("n", "m", 3), (5, 3, 4)),
    "conv wide": (lambda x, k: ps.nn.conv(x, k, 1, "same", dilation_rate=2), ("n", "m", 3), (3, 3, 4)),
    "conv back": (lambda x, k: ps.nn.conv_transpose(x, k, 2, "same"), ("n", "m", 3), (3, 4, 3)),
    "max pool": (lambda x: ps.nn.max_pool(x, 3), ("n", "m", 3)),
    "mean pool": (lambda x: ps.nn.average_pool(x, 3, 2, "same"), ("n", "m", 3)),
    "resize": (lambda x: ps.nn.resize(x, (x.shape[1] * 2,), "linear"), ("n", "m", 3)),
    "attention": (lambda q, k: ps.nn.attention(q, k, k, causal=True), ("n", "m", 4), ("n", "k", 4)),
    "eye": (lambda x: ps.eye(x.shape[0]), ("n",)),
    "arange": (lambda x: ps.arange(2, x.shape[0], 3), ("n",)),
    "inverse": (ps.linalg.inv, ("n", "m", "m")),
    "diagonal": (ps.linalg.diagonal, ("n", "m")),
    "mean by hand": (lambda x: ps.sum(x, axis=0) / x.shape[0], ("n", 3)),
}


def agrees(function, *shapes):
    """Checks that a function gives the same shapes for named lengths as for numbers; returns the shapes."""
    named = {}
    specs = [
        spec(tuple(named.setdefault(n, unknown(n)) if isinstance(n, str) else n for n in shape), np.float32)
        for shape in shapes
    ]

    def on_numbers(numbers):
        made = [tuple(numbers.get(n, n) for n in shape) for shape in shapes]
        found = function(*(ps.ones(shape) for shape in made))
        return [one.shape for one in ([found] if isinstance(found, Tensor) else list(found))]

    wanted = []
    for sizes in itertools.islice(itertools.product(SIZES, repeat=len(named)), 200):
        numbers = dict(zip(named, sizes, strict=True))
        try:
            wanted.append((numbers, on_numbers(numbers)))
        except PenstockError:
            continue
    if not wanted:
        with pytest.raises(PenstockError):
            inferred(lambda operands: function(*operands), specs, [None] * len(specs))
        return None
    found = inferred(lambda operands: function(*operands), specs, [None] * len(specs))[1]
    for numbers, shapes_there in wanted:
        env = {name_of(named[name]): number for name, number in numbers.items()}
        assert len(found) == len(shapes_there)
        for (_, own, _), shape in zip(found, shapes_there, strict=True):
            if own is None:
                continue
            there = [value(n, env) for n in own.shape]
            known = [a if isinstance(b, Length) else b for a, b in zip(shape, there, strict=True)]
            assert tuple(known) == shape, (numbers, own)
    return [own for _, own, _ in found]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_rule_treats_names_like_numbers(name):
    function, *shapes = FUNCTIONS[name]
    assert agrees(function, *shapes) is not None


STEPS = (
    lambda x, y, k: x + y,
    lambda x, y, k: x[:k],
    lambda x, y, k: x[k:],
    lambda x, y, k: x[-k:] if k else x,
    lambda x, y, k: x[:: max(k, 1)],
    lambda x, y, k: ps.concat([x, y], axis=0),
    lambda x, y, k: ps.reshape(x, (-1, max(k, 1))),
    lambda x, y, k: ps.reshape(x, (-1,)),
    lambda x, y, k: ps.tile(x, (k + 1,)),
    lambda x, y, k: ps.stack([x, x]),
    lambda x, y, k: ps.sum(x, axis=0),
    lambda x, y, k: ps.expand_dims(x, axis=0),
    lambda x, y, k: ps.flip(x),
    lambda x, y, k: ps.repeat(x, k + 1, axis=0),
    lambda x, y, k: x * ps.mean(y),
    lambda x, y, k: ps.roll(x, k, axis=0),
)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(STEPS), st.integers(0, 6), st.booleans()), min_size=1, max_size=5))
def test_a_random_program_gives_the_same_shapes(steps):
    def program(x, y):
        for step, number, turned in steps:
            x, y = (step(y, x, number), x) if turned else (step(x, y, number), y)
        return x

    agrees(program, ("n",), ("m",))


# -- TensorFlow 1 ------------------------------------------------------------------------------------------


def fed(build, *data):
    """The static shape of a function's result for placeholders, and the shapes of its results for data."""
    with v1.Graph().as_default(), v1.Session() as session:
        result = build()
        result, placeholders = result[0], result[1:]
        found = []
        for one in data:
            feeds = dict(zip(placeholders, one, strict=True))
            found.append(session.run(result, feeds).shape)
        return result.shape.as_list(), found


@pytest.mark.parametrize("width", [11, 32, 64])
def test_a_placeholder_of_unknown_length_takes_any_shape_that_fits(width):
    def build():
        x = v1.placeholder(tf.float32, [None])
        return tf.reshape(x, [-1, width]), x

    sizes = [np.zeros(n * width) for n in (0, 1, 3)]
    assert fed(build, *zip(sizes)) == ([None, width], [(0, width), (1, width), (3, width)])


def test_split_takes_lengths_that_divide():
    def build():
        x = v1.placeholder(tf.float32, [None, 4])
        return tf.split(x, 11)[2], x

    assert fed(build, [np.zeros((22, 4))], [np.zeros((0, 4))]) == ([None, 4], [(2, 4), (0, 4)])


def test_an_entry_far_behind_is_there_when_it_is_fed():
    def build():
        x = v1.placeholder(tf.float32, [None])
        return x[6000], x

    assert fed(build, [np.zeros(6001)]) == ([], [()])


def test_a_slice_of_an_unknown_axis_is_of_unknown_length():
    def build():
        x = v1.placeholder(tf.float32, [None])
        return x[:10000], x

    assert fed(build, [np.zeros(3)]) == ([None], [(3,)])


def test_unknown_lengths_broadcast_like_numbers():
    def build():
        x, y = v1.placeholder(tf.float32, [None, 3]), v1.placeholder(tf.float32, [None, 3])
        return x + y, x, y

    data = [(np.zeros((a, 3)), np.zeros((b, 3))) for a, b in ((2, 1), (1, 4), (3, 3), (0, 1))]
    assert fed(build, *data) == ([None, 3], [(2, 3), (4, 3), (3, 3), (0, 3)])


def test_gradients_have_the_shapes_of_the_fed_data():
    with v1.Graph().as_default(), v1.Session() as session:
        x, y = v1.placeholder(tf.float32, [None, 4]), v1.placeholder(tf.float32, [None, 1])
        w = v1.get_variable("w", [4, 1])
        loss = tf.reduce_mean(tf.square(tf.matmul(x, w) - y))
        asked = v1.gradients(loss, [w, x, y])
        assert [one.shape.as_list() for one in asked] == [[4, 1], [None, 4], [None, 1]]
        session.run(v1.global_variables_initializer())
        for n in (0, 1, 7):
            found = session.run(asked, {x: np.ones((n, 4)), y: np.ones((n, 1))})
            assert [one.shape for one in found] == [(4, 1), (n, 4), (n, 1)]


def test_a_gradient_goes_through_loops_over_an_unknown_axis():
    with v1.Graph().as_default(), v1.Session() as session:
        x, wall = v1.placeholder(tf.float32, [None, 3]), v1.placeholder(tf.float32, [None, 3])
        y = tf.math.cumprod(x) + tf.stop_gradient(wall)
        found, none = v1.gradients(y, [x, wall])
        assert none is None
        assert session.run(found, {x: np.full((2, 3), 2.0), wall: np.ones((2, 3))}).tolist() == [
            [3.0] * 3,
            [2.0] * 3,
        ]


def test_a_gradient_goes_through_many_windows_of_unknown_axes():
    with v1.Graph().as_default(), v1.Session() as session:
        x = h = v1.placeholder(tf.float32, [None, None, None, 2])
        for place in range(8):
            step = 1 + place % 2
            h = tf.nn.conv2d(h, tf.ones([3, 3, 2, 2]), [1, step, step, 1], "VALID" if place % 3 else "SAME")
            h = tf.nn.max_pool(h, [1, 2, 2, 1], [1, 1, 1, 1], "SAME")
        wall = v1.placeholder(tf.float32, [])
        found, none = v1.gradients(tf.reduce_mean(h) * tf.stop_gradient(wall), [x, wall])
        assert none is None
        assert found.shape.as_list() == [None, None, None, 2]
        assert session.run(found, {x: np.ones((1, 90, 80, 2)), wall: 1.0}).shape == (1, 90, 80, 2)


def test_a_wrong_feed_is_refused_with_its_name_and_shape():
    with v1.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder(tf.float32, [None], name="tokens")
        y = tf.reshape(x, [-1, 32])
        with pytest.raises(PenstockError) as refused:
            session.run(y, {x: np.zeros(33)})
        for part in ("multiple of 32", '"tokens:0"', "(33,)", "test_lengths.py"):
            assert part in str(refused.value)
        assert session.run(y, {x: np.zeros(64)}).shape == (2, 32)


def test_a_mistake_shows_while_the_graph_is_built_without_a_made_up_number():
    with v1.Graph().as_default():
        x = v1.placeholder(tf.float32, [None, 3], name="x")
        with pytest.raises(PenstockError) as refused:
            tf.matmul(x, tf.ones([4, 5]))
        assert "are 3 and 4" in str(refused.value)
        assert "[?,3], [4,5]" in str(refused.value)


def test_unstack_of_an_unknown_axis_asks_how_many():
    with v1.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder(tf.float32, [None, 3])
        with pytest.raises(ValueError, match=r"Cannot infer argument `num` from shape \(None, 3\)"):
            tf.unstack(x)
        assert session.run(tf.unstack(x, num=2)[1], {x: np.ones((2, 3))}).tolist() == [1.0, 1.0, 1.0]


def test_lengths_as_tensors_decide_shapes():
    with v1.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder(tf.float32, [None, None, 3])
        count = v1.placeholder(tf.int32, [])
        made = [
            tf.reshape(tf.reshape(x, [-1, 3]), [tf.shape(x)[0], -1, 3]),
            tf.zeros([tf.shape(x)[0] * 2, count]),
            x[:, : tf.shape(x)[1] // 2],
            tf.range(tf.size(x)),
            tf.one_hot([0, 1], tf.shape(x)[1]),
        ]
        assert [one.shape.as_list() for one in made] == [
            [None, None, 3],
            [None, None],
            [None, None, 3],
            [None],
            [2, None],
        ]
        found = session.run(made, {x: np.zeros((2, 5, 3)), count: 4})
        assert [one.shape for one in found] == [(2, 5, 3), (4, 4), (2, 2, 3), (30,), (2, 5)]


# -- Keras -------------------------------------------------------------------------------------------------


def ends(shape, *layers, dtype="float32"):
    """The static shape that layers come to, and a model of them."""
    x = h = tf.keras.Input(shape, dtype=dtype)
    for layer in layers:
        h = layer(h)
    return h.shape, tf.keras.Model(x, h)


def test_a_text_model_takes_texts_of_any_length():
    shape, model = ends(
        (None,), K.Embedding(50, 8), K.Conv1D(16, 5), K.GlobalMaxPooling1D(), K.Dense(1), dtype="int32"
    )
    assert shape == (None, 1)
    for batch, steps in ((2, 5), (1, 40), (3, 9)):
        assert tuple(model(tf.zeros((batch, steps), tf.int32)).shape) == (batch, 1)


@pytest.mark.parametrize(
    ("shape", "layers", "static", "given", "wanted"),
    [
        ((None, 8), lambda: [K.Conv1D(4, 64)], (None, None, 4), (2, 100, 8), (2, 37, 4)),
        ((None, 8), lambda: [K.MaxPooling1D(16), K.Conv1D(4, 16)], (None, None, 4), (2, 400, 8), (2, 10, 4)),
        ((None,), lambda: [K.Reshape((-1, 32))], (None, None, 32), (2, 64), (2, 2, 32)),
        ((None, 4), lambda: [K.Cropping1D(300)], (None, None, 4), (2, 700, 4), (2, 100, 4)),
        ((None, 4), lambda: [K.Lambda(lambda x: x[:, 200])], (None, 4), (1, 700, 4), (1, 4)),
        ((6,), lambda: [K.Lambda(lambda x: tf.reshape(x, [-1, 3]))], (None, 3), (4, 6), (8, 3)),
        ((None, None, 3), lambda: [K.Conv2DTranspose(4, 3, 2, "same")], (None, None, None, 4), (1, 3, 5, 3),
         (1, 6, 10, 4)),
        ((None, None, 3), lambda: [K.UpSampling2D(3)], (None, None, None, 3), (1, 3, 5, 3), (1, 9, 15, 3)),
        ((None, 3), lambda: [K.LSTM(4, return_sequences=True)], (None, None, 4), (2, 5, 3), (2, 5, 4)),
        ((None, 3), lambda: [K.Bidirectional(K.GRU(4))], (None, 8), (2, 5, 3), (2, 8)),
        ((None, 3), lambda: [K.TimeDistributed(K.Dense(2))], (None, None, 2), (2, 5, 3), (2, 5, 2)),
        ((None, None, 3), lambda: [K.Conv2D(4, 7, strides=2) for _ in range(3)]
         + [K.GlobalAveragePooling2D()], (None, 4), (1, 90, 70, 3), (1, 4)),
    ],
)  # fmt: skip
def test_layers_take_axes_of_unknown_length(shape, layers, static, given, wanted):
    found, model = ends(shape, *layers())
    assert found == static
    assert tuple(model(tf.zeros(given)).shape) == wanted


def test_a_layer_of_ones_own_computes_with_lengths():
    class Folded(K.Layer):
        def __init__(self):
            super().__init__()
            self.inner = K.Dense(4)

        def call(self, x):
            batch, steps = tf.shape(x)[0], x.shape[1]
            flat = self.inner(tf.reshape(x, [batch * steps, x.shape[2]]))
            return tf.reshape(flat, [batch, steps, 4])

    shape, model = ends((None, 3), Folded())
    assert shape == (None, None, 4)
    for batch, steps in ((2, 5), (1, 1), (0, 2), (3, 0)):
        assert tuple(model(tf.zeros((batch, steps, 3))).shape) == (batch, steps, 4)


def test_a_variable_whose_shape_is_not_known_is_refused_and_not_made_up():
    for shape, layer in (((None,), K.Dense(4)), ((8, 8, None), K.Conv2D(4, 3)), ((None, 3), K.PReLU())):
        x = tf.keras.Input(shape)
        with pytest.raises(PenstockError, match="None"):
            layer(x)
        assert layer.weights == []


def test_a_mistake_beside_an_unknown_axis_names_it():
    with pytest.raises(PenstockError) as refused:
        K.Concatenate()([tf.keras.Input((4, 3)), tf.keras.Input((5, 3))])
    assert "(batch, 4, 3)" in str(refused.value)


def test_shapes_are_found_without_a_change():
    layer = K.BatchNormalization()
    layer(tf.keras.Input((3,)), training=True)
    assert layer.moving_variance.numpy().tolist() == [1.0, 1.0, 1.0]
    tf.random.set_seed(3)
    first = tf.random.normal([2]).numpy()
    tf.random.set_seed(3)
    K.Dropout(0.5)(tf.keras.Input((3,)))
    assert tf.random.normal([2]).numpy().tolist() == first.tolist()


def test_a_native_row_of_layers_is_built_for_an_unknown_length():
    row = ps.layers.Sequential([ps.layers.Conv1D(4, 5), ps.layers.GlobalMaxPooling1D(), ps.layers.Dense(2)])
    row.build((None, None, 3))
    assert [tuple(one.shape) for one in row.variables] == [(5, 3, 4), (4,), (4, 2), (2,)]
    assert row(ps.zeros((2, 9, 3))).shape == (2, 2)
