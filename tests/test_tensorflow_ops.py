"""Functions of keras.ops that call others agree with NumPy and with the equivalent layers."""

import numpy as np
import pytest

from penstock import tensorflow as tf

ops, layers = tf.keras.ops, tf.keras.layers


def wave(*shape):
    return np.sin(np.arange(np.prod(shape)) * 0.7).reshape(shape).astype(np.float32)


def test_windows_and_convolutions_are_those_of_layers():
    x, kernel = wave(2, 5, 5, 2), wave(2, 2, 2, 3)
    layer = layers.Conv2D(3, 2, strides=2, use_bias=False)
    layer(x)
    layer.set_weights([kernel])
    np.testing.assert_allclose(ops.conv(x, kernel, 2), layer(x), atol=1e-6)
    np.testing.assert_allclose(ops.max_pool(x, 2), layers.MaxPooling2D(2)(x))
    same = ops.average_pool(x, 2, strides=1, padding="same")
    np.testing.assert_allclose(same, layers.AveragePooling2D(2, 1, "same")(x), atol=1e-6)
    with pytest.raises(ValueError, match="must be one of"):
        ops.conv(x, kernel, data_format="first")


@pytest.mark.parametrize("causal", [False, True])
def test_attention_is_a_weighted_mean(causal):
    q, k, v = wave(1, 3, 2, 4), wave(1, 3, 2, 4)[:, ::-1], wave(1, 3, 2, 5)
    scores = np.einsum("btnh,bsnh->bnts", q, k) / 2.0
    if causal:
        scores = np.where(np.tril(np.ones((3, 3), bool)), scores, -np.inf)
    weights = np.exp(scores) / np.exp(scores).sum(-1, keepdims=True)
    wanted = np.einsum("bnts,bsnh->btnh", weights, v)
    np.testing.assert_allclose(ops.dot_product_attention(q, k, v, is_causal=causal), wanted, atol=1e-6)


def test_functions_are_called_in_turn():
    v = np.array([1.0, 2.0, 3.0], np.float32)
    last, rows = ops.scan(lambda total, one: (total + one, total * one), ops.zeros(()), v)
    assert float(last) == 6.0 and rows.numpy().tolist() == [0.0, 2.0, 9.0]
    assert ops.map(lambda one: one * 2, v).numpy().tolist() == [2.0, 4.0, 6.0]
    assert int(ops.fori_loop(0, 4, lambda i, total: total + i, 0)) == 6
    assert [int(one) for one in ops.while_loop(lambda i: i < 5, lambda i: (i + 2,), (0,))] == [6]
    assert float(ops.switch(1, [lambda x: x, lambda x: -x], 2.0)) == -2.0
    assert float(ops.cond(True, lambda: 1.0, lambda: 0.0)) == 1.0


def test_places_and_parts():
    x, v = wave(2, 3), np.array([0.2, 0.4, 0.6], np.float32)
    assert ops.one_hot(np.array([0, 2]), 3).numpy().tolist() == [[1, 0, 0], [0, 0, 1]]
    assert ops.multi_hot(np.array([[0, 2]]), 3).numpy().tolist() == [[1, 0, 1]]
    assert ops.scatter([[0], [2]], [1.0, 2.0], (4,)).numpy().tolist() == [1, 0, 2, 0]
    assert ops.scatter_update(v, [[1]], [9.0]).numpy().tolist() == pytest.approx([0.2, 9.0, 0.6])
    np.testing.assert_array_equal(ops.slice(x, (0, 1), (2, 2)), x[:, 1:])
    assert ops.slice_update(x, (0, 1), [[8.0]]).numpy()[0, 1] == 8.0
    assert ops.segment_sum(v, np.array([0, 0, 1])).numpy().tolist() == pytest.approx([0.6, 0.6])
    values, places = ops.top_k(v, 2)
    assert places.numpy().tolist() == [2, 1] and values.numpy().tolist() == pytest.approx([0.6, 0.4])
    assert ops.searchsorted(v, [0.3, 0.6]).numpy().tolist() == [1, 2]
    assert [one.numpy().tolist() for one in ops.nonzero(np.array([0, 3, 4]))] == [[1, 2]]
    np.testing.assert_allclose(ops.average(v, weights=[1.0, 2.0, 1.0]), 0.4, atol=1e-6)
    np.testing.assert_allclose(ops.percentile(v, 50), 0.4, atol=1e-6)
    np.testing.assert_allclose(ops.trapezoid(v), np.trapezoid(v), atol=1e-6)
    np.testing.assert_allclose(ops.vander(v, 3), np.vander(v, 3), atol=1e-6)
    np.testing.assert_allclose(ops.rot90(x), np.rot90(x))
    assert ops.select([v > 0.5, v > 0.3], [v, -v]).numpy().tolist() == pytest.approx([0.0, -0.4, 0.6])


