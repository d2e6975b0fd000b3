"""Random numbers with their own seed under TensorFlow's names: generators and stateless functions."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np

from penstock.declared import named
from penstock.functions import array as native
from penstock.functions import random as source
from penstock.functions.keys import DrawKey
from penstock.tensorflow._convert import lengths_of, operand, tensor_of
from penstock.tensorflow._dtype import numpy_dtype
from penstock.tensorflow._errors import ArgumentError
from penstock.tensorflow._seeds import key_of
from penstock.tensorflow._tensor import EagerTensor, spoken
from penstock.trace.source_site import here
from penstock.trace.spec import spec
from penstock.trace.tensor import Tensor, concrete

_WORD = 0xFFFFFFFF


def _drawn(kind: str, shape: Any, dtype: Any, key: Any, **parameters: Any) -> EagerTensor:
    given = {name: one if isinstance(one, int | float) else operand(one) for name, one in parameters.items()}
    wanted = numpy_dtype(dtype)
    if kind == "uniform" and wanted.kind in "iu":
        low, high = (int(parameters[name]) for name in ("low", "high"))
        return spoken(source.integers(lengths_of(shape), low, high, dtype=wanted, key=key))
    function = getattr(source, kind)
    return spoken(function(lengths_of(shape), *given.values(), dtype=wanted, key=key))


def _top(dtype: Any, maxval: Any) -> Any:
    if maxval is not None:
        return maxval
    if numpy_dtype(dtype).kind in "iu":
        raise ArgumentError(f"Must specify maxval for integer dtype {numpy_dtype(dtype).name}", site=here())
    return 1.0


def _low(dtype: Any, minval: Any) -> Any:
    whole = numpy_dtype(dtype).kind in "iu"
    return minval if whole or not isinstance(minval, int) else float(minval)


# -- without a state ------------------------------------------------------------------------------------


def _fixed(seed: Any) -> Tensor:
    """Returns the key of two numbers: the same one gives the same draws, whatever was drawn before."""
    pair = np.asarray(tensor_of(seed).numpy()).reshape(-1)
    if pair.size != 2:
        raise ArgumentError(
            f"seed must have shape [2], not {list(pair.shape)}",
            remedy="Give two whole numbers: seed=(1, 2).",
            site=here(),
        )
    one, other = (int(number) & _WORD for number in pair)
    value = np.asarray([one, other, _WORD], np.uint32)
    value.flags.writeable = False
    return concrete(value, Tensor)


@named("tf.random.stateless_normal")
def stateless_normal(
    shape: Any, seed: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = np.float32, name: Any = None,
    alg: Any = "auto_select",
) -> EagerTensor:  # fmt: skip
    """Returns draws from the normal distribution that depend on two numbers alone.

    `alg` does nothing: draws are not TensorFlow's, whatever the algorithm is called.

    >>> from penstock import tensorflow as tf
    >>> first, second = (tf.random.stateless_normal([2], seed=(1, 2)) for _ in range(2))
    >>> bool(tf.reduce_all(first == second))
    True
    """
    return _drawn("normal", shape, dtype, _fixed(seed), mean=mean, stddev=stddev)


@named("tf.random.stateless_truncated_normal")
def stateless_truncated_normal(
    shape: Any, seed: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = np.float32, name: Any = None,
    alg: Any = "auto_select",
) -> EagerTensor:  # fmt: skip
    """Returns draws from the middle of the normal distribution that depend on two numbers alone.

    `alg` does nothing: draws are not TensorFlow's, whatever the algorithm is called.
    """
    return _drawn("truncated_normal", shape, dtype, _fixed(seed), mean=mean, stddev=stddev)


@named("tf.random.stateless_uniform")
def stateless_uniform(
    shape: Any, seed: Any, minval: Any = 0, maxval: Any = None, dtype: Any = np.float32, name: Any = None,
    alg: Any = "auto_select",
) -> EagerTensor:  # fmt: skip
    """Returns draws from `minval` to `maxval` that depend on two numbers alone.

    `alg` does nothing: draws are not TensorFlow's, whatever the algorithm is called.
    """
    if numpy_dtype(dtype).kind in "iu" and maxval is None:
        raise ArgumentError(
            f"For integer `dtype` argument <dtype: '{numpy_dtype(dtype).name}'>, argument `minval` and "
            f"`maxval` must be both None or not None. Got `minval`={minval} and `maxval`=None.",
            site=here(),
        )
    low, high = _low(dtype, minval), _top(dtype, maxval)
    return _drawn("uniform", shape, dtype, _fixed(seed), low=low, high=high)


@named("tf.random.stateless_categorical")
def stateless_categorical(
    logits: Any, num_samples: Any, seed: Any, dtype: Any = np.int64, name: Any = None
) -> EagerTensor:
    """Returns draws of classes, [batch, num_samples], that depend on two numbers alone."""
    return _classes(logits, num_samples, dtype, _fixed(seed))


# -- of this process's sequence -------------------------------------------------------------------------


def _classes(logits: Any, count: Any, dtype: Any, key: Any) -> EagerTensor:
    x = operand(logits)
    if len(x._spec.shape) != 2:
        raise ArgumentError(f"logits should be a matrix, got shape {list(x._spec.shape)}", site=here())
    wanted = np.dtype(np.int64) if dtype is None else numpy_dtype(dtype)
    drawn = source.categorical(x, (int(count),), dtype=wanted, key=key)
    return spoken(native.matrix_transpose(drawn))


@named("tf.random.categorical")
def categorical(
    logits: Any, num_samples: Any, dtype: Any = None, seed: Any = None, name: Any = None
) -> EagerTensor:
    """Returns draws of classes, [batch, num_samples], with probabilities softmax(logits).

    >>> from penstock import tensorflow as tf
    >>> print(tf.random.categorical([[0.0, 1e9, 0.0]], 3).numpy())
    [[1 1 1]]
    """
    return _classes(logits, num_samples, dtype, key_of(seed, "categorical", dtype))


@named("tf.random.shuffle", "tf.compat.v1.random_shuffle")
def shuffle(value: Any, seed: Any = None, name: Any = None) -> EagerTensor:
    """Returns the slices of a tensor along its first axis in random order."""
    return spoken(source.permutation(tensor_of(value), key=key_of(seed, "shuffle")))


@named("tf.random.gamma", "tf.compat.v1.random_gamma")
def gamma(
    shape: Any, alpha: Any, beta: Any = None, dtype: Any = np.float32, seed: Any = None, name: Any = None
) -> EagerTensor:
    """Returns draws from the gamma distribution, of shape [*shape, *alpha's]; gradients reach both."""
    a = operand(alpha)
    whole = (*lengths_of(shape), *a._spec.shape)
    wanted = numpy_dtype(dtype)
    drawn = spoken(source.gamma(whole, a, dtype=wanted, key=key_of(seed, "gamma", wanted)))
    return drawn if beta is None else drawn / beta


@named("tf.random.poisson")
def poisson(shape: Any, lam: Any, dtype: Any = np.float32, seed: Any = None, name: Any = None) -> EagerTensor:
    """Returns counts from the Poisson distribution, of shape [*shape, *lam's]."""
    rate = operand(lam)
    wanted, whole = numpy_dtype(dtype), (*lengths_of(shape), *rate._spec.shape)
    return spoken(source.poisson(whole, rate, dtype=wanted, key=key_of(seed, "poisson", wanted)))


class _OwnKey(DrawKey):
    """The key of a draw from a generator of its own."""

    __slots__ = ("_owner",)

    def next(self) -> DrawKey:
        """Returns the key of that generator's next draw."""
        return self._owner._key()  # type: ignore[attr-defined, no-any-return]


class _State:
    """How far a generator is, as checkpoints read and write it: the seed, and the number of the next draw."""

    shape = (2,)
    _spec = spec((2,), np.dtype(np.uint64))

    def __init__(self, generator: Generator) -> None:
        self._generator = generator

    def numpy(self) -> Any:
        """Returns the seed and the number."""
        with self._generator._lock:
            return np.asarray([self._generator._seed, self._generator._number], np.uint64)

    def assign(self, value: Any) -> None:
        """Takes the generator to where it was."""
        with self._generator._lock:
            self._generator._seed, self._generator._number = map(int, np.asarray(value))


@named("tf.random.Generator")
class Generator:
    """Random numbers from a seed of their own; other draws do not change them.

    >>> from penstock import tensorflow as tf
    >>> first, second = tf.random.Generator.from_seed(7), tf.random.Generator.from_seed(7)
    >>> bool(tf.reduce_all(first.normal([3]) == second.normal([3])))
    True
    """

    def __init__(self, seed: int) -> None:
        self._lock = threading.Lock()
        self.reset_from_seed(seed)

    @classmethod
    def from_seed(cls, seed: Any, alg: Any = None) -> Generator:
        """Returns a generator whose numbers a seed decides.

        `alg` does nothing: draws are not TensorFlow's, whatever the algorithm is called.
        """
        return cls(int(np.asarray(tensor_of(seed).numpy()).reshape(-1)[0]))

    @classmethod
    def from_non_deterministic_state(cls, alg: Any = None) -> Generator:
        """Returns a generator whose numbers differ from run to run.

        `alg` does nothing: draws are not TensorFlow's.
        """
        return cls(int.from_bytes(np.random.default_rng().bytes(8), "little"))

    def reset_from_seed(self, seed: int) -> None:
        """Starts the numbers of a seed."""
        with self._lock:
            self._seed, self._number = int(seed) & (_WORD << 32 | _WORD), 0

    @property
    def _state_var(self) -> _State:
        return _State(self)

    def _key(self) -> DrawKey:
        with self._lock:
            number, self._number = self._number, self._number + 1
        seed = (self._seed + (number >> 32)) & (_WORD << 32 | _WORD)
        # Numbers count down, so that they are not those of `tf.random.set_seed` with this seed.
        value = np.asarray([seed >> 32, seed & _WORD, (_WORD - 1 - number) & _WORD], np.uint32)
        value.flags.writeable = False
        made: Any = concrete(value, _OwnKey)
        made._owner = self
        return made  # type: ignore[no-any-return]

    def normal(
        self, shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = np.float32, name: Any = None
    ) -> EagerTensor:
        """Returns draws from the normal distribution."""
        return _drawn("normal", shape, dtype, self._key(), mean=mean, stddev=stddev)

    def truncated_normal(
        self, shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = np.float32, name: Any = None
    ) -> EagerTensor:
        """Returns draws from the normal distribution within two standard deviations of its mean."""
        return _drawn("truncated_normal", shape, dtype, self._key(), mean=mean, stddev=stddev)

    def uniform(
        self, shape: Any, minval: Any = 0, maxval: Any = None, dtype: Any = np.float32, name: Any = None
    ) -> EagerTensor:
        """Returns draws from `minval`, included, to `maxval` (1), not included."""
        low, high = _low(dtype, minval), _top(dtype, maxval)
        return _drawn("uniform", shape, dtype, self._key(), low=low, high=high)

    def make_seeds(self, count: int = 1) -> EagerTensor:
        """Returns seeds for functions without a state, as columns."""
        return self.uniform([2, count], -(2**31), 2**31 - 1, np.int32)

    def split(self, count: int = 1) -> list[Generator]:
        """Returns generators whose numbers this one decides."""
        seeds = np.asarray(self.make_seeds(count).numpy()).astype(np.int64).T
        return [Generator(int(one) << 32 ^ int(other)) for one, other in seeds]


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
