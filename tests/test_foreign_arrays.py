"""Arrays of any origin: they come in as native numbers at every entrance, or are refused there by name."""

import array
import pickle
from collections.abc import Sequence

import numpy as np
import pytest

import penstock as ps
import penstock.paddle as paddle
import penstock.tensorflow as tf
from penstock.errors import DTypeError, PenstockError
from penstock.trace.spec import spec

PASSES = 20
"""More than the passes after which a program is compiled."""


def assigned(make, write):
    target = make()
    write(target)
    return target


def grown(x):
    """The gradient of a program that this array is data of."""
    weight = ps.Variable(np.ones(x.shape, np.float32))
    with ps.GradientTape() as tape:
        loss = ps.sum(weight * x)
    return tape.gradient(loss, weight)


@ps.custom_gradient
def doubled(x):
    return x * 2.0, lambda upstream: doubled.slope


def custom(x):
    doubled.slope = x
    with ps.GradientTape() as tape:
        source = ps.ones(x.shape)
        tape.watch(source)
        y = doubled(source)
    return tape.gradient(y, source)


def fed(x):
    with tf.Graph().as_default():
        placeholder = tf.compat.v1.placeholder(tf.float32, x.shape)
        doubled = placeholder * 2.0
        with tf.compat.v1.Session() as session:
            return session.run(doubled, {placeholder: x})


def in_a_graph(x):
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        return session.run(tf.constant(x) * 2.0)


def layer_weights(x):
    layer = ps.layers.Dense(1, use_bias=False)
    layer(np.ones((1, len(x)), np.float32))
    layer.set_weights([np.expand_dims(x, 1)])
    return layer.kernel


def paddle_state(x):
    layer = paddle.nn.Linear(len(x), 1, bias_attr=False)
    layer.set_state_dict({"weight": np.expand_dims(x, 1)})
    return layer.weight


class Numbered(paddle.io.Dataset):
    def __init__(self, x):
        self.x = x

    def __len__(self):
        return 1

    def __getitem__(self, i):
        return (self.x,)


step = ps.step(lambda x: ps.sum(x * 2.0))
ENTRANCES = {
    "asarray": ps.asarray,
    "from_dlpack": ps.from_dlpack,
    "a variable": lambda x: ps.Variable(x),
    "assign": lambda x: assigned(lambda: ps.Variable(np.zeros(x.shape, np.float32)), lambda v: v.assign(x)),
    "assign_add": lambda x: assigned(
        lambda: ps.Variable(np.zeros(x.shape, np.float32)), lambda v: v.assign_add(x)
    ),
    "an operand": lambda x: ps.ones(x.shape) * x,
    "a function": lambda x: ps.concat([x, x]),
    "a list": lambda x: ps.asarray([x, x]),
    "a program": grown,
    "a captured step": step,
    "grad": lambda x: ps.grad(lambda y: ps.sum(y * y))(x),
    "vjp": lambda x: ps.vjp(lambda y: y * y, x)[1](x),
    "jvp": lambda x: ps.jvp(lambda y: y * y, x, x)[1],
    "vmap": lambda x: ps.vmap(lambda y: y * 2.0)(x),
    "scan": lambda x: ps.scan(lambda total, one: (total + one, total), x[0], x)[1],
    "cond": lambda x: ps.cond(ps.asarray(True), lambda: ps.asarray(x), lambda: ps.ones(x.shape)),
    "a gradient of one's own": custom,
    "a layer": lambda x: ps.layers.ReLU()(x),
    "weights of a layer": layer_weights,
    "tf.constant": tf.constant,
    "tf.constant with a shape": lambda x: tf.constant(x, shape=(len(x), 1)),
    "tf.Variable": tf.Variable,
    "tf.function": lambda x: tf.function(lambda y: y * 2.0)(x),
    "tf.data": lambda x: next(iter(tf.data.Dataset.from_tensor_slices(x).batch(2))),
    "tf.numpy_function": lambda x: tf.numpy_function(lambda: x, [], tf.float32),
    "a feed": fed,
    "a constant of a graph": in_a_graph,
    "paddle.to_tensor": paddle.to_tensor,
    "paddle.assign": paddle.assign,
    "paddle set_value": lambda x: assigned(
        lambda: paddle.zeros(x.shape, x.dtype.newbyteorder("=")), lambda v: v.set_value(x)
    ),
    "a state of Paddle": paddle_state,
    "paddle.io": lambda x: next(iter(paddle.io.DataLoader(Numbered(x), batch_size=1)))[0],
}


