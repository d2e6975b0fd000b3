"""Contracts: what a step may write and read, and what its gradients must reach; checked on the record.

A path is checked when it is seen for the first time, before anything is written. The result is stored at the
path, so the hundredth pass only looks it up. The modules that read the record are imported with the first
contract.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any

from penstock.capture import steps
from penstock.errors import PenstockError
from penstock.trace.builder import Builder
from penstock.trace.engine import engine
from penstock.trace.local import local
from penstock.trace.recorder import Trace
from penstock.trace.source_site import here
from penstock.trace.tree import Node

if TYPE_CHECKING:
    from penstock.flow.breaches import Outcome
    from penstock.flow.contract_clauses import Terms


class Contract:
    """A contract for a block, about the records of the thread that opens it; see `contract`."""

    def __init__(self, terms: Terms) -> None:
        self.terms = terms
        self._outcome: Outcome | None = None
        self._open = False

    def __enter__(self) -> Contract:
        trace = local.trace
        if isinstance(trace, Builder) or self._open:
            raise PenstockError(
                f"{self.terms.name} is opened inside {trace.within or 'a recorded function'}."
                if isinstance(trace, Builder)
                else f"{self.terms.name} is open already.",
                remedy="Open it around the whole step.",
                site=here(),
            )
        self._trace: Trace = trace
        self._generation, self._start = trace.generation, trace.node.depth
        self._outcome, self._open = None, True
        trace.guards.append(self)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        from penstock.flow.breaches import broken, expected, unmet

        self._open = False
        self._trace.guards.remove(self)
        if kind is None:
            try:
                self._look()
                breaches = unmet(self.terms, self._outcome or expected(self.terms, frozenset()))
                if breaches:
                    raise broken(self.terms, breaches)
            except PenstockError as problem:
                self._refuse(problem)
                raise

    def recorded(self, _: Trace) -> None:
        """Called before every run while the block is open: a step that breaks the contract is not run."""
        try:
            self._look()
        except PenstockError as problem:
            self._refuse(problem)
            raise

    def published(self, _: Trace) -> None:
        """Checks pending writes before another thread gets them; it gets none that break the contract."""
        self._look()

    def _look(self) -> None:
        trace = self._trace
        if trace.node.parent is None:
            return
        start = self._start if trace.generation == self._generation else 0
        self._examine(trace.node, trace.variables, start, trace.entries, trace.arguments, trace.known)

    def replayed(self, node: Node, variables: list[Any], arguments: Sequence[Any]) -> None:
        """Called before the replay of a captured step inside the block."""
        self._examine(node, variables, 0, (), arguments, {})

    def _examine(self, *record: Any) -> None:
        from penstock.flow.breaches import Outcome, examine

        outcome = examine(self.terms, *record)
        if self._outcome is None:
            self._outcome = outcome
        elif outcome is not self._outcome and (outcome.reaches or outcome.follows):
            # A copy: the stored result of a path must not change.
            both = Outcome()
            both.add(self._outcome)
            both.add(outcome)
            self._outcome = both

    def _refuse(self, problem: PenstockError) -> None:
        if not self._trace.capturing:
            engine.abandon(self._trace, problem)


def contract(
    *,
    updates: Any = None,
    reads: Any = None,
    locked: Any = None,
    reaches: Any = None,
    follows: Mapping[Any, Any] | None = None,
    unused: Any = None,
    allow: Mapping[str, Any] | None = None,
) -> Contract:
    """Returns a contract for a `with` statement: everything recorded inside must keep it.

    Each clause takes path patterns (`generator/*`), Variables, anything with `variables`, or a list of these:

    - `updates`: nothing else is written (except an optimizer's own state);
    - `locked`: nothing may write any of these;
    - `reads`: nothing else is read, except variables that other clauses name;
    - `reaches`: every gradient requested inside reaches every one of these;
    - `unused`: no gradient requested inside reaches any of these;
    - `follows`: `{targets: (sources, rate)}`: each target is written as target + rate * (source - target),
      and by nothing else; the rate may be left out;
    - `allow`: `{code: variables}`: `penstock check` keeps silent about this finding for these variables.

    A block that breaks one raises ContractBroken, with the line and what to type, before anything is written;
    the step it belongs to changes nothing. A pattern that matches nothing raises SelectionError. Paths that
    have been checked once cost a look-up. `ps.step` takes the same clauses. A contract covers what its own
    thread records: other threads go on without it, or under contracts of theirs.

    Args:
        updates: patterns of the variables that may be written.
        reads: patterns of the variables that may be read.
        locked: patterns of the variables that must not be written.
        reaches: patterns of the variables that every requested gradient must reach.
        follows: a mapping of targets to their sources, or to (sources, rate).
        unused: patterns of the variables that no requested gradient may reach.
        allow: a mapping of codes of findings to variables.

    Returns:
        A context manager.

    Raises:
        ContractBroken: if a step breaks it.
        SelectionError: if a pattern names no variable.
        PenstockError: if there is no clause.

    >>> import penstock as ps
    >>> body, head = ps.Variable(1.0, name="body/w"), ps.Variable(2.0, name="head/w")
    >>> try:
    ...     with ps.contract(updates=head, locked=body):
    ...         moved = head.assign_add(1.0)
    ...         moved = body.assign_add(1.0)
    ... except ps.errors.ContractBroken as error:
    ...     print(error.fact)
    The contract is broken: assign_add writes 'body/w', which is locked.
    >>> body.numpy()
    np.float32(1.0)
    """
    from penstock.flow.contract_clauses import terms_of

    frame = sys._getframe(1)
    # A block in a loop repeats its clauses in every turn: if they are strings, they are read once.
    plain = None
    if follows is None and allow is None:
        plain = (frame.f_code, frame.f_lasti, updates, reads, locked, reaches, unused)
        if {*map(type, plain[2:])} <= _words:
            found = _known.get(plain)
            if found is not None:
                return Contract(found)
        else:
            plain = None
    clauses = {
        "updates": updates, "reads": reads, "locked": locked, "reaches": reaches, "follows": follows,
        "unused": unused, "allow": allow,
    }  # fmt: skip
    terms = terms_of("The contract", clauses)
    if plain is not None:
        if len(_known) >= KNOWN:
            _known.clear()
        _known[plain] = terms
    return Contract(terms)


_words = {str, type(None)}
_known: dict[Any, Terms] = {}
KNOWN = 1000
"""How many blocks are remembered by their place in the program; then it starts over."""


def of_step(name: str, clauses: Mapping[str, Any]) -> steps.Agreement:
    """Returns the contract of a captured step."""
    from penstock.flow.contract_clauses import terms_of

    return _StepContract(terms_of(f"The contract of step {name!r}", clauses))


class _StepContract:
    """The contract of a captured step."""

    def __init__(self, terms: Terms) -> None:
        self.terms = terms

    def block(self) -> Contract:
        """Returns the contract for one call that is recorded inside another recording."""
        return Contract(self.terms)

    def check(self, trace: Trace) -> None:
        """Raises ContractBroken if the record of a trace breaks the contract."""
        from penstock.flow.breaches import broken, examine, unmet

        record = (trace.node, trace.variables, 0, trace.entries, trace.arguments, trace.known)
        breaches = unmet(self.terms, examine(self.terms, *record))
        if breaches:
            raise broken(self.terms, breaches)


__all__ = ["Contract", "contract"]
