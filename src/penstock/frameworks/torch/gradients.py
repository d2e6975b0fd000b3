"""Backward passes in PyTorch: where each began, and whose gradients it computed."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import torch

from penstock.frameworks.eager import passes
from penstock.frameworks.eager.passes import Backward
from penstock.frameworks.places import here
from penstock.frameworks.torch.links import is_leaf
from penstock.frameworks.torch.means import Means
from penstock.frameworks.torch.mode import tensors_in, writes_in_place
from penstock.frameworks.torch.window import Window
from penstock.trace.source_site import Site

if TYPE_CHECKING:
    from penstock.frameworks.eager.window import Window as Recorded
    from penstock.frameworks.torch.source import Torch


class Gradients(passes.Gradients):
    """The backward passes of a program, and the gradients not yet applied."""

    source: Torch

    def __init__(self, source: Torch) -> None:
        super().__init__(source)
        self._handles: dict[int, Any] = {}
        self.done: list[int] = []
        self.means = Means()

    def backward(self, original: Callable[..., Any], tensors: Any, *arguments: Any, **options: Any) -> Any:
        """Runs a backward pass, and records where it began and which parameters got gradients."""
        roots = [tensors] if isinstance(tensors, torch.Tensor) else list(tensors)
        call = self.start(roots)
        if call is None:
            return original(tensors, *arguments, **options)
        window, goals, site = call.window, call.goals, call.site
        assert isinstance(window, Window)
        call.mean = all(self.means.is_mean(window, one) for one in goals) and bool(goals)
        call.scaled = self.source.scaling.is_scaled(roots)
        self._watch_gradients()
        failed = True
        try:
            result = original(tensors, *arguments, **options)
            failed = False
            call.inference = self.source.modes.is_inference(one.tensor() for one in call.gave.values())
            return result
        except RuntimeError as error:
            if "modified by an inplace operation" in str(error):
                self._tell_overtaken(window, goals, site, str(error))
            raise
        finally:
            self.finish(call, failed)

    def grad(
        self, original: Callable[..., Any], outputs: Any, inputs: Any, *arguments: Any, **options: Any
    ) -> Any:
        """Makes a call of torch.autograd.grad, which requests gradients but stores none."""
        if not self.source.optimized and self.source.updates.stepping == 0:
            self.source.end_step_by_hand()
        result = original(outputs, inputs, *arguments, **options)
        self.requested(outputs, inputs, result, bool(options.get("create_graph")))
        return result

    def _tell_overtaken(self, window: Window, goals: Sequence[int], site: Site | None, said: str) -> None:
        """Reports the parameters that were written between their use and a backward pass that needs them."""
        named = re.search(r"Tensor \[([\d, ]*)\]", said)
        shape = [int(one) for one in named[1].split(",") if one.strip()] if named else None
        for index, number, event in window.overtaken(goals, shape):
            users = window.graph.users(number)
            read = window.graph.site(users[0]) if users else None
            self.source.sink.overtaken(site, event.name, event.site, read, [window.variables[index]])

    def _watch_gradients(self) -> None:
        """Makes parameters report when a gradient is added to theirs."""
        for parameter, tensor in self.source.registry.living():
            if tensor.requires_grad and is_leaf(tensor):
                if tensor.grad is None:
                    self._gave.pop(parameter.uid, None)
                if parameter.uid not in self._handles:
                    handle = tensor.register_post_accumulate_grad_hook(self._accumulated)
                    self._handles[parameter.uid] = handle

    def _accumulated(self, tensor: Any) -> None:
        parameter = self.source.registry.find(tensor)
        if parameter is not None and self.source.window is None:
            # One of the program's hooks may have applied and cleared it already.
            if tensor.grad is None or bool(tensor.grad.count_nonzero()):
                self.source.sink.graded([parameter])
                self.done.append(parameter.uid)
        elif parameter is not None and self._now is not None:
            self.got(parameter)
            if self.source.window is None or not self.source.window.is_flat(tensor):
                self.source.sink.graded([parameter])
                self.done.append(parameter.uid)

    def zero_grad(self, original: Callable[..., Any], owner: Any, *arguments: Any, **options: Any) -> Any:
        """Clears the gradients of a module or an optimizer, and notes those that were not applied."""
        if self.source.window is None:
            return original(owner, *arguments, **options)
        site = here(2)
        # Reads of gradients in there only clear them.
        recording, self.source.recording = self.source.recording, False
        try:
            result = original(owner, *arguments, **options)
        finally:
            self.source.recording = recording
        self._cleared(owner, isinstance(owner, torch.nn.Module), site)
        return result

    def pass_on(self, name: str, arguments: Sequence[Any], result: Any) -> None:
        """Notes a call that computes with gradients that the program has read."""
        operands = list(tensors_in(*arguments))
        targets = list(tensors_in(arguments[0])) if arguments and writes_in_place(name) else []
        self.handed.passed_on(operands, targets or tensors_in(result), targets)

    def settle(self, window: Recorded | None) -> None:
        super().settle(window)
        for fact, parameters in self.means.told():
            self.source.note(fact, parameters)

    def added(self, window: Recorded, calls: Iterable[Backward]) -> None:
        assert isinstance(window, Window)
        self.means.added(window, calls)

    def keeps_gradient(self, tensor: Any) -> bool:
        return bool(tensor.is_leaf or tensor.retains_grad)

    def stop(self) -> None:
        """Removes all hooks."""
        for handle in self._handles.values():
            handle.remove()
        self._handles.clear()

    def release_hooks(self) -> None:
        """Removes the hooks that have done their work."""
        for uid in self.done:
            handle = self._handles.pop(uid, None)
            if handle is not None:
                handle.remove()
        self.done.clear()


__all__ = ["Backward", "Gradients"]