def looked_at(value):
    return np.asarray(value.numpy() if hasattr(value, "numpy") else value)


@pytest.mark.parametrize("entrance", ENTRANCES)
def test_bytes_in_the_other_order_come_in_turned(tier, entrance):
    """As files of IDX, FITS and HDF5 have them; in as many passes as it takes to be compiled."""
    native = np.asarray([1.0, 2.0, 3.0], np.float32)
    turned = native.astype(native.dtype.newbyteorder())
    assert not turned.dtype.isnative
    for _ in range(PASSES):
        found = looked_at(ENTRANCES[entrance](turned))
        assert found.dtype.isnative
    expected = looked_at(ENTRANCES[entrance](native))
    assert found.dtype == expected.dtype and found.tolist() == expected.tolist()


@pytest.mark.parametrize("entrance", [one for one in ENTRANCES if one != "tf.function"])
def test_masks_are_dropped_nowhere(entrance):
    """Except by a tf.function, which hands NumPy's arrays to the function as they are."""
    masked = np.ma.array([1.0, 2.0, 3.0], mask=[0, 1, 0], dtype=np.float32)
    with pytest.raises(PenstockError, match=r"(?i)masked"):
        ENTRANCES[entrance](masked)


@pytest.mark.parametrize("dtype", ["int16", "uint32", "int64", "float16", "float64", "complex64"])
def test_every_dtype_is_turned(tier, dtype):
    native = np.asarray([[1, 2], [3, 4]], dtype)
    found = ps.asarray(native.astype(native.dtype.newbyteorder()))
    assert found.dtype == native.dtype and found.dtype.isnative
    assert found.numpy().tolist() == native.tolist()


def test_a_dtype_in_the_other_order_is_read_as_its_native_one():
    wanted = np.dtype("float32").newbyteorder()
    made = [ps.zeros((2,), dtype=wanted), ps.asarray([1.0], dtype=wanted), ps.ones((2,)).astype(wanted)]
    assert all(one.dtype == np.float32 for one in [*made, ps.Variable([1.0], dtype=wanted)])


def test_a_loop_trains_on_turned_bytes_as_on_others(tier):
    native = np.asarray([1.0, -2.0], np.float32)
    weights = []
    for data in (native, native.astype(native.dtype.newbyteorder())):
        weight = ps.Variable([1.0, 1.0])
        for _ in range(PASSES):
            with ps.GradientTape() as tape:
                loss = ps.sum((weight * ps.asarray(data) - 1.0) ** 2)
            weight.assign_sub(tape.gradient(loss, weight) * 0.1)
        weights.append(weight.numpy().tolist())
    assert weights[0] == weights[1]


