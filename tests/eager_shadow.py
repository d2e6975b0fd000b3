"""A second engine, eager and in plain NumPy, that gives random programs their expected values.

It computes each value at once, keeps every value's history for ever and walks it backwards from scratch:
too slow to use, too simple to be wrong in the ways a recorder can be. Names and semantics are `penstock`'s.
"""

from __future__ import annotations

import itertools
from types import SimpleNamespace

import numpy as np

clock = itertools.count()


class UsedUp(RuntimeError):
    """A tape that is not persistent was asked for gradients twice."""


class Tensor:
    """A value, when it was made, and of what: pairs of an operand and the derivative by it."""

    __array_priority__ = 1000

    def __init__(self, value, parents=(), watched=False):
        self.array = np.asarray(value)
        self.time = next(clock)
        self.parents = parents
        self.watched = watched  # by every tape that watches variables

    def numpy(self):
        return np.array(self.array)[()]

    def __float__(self):
        return float(self.array)

    def __bool__(self):
        return bool(self.array)

    def __add__(self, other):
        a, b = tensor(self), tensor(other)
        return Tensor(a.array + b.array, ((a, lambda ct: fit(ct, a)), (b, lambda ct: fit(ct, b))))

    def __sub__(self, other):
        a, b = tensor(self), tensor(other)
        return Tensor(a.array - b.array, ((a, lambda ct: fit(ct, a)), (b, lambda ct: fit(-ct, b))))

    def __mul__(self, other):
        a, b = tensor(self), tensor(other)
        return Tensor(a.array * b.array, ((a, lambda ct: fit(ct * b, a)), (b, lambda ct: fit(ct * a, b))))

    def __rsub__(self, other):
        return tensor(other) - self

    __radd__, __rmul__ = __add__, __mul__

    def __neg__(self):
        a = tensor(self)
        return Tensor(-a.array, ((a, lambda ct: -ct),))

    def __pow__(self, exponent):
        a = tensor(self)
        if exponent == 2:
            return Tensor(a.array * a.array, ((a, lambda ct: ct * a * 2.0),))
        assert exponent == 3
        return Tensor(a.array * a.array * a.array, ((a, lambda ct: ct * (a**2) * 3.0),))


class Variable(Tensor):
    """A named cell; every use of it as an operand is a separate read."""

    def __init__(self, value, *, name=None, trainable=True, dtype=None):
        self.array = np.array(value.array if isinstance(value, Tensor) else value, dtype)
        self.path, self.trainable, self.version = name, trainable, 0
        self.reads = []

    def value(self):
        made = Tensor(self.array, watched=self.trainable)
        self.reads.append(made)
        return made

    def write(self, value):
        value = np.asarray(value.array if isinstance(value, Tensor) else value, self.array.dtype)
        assert value.shape == self.array.shape
        self.array = value
        self.version += 1
        return self

    def assign(self, value):
        return self.write(value)

    def assign_add(self, delta):
        return self.write(self.array + (delta.array if isinstance(delta, Tensor) else delta))

    def assign_sub(self, delta):
        return self.write(self.array - (delta.array if isinstance(delta, Tensor) else delta))


def tensor(value):
    """Returns an operand as a tensor; of a variable, a new read."""
    if isinstance(value, Variable):
        return value.value()
    return value if isinstance(value, Tensor) else Tensor(value)


def fit(ct, a):
    """Sums a cotangent over the axis along which its operand was broadcast."""
    return total(ct) if ct.array.ndim > a.array.ndim else ct


def total(x):
    """Returns the sum of all elements."""
    a = tensor(x)
    return Tensor(a.array.sum(), ((a, lambda ct: ct * Tensor(np.ones_like(a.array))),))


def tanh(x):
    """Returns the hyperbolic tangent."""
    a = tensor(x)
    made = Tensor(np.tanh(a.array), ())
    made.parents = ((a, lambda ct: ct * (1.0 - made**2)),)
    return made


def stop_gradient(x):
    """Returns the value without its history."""
    return Tensor(tensor(x).array)


