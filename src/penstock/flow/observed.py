"""The interface between the report and the engine: observed variables, passages, writes, and their source.

A source watches an engine run a program, Penstock's own recorder or another framework, and tells a sink what
it sees. The sink numbers the steps, merges the passages, judges and reports. Neither knows how the other
works. Nothing here imports an engine.
"""

from __future__ import annotations

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
    """Ends a program that has made as many steps as it was to be watched for."""


class Variable:
    """A named value that a program reads and writes: a base class for what sources observe.

    `position` is that among the sources of a gradient, of a tensor that was asked for there and is no
    variable of the graph; `handle` is what the program knows such a tensor by.

    `uid` tells variables apart, as long as the source watches. `path` is what to call it; `unnamed` says that
    nobody has named it, so that the name it was assigned to says more. `site` is where it was created,
    `dtype` a name such as "float32". `data` says that the program only reads it. `flag` says in the
    framework's words why it is frozen, `words` are those of its vocabulary. `replaced` is the line that put
    another variable in its place in the model, if one did. `unregistered` says what to type so that the model
    lists it among its own, if the model holds it and does not. `returned` says that the call on the line of
    its creation gives the variable itself, and not a layer that holds it, or what a layer has computed.
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
        """The place among the sources of the gradient that was asked for, if that is all there is."""
        return None

    @property
    def handle(self) -> Any:
        """What the program knows a tensor by that is no variable, while it has it."""
        return None

    @property
    def unnamed(self) -> bool:
        """Whether `path` is only a number that tells it from others."""
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
    def by_hand(self) -> bool:
        """Whether it is no model's, but data that was told to have a gradient: perhaps only to look at it."""
        return False

    @property
    def settings(self) -> Sequence[tuple[bool, Site | None]]:
        """What its flag was set to, the first setting first, and the line of each; empty where not known."""
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
        """Returns a function that says whether the program still has it, and does not keep it itself."""
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
    """One run through a part of a program: a graph, and the variables bound to it. A base class for sources.

    `variables` are those of the graph, by their numbers there; `missed` those whose gradient was asked for
    although nothing touched them, each with the number of events before the question. `facts` keeps what is
    worked out once for all passages of one graph, and `program` is the same object for all of them.
    `ends_step` says that what was recorded is over, so that a gradient asked for later belongs to it.
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
        """The numbers of the variables, those that nothing touched last."""
        return tuple([one.uid for one in self.variables] + [one.uid for _, one in self.missed])

    def numbers(self, thing: Any) -> list[int]:
        """Returns the values of the graph that stand for a variable, or for another thing to ask about."""
        for index, variable in enumerate(self.variables):
            if variable == thing:
                return self.graph.versions(index)
        return []

    def is_computed(self, entry: int) -> bool:
        """Returns whether data that came in was computed by an earlier step."""
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
        """Returns the variable that a plain tensor could be taken for, and the line that made it."""
        return None

    @property
    def begins(self) -> int:
        """The number of the first event that this run has come to; those before it were told of already."""
        return 0

    @property
    def at_hand(self) -> bool:
        """Whether `values` need not be computed once more."""
        return False

    def values(self, numbers: Iterable[int]) -> dict[int, Any] | None:
        """Returns values of the graph as arrays, computed once more if need be; None where that cannot be."""
        return None

    def clipped(self) -> Sequence[tuple[str, Site | None, bool]]:
        """Returns the optimizers that clip, with their lines, and whether they have clipped in this run."""
        return ()

    def shares(self, request: Request, terms: Sequence[int]) -> dict[int, dict[int, float]]:
        """Returns the norms of the gradients of terms, by their numbers and those of the variables."""
        return {}

    def responds(self, number: int, operand: int, operands: Sequence[Any]) -> bool:
        """Returns whether a value of the graph changes where one of these operands moves a little."""
        return True

    def without_data(self) -> Passage:
        """Returns this passage without hold of the data that came in."""
        return self


class Wrote:
    """One write that takes effect: a base class for sources.

    `uid` is that of the `variable`. `by` and `site` are the writer and its line, `kind` is "apply" for an
    optimizer and else "write"; `own` marks a writer's own state, and `terms` are the causes of the change.
    Writes of one `event` belong together; events are numbered as in the passage. `size` counts elements.
    `made` is where the optimizer was made, and `trainable` whether training wanted the variable. `idle` says
    that the value is known to be what it was.
    `numbers_steps` is false where a write says nothing of where steps begin, such as one of statistics.
    `before` is the value that was replaced, for `undoes`, and `after` the new one; None where not known.
    The sink sets `step`, counted from 1. `sampled` says that `change` and `is_finite` look at the value when
    they are called, and are called for a sample; where it is false the source has looked at what it could.
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
        """Returns the Euclidean norm of the change; None where it was not measured."""
        raise NotImplementedError

    def untouched(self) -> Callable[[], int | None]:
        """Returns a function that says how many rows are as they were before; None where nobody knows."""
        return lambda: None

    def is_finite(self) -> bool:
        """Returns False if the value that was written is known to contain an infinity or NaN."""
        return True

    def undoes(self, before: Any) -> bool:
        """Returns whether the write gives the variable a value back that an earlier write has replaced."""
        return False

    def settles(self) -> bool | None:
        """Returns whether the same write once more would change nothing; None where that is not known.

        So it is where values are clipped.
        """
        return None