WRONG = {
    "records": (np.zeros(3, [("a", "f4"), ("b", "i4")]), r"array\['a'\](.|\n)*structured_to_unstructured"),
    "a record array": (np.zeros(3, [("a", "f4")]).view(np.recarray), r"array\['a'\]"),
    "bytes": (np.array([b"ab"], "V2"), "view"),
    "long double": (np.ones(3, np.longdouble), r"astype\('float64'\)"),
    "complex long double": (np.ones(3, np.clongdouble), r"astype\('complex128'\)"),
    "dates": (np.array(["2020-01-01"], "M8[D]"), "array - array"),
    "times": (np.array([1], "m8[s]"), "timedelta64"),
    "objects": (np.array([1, None], object), "Fill in missing values"),
    "arrays": (np.array([np.ones(2), np.zeros(2), None], object)[:2], r"numpy\.stack"),
    "ragged": (np.array([np.ones(2), np.zeros(3)], object), "different lengths"),
    "words": (np.array(["a", "b"]), "return_inverse"),
    "words as bytes": (np.array([b"a"]), "return_inverse"),
    "variable words": (np.array(["a"], np.dtypes.StringDType()), "return_inverse"),
    "masks": (np.ma.array([1.0, 2.0, 3.0], mask=[0, 1, 0]), r"1 of 3 elements(.|\n)*filled\(0.0\)"),
    "what is masked": (np.ma.masked, r"filled\(0.0\)"),
    "lists of masks": ([np.ma.array([1.0, 2.0], mask=[0, 1])] * 2, r"1 of 2 elements(.|\n)*filled"),
    "nested masks": ([[1.0, 2.0], np.ma.array([1.0, 2.0], mask=[0, 1])], r"1 of 2 elements"),
}
DOORS = {
    "asarray": ps.asarray,
    "Variable": ps.Variable,
    "operand": lambda x: ps.ones((1,)) * x,
    "function": ps.sum,
    "assign": lambda x: ps.Variable(np.zeros(3, np.float32)).assign(x),
    "step": ps.step(lambda x: ps.sum(ps.asarray(x))),
    "tensorflow": tf.constant,
    "paddle": paddle.to_tensor,
}


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("kind", WRONG)
def test_data_that_no_tensor_holds_is_refused_with_a_way_to_convert_it(kind, door):
    value, words = WRONG[kind]
    if door == "tensorflow" and kind in ("words", "words as bytes"):
        pytest.skip("TensorFlow has tensors of words")
    if "long double" in kind and np.dtype(np.longdouble) == np.float64:
        pytest.skip("long double is float64 here")
    with pytest.raises(DTypeError, match=words) as caught:
        DOORS[door](value)
    assert caught.value.site.file == __file__


def test_a_dtype_that_is_asked_for_says_which_numbers():
    for kind in ("long double", "words"):
        value = WRONG[kind][0] if kind == "long double" else np.array(["1.5", "2"])
        assert ps.asarray(value, dtype="float32").dtype == np.float32
    assert ps.Variable(np.array([1, 2.5], object), dtype="float64").numpy().tolist() == [1.0, 2.5]
    with pytest.raises(DTypeError, match="not all of it converts to float32"):
        ps.Variable(np.array(["a"]), dtype="float32")
    with pytest.raises(DTypeError, match="records"):
        ps.Variable(WRONG["records"][0], dtype="float32")
    with pytest.raises(DTypeError, match="masked"):
        ps.Variable(WRONG["masks"][0], dtype="float32")


def test_a_masked_array_of_which_nothing_is_masked_is_an_array():
    whole = np.ma.array([1.0, 2.0], mask=[False, False])
    assert (
        ps.asarray(whole).numpy().tolist() == ps.asarray(np.ma.array([1.0, 2.0])).numpy().tolist() == [1, 2]
    )


def test_no_spec_has_a_dtype_that_no_tensor_has():
    """Whatever door is forgotten, the value does not become a tensor."""
    for dtype in (np.dtype("float32").newbyteorder(), np.dtype("O"), np.dtype("V3"), np.dtype("M8[s]")):
        with pytest.raises(DTypeError, match="A tensor cannot have dtype"):
            spec((2,), dtype)
    assert spec((2,), ps.bfloat16).dtype == ps.bfloat16


class Series:
    """An array of another library that reports its dtype."""

    def __init__(self, values):
        self.values = np.asarray(values)
        self.dtype = self.values.dtype

    def __array__(self, dtype=None, copy=None):
        return self.values if dtype is None else self.values.astype(dtype)


