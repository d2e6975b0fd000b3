"""What went wrong, where each value came from, why it cannot work, and what to type instead."""

from __future__ import annotations

import functools
import pickle
from collections.abc import Callable
from typing import TYPE_CHECKING

from penstock.lazy import listed

if TYPE_CHECKING:
    from penstock.trace.source_site import Site


locate: Callable[[], Site | None] | None = None
"""Returns the user's line that led here; set by trace/source_site.py."""
rendered: Callable[[PenstockError], list[str]] | None = None
"""Returns the lines that IPython prints of an error; set by trace/tracebacks.py."""
message_among: Callable[..., str] | None = None
"""Returns the message among the arguments with which a program raises an error; set by a dialect."""


class PenstockError(Exception):
    """Base of every error that Penstock raises about a user's program.

    The message has up to four parts, a line or more each: the fact with its values, where each value came
    from, why it cannot work, and what to type. `site` is the user's file and line, when one is known.

    >>> import penstock as ps
    >>> x = ps.Variable([1.0, 2.0], name="x")
    >>> try:
    ...     x.assign([1.0, 2.0, 3.0])
    ... except ps.errors.PenstockError as error:
    ...     print(error.fact)
    assign to Variable 'x': the value is float32[3], the Variable is float32[2].
    """

    def __init__(
        self, *given: str | None, origin: str = "", why: str = "", remedy: str = "",
        site: Site | None = None, **named: object,
    ) -> None:  # fmt: skip
        if len(given) != 1 or named:
            if message_among is None:
                raise TypeError(f"{type(self).__name__} takes one message.")
            fact = message_among(*given, **named)
        else:
            fact = str(given[0])
        if site is None and len(given) == 1 and locate is not None:
            site = locate()
        self.trail: tuple[object, ...] = ()
        self.fact, self.origin, self.why, self.remedy, self.site = fact, origin, why, remedy, site
        where = f"  at {site}" if site is not None else ""
        origin = "\n".join(f"  {line}" for line in origin.splitlines())
        super().__init__("\n".join(part for part in (fact, where, origin, why, remedy) if part))

    @property
    def message(self) -> str:
        """The whole text of the error."""
        return str(self)

    @property
    def _render_traceback_(self) -> Callable[[], list[str]]:
        """What IPython calls to print the error, if errors are not to be printed whole."""
        if rendered is None:
            raise AttributeError("_render_traceback_")
        return functools.partial(rendered, self)

    def add_origin(self, lines: str) -> None:
        """Adds where more values came from."""
        origin = "\n".join(part for part in (self.origin, lines) if part)
        self.__init__(  # type: ignore[misc]
            self.fact, origin=origin, why=self.why, remedy=self.remedy, site=self.site
        )

    def move(self, site: Site) -> None:
        """Moves the error to another line of the user's."""
        self.__init__(  # type: ignore[misc]
            self.fact, origin=self.origin, why=self.why, remedy=self.remedy, site=site
        )


class InvalidArgumentError(PenstockError):
    """Operands that an operation cannot take; the subclasses say why.

    >>> import penstock as ps
    >>> try:
    ...     ps.matmul(ps.ones((2, 3)), ps.ones((2, 3)))
    ... except ps.errors.InvalidArgumentError as error:
    ...     print(type(error).__name__)
    ShapeError
    """


class ShapeError(InvalidArgumentError, ValueError):
    """Shapes that do not fit together.

    >>> import penstock as ps
    >>> try:
    ...     ps.zeros((2, 3)) + ps.zeros((4, 3))
    ... except ps.errors.ShapeError as error:
    ...     print(error.fact)
    add: the shapes (2, 3) and (4, 3) do not broadcast together.
    """


class DTypeError(InvalidArgumentError, TypeError):
    """Dtypes that an operation, or the dialect in use, does not mix.

    >>> import penstock as ps
    >>> try:
    ...     ps.exp(ps.asarray([True, False]))
    ... except ps.errors.DTypeError as error:
    ...     print(error.fact)
    exp takes floating-point operands; operand 1 is bool[2].
    """


class ArgumentError(InvalidArgumentError, ValueError):
    """An argument outside what a function or a layer takes.

    >>> import penstock as ps
    >>> try:
    ...     ps.layers.Dropout(1.5)
    ... except ps.errors.ArgumentError as error:
    ...     print(error.fact)
    Invalid value received for argument `rate`. Expected a float value between 0 and 1. Received: rate=1.5
    """


