"""Backward passes in PaddlePaddle: where each began, and whose gradients it computed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from penstock.frameworks.eager import passes
from penstock.frameworks.places import here

if TYPE_CHECKING:
    from penstock.frameworks.paddle.source import Paddle


class Gradients(passes.Gradients):
    """The backward passes of a program, and the gradients not yet applied."""

    source: Paddle

    def backward(self, original: Callable[..., Any], tensors: Any, *arguments: Any, **options: Any) -> Any:
        """Runs a backward pass, and records where it began and which parameters got gradients."""
        if not self.source.is_home():
            return original(tensors, *arguments, **options)
        with self.source.quiet():
            roots = list(tensors)
            self.source.turns.ends = []
            call = self.start(roots)
            ends = self.source.turns.ends
            if call is None:
                result = original(tensors, *arguments, **options)
                self.source.sink.graded(ends)
                return result
            for one in self.source.registry.living():
                if self.tensors.gradient(one[1]) is None:
                    self._gave.pop(one[0].uid, None)
            failed = True
            try:
                result = original(tensors, *arguments, **options)
                failed = False
                for parameter in ends:
                    self.got(parameter)
                    tensor = parameter.tensor()
                    if tensor is not None and call.window is not None and not call.window.is_flat(tensor):
                        self.source.sink.graded([parameter])
                call.inference = self.source.modes.is_inference(one.tensor() for one in call.gave.values())
                return result
            finally:
                self.finish(call, failed)

    def grad(
        self, original: Callable[..., Any], outputs: Any, inputs: Any, *arguments: Any, **options: Any
    ) -> Any:
        """Makes a call of paddle.grad, which requests gradients but stores none."""
        if not self.source.is_home():
            return original(outputs, inputs, *arguments, **options)
        with self.source.quiet():
            if not self.source.optimized and self.source.updates.stepping == 0:
                self.source.end_step_by_hand()
            result = original(outputs, inputs, *arguments, **options)
            # The gradients of the outputs, whether to keep the graph, and whether to make one.
            again = bool(arguments[2]) if len(arguments) > 2 else bool(options.get("create_graph"))
            self.requested(outputs, inputs, result, again)
            return result

    def clear_all(self, original: Callable[..., Any], owner: Any, *arguments: Any, **options: Any) -> Any:
        """Clears the gradients of a layer or an optimizer, and notes those that were not applied."""
        if self.source.window is None or not self.source.is_typed():
            return original(owner, *arguments, **options)
        site = here(2)
        with self.source.quiet():
            result = original(owner, *arguments, **options)
            self._cleared(owner, isinstance(owner, self.tensors.Module), site)
        return result

    def clear_one(self, original: Callable[..., Any], tensor: Any, *arguments: Any, **options: Any) -> Any:
        """Clears the gradient of one tensor."""
        result = original(tensor, *arguments, **options)
        if self.source.window is not None and self.source.is_typed():
            self.clear([tensor], here(2))
        return result

    def keeps_gradient(self, tensor: Any) -> bool:
        return bool(tensor.is_leaf) or self.tensors.gradient(tensor) is not None

    def passed_on(self, operands: Sequence[Any], results: Sequence[Any], targets: Sequence[Any]) -> None:
        """Notes a call that computes with gradients that the program has read."""
        if self.handed:
            self.handed.passed_on(operands, targets or results, targets)


__all__ = ["Gradients"]
