"""The base of Paddle's optimizers: they use the gradients that `backward` left."""

from __future__ import annotations

import functools
import inspect
import math
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import FrameType
from typing import Any, ClassVar

import numpy as np

from penstock.declared import named
from penstock.grad.rows import Rows
from penstock.optimizers import optimizer as native
from penstock.optimizers.application import computing
from penstock.optimizers.moments import AdaptiveMoments
from penstock.optimizers.refusals import keepers
from penstock.optimizers.rules import Rule
from penstock.paddle._absences import tell_absent
from penstock.paddle._convert import HANDLES, converted, record
from penstock.paddle._declaring import in_optimizer
from penstock.paddle._errors import InvalidTypeError, InvalidValueError, KernelError, MissingArgumentError
from penstock.paddle._handing import dense
from penstock.paddle._mode import mode
from penstock.paddle._record import OWN_RECORD
from penstock.paddle._standing import ZERO, standing
from penstock.paddle._tensor import Leaf, Parameter, Tensor, as_result, rebind
from penstock.paddle._views import gather, shown_parameters, spread_from
from penstock.paddle.optimizer._fields import NATIVE
from penstock.paddle.optimizer._rules import AlsoPenalized, CountedAhead, Penalized
from penstock.paddle.optimizer.lr import LRScheduler
from penstock.state.pickled import Copied
from penstock.trace.engine import engine
from penstock.trace.local import local
from penstock.trace.recorder import IDLE_DEPTH, Trace
from penstock.trace.source_site import here, warn
from penstock.trace.spec import differentiable
from penstock.trace.tensor import Cell, concrete

_frame = sys._getframe


_ATTRIBUTES = {"learning_rate": 1.0}


@named("paddle.regularizer.L2Decay")
class L2Decay:
    """Adds `coeff` times the parameter to its gradient."""

    kind = "L2"

    def __init__(self, coeff: float = 0.0) -> None:
        self.coeff = coeff

    def __str__(self) -> str:
        return f"{self.kind}Decay, coeff={self.coeff:f}"


@named("paddle.regularizer.L1Decay")
class L1Decay(L2Decay):
    """Adds `coeff` times the parameter's sign to its gradient."""

    kind = "L1"


class _Shell(native.Optimizer):
    """The native optimizer behind one group of parameters: its rule and hyper-parameters are the owner's.

    Weight decay that is part of the gradient is the rule's, and decay apart from it the native optimizer's.
    """

    _by_call = True
    _multiplied = True
    _strict = False
    _mixed: bool = False  # type: ignore[misc]

    def __init__(
        self,
        owner: Optimizer,
        decay: Any,
        numbers: Mapping[str, float],
        also: Any = None,
        flags: Mapping[str, Any] | None = None,
    ) -> None:
        self._owner, self._own = owner, {**owner._flags, **numbers, **(flags or {})}
        self._also = None if also is None else (also.kind, float(also.coeff))
        self._penalty = "" if owner._apart or decay is None else decay.kind
        for name, value in numbers.items():
            setattr(self, name, value)
        coefficient = float(decay.coeff) if decay is not None and decay.coeff else None
        rows: Any = "exact" if owner._lazy is None else "lazy"
        super().__init__(0.0, name=type(owner).__name__, weight_decay=coefficient, rows=rows)
        self.site = owner.site
        self._made = decay, numbers, also, flags

    @property
    def _is_scheduled(self) -> bool:  # type: ignore[override]
        return isinstance(self._owner._learning_rate, LRScheduler)

    def _twin(self) -> _Shell:
        """Returns another that moves parameters as this one does."""
        return type(self)(self._owner, *self._made)

    def _receive(self, member: Any) -> None:
        """Takes over the state of a parameter."""
        self._state[member.variable._uid] = member
        self._fit(member)
        for cell in member.cells.values():
            keepers[cell._uid] = self

    def _begin_at(self, steps: int) -> None:
        """Counts on from a number of steps."""
        if self._stale:
            self._restructure()
        self._count[0] = steps
        self._share()

    def __reduce__(self) -> tuple[Any, ...]:
        return _empty_shell, (type(self).__name__,), self.__getstate__()

    def _holds(self) -> list[Any]:
        return [one for one in self._owner._parameter_list if isinstance(one, Cell)]

    @property
    def _masters(self) -> bool:  # type: ignore[override]
        return self._owner._multi_precision

    def _all_numbers(self) -> set[str]:
        # Paddle takes any number, a negative learning rate too.
        return set()

    def _rule(self, variable: Any = None, decays: bool = False) -> Rule:
        if variable is not None and not differentiable(variable._spec):
            raise KernelError(
                f"{type(self._owner).__name__} cannot update {variable.name}, which is {variable._spec!r}.",
                origin=f"{variable.name} created at {variable.site}",
                why="No optimizer of Paddle's has a kernel for its dtype.",
                remedy="Make it a float: 3.0 instead of 3, or x.astype('float32').",
                site=here(),
            )
        rule = self._owner._rule(decays, self._own)
        if type(rule) is AdaptiveMoments and _by_rows(variable) and not self._owner._apart:
            rule = CountedAhead(rule.floor, rule.largest)
            # From here on an update uses the rule of each parameter.
            self._mixed = self._various = True
        if self._also is not None:
            return AlsoPenalized(rule, *self._also, decaying=decays and not rule.decays)
        return Penalized(rule, self._penalty) if decays and self._penalty else rule

    def _exempt(self, variable: Any) -> bool:
        spared = self._own.get("exclude_from_weight_decay_fn", self._owner._spared)
        return spared is not None and bool(spared(variable))


