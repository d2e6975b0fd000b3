"""Exporting a function: its program as StableHLO, in a file that JAX alone reads and runs."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np

from penstock.errors import ArgumentError, CaptureError, PenstockError
from penstock.functions.keys import Fresh
from penstock.functions.scratch import Scratch, exact, scratch, valueless
from penstock.state import files
from penstock.state.variable import read
from penstock.tiers import xla
from penstock.tiers.libraries import full_products
from penstock.tiers.program import collected
from penstock.trace.builder import require_no_recording
from penstock.trace.convert import as_tensor
from penstock.trace.engine import engine
from penstock.trace.leaf import Leaf, TensorArgument, VariableArgument
from penstock.trace.lengths import (
    Amount,
    Length,
    LengthError,
    Name,
    explore,
    names_in,
    unknown,
    value,
)
from penstock.trace.source_site import here
from penstock.trace.spec import Spec, spec
from penstock.trace.structure import Outline, flatten
from penstock.trace.tensor import Cell, Tensor

BATCH = "batch"
"""The name of the length None of a first axis: it is the same in every argument."""


def export(
    function: Callable[..., Any],
    path: str | os.PathLike[str],
    *specs: Any,
    platforms: Sequence[str] | None = None,
) -> Any:
    """Writes what a function computes into a file, which runs without Penstock and without its Python code.

    `function` is a model, a layer or any function of tensors. `specs` has one entry for each argument: a
    shape, whose dtype is then float32; a pair of shape and dtype, `((None, 10), "int32")`; or an array or
    tensor as an example of its shape and dtype. None in a shape is a length that is known only when the
    program runs: as the first length of several arguments it is the same in all of them. A string names a
    length, so that it can occur again: `("batch", "time")`. Values of variables are stored with the program;
    the function must not write variables and must not draw random numbers.

    The file is StableHLO as `jax.export` serializes it, and `jax.export.deserialize(data).call(x)` runs it.
    `platforms` are JAX's names of the target platforms, `("cpu", "cuda")`; by default, that of this machine.
    The result is the `jax.export.Exported` that was written, whose `mlir_module()` is the text.

    An index that is out of range, which Penstock refuses, is clipped there: the check needs values.

    Raises ArgumentError for an invalid spec, CaptureError for a function that writes variables, draws or
    reads values, and PenstockError if JAX is not installed.

    Args:
        function: a model, a layer, or any function of tensors.
        path: the file, a string or a path.
        specs: for each argument a shape, a pair of shape and dtype, or an array or tensor.
        platforms: JAX's names of the target platforms; None for that of this machine.

    Returns:
        The `jax.export.Exported` that was written.

    Raises:
        ArgumentError: for an invalid spec.
        CaptureError: for a function that writes variables, draws or reads values.
        PenstockError: if JAX is not installed.

    >>> import penstock as ps, tempfile
    >>> model = ps.layers.Sequential([ps.layers.Dense(4, activation="relu"), ps.layers.Dense(2)])
    >>> exported = ps.export(model, tempfile.mkdtemp() + "/model.jax", (None, 3))
    >>> exported.in_avals, exported.out_avals
    ((ShapedArray(float32[batch,3]),), (ShapedArray(float32[batch,2]),))
    """
    require_no_recording("export()", "Export outside the step, for example after training.")
    module = xla.jax()
    if not hasattr(module, "export"):
        import jax.export  # noqa: F401  (a part of JAX that `import jax` leaves out)
    where = files.path_of(path, "export")
    names: dict[str, Any] = {}
    given = [_spec_of(one, number, names) for number, one in enumerate(specs)]
    recorded = _recorded(function, given)
    made = _lowered(module, recorded, given, names, platforms)
    try:
        data = made.serialize()
    except ImportError as error:
        raise PenstockError(
            f"export: JAX cannot write the file: {error}.",
            why="JAX needs the package flatbuffers for files.",
            remedy='Install it: pip install "penstock[export]"',
            site=here(),
        ) from None
    files.replace(where, lambda partial: _write(partial, data))
    return made


def _write(path: str, data: bytes) -> None:
    with open(path, "wb") as file:
        file.write(data)


# -- the request --------------------------------------------------------------------------------------------


def _spec_of(given: Any, number: int, names: dict[str, Any]) -> Spec:
    """Returns the spec of an argument; `names` has the lengths that have been named so far."""
    dtype: Any = np.float32
    shape = given
    if hasattr(given, "shape") and hasattr(given, "dtype"):
        shape, dtype = tuple(given.shape), given.dtype
    elif isinstance(given, list | tuple) and len(given) == 2 and isinstance(given[0], list | tuple):
        shape, dtype = given
    lengths = shape if isinstance(shape, list | tuple) else None
    if lengths is None or not all(
        one is None or isinstance(one, str) or (isinstance(one, int) and one >= 0) for one in lengths
    ):
        raise ArgumentError(
            f"export: argument {number} is described as {given!r}.",
            why="That is not a shape: each length is a number, None or a name.",
            remedy='Give a shape, (None, 28, 28); a shape and a dtype, ((None, 10), "int32"); or an example '
            "of the argument.",
            site=here(),
        )
    made = []
    for axis, one in enumerate(lengths):
        if isinstance(one, int):
            made.append(one)
            continue
        name = one if one is not None else BATCH if axis == 0 else f"axis_{number}_{axis}"
        if not name.isidentifier():
            raise ArgumentError(
                f"export: the length {name!r} of argument {number} is not a valid name.",
                remedy="Use letters, digits and underscores.",
                site=here(),
            )
        if name not in names:
            names[name] = unknown(name, 1)
        made.append(names[name])
    return spec(tuple(made), as_tensor(np.zeros((), dtype)).dtype if dtype is not np.float32 else dtype)


# -- the record ---------------------------------------------------------------------------------------------


class _Recorded:
    """A program outside the tree: its calls, the values of its arguments, the outputs, and their structure.

    `arguments` has the values of arguments, by slot; `operands` are the slots of the inputs. `reduce`
    substitutes the values found for names.
    """

    def __init__(self, trace: Scratch, operands: Sequence[Tensor], outputs: list[int], form: Outline) -> None:
        self.calls = list(trace.node.program())
        self.operands = [one._slot for one in operands]
        self.outputs, self.form = outputs, form
        self.reduce: Callable[[Any], Any] = lambda one: one
        self.differs = False
        self.arguments: dict[int, Any] = {}
        for call in self.calls:
            leaf = call.primitive
            if isinstance(leaf, VariableArgument):
                self.arguments[call.slot] = trace.variables[leaf.variable]
            elif isinstance(leaf, TensorArgument) and isinstance(trace.entries[leaf.entry], Fresh):
                raise _refused(
                    "draws random numbers",
                    "The file would draw the same ones at each call.",
                    "Draw outside and pass the numbers as an argument; layers such as Dropout draw only with "
                    "training=True.",
                )
            elif hasattr(leaf, "position"):
                self.arguments[call.slot] = trace.arguments[leaf.position]


def _recorded(function: Callable[..., Any], given: Sequence[Spec]) -> _Recorded:
    """Calls a function on tensors with known specs but no values, and returns the record."""

    def attempt() -> _Recorded:
        with scratch() as trace:
            operands = [valueless(trace, one) for one in given]
            leaves, form = flatten(function(*operands))
            if trace.written:
                variable: Any = trace.written[0]
                raise _refused(
                    f"writes Variable {variable.path!r}",
                    "A file has no variables: it stores their present values as constants.",
                    "Return the new value instead.",
                )
            outputs = [trace.reference(_tensor(one)) for one in leaves]
            return _Recorded(trace, operands, outputs, form)

    names = {str(name.label) for one in given for name in names_in(list(one.shape))}
    if not names:
        return attempt()
    token = exact.set(True)
    try:
        found = explore(attempt, _reduced, _joined)
    except LengthError as error:
        raise LengthError(
            f"export: the function needs the value of an unknown length: {error.fact}",
            why=error.why,
            remedy=f"Give numbers instead of {', '.join(sorted(names))}, and export once for each.",
            site=here(),
        ) from None
    finally:
        exact.reset(token)
    if found.differs:
        raise LengthError(
            f"export: the function computes something else where {' or '.join(sorted(names))} is short.",
            why="It reads an unknown length, and its program depends on the value.",
            remedy="Give numbers instead, and export once for each.",
            site=here(),
        )
    return found


def _joined(found: _Recorded, other: _Recorded, same: Callable[[Any, Any], bool]) -> _Recorded:
    """Notes whether the answer to a question about a length changes the program."""

    def alike(a: Any, b: Any) -> bool:
        if type(a) is Length or type(b) is Length:
            return same(a, b)
        if isinstance(a, list | tuple) and isinstance(b, list | tuple):
            return len(a) == len(b) and all(map(alike, a, b))
        return a is b or bool(np.all(a == b))

    if len(found.calls) != len(other.calls) or found.outputs != other.outputs:
        found.differs = True
        return found
    for a, b in zip(found.calls, other.calls, strict=True):
        if (
            (
                a.primitive is not b.primitive
                and not (type(a.primitive) is type(b.primitive) and isinstance(a.primitive, Leaf))
            )
            or a.inputs != b.inputs
            or not alike(list(a.params.items()), list(b.params.items()))
        ):
            found.differs = True
    return found


def _reduced(found: _Recorded, reduce: Callable[[Any], Any]) -> _Recorded:
    found.reduce = reduce
    return found


def _tensor(leaf: Any) -> Tensor:
    if isinstance(leaf, Cell):
        return read(leaf)
    return leaf if isinstance(leaf, Tensor) else as_tensor(leaf)


def _refused(what: str, why: str, remedy: str) -> CaptureError:
    return CaptureError(f"export: the function {what}.", why=why, remedy=remedy, site=here())


# -- tracing by JAX -----------------------------------------------------------------------------------------


def _lowered(
    module: Any, recorded: _Recorded, given: Sequence[Spec], names: dict[str, Any], platforms: Any
) -> Any:
    """Returns a record in the form of jax.export."""
    taken, constants, _, steps, number = collected(recorded.calls, recorded.outputs, ())
    values = list(constants.values())
    program: Any = SimpleNamespace(
        constants=(), steps=steps, outputs=[number[slot] for slot in recorded.outputs]
    )
    symbols: dict[Name, Any] = {}
    if names:
        scope = module.export.SymbolicScope()
        made = module.export.symbolic_shape(", ".join(names), scope=scope)
        symbols = {next(iter(names_in(one))): own for one, own in zip(names.values(), made, strict=True)}
    fixed = _fixing(recorded, symbols)
    held = {slot: _value(one) for slot, one in recorded.arguments.items() if slot in taken}
    specs = [recorded.calls[slot].spec for slot in taken]

    def run(*arguments: Any) -> Any:
        passed = dict(zip(recorded.operands, arguments, strict=True))
        inside: list[Any] = []
        for slot, own in zip(taken, specs, strict=True):
            inside.append(passed[slot] if slot in passed else _number(module, held[slot], own, fixed))
        for one in values:
            inside.append(_number(module, one, None, fixed))
        token = xla.lengths.set(fixed if names else None)
        try:
            results = xla.evaluate(program, [], *inside, stores=False)
        finally:
            xla.lengths.reset(token)
        return recorded.form.packed(iter(results))

    with module.enable_x64(True), full_products(module, exported=True):
        described = [module.ShapeDtypeStruct(fixed(one.shape), one.dtype) for one in given]
        try:
            whole = module.export.export(module.jit(run), platforms=platforms)(*described)
        except PenstockError:
            raise
        except Exception as error:
            raise PenstockError(
                f"export: JAX cannot export the function: {type(error).__name__}: {str(error).strip()}",
                remedy="Give numbers instead of None."
                if names
                else "Export a part of the function, or for another platform.",
                site=here(),
            ) from error
    return whole


def _value(held: Any) -> Any:
    if isinstance(held, Cell):
        if held._pending is not None:
            engine.publish(held)
        held = held._value
    return held


def _fixing(recorded: _Recorded, symbols: dict[Name, Any]) -> Callable[[Any], Any]:
    """Returns a function that replaces lengths by JAX's symbols, in any structure."""

    def fixed(held: Any) -> Any:
        if type(held) is Length:
            return value(recorded.reduce(held), symbols)
        if isinstance(held, dict):
            return {name: fixed(one) for name, one in held.items()}
        if type(held) in (list, tuple):
            return type(held)([fixed(one) for one in held])
        if type(held) is slice:
            return slice(fixed(held.start), fixed(held.stop), fixed(held.step))
        return held

    return fixed


def _number(module: Any, held: Any, own: Spec | None, fixed: Callable[[Any], Any]) -> Any:
    """Returns a value of the record in JAX's form, even if it contains lengths."""
    array = np.asarray(held) if not hasattr(held, "aval") else held
    if array.dtype != object:
        return module.numpy.asarray(array)
    flat = [_length(module, one, fixed) for one in array.ravel().tolist()]
    made = module.numpy.stack(flat).reshape(array.shape)
    return made if own is None else made.astype(own.dtype)


def _length(module: Any, one: Any, fixed: Callable[[Any], Any]) -> Any:
    if type(one) is Amount:
        if one.above is None:
            raise _refused(
                "computes with a fraction of an unknown length",
                "Only quotients of lengths are kept.",
                "Give numbers instead of None.",
            )
        above, below = (module.numpy.asarray(fixed(side)) for side in (one.above, one.below))
        return above / below
    return module.numpy.asarray(fixed(one))


__all__ = ["export"]
