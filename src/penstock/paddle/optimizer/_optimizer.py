"""Paddle's optimizers: they take the gradients that `backward` has left on the parameters."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from types import FrameType
from typing import Any

import numpy as np

from penstock.flow import answers
from penstock.optimizers import optimizer as shell
from penstock.optimizers.rules import Rule
from penstock.paddle._autograd import ZERO, end_step, standing
from penstock.paddle._convert import HANDLES, record
from penstock.paddle._errors import InvalidTypeError, MissingArgumentError, NotThereError
from penstock.paddle._tensor import Leaf, Tensor, as_result, rebind
from penstock.paddle.optimizer import _rules as rules
from penstock.paddle.optimizer.lr import LRScheduler
from penstock.trace.recorder import engine, local
from penstock.trace.site import here
from penstock.trace.tensor import Cell, concrete

_frame = sys._getframe


_ATTRIBUTES = {"learning_rate": 1.0}


class L2Decay:
    """Adds `coeff` times the parameter to its gradient."""

    kind = "L2"

    def __init__(self, coeff: float = 0.0) -> None:
        self.coeff = coeff


class L1Decay(L2Decay):
    """Adds `coeff` times the parameter's sign to its gradient."""

    kind = "L1"


class _Shell(shell.Optimizer):
    """The native shell: its state is made with Paddle's names, its hyper-parameters are the owner's."""

    def __init__(self, owner: Optimizer, rule: Rule, numbers: dict[str, float]) -> None:
        self.numbers = ("learning_rate", *numbers)  # type: ignore[misc]
        super().__init__(rule, name=type(owner).__name__)
        self.site = owner.site
        self.learning_rate = 0.0
        for name, value in numbers.items():
            setattr(self, name, value)

    beta1: float

    def _slot_variable(self, value: Any, path: str) -> Cell:
        from penstock.state.variable import Variable

        return Variable(value, name=path, trainable=False)