class NumberRangeError(InvalidArgumentError, OverflowError):
    """A Python number too large or too small for the dtype it would take.

    >>> import penstock as ps
    >>> try:
    ...     ps.asarray([1, 2], dtype=ps.uint8) + 300
    ... except ps.errors.NumberRangeError as error:
    ...     print(error.fact)
    The number 300 does not fit uint8.
    """


class ImmutableError(PenstockError, TypeError):
    """An attempt to write into a tensor, or into a part of a variable.

    >>> import penstock as ps
    >>> x = ps.asarray([1.0, 2.0])
    >>> try:
    ...     x[0] = 5.0
    ... except ps.errors.ImmutableError as error:
    ...     print(error.remedy)
    Make a new tensor: x = x.at[0].set(value).
    """


class SignatureError(PenstockError, TypeError):
    """A function that cannot be called with the number of arguments it will get.

    >>> import penstock as ps
    >>> try:
    ...     ps.while_loop(lambda x: x < 9.0, lambda x, step: x + step, 0.0)
    ... except ps.errors.SignatureError as error:
    ...     print(error.fact)
    while_loop: body_fn takes (x, step), and is called with 1 argument.
    """


class RangeError(InvalidArgumentError, IndexError):
    """An index outside the axis it points into. No variable was changed.

    >>> import penstock as ps
    >>> try:
    ...     print(ps.take(ps.asarray([1.0, 2.0]), ps.asarray([5])))
    ... except ps.errors.RangeError as error:
    ...     print(error.fact)
    take: index 5 (at position [0]) is out of range for axis 0, which has 2 entries.
    """


class TapeError(PenstockError, RuntimeError):
    """A tape was asked for something that it cannot give any more, or not yet.

    >>> import penstock as ps
    >>> x = ps.Variable(3.0)
    >>> with ps.GradientTape() as tape:
    ...     y = x * x
    >>> float(tape.gradient(y, x))
    6.0
    >>> try:
    ...     tape.gradient(y, x)
    ... except ps.errors.TapeError as error:
    ...     print(error.fact)
    This tape has already computed its one gradient.
    """


class GradientFunctionError(PenstockError, TypeError, ValueError):
    """A function with a custom gradient that does not return what such a function must return.

    >>> import penstock as ps
    >>> @ps.custom_gradient
    ... def halved(x):
    ...     return x * 0.5
    >>> try:
    ...     ps.grad(halved)(1.0)
    ... except ps.errors.GradientFunctionError as error:
    ...     print(error.fact)
    halved returned Tensor, not a pair.
    """


class NoGradientsError(PenstockError, ValueError):
    """No variable passed to an optimizer has a gradient; the message gives the reason for each.

    >>> import penstock as ps
    >>> counter = ps.Variable(0, name="counter")
    >>> with ps.GradientTape() as tape:
    ...     loss = counter * 2
    >>> try:
    ...     ps.optimizers.SGD(0.1).apply_gradients([(tape.gradient(loss, counter), counter)])
    ... except ps.errors.NoGradientsError as error:
    ...     print(error.fact)
    No gradients provided for any variable.
    """


class CaptureError(PenstockError, RuntimeError):
    """Code inside a captured step does something that a captured step cannot do, such as reading a value.

    >>> import penstock as ps
    >>> @ps.step
    ... def train(x):
    ...     return float(x)
    >>> try:
    ...     train(ps.asarray(1.0))
    ... except ps.errors.CaptureError as error:
    ...     print(error.fact)
    float() needs a value inside the captured step 'train'.
    """


class AbandonedError(PenstockError, RuntimeError):
    """A value that can no longer be computed, because the step that would have computed it failed.

    >>> import penstock as ps
    >>> indices = ps.asarray([5]) + 0
    >>> try:
    ...     print(ps.take(ps.asarray([1.0, 2.0]), indices))
    ... except ps.errors.RangeError:
    ...     pass
    >>> try:
    ...     print(indices)
    ... except ps.errors.AbandonedError as error:
    ...     print(error.fact.partition(",")[0])
    This value was never computed
    """


class SelectionError(PenstockError, LookupError):
    """A path pattern that matches no variable, or an object that has no variables.

    >>> import penstock as ps
    >>> weight = ps.Variable(0.0, name="encoder/kernel")
    >>> try:
    ...     ps.freeze("encodr/*", of=[weight])
    ... except ps.errors.SelectionError as error:
    ...     print(error.fact)
    freeze: the pattern 'encodr/*' matches none of 1 variable.
    """


