"""Random numbers with their own seed under TensorFlow's names: generators and stateless functions."""

from __future__ import annotations

import enum
import math
import os
import sys
import threading
from typing import Any

import numpy as np

from penstock.declared import named
from penstock.functions import array as native
from penstock.functions.philox_keys import Counting, PhiloxKey
from penstock.ops import philox, pointwise, table
from penstock.ops.incomplete import gammainc, gammaincinv
from penstock.ops.philox_binomial import philox_binomial
from penstock.ops.philox_gamma import philox_gamma
from penstock.ops.philox_poisson import philox_poisson
from penstock.tensorflow import _numbers_of_keys as numbers
from penstock.tensorflow._convert import constant, lengths_of, operand, record, tensor_of
from penstock.tensorflow._dtype import numpy_dtype
from penstock.tensorflow._errors import ArgumentError, InvalidArgumentError
from penstock.tensorflow._modes import for_each_element
from penstock.tensorflow._numbers_of_keys import key_of_seed
from penstock.tensorflow._seeds import key_of
from penstock.tensorflow._tensor import EagerTensor, spoken
from penstock.trace.source_site import here
from penstock.trace.spec import spec

_frame = sys._getframe
_WIDE = (1 << 64) - 1


def _ends(dtype: Any, minval: Any, maxval: Any) -> tuple[Any, Any]:
    """Returns both ends of a range; raises an error if only one of those of integers is given."""
    if numpy_dtype(dtype).kind not in "iu":
        return minval, 1.0 if maxval is None else maxval
    if (minval is None) != (maxval is None):
        raise ArgumentError(
            f"For integer `dtype` argument <dtype: '{numpy_dtype(dtype).name}'>, argument `minval` and "
            f"`maxval` must be both None or not None. Got `minval`={minval} and `maxval`={maxval}.",
            site=here(),
        )
    return minval, maxval


# -- without a state ------------------------------------------------------------------------------------


@named("tf.random.stateless_normal")
def stateless_normal(
    shape: Any, seed: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = np.float32, name: Any = None,
    alg: Any = "auto_select",
) -> EagerTensor:  # fmt: skip
    """Returns draws from the normal distribution that depend on two numbers alone.

    >>> from penstock import tensorflow as tf
    >>> print(tf.random.stateless_normal([2], seed=(1, 2)))
    tf.Tensor([0.5441101  0.20738031], shape=(2,), dtype=float32)
    """
    frame = _frame(1)
    key = key_of_seed(seed, alg, frame)
    return numbers.normal(key, lengths_of(shape), mean, stddev, numpy_dtype(dtype), frame)


@named("tf.random.stateless_truncated_normal")
def stateless_truncated_normal(
    shape: Any, seed: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = np.float32, name: Any = None,
    alg: Any = "auto_select",
) -> EagerTensor:  # fmt: skip
    """Returns draws from the middle of the normal distribution that depend on two numbers alone."""
    frame = _frame(1)
    key = key_of_seed(seed, alg, frame)
    return numbers.normal(key, lengths_of(shape), mean, stddev, numpy_dtype(dtype), frame, cut=True)


@named("tf.random.stateless_uniform")
def stateless_uniform(
    shape: Any, seed: Any, minval: Any = 0, maxval: Any = None, dtype: Any = np.float32, name: Any = None,
    alg: Any = "auto_select",
) -> EagerTensor:  # fmt: skip
    """Returns draws from `minval` to `maxval` that depend on two numbers alone; all integers without both.

    >>> from penstock import tensorflow as tf
    >>> print(tf.random.stateless_uniform([3], seed=(1, 2), minval=0, maxval=10, dtype=tf.int32))
    tf.Tensor([0 9 4], shape=(3,), dtype=int32)
    """
    frame = _frame(1)
    low, high = _ends(dtype, minval, maxval)
    key = key_of_seed(seed, alg, frame)
    return numbers.uniform(key, lengths_of(shape), low, high, numpy_dtype(dtype), frame)


