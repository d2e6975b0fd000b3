"""PyTorch, watched: the first steps are recorded call by call, later ones are counted."""

from __future__ import annotations

import contextlib
import itertools
import math
import os
import re
import weakref
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import FrameType
from typing import Any

import torch
from torch.optim import optimizer as optim

from penstock.flow.graph import Graph
from penstock.flow.observed import Enough, Passage, Sink, Stepped, Update, Variable, Wrote
from penstock.flow.seen import Conservation, Finding, Skip
from penstock.frameworks.places import here, user_frames
from penstock.frameworks.torch.links import key_of, memory
from penstock.frameworks.torch.mode import Mode, record, tensors_in
from penstock.frameworks.torch.parameter import UNKNOWN, Parameter, Registry
from penstock.frameworks.torch.stack import Standing
from penstock.frameworks.torch.turns import AGAIN, Turns
from penstock.frameworks.torch.unseen import unseen
from penstock.frameworks.torch.versions import Versions
from penstock.frameworks.torch.window import Window
from penstock.frameworks.torch.words import TORCH
from penstock.trace.site import Site

WHOLE = 4
"""So many steps are recorded call by call."""
ROOM = 100_000
"""A window that has so many values is closed, whatever step the program is in."""
FEW, SELDOM = 8, 16
"""The first FEW updates of an optimizer are measured, then one in SELDOM."""


@dataclass(slots=True, eq=False)
class Backward:
    """One call of backward(): where it stands, and the values it began at."""

    site: Site | None
    goals: tuple[int, ...]
    window: Window | None
    number: int = 0
    applied: dict[int, int] = field(default_factory=dict)
    by: dict[int, int] = field(default_factory=dict)
    gave: dict[int, Parameter] = field(default_factory=dict)


@dataclass(slots=True)
class Group:
    """What is noted of an optimizer: where it was made, how often it stepped, what it held before a step."""

    stepped: Stepped
    times: int = 0
    before: list[tuple[Any, Any]] | None = field(default_factory=list)
    counted: list[Written] = field(default_factory=list)
    site: Site | None = None
    open: bool = False


class Nothing(Passage):
    """A passage of which only the writes are known."""

    variables: Sequence[Variable] = ()
    missed: Sequence[tuple[int, Variable]] = ()
    ends_step = False
    identities = ()

    def __init__(self) -> None:
        self.graph = Graph(words=TORCH)
        self.program, self.facts = self, {}


class Written(Wrote):
    """One write that an optimizer or the program has made."""

    variable: Parameter

    __slots__ = (
        "amount", "by", "event", "idle", "kind", "made", "numbers_steps", "own", "site", "size", "step",
        "terms", "trainable", "uid", "variable",
    )  # fmt: skip

    def __init__(
        self, parameter: Parameter, by: str, site: Site | None, kind: str, terms: tuple[str, ...], event: int,
        amount: float | None, made: Site | None = None, idle: bool = False,
    ) -> None:  # fmt: skip
        self.variable, self.uid, self.by, self.site, self.kind = parameter, parameter.uid, by, site, kind
        self.own, self.terms, self.event, self.amount, self.made = False, terms, event, amount, made
        self.size, self.idle = 1, idle
        self.numbers_steps = terms not in (("state",), ("load",))
        self.step = 0
        self.trainable = parameter.trainable

    def change(self) -> float | None:
        return self.amount


class Scaled(Update):
    """An update that a GradScaler makes or leaves out."""

    __slots__ = ("by", "event", "missed", "parameters", "site", "value")

    def __init__(self, by: str, site: Site | None, parameters: Sequence[Parameter], value: float) -> None:
        self.by, self.site, self.event = by, site, -1
        self.parameters, self.value, self.missed = parameters, value, bool(parameters)

    def left_out(self) -> bool | None:
        return self.missed

    def skip(self, step: int) -> Skip | None:
        names = tuple(one.path for one in self.parameters)
        return Skip(step, self.by, self.site, names, self.value, "a gradient", self.site, None)

    def moved(self) -> Sequence[Variable]:
        return self.parameters


