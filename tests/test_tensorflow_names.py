"""Names other than operations: printing, drawing, collections, and the messages on missing names."""

import io

import numpy as np
import pytest

import penstock as ps
from penstock import tensorflow as tf

PRINTED = [
    # What TensorFlow 2.21 printed.
    (("loss", [0.5, 1.0, 1 / 3]), {}, "loss [0.5 1 0.333333343]\n"),
    ((list(range(10)),), {}, "[0 1 2 ... 7 8 9]\n"),
    ((list(range(10)),), {"summarize": -1}, "[0 1 2 3 4 5 6 7 8 9]\n"),
    ((np.arange(20).reshape(2, 10),), {}, "[[0 1 2 ... 7 8 9]\n [10 11 12 ... 17 18 19]]\n"),
    ((np.zeros((2, 2, 1), np.float32),), {}, "[[[0]\n  [0]]\n\n [[0]\n  [0]]]\n"),
    (([True, False], [1e-8, 1e10, np.nan, np.inf]), {}, "[1 0] [1e-08 1e+10 nan inf]\n"),
]


@pytest.mark.parametrize(("values", "options", "text"), PRINTED)
def test_printed_text(values, options, text):
    stream = io.StringIO()
    made = [one if isinstance(one, str) else tf.constant(one) for one in values]
    tf.print(*made, output_stream=stream, **options)
    assert stream.getvalue() == text


def test_structures_are_printed_as_python_has_them():
    stream = io.StringIO()
    tf.print(
        {"a": tf.constant(1), "b": [1.5, "x"]}, (1,), None, np.array([1.5]), output_stream=stream, sep="|"
    )
    assert stream.getvalue() == "{'a': 1, 'b': [1.5, 'x']}|(1,)|None|array([1.5])\n"


def test_draws_that_two_numbers_decide():
    first, second, other = (tf.random.stateless_uniform([50], seed=(1, n)) for n in (2, 2, 3))
    assert bool(tf.reduce_all(first == second)) and not bool(tf.reduce_any(first == other))
    assert 0.0 <= float(tf.reduce_min(first)) < float(tf.reduce_max(first)) < 1.0
    whole = tf.random.stateless_uniform([200], (5, 6), 3, 7, tf.int32)
    assert set(whole.numpy().tolist()) == {3, 4, 5, 6}


def test_a_generator_goes_its_own_way():
    first, second = tf.random.Generator.from_seed(3), tf.random.Generator.from_seed(3)
    tf.random.set_seed(1)
    one = first.normal([4])
    tf.random.normal([3])
    assert bool(tf.reduce_all(one == second.normal([4])))
    assert not bool(tf.reduce_any(one == first.normal([4])))
    tf.random.set_seed(3)
    assert not bool(tf.reduce_any(one == tf.random.normal([4])))
    parts = first.split(2)
    assert not bool(tf.reduce_any(parts[0].uniform([4]) == parts[1].uniform([4])))


def test_a_generator_draws_again_in_each_replay_of_a_captured_step():
    generator = tf.random.Generator.from_seed(5)
    again = tf.random.Generator.from_seed(5)
    total = tf.Variable(0.0)

    @ps.step
    def add():
        drawn = generator.normal([])
        total.assign_add(drawn)
        return drawn

    drawn = [float(add()) for _ in range(6)]
    assert drawn == pytest.approx([float(again.normal([])) for _ in range(6)])
    assert len(set(drawn)) == 6


def test_gradients_reach_the_elements_of_a_tensor_array():
    weight = tf.Variable([2.0, 3.0])
    with tf.GradientTape() as tape:
        rows = tf.TensorArray(tf.float32, size=0, dynamic_size=True)
        for i in range(3):
            rows = rows.write(i, weight * float(i))
        loss = tf.reduce_sum(rows.stack() ** 2)
    np.testing.assert_allclose(tape.gradient(loss, weight), [2 * 5 * 2.0, 2 * 5 * 3.0])
    with pytest.raises(tf.errors.InvalidArgumentError, match="twice"):
        rows.read(0)
        rows.read(0)


def test_a_path_tells_the_users_line_and_one_event():
    weight = tf.Variable([3.0, 1.0], name="weight")
    with tf.GradientTape():
        loss = tf.reduce_sum(tf.nn.crelu(weight))
    steps = [(one.operation, one.site and one.site.file) for one in ps.explain(loss, weight).path]
    assert ("crelu", __file__) in steps


@pytest.mark.parametrize(
    ("module", "name", "words"),
    [
        (tf, "reduce_std", "tf.math.reduce_std"),
        (tf.train, "checkpoint", "Checkpoint"),
        (tf, "ceil", "tf.math.ceil"),
        (tf.linalg, "sqrt", "sqrtm"),
        (tf.nn, "separable_conv3d", "separable_conv2d"),
        (tf.image, "rot91", "rot90"),
        (tf.debugging, "assert_equals", "assert_equal"),
    ],
)
def test_a_missing_name_suggests_existing_ones(module, name, words):
    with pytest.raises(AttributeError, match=f"has no attribute '{name}'") as caught:
        getattr(module, name)
    assert words in str(caught.value)