class GradientTape:
    """Intervals of time; a derivative passes through values that were made in one of them."""

    def __init__(self, persistent=False, watch_accessed_variables=True):
        self.persistent, self.watch_variables = persistent, watch_accessed_variables
        self.intervals, self.watched, self.used, self.open = [], [], False, False

    def __enter__(self):
        self.open, self.used = True, False
        self.intervals.append([next(clock), float("inf")])
        return self

    def __exit__(self, *exception):
        self.open = False
        self.pause()

    def pause(self):
        if self.intervals and self.intervals[-1][1] == float("inf"):
            self.intervals[-1][1] = next(clock)

    pauses = 0

    def stop_recording(self):
        tape = self

        class Pause:
            def __enter__(self):
                tape.pauses += 1
                if tape.pauses == 1:
                    tape.pause()

            def __exit__(self, *exception):
                tape.pauses -= 1
                if not tape.pauses:
                    tape.intervals.append([next(clock), float("inf")])

        return Pause()

    def reset(self):
        self.watched = []
        self.intervals = [[next(clock), float("inf")]]

    def watch(self, *watched):
        self.watched += [(one, next(clock)) for one in watched]

    def inside(self, one):
        return any(start <= one.time < stop for start, stop in self.intervals)

    def watched_since(self, one):
        """Returns the time from which operations on a value count, or None if it is no leaf of this tape."""
        for w, since in self.watched:
            if one is w or (
                isinstance(w, Variable) and one in w.reads and self.inside(one) and one.time > since
            ):
                return since
        return one.time if self.watch_variables and one.watched and self.inside(one) else None

    def gradient(self, target, sources, output_gradients=None, unconnected_gradients="none"):
        asked = target
        if self.used and not self.persistent:
            raise UsedUp
        if not self.persistent:
            self.used = True
            if self.open:
                self.pause()
        if isinstance(target, Variable):  # itself, and made of nothing else
            target = Tensor(target.array)
            target.watched, target.time = False, -1
        order = []
        seen = set()
        stack = [(target, False)]
        while stack:
            one, done = stack.pop()
            if done:
                order.append(one)
            elif id(one) not in seen:
                seen.add(id(one))
                stack.append((one, True))
                if self.inside(one):
                    stack += [(parent, False) for parent, _ in one.parents]
        made = set()  # from watched values, inside

        def tracked(parent, one):
            since = self.watched_since(parent)
            return id(parent) in made or (since is not None and since < one.time)

        for one in order:
            if self.inside(one) and any(tracked(parent, one) for parent, _ in one.parents):
                made.add(id(one))
        arrived = {
            id(target): output_gradients
            if output_gradients is not None
            else Tensor(np.ones_like(target.array))
        }
        for one in reversed(order):
            if id(one) in arrived and id(one) in made:
                for parent, derivative in one.parents:
                    if tracked(parent, one):
                        ct = derivative(arrived[id(one)])
                        before = arrived.get(id(parent))
                        arrived[id(parent)] = ct if before is None else before + ct

        def known(one):
            return id(one) in made or self.watched_since(one) is not None

        def by(source):
            if isinstance(source, list | tuple):
                return [by(one) for one in source]
            if source is asked and isinstance(source, Variable):
                return arrived[id(target)]
            slots = source.reads if isinstance(source, Variable) else [source]
            found = [
                arrived[id(one)] for one in slots if id(one) in arrived and (one is not target or known(one))
            ]
            if not found:
                return Tensor(np.zeros_like(source.array)) if unconnected_gradients == "zero" else None
            result = found[0]
            for one in found[1:]:
                result = result + one
            return result

        return by(sources)


class SGD:
    """Keras' gradient descent."""

    def __init__(self, learning_rate=0.01, momentum=0.0, nesterov=False):
        self.learning_rate, self.momentum, self.nesterov, self.velocity = (
            learning_rate,
            momentum,
            nesterov,
            {},
        )

    def apply_gradients(self, pairs):
        for gradient, variable in pairs:
            step = gradient.array * self.learning_rate
            if not self.momentum:
                variable.assign_sub(step)
                continue
            velocity = self.velocity.get(variable, 0.0) * self.momentum - step
            self.velocity[variable] = velocity
            variable.assign_add(velocity * self.momentum - step if self.nesterov else velocity)


class Adam:
    """Adam with epsilon outside the corrected root."""

    def __init__(self, learning_rate=0.001, beta_1=0.9, beta_2=0.999, epsilon=1e-8):
        self.learning_rate, self.beta_1, self.beta_2, self.epsilon = learning_rate, beta_1, beta_2, epsilon
        self.state, self.step = {}, 0

    def apply_gradients(self, pairs):
        self.step += 1
        for gradient, variable in pairs:
            mean, square = self.state.get(variable, (0.0, 0.0))
            mean = self.beta_1 * mean + (1 - self.beta_1) * gradient.array
            square = self.beta_2 * square + (1 - self.beta_2) * gradient.array**2
            self.state[variable] = mean, square
            first, second = mean / (1 - self.beta_1**self.step), square / (1 - self.beta_2**self.step)
            variable.assign_sub(self.learning_rate * first / (np.sqrt(second) + self.epsilon))


engine = SimpleNamespace(
    Variable=Variable,
    GradientTape=GradientTape,
    asarray=lambda value: Tensor(np.array(value)),
    sum=total,
    tanh=tanh,
    stop_gradient=stop_gradient,
    optimizers=SimpleNamespace(SGD=SGD, Adam=Adam),
)
"""The names that random programs use, as `ps` offers them."""