@named("tf.random.stateless_categorical")
def stateless_categorical(
    logits: Any, num_samples: Any, seed: Any, dtype: Any = np.int64, name: Any = None
) -> EagerTensor:
    """Returns draws of classes, [batch, num_samples], that depend on two numbers alone."""
    frame = _frame(1)
    return classes_of(logits, num_samples, dtype, key_of_seed(seed, None, frame), frame)


# -- of this process's sequence -------------------------------------------------------------------------


def _logits(logits: Any, count: Any, dtype: Any) -> tuple[Any, int, Any]:
    x = operand(logits)
    if len(x._spec.shape) != 2:
        raise ArgumentError(f"logits should be a matrix, got shape {list(x._spec.shape)}", site=here())
    return x, int(count), np.dtype(np.int64) if dtype is None else numpy_dtype(dtype)


def _classes(x: Any, count: int, dtype: Any, key: Any, frame: Any) -> EagerTensor:
    """Returns where a draw times the sum of the probabilities falls among their running sums, in float64."""
    batch, classes = x._spec.shape
    wide = np.dtype(np.float64)
    drawn = record(philox.philox_uniform, (key,), {"shape": (batch, count, 1), "dtype": wide}, frame)
    there = native.isfinite(x)
    least = native.where(there, x, float(np.finfo(np.float32).min))
    shifted = native.astype(x, wide) - native.astype(native.max(least, axis=1, keepdims=True), wide)
    shares = native.where(there, native.exp(native.where(there, shifted, 0.0)), 0.0)
    sums = native.cumulative_sum(shares, axis=1)
    found = native.reshape(sums, (batch, 1, classes)) <= drawn * native.reshape(sums[:, -1:], (batch, 1, 1))
    return spoken(native.astype(native.sum(native.astype(found, np.int64), axis=2), dtype))


def classes_of(logits: Any, num_samples: Any, dtype: Any, key: Any, frame: Any) -> EagerTensor:
    """Returns draws of classes, [batch, num_samples], with a key."""
    x, count, wanted = _logits(logits, num_samples, dtype)
    return _classes(x, count, wanted, key, frame)


