"""tf.map_fn where rows go in, or come out, that have several lengths."""

from __future__ import annotations

from typing import Any

from penstock.tensorflow._errors import ArgumentError, CallableError, InvalidArgumentError
from penstock.tensorflow._ragged.arranging import dense_together, joined
from penstock.tensorflow._ragged.spec import RaggedTensorSpec
from penstock.tensorflow._ragged.tensor import RaggedTensor, count_of, values_of
from penstock.trace.source_site import here
from penstock.trace.structure import flat, mapped, outline, packed


def map_fn(
    function: Any, fn: Any, elems: Any, dtype: Any = None, parallel_iterations: Any = None,
    back_prop: Any = True, swap_memory: Any = False, infer_shape: Any = True, name: Any = None,
    fn_output_signature: Any = None,
) -> Any:  # fmt: skip
    """Calls `fn` on each row, and puts the results one after another.

    They become a ragged tensor where the signature says so, and, without one, where the rows went in as one.
    """
    del function
    if not callable(fn):
        raise CallableError(f"The provided function {fn!r} is not callable.", site=here())
    wanted = fn_output_signature if fn_output_signature is not None else dtype
    given = mapped(elems, values_of)
    rows = flat(given)
    if any(not tuple(one.shape) for one in rows):
        raise ArgumentError("Elements in elems must be 1+ dimensional Tensors, not scalars", site=here())
    counts = {count_of(one) for one in rows}
    if len(counts) != 1:
        raise ArgumentError(f"The parts of elems have {sorted(counts)} rows.", site=here())
    count = counts.pop()
    turns = [fn(packed(given, iter([one[i] for one in rows]))) for i in range(count)]
    form = given if wanted is None else wanted
    kinds = [isinstance(one, RaggedTensor | RaggedTensorSpec) for one in flat(form)]
    if not turns:
        raise ArgumentError("tf.map_fn over no rows is not in penstock.tensorflow yet.", site=here())
    turns = [mapped(one, values_of) for one in turns]
    if outline(turns[0]) != outline(mapped(form, lambda one: one)):
        raise ArgumentError(
            "The two structures don't have the same nested structure.",
            origin=f"expected: {outline(form)}\nthe function returned: {outline(turns[0])}",
            remedy="Declare what the function returns: fn_output_signature=tf.float32, or a tuple of dtypes.",
            site=here(),
        )
    columns = zip(*map(flat, turns), strict=True)
    return packed(turns[0], iter([_put(list(one), kind) for one, kind in zip(columns, kinds, strict=True)]))


def _put(parts: list[Any], ragged: bool) -> Any:
    if not ragged:
        shapes = {tuple(one.shape) for one in parts}
        if len(shapes) > 1:
            raise ArgumentError(
                f"The results of the function have shapes {sorted(shapes)}.",
                remedy="Declare rows of several lengths: fn_output_signature=tf.RaggedTensorSpec(...).",
                site=here(),
            )
        return dense_together(parts, 0, True)
    if not tuple(parts[0].shape):
        raise InvalidArgumentError(
            "Ragged values must have rank >= 1; encoded scalar element at index 0 has values Tensor",
            why="Without a signature, each result of the function is a row.",
            remedy=f"Give fn_output_signature=tf.{parts[0].dtype.name}.",
            site=here(),
        )
    return joined(parts, 0, True)


__all__ = ["map_fn"]
