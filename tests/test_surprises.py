"""An honest list of possible surprises, silent ones first: the behaviour, and a better one.

A test here states the present behaviour, not the desired one. When one fails because something got better, it
goes.
"""

import warnings

import numpy as np
import pytest

import penstock as ps
from penstock.errors import PenstockError, RangeError
from penstock.testing import use_engine

# -- silent --------------------------------------------------------------------------------------------------


def test_a_bad_index_of_an_unread_value_is_never_reported():
    """A value that the program never reads is not computed, so its index is not checked either.

    Better: nothing, short of computing it; an eager framework would have raised.
    """
    ps.take(ps.asarray([1.0, 2.0]), ps.asarray([7]), axis=0)
    ps.wait()


def test_a_bad_index_is_reported_where_it_is_looked_at_not_where_it_is_written():
    """The read raises the error (its text names the line of the gather).

    Better: nothing, short of computing at once.
    """
    picked = ps.take(ps.asarray([1.0, 2.0]), ps.asarray([7]), axis=0)
    doubled = picked * 2.0
    with pytest.raises(RangeError) as caught:
        doubled.numpy()
    assert caught.value.site.line < caught.traceback[0].lineno


def test_an_error_takes_back_lines_that_ran_before_it():
    """Steps are transactional: writes on earlier lines of the failing step are undone as well.

    Better: nothing; a half-done step is worse. The message says that no variable was changed.
    """
    x = ps.Variable(1.0)
    x.assign_add(1.0)
    with pytest.raises(RangeError, match="No variable was changed"):
        ps.take(ps.asarray([1.0]), ps.asarray([7]), axis=0).numpy()
    assert float(x) == 1.0


def test_a_value_taken_out_and_put_back_has_no_gradient(tier):
    """float(), numpy() and NumPy functions cut the path; nothing warns.

    `ps.explain` answers "escaped". Better: a finding of `penstock check`.
    """
    x = ps.Variable(3.0)
    with ps.GradientTape() as tape:
        y = ps.asarray(np.square(x.numpy())) + x.numpy()
    assert tape.gradient(y, x) is None


def test_augmented_assignment_rebinds_the_name(tier):
    """`v += 1` makes `v` a tensor and leaves the variable alone. TensorFlow refuses it.

    Better: to refuse it too, but `total += x` needs Variable.__iadd__ to work as it does for tensors.
    """
    variable = name = ps.Variable(1.0)
    name += 1.0
    assert isinstance(name, ps.Tensor)
    assert float(variable) == 1.0


def test_numpy_data_is_float64_and_python_data_float32():
    """A NumPy array keeps its dtype, so `np.ones(2)` makes a float64 variable and `[1.0, 1.0]` a float32 one.

    TensorFlow does the same. Mixed, the wider wins. Better: nothing that would not surprise others.
    """
    assert ps.Variable(np.ones(2)).dtype == np.float64
    assert ps.Variable([1.0, 1.0]).dtype == np.float32
    assert (ps.Variable([1.0, 1.0]) * np.ones(2)).dtype == np.float64


def test_large_integers_lose_digits_beside_floats(tier):
    """int64 with float32 gives float32: 2**24 + 1 is not among them.

    The Array API standard leaves this open; PyTorch and JAX do the same, TensorFlow refuses.
    """
    big = ps.asarray([2**24 + 1])
    assert (big * ps.asarray([1.0])).numpy().tolist() == [2.0**24]