_Part = tuple[list[Any], float, _Shell]
"""Parameters that move alike: they, the factor of the learning rate, and the native optimizer."""
_OF_BASE = ("learning_rate", "parameters", "weight_decay", "grad_clip", "name")
_OF_GROUPS = ("params", "learning_rate", "weight_decay", "grad_clip")


def _by_rows(parameter: Any) -> bool:
    """Returns whether a parameter is a table that was read with `sparse=True`."""
    return bool(getattr(parameter, "sparse", False))


def _decay_of(given: Any) -> Any:
    return L2Decay(given) if isinstance(given, float | int) else given


@functools.cache
def _shell_of(name: str) -> type[_Shell]:
    """Returns the class of the native optimizers behind one of Paddle's: they sign writes with its name."""
    return type(name, (_Shell,), {})


def _empty_shell(name: str) -> _Shell:
    """Returns what `pickle` fills."""
    return object.__new__(_shell_of(name))


def _type_of(kind: type) -> str:
    """Returns Paddle's name for the rule of an optimizer, also of a class that a program derives from one."""
    own = next(one for one in kind.__mro__ if one.__module__.startswith("penstock."))
    return own.__name__.lower()


def _penalized(parameter: Any, gradient: Any, penalty: Any) -> Any:
    """Returns a gradient with the penalty of the parameter, or of the optimizer."""
    own = getattr(parameter, "regularizer", None) or penalty
    if gradient is None or own is None:
        return gradient
    return gradient + own.coeff * (parameter.sign() if own.kind == "L1" else parameter)


def _arguments(kind: type) -> Iterable[str]:
    return inspect.signature(kind).parameters


def _refuse_shared(groups: Sequence[Mapping[str, Any]]) -> None:
    """Raises ValueError if a parameter is in more than one group."""
    seen: dict[int, int] = {}
    for number, group in enumerate(groups):
        for one in {id(one): one for one in group["params"]}.values():
            if id(one) in seen:
                raise InvalidValueError(
                    "some parameters appear in more than one parameter group",
                    origin=f"{one.name} is in groups {seen[id(one)]} and {number}",
                    why="Each step would move it twice.",
                    remedy=f"List {one.name} in one group alone.",
                    site=here(),
                )
            seen[id(one)] = number


def _waits(parameter: Any) -> bool:
    """Returns whether a parameter has a gradient that an optimizer could apply."""
    waiting = parameter._gradient is not None and parameter._gradient is not ZERO
    return waiting and isinstance(parameter, Cell)