def test_summaries_are_not_written_and_say_so():
    with pytest.warns(UserWarning, match="no event files"):
        writer = tf.summary.create_file_writer("logs")
    with writer.as_default():
        assert tf.summary.scalar("loss", 1.0, step=1) is False


def test_a_concrete_function_takes_what_its_signature_says():
    def double(x):
        return x * 2

    doubled = tf.function(double)
    concrete = doubled.get_concrete_function(tf.TensorSpec([None], tf.float32))
    assert concrete([1, 2]).numpy().tolist() == [2.0, 4.0]
    with pytest.raises(TypeError, match="Binding inputs"):
        concrete(tf.ones([2, 2]))
    assert doubled.python_function is double
    signed = tf.function(lambda x: x + 1, input_signature=[tf.TensorSpec([], tf.int32)])
    assert int(signed.get_concrete_function()(3)) == 4


def test_a_name_that_is_not_there_says_where_the_program_runs():
    with pytest.raises(AttributeError) as caught:
        tf.no_such_name  # noqa: B018
    with pytest.raises(ValueError) as refused:
        tf.keras.Input((2,), ragged=True)
    for message in (str(caught.value), str(refused.value)):
        assert "`penstock check --with tensorflow SCRIPT`" in message


def test_a_processor_can_be_listed_as_parts(monkeypatch):
    from penstock.tensorflow import _devices

    monkeypatch.setattr(_devices, "_kept", dict(_devices._kept))
    (processor,) = tf.config.list_physical_devices()
    parts = [tf.config.LogicalDeviceConfiguration(memory_limit=100), tf.config.LogicalDeviceConfiguration()]
    tf.config.set_logical_device_configuration(processor, parts)
    assert tf.config.get_logical_device_configuration(processor) == parts
    assert [one.name for one in tf.config.list_logical_devices("CPU")] == ["/device:CPU:0", "/device:CPU:1"]
    assert tf.config.list_logical_devices("GPU") == []
    strategy = tf.distribute.MirroredStrategy()
    assert strategy.num_replicas_in_sync == 2
    with pytest.raises(ValueError, match="there is one replica here, and 2 devices would have one each"):
        strategy.run(lambda: tf.constant(1.0))
    with pytest.raises(ValueError, match="Unrecognized device: 'GPU'"):
        tf.config.set_logical_device_configuration("GPU", parts)


def test_names_that_are_imported_later_outlive_a_graph():
    vars(tf).pop("constant_initializer", None)
    with tf.compat.v1.Graph().as_default():
        tf.compat.v1.constant(1.0)
    assert tf.constant_initializer(2.0)([1]).numpy().tolist() == [2.0]


def test_transforms_over_any_axes_are_those_of_numpy():
    """TensorFlow's own have no kernel for processors: numpy.fft defines what they give elsewhere."""
    x = np.arange(24.0).reshape(2, 3, 4)
    wide = tf.constant(x, tf.complex128)
    found = tf.signal.fftnd(wide, fft_length=[2, 4], axes=[0, 2])
    np.testing.assert_allclose(found, np.fft.fftn(x, axes=[0, 2]))
    np.testing.assert_allclose(tf.signal.ifftnd(found, [2, 4], [0, 2]), x, atol=1e-12)
    half = tf.signal.rfftnd(tf.constant(x), [5, 2], [1, 2])
    np.testing.assert_allclose(half, np.fft.rfftn(x, s=[5, 2], axes=[1, 2]))
    np.testing.assert_allclose(
        tf.signal.irfftnd(half, [5, 2], [1, 2]), np.fft.irfftn(half.numpy(), s=[5, 2], axes=[1, 2])
    )
    with pytest.raises(ValueError, match="norm"):
        tf.signal.fftnd(wide, [2], [0], norm="ortho")


def test_messages_that_are_logged_now_and_then(caplog):
    logging = tf.compat.v1.logging
    with caplog.at_level("INFO", logger="tensorflow"):
        for number in range(5):
            logging.log_every_n(logging.INFO, "every %d", 2, number)
            logging.log_first_n(logging.INFO, "first %d", 2, number)
            logging.log_if(logging.WARN, "if %d", number == 3, number)
    assert caplog.messages == ["every 0", "first 0", "first 1", "every 2", "if 3", "every 4"]


def test_a_library_of_operations_is_refused_by_name():
    assert tf.sysconfig.get_build_info()["is_cuda_build"] is False
    with pytest.raises(NotImplementedError, match="custom_gradient"):
        tf.sysconfig.get_include()


def test_values_of_ones_own_types_become_tensors(monkeypatch):
    monkeypatch.setattr("penstock.tensorflow._convert.CONVERSIONS", [])

    class Length:
        metres = 2.0

    def refused(value, dtype=None, name=None, as_ref=False):
        return NotImplemented

    def converted(value, dtype=None, name=None, as_ref=False):
        return tf.constant(value.metres, dtype)

    tf.register_tensor_conversion_function(Length, converted)
    tf.register_tensor_conversion_function(Length, refused, priority=10)
    assert float(tf.convert_to_tensor(Length()) * 3.0) == 6.0
    assert tf.convert_to_tensor(Length(), tf.float64).dtype == tf.float64
    with pytest.raises(TypeError, match="base_type"):
        tf.register_tensor_conversion_function("Length", converted)