class Update:
    """An update that an optimizer leaves out if a gradient is not finite: a base class for sources.

    `by` and `site` are the optimizer and its line, `event` is its number in the passage.
    """

    __slots__ = ()

    by: str
    site: Site | None
    event: int

    def left_out(self) -> bool | None:
        """Returns whether it was left out; None where only looking into it can tell."""
        raise NotImplementedError

    def skip(self, step: int) -> Skip | None:
        """Returns which gradient made this step skip it, and why; None if it was not skipped."""
        raise NotImplementedError

    def scale(self) -> tuple[float, float] | None:
        """Returns the loss scale before and after it; None without a dynamic one."""
        return None

    def moved(self) -> Sequence[Variable]:
        """Returns the variables that it is to move."""
        raise NotImplementedError


class Stepped:
    """An optimizer that makes an update: `uid` tells optimizers apart, `site` is where it was made.

    `state` names what it keeps from one update to the next, `rate` is the learning rate it began with, None
    where that is no number.
    """

    __slots__ = ("name", "rate", "site", "state", "uid")

    def __init__(
        self, uid: int, name: str, site: Site | None, state: tuple[str, ...], rate: float | None = None
    ) -> None:
        self.uid, self.name, self.site, self.state, self.rate = uid, name, site, state, rate


class Sink(Protocol):
    """The receiver of what a source observes: see `flow.inspection.Inspection`."""

    steps: Any
    stopped: bool
    laps: Laps
    measuring: Measuring

    def subject(self, variable: Variable) -> Subject:
        """Returns the notes on a variable."""

    def passed(
        self, passage: Passage, writes: Sequence[Wrote] = (), updates: Sequence[Update] = ()
    ) -> list[Writer]:
        """Takes in a passage and the writes it makes, in order; returns the writer of each.

        `updates` are those of its updates that an optimizer may leave out.

        Raises Enough, before the writes take effect, where the program has made as many steps as it may.
        """

    def failed(self, passage: Passage) -> None:
        """Takes in a passage whose writes did not take effect, since it failed."""

    def created(self, variable: Variable, owner: str, returned: bool = True) -> None:
        """Notes a new variable; `owner` names the optimizer that has made it for itself, or is "".

        `returned` is that of the variable.
        """

    def consulted(self, variable: Variable) -> None:
        """Notes that the program has asked whether training wants a variable."""

    def stepped(self, optimizer: Stepped, moved: Sequence[int], held: Sequence[Variable] = ()) -> None:
        """Notes an update by an optimizer: the numbers of the variables that it moves, and of all that it
        holds.
        """

    def graded(self, variables: Sequence[Variable], alone: bool = False) -> None:
        """Notes that a backward pass has left gradients with variables, to be applied later.

        `alone` says that the pass has given gradients to nothing that an optimizer holds.
        """

    def misplaced(self, site: Site | None, variables: Sequence[Variable], attribute: str = "") -> None:
        """Notes a line that freezes something which shares a variable's memory and is not the variable.

        Or that sets an `attribute` of a layer which is a flag only where a variable has it.
        """

    def noted(self, fact: Notice, variables: Sequence[Variable] = ()) -> None:
        """Notes a fact about variables; the same fact may come again, with others: see `flow.noted`."""

    def wasted(self, asked: Site | None, cleared: Site | None, variables: Sequence[Variable]) -> None:
        """Notes a backward pass whose gradients were cleared before anybody had applied them."""

    def applied_again(
        self, by: str, site: Site | None, asked: Site | None, variables: Sequence[Variable]
    ) -> None:
        """Notes an update that applies gradients of a backward pass which an earlier one has applied."""

    def emptied(self, by: str, site: Site | None, variable: Variable, times: int) -> None:
        """Notes how many updates at the end have found only zeros where the gradient of a variable waits."""

    def overtaken(
        self,
        site: Site | None,
        by: str,
        written: Site | None,
        read: Site | None,
        variables: Sequence[Variable],
    ) -> None:
        """Notes a backward pass that failed because variables were written after it had read them."""

    def uncounted(self, variable: Variable, by: str, site: Site | None) -> None:
        """Notes that a line may have written a variable more often than was told."""

    def unrecorded(self, paths: int) -> None:
        """Notes so many paths of which only the writes were counted."""

    def sized(self, sizes: Sequence[tuple[Variable, float, float]], asked: Site | None) -> None:
        """Notes norms of applied gradients and of their variables, where the source measures them itself."""

    def clipped(self, by: str, site: Site | None, active: bool) -> None:
        """A line clips gradients, and has cut one or not."""

    def not_finite(self, variables: Sequence[Variable], found: NotFinite) -> None:
        """Notes the first write that has left these variables not finite, where the source looks itself."""

    def absent(self, variables: Sequence[Variable]) -> None:
        """Notes the variables that an optimizer was handed without a gradient."""


class Source(Protocol):
    """One engine, watched.

    `framework` is its name and version, None for Penstock itself. `conservation` says what came of replaying
    the writes, where the source was told to take them apart.
    """

    words: Words

    @property
    def framework(self) -> tuple[str, str] | None: ...

    @property
    def conservation(self) -> Conservation | None: ...

    def start(self, sink: Sink) -> None:
        """Begins to tell a sink what the program does."""

    def stop(self) -> None:
        """Ends it, and leaves nothing behind."""

    def finish(self) -> BaseException | None:
        """Runs what the program has left pending; returns what that failed with, if it did."""

    def end(self) -> None:
        """Looks at everything once more, before a report is made."""

    def is_meant(self, finding: Finding) -> bool:
        """Returns whether the program itself says that what a finding tells is meant."""


__all__ = ["Enough", "Passage", "Sink", "Source", "Stepped", "Update", "Variable", "Wrote"]
