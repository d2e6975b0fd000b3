"""What functions are and take, in words; small names about types."""

import inspect

import pytest

from penstock import tensorflow as tf

v1 = tf.compat.v1
kinds = tf.types.experimental

SIGNATURE = """Input Parameters:
  x (POSITIONAL_OR_KEYWORD): TensorSpec(shape=(None,), dtype=tf.float32, name=None)
  n (POSITIONAL_OR_KEYWORD): Literal[2]
Output Type:
  TensorSpec(shape=(None,), dtype=tf.float32, name=None)
Captures:
  None"""
"""What TensorFlow 2.21 printed."""


@tf.function
def power(x, n=2):
    return x**n


def test_a_concrete_function_says_what_it_takes_and_gives():
    concrete = power.get_concrete_function(tf.TensorSpec([None], tf.float32))
    assert (
        concrete.pretty_printed_signature() == SIGNATURE and str(concrete) == f"ConcreteFunction {SIGNATURE}"
    )
    assert (concrete.output_dtypes, concrete.output_shapes.as_list()) == (tf.float32, [None])
    with pytest.raises(AttributeError, match=r"(?s)ConcreteFunction.graph.*makes no graph.*inputs, outputs"):
        concrete.graph  # noqa: B018
    assert not hasattr(concrete, "other")


def test_a_function_tells_its_signatures():
    function = tf.function(power.python_function)
    function(tf.constant(3.0))
    function(tf.constant([1, 2]), 3)
    first, second = function.pretty_printed_concrete_signatures().split("\n\n")
    assert "x (POSITIONAL_OR_KEYWORD): TensorSpec(shape=(), dtype=tf.float32, name=None)" in first
    assert "TensorSpec(shape=(2,), dtype=tf.int32, name=None)" in second and "Literal[3]" in second


def test_kinds_of_functions():
    concrete = power.get_concrete_function(tf.TensorSpec([None], tf.float32))
    found = [
        [isinstance(one, kind) for kind in (kinds.Callable, kinds.GenericFunction, kinds.ConcreteFunction)]
        for one in (power, concrete, len)
    ]
    assert found == [[True, True, False], [True, False, True], [False, False, False]]
    assert isinstance(tf.constant(1), kinds.TensorLike) and isinstance(2.5, kinds.TensorLike)
    assert not isinstance(len, kinds.TensorLike)


def test_no_code_is_converted():
    assert tf.autograph.to_code(power.python_function) == inspect.getsource(power.python_function)


def test_a_sparse_tensor_is_cast():
    found = tf.cast(v1.SparseTensor([[0, 1]], [2.7], [2, 2]), tf.int32)
    assert type(found) is tf.SparseTensor and found.dtype == tf.int32
    assert tf.sparse.to_dense(found).numpy().tolist() == [[0, 2], [0, 0]]
