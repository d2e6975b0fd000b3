"""The interface between the report and the engine: observed variables, passages, writes, and their source.

A source watches an engine that runs a program, Penstock's own recorder or another framework, and reports its
observations to a sink. The sink numbers the steps, merges the passages, judges and reports. Neither knows how
the other works. Nothing here imports an engine.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from penstock.flow.graph import Graph, Look, Region, Request
from penstock.flow.words import NATIVE, Words
from penstock.trace.source_site import Site

if TYPE_CHECKING:
    from penstock.flow.laps import Laps
    from penstock.flow.measuring import Measuring
    from penstock.flow.naming import Place
    from penstock.flow.noted import Notice
    from penstock.flow.reach import Verdict
    from penstock.flow.report_model import Conservation, Finding, Skip, Subject, Writer
    from penstock.flow.sizes import NotFinite


class Enough(BaseException):
    """Ends a program after the requested number of watched steps."""


class Variable:
    """A named value that a program reads and writes: the base class of a source's variables.

    `position` is the place among the sources of a gradient of a requested tensor that is not a variable of
    the graph; `handle` is the program's object for such a tensor.

    `uid` distinguishes variables, as long as the source watches. `path` is its name in reports; `unnamed`
    says that the program has not named it, so that the name it was assigned to says more. `site` is where it
    was created, `dtype` a name such as "float32". `data` says that the program only reads it. `flag` says in
    the framework's words why it is frozen, `words` are those of its vocabulary. `replaced` is the line that
    put another variable in its place in the model, if any. `unregistered` says what to type if the model
    holds the variable but does not list it as its own. `returned` says that the call on the line of its
    creation returns the variable itself, and not a layer that holds it or a result of a layer.
    """

    __slots__ = ()

    uid: int
    path: str
    site: Site
    shape: tuple[int, ...]
    dtype: str
    trainable: bool
    replaced: Site | None
    unregistered: str
    returned = True

    @property
    def position(self) -> int | None:
        """The place among the sources of the requested gradient, if it has no other identity."""
        return None

    @property
    def handle(self) -> Any:
        """The program's object for a tensor that is not a variable, as long as the program holds it."""
        return None

    @property
    def unnamed(self) -> bool:
        """Whether `path` is only a number that distinguishes it from others."""
        return False

    @property
    def data(self) -> bool:
        """Whether the program only reads it."""
        return False

    @property
    def statistic(self) -> bool:
        """Whether it is a statistic that its layer writes while it is in training mode."""
        return False

    @property
    def given(self) -> bool:
        """Whether the program has given it a value before it was trained, if the source knows."""
        return False

    @property
    def by_hand(self) -> bool:
        """Whether it is data with a requested gradient, not part of a model: perhaps only to inspect it."""
        return False

    @property
    def settings(self) -> Sequence[tuple[bool, Site | None]]:
        """The settings of its flag, the first one first, and the line of each; empty if unknown."""
        return ()

    @property
    def words(self) -> Words:
        """The words of its vocabulary."""
        return NATIVE

    @property
    def flag(self) -> str:
        """Why it is frozen, if it is: "trainable is False"."""
        return "trainable is False"

    def is_there(self) -> Callable[[], bool]:
        """Returns a function that says whether the program still has it, without keeping it alive."""
        return lambda: True

    @property
    def spec(self) -> str:
        """Shape and dtype, as a reader would write them: "float32[3, 4]"."""
        return f"{self.dtype}[{', '.join(map(str, self.shape))}]"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Variable) and other.uid == self.uid

    def __hash__(self) -> int:
        return hash(self.uid)


