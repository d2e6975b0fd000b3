"""PyTorch, watched: the first steps are recorded call by call, later ones are counted."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch.optim import lr_scheduler
from torch.optim import optimizer as optim

from penstock.flow.observed import Sink
from penstock.frameworks.eager import window as windows
from penstock.frameworks.eager.aliases import aliases
from penstock.frameworks.eager.sizes import Sizes
from penstock.frameworks.eager.source import ROOM, WHOLE, Eager
from penstock.frameworks.places import here
from penstock.frameworks.torch.amounts import same
from penstock.frameworks.torch.by_hand import ByHand
from penstock.frameworks.torch.followers import Followers
from penstock.frameworks.torch.gradients import Gradients
from penstock.frameworks.torch.links import key_of, memory
from penstock.frameworks.torch.mode import Mode, record, tensors_in
from penstock.frameworks.torch.modules import Modules
from penstock.frameworks.torch.replaced import Replaced
from penstock.frameworks.torch.scaling import Scaling
from penstock.frameworks.torch.stack import Standing
from penstock.frameworks.torch.tensors import TENSORS
from penstock.frameworks.torch.told import Written
from penstock.frameworks.torch.turns import Turns
from penstock.frameworks.torch.unseen import unseen
from penstock.frameworks.torch.updates import Updates
from penstock.frameworks.torch.versions import Versions
from penstock.frameworks.torch.window import Window
from penstock.frameworks.warned import on_own_lines

MODAL = frozenset(("batch_norm", "dropout", "dropout1d", "dropout2d", "dropout3d", "alpha_dropout"))
"""Functions of layers that work differently in inference mode."""
_ORPHAN = (
    "Assign nn.Parameter itself to an attribute of a module, after every conversion: to(), half() and the "
    "like return a plain tensor, which parameters() does not list."
)


class Torch(Eager):
    """Watches programs that run in PyTorch."""

    framework = "torch", str(torch.__version__)
    orphan = _ORPHAN
    Written = Written
    window: Window | None
    gradients: Gradients
    updates: Updates
    by_hand: ByHand

    def __init__(self, whole: int = WHOLE) -> None:
        super().__init__(TENSORS, whole)
        self.mode = Standing(Mode(self))
        self.turns = Turns(self.registry)
        self.versions = Versions(self.registry)
        self.gradients = Gradients(self)
        self.updates = Updates(self)
        self.scaling = Scaling(self)
        self.followers = Followers(self.registry, self.updates.held)
        self.sizes = Sizes(self)
        self.by_hand = ByHand(self)
        self.modules = Modules(self)
        self._replaced = Replaced()

    def start(self, sink: Sink) -> None:
        """Begins to report runs to a sink."""
        self.begin(sink)
        self._register()
        self.mode.enter()
        self.recording = True

    def stop(self) -> None:
        """Stops reporting, and leaves nothing behind."""
        self.recording = False
        self.mode.leave()
        self.forget()
        self._replaced.put_back()
        self.gradients.stop()

    def new_window(self) -> Window:
        return Window(self.registry)

    def settle(self) -> None:
        self._notes += self.followers.unfollowed()

    def tell_uncounted(self) -> None:
        for (_, by, site), parameter in self.versions.hidden.items():
            if self.by_hand.counted:
                self.sink.uncounted(parameter, by, site)

    def closed(self) -> None:
        self.versions.renew()
        self.gradients.release_hooks()

    def examine(self, window: windows.Window) -> None:
        assert isinstance(window, Window)
        self.followers.settle()
        self._notes += aliases(window, self.place_of)

    def place_of(self, tensor: Any) -> tuple[Any, ...]:
        """Returns where the elements of a tensor are."""
        own = memory(tensor) if tensor.numel() else None
        return (id(tensor),) if own is None else (own, tensor.storage_offset(), tensor.numel())

    def memory(self, tensor: Any) -> int | None:
        return memory(tensor)

    def _register(self) -> None:
        from torch.nn.modules import module as modules

        replaced = self._replaced
        for made in (
            modules.register_module_parameter_registration_hook(self._note_registered),
            modules.register_module_buffer_registration_hook(self._note_registered),
            modules.register_module_module_registration_hook(self.modules.put),
            optim.register_optimizer_step_pre_hook(unseen(self.updates.before_step)),
            optim.register_optimizer_step_post_hook(unseen(self.updates.after_step)),
        ):
            replaced.later(made.remove)
        replaced.function(torch.autograd, "backward", self.gradients.backward)
        replaced.function(torch.autograd, "grad", self.gradients.grad)
        replaced.function(optim.Optimizer, "__init__", self.updates.make_optimizer)
        replaced.function(lr_scheduler.LRScheduler, "__init__", self.updates.make_schedule)
        for kind in self.updates.schedules.kinds():
            replaced.function(kind, "step", self.updates.schedules.call_step)
        replaced.function(optim.Optimizer, "zero_grad", self.gradients.zero_grad)
        replaced.function(torch.nn.Module, "zero_grad", self.gradients.zero_grad)
        replaced.function(torch.amp.GradScaler, "step", self.updates.scaled_step)
        replaced.function(torch.nn.Module, "__setattr__", self.by_hand.set_attribute)
        replaced.function(torch.nn.Module, "_apply", self.modules.convert)
        replaced.function(torch.nn.Module, "load_state_dict", self.modules.load)
        replaced.function(torch.nn.Module, "train", self.modes.switch)
        replaced.function(optim.Optimizer, "load_state_dict", self.copies.begin_anew)
        replaced.function(torch.amp.GradScaler, "scale", self.scaling.scale)
        replaced.function(torch.amp.GradScaler, "unscale_", self.scaling.unscale)
        for where in (torch.nn.utils, torch.nn.utils.clip_grad):
            for name in ("clip_grad_norm_", "clip_grad_value_"):
                replaced.function(where, name, self.scaling.clip)
        replaced.function(torch, "compile", self._compile)
        replaced.apply(self._apply)
        replaced.made(self._note_made)
        replaced.later(on_own_lines())

    def _compile(self, original: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
        result = original(*arguments, **options)
        if self.mode.is_on:
            self.mode.follow_compiler()
        return result

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
            self.turns.fill()
            self.close()
            return function(*arguments, **options)
        result = record(window, name, function, arguments, options, self.by_hand.wrote_in_place)
        if self.gradients.handed:
            self.gradients.pass_on(name, [*arguments, *options.values()], result)
        self.gradients.means.called(window, name, arguments, options, result)
        if name == "requires_grad_" and not all([*arguments[1:2], options.get("requires_grad", True)]):
            self.by_hand.note_misplaced(arguments[0], here(2))
        if name in MODAL and isinstance(result, torch.Tensor):
            self.modes.passed(window.number(result))
        if name in ("batch_norm", "instance_norm") and len(arguments) > 2:
            self.by_hand.note_statistics(name, arguments, options, result)
        return result

    def _apply(self, kind: Any, original: Any, arguments: Sequence[Any], options: Mapping[str, Any]) -> Any:
        """Calls and records a function with a custom gradient, which no mode sees."""

        def function(*given: Any, **named: Any) -> Any:
            return original.__get__(None, kind)(*given, **named)

        if self.window is None or not self.recording:
            return function(*arguments, **options)
        if not any(one.requires_grad for one in tensors_in(*arguments)):
            # No operand has a gradient and none is passed on: the calls inside it show why.
            return function(*arguments, **options)
        self.recording = False
        try:
            return record(
                self.window, kind.__name__, function, arguments, options, self.by_hand.wrote_in_place
            )
        finally:
            self.recording = self.window is not None

    def _property(self, how: str, name: str, function: Callable[..., Any], arguments: Sequence[Any]) -> Any:
        window = self.window
        assert window is not None
        tensor = arguments[0]
        if how == "__get__":
            if name == "grad":
                self.gradients.note_read(tensor, 5)
            result = function(*arguments)
            other = isinstance(result, torch.Tensor) and result is not tensor
            if other and name == "grad":
                self.gradients.hand_out(tensor, result)
            elif other and self.gradients.handed:
                self.gradients.pass_on(name, [tensor], result)
            if other and name not in ("grad", "_grad", "_base") and window.stems(tensor):
                window.call(name, [tensor], [key_of(tensor)], [result], here(2))
            return result
        if name in ("data", "grad") and self.gradients.handed:
            self.gradients.pass_on("__set__", arguments, tensor)
        if name == "data":
            old = tensor.detach().clone() if self.by_hand.is_parameter(tensor) else None
            result = function(*arguments)
            if old is not None and not same(old, tensor.detach()):
                self.by_hand.wrote_in_place("data", tensor, here(2), arguments[1], old)
            return result
        result = function(*arguments)
        if name == "requires_grad" and not arguments[1]:
            self.by_hand.note_misplaced(tensor, here(2))
        if name == "grad" and arguments[1] is None:
            self.gradients.clear([tensor], here(2))
        return result

    def record(self, whether: bool) -> None:
        """Turns recording of calls on or off."""
        self.recording = whether
        (self.mode.enter if whether else self.mode.leave)()

    def _note_made(self, tensor: Any, maker: str, returned: bool) -> None:
        self.registry.note_made(tensor, here(3), returned)
        if maker.startswith("torch.distributed.") and type(tensor) is torch.nn.Parameter:
            self.registry.note_inner(tensor)

    def _note_registered(self, module: Any, name: str, tensor: Any) -> None:
        if tensor is None or isinstance(tensor, torch.Tensor):
            self.registry.note_registered(module, name, tensor, here(2), self.sink.steps.count)


__all__ = ["Torch"]
