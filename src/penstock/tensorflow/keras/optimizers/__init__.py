"""tf.keras.optimizers: Keras 3's optimizers over the native update rules."""

from __future__ import annotations

import re as _re
from collections.abc import Sequence as _Sequence
from typing import Any

from penstock.optimizers import accumulators as _accumulators
from penstock.optimizers import descent as _descent
from penstock.optimizers import matrices as _matrices
from penstock.optimizers import moments as _moments
from penstock.tensorflow._errors import ArgumentError as _ArgumentError
from penstock.tensorflow._names import namespace as _namespace
from penstock.tensorflow.keras.optimizers import schedules
from penstock.tensorflow.keras.optimizers._base import Optimizer as Optimizer
from penstock.tensorflow.keras.optimizers._base import over as _over
from penstock.tensorflow.keras.optimizers._fields import fields as _fields
from penstock.trace.source_site import here as _here


@_fields
class SGD(Optimizer):
    """Gradient descent, with momentum and Nesterov's look-ahead on request.

    >>> from penstock import tensorflow as tf
    >>> x = tf.Variable(0.0)
    >>> with tf.GradientTape() as tape:
    ...     loss = (x - 2) ** 2
    >>> tf.keras.optimizers.SGD(0.1).apply_gradients([(tape.gradient(loss, x), x)])
    >>> print(x.numpy())
    0.4
    """

    _native = _over(_descent.SGD)
    learning_rate: Any = 0.01
    momentum: float = 0.0
    nesterov: bool = False

    def _check(self, **common: Any) -> None:
        if not isinstance(self.momentum, float) or not 0 <= self.momentum <= 1:
            raise _ArgumentError("`momentum` must be a float between [0, 1].", site=_here())


@_fields
class Adam(Optimizer):
    """Adam as in Keras: epsilon is added to the root before it is corrected, the paper's epsilon-hat.

    >>> from penstock import tensorflow as tf
    >>> x = tf.Variable(1.0)
    >>> tf.keras.optimizers.Adam(0.1).apply_gradients([(tf.constant(3.0), x)])
    >>> print(f"{x.numpy():.5f}")
    0.90000
    """

    _native = _over(_moments.Adam, _floor="hat")
    learning_rate: Any = 0.001
    beta_1: float = 0.9
    beta_2: float = 0.999
    epsilon: float = 1e-7
    amsgrad: bool = False


@_fields
class AdamW(Adam):
    """Adam with decoupled weight decay.

    >>> from penstock import tensorflow as tf
    >>> x = tf.Variable(1.0)
    >>> tf.keras.optimizers.AdamW(0.5, weight_decay=0.5).apply_gradients([(tf.constant(0.0), x)])
    >>> print(x.numpy())
    0.75
    """

    _native = _over(_moments.AdamW, _floor="hat")
    learning_rate: Any = 0.001
    weight_decay: float = 0.004
    beta_1: float = 0.9
    beta_2: float = 0.999
    epsilon: float = 1e-7
    amsgrad: bool = False

    def _check(self, **common: Any) -> None:
        if common["weight_decay"] is None:
            raise _ArgumentError(
                "Argument `weight_decay` must be a float. Received: weight_decay=None", site=_here()
            )


@_fields
class Adamax(Optimizer):
    """Adamax as in Keras: epsilon is added to the norm after the maximum.

    >>> from penstock import tensorflow as tf
    >>> x = tf.Variable(1.0)
    >>> tf.keras.optimizers.Adamax(0.1).apply_gradients([(tf.constant(3.0), x)])
    >>> print(f"{x.numpy():.5f}")
    0.90000
    """

    _native = _over(_moments.Adamax, _floor="after")
    learning_rate: Any = 0.001
    beta_1: float = 0.9
    beta_2: float = 0.999
    epsilon: float = 1e-7


@_fields
class Nadam(Optimizer):
    """Nadam as in Keras: the momentum grows with 0.96 ** t.

    >>> from penstock import tensorflow as tf
    >>> x = tf.Variable(1.0)
    >>> tf.keras.optimizers.Nadam(0.1).apply_gradients([(tf.constant(3.0), x)])
    >>> print(f"{x.numpy():.3f}")
    0.894
    """

    _native = _over(_moments.Nadam)
    learning_rate: Any = 0.001
    beta_1: float = 0.9
    beta_2: float = 0.999
    epsilon: float = 1e-7

    def _make(self, arguments: dict[str, Any]) -> Any:
        made = super()._make(arguments)
        made.momentum_decay = 1.0
        return made


