"""`explain`: why the gradient of one thing by another exists or is None.

The modules that answer are imported with the first question, so that `import penstock` stays quick.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from penstock.flow.explanation import Explanation


def explain(target: Any, source: Any) -> Explanation:
    """Returns why the gradient of `target` by `source` exists or is None.

    `target` is a tensor, `source` a variable or a tensor; the step they belong to may be over already. The
    answer is about the last tape that was asked for this gradient, or else about the tape inside which the
    target was computed. Raises PenstockError for things without a history, such as Python numbers.

    Args:
        target: a tensor of the present step, or of the last one.
        source: a variable or a tensor.

    Returns:
        An `Explanation` with `reason`, `path`, `notes`; print it.

    Raises:
        PenstockError: if no step has computed or read `target` or `source`.

    >>> import penstock as ps
    >>> weight = ps.Variable(0.7, name="weight")
    >>> with ps.GradientTape() as tape:
    ...     loss = ps.round(weight) * 2.0
    >>> answer = ps.explain(loss, weight)
    >>> answer.reason
    'flat'
    >>> print(answer.fix)
    Let the gradient pass as if round were not there: x + stop_gradient(round(x) - x).
    """
    from penstock.flow.answers import answer

    return answer(target, source)


__all__ = ["explain"]