@named("tf.random.categorical")
def categorical(
    logits: Any, num_samples: Any, dtype: Any = None, seed: Any = None, name: Any = None
) -> EagerTensor:
    """Returns draws of classes, [batch, num_samples], with probabilities softmax(logits).

    >>> from penstock import tensorflow as tf
    >>> print(tf.random.categorical([[0.0, 1e9, 0.0]], 3).numpy())
    [[1 1 1]]
    """
    x, count, wanted = _logits(logits, num_samples, dtype)
    # A draw takes two words; TensorFlow counts them in whole blocks.
    reserved = (x._spec.shape[0], -(-count // 4) * 8)
    key = key_of(seed, ("categorical", x._spec.dtype, wanted), reserved)
    return _classes(x, count, wanted, key, _frame(1))


@named("tf.random.shuffle", "tf.compat.v1.random_shuffle")
def shuffle(value: Any, seed: Any = None, name: Any = None) -> EagerTensor:
    """Returns the slices of a tensor along its first axis in random order. No gradient passes.

    >>> from penstock import tensorflow as tf
    >>> tf.random.set_seed(7)
    >>> print(tf.random.shuffle([1, 2, 3, 4, 5]))
    tf.Tensor([5 3 1 4 2], shape=(5,), dtype=int32)
    """
    x = tensor_of(value)
    shape = x._spec.shape
    size = shape[0] if shape else 0
    # One word for each exchange, in whole blocks.
    blocks = -(-(size - 1) // 4) if isinstance(size, int) and size > 1 else 0
    key = key_of(seed, ("shuffle", x._spec.dtype), (blocks,), 1)
    return shuffled(native.stop_gradient(x), key, _frame(1))


def shuffled(x: Any, key: Any, frame: Any) -> EagerTensor:
    """Returns the slices along the first axis in the order of a key."""
    shape = x._spec.shape
    if not shape or (isinstance(shape[0], int) and shape[0] <= 1):
        return spoken(x)
    order = record(philox.philox_permutation, (key,), {"length": shape[0]}, frame)
    return spoken(native.take(x, order, axis=0))


def gamma_of(key: Any, count: int, concentration: Any, frame: Any) -> Any:
    """Returns draws from the gamma distribution in float64: `count` for each concentration, and its shape.

    Gradients reach the concentration: a draw stays where it is in its distribution.
    """
    wide = record(table.cast, (concentration,), {"dtype": np.dtype(np.float64)}, frame)
    shape = wide._spec.shape
    still = pointwise.stop_gradient.record((native.reshape(wide, (-1,)),), {}, frame)
    drawn = record(philox_gamma, (key, still), {"count": count}, frame)
    placed = gammainc.record((still, drawn), {"order": 0, "upper": False}, frame)
    found = gammaincinv.record((wide, native.reshape(placed, (count, *shape))), {}, frame)
    return found


@named("tf.random.gamma", "tf.compat.v1.random_gamma")
def gamma(
    shape: Any, alpha: Any, beta: Any = None, dtype: Any = np.float32, seed: Any = None, name: Any = None
) -> EagerTensor:
    """Returns draws from the gamma distribution, of shape [*shape, *alpha's]; gradients reach both.

    >>> from penstock import tensorflow as tf
    >>> tf.random.set_seed(3)
    >>> print(tf.random.gamma([2], 0.5))
    tf.Tensor([0.00757968 0.00067547], shape=(2,), dtype=float32)
    """
    frame, wanted, lengths = _frame(1), numpy_dtype(dtype), lengths_of(shape)
    own = [operand(one)._spec.shape for one in (alpha, beta) if one is not None]
    key = key_of(seed, ("gamma", wanted), (*lengths, *table.broadcast_shapes("gamma", *own)))
    return gammas_of(key, lengths, alpha, beta, wanted, frame)


@named("tf.random.stateless_gamma")
def stateless_gamma(
    shape: Any, seed: Any, alpha: Any, beta: Any = None, dtype: Any = np.float32, name: Any = None
) -> EagerTensor:
    """Returns draws from the gamma distribution, of this shape, which ends as those of `alpha` and `beta`.

    They depend on two numbers alone; gradients reach `alpha` and `beta`.

    >>> from penstock import tensorflow as tf
    >>> print(tf.random.stateless_gamma([2], (1, 2), 0.5))
    tf.Tensor([0.06695361 0.62823546], shape=(2,), dtype=float32)
    """
    frame, lengths = _frame(1), lengths_of(shape)
    rank = len(operand(alpha)._spec.shape) if beta is None else max(
        len(operand(one)._spec.shape) for one in (alpha, beta)
    )  # fmt: skip
    key = key_of_seed(seed, None, frame)
    return gammas_of(key, lengths[: len(lengths) - rank], alpha, beta, numpy_dtype(dtype), frame)


def gammas_of(key: Any, lengths: Any, alpha: Any, beta: Any, dtype: Any, frame: Any) -> EagerTensor:
    a, b = native.astype(operand(alpha), dtype), None
    if beta is not None:
        b = native.astype(operand(beta), dtype)
    whole = a if b is None else native.broadcast_arrays(a, b)[0]
    found = gamma_of(key, math.prod(lengths), whole, frame)
    drawn = native.astype(native.reshape(found, (*lengths, *whole._spec.shape)), dtype)
    least = float(np.finfo(np.float32 if dtype.itemsize < 4 else dtype).tiny)
    return spoken(native.maximum(drawn if b is None else drawn / b, least))


@named("tf.random.poisson")
def poisson(shape: Any, lam: Any, dtype: Any = np.float32, seed: Any = None, name: Any = None) -> EagerTensor:
    """Returns counts from the Poisson distribution, of shape [*shape, *lam's].

    >>> from penstock import tensorflow as tf
    >>> tf.random.set_seed(3)
    >>> print(tf.random.poisson([4], 3.0))
    tf.Tensor([2. 2. 1. 4.], shape=(4,), dtype=float32)
    """
    frame, wanted, lengths = _frame(1), numpy_dtype(dtype), lengths_of(shape)
    rate = operand(lam)
    key = key_of(seed, ("poisson", rate._spec.dtype, wanted), (*lengths, *rate._spec.shape))
    return _counts(key, lengths, rate, wanted, frame)


@named("tf.random.stateless_poisson")
def stateless_poisson(
    shape: Any, seed: Any, lam: Any, dtype: Any = np.int32, name: Any = None
) -> EagerTensor:
    """Returns counts from the Poisson distribution, of this shape, which ends as that of `lam`.

    They depend on two numbers alone.

    >>> from penstock import tensorflow as tf
    >>> print(tf.random.stateless_poisson([4], (1, 2), 3.0))
    tf.Tensor([5 5 4 6], shape=(4,), dtype=int32)
    """
    frame, lengths = _frame(1), lengths_of(shape)
    rate = operand(lam)
    key = key_of_seed(seed, None, frame)
    return _counts(key, lengths[: len(lengths) - len(rate._spec.shape)], rate, numpy_dtype(dtype), frame)


def _counts(key: Any, lengths: Any, rate: Any, dtype: Any, frame: Any) -> EagerTensor:
    shape = (*lengths, *rate._spec.shape)
    rates = native.reshape(native.astype(rate, np.float64), (-1,))
    found = record(philox_poisson, (key, rates), {"count": math.prod(lengths)}, frame)
    return spoken(native.astype(native.reshape(found, shape), dtype))


@named("tf.random.stateless_binomial")
def stateless_binomial(
    shape: Any, seed: Any, counts: Any, probs: Any, output_dtype: Any = np.int32, name: Any = None
) -> EagerTensor:
    """Returns how many of `counts` attempts succeed, each with a probability, of this shape.

    The shape ends as those of `counts` and `probs` do together, or InvalidArgumentError is raised. The draws
    depend on the two numbers of the seed alone.

    >>> from penstock import tensorflow as tf
    >>> print(tf.random.stateless_binomial([6], (1, 2), 10.0, 0.5))
    tf.Tensor([6 6 7 7 6 6], shape=(6,), dtype=int32)
    """
    frame = _frame(1)
    return successes_of(key_of_seed(seed, None, frame), lengths_of(shape), counts, probs, output_dtype, frame)


def successes_of(key: Any, lengths: Any, counts: Any, probs: Any, dtype: Any, frame: Any) -> EagerTensor:
    """Returns draws from the binomial distribution with a key."""
    n, p = operand(counts), operand(probs)
    if p._spec.dtype.kind in "iu":
        p = native.astype(p, np.float64)
    n, p = native.broadcast_arrays(native.astype(n, p._spec.dtype), p)
    own = n._spec.shape
    if tuple(lengths[len(lengths) - len(own) :]) != own:
        raise InvalidArgumentError("Shape passed in must end with broadcasted shape.", site=here())
    flat = [native.reshape(one, (-1,)) for one in (n, p)]
    count = math.prod(lengths[: len(lengths) - len(own)])
    found = record(philox_binomial, (key, *flat), {"count": count}, frame)
    return spoken(native.astype(native.reshape(found, tuple(lengths)), numpy_dtype(dtype)))


# -- generators -----------------------------------------------------------------------------------------


def _signed(word: int) -> int:
    word &= _WIDE
    return word - (1 << 64) if word >> 63 else word


class GeneratorState:
    """How far a generator is, as checkpoints read and write it: the counter, in two numbers, and the key."""

    shape = (3,)
    dtype = np.dtype(np.int64)
    _spec = spec((3,), np.dtype(np.int64))

    def __init__(self, generator: Generator) -> None:
        self._generator = generator

    def numpy(self) -> Any:
        """Returns the counter and the key."""
        return np.asarray(self._generator._words(), np.int64)

    def read_value(self) -> EagerTensor:
        """Returns the counter and the key as a tensor."""
        return constant(self.numpy())

    value = read_value

    def assign(self, value: Any) -> None:
        """Takes the generator to where it was."""
        self._generator._put(np.asarray(value))

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return np.asarray(self.numpy(), dtype)

    def __getitem__(self, place: Any) -> EagerTensor:
        return self.read_value()[place]  # type: ignore[return-value]

    def __repr__(self) -> str:
        return f"<tf.Variable 'StateVar:0' shape=(3,) dtype=int64, numpy={self.numpy()!r}>"


@named("tf.random.Algorithm")
class Algorithm(enum.Enum):
    """The algorithms that TensorFlow draws by; a CPU has Philox alone, and `AUTO_SELECT` is Philox."""

    PHILOX = 1
    THREEFRY = 2
    AUTO_SELECT = 3


@named("tf.random.create_rng_state")
def create_rng_state(seed: Any, alg: Any) -> EagerTensor:
    """Returns the state of a generator that begins with a seed: the counter, in two numbers, and the key.

    >>> from penstock import tensorflow as tf
    >>> print(tf.random.create_rng_state(1234, "philox"))
    tf.Tensor([1234    0    0], shape=(3,), dtype=int64)
    """
    numbers.checked_algorithm(alg)
    return constant(np.asarray(_state_of(seed), np.int64))


def _state_of(seed: Any) -> list[int]:
    """Returns three numbers: those of a long number, lowest first, or those given, behind zeros."""
    if isinstance(seed, int):
        return [_signed(seed >> shift) for shift in (0, 64, 128)]
    given = [_signed(int(one)) for one in np.asarray(tensor_of(seed).numpy()).reshape(-1)[:3]]
    return [*[0] * (3 - len(given)), *given]


@named("tf.random.Generator")
class Generator:
    """Random numbers from a state of their own; other draws do not change them. They are TensorFlow's.

    >>> from penstock import tensorflow as tf
    >>> generator = tf.random.Generator.from_seed(7)
    >>> print(generator.uniform([2]))
    tf.Tensor([0.39932835 0.7840713 ], shape=(2,), dtype=float32)
    >>> print(generator.state.numpy())
    [519   0   0]
    """

    def __init__(self, copy_from: Any = None, state: Any = None, alg: Any = None) -> None:
        self._lock = threading.Lock()
        if copy_from is not None:
            state, alg = copy_from.state, copy_from.algorithm
        if alg is None or state is None:
            raise ArgumentError(
                "A Generator was given neither a generator to copy nor a state with an algorithm.",
                remedy="tf.random.Generator.from_seed(7) makes one.",
                site=here(),
            )
        numbers.checked_algorithm(alg)
        self._put(np.asarray(state if isinstance(state, GeneratorState) else tensor_of(state).numpy()))

    @classmethod
    def from_seed(cls, seed: Any, alg: Any = None) -> Generator:
        """Returns a generator whose numbers a seed decides."""
        return cls(state=create_rng_state(seed, alg), alg=alg or "philox")

    @classmethod
    def from_state(cls, state: Any, alg: Any) -> Generator:
        """Returns a generator in a state: the counter, in two numbers, and the key."""
        return cls(state=state, alg=alg)

    @classmethod
    def from_key_counter(cls, key: Any, counter: Any, alg: Any) -> Generator:
        """Returns a generator with a key, one number, and a counter, two numbers."""
        made = cls(state=[0, 0, 0], alg=alg)
        made.reset_from_key_counter(key, counter)
        return made

    @classmethod
    def from_non_deterministic_state(cls, alg: Any = None) -> Generator:
        """Returns a generator whose numbers differ from run to run."""
        return cls(state=np.frombuffer(os.urandom(24), np.int64), alg=alg or "philox")

    def reset(self, state: Any) -> None:
        """Takes the generator to a state."""
        self._put(np.asarray(tensor_of(state).numpy()))

    def reset_from_seed(self, seed: Any) -> None:
        """Starts the numbers of a seed."""
        self._put(np.asarray(_state_of(seed)))

    def reset_from_key_counter(self, key: Any, counter: Any) -> None:
        """Takes the generator to a key, one number, and a counter, two numbers."""
        words = np.asarray(tensor_of(counter).numpy()).reshape(-1).tolist()
        self._put(np.asarray([*words, int(np.asarray(tensor_of(key).numpy()))]))

    def _put(self, state: Any) -> None:
        if state.shape != (3,):
            raise ArgumentError(
                f"The state of a generator has the shape {state.shape}, not (3,).",
                why="It is the counter, in two numbers of 64 bits, and the key.",
                site=here(),
            )
        low, high, key = (int(one) & _WIDE for one in state)
        with self._lock:
            self._source = Counting(key, 0)
            self._source.drawn = low | high << 64

    def _words(self) -> list[int]:
        with self._lock:
            counter, key = self._source.drawn, self._source.seed
        return [_signed(counter), _signed(counter >> 64), _signed(key)]

    @property
    def state(self) -> GeneratorState:
        """The counter, in two numbers, and the key, as a variable."""
        return GeneratorState(self)

    _state_var = state

    @property
    def key(self) -> EagerTensor:
        """The key, one number."""
        return constant(np.asarray(self._words()[2], np.int64))

    @property
    def algorithm(self) -> int:
        """The number of the algorithm: 1, which is Philox."""
        return 1

    def skip(self, delta: Any) -> EagerTensor:
        """Moves on as if so many numbers had been drawn; returns the state from before."""
        for_each_element()
        before = self._words()
        self._source.key(int(delta) * 256)
        return constant(np.asarray(before, np.int64))

    def _key(self, shape: Any) -> tuple[PhiloxKey, Any]:
        for_each_element()
        lengths = lengths_of(shape)
        return self._source.key(int(np.prod(lengths, dtype=object)) * 256), lengths

    def normal(
        self, shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = np.float32, name: Any = None
    ) -> EagerTensor:
        """Returns draws from the normal distribution."""
        key, lengths = self._key(shape)
        return numbers.normal(key, lengths, mean, stddev, numpy_dtype(dtype), _frame(1))

    def truncated_normal(
        self, shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = np.float32, name: Any = None
    ) -> EagerTensor:
        """Returns draws from the normal distribution within two standard deviations of its mean."""
        key, lengths = self._key(shape)
        return numbers.normal(key, lengths, mean, stddev, numpy_dtype(dtype), _frame(1), cut=True)

    def uniform(
        self, shape: Any, minval: Any = 0, maxval: Any = None, dtype: Any = np.float32, name: Any = None
    ) -> EagerTensor:
        """Returns draws from `minval`, included, to `maxval` (1), not included; all integers without both."""
        low, high = _ends(dtype, minval, maxval)
        key, lengths = self._key(shape)
        return numbers.uniform(key, lengths, low, high, numpy_dtype(dtype), _frame(1))

    def uniform_full_int(self, shape: Any, dtype: Any = np.uint64, name: Any = None) -> EagerTensor:
        """Returns draws from all integers of the dtype."""
        key, lengths = self._key(shape)
        return numbers.uniform(key, lengths, None, None, numpy_dtype(dtype), _frame(1))

    def binomial(
        self, shape: Any, counts: Any, probs: Any, dtype: Any = np.int32, name: Any = None
    ) -> EagerTensor:
        """Returns how many of `counts` attempts succeed, each with a probability of `probs`."""
        for_each_element()
        lengths = lengths_of(shape)
        own = table.broadcast_shapes("binomial", *(operand(one)._spec.shape for one in (counts, probs)))
        draws = math.prod(lengths[: len(lengths) - len(own)])
        # TensorFlow moves its state on by 256 blocks for each of so many.
        blocks = math.prod(own) * 200 * (draws + 3) // 4 * 256
        return successes_of(self._source.key(blocks), lengths, counts, probs, dtype, _frame(1))

    def make_seeds(self, count: int = 1) -> EagerTensor:
        """Returns seeds for functions without a state, as columns: [2, count]."""
        keys = self.uniform_full_int([count], np.int64)
        return spoken(native.stack([keys, native.zeros_like(keys)]))

    def split(self, count: int = 1) -> list[Generator]:
        """Returns generators whose numbers this one decides."""
        keys = np.asarray(self.uniform_full_int([count], np.int64).numpy()).tolist()
        return [Generator(state=np.asarray([0, 0, key]), alg="philox") for key in keys]


_GLOBAL: list[Generator] = []


@named("tf.random.get_global_generator")
def get_global_generator() -> Generator:
    """Returns the generator that a program shares; it is made when it is first asked for."""
    if not _GLOBAL:
        _GLOBAL.append(Generator.from_non_deterministic_state())
    return _GLOBAL[0]


@named("tf.random.set_global_generator")
def set_global_generator(generator: Generator) -> None:
    """Replaces the generator that a program shares."""
    _GLOBAL[:] = [generator]