class Bare:
    """One that does not: its fractions are Python's."""

    def __array__(self, dtype=None, copy=None):
        return np.asarray([1.0, 2.0])


class Exported:
    """One that can be read through DLPack only."""

    def __init__(self, values):
        self.values = np.asarray(values)

    def __dlpack__(self, **options):
        return self.values.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.values.__dlpack_device__()


whole = np.arange(6.0, dtype=np.float32).reshape(2, 3)
FOREIGN = {
    "transposed": (whole.T, "float32"),
    "every second, backwards": (whole[:, ::-2], "float32"),
    "in the order of Fortran": (np.asfortranarray(whole), "float32"),
    "read-only": (np.frombuffer(whole.tobytes(), np.float32), "float32"),
    "without strides": (np.broadcast_to(np.float32(2), (2, 2)), "float32"),
    "overlapping": (np.lib.stride_tricks.sliding_window_view(whole[0], 2), "float32"),
    "no axis": (np.array(1.5), "float64"),
    "no element": (np.empty((0, 3), np.float32), "float32"),
    "a scalar": (np.float64(1.5), "float64"),
    "a matrix": (np.array([[1.0, 2.0]]).view(np.matrix), "float64"),
    "memory of bytes": (memoryview(b"ab"), "uint8"),
    "memory of floats": (memoryview(array.array("f", [1.0, 2.0])), "float32"),
    "Python's array": (array.array("i", [1, 2]), "int32"),
    "a series": (Series([1.0, 2.0]), "float64"),
    "a series in the other order": (Series(whole[0].astype(whole.dtype.newbyteorder())), "float32"),
    "a bare array": (Bare(), "float32"),
    "DLPack": (Exported(whole), "float32"),
}


@pytest.mark.parametrize("kind", FOREIGN)
def test_arrays_of_every_library_become_separate_tensors(kind):
    value, dtype = FOREIGN[kind]
    expected = np.asarray(value.values if isinstance(value, Exported) else value)
    tensor = ps.asarray(value)
    assert tensor.dtype == dtype and tensor.shape == expected.shape and type(tensor) is ps.Tensor
    assert tensor.numpy().tolist() == expected.tolist()
    variable = ps.Variable(tensor)
    variable.assign_add(variable * 1)
    assert variable.numpy().tolist() == (2 * expected).tolist()


def test_a_memory_map_is_read_once(tmp_path):
    mapped = np.memmap(tmp_path / "numbers", np.float32, "w+", shape=(3,))
    tensor = ps.asarray(mapped)
    mapped[:] = 7.0
    assert tensor.numpy().tolist() == [0.0, 0.0, 0.0]


def test_an_error_inside_a_foreign_array_passes_through():
    class Broken:
        def __array__(self, dtype=None, copy=None):
            raise RuntimeError("the device is gone")

    with pytest.raises(RuntimeError, match="the device is gone"):
        ps.asarray(Broken())


def test_a_tensor_pickled_on_another_machine_is_native_here():
    x = ps.asarray(whole[0].astype(whole.dtype.newbyteorder()))
    assert pickle.loads(pickle.dumps(x)).dtype.isnative


# -- arrays that speak a protocol, and whose dtypes are their own ------------------------------------------


class Odd:
    """An array whose dtype is not NumPy's, as PyTorch's are."""

    dtype = "odd.float32"

    def __init__(self, values, **more):
        self.values, self.shape = np.asarray(values), np.asarray(values).shape
        self.__dict__.update(more)

    def __array__(self, dtype=None, copy=None):
        if getattr(self, "requires_grad", False):
            raise RuntimeError("Can't call numpy() on a tensor that requires grad.")
        return self.values if dtype is None else self.values.astype(dtype)

    def detach(self):
        return Odd(self.values)


class Column:
    """A column of a data set: a sequence, and no array."""

    def __init__(self, values):
        self.values = values

    def __getitem__(self, key):
        return self.values[key]

    def __len__(self):
        return len(self.values)