class LockedError(PenstockError, RuntimeError):
    """A write to a frozen variable. Nothing was changed.

    >>> import penstock as ps
    >>> weight = ps.Variable(1.0, name="weight")
    >>> frozen = ps.freeze(weight)
    >>> try:
    ...     weight.assign(2.0)
    ... except ps.errors.LockedError as error:
    ...     print(error.fact)
    assign tried to write Variable 'weight', which is frozen.
    """


class ContractBroken(PenstockError, RuntimeError):
    """A step does what its contract forbids, or does not do what it promises. Nothing was written.

    `clause` is the clause that is broken, `variables` are the paths concerned, `site` the writer's line.

    >>> import penstock as ps
    >>> weight, other = ps.Variable(1.0, name="weight"), ps.Variable(1.0, name="other")
    >>> @ps.step(updates=weight)
    ... def move():
    ...     weight.assign_add(1.0)
    ...     other.assign_add(1.0)
    >>> try:
    ...     move()
    ... except ps.errors.ContractBroken as error:
    ...     print(error.fact)
    The contract of step 'move' is broken: assign_add writes 'other', which is not in updates=.
    """

    clause = ""
    variables: tuple[str, ...] = ()


class CheckpointError(PenstockError, ValueError):
    """A file that cannot be loaded, or things that cannot be saved together. Nothing was changed.

    >>> import penstock as ps, tempfile
    >>> path = tempfile.mkdtemp() + "/model.safetensors"
    >>> ps.save(path, ps.Variable([1.0, 2.0], name="weight"))
    >>> try:
    ...     done = ps.load(path, ps.Variable([1.0, 2.0, 3.0], name="weight"))
    ... except ps.errors.CheckpointError as error:
    ...     print(error.fact.partition(" does")[2])
     not fit: 0 missing, 0 extra, 1 differing.
    """


class FunctionNotFoundError(PenstockError, pickle.PicklingError):
    """An object holds a function that `pickle` cannot store, because no module has it by name.

    >>> import penstock as ps, pickle
    >>> layer = ps.layers.Dense(2, activation=lambda x: x * 2.0, name="head")
    >>> try:
    ...     pickle.dumps(layer)
    ... except ps.errors.FunctionNotFoundError as error:
    ...     print(error.fact)
    Layer 'head' cannot be pickled: its 'activation' is the function '<lambda>'.
    """


class NonFiniteError(PenstockError, ArithmeticError):
    """A gradient is infinite or NaN where finite gradients were required. No variable was changed.

    >>> import penstock as ps
    >>> weight = ps.Variable(1.0, name="weight")
    >>> ps.optimizers.SGD(0.1, finite=True).apply_gradients([(ps.asarray(float("inf")), weight)])
    >>> try:
    ...     print(weight.numpy())
    ... except ps.errors.NonFiniteError as error:
    ...     print(error.fact)
    The gradient for Variable 'weight' is not finite: inf.
    """


class UpdateWarning(UserWarning):
    """A step that will not update its variables, as its path already shows.

    It names the variables, the reason and the line, once for each line and path of the program. Under
    `penstock check` and `ps.watch` a finding says the same, and there is no warning.

    >>> import warnings
    >>> import penstock as ps
    >>> read, unread = ps.Variable(1.0, name="read"), ps.Variable(1.0, name="unread")
    >>> optimizer = ps.optimizers.SGD(0.1)
    >>> with warnings.catch_warnings(record=True, action="always") as told:
    ...     for _ in range(3):
    ...         with ps.GradientTape() as tape:
    ...             loss = read * read
    ...         gradients = tape.gradient(loss, [read, unread])
    ...         optimizer.apply_gradients(zip(gradients, [read, unread]))
    >>> len(told), told[0].category.__name__
    (1, 'UpdateWarning')
    >>> print(str(told[0].message).splitlines()[0])
    No gradient for 1 of 2 variables:

    To turn it off: `warnings.filterwarnings("ignore", category=ps.errors.UpdateWarning)`.
    """


__all__ = [
    "AbandonedError", "ArgumentError", "CaptureError", "CheckpointError", "ContractBroken", "DTypeError",
    "FunctionNotFoundError", "GradientFunctionError", "ImmutableError", "InvalidArgumentError", "LockedError",
    "NoGradientsError", "NonFiniteError", "NumberRangeError", "PenstockError", "RangeError", "SelectionError",
    "ShapeError", "SignatureError", "TapeError",
]  # fmt: skip
__dir__ = listed(__name__)