class Optimizer:
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
        if parameters is None:
            raise MissingArgumentError(
                "parameters argument given to the Optimizer should not be None in dygraph mode.",
                remedy="Name what it trains: parameters=model.parameters().",
                site=self.site,
            )
        if isinstance(parameters, (*HANDLES, dict)):
            raise InvalidTypeError(
                "`parameters` argument given to the optimizer should be an iterable of paddle Tensors, but "
                f"got argument type is `{type(parameters)}`.",
                remedy="Give a list: parameters=[x].",
                site=self.site,
            )
        if not isinstance(learning_rate, float | int | LRScheduler):
            raise InvalidTypeError(
                f"learning rate should be float or LRScheduler, got {type(learning_rate)} here",
                site=self.site,
            )
        self._learning_rate = learning_rate
        self._grad_clip = grad_clip
        self._name = name
        decay = L2Decay(weight_decay) if isinstance(weight_decay, float | int) else weight_decay
        self._decay = decay
        self.regularization = decay
        self._groups: list[tuple[list[Any], float, _Shell]] = []
        given = list(parameters)
        self._param_groups: list[Any] = given
        if given and isinstance(given[0], dict):
            for group in given:
                own = group.get("weight_decay", weight_decay)
                own = L2Decay(own) if isinstance(own, float | int) else own
                rate = group.get("learning_rate", 1.0)
                self._groups.append((list(group["params"]), rate, self._shell(own, numbers or {})))
        else:
            self._groups.append((given, 1.0, self._shell(decay, numbers or {})))
        self._parameter_list = [one for group, _, _ in self._groups for one in group]
        self._own: dict[int, Leaf] = {}
        self._plain = all(
            isinstance(one, Leaf)
            and getattr(one, "optimize_attr", _ATTRIBUTES)["learning_rate"] == 1.0
            and getattr(one, "regularizer", None) is None
            for one in self._parameter_list
        )

    def _shell(self, decay: Any, numbers: dict[str, float]) -> _Shell:
        kind = decay.kind if decay is not None and decay.coeff else ""
        own = dict(numbers, decay=float(decay.coeff)) if kind else dict(numbers)
        # The native shell signs its writes with the name of its class.
        shell_of = type(type(self).__name__, (_Shell,), {})
        return shell_of(self, self._rule(kind), own)  # type: ignore[no-any-return]

    def _rule(self, decay: str) -> Rule:
        raise NotImplementedError

    # -- learning rate -------------------------------------------------------------------------------------

    def get_lr(self) -> float:
        """Returns the present learning rate."""
        rate = self._learning_rate
        return rate() if isinstance(rate, LRScheduler) else float(rate)

    def set_lr(self, value: float) -> None:
        """Sets the learning rate; a scheduler cannot be overruled."""
        if isinstance(self._learning_rate, LRScheduler):
            raise RuntimeError(
                "optimizer's learning rate can't be LRScheduler when invoke this API, because this will "
                "lead to conflict."
            )
        self._learning_rate = float(value)

    def set_lr_scheduler(self, scheduler: LRScheduler) -> None:
        """Lets a scheduler say the learning rate."""
        self._learning_rate = scheduler

    # -- steps ---------------------------------------------------------------------------------------------

    def step(self) -> None:
        """Moves every parameter that has a gradient."""
        self._step(_frame(1))

    def _step(self, frame: FrameType) -> None:
        tape = standing()
        order = tape.order
        if self in order:
            tape.last = order[-1]
            tape.order = [self]
        else:
            order.append(self)
        rate = self._learning_rate
        if isinstance(rate, LRScheduler):
            rate = rate()
        for parameters, factor, inner in self._groups:
            pairs = []
            for one in parameters:
                gradient = one._gradient
                if gradient is None or not (one._trainable if isinstance(one, Leaf) else one._is_watched):
                    continue
                if gradient is ZERO:
                    gradient = concrete(np.zeros(one._spec.shape, one._spec.dtype), Tensor)
                pairs.append((gradient, one))
            if answers.listeners and len(pairs) < len(parameters):
                absent = [p for p in parameters if p._gradient is None and isinstance(p, Cell)]
                engine.reasons(local.trace, absent)
            if self._grad_clip is not None:
                pairs = self._grad_clip._clipped(pairs, frame)
            if not pairs:
                continue
            present = rate * factor
            if inner.learning_rate != present:
                inner.learning_rate = present
            if self._plain:
                inner._apply(pairs, frame)
            else:
                self._apply(inner, pairs, frame)

    def _apply(self, inner: _Shell, pairs: list[tuple[Any, Any]], frame: FrameType) -> None:
        plain = []
        results = []
        for gradient, one in pairs:
            if isinstance(one, Cell):
                scale = getattr(one, "optimize_attr", None)
                if scale is not None and scale["learning_rate"] != 1.0:
                    gradient = record(_multiply(), (gradient, scale["learning_rate"]), {}, frame)
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

    def clear_grad(self, set_to_zero: bool = True) -> None:
        """Sets the gradients of the parameters to zeros, or to None. Ends a step of the training loop."""
        word = ZERO if set_to_zero else None
        for one in self._parameter_list:
            if one._gradient is not None:
                one._gradient = word
        trace = local.trace
        if trace.pending and standing().last is self:
            end_step(trace)

    clear_gradients = clear_grad

    def minimize(
        self, loss: Any, startup_program: Any = None, parameters: Any = None, no_grad_set: Any = None
    ) -> tuple[list[Any], list[Any]]:
        """Moves the parameters by the gradients that `loss.backward()` has left."""
        pairs = [(one, one.grad) for one in self._parameter_list if one._gradient is not None]
        self._step(_frame(1))
        return [], pairs

    def backward(self, loss: Any, *arguments: Any, **options: Any) -> list[tuple[Any, Any]]:
        """Returns the parameters that have a gradient, each with it."""
        return [(one, one.grad) for one in self._parameter_list if one._gradient is not None]

    def apply_gradients(self, params_grads: Sequence[tuple[Any, Any]]) -> list[Any]:
        """Moves parameters by the gradients given with them."""
        for one, gradient in params_grads:
            one._gradient = gradient
        self._step(_frame(1))
        return []

    # -- state ---------------------------------------------------------------------------------------------

    def state_dict(self) -> dict[str, Any]:
        """Returns the optimizer's own state by Paddle's names, and the scheduler's."""
        found: dict[str, Any] = {}
        for _, _, inner in self._groups:
            names = inner.rule.slots
            for slot in names:
                for variable, cells in inner._state.values():
                    value = cells[names.index(slot)].numpy()
                    found[f"{variable.path}_{slot}_0"] = Leaf(np.asarray(value))
            if inner.rule.counts and inner._step is not None:
                step = int(np.asarray(inner._step))
                for word, beta in (
                    ("beta1", getattr(inner, "beta1", 0)),
                    ("beta2", getattr(inner, "beta2", 0)),
                ):
                    for variable, _cells in inner._state.values():
                        power = np.asarray([beta ** (step + 1)], np.float32)
                        found[f"{variable.path}_{word}_pow_acc_0"] = Leaf(power)
        if isinstance(self._learning_rate, LRScheduler):
            found["LR_Scheduler"] = self._learning_rate.state_dict()
        return found

    def set_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Takes over what `state_dict` gave."""
        for parameters, _, inner in self._groups:
            for one in parameters:
                if not isinstance(one, Leaf):
                    continue
                wanted = [f"{one.path}_{slot}_0" for slot in inner.rule.slots]
                if wanted and all(name in state_dict for name in wanted):
                    cells = inner._state[one._uid][1] if one._uid in inner._state else inner._start(one)
                    for name, cell in zip(wanted, cells):
                        cell.assign(np.asarray(state_dict[name]))  # type: ignore[attr-defined]
                power = state_dict.get(f"{one.path}_beta1_pow_acc_0")
                if power is not None and inner.rule.counts:
                    if inner._step is None:
                        inner._step = inner._counter()
                    step = round(float(np.log(np.asarray(power).item()) / np.log(inner.beta1))) - 1
                    inner._step.assign(step)  # type: ignore[attr-defined]
        if isinstance(self._learning_rate, LRScheduler) and "LR_Scheduler" in state_dict:
            self._learning_rate.set_state_dict(state_dict["LR_Scheduler"])

    set_dict = set_state_dict


def _multiply() -> Any:
    from penstock.ops import pointwise

    return pointwise.multiply


def _wall() -> Any:
    from penstock.ops import pointwise

    return pointwise.stop_gradient


class SGD(Optimizer):
    """Gradient descent."""

    def __init__(
        self,
        learning_rate: Any = 0.001,
        parameters: Any = None,
        weight_decay: Any = None,
        grad_clip: Any = None,
        multi_precision: bool = False,
        name: str | None = None,
    ) -> None:
        super().__init__(learning_rate, parameters, weight_decay, grad_clip, name)

    def _rule(self, decay: str) -> Rule:
        return rules.Descent(decay)


class Momentum(Optimizer):
    """Gradient descent with a velocity."""

    def __init__(
        self,
        learning_rate: Any = 0.001,
        momentum: float = 0.9,
        parameters: Any = None,
        use_nesterov: bool = False,
        weight_decay: Any = None,
        grad_clip: Any = None,
        multi_precision: bool = False,
        rescale_grad: float = 1.0,
        use_multi_tensor: bool = False,
        name: str | None = None,
    ) -> None:
        self._nesterov = use_nesterov
        numbers = {"momentum": float(momentum)}
        super().__init__(learning_rate, parameters, weight_decay, grad_clip, name, numbers)

    def _rule(self, decay: str) -> Rule:
        return rules.Momentum(decay, self._nesterov)


def _moments(beta1: Any, beta2: Any, epsilon: Any) -> dict[str, float]:
    beta1, beta2, epsilon = (float(one) for one in (beta1, beta2, epsilon))
    # 1 - beta is taken in double precision and rounded once.
    return {"beta1": beta1, "beta2": beta2, "epsilon": epsilon, "rest1": 1.0 - beta1, "rest2": 1.0 - beta2}


class Adam(Optimizer):
    """Adam (Kingma and Ba, 2015)."""

    def __init__(
        self,
        learning_rate: Any = 0.001,
        beta1: Any = 0.9,
        beta2: Any = 0.999,
        epsilon: Any = 1e-8,
        parameters: Any = None,
        weight_decay: Any = None,
        grad_clip: Any = None,
        lazy_mode: bool = False,
        multi_precision: bool = False,
        use_multi_tensor: bool = False,
        amsgrad: bool = False,
        name: str | None = None,
    ) -> None:
        if amsgrad:
            raise NotThereError("amsgrad is not there yet.", site=here())
        numbers = _moments(beta1, beta2, epsilon)
        super().__init__(learning_rate, parameters, weight_decay, grad_clip, name, numbers)

    def _rule(self, decay: str) -> Rule:
        return rules.Adam(decay)


class AdamW(Optimizer):
    """Adam with the decay apart from the gradient (Loshchilov and Hutter, 2019)."""

    def __init__(
        self,
        learning_rate: Any = 0.001,
        beta1: Any = 0.9,
        beta2: Any = 0.999,
        epsilon: Any = 1e-8,
        parameters: Any = None,
        weight_decay: float = 0.01,
        lr_ratio: Any = None,
        apply_decay_param_fun: Any = None,
        grad_clip: Any = None,
        lazy_mode: bool = False,
        multi_precision: bool = False,
        amsgrad: bool = False,
        name: str | None = None,
    ) -> None:
        if amsgrad or lr_ratio is not None:
            raise NotThereError("amsgrad and lr_ratio are not there yet.", site=here())
        numbers = _moments(beta1, beta2, epsilon)
        super().__init__(learning_rate, parameters, weight_decay, grad_clip, name, numbers)
        if apply_decay_param_fun is not None:
            inner = self._shell(None, numbers)
            decayed = [one for one in self._parameter_list if apply_decay_param_fun(one.name)]
            known = {id(one) for one in decayed}
            others = [one for one in self._parameter_list if id(one) not in known]
            self._groups = [(decayed, 1.0, self._groups[0][2]), (others, 1.0, inner)]

    def _rule(self, decay: str) -> Rule:
        return rules.Adam(decay, apart=bool(decay))


class Adagrad(Optimizer):
    """Adagrad (Duchi et al., 2011)."""

    def __init__(
        self,
        learning_rate: Any,
        epsilon: float = 1e-6,
        parameters: Any = None,
        weight_decay: Any = None,
        grad_clip: Any = None,
        name: str | None = None,
        initial_accumulator_value: float = 0.0,
    ) -> None:
        if initial_accumulator_value:
            raise NotThereError("initial_accumulator_value is not there yet.", site=here())
        numbers = {"epsilon": float(epsilon)}
        super().__init__(learning_rate, parameters, weight_decay, grad_clip, name, numbers)

    def _rule(self, decay: str) -> Rule:
        return rules.Adagrad(decay)


class RMSProp(Optimizer):
    """RMSProp (Hinton's lecture 6)."""

    def __init__(
        self,
        learning_rate: Any,
        rho: float = 0.95,
        epsilon: float = 1e-6,
        momentum: float = 0.0,
        centered: bool = False,
        parameters: Any = None,
        weight_decay: Any = None,
        grad_clip: Any = None,
        name: str | None = None,
    ) -> None:
        self._centred = centered
        numbers = {"rho": float(rho), "epsilon": float(epsilon), "momentum": float(momentum)}
        super().__init__(learning_rate, parameters, weight_decay, grad_clip, name, numbers)

    def _rule(self, decay: str) -> Rule:
        return rules.RMSProp(decay, self._centred)
