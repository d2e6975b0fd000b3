"""PaddlePaddle, watched: the first steps are recorded call by call, later ones are counted."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import paddle
from paddle.amp import GradScaler  # noqa: F401  # its module must be there before functions are replaced
from paddle.base import core
from paddle.base.dygraph import base as guards
from paddle.base.framework import EagerParamBase
from paddle.jit.dy2static import program_translator as translators
from paddle.optimizer import lr

from penstock.flow.observed import Sink
from penstock.frameworks.eager import window as windows
from penstock.frameworks.eager.aliases import aliases
from penstock.frameworks.eager.sizes import Sizes
from penstock.frameworks.eager.source import ROOM, WHOLE, Eager
from penstock.frameworks.paddle.by_hand import ByHand
from penstock.frameworks.paddle.calls import Calls, record, tensors_in, writes_in_place
from penstock.frameworks.paddle.gradients import Gradients
from penstock.frameworks.paddle.links import key_of
from penstock.frameworks.paddle.modules import Modules
from penstock.frameworks.paddle.tensors import TENSORS
from penstock.frameworks.paddle.turns import Turns
from penstock.frameworks.paddle.updates import Updates
from penstock.frameworks.paddle.window import Window
from penstock.frameworks.places import here
from penstock.frameworks.replaced import Replaced
from penstock.frameworks.warned import on_own_lines

MODAL = frozenset(("batch_norm", "dropout"))
"""Functions of layers that work differently in inference mode."""
CONVERSIONS = ("to", "astype", "float", "half", "bfloat16", "float16", "double", "cuda", "cpu")
"""Methods of a layer that give its tensors another dtype or device."""
_ORPHAN = (
    "Assign the parameter itself, as self.create_parameter() or paddle.create_parameter() makes it, to an "
    "attribute of a layer: what is computed from it is a plain tensor, which parameters() does not list."
)


class Paddle(Eager):
    """Watches programs that run in PaddlePaddle."""

    framework = "paddle", str(paddle.__version__)
    orphan = _ORPHAN
    window: Window | None
    gradients: Gradients
    updates: Updates
    by_hand: ByHand
    turns: Turns

    def __init__(self, whole: int = WHOLE) -> None:
        super().__init__(TENSORS, whole)
        self._thread = threading.get_ident()
        self._quiet = 0
        self.remarks: list[str] = []
        self.turns = Turns(self.registry)
        self.gradients = Gradients(self)
        self.updates = Updates(self)
        self.sizes = Sizes(self)
        self.by_hand = ByHand(self)
        self.modules = Modules(self)
        self.calls = Calls(self)
        self._replaced = Replaced()

    def start(self, sink: Sink) -> None:
        """Begins to report runs to a sink."""
        self.begin(sink)
        self._register()
        self.calls.start()
        self.record(True)

    def stop(self) -> None:
        """Stops reporting, and leaves nothing behind."""
        self.recording = False
        self.forget()
        self.calls.stop()
        self._replaced.put_back()

    def new_window(self) -> Window:
        return Window(self.registry)

    def examine(self, window: windows.Window) -> None:
        self._notes += aliases(window, lambda tensor: (self.memory(tensor) or id(tensor), tensor.size))

    def memory(self, tensor: Any) -> int | None:
        return tensor.data_ptr() or None

    def is_itself(self, source: Any, tensor: Any) -> bool:
        """Returns whether a load gives a tensor its own value: `state_dict()` has parameters themselves."""
        return source is tensor or super().is_itself(source, tensor)

    def tell_uncounted(self) -> None:
        for (_, by, site), parameter in self.by_hand.hidden.items():
            if self.turns.opened or self.sink.steps.count > self.until:
                self.sink.uncounted(parameter, by, site)

    def note_given(self, module: Any, name: str, tensor: Any) -> None:
        self.modules.note_kind(module, name, tensor)
        super().note_given(module, name, tensor)

    # -- whether a call is the program's ---------------------------------------------------------------------

    def is_home(self) -> bool:
        """Returns whether this is the thread of the program, and the watch is on."""
        return threading.get_ident() == self._thread and hasattr(self, "sink") and not self.sink.stopped

    def is_static(self) -> bool:
        """Returns whether the program is building a static program."""
        return not paddle.in_dynamic_mode()

    def is_typed(self) -> bool:
        """Returns whether a call is the program's, and not one that another watched call makes."""
        return not self._quiet and not self.calls.inside and self.is_home()

    @property
    def is_awake(self) -> bool:
        """Whether calls of functions are followed now."""
        return not self._quiet

    @contextlib.contextmanager
    def quiet(self) -> Iterator[None]:
        """Makes calls that are not the program's own."""
        recording, self.recording = self.recording, False
        self._quiet += 1
        try:
            yield
        finally:
            self._quiet -= 1
            self.recording = self.window is not None and (recording or not self._quiet)

    @contextlib.contextmanager
    def loud(self) -> Iterator[None]:
        """Makes calls of the program inside such a call."""
        depth, self._quiet = self._quiet, 0
        self.recording = self.window is not None
        try:
            yield
        finally:
            self._quiet, self.recording = depth, False

    def record(self, whether: bool) -> None:
        self.recording = whether
        if self.window is not None:
            self.calls.enter()
        else:
            self.calls.leave()

    # -- what is watched ------------------------------------------------------------------------------------

    def _register(self) -> None:
        function = self._replaced.function
        function(core.eager, "run_backward", self.gradients.backward)
        function(core.eager, "run_partial_grad", self.gradients.grad)
        for kind in _kinds(paddle.optimizer.Optimizer):
            for name, watched in (
                ("step", self.updates.call_step), ("minimize", self.updates.call_step),
                ("apply_gradients", self.updates.call_apply), ("clear_grad", self.gradients.clear_all),
            ):  # fmt: skip
                if name in vars(kind):
                    function(kind, name, watched)
        function(paddle.optimizer.Optimizer, "__init__", self.updates.make_optimizer)
        function(paddle.optimizer.Optimizer, "set_state_dict", self.copies.begin_anew)
        function(lr.LRScheduler, "__init__", self.updates.make_schedule)
        for kind in self.updates.schedules.kinds():
            function(kind, "step", self.updates.schedules.call_step)
        layer = paddle.nn.Layer
        function(layer, "clear_gradients", self.gradients.clear_all)
        function(paddle.Tensor, "clear_gradient", self.gradients.clear_one)
        function(layer, "__setattr__", self.modules.set_attribute)
        for name in ("add_parameter", "add_sublayer", "register_buffer"):
            function(layer, name, self.modules.add)
        for name in ("set_state_dict", "set_dict", "load_dict", "load_state_dict"):
            if name in vars(layer):
                function(layer, name, self.modules.load)
        for name in CONVERSIONS:
            if name in vars(layer):
                function(layer, name, self.modules.convert)
        function(layer, "train", self.modes.switch)
        function(layer, "eval", self.modes.switch)
        function(EagerParamBase, "__init__", self._make_parameter)
        for kind in (guards.no_grad_, guards.enable_grad, guards.set_grad_enabled):
            for name in ("__enter__", "__exit__"):
                function(kind, name, self._follow)
        for kind in _kinds(translators.StaticFunction):
            if "__call__" in vars(kind):
                function(kind, "__call__", self._call_static)
        function(paddle, "enable_static", self._enable_static)
        paddle.autograd.PyLayer.apply = classmethod(
            lambda kind, *given, **named: self._apply(kind, given, named)
        )
        self._replaced.later(lambda: delattr(paddle.autograd.PyLayer, "apply"))
        self._replaced.later(on_own_lines())

    def _make_parameter(self, original: Callable[..., Any], tensor: Any, *given: Any, **named: Any) -> None:
        original(tensor, *given, **named)
        self.registry.note_made(tensor, here(2))

    def _follow(self, original: Callable[..., Any], guard: Any, *given: Any) -> Any:
        """Switches autograd on or off, and notes the line."""
        result = original(guard, *given)
        if self.window is not None and self.recording and self.is_typed():
            self.window.follow_recording(here(2))
        return result

    def _enable_static(self, original: Callable[..., Any]) -> Any:
        site = here(2)
        self.remarks.append(
            f"paddle.enable_static() at {site} begins a static program, of which nothing is seen: run it "
            "with penstock check --as paddle, or write it for dynamic mode."
        )
        return original()

    def _call_static(self, original: Callable[..., Any], function: Any, *given: Any, **named: Any) -> Any:
        """Calls a function made by to_static, which is one operation for the report."""
        window = self.window
        if window is None or not self.recording or not self.is_typed():
            return original(function, *given, **named)
        layer = function.class_instance
        held = list(layer.parameters()) if isinstance(layer, paddle.nn.Layer) else []
        site = here(2)
        name = getattr(function.dygraph_function, "__name__", "to_static")
        remark = (
            f"The function {name!r}, called at {site}, was made by to_static: it is one operation here, so "
            "paths that end inside it, and statistics that it writes, are not reported."
        )
        if not any(one.startswith(f"The function {name!r}") for one in self.remarks):
            self.remarks.append(remark)
        operands = list({id(one): one for one in (*tensors_in(given, named), *held)}.values())
        keys = [key_of(one) for one in operands]
        # It follows the code of the program, which must not meet replaced functions.
        self.calls.leave()
        try:
            with self.quiet():
                result = original(function, *given, **named)
        finally:
            self.calls.enter()
        made = list(tensors_in(result))
        if any(map(window.stems, operands)) and made:
            window.follow_recording(site)
            window.call(name, operands, keys, made, site, 1_000)
        return result

    def _apply(self, kind: Any, given: Sequence[Any], named: Mapping[str, Any]) -> Any:
        """Calls and records a function with a custom gradient."""

        def function(*arguments: Any, **options: Any) -> Any:
            return super(paddle.autograd.PyLayer, kind).apply(*arguments, **options)  # type: ignore[misc]

        window = self.window
        if window is None or not self.recording or not self.is_typed():
            return function(*given, **named)
        with self.quiet():
            return record(self, window, kind.__name__, function, given, named)

    def called(
        self, name: str, function: Callable[..., Any], arguments: Sequence[Any], options: Mapping[str, Any]
    ) -> Any:
        """Makes a call of the program, and records it."""
        window = self.window
        if window is None or not self.recording:
            result = function(*arguments, **options)
            if writes_in_place(name) and self.began and not self.is_static():
                self.by_hand.count_write(name, arguments)
            return result
        if self.is_static():
            return function(*arguments, **options)
        if len(window.graph.values) > ROOM:
            self.turns.fill()
            self.close()
            self.record(False)
            return function(*arguments, **options)
        result = record(self, window, name, function, arguments, options)
        if self.gradients.handed:
            operands = list(tensors_in(arguments, options))
            targets = operands[:1] if writes_in_place(name) else []
            self.gradients.passed_on(operands, list(tensors_in(result)), targets)
        if name in MODAL:
            made = next(tensors_in(result), None)
            if made is not None:
                self.modes.passed(window.number(made))
        if name in ("batch_norm", "sync_batch_norm_") and len(arguments) > 10:
            self.by_hand.normalises("batch_norm", arguments, result)
        return result

    def read_gradient(self, tensor: Any, gradient: Any) -> Any:
        """Notes that the program reads the gradient of a tensor."""
        self.gradients.note_read(tensor, 5)
        if gradient is not None:
            self.gradients.hand_out(tensor, gradient)
        return gradient

    def set_flag(self, tensor: Any, before: bool, now: bool) -> None:
        """Notes that the program sets stop_gradient of a tensor, which cuts the path to a computed one."""
        window, site = self.window, here(2)
        if window is None:
            return
        if now and not before and not tensor.is_leaf and window.number(tensor) is not None:
            window.call("stop_gradient", [tensor], [None], [tensor], site)
        elif not now and before and tensor.is_leaf:
            self.registry.note_made(tensor, site)
        elif now:
            self.by_hand.note_misplaced(tensor, site)


def _kinds(kind: Any) -> list[Any]:
    """Returns a class and all classes derived from it."""
    found = [kind]
    for one in found:
        found.extend(inner for inner in one.__subclasses__() if inner not in found)
    return found


__all__ = ["Paddle"]
