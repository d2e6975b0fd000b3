"""Watches TensorFlow once it is imported: hooks, recordings, and reports to the sink."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Sequence
from typing import Any

from tensorflow.python.autograph.pyct import error_utils
from tensorflow.python.eager import backprop, context, record
from tensorflow.python.eager.polymorphic_function import atomic_function, concrete_function
from tensorflow.python.framework import constant_op, func_graph, op_callbacks, ops
from tensorflow.python.ops import gradients_util, resource_variable_ops

from penstock.flow.noted import Notice
from penstock.flow.observed import Sink, Variable
from penstock.frameworks.replaced import Replaced
from penstock.frameworks.tensorflow.aliases import aliases
from penstock.frameworks.tensorflow.calls import Calls
from penstock.frameworks.tensorflow.entries import Asked, Entry, Inside, Running, Watched
from penstock.frameworks.tensorflow.failures import Failures, own_frames_left_out
from penstock.frameworks.tensorflow.flags import Flags
from penstock.frameworks.tensorflow.hand import Hand
from penstock.frameworks.tensorflow.lines import is_replica, user_frames
from penstock.frameworks.tensorflow.looks import Looks
from penstock.frameworks.tensorflow.naming import Names
from penstock.frameworks.tensorflow.observer import Observer
from penstock.frameworks.tensorflow.playing import Player
from penstock.frameworks.tensorflow.scaling import Scaling
from penstock.frameworks.tensorflow.sessions import refuse_sessions
from penstock.frameworks.tensorflow.sizes import Sizes
from penstock.frameworks.tensorflow.tapes import Tapes
from penstock.frameworks.tensorflow.told import Written
from penstock.frameworks.tensorflow.touched import Touched
from penstock.frameworks.tensorflow.traced import Script, Traced
from penstock.frameworks.tensorflow.turns import AGAIN, Turns
from penstock.frameworks.tensorflow.updates import Updates
from penstock.frameworks.tensorflow.variable import Parameter, Registry
from penstock.frameworks.tensorflow.window import Window
from penstock.frameworks.tensorflow.words import TENSORFLOW
from penstock.frameworks.told import Nothing
from penstock.trace.source_site import Site

LONGER, SMALL = 16, 1_000
"""How many steps are recorded while they have fewer than SMALL values, to see events that occur every few
steps."""
ROOM = 100_000
"""A window with this many values is closed, whatever step the program is in."""


class Watcher:
    """The recordings of a program that runs in TensorFlow.

    `quiet` counts the calls of the program's functions whose operations are not its own, such as those of an
    update or of a gradient. `began` says that a gradient has been requested.
    """

    def __init__(self, sink: Sink, whole: int) -> None:
        self.sink, self.whole = sink, whole
        self.registry = Registry()
        self.names = Names(self.registry)
        self.flags = Flags(self)
        self.traced = Traced(self.flags)
        self.nothing = Nothing(TENSORFLOW)
        self.events = itertools.count()
        self.window: Window | None = Window(self.registry)
        self.until = whole
        self.quiet = 0
        self.began = False
        self.turns = Turns()
        self.observer = Observer(self)
        self.tapes = Tapes(self)
        self.updates = Updates(self)
        self.scaling = Scaling(self)
        self.hand = Hand(self)
        self.looks = Looks(self)
        self.touched = Touched(self)
        self.calls = Calls(self)
        self.sizes = Sizes(self)
        self.failures = Failures(self)
        self._home = threading.get_ident()
        self._replaced = Replaced()
        self._keras = self._keras_2 = self._on = False
        self._created: set[int] = set()
        self._elsewhere: dict[tuple[str, Site | None], None] = {}
        self._notes: list[tuple[Notice, Sequence[Variable]]] = []

    # -- hooks -----------------------------------------------------------------------------------------------

    def start(self) -> None:
        """Replaces the functions of TensorFlow that are watched."""
        replaced = self._replaced
        replaced.function(resource_variable_ops.BaseResourceVariable, "__init__", self.hand.make)
        for kind in (resource_variable_ops.BaseResourceVariable, resource_variable_ops.ResourceVariable):
            for name in WRITERS:
                if name in vars(kind):
                    replaced.function(kind, name, self.hand.writer(name))
        tape = backprop.GradientTape
        replaced.function(tape, "_push_tape", self.tapes.push)
        replaced.function(tape, "_pop_tape", self.tapes.pop)
        replaced.function(tape, "watch", self.tapes.watch)
        replaced.function(tape, "gradient", self.tapes.gradient)
        replaced.function(tape, "jacobian", self.tapes.jacobian)
        replaced.function(tape, "batch_jacobian", self.tapes.jacobian)
        replaced.function(gradients_util, "_GradientsHelper", self.tapes.gradients)
        replaced.function(atomic_function, "from_func_graph", self._name)
        replaced.function(func_graph, "func_graph_from_py_func", self._trace)
        replaced.function(atomic_function, "partitioned_call_op", self.observer.call_inside)
        replaced.function(concrete_function.ConcreteFunction, "_call_flat", self.calls.call)
        replaced.function(record, "record_operation", self.observer.overridden)
        replaced.function(constant_op, "convert_to_eager_tensor", self.looks.convert)
        replaced.function(error_utils, "_stack_trace_inside_mapped_code", own_frames_left_out)
        self.looks.start(replaced)
        self.touched.start(replaced)
        self.updates.start(replaced)
        refuse_sessions(replaced)
        self.record(True)

    def start_keras(self) -> None:
        """Replaces the functions of Keras that are watched."""
        if not self._keras:
            self._keras = True
            self.updates.start_keras(self._replaced)
            self.scaling.start_keras(self._replaced)
            from keras.src.backend.common import variables
            from keras.src.backend.tensorflow import trainer

            self._replaced.function(variables.Variable, "__init__", self.hand.begin)
            self._replaced.setter(variables.Variable, "trainable", self.flags.set)
            self._replaced.function(trainer.TensorFlowTrainer, "train_step", self.flags.train_step)

    def start_keras_2(self) -> None:
        """Replaces the functions of Keras 2 that are watched."""
        if not self._keras_2:
            self._keras_2 = True
            self.updates.start_keras_2(self._replaced)

    def stop(self) -> None:
        """Restores everything."""
        self.record(False)
        self._replaced.put_back()

    def _name(self, original: Callable[..., Any], name: Any, graph: Any, *given: Any, **named: Any) -> Any:
        result = original(name, graph, *given, **named)
        self.traced.name(name, graph)
        return result

    def _trace(self, original: Callable[..., Any], *given: Any, **named: Any) -> Any:
        """Lets TensorFlow trace a function, which is observed even while steps are only counted."""
        if not self._is_watched():
            return original(*given, **named)
        on = self._on
        self.record(True)
        try:
            return self.failures.trace(original, given, named)
        finally:
            self.record(on or (self.window is not None and self.script() is None))

    def record(self, whether: bool) -> None:
        """Turns the observation of operations on or off."""
        if whether == self._on:
            return
        self._on = whether
        with context.eager_mode():
            (op_callbacks.add_op_callback if whether else op_callbacks.remove_op_callback)(
                self.observer.observe
            )

    # -- where something happens -----------------------------------------------------------------------------

    @property
    def remarks(self) -> list[str]:
        """Sentences on what the report leaves out."""
        return [
            f"{name} has also worked in another thread ({where}): the report only has the thread that began "
            "the program. Train in that thread to have all in it."
            for name, where in self._elsewhere
        ]

    def apart(self, name: str, site: Site | None) -> None:
        """Notes an update by an optimizer in a thread that is not watched."""
        if not self._is_watched():
            self._elsewhere.setdefault((name, site))

    @property
    def is_home(self) -> bool:
        """Whether the program itself is running or being traced, in the thread that is watched.

        A graph of TensorFlow 1, which only a session runs, does not count.
        """
        if self.quiet or not self._is_watched():
            return False
        return bool(context.executing_eagerly() or ops.get_default_graph().building_function)

    def _is_watched(self) -> bool:
        """Returns whether this is the thread that is watched, or the thread of a replica it waits for."""
        return threading.get_ident() == self._home or is_replica()

    def script(self) -> Script | None:
        """Returns the function that is being traced, if one is."""
        if context.executing_eagerly():
            return None
        graph = ops.get_default_graph()
        return self.traced.script(graph)

    def put(self, entry: Entry) -> None:
        """Puts an entry into the function that is being traced, or into the window."""
        script = self.script()
        if script is not None:
            if isinstance(entry, Asked | Watched):
                # A function must not keep its own tensors alive.
                entry.held = ()
            script.entries.append(entry)
        elif self.window is not None:
            self.play_one(entry)

    def play_one(self, entry: Any) -> None:
        """Puts an entry of the running program into the window."""
        from penstock.frameworks.tensorflow import entries

        window = self.window
        assert window is not None
        numbers = window.running
        match entry:
            case entries.Operation():
                window.add(entry, numbers)
            case entries.Opened():
                window.opened(entry)
            case entries.Closed():
                window.closed(entry)
            case entries.Watched():
                window.watched(entry, numbers)
            case entries.Asked():
                window.asked(entry, numbers)
            case entries.Updated():
                window.updated(entry, numbers)
            case entries.Assigned():
                window.assigned(entry, numbers)

    def play(self, script: Script, inside: Inside) -> None:
        """Puts a run of a traced function into the window."""
        if self.window is not None:
            Player(self.traced, self.window, self.calls.moved).play(script, inside)

    @property
    def running(self) -> Running | None:
        """The numbers of the running program's tensors, while it is recorded."""
        return self.window.running if self.window is not None else None

    # -- windows ---------------------------------------------------------------------------------------------

    @property
    def is_over(self) -> bool:
        """Whether enough steps are recorded."""
        window = self.window
        assert window is not None
        size = len(window.graph.values)
        small = self.whole == 4 and not self.turns.opened and size < SMALL
        steps, limit = self.sink.steps.count, self.sink.limit
        if limit is not None and steps >= limit:
            return True
        return bool(steps >= (LONGER if small else self.until)) or size > ROOM

    def open_window(self) -> None:
        """Begins a window for a path that came after the first steps."""
        self.turns.open()
        self.window = Window(self.registry)
        self.until = self.sink.steps.count + AGAIN
        self.record(True)

    def begin_step(self) -> None:
        """Opens a window for a step that begins with flags as no earlier step had them."""
        new = self.flags.are_new() and self.window is None and self.began
        if new and self.turns.is_new(hash(("flags", self.flags.state))):
            self.open_window()

    def close(self) -> None:
        """Passes the window to the sink, which analyses it; from here on steps are only counted."""
        window, self.window = self.window, None
        self.record(False)
        if window is None:
            return
        window.settle()
        self.names.name(user_frames())
        for fact, held in aliases(window):
            self.note(fact, held)
        for passed, statistics in window.measured():
            self.note(passed, statistics)
        for one, _ in self.registry.living():
            self.made(one)
        self.sink.passed(window)
        self.tell_notes()

    def made(self, parameter: Parameter) -> None:
        """Reports a variable, once."""
        if parameter.uid not in self._created:
            self._created.add(parameter.uid)
            self.sink.created(parameter, "", parameter.returned)

    def tell(self, writes: Sequence[Written]) -> None:
        """Reports writes to the sink."""
        if not writes:
            return
        if any(not one.variable.home for one in writes) and self.names.is_due():
            self.names.name(user_frames())
        self.sink.passed(self.nothing, writes)

    def stepped(self, writes: Sequence[Written]) -> None:
        """Does what is due after an update: closes a window, opens one, or looks for a new path."""
        if self.window is not None:
            if self.is_over:
                self.close()
            return
        if self.turns.stepped(writes):
            self.open_window()
        else:
            self.record(self.turns.listening)

    def note(self, fact: Notice, variables: Sequence[Variable]) -> None:
        """Notes a fact, which is reported when all its subjects have a name."""
        self._notes.append((fact, variables))

    def tell_notes(self) -> None:
        """Reports the facts noted so far."""
        for fact, variables in self._notes:
            self.sink.noted(fact, variables)
        self._notes.clear()

    def finish(self) -> None:
        """Analyses the last recording."""
        self.record(False)
        self.quiet += 1
        try:
            self.close()
            self.tell_notes()
            self.sink.unrecorded(self.turns.over)
        finally:
            self.quiet -= 1


WRITERS = (
    "assign", "assign_add", "assign_sub", "scatter_sub", "scatter_add", "scatter_max", "scatter_min",
    "scatter_mul", "scatter_div", "scatter_update", "batch_scatter_update", "scatter_nd_sub",
    "scatter_nd_add", "scatter_nd_update",
)  # fmt: skip
"""The methods of variables that write them."""

__all__ = ["Watcher"]