def test_integers_wrap(tier):
    """As in NumPy, and without its warning."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert (ps.asarray(np.asarray([127], np.int8)) + 1).numpy().tolist() == [-128]


def test_division_by_zero_is_quiet(tier):
    """inf and nan flow on, as in TensorFlow. Better: an opt-in that names the line, as with a debugger."""
    x = ps.Variable([1.0, 0.0])
    assert np.isnan((x / 0.0).numpy()[1]) and np.isinf((x / 0.0).numpy()[0])
    with ps.GradientTape() as tape:
        y = ps.where(x > 0.0, ps.log(x), 0.0)
    assert np.isnan(tape.gradient(y, x).numpy()[1])


def test_xla_takes_subnormal_numbers_for_zero():
    """On a CPU, XLA flushes them; NumPy does not. Better: that XLA did not."""
    found = {}
    for engine in ("numpy", "xla"):
        with use_engine(engine):
            x = ps.Variable(1e-39)
            found[engine] = float(x * 0.5)
    assert found["numpy"] != 0.0 and found["xla"] == 0.0


def test_sums_differ_in_the_last_digits_between_the_tiers():
    """XLA adds in another order; a program that gets hot changes by a rounding at its 17th run.

    The switch comes at a fixed count, so a run repeats itself. Better: a sum that rounds the same everywhere.
    """
    rng = np.random.default_rng(0)
    data = rng.standard_normal(10_000).astype(np.float32)
    found = {}
    for engine in ("numpy", "xla"):
        with use_engine(engine):
            found[engine] = float(ps.sum(ps.asarray(data)))
    assert np.isclose(found["numpy"], found["xla"], rtol=1e-4, atol=1e-3)


def test_adam_moves_a_variable_whose_gradient_is_zero(tier):
    """Its mean remembers. TensorFlow and PyTorch do the same; a variable rests only without a gradient."""
    x, optimizer = ps.Variable(1.0), ps.optimizers.Adam(0.1)
    optimizer.apply_gradients([(ps.asarray(1.0), x)])
    before = float(x)
    optimizer.apply_gradients([(ps.asarray(0.0), x)])
    assert float(x) < before


def test_a_variable_made_of_a_variable_is_a_copy(tier):
    """`ps.Variable(other)` copies the value and shares nothing, `trainable` included."""
    first = ps.Variable(1.0, trainable=False)
    second = ps.Variable(first)
    second.assign(5.0)
    assert float(first) == 1.0 and second.trainable


def test_the_value_of_a_variable_does_not_follow_it(tier):
    """`value()` is the value of that moment, as in TensorFlow and unlike `tensor.data` in PyTorch."""
    x = ps.Variable(1.0)
    value = x.value()
    x.assign(2.0)
    assert float(value) == 1.0


def test_trainable_counts_when_the_variable_is_read(tier):
    """Frozen after the tape has read it, a variable still has its gradient. No optimizer looks either."""
    x = ps.Variable(3.0)
    with ps.GradientTape() as tape:
        y = x * x
    x.trainable = False
    assert float(tape.gradient(y, x)) == 6.0


def test_names_need_not_be_unique():
    """Two variables may have one name; reports tell them apart by where they were created."""
    assert ps.Variable(1.0, name="w").path == ps.Variable(1.0, name="w").path


def test_a_gradient_function_runs_before_the_gradient_is_asked_for():
    """The gradient function of `custom_gradient` runs with the function, once, if a tape is recording.

    Its `print` appears even if the program takes no gradient. Better: to run it when the program does.
    """
    ran = []

    @ps.custom_gradient
    def doubled(x):
        return x * 2.0, lambda upstream: (ran.append(1), upstream * 2.0)[1]

    doubled(ps.asarray(1.0))
    assert not ran
    with ps.GradientTape():
        doubled(ps.asarray(1.0))
    assert ran


def test_a_way_not_taken_has_a_gradient_of_zeros():
    """A choice is made when the program runs, so whether a source counts cannot be known before.

    By hand, with `if`, the gradient would be None. Better: nothing; JAX gives zeros as well.
    """
    x, y = ps.Variable(1.0), ps.Variable(2.0)
    with ps.GradientTape() as tape:
        z = ps.cond(x > 0.0, lambda: x * 2.0, lambda: y * 3.0)
    assert float(tape.gradient(z, y)) == 0.0


def test_both_functions_of_cond_run_in_python():
    """The Python code of both runs for the recording; only the chosen one is computed.

    Better: nothing; it is so in JAX, and in TensorFlow inside tf.function.
    """
    ran = []
    ps.cond(ps.asarray(True), lambda: ran.append("a") or 1.0, lambda: ran.append("b") or 2.0)
    assert set(ran) == {"a", "b"}


# -- loud ----------------------------------------------------------------------------------------------------


def test_comparing_with_none_is_false_and_with_a_variable_a_tensor():
    """So `x in list_of_variables` compares values, and raises for shapes with several elements.

    Use `any(x is one for one in variables)`. TensorFlow's Variable.ref() exists for this.
    """
    x, y = ps.Variable([1.0, 2.0]), ps.Variable([1.0, 2.0])
    assert (x == None) is False  # noqa: E711
    assert isinstance(x == y, ps.Tensor)
    with pytest.raises(PenstockError, match="one element"):
        x in [y]  # noqa: B015


def test_a_tensor_cannot_be_changed_in_place():
    with pytest.raises(PenstockError, match="immutable"):
        ps.asarray([1.0])[0] = 2.0


def test_a_failed_read_abandons_pending_values():
    """A value that was pending in a failed step is lost, even if it had no part in the failure.

    Better: to keep those that can still be computed.
    """
    innocent = ps.asarray([1.0]) * 2.0
    with pytest.raises(RangeError):
        ps.take(ps.asarray([1.0]), ps.asarray([7]), axis=0).numpy()
    with pytest.raises(PenstockError, match="step it belongs to failed"):
        innocent.numpy()