@in_optimizer
class Optimizer(Copied):
    """Base of the optimizers. Use a subclass, such as `SGD` or `Adam`.

    >>> from penstock import paddle
    >>> x = paddle.to_tensor(1.0, stop_gradient=False)
    >>> optimizer = paddle.optimizer.SGD(0.5, parameters=[x])
    >>> (x * x).backward()
    >>> optimizer.step()
    >>> optimizer.clear_grad()
    >>> x.item()
    0.0
    """

    _apart: ClassVar[bool] = False
    """Whether weight decay is decoupled from the gradient."""
    _penalises_groups: ClassVar[bool] = False
    """Whether the `weight_decay` of a group is a penalty in its gradient, beside a decay apart from it."""
    _names: ClassVar[dict[str, str]] = {}
    """Paddle's names of the slots of each parameter, by the native ones."""
    _of_each_group: ClassVar[frozenset[str]] = frozenset()
    """The arguments besides numbers that a group of parameters may have of its own."""
    _powers: ClassVar[dict[str, tuple[str | float, int]]] = {}
    """Powers that Paddle keeps in place of a number of steps: the base, and the excess over the steps."""
    _spread: ClassVar[bool] = False
    """Whether Paddle keeps powers and other single numbers in the shape of the parameter."""
    _count_word: ClassVar[str] = ""
    """Under which word Paddle keeps the number of steps of a parameter, if it does."""
    _guarded = False
    """Whether the step is taken for a `GradScaler`, which leaves it out if a gradient is not finite."""
    _multi_precision = False
    """Whether master weights in float32 are kept of half-precision parameters."""
    _wide_gradients = False
    """Whether gradients of half-precision parameters are clipped and decayed in float32."""
    _spared: Callable[[Any], Any] | None = None
    """Which parameters do not decay."""
    _flags: dict[str, Any]
    """The other arguments of the constructor, on which the rule depends besides its numbers."""
    _lazy: Callable[[Any], Any] | None = None
    """The parameters of which only the rows that were read move, if not all rows do."""

    def __init__(
        self,
        learning_rate: Any,
        parameters: Any,
        weight_decay: Any,
        grad_clip: Any,
        name: str | None,
        numbers: dict[str, float] | None = None,
    ) -> None:
        self.site = here()
        if parameters is None and mode.static:
            # `minimize` tells which ones a program has.
            parameters = []
        if parameters is None:
            raise MissingArgumentError(
                "parameters argument given to the Optimizer should not be None in dygraph mode.",
                remedy="Tell it what to train: parameters=model.parameters().",
                site=self.site,
            )
        if isinstance(parameters, (*HANDLES, dict)):
            raise InvalidTypeError(
                "`parameters` argument given to the optimizer should be an iterable of paddle Tensors, but "
                f"got argument type is `{type(parameters)}`.",
                remedy="Give a list: parameters=[x].",
                site=self.site,
            )
        if not isinstance(parameters, Iterable):
            raise InvalidTypeError(
                f"'{type(parameters).__name__}' object is not iterable",
                origin=f"parameters is {parameters!r}"[:120],
                why="An optimizer moves the tensors of a list.",
                remedy="Give it those of a layer: parameters=layer.parameters().",
                site=self.site,
            )
        if not isinstance(learning_rate, float | int | LRScheduler):
            raise InvalidTypeError(
                f"learning rate should be float or LRScheduler, got {type(learning_rate)} here",
                site=self.site,
            )
        self._learning_rate = learning_rate
        self._rate_in_use: float | None = None
        self._grad_clip = grad_clip
        self._name = name
        self._decay = _decay_of(weight_decay)
        self.regularization = None if self._apart else self._decay
        self.type = _type_of(type(self))
        self._numbers = numbers or {}
        self._own: dict[int, Leaf] = {}
        self._train(list(parameters))

    def _begin_with(self, given: dict[str, Any], numbers: dict[str, float]) -> None:
        """Begins with the arguments of a constructor, by name, and the rule's numbers among them."""
        self._multi_precision = bool(given.get("multi_precision", False))
        self._lazy = _by_rows if given.get("lazy_mode", False) else None
        begun = (given.get(one) for one in _OF_BASE)
        Optimizer.__init__(self, *begun, numbers)  # type: ignore[call-arg]

    def _train(self, given: list[Any]) -> None:
        """Takes the parameters to train, or groups of them."""
        numbers, decay, grad_clip = self._numbers, self._decay, self._grad_clip
        self._groups: list[_Part] = []
        self._together: list[tuple[Any, list[_Part]]] = []
        self._param_groups: list[Any] = given
        if given and isinstance(given[0], dict):
            _refuse_shared(given)
            for group in given:
                own = _decay_of(group.get("weight_decay", decay))
                if self._apart and not self._penalises_groups and type(own) is L1Decay:
                    raise InvalidTypeError(
                        f"{type(self).__name__}: the weight_decay of a group must be a number, but got {own}",
                        why="Its decay is apart from the gradient, and takes a share of the value.",
                        remedy="Say weight_decay=0.01, or use Adam, whose decay is a penalty.",
                        site=here(),
                    )
                rate, also = group.get("learning_rate", 1.0), None
                if self._penalises_groups:
                    own, also = decay, _decay_of(group.get("weight_decay"))
                    if "lamb_weight_decay" in group:
                        own = L2Decay(group["lamb_weight_decay"])
                for one in group["params"]:
                    if isinstance(one, Parameter):
                        # Paddle notes it there, where a later optimizer reads it.
                        one.optimize_attr["learning_rate"] = rate
                        if not self._apart:
                            one.regularizer = own
                        elif also is not None:
                            one.regularizer = also
                flags = {word: value for word, value in group.items() if word in self._of_each_group}
                shell = self._shell(own, self._numbers_of(group, numbers), also, flags)
                parts = [(list(group["params"]), rate, shell)]
                self._together.append((group.get("grad_clip", grad_clip), parts))
        else:
            self._together.append((grad_clip, self._by_attributes(given, decay, numbers)))
        self._groups = [part for _, parts in self._together for part in parts]
        self._parameter_list = (
            given
            if given and not isinstance(given[0], dict)
            else [one for group, _, _ in self._groups for one in group]
        )
        self._plain = all(isinstance(one, Leaf) for one in self._parameter_list)

    def _kept(self) -> dict[str, Any]:
        return {**self.__dict__, "_own": {}}

    def _shell(self, decay: Any, numbers: Mapping[str, float], also: Any = None, flags: Any = None) -> _Shell:
        return _shell_of(type(self).__name__)(self, decay, numbers, also, flags)

    def _by_attributes(self, given: list[Any], decay: Any, numbers: Mapping[str, float]) -> list[_Part]:
        """Returns parameters grouped by the settings of their ParamAttr: a factor of the rate, a penalty."""
        found: dict[Any, _Part] = {}
        for one in given:
            factor = getattr(one, "optimize_attr", _ATTRIBUTES)["learning_rate"]
            own = getattr(one, "regularizer", None)
            # A decoupled decay stays in effect together with a parameter's own penalty.
            also = own if self._apart else None
            penalty = decay if own is None or self._apart else own
            key = factor, *(None if it is None else (it.kind, it.coeff) for it in (penalty, also))
            if key not in found:
                found[key] = ([], factor, self._shell(penalty, numbers, also))
            found[key][0].append(one)
        return list(found.values()) or [([], 1.0, self._shell(decay, numbers))]

    def _numbers_of(self, group: Mapping[str, Any], numbers: Mapping[str, float]) -> Mapping[str, float]:
        """Returns the numbers of a group's rule: those of the optimizer unless the group sets them."""
        found = dict(numbers)
        for key, value in group.items():
            word = NATIVE.get(key, key)
            if word in found:
                found[word] = float(value)
            elif key not in (*_OF_GROUPS, *self._of_each_group):
                one = f" Make an optimizer for each {key}." if key in _arguments(type(self)) else ""
                warn(f"{type(self).__name__} does not read {key!r} of a parameter group, as in Paddle.{one}")
        return found

    def _besides(self, state: Mapping[str, Any], steps: int, own: Mapping[str, Any]) -> dict[str, Any]:
        """Returns what Paddle keeps of a parameter besides the slots: it follows from these."""
        return {}

    def _rule(self, decays: bool, own: Mapping[str, Any]) -> Rule:
        """Returns the rule for parameters that decay, or for others; without a penalty in the gradient.

        `own` are the settings of their group.
        """
        raise NotImplementedError

    # -- learning rate -------------------------------------------------------------------------------------

    def get_lr(self) -> float:
        """Returns the present learning rate."""
        rate = self._learning_rate
        return rate() if isinstance(rate, LRScheduler) else float(rate)

    def set_lr(self, value: float) -> None:
        """Sets the learning rate; not possible with a scheduler."""
        if isinstance(self._learning_rate, LRScheduler):
            raise RuntimeError(
                "optimizer's learning rate can't be LRScheduler when invoke this API, because this will "
                "lead to conflict."
            )
        self._learning_rate = float(value)
        if self._rate_in_use is not None:
            self._rate_in_use = self._learning_rate

    def set_lr_scheduler(self, scheduler: LRScheduler) -> None:
        """Uses a scheduler for the learning rate."""
        self._learning_rate = scheduler

    def _kept_rate(self, wanted: float, frame: FrameType) -> float:
        """Returns the rate of the first step: as in Paddle, setting the attribute later changes nothing."""
        kept = self._rate_in_use
        assert kept is not None
        warn(
            f"optimizer._learning_rate was set to {wanted!r} after the first step, and the steps go on with "
            f"{kept!r}, as in Paddle. Write optimizer.set_lr({wanted!r}).",
            frame=frame,
        )
        return kept

    # -- steps ---------------------------------------------------------------------------------------------

    def step(self) -> None:
        """Updates every parameter that has a gradient."""
        self._step(_frame(1))

    def _step(self, frame: FrameType) -> None:
        trace: Any = local.trace
        tape: Any = (trace.standing if type(trace) is Trace else None) or standing()
        tape.needed = True
        order = tape.order
        if self in order:
            tape.last = order[-1]
            tape.order = [self]
        else:
            order.append(self)
        if engine.absences.functions:
            tell_absent(tape.order.index(self), self._parameter_list, frame)
        rate = self._learning_rate
        if type(rate) is not float and isinstance(rate, LRScheduler):
            if engine.slots.functions:
                engine.slots.tell("scheduled", frame, type(self).__name__, [rate])
            rate = self._rate_in_use = rate()
        elif self._rate_in_use is None:
            self._rate_in_use = rate
        elif rate != self._rate_in_use:
            rate = self._kept_rate(rate, frame)
        record = trace.node.facts.get(OWN_RECORD)
        # Most paths hold no views, and are known not to.
        if (record is None or record.may_share) and type(trace) is Trace:
            gather(trace)
        for clip, parts in self._together:
            if clip is None:
                for part in parts[:]:
                    parameters, factor, inner = part
                    if pairs := self._waiting(parameters, frame):
                        if len(pairs) < len(parameters):
                            self._leave(parts, part, pairs)
                        self._move(inner, rate * factor, pairs, frame)
                continue
            listed = [self._waiting(parameters, frame) for parameters, _, _ in parts]
            if any(listed):
                clipped = iter(clip._clipped([pair for pairs in listed for pair in pairs], frame))
                listed = [[next(clipped) for _ in pairs] for pairs in listed]
            for part, pairs in zip(parts[:], listed):
                if pairs:
                    if len(pairs) < len(part[0]):
                        self._leave(parts, part, pairs)
                    self._move(part[2], rate * part[1], pairs, frame)
        if shown_parameters:
            spread_from(self._parameter_list, type(self).__name__, frame)
        last = self is tape.last
        over = last and not tape.cleared
        if (over or trace.node.depth >= IDLE_DEPTH) and type(trace) is Trace:
            tape.leave(trace, over)
        if last:
            tape.cleared = False

    def _leave(self, parts: list[_Part], part: _Part, pairs: list[tuple[Any, Any]]) -> None:
        """Leaves the parameters of a part that have no gradient now behind, with the steps made so far.

        Paddle counts the steps of each parameter. Those that have always moved together share a count here.
        """
        inner = part[2]
        if inner._stale:
            inner._restructure()
        if not inner._counts:
            return
        moved = {id(one) for _, one in pairs}
        self._split(parts, part, [one for one in part[0] if id(one) not in moved])

    def _split(self, parts: list[_Part], part: _Part, left: list[Any]) -> _Shell:
        """Gives some parameters of a part a part of their own, with their state and the number of steps."""
        parameters, factor, inner = part
        apart = {id(one) for one in left}
        other = inner._twin()
        for one in left:
            member = inner._state.pop(self._own.get(id(one), one)._uid, None)
            if member is not None:
                other._receive(member)
        step = inner._shared.get("step")
        if step is not None:
            other._begin_at(int(step.numpy()))
        place = next(i for i, one in enumerate(parts) if one is part)
        parts[place] = [one for one in parameters if id(one) not in apart], factor, inner
        parts.append((left, factor, other))
        self._groups = [one for _, some in self._together for one in some]
        return other

    def _waiting(self, parameters: list[Any], frame: FrameType) -> list[tuple[Any, Any]]:
        """Returns the parameters that want an update and have a gradient, each after it."""
        pairs = []
        for one in parameters:
            gradient = one._gradient
            if gradient is None or not (one._trainable if isinstance(one, Leaf) else one._is_watched):
                continue
            if gradient is ZERO:
                gradient = concrete(np.zeros(one._spec.shape, one._spec.dtype), Tensor)
            pairs.append((gradient, one))
        if self._wide_gradients:
            pairs = [(_widened(gradient, frame), one) for gradient, one in pairs]
        return pairs

    def _move(self, inner: _Shell, rate: float, pairs: list[tuple[Any, Any]], frame: FrameType) -> None:
        if engine.slots.functions:
            left = [one for _, one in pairs if isinstance(one, Cell)]
            empty = [one for one in left if one._gradient is ZERO]  # type: ignore[attr-defined]
            engine.slots.tell("applied", frame, type(self).__name__, left)
            engine.slots.tell("empty", frame, type(self).__name__, empty)
        if self._guarded is not (inner.finite == "skip"):
            inner.finite = "skip" if self._guarded else False
        if inner.learning_rate != rate:
            inner.learning_rate = rate
        if self._lazy is not None:
            pairs = [(gradient if self._lazy(one) else dense(gradient), one) for gradient, one in pairs]
        if self._plain:
            inner._apply(pairs, frame)
        else:
            self._apply(inner, pairs, frame)

    def _apply(self, inner: _Shell, pairs: list[tuple[Any, Any]], frame: FrameType) -> None:
        plain = []
        results = []
        for gradient, one in pairs:
            if isinstance(one, Cell):
                plain.append((gradient, one))
                continue
            leaf = self._own.get(id(one))
            if leaf is None:
                leaf = self._own[id(one)] = Leaf(one._array("step()", frame), False, one.name)
            else:
                leaf._write("set_value", one, None, frame)
            plain.append((gradient, leaf))
            results.append((one, leaf))
        inner._apply(plain, frame)
        for one, leaf in results:
            rebind(one, as_result(leaf, frame))
            one.__class__ = Tensor
            rebind(one, record(_wall(), (one,), {}, frame))
            one._watch(frame)

    def _keep_masters(self, wanted: bool, wide_gradients: bool) -> None:
        """Says whether master weights are kept, and whether gradients are widened before they are clipped."""
        self._multi_precision, self._wide_gradients = wanted, wide_gradients
        for _, _, inner in self._groups:
            inner._refit()

    def clear_grad(self, set_to_zero: bool = True) -> None:
        """Sets the gradients of the parameters to zeros, or to None. Ends a step of the training loop."""
        word = ZERO if set_to_zero else None
        if engine.slots.functions:
            left = [one for one in self._parameter_list if _waits(one)]
            engine.slots.tell("cleared", _frame(1), "", left)
        for one in self._parameter_list:
            if one._gradient is not None:
                one._gradient = word
        trace: Any = local.trace
        if type(trace) is Trace:
            tape: Any = trace.standing or standing()
            if tape.last is self or tape.last is None:
                tape.clear(trace)

    clear_gradients = clear_grad

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Sets the gradients of the parameters to None, or to zeros. Ends a step of the training loop."""
        self.clear_grad(not set_to_none)

    def minimize(
        self, loss: Any, startup_program: Any = None, parameters: Any = None, no_grad_set: Any = None
    ) -> tuple[list[Any], list[Any]]:
        """Updates the parameters, or those named, by the gradients that `loss.backward()` left.

        In the dynamic mode `loss`, `startup_program` and `no_grad_set` do nothing, as in Paddle. A loss of a
        static program is differentiated there, and each run of the program updates the parameters.
        """
        if mode.builds():
            operations, pairs = mode.training.minimize(self, loss, parameters, no_grad_set, _frame(1))
            return operations, pairs
        chosen = self._parameter_list if parameters is None else list(parameters)
        pairs = [(one, one.grad) for one in chosen if one._gradient is not None]
        held = {id(one) for one in chosen}
        apart = [one for one in self._parameter_list if id(one) not in held]
        kept = [one._gradient for one in apart]
        for one in apart:
            one._gradient = None
        try:
            self._step(_frame(1))
        finally:
            for one, gradient in zip(apart, kept):
                one._gradient = gradient
        return [], pairs

    def backward(
        self, loss: Any, startup_program: Any = None, parameters: Any = None, no_grad_set: Any = None,
        callbacks: Any = None,
    ) -> list[tuple[Any, Any]]:  # fmt: skip
        """Returns the parameters that have a gradient, each with it; `loss.backward()` has left them.

        In the dynamic mode no argument does anything, as in Paddle; in a static program `startup_program`
        and `callbacks` do not.
        """
        if mode.builds():
            written = mode.training.append_backward(loss, parameters, no_grad_set, frame=_frame(1))
            return list(written)
        return [(one, one.grad) for one in self._parameter_list if one._gradient is not None]

    def apply_gradients(self, params_grads: Sequence[tuple[Any, Any]]) -> list[Any]:
        """Updates parameters by the gradients passed with them."""
        if mode.builds():
            return mode.training.apply(self, params_grads, _frame(1))  # type: ignore[no-any-return]
        for one, gradient in params_grads:
            one._gradient = gradient
        self._step(_frame(1))
        return []

    def append_regularization_ops(self, parameters_and_grads: Any, regularization: Any = None) -> list[Any]:
        """Returns pairs of parameters and gradients, with penalties: each parameter's own, or this one."""
        return [(one, _penalized(one, gradient, regularization)) for one, gradient in parameters_and_grads]

    # -- state ---------------------------------------------------------------------------------------------

    def get_opti_var_name_list(self) -> list[str]:
        """Returns the names of the optimizer's own state; there is none before the first step."""
        return [name for name in self.state_dict() if name not in ("LR_Scheduler", "master_weights")]

    def state_dict(self) -> dict[str, Any]:
        """Returns the optimizer's own state by Paddle's names, and the scheduler's."""
        found: dict[str, Any] = {}
        for _, _, inner in self._groups:
            step = inner._shared.get("step")
            for member in inner._state.values():
                path = _kept_under(member.variable, "master" in member.cells)
                shape = member.variable._spec.shape if self._spread else (1,)
                state = {slot: cell.numpy() for slot, cell in member.cells.items()}
                for slot, cell in member.cells.items():
                    if slot == "master":
                        masters = found.setdefault("master_weights", {})
                        masters[member.variable.path] = Leaf(cell.numpy(), name=path)
                        continue
                    value = state[slot]
                    if self._spread and not value.shape:
                        value = np.full(shape, value)
                    found[f"{path}_{self._names[slot]}_0"] = Leaf(value)
                wide = member.variable._spec.dtype == np.float64
                dtype = np.dtype(np.float64 if wide else np.float32)
                steps = 0 if step is None else int(step.numpy())
                for word in self._powers if step is not None else ():
                    base, ahead = self._power(inner, word)
                    found[f"{path}_{word}_0"] = Leaf(np.full(shape, power_of(base, steps + ahead, dtype)))
                if state:
                    for word, value in self._besides(state, steps, inner._own).items():
                        found[f"{path}_{word}_0"] = Leaf(value)
        if isinstance(self._learning_rate, LRScheduler):
            found["LR_Scheduler"] = self._learning_rate.state_dict()
        return found

    def set_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Loads what `state_dict` returned."""
        frame = _frame(1)
        for parts, (parameters, _, inner) in [(some, one) for _, some in self._together for one in some]:
            steps: dict[int, list[Any]] = {}
            for one in parameters:
                if not isinstance(one, Leaf):
                    continue
                kept = inner._rule(one).start(one._spec)
                master = state_dict.get("master_weights", {}).get(one.path)
                path = _kept_under(one, master is not None)
                wanted = {slot.name: f"{path}_{self._names[slot.name]}_0" for slot in kept}
                if master is not None and self._multi_precision:
                    inner._begin([one])
                    if "master" in inner._state[one._uid].cells:
                        cell: Any = inner._state[one._uid].cells["master"]
                        cell._write("set_state_dict", np.asarray(master), None, frame)
                if wanted and all(name in state_dict for name in wanted.values()):
                    inner._begin([one])
                    cells = inner._state[one._uid].cells
                    for slot, name in wanted.items():
                        value, shape = np.asarray(state_dict[name]), cells[slot]._spec.shape
                        value = value.reshape(shape) if shape else value.ravel()[0]
                        cells[slot]._write("set_state_dict", value, None, frame)  # type: ignore[attr-defined]
                powers = {word: state_dict.get(f"{path}_{word}_0") for word in self._powers}
                counts = [
                    steps_of(float(np.asarray(power).ravel()[0]), *self._power(inner, word))
                    for word, power in powers.items()
                    if power is not None
                ]
                counted = state_dict.get(f"{path}_{self._count_word}_0")
                if counted is not None:
                    counts.append(int(np.asarray(counted).item()))
                if counts:
                    steps.setdefault(max(counts), []).append(one)
            for count in sorted(steps):
                # Those that have made fewer steps than others get a part of their own.
                part = next(one for one in parts if one[2] is inner)
                shell = inner if count == max(steps) else self._split(parts, part, steps[count])
                shell._share()
                step: Any = shell._shared["step"]
                step._write("set_state_dict", count, None, frame)
        if isinstance(self._learning_rate, LRScheduler) and "LR_Scheduler" in state_dict:
            self._learning_rate.set_state_dict(state_dict["LR_Scheduler"])

    set_dict = load_state_dict = set_state_dict

    def _power(self, inner: _Shell, word: str) -> tuple[float, int]:
        base, ahead = self._powers[word]
        return (getattr(inner, base) if isinstance(base, str) else base), ahead


def _kept_under(parameter: Any, master: bool) -> str:
    """Returns what Paddle calls the state of a parameter by: its name, or that of its master weight."""
    return f"{parameter.path}_fp32_master_0" if master else parameter.path


def _widened(gradient: Any, frame: FrameType) -> Any:
    if isinstance(gradient, Rows):
        return gradient.with_values(_widened(gradient.values, frame))
    dtype = gradient._spec.dtype
    return gradient if computing(dtype) == dtype else converted(gradient, computing(dtype), frame)


def power_of(base: float, count: int, dtype: Any = np.float32) -> Any:
    """Returns a power as Paddle keeps it: multiplied factor by factor, and rounded each time.

    >>> float(power_of(0.5, 3))
    0.125
    """
    return np.multiply.accumulate(np.full(max(count, 1), base, dtype))[-1]


def steps_of(power: float, base: float, ahead: int = 0) -> int:
    """Returns how many steps have led to a power, which has `ahead` factors more than there were steps.

    Where a power has become too small for single precision, it is the number of steps at which it has: what
    it corrects is then as good as exact.

    >>> steps_of(0.9**4, 0.9, 1)
    3
    """
    if not 0.0 < base < 1.0:
        return 0
    tiny = float(np.finfo(np.float32).smallest_normal)
    return max(round(math.log(max(power, tiny)) / math.log(base)) - ahead, 0)


def _wall() -> Any:
    from penstock.ops import pointwise

    return pointwise.stop_gradient


__all__ = ["L1Decay", "L2Decay", "Optimizer", "power_of", "steps_of"]
