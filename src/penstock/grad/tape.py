"""The gradient tape: an interval of the trace, and the gradients that it can compute."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from types import FrameType, TracebackType
from typing import Any, TypeVar, overload

import numpy as np

from penstock.errors import DTypeError, PenstockError, ShapeError, TapeError
from penstock.grad.live import give_rows, miss, present
from penstock.grad.query import JVP, Mode, Request
from penstock.ops.shape import broadcast_to
from penstock.trace.builder import Outcome
from penstock.trace.convert import as_tensor, convert
from penstock.trace.engine import engine
from penstock.trace.history import Past
from penstock.trace.kinds import how_to_register
from penstock.trace.lengths import is_symbolic
from penstock.trace.local import local
from penstock.trace.recorder import Trace
from penstock.trace.source_site import Site, here
from penstock.trace.spec import differentiable
from penstock.trace.structure import flat as flat_leaves
from penstock.trace.structure import flatten, outline, packed
from penstock.trace.tensor import Cell, Tensor

LONG = 64
"""Opening an outermost tape ends a step that wrote something, or that is longer than this."""

K = TypeVar("K")


class GradientTape:
    """Records what its `with` block computes, and computes gradients of it.

    A `persistent` tape can compute more than one gradient. A tape watches trainable variables by itself,
    unless `watch_accessed_variables=False`, and tensors that you pass to `watch`; gradients are taken with
    respect to these.

    Args:
        persistent: whether the tape may be asked more than once.
        watch_accessed_variables: whether trainable variables that are read are watched.

    Raises:
        TapeError: if it is asked again without `persistent`, or while it records.

    >>> import penstock as ps
    >>> x = ps.Variable(3.0)
    >>> with ps.GradientTape() as tape:
    ...     y = x * x
    >>> float(tape.gradient(y, x))
    6.0
    """

    __slots__ = (
        "__weakref__",
        "_generation",
        "_intervals",
        "_open",
        "_ordinal",
        "_past",
        "_paused",
        "_site",
        "_trace",
        "_used",
        "_watch_variables",
        "_watched",
        "persistent",
    )
    _implied = False
    """Whether the next gradient is requested for all variables, without a list of sources."""

    def __init__(self, persistent: bool = False, watch_accessed_variables: bool = True) -> None:
        self.persistent = persistent
        self._watch_variables = watch_accessed_variables
        self._open = False
        self._used = False
        self._trace: Trace | None = None
        self._generation = -1
        self._past: Past | None = None
        self._paused = 0

    # -- scope ------------------------------------------------------------------------------------------

    def __enter__(self) -> GradientTape:
        if self._open:
            self._refuse_entry()
        trace: Trace = local.trace
        frame = sys._getframe(1)
        if trace.taping and not engine.live_tapes(trace):
            # An interrupt kept a tape from being closed, and nothing holds it any more.
            trace.taping = 0
        over = trace.pending or trace.progress is not None or trace.node.depth > LONG
        if over and not trace.taping and not trace.capturing:
            engine.run(trace, True)
        elif trace.nested is not None and not trace.taping:
            trace.nested.end_step()
        if trace.current:
            trace.reread()
        if self._trace is not trace or self._generation != trace.generation:
            self._trace = trace
            self._generation = trace.generation
            self._intervals: list[list[int]] = []
            self._watched: list[tuple[int, int]] = []
            self._past = None
            self._ordinal = len(trace.tapes)
            trace.tapes.append(self)
        # A gradient's key needs no intervals: these marks on the path determine them.
        key = ("open", (self._ordinal, self._watch_variables), frame.f_lasti, id(frame.f_code))
        node = trace.node.edges.get(key)
        if node is None:
            trace.mark("open", key[1], frame, tape=self._ordinal, watch_variables=self._watch_variables)
        else:
            trace.node = node
        self._intervals.append([trace.node.size, -1])
        self._used = False
        self._open = True
        trace.taping += 1
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        trace = self._trace
        assert trace is not None
        trace.taping -= 1
        self._open = False
        if self._generation == trace.generation:
            self._close(trace, sys._getframe(1))
            trace.idle = trace.node.depth

    def _close(self, trace: Trace, frame: FrameType) -> None:
        if self._intervals and self._intervals[-1][1] < 0:
            self._intervals[-1][1] = trace.node.size
            node = trace.node.edges.get(("close", self._ordinal, frame.f_lasti, id(frame.f_code)))
            if node is None:
                trace.mark("close", self._ordinal, frame, tape=self._ordinal)
            else:
                trace.node = node

    def reset(self) -> None:
        """Forgets everything recorded so far. On an outermost tape, this also ends the previous step."""
        trace = self._recording("reset")
        frame = sys._getframe(1)
        if trace.taping == 1 and not trace.capturing:
            engine.run(trace, True)
        else:
            self._close(trace, frame)
            trace.reread()
        if self._generation != trace.generation:
            self._generation = trace.generation
            self._ordinal = len(trace.tapes)
            trace.tapes.append(self)
        self._intervals = []
        self._watched = []
        self._used = False
        trace.mark("reset", (self._ordinal, self._watch_variables), frame, tape=self._ordinal,
                   watch_variables=self._watch_variables)  # fmt: skip
        self._intervals.append([trace.node.size, -1])

    def stop_recording(self) -> _Pause:
        """Returns a context inside which this tape does not record.

        >>> import penstock as ps
        >>> x = ps.Variable(2.0)
        >>> with ps.GradientTape() as tape:
        ...     with tape.stop_recording():
        ...         scale = x * 10
        ...     y = x * scale
        >>> float(tape.gradient(y, x))
        20.0
        """
        return _Pause(self)

    def watch(self, *tensors: Any) -> None:
        """Watches these tensors or variables, so that gradients with respect to them exist.

        Raises DTypeError for integers and booleans, which have no derivative.
        """
        trace = self._recording("watch")
        frame = sys._getframe(1)
        for tensor in flat_leaves(tensors):
            if not isinstance(tensor, Tensor | Cell):
                raise PenstockError(
                    f"watch was given {type(tensor).__name__}, which is neither a tensor nor a variable.",
                    site=here(),
                    remedy="Convert it to a tensor first, with asarray, and compute with that.",
                )
            if not differentiable(tensor._spec):
                self._refuse_watch(tensor)
                continue
            slot = trace.reference(tensor)
            if slot not in [known for known, _ in self._watched]:
                trace.mark("watch", (self._ordinal, slot), frame, tape=self._ordinal, slot=slot)
                self._watched.append((slot, trace.node.size))

    def _refuse_watch(self, tensor: Any) -> None:
        raise DTypeError(
            f"watch was given {tensor._spec!r}.",
            site=here(),
            why="Integers and booleans have no derivative.",
            remedy="Convert it first: astype(x, 'float32').",
        )

    def _recording(self, what: str) -> Trace:
        trace: Trace = local.trace
        if not self._open or self._trace is not trace:
            self._refuse_idle(what)
        if self._generation != trace.generation:
            self._restart(trace, sys._getframe(1))
        return trace

    def _restart(self, trace: Trace, frame: FrameType) -> None:
        """Goes on after the step under this tape has failed: its recording is gone."""
        self._generation = trace.generation
        self._ordinal = len(trace.tapes)
        trace.tapes.append(self)
        trace.mark("open", (self._ordinal, self._watch_variables), frame, tape=self._ordinal,
                   watch_variables=self._watch_variables)  # fmt: skip
        self._intervals, self._watched = [[trace.node.size, -1]], []

    # -- refusals, which a dialect words in its own way
    # -------------------------------------------------------

    def _refuse_entry(self) -> None:
        raise TapeError(
            "This tape is already recording.",
            site=here(),
            remedy="Open a second tape to nest recordings.",
        )

    def _refuse_idle(self, what: str) -> None:
        raise TapeError(
            f"{what} was called on a tape that is not recording.",
            site=here(),
            remedy="Use it inside the tape's with block.",
        )

    def _refuse_used(self) -> None:
        raise TapeError(
            "This tape has already computed its one gradient.",
            origin=f"tape opened at {self._opened_at()}",
            why="A tape that is not persistent frees its record after the first gradient.",
            remedy="Ask for all sources in one call, or open it with persistent=True.",
            site=here(),
        )

    # -- life ---------------------------------------------------------------------------------------------

    def intervals(self, size: int) -> list[tuple[int, int]]:
        """Returns the slots recorded: pairs of the first and one past the last."""
        return [(start, stop if stop >= 0 else size) for start, stop in self._intervals]

    # -- gradients ------------------------------------------------------------------------------------------

    # A result typed `Tensor | Any` is a tensor if a path leads to the source: it may also be None, or `Rows`.

    @overload
    def gradient(
        self,
        target: Any,
        sources: Tensor | Cell,
        output_gradients: Any = None,
        unconnected_gradients: Any = "none",
    ) -> Tensor | Any: ...

    @overload
    def gradient(
        self,
        target: Any,
        sources: list[Any],
        output_gradients: Any = None,
        unconnected_gradients: Any = "none",
    ) -> list[Tensor | Any]: ...

    @overload
    def gradient(
        self,
        target: Any,
        sources: dict[K, Any],
        output_gradients: Any = None,
        unconnected_gradients: Any = "none",
    ) -> dict[K, Tensor | Any]: ...

    @overload
    def gradient(
        self,
        target: Any,
        sources: Any,
        output_gradients: Any = None,
        unconnected_gradients: Any = "none",
    ) -> Any: ...

    def gradient(
        self,
        target: Any,
        sources: Any,
        output_gradients: Any = None,
        unconnected_gradients: Any = "none",
    ) -> Any:
        """Returns the gradient of `target` with respect to each source, in the structure of `sources`.

        If the target is not a scalar, or there are several targets, the gradient is that of their sum,
        weighted by `output_gradients` if given; these must have the target's shape and dtype (numbers and
        arrays are converted to the dtype). A source without a path to the target gets None, or zeros with
        `unconnected_gradients="zero"`; `ps.explain(target, source)` says why. The gradient of a variable that
        was only gathered from is `Rows`.

        Raises TapeError if the tape is not persistent and has already computed a gradient.
        """
        return self._ask(target, sources, output_gradients, unconnected_gradients, sys._getframe(1))

    def jacobian(
        self,
        target: Any,
        sources: Any,
        unconnected_gradients: Any = "none",
        parallel_iterations: int | None = None,  # noqa: ARG002 - as TensorFlow calls it
        experimental_use_pfor: bool = True,
    ) -> Any:
        """Returns the derivative of each element of `target` with respect to each element of the sources.

        Its shape is `target.shape + source.shape`; the result has the structure of `sources`. A source
        without a path to the target gets None, or zeros with `unconnected_gradients="zero"`. One reverse pass
        over a batch of cotangents computes all rows together; with `experimental_use_pfor=False`, a loop
        inside the program computes them one by one and takes less memory. (`parallel_iterations` is accepted
        and ignored.)

        Raises TapeError if the tape is not persistent and has already computed a gradient.

        >>> import penstock as ps
        >>> x = ps.Variable([1.0, 2.0])
        >>> with ps.GradientTape() as tape:
        ...     y = x * x
        >>> tape.jacobian(y, x)
        Tensor([[2., 0.],
               [0., 4.]], dtype=float32)
        """
        mode = ("jacobian", not experimental_use_pfor)
        self._check_one(target, "jacobian")
        return self._gradient(target, sources, None, unconnected_gradients, sys._getframe(1), mode)

    def batch_jacobian(
        self,
        target: Any,
        source: Any,
        unconnected_gradients: Any = "none",
        parallel_iterations: int | None = None,  # noqa: ARG002 - as TensorFlow calls it
        experimental_use_pfor: bool = True,
    ) -> Any:
        """Returns a Jacobian for each example: of `target[i]` with respect to `source[i]`.

        The target and the source both have shape [b, ...]; the result has the shape `target.shape +
        source.shape[1:]`. It assumes that `target[i]` depends on `source[i]` alone; if it depends on other
        examples too, their derivatives are added up. Otherwise it works like `jacobian`, which ignores
        `parallel_iterations` too.

        Raises ShapeError if the first axes differ, or if either has fewer than two axes.

        >>> import penstock as ps
        >>> x = ps.Variable([[1.0, 2.0], [3.0, 4.0]])
        >>> with ps.GradientTape() as tape:
        ...     y = x * x
        >>> tape.batch_jacobian(y, x).shape
        (2, 2, 2)
        """
        mode = ("batch_jacobian", not experimental_use_pfor)
        self._check_one(target, "batch_jacobian")
        self._check_one(source, "batch_jacobian")
        self._check_batch(target, source)
        return self._gradient(target, source, None, unconnected_gradients, sys._getframe(1), mode)

    def _jvp(
        self, targets: list[Any], sources: list[Any], tangents: list[Any], frame: FrameType
    ) -> list[Any]:
        """Returns the derivative of each target along tangents of the sources; None where no path leads."""
        return self._gradient(targets, sources, tangents, "none", frame, JVP)  # type: ignore[no-any-return]

    def _check_one(self, thing: Any, what: str) -> None:
        if not isinstance(thing, Tensor | Cell):
            raise PenstockError(
                f"{what} was given {type(thing).__name__} {thing!r}, but needs one tensor or variable.",
                remedy="Ask for one at a time; the sources of a jacobian may be a list.",
                site=here(),
            )

    def _check_batch(self, target: Any, source: Any) -> None:
        a, b = target._spec, source._spec
        if a.ndim < 2 or b.ndim < 2 or a.shape[0] != b.shape[0]:
            raise ShapeError(
                f"batch_jacobian: the target is {a!r}, the source {b!r}.",
                why="Both need at least two axes; the first is the batch, of equal length.",
                remedy="For anything else, use jacobian.",
                site=here(),
            )

    def _ask(
        self, target: Any, sources: Any, output_gradients: Any, unconnected_gradients: Any, frame: FrameType
    ) -> Any:
        """Returns a gradient for the line of `frame`; a simple request seen before is one look-up."""
        trace: Trace = local.trace
        if (
            output_gradients is None
            and self._trace is trace
            and self._generation == trace.generation
            and not self._used
            and not self._open
            and isinstance(target, Tensor)
            and target._trace is trace
            and type(sources) is list
        ):
            try:
                key = self._key(trace, target, sources, unconnected_gradients, frame)
            except AttributeError:
                return self._gradient(target, sources, None, unconnected_gradients, frame)
            node = trace.node.edges.get(key)
            if node is not None:
                trace.node = node
                self._used = not self.persistent
                return [
                    trace.give(outcome, source._tensor_class)
                    if type(outcome) is Outcome
                    else miss(trace, source)
                    if outcome is None
                    else give_rows(trace, outcome, source._tensor_class)
                    for outcome, source in zip(node.result, sources, strict=True)
                ]
            parent = trace.node
            results = self._gradient(target, sources, None, unconnected_gradients, frame)
            if engine.questions and any(isinstance(source, Tensor) for source in sources):
                # Observers must hear of each request.
                return results
            if trace.node.parent is parent and key == self._key(
                trace, target, sources, unconnected_gradients, frame
            ):
                parent.edges[key] = trace.node
            return results
        return self._gradient(target, sources, output_gradients, unconnected_gradients, frame)

    def _key(
        self, trace: Trace, target: Tensor, sources: list[Any], unconnected: Any, frame: FrameType
    ) -> Any:
        """Returns the key that finds the gradient of a simple request with one look-up."""
        current = trace.current
        return (
            "gradient",
            self._ordinal,
            target._slot,
            unconnected,
            tuple(
                [
                    current.get(s._uid) or trace.identity(s)
                    if isinstance(s, Cell)
                    else s._slot
                    if s._trace is trace
                    else trace.entered.get(id(s))
                    for s in sources
                ]
            ),
            frame.f_lasti,
            id(frame.f_code),
        )

    def _gradient(
        self,
        target: Any,
        sources: Any,
        output_gradients: Any,
        unconnected: Any,
        frame: FrameType,
        mode: Mode | None = None,
    ) -> Any:
        """Returns the gradient, or with a `mode` the result of several reverse passes."""
        if self._used and not self.persistent:
            self._refuse_used()
        trace: Trace = local.trace
        if self._trace is None:
            self._never_entered()
        if trace.nested is not None and self._trace is not trace:
            raise TapeError(
                f"The gradient of a tape from outside was requested inside {trace.nested.what}.",
                origin=f"tape opened at {self._opened_at()}",
                why="The code inside is a separate program, recorded once and run later.",
                remedy="Compute the gradient before it and use the result inside; or open the tape inside.",
                site=here(),
            )
        if self._trace is not trace and self._past is None:
            raise TapeError(
                "This tape was recorded by another thread, whose step is not finished.",
                why="Each thread records its own trace.",
                remedy="Ask for the gradient in the thread that opened the tape.",
                site=here(),
            )
        unconnected = getattr(unconnected, "value", unconnected)
        if unconnected not in ("none", "zero"):
            raise PenstockError(
                f"unconnected_gradients is {unconnected!r}.", site=here(), remedy="Use 'none' or 'zero'."
            )
        targets = [target] if isinstance(target, Tensor | Cell) else flat_leaves((target,))
        single = isinstance(sources, Tensor | Cell)
        flat = [sources] if single else flat_leaves((sources,))
        self._check(flat, "source")
        self._check(targets, "target")
        if self._open and not self.persistent and self._generation == trace.generation:
            self._close(trace, frame)
        if not self.persistent:
            self._used = True
        seeds: Sequence[Any] = ()
        if output_gradients is not None:
            seeds = output_gradients
            if mode is None:
                seeds = [_seed(one, of) for one, of in zip(_weights(target, seeds), targets, strict=False)]
        now = self._trace is trace and self._generation == trace.generation
        past = self._past
        if isinstance(target, Cell) and mode != JVP:
            found = [_by_itself(target, source, seeds, unconnected, mode) for source in flat]
        elif now or past is not None:
            size = trace.node.size if now or past is None else past.node.size
            request = Request(
                targets, flat, seeds, unconnected, mode, tuple(self.intervals(size)), tuple(self._watched),
                self._watch_variables, self._implied, frame,
            )  # fmt: skip
            if now or past is None:
                found = present(request, trace, self._ordinal)
            else:
                from penstock.grad.replay import replayed

                found = replayed(request, trace, past)
        else:
            found = [None] * len(targets if mode == JVP else flat)
        if mode == JVP:
            return found
        if engine.questions and mode is None and unconnected == "none" and (now or past is not None):
            engine.questions.tell(sources, frame)
        if single:
            return found[0]
        return packed(sources, iter(found))

    def _check(self, values: Sequence[Any], role: str) -> None:
        for value in values:
            if not isinstance(value, Tensor | Cell):
                raise PenstockError(
                    f"The {role} of a gradient is {type(value).__name__} {value!r}, "
                    "neither a tensor nor a variable.",
                    why="A Python number or an array has no history for a gradient to follow.",
                    remedy="Compute it with tensors inside the tape."
                    if isinstance(value, int | float | complex | np.ndarray | np.generic)
                    else how_to_register(type(value)),
                    site=here(),
                )

    def _never_entered(self) -> None:
        raise TapeError(
            "This tape has not recorded anything.",
            site=here(),
            remedy="Compute the target inside `with tape:`.",
        )

    def _opened_at(self) -> Site | str:
        trace, past = self._trace, self._past
        node = (
            trace.node
            if trace is not None and trace.generation == self._generation
            else past.node
            if past
            else None
        )
        for one in node.path() if node else ():
            if (
                one.event is not None
                and one.event.kind == "open"
                and one.event.details["tape"] == self._ordinal
            ):
                return one.event.site or "an unknown line"
        return "an earlier step"


class _Pause:
    """The context that `GradientTape.stop_recording` returns."""

    __slots__ = ("_tape",)

    def __init__(self, tape: GradientTape) -> None:
        self._tape = tape

    def __enter__(self) -> None:
        trace = self._tape._recording("stop_recording")
        self._tape._paused += 1
        self._tape._close(trace, sys._getframe(1))

    def __exit__(self, *exception: object) -> None:
        tape = self._tape
        trace = tape._trace
        tape._paused -= 1
        if trace is not None and not tape._paused and tape._open and tape._generation == trace.generation:
            frame = sys._getframe(1)
            trace.mark("open", (tape._ordinal, tape._watch_variables), frame, tape=tape._ordinal,
                       watch_variables=tape._watch_variables)  # fmt: skip
            tape._intervals.append([trace.node.size, -1])


def _by_itself(target: Cell, source: Any, seeds: Sequence[Any], unconnected: str, mode: Mode | None) -> Any:
    """Returns the gradient of a variable, which is a leaf: ones by itself, None by any other source."""
    if mode is not None:
        shape = target._spec.shape + source._spec.shape[mode[0] == "batch_jacobian" :]
        if source is not target:
            return (
                None
                if unconnected == "none"
                else as_tensor(np.zeros(shape, source._spec.dtype), source._tensor_class)
            )
        rows = mode[0] == "batch_jacobian" and target._spec.shape[0]
        size = target._spec.size // (rows or 1)
        unit = np.eye(size, dtype=source._spec.dtype)
        if rows:
            unit = np.broadcast_to(unit, (rows, size, size))
        return as_tensor(unit.reshape(shape), source._tensor_class)
    if source is not target and unconnected == "none":
        return None
    if source is target and seeds and seeds[0] is not None:
        return seeds[0]
    value = np.asarray(source is target, source._spec.dtype)
    if not is_symbolic(source._spec.shape):
        return as_tensor(np.full(source._spec.shape, value), source._tensor_class)
    return broadcast_to(as_tensor(value, source._tensor_class), shape=source._spec.shape)


def _weights(target: Any, weights: Any) -> list[Any]:
    """Returns the weight of each tensor of a target; None is one."""
    if isinstance(target, Tensor | Cell):
        return [weights]

    def is_none(one: Any) -> bool:
        return one is None

    if isinstance(target, list | tuple) and isinstance(weights, list | tuple):
        target, weights = list(target), list(weights)
    leaves, form = flatten(weights, is_none)
    if form != outline(target, is_none):
        raise PenstockError(
            "output_gradients must match the structure of target.",
            origin=f"target: {outline(target, is_none)}\noutput_gradients: {form}",
            remedy="Give each tensor of the target a weight of the same shape, or None.",
            site=here(),
        )
    return leaves


def _seed(given: Any, target: Any) -> Any:
    """Returns the weights of a target, None for ones; data that is not a tensor takes the target's dtype."""
    own = target._spec
    if given is None:
        return None
    if not isinstance(given, Tensor | Cell):
        given = convert(given, own.dtype)
    if given._spec is not own:
        alike = given._spec.shape == own.shape
        raise PenstockError(
            f"output_gradients is {given._spec!r}, its target {own!r}."
            if alike
            else f"output_gradients has shape {given._spec.shape}, its target {own.shape}.",
            why="It weights the elements of the target, so both must have the same shape and dtype.",
            remedy=f"Convert it: astype(output_gradients, {own.dtype.name!r})."
            if alike
            else "Give one weight for each element, or multiply the target by the weights before taking its "
            "gradient.",
            site=here(),
        )
    return given