@_fields
class Adagrad(Optimizer):
    """Adagrad as in Keras: epsilon is added inside the root, and the sum starts at 0.1.

    >>> from penstock import tensorflow as tf
    >>> x = tf.Variable(1.0)
    >>> tf.keras.optimizers.Adagrad(0.5).apply_gradients([(tf.constant(3.0), x)])
    >>> print(f"{x.numpy():.5f}")
    0.50275
    """

    _native = _over(_accumulators.Adagrad, _floor="inside")
    learning_rate: Any = 0.001
    initial_accumulator_value: float = 0.1
    epsilon: float = 1e-7


@_fields
class Adadelta(Optimizer):
    """Adadelta, with Keras' learning rate of 0.001.

    >>> from penstock import tensorflow as tf
    >>> x = tf.Variable(1.0)
    >>> tf.keras.optimizers.Adadelta(1.0).apply_gradients([(tf.constant(3.0), x)])
    >>> print(f"{x.numpy():.5f}")
    0.99859
    """

    _native = _over(_accumulators.Adadelta)
    learning_rate: Any = 0.001
    rho: float = 0.95
    epsilon: float = 1e-7


@_fields
class RMSprop(Optimizer):
    """RMSprop as in Keras: epsilon is added inside the root.

    >>> from penstock import tensorflow as tf
    >>> x = tf.Variable(1.0)
    >>> tf.keras.optimizers.RMSprop(0.1).apply_gradients([(tf.constant(3.0), x)])
    >>> print(f"{x.numpy():.5f}")
    0.68377
    """

    _native = _over(_accumulators.RMSprop, _floor="inside")
    learning_rate: Any = 0.001
    rho: float = 0.9
    momentum: float = 0.0
    epsilon: float = 1e-7
    centered: bool = False


@_fields
class Ftrl(Optimizer):
    """FTRL-Proximal.

    >>> from penstock import tensorflow as tf
    >>> x = tf.Variable(1.0)
    >>> tf.keras.optimizers.Ftrl(1.0).apply_gradients([(tf.constant(3.0), x)])
    >>> print(f"{x.numpy():.4f}")
    -0.0993
    """

    _native = _over(_accumulators.Ftrl)
    learning_rate: Any = 0.001
    learning_rate_power: float = -0.5
    initial_accumulator_value: float = 0.1
    l1_regularization_strength: float = 0.0
    l2_regularization_strength: float = 0.0
    l2_shrinkage_regularization_strength: float = 0.0
    beta: float = 0.0

    def _check(self, **common: Any) -> None:
        for name in self._numbers[1:5]:
            value = getattr(self, name)
            if value < 0.0:
                raise _ArgumentError(
                    f"`{name}` needs to be positive or zero. Received: {name}={value}.", site=_here()
                )
        if self.learning_rate_power > 0.0:
            raise _ArgumentError(
                "`learning_rate_power` needs to be negative or zero. Received: "
                f"learning_rate_power={self.learning_rate_power}.",
                site=_here(),
            )


@_fields
class Lion(Optimizer):
    """Lion: steps of one length, along the sign of a mix of gradient and momentum.

    >>> from penstock import tensorflow as tf
    >>> x = tf.Variable(1.0)
    >>> tf.keras.optimizers.Lion(0.25).apply_gradients([(tf.constant(3.0), x)])
    >>> print(x.numpy())
    0.75
    """

    _native = _over(_descent.Lion)
    learning_rate: Any = 0.001
    beta_1: float = 0.9
    beta_2: float = 0.99

    def _check(self, **common: Any) -> None:
        if self.beta_1 <= 0 or self.beta_1 > 1:
            raise _ArgumentError(
                "Argument `beta_1` must be in the [0, 1] range. Otherwise, the optimizer degenerates to "
                f"SignSGD. Received: beta_1={self.beta_1}.",
                site=_here(),
            )