class Passage:
    """One run through a part of a program: a graph and its bound variables. A base class for sources.

    `variables` are those of the graph, by their numbers there; `missed` those whose gradient was requested
    although nothing touched them, each with the number of events before the request. `facts` keeps results
    shared by all passages of one graph, and `program` is the same object for all of them. `ends_step` says
    that the recording is over, so that a gradient requested later still belongs to it.
    """

    __slots__ = ()

    graph: Graph
    program: object
    facts: dict[str, Any]
    variables: Sequence[Variable]
    missed: Sequence[tuple[int, Variable]]
    ends_step: bool

    @property
    def identities(self) -> tuple[int, ...]:
        """The numbers of the variables, with untouched ones last."""
        return tuple([one.uid for one in self.variables] + [one.uid for _, one in self.missed])

    def numbers(self, thing: Any) -> list[int]:
        """Returns the values of the graph that belong to a variable, or to another subject of a question."""
        for index, variable in enumerate(self.variables):
            if variable == thing:
                return self.graph.versions(index)
        return []

    def is_computed(self, entry: int) -> bool:
        """Returns whether an earlier step computed this incoming data."""
        return False

    def earlier(
        self, numbers: Sequence[int], source: Any, region: Region
    ) -> tuple[Verdict, list[Place]] | None:
        """Returns a verdict and a path that leads to a source through data which an earlier step computed."""
        return None

    def is_after(self, number: int, look: Look) -> bool:
        """Returns whether the variable of a value was created after a look."""
        return False

    def origin(self, source: Any) -> tuple[Variable, Site | None] | None:
        """Returns the variable that a plain tensor may be mistaken for, and the line that made the tensor."""
        return None

    @property
    def elements_written(self) -> int:
        """How many elements the variables have together that the graph writes."""
        known: int | None = self.facts.get("elements")
        if known is None:
            written = {one.variable for one in self.graph.writes}
            known = sum(math.prod(self.variables[index].shape) for index in written)
            self.facts["elements"] = known
        return known

    @property
    def begins(self) -> int:
        """The number of the first event of this run; earlier events have been reported already."""
        return 0

    @property
    def is_heavy(self) -> bool:
        """Whether the graph is so much work that few runs are computed again, whatever has run it."""
        return True

    def values(self, numbers: Iterable[int]) -> dict[int, Any] | None:
        """Returns values of the graph as arrays, computed again if necessary; None if that is impossible."""
        return None

    def clipped(self) -> Sequence[tuple[str, Site | None, bool]]:
        """Returns the optimizers that clip, with their lines, and whether they have clipped in this run."""
        return ()

    def shares(self, request: Request, terms: Sequence[int]) -> dict[int, dict[int, float]]:
        """Returns the norms of the gradients of terms, by their numbers and those of the variables."""
        return {}

    def responds(self, number: int, operand: int, operands: Sequence[Any]) -> bool:
        """Returns whether a value of the graph changes if this operand changes a little."""
        return True

    def without_data(self) -> Passage:
        """Returns this passage without a reference to the incoming data."""
        return self


class Wrote:
    """One write that takes effect: a base class for sources.

    `uid` is that of the `variable`. `by` and `site` are the writer and its line, `kind` is "apply" for an
    optimizer and else "write"; `own` marks a writer's own state, and `terms` are the causes of the change.
    Writes of one `event` belong together; events are numbered as in the passage. `size` counts elements.
    `made` is the line that created the optimizer, and `trainable` the variable's flag. `idle` says that the
    value is known to be unchanged. `numbers_steps` is false if a write says nothing about where steps begin,
    such as one of statistics. `before` is the replaced value, for `undoes`, and `after` the new one; None if
    unknown. The sink sets `step`, counted from 1. `sampled` says that `change` and `is_finite` read the value
    when they are called, and are called for a sample; otherwise the source has already examined what it
    could.
    """

    __slots__ = ()
    sampled: ClassVar[bool] = True

    uid: int
    variable: Variable
    by: str
    site: Site | None
    kind: str
    own: bool
    terms: tuple[str, ...]
    event: int
    size: int
    numbers_steps: bool
    step: int

    made: Site | None
    trainable: bool
    idle: bool
    before: Any = None
    after: Any = None

    def change(self) -> float | None:
        """Returns the Euclidean norm of the change; None if it was not measured."""
        raise NotImplementedError

    def untouched(self) -> Callable[[], int | None]:
        """Returns a function that says how many rows are still unchanged; None if unknown."""
        return lambda: None

    def is_finite(self) -> bool:
        """Returns False if the written value is known to contain an infinity or NaN."""
        return True

    def undoes(self, before: Any) -> bool:
        """Returns whether the write restores a value that an earlier write has replaced."""
        return False

    def settles(self) -> bool | None:
        """Returns whether a repetition of the write would change nothing; None if unknown.

        This holds for clipping.
        """
        return None


class Update:
    """An update that an optimizer skips if a gradient is not finite: a base class for sources.

    `by` and `site` are the optimizer and its line, `event` is its number in the passage.
    """

    __slots__ = ()

    by: str
    site: Site | None
    event: int

    def left_out(self) -> bool | None:
        """Returns whether it was skipped; None if only its values can tell."""
        raise NotImplementedError

    def skip(self, step: int) -> Skip | None:
        """Returns which gradient made this step skip it, and why; None if it was not skipped."""
        raise NotImplementedError

    def scale(self) -> tuple[float, float] | None:
        """Returns the loss scale before and after it; None without a dynamic one."""
        return None

    def moved(self) -> Sequence[Variable]:
        """Returns the variables that it updates."""
        raise NotImplementedError


class Stepped:
    """An optimizer that makes an update: `uid` distinguishes optimizers, `site` is the line that created it.

    `state` names what it keeps from one update to the next, `rate` is its initial learning rate, None if that
    is not a number.
    """

    __slots__ = ("name", "rate", "site", "state", "uid")

    def __init__(
        self, uid: int, name: str, site: Site | None, state: tuple[str, ...], rate: float | None = None
    ) -> None:
        self.uid, self.name, self.site, self.state, self.rate = uid, name, site, state, rate


