"""The base of Keras' optimizers over a native one: arguments, variables, and which ones it may update."""

from __future__ import annotations

import re
import sys
import warnings
from collections.abc import Iterable, Sequence
from types import FrameType
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from penstock.declared import named
from penstock.errors import PenstockError
from penstock.foreign import OF_OPTIMIZERS
from penstock.functions.scratch import Scratch
from penstock.ops.promotion import kind_of
from penstock.optimizers import optimizer as native
from penstock.optimizers.absent import warn_absent
from penstock.optimizers.descent import SGD
from penstock.optimizers.refusals import meant, no_gradients
from penstock.state.pickled import Copied
from penstock.state.variable import living
from penstock.tensorflow import _restores as restores
from penstock.tensorflow._assign_result import UnreadVariable
from penstock.tensorflow._convert import operand
from penstock.tensorflow._errors import ArgumentError, NotAVariableError
from penstock.tensorflow._seeds import chosen_once, pass_first_trace
from penstock.tensorflow._tape import IndexedSlices
from penstock.tensorflow._tensor import EagerTensor
from penstock.tensorflow._variable import ResourceVariable, unequal_shapes
from penstock.tensorflow.keras._automatic_names import automatic_name
from penstock.tensorflow.keras._variable import KerasVariable
from penstock.tensorflow.keras.optimizers import schedules
from penstock.tensorflow.keras.optimizers._by_hand import ByHand
from penstock.trace.engine import engine
from penstock.trace.local import local
from penstock.trace.source_site import here
from penstock.trace.tensor import Cell, Tensor

_frame = sys._getframe


class KerasState:
    """Gives the state of a native optimizer Keras' names, and follows calls as Keras does."""

    name: str
    applied: int
    _shared_prefix: str = ""
    """The prefix of the loss scale's name, if a LossScaleOptimizer keeps it."""
    _by_call = True
    _squares_rows = True
    _strict = False
    _shell: Any = None

    def _slot_variable(self, value: Any, variable: Any, slot: str) -> Cell:
        if variable is None:
            last = {"step": "iteration", "loss_scale": "dynamic_scale", "finite_steps": "step_counter"}[slot]
            if slot != "step" and self._shared_prefix:
                path = f"{self._shared_prefix}/{last}"
                return KerasVariable(value, dtype=value.dtype, trainable=False, name=path)
        else:
            # Keras knows variables of its own by their paths, and others by their names.
            own = variable.path if isinstance(variable, KerasVariable) else variable.name.replace(":", "_")
            last = f"{own.replace('/', '_')}_{slot}"
            if self._shared_prefix:
                # A LossScaleOptimizer makes them, in a scope of its name.
                path = f"{self._shared_prefix}/{self.name}/{last}"
                return KerasVariable(value, dtype=value.dtype, trainable=False, name=path)
        return KerasVariable(value, dtype=value.dtype, trainable=False, name=f"{self.name}/{last}")

    def _exempt(self, variable: Any) -> bool:
        return bool(self._shell is not None and self._shell._is_exempt(variable))


COMMON = (
    "weight_decay", "clipnorm", "clipvalue", "global_clipnorm", "use_ema", "ema_momentum",
    "ema_overwrite_frequency", "loss_scale_factor", "gradient_accumulation_steps",
)  # fmt: skip
"""Arguments of every Keras optimizer that the native ones take by the same name."""


kinds: dict[str, Any] = {}
"""Keras' own optimizers, by their names in small letters."""