def test_gradients_and_symbolic_tensors_pass():
    weight = tf.Variable(wave(2, 3))
    with tf.GradientTape() as tape:
        loss = ops.sum(ops.softmax(ops.matmul(weight, ops.transpose(weight))) * ops.eye(2))
    with tf.GradientTape() as other:
        same = tf.reduce_sum(tf.nn.softmax(weight @ tf.transpose(weight)) * tf.eye(2))
    np.testing.assert_allclose(tape.gradient(loss, weight), other.gradient(same, weight), atol=1e-6)
    inputs = tf.keras.Input((3,))
    mean = ops.mean(inputs, axis=-1, keepdims=True)
    model = tf.keras.Model(inputs, ops.concatenate([ops.relu(inputs) * 2.0, mean], axis=-1))
    x = wave(2, 3)
    wanted = np.concatenate([np.maximum(x, 0) * 2, x.mean(1, keepdims=True)], 1)
    assert model.output_shape == (None, 4)
    np.testing.assert_allclose(model(x), wanted, atol=1e-6)


def test_a_derivative_of_ones_own():
    @ops.custom_gradient
    def clipped(x):
        return x * x, lambda *cotangents, upstream=None: ops.minimum(upstream, 1.0)

    x = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = clipped(x) * 5.0
    assert float(y) == 45.0 and float(tape.gradient(y, x)) == 1.0


def test_seeds_decide_draws():
    random = tf.keras.random
    one, same, other = (random.normal((4,), seed=seed) for seed in (1, 1, 2))
    assert bool(tf.reduce_all(one == same)) and not bool(tf.reduce_any(one == other))
    seeds = random.SeedGenerator(3)
    assert not bool(tf.reduce_any(random.uniform((4,), seed=seeds) == random.uniform((4,), seed=seeds)))
    assert sorted(random.shuffle(tf.range(6)).numpy().tolist()) == list(range(6))
    drawn = random.randint((50,), 2, 5, seed=1)
    assert set(drawn.numpy().tolist()) == {2, 3, 4}


def test_functions_of_elements_apply_to_arrays_of_any_shape_and_to_parts():
    x, y = wave(3, 4), wave(4)
    larger = ops.vectorize(lambda a, b: ops.where(a > b, a, b * 2.0))
    np.testing.assert_allclose(larger(x, y), np.where(x > y, x, y * 2.0), atol=1e-6)
    dots = ops.vectorize(lambda a, b: ops.dot(a, b), signature="(n),(n)->()")
    np.testing.assert_allclose(dots(x, y), x @ y, atol=1e-6)
    scaled = ops.vectorize(lambda a, factor: a * factor, excluded={1})
    np.testing.assert_allclose(scaled(x, 3.0), x * 3.0, atol=1e-6)
    with pytest.raises(ValueError, match="does not name 2 arguments"):
        ops.vectorize(lambda a, b: a, signature="(n)->()")(x, y)
    weight = tf.Variable(x)
    with tf.GradientTape() as tape:
        loss = ops.sum(dots(weight, y))
    np.testing.assert_allclose(tape.gradient(loss, weight), np.broadcast_to(y, x.shape), atol=1e-6)


def test_each_function_is_in_the_module_where_keras_has_it():
    for space in (ops.image, ops.linalg, ops.nn, ops.numpy):
        assert all(getattr(space, name) is getattr(ops, name) for name in space.__all__ if hasattr(ops, name))
    assert not hasattr(ops.image, "relu") and not hasattr(ops.numpy, "relu")