class Torch:
    """Watches programs that run in PyTorch."""

    words = TORCH
    framework = "torch", str(torch.__version__)
    conservation: Conservation | None = None

    def __init__(self, whole: int = WHOLE) -> None:
        self.whole = whole
        self.recording = False
        self.registry = Registry()
        self.window: Window | None = None
        self.nothing = Nothing()
        self._mode = Standing(Mode(self))
        self._turns = Turns(self.registry)
        self._versions = Versions(self.registry)
        self._until = 0
        self._final: Group | None = None
        self._latest: Group | None = None
        self._handles: dict[int, Any] = {}
        self._done: list[int] = []
        self._undo: list[Callable[[], None]] = []
        self._numbers = itertools.count()
        self._calls = itertools.count()
        self._events = itertools.count()
        self._groups: weakref.WeakKeyDictionary[Any, Group] = weakref.WeakKeyDictionary()
        self._sites: weakref.WeakKeyDictionary[Any, Site | None] = weakref.WeakKeyDictionary()
        self._gave: dict[int, list[Backward]] = {}
        self._now: Backward | None = None
        self._last: Backward | None = None
        self._by_hand: list[int] = []
        self._stepping = 0
        self._optimized = self._began = self._counted = False
        self._passes: list[Backward] = []
        self._flags: list[tuple[Site | None, list[Parameter]]] = []
        self._held: set[int] = set()
        self._lost: list[tuple[Backward, list[Parameter], Site | None]] = []
        self._pending_state: list[Written] = []

    # -- beginning and end --------------------------------------------------------------------------------

    def start(self, sink: Sink) -> None:
        """Begins to tell a sink what is run."""
        self.sink = sink
        self._until = self.whole
        self.window = Window(self.registry)
        self._register()
        self._mode.enter()
        self.recording = True

    def stop(self) -> None:
        """Ends it, and leaves nothing behind."""
        self.recording = False
        self._mode.leave()
        _watching.discard(self)
        while self._undo:
            self._undo.pop()()
        for handle in self._handles.values():
            handle.remove()
        self._handles.clear()

    def finish(self) -> BaseException | None:
        """Judges what was recorded last."""
        self.recording = False
        with contextlib.suppress(Enough):
            self._count_by_hand()
            self._close()
        for (_, by, site), parameter in self._versions.hidden.items():
            if self._counted:
                self.sink.uncounted(parameter, by, site)
        self.sink.unrecorded(self._turns.over)
        return None

    def end(self) -> None:
        """There is nothing to look at once more."""

    def is_meant(self, finding: Finding) -> bool:
        """Nothing in a PyTorch program says so."""
        return False

    def _register(self) -> None:
        from torch.nn.modules import module as modules

        for made in (
            modules.register_module_parameter_registration_hook(self._note_registered),
            modules.register_module_buffer_registration_hook(self._note_registered),
            optim.register_optimizer_step_pre_hook(unseen(self._before_step)),
            optim.register_optimizer_step_post_hook(unseen(self._after_step)),
        ):
            self._undo.append(made.remove)
        self._replace(torch.autograd, "backward", self._backward)
        self._replace(torch.autograd, "grad", self._grad)
        self._replace(optim.Optimizer, "__init__", self._make_optimizer)
        self._replace(optim.Optimizer, "zero_grad", self._zero_grad)
        self._replace(torch.nn.Module, "zero_grad", self._zero_grad)
        self._replace(torch.amp.GradScaler, "step", self._scaled_step)
        self._replace(torch.nn.Module, "_apply", self._convert)
        self._replace(torch.nn.Module, "load_state_dict", self._load)
        self._replace(torch, "compile", self._compile)
        self._replace_apply()
        _watching.add(self)
        made = torch.nn.Parameter.__new__

        def instead(kind: Any, *arguments: Any, **options: Any) -> Any:
            result = made(kind, *arguments, **options)
            if isinstance(result, torch.Tensor):
                self.registry.note_made(result, here(2))
            return result

        torch.nn.Parameter.__new__ = staticmethod(instead)
        self._undo.append(lambda: setattr(torch.nn.Parameter, "__new__", staticmethod(made)))

    def _replace_apply(self) -> None:
        apply = torch.autograd.Function.__dict__["apply"]
        torch.autograd.Function.apply = classmethod(
            lambda kind, *given, **named: self._apply(kind, apply, given, named)
        )
        self._undo.append(lambda: setattr(torch.autograd.Function, "apply", apply))

    def _compile(self, original: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
        result = original(*arguments, **options)
        if self._mode.is_on:
            self._mode.follow_compiler()
        return result

    def _replace(self, owner: Any, name: str, watched: Callable[..., Any]) -> None:
        """Puts a function that calls `watched(original, *arguments)` in the place of one."""
        original = getattr(owner, name)

        def instead(*arguments: Any, **options: Any) -> Any:
            return watched(original, *arguments, **options)

        instead.__name__, instead.__doc__ = name, original.__doc__
        instead.__wrapped__ = original  # type: ignore[attr-defined]
        setattr(owner, name, instead)
        self._undo.append(lambda: setattr(owner, name, original))

    def _close(self) -> None:
        """Hands the window to the sink, which judges it; from here on steps are only counted."""
        window, self.window = self.window, None
        self.recording = False
        self._settle_lost()
        self._gave.clear()
        self._versions.renew()
        self._release_hooks()
        for call in self._passes:
            if not self._held.intersection(call.gave):
                self.sink.graded(list(call.gave.values()), alone=True)
        self._passes.clear()
        for site, parameters in self._flags:
            self.sink.misplaced(site, parameters)
        self._flags.clear()
        if window is None:
            return
        window.settle_flat()
        if self._optimized:
            asked = set(self._by_hand)
            window.graph.requests = [one for one in window.graph.requests if one.event not in asked]
        for one, tensor in self.registry.living():
            if one.kind == "weight" and not one.unregistered and self.registry.is_orphan(tensor):
                one.unregistered = _ORPHAN
        for one in window.variables:
            if not one.path and one.site is UNKNOWN:
                one.path = f"{one.dtype}[{', '.join(map(str, one.shape))}] made at {one.site}"
        self.sink.passed(window)

    # -- calls --------------------------------------------------------------------------------------------

    def called(
        self, name: str, function: Callable[..., Any], arguments: Sequence[Any], options: Mapping[str, Any]
    ) -> Any:
        """Makes a call of the program, and records it."""
        window = self.window
        if window is None or (arguments and torch.nn.parameter.is_lazy(arguments[0])):
            return function(*arguments, **options)
        if name == "_set_grad_enabled":
            result = function(*arguments, **options)
            window.follow_recording(here(2))
            return result
        if name in ("__get__", "__set__"):
            owner = getattr(function, "__self__", None)
            return self._property(name, getattr(owner, "__name__", ""), function, arguments)
        if len(window.graph.values) > ROOM:
            self._turns.fill()
            self._close()
            return function(*arguments, **options)
        result = record(window, name, function, arguments, options, self._wrote_in_place)
        if name == "requires_grad_" and not all([*arguments[1:2], options.get("requires_grad", True)]):
            self._note_misplaced(arguments[0], here(2))
        if name in ("batch_norm", "instance_norm") and len(arguments) > 2:
            self._note_statistics(name, arguments, options)
        return result

    def _apply(self, kind: Any, original: Any, arguments: Sequence[Any], options: Mapping[str, Any]) -> Any:
        """Calls and records a function with a gradient of its own, which no mode sees."""

        def function(*given: Any, **named: Any) -> Any:
            return original.__get__(None, kind)(*given, **named)

        if self.window is None or not self.recording:
            return function(*arguments, **options)
        if not any(one.requires_grad for one in tensors_in(*arguments)):
            # It is handed nothing that has a gradient, and gives none on: what it computes itself tells why.
            return function(*arguments, **options)
        self.recording = False
        try:
            return record(self.window, kind.__name__, function, arguments, options, self._wrote_in_place)
        finally:
            self.recording = self.window is not None

    def _property(self, how: str, name: str, function: Callable[..., Any], arguments: Sequence[Any]) -> Any:
        window = self.window
        assert window is not None
        tensor = arguments[0]
        if how == "__get__":
            result = function(*arguments)
            other = isinstance(result, torch.Tensor) and result is not tensor
            if other and name not in ("grad", "_grad", "_base") and window.stems(tensor):
                window.call(name, [tensor], [key_of(tensor)], [result], here(2))
            return result
        if name == "data":
            old = tensor.detach().clone() if self._is_parameter(tensor) else None
            result = function(*arguments)
            if old is not None and not _same(old, tensor.detach()):
                self._wrote_in_place("data", tensor, here(2))
            return result
        result = function(*arguments)
        if name == "requires_grad" and not arguments[1]:
            self._note_misplaced(tensor, here(2))
        if name == "grad" and arguments[1] is None:
            self._clear([tensor], here(2))
        return result

    def _note_misplaced(self, tensor: Any, site: Site | None) -> None:
        """Notes that a flag is taken from a tensor which shares a parameter's memory and is not it."""
        own = self._is_parameter(tensor) or self.registry.find(tensor) is not None
        at = None if own else memory(tensor)
        held = [one for one in self.registry.made() if at and memory(one) == at and one.requires_grad]
        if held:
            self._flags.append((site, [self.registry.of(one) for one in held]))

    def _is_parameter(self, tensor: Any) -> bool:
        return isinstance(tensor, torch.nn.Parameter) or (tensor.is_leaf and tensor.requires_grad)

    def _wrote_in_place(self, name: str, tensor: Any, site: Site | None, source: Any = None) -> None:
        """Notes a write by a line of the program; what comes before the first backward pass is creation."""
        window = self.window
        if window is None:
            return
        target = self._written(tensor)
        if target is None:
            return
        parameter = self.registry.of(target)
        if parameter.kind == "state":
            self._tell([self._write(parameter, "forward", site, "write", ("state",))])
            return
        if not self._began or _is_initialising():
            window.forget_reads([parameter])
            return
        terms = ("decay",) if name in _DECAYS and not isinstance(source, torch.Tensor) else ("assign",)
        event = window.wrote(name, site, [target], "write", terms)
        itself = name == "copy_" and source is not None and memory(source) == memory(target)
        amount = 0.0 if itself else None
        hidden = name == "data" or (target is not tensor and window.is_apart(tensor))
        self._versions.saw(parameter, (name, site, terms), hidden)
        self._tell([Written(parameter, name, site, "write", terms, event, amount, idle=itself)])

    def _written(self, tensor: Any) -> Any:
        """Returns the parameter or buffer whose memory an in-place call has written, if it is one."""
        if self._is_parameter(tensor) or self.registry.find(tensor) is not None:
            return tensor
        if not tensor.is_floating_point():
            return None
        base = tensor._base
        if base is not None and self._is_parameter(base):
            return base
        if tensor.grad_fn is not None:
            return None
        at = memory(tensor)
        for _, known in self.registry.living():
            if known is not tensor and at is not None and memory(known) == at:
                return known
        return None

    def _note_statistics(self, name: str, arguments: Sequence[Any], options: Mapping[str, Any]) -> None:
        training = options.get("training", arguments[5] if len(arguments) > 5 else False)
        if name == "instance_norm":
            training = options.get("use_input_stats", True)
        if not training:
            return
        site = here(3)
        for tensor in arguments[1:3]:
            if isinstance(tensor, torch.Tensor):
                parameter = self.registry.of(tensor, "state")
                self._versions.saw(parameter, (name, site, ("state",)), True)
                self._pending_state.append(self._write(parameter, name, site, "write", ("state",)))

    # -- gradients ----------------------------------------------------------------------------------------

    def _backward(self, original: Callable[..., Any], tensors: Any, *arguments: Any, **options: Any) -> Any:
        roots = [tensors] if isinstance(tensors, torch.Tensor) else list(tensors)
        site = here(2)
        if not self._optimized and self._stepping == 0:
            self._end_step_by_hand()
        window = self.window
        self._began = True
        goals: tuple[int, ...] = ()
        if window is not None:
            goals = tuple(number for one in roots if (number := window.number(one)) is not None)
            self.registry.name(user_frames(2))
        self._now = Backward(site, goals, window, next(self._calls))
        self._turns.took(roots, window is not None)
        if window is not None:
            self._passes.append(self._now)
            self._watch_gradients()
        failed = True
        try:
            result = original(tensors, *arguments, **options)
            failed = False
            return result
        except RuntimeError as error:
            if window is not None and "modified by an inplace operation" in str(error):
                self._tell_overtaken(window, goals, site, str(error))
            raise
        finally:
            self._last, self._now = self._now, None
            if window is not None and (failed or not self._optimized):
                self._ask_by_hand(window, goals, site, failed)

    def _tell_overtaken(self, window: Window, goals: Sequence[int], site: Site | None, said: str) -> None:
        """Tells which parameters were written between their use and a backward pass that needs them."""
        named = re.search(r"Tensor \[([\d, ]*)\]", said)
        shape = [int(one) for one in named[1].split(",") if one.strip()] if named else None
        for index, number, event in window.overtaken(goals, shape):
            users = window.graph.users(number)
            read = window.graph.site(users[0]) if users else None
            self.sink.overtaken(site, event.name, event.site, read, [window.variables[index]])

    def _ask_by_hand(self, window: Window, goals: Sequence[int], site: Site | None, failed: bool) -> None:
        """Records the question of a backward pass, for programs that have no optimizer."""
        sources = [
            tensor
            for parameter in window.variables
            if (tensor := parameter.tensor()) is not None
            and tensor.requires_grad
            and parameter.kind == "weight"
        ]
        found = [not failed and one.grad is not None for one in sources]
        if sources and goals:
            window.asked_numbers("backward", site, goals, sources, found)
            if not failed:
                self._by_hand.append(window.graph.requests[-1].event)

    def _watch_gradients(self) -> None:
        """Makes parameters tell when a gradient is added to theirs."""
        for parameter, tensor in self.registry.living():
            if tensor.requires_grad and tensor.is_leaf:
                if tensor.grad is None:
                    self._gave.pop(parameter.uid, None)
                if parameter.uid not in self._handles:
                    handle = tensor.register_post_accumulate_grad_hook(self._accumulated)
                    self._handles[parameter.uid] = handle

    def _accumulated(self, tensor: Any) -> None:
        parameter = self.registry.find(tensor)
        if parameter is not None and self.window is None:
            if bool(tensor.grad.count_nonzero()):
                self.sink.graded([parameter])
                self._done.append(parameter.uid)
        elif parameter is not None and self._now is not None:
            given = self._gave.setdefault(parameter.uid, [])
            if self._now not in given:
                given.append(self._now)
            self._now.gave[parameter.uid] = parameter
            if self.window is None or not self.window.is_flat(tensor):
                self.sink.graded([parameter])
                self._done.append(parameter.uid)

    def _grad(
        self, original: Callable[..., Any], outputs: Any, inputs: Any, *arguments: Any, **options: Any
    ) -> Any:
        if not self._optimized and self._stepping == 0:
            self._end_step_by_hand()
        window, site = self.window, here(2)
        result = original(outputs, inputs, *arguments, **options)
        if window is not None:
            self._began = True
            roots = [outputs] if isinstance(outputs, torch.Tensor) else list(outputs)
            sources = [inputs] if isinstance(inputs, torch.Tensor) else list(inputs)
            if not all(isinstance(one, torch.Tensor) for one in sources):
                return result
            self.registry.name(user_frames(2))
            window.asked("grad", site, roots, sources, [one is not None for one in result])
            if options.get("create_graph"):
                gave = [one for one in result if one is not None and one.grad_fn is not None]
                window.differentiated([*roots, *sources], gave, site)
        return result

    def _convert(self, original: Callable[..., Any], module: Any, *arguments: Any, **options: Any) -> Any:
        """Converts a module, and notes parameters that others have taken the place of."""
        site = here(2)
        before = [(one, name, tensor) for one in module.modules() for name, tensor in one._parameters.items()]
        recording, self.recording = self.recording, False
        try:
            return original(module, *arguments, **options)
        finally:
            self.recording = recording
            for one, name, tensor in before:
                after = one._parameters.get(name)
                if tensor is not None and after is not tensor:
                    self.registry.note_replaced(one, name, tensor, site)
                    if after is not None:
                        self.registry.note_made(after, site)

    def _load(self, original: Callable[..., Any], module: Any, *arguments: Any, **options: Any) -> Any:
        """Loads a module, and tells what is written into which tensor."""
        site = here(2)
        given = arguments[0] if arguments else options.get("state_dict", {})
        held = {**dict(module.named_parameters()), **dict(module.named_buffers())}
        recording, self.recording = self.recording, False
        try:
            result = original(module, *arguments, **options)
        finally:
            self.recording = recording
        if not self._began:
            return result
        self.registry.name(user_frames(2))
        writes: list[Written] = []
        loaded: list[Parameter] = []
        event = next(self._events)
        for name, tensor in held.items():
            source = given.get(name) if isinstance(given, Mapping) else None
            if not isinstance(source, torch.Tensor):
                continue
            parameter = self.registry.of(tensor, "weight" if tensor.requires_grad else "state")
            loaded.append(parameter)
            itself = source is not tensor and memory(source) == memory(tensor)
            amount = 0.0 if itself else None
            writes.append(
                Written(parameter, "load_state_dict", site, "write", ("load",), event, amount, idle=itself)
            )
        if self.window is not None:
            self.window.forget_reads(loaded)
        self._tell(writes)
        return result

    def _clear(self, tensors: Sequence[Any], site: Site | None = None) -> None:
        """Notes that gradients are gone; a backward pass whose gradients nobody has applied was wasted."""
        lost: dict[int, tuple[Backward, list[Parameter]]] = {}
        for tensor in tensors:
            parameter = self.registry.find(tensor)
            if parameter is None:
                continue
            for call in self._gave.pop(parameter.uid, ()):
                if not call.by and site is not None and not self._stepping:
                    lost.setdefault(call.number, (call, []))[1].append(parameter)
        for call, parameters in lost.values():
            self._lost.append((call, parameters, site))

    def _settle_lost(self) -> None:
        """Tells the sink of backward passes whose gradients were cleared before anybody applied them."""
        for call, parameters, site in self._lost:
            held = [one for one in parameters if one.uid in self._held]
            if held and not call.by:
                self.sink.wasted(call.site, site, held)
        self._lost.clear()

    def _zero_grad(self, original: Callable[..., Any], owner: Any, *arguments: Any, **options: Any) -> Any:
        if self.window is None:
            return original(owner, *arguments, **options)
        site = here(2)
        result = original(owner, *arguments, **options)
        if isinstance(owner, torch.nn.Module):
            self._clear(list(owner.parameters()), site)
        else:
            self._clear(_parameters(owner), site)
        return result

    # -- optimizers ---------------------------------------------------------------------------------------

    def _make_optimizer(
        self, original: Callable[..., Any], owner: Any, *arguments: Any, **options: Any
    ) -> Any:
        result = original(owner, *arguments, **options)
        self._sites.setdefault(owner, here(2))
        return result

    def _group(self, optimizer: Any) -> Group:
        group = self._groups.get(optimizer)
        if group is None:
            name = type(optimizer).__name__
            group = Group(
                Stepped(next(self._numbers), name, self._sites.get(optimizer), _state_of(optimizer))
            )
            self._groups[optimizer] = group
        return group

    def _before_step(self, optimizer: Any, arguments: Any, options: Any) -> Any:
        self.recording = False
        self._mode.leave()
        if self.window is None:
            self._count_by_hand()
        group = self._group(optimizer)
        group.site, group.open = here(2), True
        group.times += 1
        held = _parameters(optimizer)
        if self.window is None and group.times > FEW and group.times % SELDOM:
            group.before = None if all(one.requires_grad for one in held) else _kept(held, False)
        else:
            group.before = _kept(held, group.times <= FEW or not group.times % SELDOM)
        closure = arguments[1] if len(arguments) > 1 else options.get("closure")
        if self.window is not None:
            for one in held:
                self.registry.of(one)
            self.registry.name(user_frames(2))
            self.registry.name_rest(optimizer)
        if closure is None:
            self._ask(optimizer, group)
            self._stepping += 1
            return None
        return self._around_closure(closure, arguments, options)

    def _around_closure(self, closure: Callable[..., Any], arguments: Any, options: Any) -> Any:
        self._stepping += 1

        def watched(*given: Any, **named: Any) -> Any:
            self._record(self.window is not None)
            try:
                return closure(*given, **named)
            finally:
                self._record(False)

        if len(arguments) > 1:
            return (arguments[0], watched, *arguments[2:]), options
        return arguments, {**options, "closure": watched}

    def _ask(self, optimizer: Any, group: Group) -> None:
        """Records the question that an update asks: which of its parameters have a gradient."""
        window = self.window
        if window is None:
            return
        wanted = [one for one in _parameters(optimizer) if one.requires_grad]
        calls: dict[int, Backward] = {}
        for one in _parameters(optimizer):
            parameter = self.registry.of(one)
            for call in self._gave.get(parameter.uid, ()):
                calls[id(call)] = call
        if not calls and self._last is not None:
            calls[0] = self._last
        goals = dict.fromkeys(goal for call in calls.values() if call.window is window for goal in call.goals)
        if wanted and goals:
            found = [one.grad is not None for one in wanted]
            window.asked_numbers("step", group.site, list(goals), wanted, found)
        self._note_applied(group, wanted)

    def _note_applied(self, group: Group, wanted: Sequence[Any]) -> None:
        """Notes which backward passes an update applies; one that was applied before is applied again.

        What another optimizer has applied before a later backward pass was added to it, was not cleared
        either: a generator's loss in the gradients of the discriminator.
        """
        again: dict[int, Parameter] = {}
        first: Backward | None = None
        own, now = group.stepped.uid, next(self._calls)
        for one in wanted:
            parameter = self.registry.of(one)
            given = self._gave.get(parameter.uid, [])
            latest = given[-1].number if given else -1
            old = [
                call
                for call in given
                if call.number < latest
                and (call.applied.get(parameter.uid, 0) or any(when < latest for when in call.by.values()))
            ]
            if old and one.grad is not None:
                again[parameter.uid] = parameter
                first = first or old[0]
            for call in given:
                call.applied[parameter.uid] = call.applied.get(parameter.uid, 0) + 1
                call.by.setdefault(own, now)
        if first is not None:
            self.sink.applied_again(group.stepped.name, group.site, first.site, list(again.values()))

    def _after_step(self, optimizer: Any, arguments: Any, options: Any) -> None:
        group = self._group(optimizer)
        if not group.open:
            return
        group.open = False
        self._stepping = max(0, self._stepping - 1)
        self._optimized = True
        closure = len(arguments) > 1 or (options or {}).get("closure") is not None
        if closure:
            self._ask(optimizer, group)
        window = self.window
        writes, moved, held = self._counted_writes(group, optimizer) or self._measured_writes(group)
        self.sink.stepped(group.stepped, [one.uid for one in writes], held)
        if window is not None and moved:
            window.wrote(group.stepped.name, group.site, moved, "apply", ("gradient",))
        steps = self.sink.steps.count
        self._tell(writes)
        if self.sink.steps.count > steps:
            self._final = self._latest
        self._latest = group
        if window is not None:
            self._record(self._stepping == 0)
            if self.sink.steps.count >= self._until:
                self._close()
                self._record(False)
        else:
            self._versions.follow(moved)
            self._release_hooks()
            if self._turns.wanted and group is self._final and not self._stepping:
                self._open()

    def _counted_writes(
        self, group: Group, optimizer: Any
    ) -> tuple[list[Written], list[Any], list[Parameter]] | None:
        """Returns what an update has written, if it was only counted: objects that serve every time."""
        if group.before is not None:
            return None
        moved = [one for one in _parameters(optimizer) if one.grad is not None]
        known = group.counted
        if (
            len(known) != len(moved)
            or any(one.variable.tensor() is not tensor for one, tensor in zip(known, moved, strict=True))
            or (known and known[0].site != group.site)
        ):
            name, made = group.stepped.name, group.stepped.site
            known = group.counted = [
                Written(self.registry.of(one), name, group.site, "apply", ("gradient",), 0, None, made)
                for one in moved
            ]
        event = next(self._events)
        for one in known:
            one.event = event
        return known, moved, []

    def _measured_writes(self, group: Group) -> tuple[list[Written], list[Any], list[Parameter]]:
        """Returns what an update has written, with the amounts, and all that its optimizer holds."""
        name, site = group.stepped.name, group.site
        writes, moved = [], []
        event = next(self._events)
        held = []
        for one, before in group.before or ():
            parameter = self.registry.of(one)
            held.append(parameter)
            self._held.add(parameter.uid)
            if before is None:
                if one.grad is None:
                    continue
                amount = None
            else:
                amount = _distance(one.detach(), before)
                if amount == 0.0 and (one.grad is None or not one.requires_grad):
                    continue
            moved.append(one)
            write = Written(parameter, name, site, "apply", ("gradient",), event, amount, group.stepped.site)
            writes.append(write)
        group.before = []
        for one, tensor in zip(writes, moved, strict=True):
            has_slope = one.amount == 0.0 and tensor.grad is not None and bool(tensor.grad.count_nonzero())
            one.idle = one.trainable and has_slope
        return writes, moved, held

    def _record(self, whether: bool) -> None:
        """Records what is called from here on, or does not."""
        self.recording = whether
        (self._mode.enter if whether else self._mode.leave)()

    def _open(self) -> None:
        """Begins a window for a path that came after the first steps."""
        self._turns.open()
        self.window = Window(self.registry)
        self._until = self.sink.steps.count + AGAIN
        self._record(True)

    def _end_step_by_hand(self) -> None:
        """Does for programs without an optimizer what an optimizer's step does: they step by hand."""
        self._count_by_hand()
        if self.window is not None and self.sink.steps.count >= self._until:
            self._close()

    def _release_hooks(self) -> None:
        """Lets go of the hooks that have told what they are there for."""
        for uid in self._done:
            handle = self._handles.pop(uid, None)
            if handle is not None:
                handle.remove()
        self._done.clear()

    def _count_by_hand(self) -> None:
        """Tells what lines of the program have written since, as the versions of tensors tell."""
        if self.window is not None:
            return
        self._counted = True
        writes = []
        for parameter, line in self._versions.advanced():
            if line is None:
                self._turns.want()
            else:
                by, site, terms = line
                writes.append(Written(parameter, by, site, "write", terms, next(self._events), None))
        if writes:
            self._tell(writes)

    def _scaled_step(
        self, original: Callable[..., Any], scaler: Any, optimizer: Any, *arguments: Any, **options: Any
    ) -> Any:
        group = self._group(optimizer)
        times, site = group.times, here(2)
        result = original(scaler, optimizer, *arguments, **options)
        wrong: list[Parameter] = []
        value = math.nan
        if group.times == times:
            for one in _parameters(optimizer):
                if one.grad is not None and not bool(torch.isfinite(one.grad).all()):
                    value = float(one.grad[~torch.isfinite(one.grad)].flatten()[0])
                    wrong.append(self.registry.of(one))
        self.sink.passed(self.nothing, (), [Scaled(type(optimizer).__name__, site, wrong, value)])
        return result

    # -- telling ------------------------------------------------------------------------------------------

    def _write(
        self, parameter: Parameter, by: str, site: Site | None, kind: str, terms: tuple[str, ...]
    ) -> Written:
        return Written(parameter, by, site, kind, terms, next(self._events), None)

    def _tell(self, writes: Sequence[Written]) -> None:
        states, self._pending_state = self._pending_state, []
        for one in [*states, *writes]:
            if not one.variable.path:
                self.registry.name(user_frames(2))
                break
        self.sink.passed(self.nothing, [*states, *writes])

    def _note_registered(self, module: Any, name: str, tensor: Any) -> None:
        if tensor is None or isinstance(tensor, torch.Tensor):
            self.registry.note_registered(module, name, tensor, here(2))


_watching: weakref.WeakSet[Torch] = weakref.WeakSet()


def _rest_in_child() -> None:
    """Makes a child of this process, such as a worker of a loader, run without a watcher."""
    for one in list(_watching):
        one.window, one.recording = None, False


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_rest_in_child)