@named("tf.keras.Optimizer", "tf.keras.optimizers.Optimizer")
class Optimizer(ByHand, Copied):
    """Base of Keras' optimizers: hyper-parameters, clipping, weight decay, averages and accumulation.

    A subclass that writes `update_step(gradient, variable, learning_rate)` moves each variable by itself.

    >>> from penstock import tensorflow as tf
    >>> x = tf.Variable(1.0)
    >>> optimizer = tf.keras.optimizers.SGD(0.5, weight_decay=0.5)
    >>> optimizer.apply_gradients([(tf.constant(1.0), x)])
    >>> print(x.numpy(), optimizer.get_config()["weight_decay"])
    0.25 0.5
    """

    _native: ClassVar[Any]

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        ruled = any("_native" in vars(kind) for kind in cls.__mro__ if kind is not Optimizer)
        cls._by_hand = not ruled or cls.update_step is not ByHand.update_step
        cls._applies_itself = cls.apply is not Optimizer.apply
        cls._extends_steps = (
            cls._backend_apply_gradients is not Optimizer._backend_apply_gradients
            or cls._clip_gradients is not ByHand._clip_gradients
        )
        if cls.__module__.startswith(__package__):
            kinds[cls.__name__.lower()] = cls
        native = cls.__dict__.get("_native")
        if native is not None:
            # Where pickle finds it.
            native.__module__, native.__qualname__ = cls.__module__, f"{cls.__qualname__}._native"

    def _kept(self) -> dict[str, Any]:
        uids, words = self._exempted or ((), None)
        exempted = [living[uid] for uid in uids if uid in living], words
        return {
            **self.__dict__,
            "_known": list(self._known.values()),
            "_exempted": None if self._exempted is None else exempted,
        }

    def _take(self, state: dict[str, Any]) -> None:
        # A copied variable has a new number.
        state["_known"] = {one._uid: one for one in state["_known"]}
        if state["_exempted"] is not None:
            spared, words = state["_exempted"]
            state["_exempted"] = {one._uid for one in spared}, words
        self.__dict__.update(state)

    def __getattr__(self, name: str) -> Any:
        known = f". {OF_OPTIMIZERS[name]}" if name in OF_OPTIMIZERS else ""
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}{known}")

    def _called(self) -> str:
        return f"Optimizer {self.name!r}"

    _applies_itself = False
    """Whether a subclass has an `apply` of its own."""
    _extends_steps = False
    """Whether a subclass has a `_backend_apply_gradients` or `_clip_gradients` of its own."""
    _numbers: ClassVar[tuple[str, ...]] = ()
    """Arguments of this optimizer, which the native one takes by the same names."""

    _listed_apart: ClassVar[tuple[str, ...]] = ()
    """Slots that Keras makes for all variables one after the other, when the others have been made."""

    _listed_once: ClassVar[tuple[str, ...]] = ()
    """Slots that Keras has once, for all variables together."""
    _slots_in_files: ClassVar[dict[str, bool]] = {}
    """All slots that Keras writes for each variable, also where they are not used; whether as its array."""

    _fixed: ClassVar[dict[str, Any]] = {}
    """Numbers of the native one that Keras does not let users choose."""

    def _refused(self, **common: Any) -> str | None:
        """Returns why Keras does not take the values of the fields; None if it takes them."""
        return None

    def _check(self, **common: Any) -> None:
        said = self._refused(**common)
        if said is not None:
            raise ArgumentError(said, site=here())

    def _begin(
        self,
        learning_rate: Any,
        *,
        weight_decay: Any = None,
        clipnorm: float | None = None,
        clipvalue: float | None = None,
        global_clipnorm: float | None = None,
        use_ema: bool = False,
        ema_momentum: float = 0.99,
        ema_overwrite_frequency: int | None = None,
        loss_scale_factor: float | None = None,
        gradient_accumulation_steps: int | None = None,
        name: str | None = None,
        **more: Any,
    ) -> None:
        if more.pop("decay", None) is not None:
            warnings.warn("Argument `decay` is no longer supported and will be ignored.", stacklevel=3)
        if more:
            known = ["learning_rate", *self._numbers, *(Optimizer._begin.__kwdefaults__ or ())]
            raise ArgumentError(
                f"Argument(s) not recognized: {more}",
                remedy=meant(next(iter(more)), known).strip(),
                site=here(),
            )
        if gradient_accumulation_steps and not gradient_accumulation_steps >= 2:
            raise ArgumentError(
                "`gradient_accumulation_steps` must be an integer >= 2. "
                f"Received: gradient_accumulation_steps={gradient_accumulation_steps}",
                site=here(),
            )
        if use_ema and not 0 <= ema_momentum <= 1:
            raise ArgumentError(
                f"`ema_momentum` must be in the range [0, 1]. Received: ema_momentum={ema_momentum}",
                site=here(),
            )
        overwrite = ema_overwrite_frequency
        if use_ema and overwrite and (not isinstance(overwrite, int) or overwrite < 1):
            raise ArgumentError(
                "`ema_overwrite_frequency` must be an integer >= 1 or None. "
                f"Received: ema_overwrite_frequency={overwrite}",
                site=here(),
            )
        if sum(one is not None for one in (clipnorm, clipvalue, global_clipnorm)) > 1:
            raise ArgumentError(
                "Only one of `clipnorm`, `clipvalue` and `global_clipnorm` can be set. Received: "
                f"clipnorm={clipnorm}, clipvalue={clipvalue}, global_clipnorm={global_clipnorm}",
                site=here(),
            )
        self.name = automatic_name(type(self).__name__) if name is None else name
        self.clipnorm, self.clipvalue, self.global_clipnorm = clipnorm, clipvalue, global_clipnorm
        self.weight_decay, self.use_ema, self.loss_scale_factor = weight_decay, use_ema, loss_scale_factor
        self.ema_momentum, self.ema_overwrite_frequency = ema_momentum, ema_overwrite_frequency
        self.gradient_accumulation_steps = gradient_accumulation_steps
        self.built = False
        self._known: dict[int, Any] = {}
        self._exempted: tuple[set[int], Any] | None = None
        self._rate_schedule: Any = None
        self._rate_variable: KerasVariable | None = None
        self._rate_number = 0.0
        if callable(learning_rate) and not isinstance(learning_rate, Tensor | Cell):
            self._rate_schedule = learning_rate
        elif isinstance(learning_rate, float):
            self._rate_number = float(np.float32(learning_rate))
        else:
            raise ArgumentError(
                "Argument `learning_rate` should be float, or an instance of LearningRateSchedule, or a "
                "callable (that takes in the current iteration value and returns the corresponding learning "
                f"rate value). Received instead: learning_rate={learning_rate}",
                remedy="Write a number with a point, such as 0.1.",
                site=here(),
            )
        self._own: list[Any] = []
        self._refuse_unknown_ways()
        self._given: dict[str, Any] = {}
        self._updates: Any = self._make(self._arguments())
        self._updates._shell = self
        self._updates._warned = True

    if TYPE_CHECKING:
        # Fields make the constructors of the optimizers, and type checkers do not know how.
        def __init__(self, *arguments: Any, **options: Any) -> None: ...
    else:
        _begin.__name__, _begin.__qualname__ = "__init__", "Optimizer.__init__"
        __init__ = _begin

    def _arguments(self) -> dict[str, Any]:
        """Returns the present hyper-parameters under their native names, except the learning rate."""
        counts = ("ema_overwrite_frequency", "gradient_accumulation_steps", "ns_steps")
        found = {}
        for name in (*COMMON, *self._numbers):
            value = self.__dict__[name]
            if (
                name in ("clipnorm", "clipvalue", "global_clipnorm", "ema_overwrite_frequency")
                or name == "gradient_accumulation_steps"
            ):
                value = value or None
            elif type(value) is int and name not in counts:
                value = float(value)
            if self._by_hand and name in ("use_ema", "gradient_accumulation_steps"):
                value = False if name == "use_ema" else None
            found[name] = value
        return found

    def _make(self, arguments: dict[str, Any]) -> Any:
        """Returns the native optimizer."""
        self._given = arguments
        made = self._native(self._rate_number, name=self.name, **arguments)
        for name, value in self._fixed.items():
            setattr(made, name, value)
        return made

    def __setattr__(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)
        if "_updates" in self.__dict__ and (name in COMMON or name in self._numbers):
            # Set on both, so that a step need not compare them.
            present = self._arguments()[name]
            if present is not self._given.get(name):
                self._given[name] = present
                setattr(self._updates, name, present)

    # -- hyper-parameters --------------------------------------------------------------------------------

    @property
    def _iterations(self) -> Any:
        """How many times the optimizer was called, as a variable."""
        updates = self._updates
        updates.iterations  # noqa: B018 - from here on calls are counted on the record
        return updates._shared["step"]

    @property
    def iterations(self) -> Any:
        """How many updates have been made: a variable, or a tensor while gradients are accumulated."""
        calls = self._iterations
        steps = self.gradient_accumulation_steps
        return calls // steps if steps else calls

    @property
    def learning_rate(self) -> Any:
        """The learning rate as a variable; with a schedule, its value for the next update."""
        if self._rate_schedule is not None:
            if isinstance(self._rate_schedule, schedules.LearningRateSchedule):
                return self._rate_schedule(self._iterations)
            return self._rate_schedule()
        if self._rate_variable is None:
            path = f"{self.name}/learning_rate"
            self._rate_variable = KerasVariable(
                self._rate_number, dtype="float32", trainable=False, name=path
            )
        return self._rate_variable

    @learning_rate.setter
    def learning_rate(self, value: Any) -> None:
        if callable(value) and not isinstance(value, Tensor | Cell):
            self._rate_schedule = value
            return
        if isinstance(self._rate_schedule, schedules.LearningRateSchedule):
            raise TypeError(
                "This optimizer was created with a `LearningRateSchedule` object as its `learning_rate` "
                "constructor argument, hence its learning rate is not settable. If you need the learning "
                "rate to be settable, you should instantiate the optimizer with a float `learning_rate` "
                "argument."
            )
        self._rate_schedule = None
        self._rate_number = float(np.float32(float(value)))
        if self._rate_variable is not None:
            self._rate_variable.assign(self._rate_number)

    def _present_rate(self) -> Any:
        """Returns the learning rate of the next update: a number, a variable, a tensor or a schedule."""
        if self._rate_schedule is None:
            return self._rate_number if self._rate_variable is None else self._rate_variable
        if not self._asks_schedule():
            return self._rate_schedule._native
        rate = self.learning_rate
        if isinstance(rate, int | float | np.floating):
            # What a schedule gives as a number of Python is part of the graph of a function.
            return chosen_once(lambda: float(rate), draws=False)
        return operand(rate)

    def _asks_schedule(self) -> bool:
        """Returns whether the learning rate comes from the user's code."""
        return self._rate_schedule is not None and getattr(self._rate_schedule, "_native", None) is None

    def _is_without_state(self) -> bool:
        kept = self.use_ema or self.gradient_accumulation_steps
        return isinstance(self._updates, SGD) and not (kept or self._updates.momentum)

    @property
    def variables(self) -> list[Any]:
        """The count of calls, the learning rate, and the state kept for the variables."""
        rate = [] if self._rate_schedule is not None else [self.learning_rate]
        counter = self._iterations
        shared = [one for one in self._updates._shared.values() if one is not counter]
        return [counter, *rate, *shared, *self._slots_in_order(), *self._own]

    def _slots_in_order(self) -> list[Any]:
        """Returns the state of the variables as files number it: averages and accumulators first."""
        kept = [member.cells for member in self._updates._state.values()]
        alone = ("average", "gradient_accumulator")
        first = [cells[slot] for slot in alone for cells in kept if slot in cells]
        apart = {*alone, *self._listed_apart, *self._listed_once}
        together = [one for cells in kept for slot, one in cells.items() if slot not in apart]
        last = [cells[slot] for slot in self._listed_apart for cells in kept if slot in cells]
        once = [cells[slot] for slot in self._listed_once for cells in kept[:1] if slot in cells]
        return [*first, *together, *last, *once]

    def _copies(self) -> list[tuple[Any, Any]]:
        """Returns pairs of a state that Keras has once for all variables, and one here that equals it."""
        kept = [member.cells for member in self._updates._state.values()]
        return [(kept[0][slot], cells[slot]) for slot in self._listed_once for cells in kept[1:]]

    def _checkpoint_parts(self) -> dict[str, Any]:
        every = [*self.variables, *(copy for _, copy in self._copies())]
        return {str(number): one for number, one in enumerate(every)}

    def _in_files(self) -> list[Any]:
        """Returns the variables in the order of files; arrays for those that only Keras has."""
        if not self._slots_in_files:
            return self.variables
        members = list(self._updates._state.values())
        listed = {id(one) for member in members for one in member.cells.values()}
        found = [one for one in self.variables if id(one) not in listed]
        found += [
            member.cells[slot]
            for slot in ("average", "gradient_accumulator")
            for member in members
            if slot in member.cells
        ]
        for member in members:
            for slot, whole in self._slots_in_files.items():
                spec = member.variable._spec
                placeholder = np.zeros(spec.shape, spec.dtype) if whole else np.zeros((), np.int32)
                found.append(member.cells.get(slot, placeholder))
        return found

    def exclude_from_weight_decay(
        self, var_list: Sequence[Any] | None = None, var_names: Sequence[str] | None = None
    ) -> None:
        """Lets these variables, and those whose name contains one of the words, keep from decaying."""
        if self.built:
            raise ArgumentError(
                "`exclude_from_weight_decay()` can only be configured before the optimizer is built.",
                site=here(),
            )
        words = re.compile("|".join(sorted(set(var_names)))) if var_names else None
        self._exempted = {_variable(one)._uid for one in var_list or ()}, words

    def _is_exempt(self, variable: Any) -> bool:
        if self._exempted is None:
            return False
        uids, words = self._exempted
        return variable._uid in uids or (words is not None and words.search(variable.name) is not None)

    def get_config(self) -> dict[str, Any]:
        """Returns the hyper-parameters by name."""
        rate = self._rate_schedule
        if isinstance(rate, schedules.LearningRateSchedule):
            rate = schedules.serialize(rate)
        elif rate is None:
            rate = float(self._present_rate())
        return {
            "name": self.name,
            "learning_rate": rate,
            "weight_decay": self.weight_decay,
            "clipnorm": self.clipnorm,
            "global_clipnorm": self.global_clipnorm,
            "clipvalue": self.clipvalue,
            "use_ema": self.use_ema,
            "ema_momentum": self.ema_momentum,
            "ema_overwrite_frequency": self.ema_overwrite_frequency,
            "loss_scale_factor": self.loss_scale_factor,
            "gradient_accumulation_steps": self.gradient_accumulation_steps,
            **{name: self.__dict__[name] for name in self._numbers},
        }

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: Any = None) -> Any:
        """Returns an optimizer with these hyper-parameters."""
        rate = config.get("learning_rate")
        if isinstance(rate, dict):
            config = {**config, "learning_rate": schedules.deserialize(rate, custom_objects)}
        return cls(**config)

    # -- state -------------------------------------------------------------------------------------------

    def build(self, variables: Sequence[Any]) -> None:
        """Fixes the variables that this optimizer will update, and makes its state for them."""
        found = [_variable(one) for one in variables]
        self._known = {one._uid: one for one in found}
        # An integer can have no gradient, so it needs no state.
        moved = [one for one in found if kind_of(one._spec.dtype) in "fc"]
        self._updates._begin(moved)
        if self._by_hand:
            self._build_by_hand(moved)
        elif self.gradient_accumulation_steps:
            members = [self._updates._state[one._uid] for one in moved]
            self._updates._accumulate(members, [None] * len(members))
        self.built = True
        if restores.waiting:
            restores.made_variables()

    def scale_loss(self, loss: Any) -> Any:
        """Returns the loss multiplied by `loss_scale_factor`, by which gradients are divided again."""
        return loss if self.loss_scale_factor is None else loss * self.loss_scale_factor

    def finalize_variable_values(self, var_list: Sequence[Any]) -> None:
        """Puts the moving averages in place of the variables, if there are any."""
        if not self.use_ema:
            return
        if len(var_list) != len(self._known):
            raise ArgumentError(
                f"The length of model variables ({len(var_list)}) to override does not match the length of "
                f"model variables stored in the optimizer ({len(self._known)}).",
                remedy="Give the variables that the optimizer was built with: model.trainable_variables.",
                site=here(),
            )
        if self._by_hand:
            self._overwrite_by_averages()
        else:
            self._updates.assign_averages()

    def set_weights(self, weights: Sequence[Any]) -> None:
        """Sets the optimizer's variables, in the order of `variables`."""
        if not self.built:
            raise ArgumentError(
                "You are calling `set_weights()` on an optimizer that has not yet been built. Please call "
                "`optimizer.build(trainable_variables)` to create the optimizer weights before calling "
                "`set_weights()`.",
                site=here(),
            )
        pairs = list(zip(self.variables, weights, strict=False))
        for variable, weight in pairs:
            if tuple(variable.shape) != tuple(np.shape(weight)):
                raise ArgumentError(
                    f"Optimizer variable {variable.path} has shape {tuple(variable.shape)} not compatible "
                    f"with provided weight shape {tuple(np.shape(weight))}.",
                    site=here(),
                )
        for variable, weight in pairs:
            variable.assign(weight)
        self._renew_copies()

    def _renew_copies(self) -> None:
        for variable, copy in self._copies():
            copy.assign(operand(variable))

    def save_own_variables(self, store: Any) -> None:
        """Puts the optimizer's variables into a mapping, numbered."""
        for number, variable in enumerate(self._in_files()):
            store[str(number)] = variable if isinstance(variable, np.ndarray) else variable.numpy()

    def load_own_variables(self, store: Any) -> None:
        """Takes the optimizer's variables from a mapping that `save_own_variables` has filled."""
        variables = self._in_files()
        if len(store.keys()) != len(variables):
            warnings.warn(
                f"Skipping variable loading for optimizer '{self.name}', because it has {len(variables)} "
                f"variables whereas the saved optimizer has {len(store.keys())} variables. ",
                stacklevel=2,
            )
            return
        for number, variable in enumerate(variables):
            if not isinstance(variable, np.ndarray):
                variable.assign(store[str(number)])
        self._renew_copies()

    # -- updates -----------------------------------------------------------------------------------------

    def apply_gradients(self, grads_and_vars: Iterable[tuple[Any, Any]]) -> None:
        """Moves each variable by its gradient; pairs whose gradient is None are left out, with a warning.

        Raises ValueError if every gradient is None, and for a variable that was not there the first time.
        """
        pairs = list(grads_and_vars)
        known = self._known
        plain = bool(pairs) and not self._applies_itself
        for gradient, variable in pairs if plain else ():
            if not (
                type(gradient) is EagerTensor
                and type(variable) is ResourceVariable
                and gradient._spec is variable._spec
                and variable._uid in known
            ):
                plain = False
                break
        if plain:
            self._move(pairs, _frame(1))
            return
        gradients, variables = [], []
        for gradient, variable in pairs:
            gradients.append(gradient)
            variables.append(variable)
        if not variables:
            raise ArgumentError(
                "not enough values to unpack (expected 2, got 0): apply_gradients was given no pairs.",
                site=here(),
            )
        if self._applies_itself:
            self.apply(gradients, variables)
        else:
            self._apply(gradients, variables, _frame(1))

    def apply(self, grads: Sequence[Any], trainable_variables: Sequence[Any] | None = None) -> None:
        """Moves the variables given, or those the optimizer was built with, by their gradients."""
        if not len(grads):
            return
        if trainable_variables is None:
            if not self.built:
                raise ArgumentError(
                    "When passing `grads` without `variables`, the optimizer must already be built on a list "
                    "of variables. Call `optimizer.build(trainable_variables)` first. ",
                    site=here(),
                )
            if len(grads) != len(self._known):
                raise ArgumentError(
                    "When passing `grads` as a list of gradient tensors, the gradients must match "
                    f"`optimizer.variables` one-to-on. Received a list of {len(grads)} gradients, but the "
                    f"optimizer is tracking {len(self._known)} trainable variables.",
                    site=here(),
                )
            trainable_variables = list(self._known.values())
        self._apply(list(grads), list(trainable_variables), _frame(1))

    def stateless_apply(self, optimizer_variables: Any, grads: Any, trainable_variables: Any) -> Any:
        """Raises ArgumentError, as Keras on TensorFlow raises ValueError. The arguments do nothing."""
        raise ArgumentError(
            "stateless_apply is not supported with the TensorFlow backend (as it is incompatible with "
            "tf.distribute).",
            remedy="optimizer.apply(grads, variables) writes the variables.",
            site=here(),
        )

    def _apply(self, gradients: list[Any], variables: list[Any], frame: FrameType) -> None:
        if not self.built and self._asks_schedule() and not self._is_without_state():
            # TensorFlow traces a function twice that makes variables, and each trace asks the schedule.
            pass_first_trace(prints=False)
        # In this order: another thread may build it in between, and says so last.
        built, known = self.built, self._known
        for place, variable in enumerate(variables):
            if not isinstance(variable, Cell):
                variables[place] = variable = _variable(variable)
            if built and variable._uid not in known:
                raise _unknown(variable)
        if not self.built:
            self.build(variables)
            if isinstance(local.trace, Scratch):
                # A first trace, which is not computed: it asks a schedule, which may count that.
                self._present_rate()
                return
        if None in map(_is_none, gradients):
            gradients, variables = self._without_absent(gradients, variables, frame)
        pairs = [
            (_fitting(one, variable), variable) for one, variable in zip(gradients, variables, strict=True)
        ]
        self._move(pairs, frame)

    def _move(self, pairs: list[tuple[Any, Any]], frame: FrameType, by_rule: bool = False) -> None:
        """Moves variables of this optimizer by gradients that fit them."""
        if self._by_hand:
            self._move_by_hand(pairs)
            return
        if self._extends_steps and not by_rule:
            self._backend_apply_gradients([one for one, _ in pairs], [one for _, one in pairs])
            return
        updates = self._updates
        rate = self._present_rate()
        if updates.learning_rate is not rate:
            updates.learning_rate = rate
        updates._apply(
            [(g._rows(v._spec.shape), v) if type(g) is IndexedSlices else (g, v) for g, v in pairs], frame
        )

    def _backend_apply_gradients(self, grads: Any, trainable_variables: Any) -> None:
        """Makes the step: clipping, decay and the rule. A subclass that extends it calls this one."""
        if self._by_hand:
            super()._backend_apply_gradients(grads, trainable_variables)
            return
        if type(self)._clip_gradients is not ByHand._clip_gradients:
            grads = self._clip_gradients(grads)
        self._move(list(zip(grads, trainable_variables, strict=True)), _frame(1), by_rule=True)

    def _without_absent(
        self, gradients: list[Any], variables: list[Any], frame: FrameType
    ) -> tuple[list[Any], list[Any]]:
        """Leaves out the pairs without a gradient, with a warning that says why they have none."""
        absent = [
            variable for gradient, variable in zip(gradients, variables, strict=True) if gradient is None
        ]
        if len(absent) == len(variables):
            raise no_gradients("\n".join(engine.reasons(local.trace, absent)))
        names = [getattr(variable, "name", "") for variable in absent]
        told = (
            f"Gradients do not exist for variables {names} when minimizing the loss. If using "
            "`model.compile()`, did you forget to provide a `loss` argument?\n"
        )
        warn_absent(local.trace, frame, absent, told.__add__)
        kept = [(g, v) for g, v in zip(gradients, variables, strict=True) if g is not None]
        return [g for g, _ in kept], [v for _, v in kept]