class Sink(Protocol):
    """The receiver of a source's observations: see `flow.inspection.Inspection`.

    `limit` is the last step that is reported: what a source still has to tell must come before the next one.
    """

    limit: int | None
    steps: Any
    stopped: bool
    laps: Laps
    measuring: Measuring

    def subject(self, variable: Variable) -> Subject:
        """Returns the notes on a variable."""

    def passed(
        self, passage: Passage, writes: Sequence[Wrote] = (), updates: Sequence[Update] = ()
    ) -> list[Writer]:
        """Processes a passage and its writes, in order; returns the writer of each.

        `updates` are those of its updates that an optimizer may skip.

        Raises Enough, before the writes take effect, if the program has reached its limit of steps.
        """

    def failed(self, passage: Passage) -> None:
        """Processes a passage whose writes did not take effect because it failed."""

    def created(self, variable: Variable, owner: str, returned: bool = True) -> None:
        """Notes a new variable; `owner` is the name of the optimizer whose state it is, or "".

        `returned` is that of the variable.
        """

    def consulted(self, variable: Variable) -> None:
        """Notes that the program has read a variable's `trainable`."""

    def flagged(self, variable: Variable, trainable: bool) -> None:
        """Notes that the program sets the flag of a variable, if the source sees when that happens."""

    def stepped(self, optimizer: Stepped, moved: Sequence[int], held: Sequence[Variable] = ()) -> None:
        """Notes an update by an optimizer: the numbers of the variables that it moves, and of all that it
        holds.
        """

    def graded(self, variables: Sequence[Variable], alone: bool = False) -> None:
        """Notes that a backward pass has left gradients with variables, to be applied later.

        `alone` says that the pass has given no gradient to an optimizer's variable.
        """

    def misplaced(self, site: Site | None, variables: Sequence[Variable], attribute: str = "") -> None:
        """Notes a line that freezes an object which shares a variable's memory but is not the variable.

        Or a line that sets an `attribute` of a layer which is a flag only on variables.
        """

    def noted(self, fact: Notice, variables: Sequence[Variable | Subject] = ()) -> None:
        """Notes a fact about variables; the same fact may come again, with others: see `flow.noted`."""

    def wasted(self, asked: Site | None, cleared: Site | None, variables: Sequence[Variable]) -> None:
        """Notes a backward pass whose gradients were cleared before they were applied."""

    def applied_again(
        self, by: str, site: Site | None, asked: Site | None, variables: Sequence[Variable]
    ) -> None:
        """Notes an update that applies gradients which an earlier update has already applied."""

    def summed(
        self, by: str, site: Site | None, asked: Site | None, count: int,
        variables: Sequence[Variable | Subject],
    ) -> None:  # fmt: skip
        """Notes an update by the sum of so many gradients of means."""

    def followed(self, variable: Variable, by: str, site: Site | None, source: Variable, whole: bool) -> None:
        """Notes a line that writes a variable from another one: by a `whole` copy, or a mixture of both."""

    def emptied(
        self, by: str, site: Site | None, variable: Variable, times: int, moved: bool = False
    ) -> None:
        """Notes how many of the last updates have found only zeros as the gradient of a variable.

        `moved` says that they have moved it; otherwise the causes of the writes tell.
        """

    def overtaken(
        self,
        site: Site | None,
        by: str,
        written: Site | None,
        read: Site | None,
        variables: Sequence[Variable],
    ) -> None:
        """Notes a backward pass that failed because variables it had read were written since."""

    def uncounted(self, variable: Variable, by: str, site: Site | None) -> None:
        """Notes that a line may have written a variable more often than reported."""

    def unrecorded(self, paths: int) -> None:
        """Notes a number of paths of which only the writes were counted."""

    def sized(self, sizes: Sequence[tuple[Variable, float, float]], asked: Site | None) -> None:
        """Notes norms of applied gradients and of their variables, if the source measures them itself."""

    def clipped(self, by: str, site: Site | None, active: bool) -> None:
        """Notes that a line clips gradients, and whether it has clipped one."""

    def not_finite(self, variables: Sequence[Variable], found: NotFinite) -> None:
        """Notes the first write of non-finite values to these variables, if the source finds it itself."""

    def absent(self, variables: Sequence[Variable]) -> None:
        """Notes the variables that an optimizer received without a gradient."""


class Source(Protocol):
    """One engine, watched.

    `framework` is its name and version, None for Penstock itself. `conservation` is the result of replaying
    the writes, if the source was told to split them. `remarks` are sentences on what the report leaves out.
    """

    words: Words
    remarks: Sequence[str]

    @property
    def framework(self) -> tuple[str, str] | None: ...

    @property
    def conservation(self) -> Conservation | None: ...

    def start(self, sink: Sink) -> None:
        """Begins to report the program's actions to a sink."""

    def stop(self) -> None:
        """Stops reporting, and leaves nothing behind."""

    def finish(self) -> BaseException | None:
        """Runs the program's pending operations; returns their error, if they failed."""

    def end(self) -> None:
        """Checks everything once more, before a report is made."""

    def is_meant(self, finding: Finding) -> bool:
        """Returns whether the program itself declares a finding as intended."""


__all__ = ["Enough", "Passage", "Sink", "Source", "Stepped", "Update", "Variable", "Wrote"]