class OnDevice(Exported):
    """Memory that the processor does not read, of a library that copies it for others, or does not."""

    def __init__(self, values, copies=True):
        super().__init__(values)
        self.copies, self.shape = copies, np.asarray(values).shape

    def __dlpack_device__(self):
        return 2, 0

    def __array__(self, dtype=None, copy=None):
        raise TypeError("Implicit conversion to a NumPy array is not allowed.")

    def __dlpack__(self, *, dl_device=None, copy=None, **options):
        if not self.copies or dl_device is None:
            raise BufferError("it lies on the device")
        return self.values.__dlpack__(**options)


Sequence.register(Column)
PROTOCOLS = {
    "an odd dtype": Odd,
    "DLPack": Exported,
    "a device": OnDevice,
    "a column": lambda one: Column(one.tolist()),
}
ROOMS = np.arange(6, dtype=np.float32).reshape(2, 3)
CALLS = {
    "a layer": lambda make: ps.layers.Dense(2, kernel_initializer="ones")(make(ROOMS)),
    "layers": lambda make: ps.layers.Add()([make(ROOMS), make(ROOMS)]),
    "ids": lambda make: ps.layers.Embedding(6, 2, embeddings_initializer="ones")(make(IDS)),
    "a recurrent layer": lambda make: ps.layers.LSTM(2, "linear")(make(ROOMS[None])),
    "a function": lambda make: ps.exp(make(ROOMS)),
    "arithmetic": lambda make: ps.ones((2, 3)) * make(ROOMS) + 1.0,
    "a loss": lambda make: ps.losses.softmax_cross_entropy(ps.ones((2, 3)), make(IDS[0, :2])),
    "an index": lambda make: ps.asarray(ROOMS)[make(IDS[0, :2])],
    "take": lambda make: ps.take(ps.asarray(ROOMS), make(IDS[0, :2]), axis=0),
    "a variable": lambda make: ps.Variable(make(ROOMS)).value(),
    "an assignment": lambda make: ps.Variable(np.zeros((2, 3), np.float32)).assign(make(ROOMS)).value(),
    "a step": lambda make: ps.step(lambda batch: ps.sum(batch["x"]))({"x": make(ROOMS)}),
    "vmap": lambda make: ps.vmap(lambda x: ps.sum(x))(make(ROOMS)),
    "a gradient": lambda make: ps.grad(lambda x: ps.sum(x * x))(make(ROOMS)),
    "asarray": lambda make: ps.asarray(make(ROOMS)),
}  # fmt: skip
IDS = np.asarray([[1, 0, 1]])


@pytest.mark.parametrize("tier", ["numpy"], indirect=True)
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_an_array_of_any_library_goes_in_everywhere(tier, protocol):
    for name, call in CALLS.items():
        if protocol == "a column" and name not in ("a layer", "layers", "ids", "a recurrent layer"):
            continue
        ps.random.seed(0)
        expected = call(np.asarray)
        ps.random.seed(0)
        found = call(PROTOCOLS[protocol])
        assert found.dtype == expected.dtype and np.array_equal(found.numpy(), expected.numpy()), name


def test_memory_of_an_unsupported_device_is_refused_by_name():
    with pytest.raises(DTypeError, match=r"OnDevice of \w+ of shape \(2, 3\)(.|\n)*x.get\(\)"):
        ps.layers.Dense(2)(OnDevice(ROOMS, copies=False))


def test_a_gradient_that_ends_is_reported_on_the_users_line():
    value = Odd(ROOMS, requires_grad=True, name="context")
    with pytest.warns(UserWarning, match=r"a Odd of \w+ of shape \(2, 3\) 'context' ends") as told:
        found = ps.layers.Dense(2, kernel_initializer="ones")(value)
    assert found.shape == (2, 2)
    assert [one.filename for one in told] == [__file__]