@_fields
class Lamb(Optimizer):
    """LAMB as in Keras: weight decay comes before, outside the ratio of norms.

    >>> from penstock import tensorflow as tf
    >>> x = tf.Variable([3.0, 4.0])
    >>> tf.keras.optimizers.Lamb(0.1).apply_gradients([(tf.constant([1.0, 1.0]), x)])
    >>> print(x.numpy().round(3))
    [2.646 3.646]
    """

    _native = _over(_moments.LAMB, _decays_inside=False)
    learning_rate: Any = 0.001
    beta_1: float = 0.9
    beta_2: float = 0.999
    epsilon: float = 1e-7


class _AdafactorUpdates(_matrices.Adafactor):
    """Adafactor, whose rate never exceeds 1 / sqrt(step) in Keras, whatever `relative_step` says."""

    def _rule(self, variable: Any = None, decays: bool = False) -> Any:
        return _matrices.FactoredSquares(True)


@_fields
class Adafactor(Optimizer):
    """Adafactor: the mean square of a matrix is kept as the means of its rows and columns.

    The rate is the smaller of `learning_rate` and 1 / sqrt(step); `relative_step` does not change that, as in
    Keras.

    >>> from penstock import tensorflow as tf
    >>> x = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    >>> tf.keras.optimizers.Adafactor(0.1).apply_gradients([(tf.ones([2, 2]), x)])
    >>> print(x.numpy().astype(float).round(3).tolist())
    [[0.726, 1.726], [2.726, 3.726]]
    """

    _native = type("Adafactor", (_over(_AdafactorUpdates),), {})
    learning_rate: Any = 0.001
    beta_2_decay: float = -0.8
    epsilon_1: float = 1e-30
    epsilon_2: float = 1e-3
    clip_threshold: float = 1.0
    relative_step: bool = True


class _MuonUpdates(_matrices.Muon):
    """Muon, told by Keras which variables it leaves to Adam."""

    _shell: Any = None
    _floor = "hat"

    def _excluded(self, variable: Any) -> bool:
        if variable._spec.ndim != 2:
            return True
        if self._shell is None:
            return False
        path = variable.path
        if self._shell.exclude_embeddings and "embedding" in path.lower():
            return True
        return any(_re.search(word, path) for word in self._shell.exclude_layers)


@_fields
class Muon(Optimizer):
    """Muon: momentum whose matrices are orthogonalized; Adam for everything else.

    >>> from penstock import tensorflow as tf
    >>> kernel = tf.Variable([[3.0, 0.0], [0.0, 1.0]])
    >>> tf.keras.optimizers.Muon(0.1).apply_gradients([(tf.constant([[3.0, 0.0], [0.0, 1.0]]), kernel)])
    >>> print(kernel.numpy().astype(float).round(2).tolist())
    [[2.98, 0.0], [0.0, 0.97]]
    """

    _native = type("Muon", (_over(_MuonUpdates),), {})
    learning_rate: Any = 0.001
    adam_beta_1: float = 0.9
    adam_beta_2: float = 0.999
    adam_weight_decay: float | None = 0.004
    epsilon: float = 1e-7
    weight_decay: float | None = 0.004
    exclude_layers: _Sequence[str] | None = None
    exclude_embeddings: bool = True
    muon_a: float = 3.4445
    muon_b: float = -4.7750
    muon_c: float = 2.0315
    adam_lr_ratio: float = 1
    momentum: float = 0.95
    ns_steps: int = 5
    nesterov: bool = True
    rms_rate: float | None = 0.2

    def _check(self, **common: Any) -> None:
        self.exclude_layers = self.exclude_layers or []

    def _arguments(self) -> dict[str, Any]:
        found = super()._arguments()
        for name in ("exclude_layers", "exclude_embeddings"):
            found.pop(name)
        found["ns_coefficients"] = tuple([float(found.pop(name)) for name in ("muon_a", "muon_b", "muon_c")])
        found["adam_learning_rate_ratio"] = found.pop("adam_lr_ratio")
        found["scale"] = found.pop("rms_rate")
        return found

    def __setattr__(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)
        if "_updates" in self.__dict__ and (name in self._numbers or name == "weight_decay"):
            for native, present in self._arguments().items():
                if present != self._given.get(native):
                    self._given[native] = present
                    setattr(self._updates, native, present)


__getattr__, __dir__, __all__ = _namespace(
    "tf.keras.optimizers", globals(), "keras.optimizers._identifiers keras.optimizers._scaling"
)
__all__ += ["schedules"]