_DECAYS = ("mul_", "div_", "__imul__", "__itruediv__")
"""Calls that shrink what they write, where the other operand is a number."""
_ORPHAN = (
    "Assign nn.Parameter itself to an attribute of a module, after every conversion: to(), half() and the "
    "like return a plain tensor, which parameters() does not list."
)


def _same(before: Any, after: Any) -> bool:
    return before.shape == after.shape and bool(torch.equal(before.cpu(), after.to(before.dtype).cpu()))


def _kept(tensors: Sequence[Any], measured: bool) -> list[tuple[Any, Any]]:
    """Returns tensors with copies of those that are to be measured; what is frozen always is."""
    return [(one, one.detach().clone() if measured or not one.requires_grad else None) for one in tensors]


def _distance(after: Any, before: Any) -> float:
    """Returns the Euclidean norm of a change; counted in whole if the tensor was given another shape."""
    if after.shape != before.shape or not after.numel():
        return math.nan if after.numel() else 0.0
    if after.dtype == before.dtype == torch.float32 and after.device == before.device:
        found = float(torch.linalg.vector_norm(after - before))
        if 0.0 < found < math.inf:
            return found
    # Squares of what is tiny or huge need more room, and so do narrow numbers.
    wide = torch.complex128 if after.is_complex() else torch.float64
    return float(torch.linalg.vector_norm(after.to(wide) - before.to(device=after.device, dtype=wide)))


def _parameters(optimizer: Any) -> list[Any]:
    return [one for group in optimizer.param_groups for one in group["params"]]


def _state_of(optimizer: Any) -> tuple[str, ...]:
    found = dict.fromkeys(name for state in optimizer.state.values() for name in state if name != "step")
    momentum = any(group.get("momentum") for group in optimizer.param_groups)
    return tuple(found) or (("momentum_buffer",) if momentum else ())


def _is_initialising() -> bool:
    """Returns whether a call comes from what fills new parameters."""
    import sys

    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        code = frame.f_code
        if code.co_name in ("reset_parameters", "_reset_parameters", "init_weights", "_init_weights"):
            return True
        if code.co_filename.endswith("nn/init.py"):
            return True
        frame = frame.f_back
    return False


__all__ = ["Torch"]