@pytest.mark.xla
def test_half_precision_that_numpy_does_not_know():
    jax = pytest.importorskip("jax")

    class Narrow:
        """A tensor of bfloat16, which NumPy's reader refuses."""

        def __init__(self, values):
            self.values = values

        def __dlpack__(self, **options):
            return self.values.__dlpack__(**{key: one for key, one in options.items() if key == "stream"})

        def __dlpack_device__(self):
            return self.values.__dlpack_device__()

    for shape in ((2, 3), (), (0, 3), (4,)):
        values = jax.numpy.arange(float(np.prod(shape)), dtype="bfloat16").reshape(shape) / 3
        found = ps.exp(Narrow(values))
        assert found.dtype == ps.bfloat16 and found.shape == shape
        assert np.array_equal(found.numpy(), ps.exp(np.asarray(values)).numpy())


# -- frames, keys and values that are not known yet ---------------------------------------------------------


class Frame:
    """A frame of pandas or Polars, as an array: of objects if the types of columns differ."""

    def __init__(self, **columns):
        self.held = columns
        self.columns = list(columns)

    def __getitem__(self, name):
        return np.asarray(self.held[name])

    def __array__(self, dtype=None, copy=None):
        columns = [np.asarray(one).astype(object) for one in self.held.values()]
        return np.stack(columns, axis=1).astype(dtype or object)


def test_a_frame_of_numbers_and_booleans_is_numbers():
    found = ps.asarray(Frame(a=[1.5, 2.0], b=[True, False], c=[3, 4]))
    assert found.dtype == np.float32 and found.numpy().tolist() == [[1.5, 1.0, 3.0], [2.0, 0.0, 4.0]]
    assert ps.layers.Dense(2)(Frame(a=[1.5, 2.0], b=[True, False])).shape == (2, 2)


def test_a_frame_with_words_names_their_columns():
    with pytest.raises(DTypeError) as caught:
        ps.layers.Dense(2)(Frame(age=[1.0, 2.0], colour=["red", "blue"], town=["x", None]))
    text = str(caught.value)
    assert "'colour' (" in text and "'town' (" in text and "frame[['age']]" in text
    with pytest.raises(DTypeError, match="get_dummies"):
        ps.asarray(Frame(colour=["red", "blue"]))


def test_a_column_of_lists_says_how_to_make_one_array_of_them():
    class Chunks:
        def __array__(self, dtype=None, copy=None):
            found = np.empty(2, object)
            found[:] = [np.ones(3), np.zeros(3)]
            return found

    with pytest.raises(DTypeError, match=r"A Chunks holds arrays(.|\n)*numpy\.stack"):
        ps.sum(Chunks())


@pytest.mark.xla
@pytest.mark.parametrize("door", [one for one in DOORS if one not in ("tensorflow", "paddle")])
def test_arrays_of_jax_without_numbers_are_refused(door):
    import jax

    with pytest.raises(PenstockError, match="random keys"):
        DOORS[door](jax.random.key(0))
    with pytest.raises(PenstockError, match="is not known yet") as caught:
        jax.eval_shape(lambda x: DOORS[door](x) and 1, jax.numpy.ones(3))
    assert caught.value.site.file == __file__


class Noted:
    """A view with a pending conjugate or sign that its library applies on request, as in PyTorch."""

    def __init__(self, values, turn=None):
        self.values, self.turn = np.asarray(values), turn

    def __array__(self, dtype=None, copy=None):
        if self.turn is not None:
            raise RuntimeError("Can't call numpy() on Tensor that has conjugate bit set.")
        return self.values

    def resolve_conj(self):
        return Noted(np.conj(self.values), "sign") if self.turn == "conjugate" else self

    def resolve_neg(self):
        return Noted(-self.values if self.turn == "sign" else self.values)


def test_a_conjugate_that_is_only_noted_is_applied():
    assert ps.asarray(Noted([1 + 2j], "conjugate")).numpy().tolist() == [-1 + 2j]
    assert ps.sum(Noted([1.0, 2.0], "sign")).numpy() == -3.0