def _is_none(value: Any) -> Any:
    return None if value is None else True


def _variable(value: Any) -> Any:
    if isinstance(value, UnreadVariable):
        return value._variable
    if isinstance(value, Cell):
        return value
    raise NotAVariableError(
        f"{type(value).__name__!r} object has no attribute '_unique_id': it is not a variable.",
        why="Only a tf.Variable can be written. A name that once meant one becomes a plain tensor when it is "
        "assigned with `=`.",
        remedy="Pass pairs of (gradient, variable), and write a variable with variable.assign(...).",
        site=here(),
    )


def _unknown(variable: Any) -> PenstockError:
    return ArgumentError(
        f"Unknown variable: {variable}. This optimizer can only be called for the variables it was "
        "originally built with. When working with a new set of variables, you should recreate a new "
        "optimizer instance.",
        origin=f"Variable created at {variable.site}",
        remedy="Or build it for all variables first: optimizer.build([...]).",
        site=here(),
    )


def _fitting(gradient: Any, variable: Any) -> Any:
    """Returns a gradient as a tensor or as rows of the variable's shape."""
    if isinstance(gradient, IndexedSlices):
        if gradient.values._spec.shape[1:] != variable._spec.shape[1:]:
            raise unequal_shapes(variable, tuple(gradient.shape))
        return gradient
    if not isinstance(gradient, Tensor | Cell):
        gradient = operand(gradient, None if isinstance(gradient, UnreadVariable) else variable._spec.dtype)
    if gradient._spec.shape != variable._spec.shape:
        raise unequal_shapes(variable, gradient._spec.shape)
    return gradient


def over(kind: type[native.Optimizer], name: str, **more: Any) -> Any:
    """Returns a native optimizer's class with Keras' names; reports call a writer by its class."""
    return type(name, (KerasState, kind), more)


Optimizer._native = over(SGD, "Optimizer")
