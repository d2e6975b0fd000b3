"""The definition of a primitive: shape rule, values in both tiers, derivative, samples and kinks."""

from __future__ import annotations

import functools
import itertools
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from types import FrameType
from typing import Any, ClassVar

import numpy as np

from penstock.errors import DTypeError, PenstockError, RangeError, ShapeError
from penstock.ops import comparison_xla, promotion
from penstock.trace import lengths
from penstock.trace.builder import Builder, Number, Outcome
from penstock.trace.convert import as_tensor
from penstock.trace.fast_path import find, hot_key, result_class
from penstock.trace.leaf import Constant, NumberArgument, TensorArgument, VariableArgument, Version
from penstock.trace.local import here_if_known, local
from penstock.trace.recorder import Trace
from penstock.trace.source_site import is_library, user_frame
from penstock.trace.spec import Shape, Spec, spec
from penstock.trace.tensor import Cell, Tensor
from penstock.trace.tree import Call

Rule = Callable[..., Any]
# In quotes: only tests draw samples, and loading np.random takes as long as loading the recorder.
Samples = Callable[["np.random.Generator"], Sequence[tuple[Any, ...]]]
table: dict[str, Primitive] = {}
"""The primitives by name, from the files imported so far."""


def complete() -> dict[str, Primitive]:
    """Returns the table with the primitives of every file of this room, and imports the missing files."""
    import importlib
    import pkgutil

    from penstock import ops

    for module in pkgutil.iter_modules(ops.__path__, f"{ops.__name__}."):
        importlib.import_module(module.name)
    return table


KINDS = {
    "common": "bifc",
    "numeric": "ifc",
    "floating-point": "fc",
    "real": "bif",
    "real numeric": "if",
    "real floating-point": "f",
    "complex": "c",
    "wide floating-point": "fc",
    "wide real floating-point": "f",
    "integer": "i",
    "integer or boolean": "bi",
}
"""The kinds of dtype (boolean, integer, floating, complex) for each word about operands.

Wide ones have 32 bits or more."""


def takes(words: str, dtype: np.dtype[Any]) -> bool:
    """Returns whether a dtype is among those of a word about operands."""
    return promotion.kind_of(dtype) in KINDS[words] and (dtype.itemsize >= 4 or not words.startswith("wide"))


@dataclass(frozen=True, slots=True)
class Kink:
    """A point at which the derivative is a choice.

    `at` holds the operands (a number each, or a tuple of numbers), `gradients` the derivatives chosen for
    each of them when the cotangent is ones, `because` the reason, and `params` the parameters.
    """

    at: tuple[Any, ...]
    gradients: tuple[Any, ...]
    because: str
    params: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Primitive:
    """One operation that both tiers know. Call it with operands, then parameters by name.

    `shape(*specs, **params)` gives the spec of the result or raises ShapeError. `numpy(*arrays, **params)`
    is the definition; `xla` names the same function under `jax` ("numpy.add"), or is a function of the jax
    module followed by the arrays. `vjp[i](ct, y, *inputs, **params)` gives the cotangent of operand i, in
    primitives; None marks an operand without derivative. `derivative` is the class: "smooth", "flat"
    (zero wherever it exists, so that no gradient passes), "discrete" (the result is integers or booleans, or
    depends on nothing else) or "wall".
    `dtypes` names the dtypes of operands, a key of `KINDS`, after promotion to a common dtype; "own" does not
    promote them. `common` lists the operands to promote, all by default.
    `guard(*arrays, **params)` returns a message if the values of the operands are wrong, or None, and
    `guarded` names the operands it reads; `xla_guard` is true of the same values in XLA. `refusal` is the
    error that is raised then.
    `cost(*specs, **params)` counts arithmetic operations, where that is not the size of the result.
    `samples(rng)` draws operand tuples (a dict at the end holds parameters) away from every kink.
    """

    name: str
    shape: Callable[..., Spec]
    numpy: Rule
    xla: str | Rule
    vjp: tuple[Rule | None, ...] = ()
    derivative: str = "smooth"
    dtypes: str = "common"
    common: tuple[int, ...] | None = None
    samples: Samples | None = None
    kinks: tuple[Kink, ...] = ()
    guard: Rule | None = None
    xla_guard: Rule | None = None
    guarded: tuple[int, ...] = ()
    refusal: type[PenstockError] = RangeError
    cost: Callable[..., int] | None = None
    many: ClassVar[bool] = False
    code: int = field(default_factory=functools.partial(next, itertools.count()))

    def __post_init__(self) -> None:
        # After an interrupted import the name exists already, and is replaced.
        table[self.name] = self

    def __call__(self, *operands: Any, **params: Any) -> Tensor:
        """Records this operation and returns its result."""
        return self.record(operands, params, sys._getframe(1))

    def record(
        self, operands: Sequence[Any], params: dict[str, Any], frame: FrameType, head: Any = None
    ) -> Tensor:
        """Records this operation on the line that `frame` is running.

        `head` is the operation with its parameters in a hot key, if a function has a shorter form than their
        values in order.
        """
        if head is None:
            head = (self.code, *params.values()) if params else self.code
            found = find(head, *operands)
            if found is not None:
                return found
        trace = local.trace
        trace.settle()
        operands = [
            o if isinstance(o, Tensor | Cell) or type(o) in _numbers else as_tensor(o) for o in operands
        ]
        references = [trace.reference(operand) for operand in operands]
        kind = result_class(operands)
        dialect = kind._dialect
        specs = [
            None if isinstance(o, Number) else p._spec for o, p in zip(references, operands, strict=True)
        ]
        if isinstance(trace, Builder):
            outcome = self.expand(trace, references, specs, params, dialect, None)
            return trace.handle(outcome, kind)
        if is_library(frame.f_code):
            frame = user_frame(1)
        numbers = tuple(r.value for r in references if isinstance(r, Number))
        slots = tuple(None if isinstance(r, Number) else r for r in references)
        full_head = (self, slots, tuple(params.items()), dialect)

        def build(builder: Builder) -> Outcome:
            return self.expand(builder, references, specs, params, dialect, range(len(numbers)))

        key = hot_key(trace, head, operands, frame)
        node = trace.follow("operation", full_head, numbers, frame, build, key)
        return trace.give(node.result, kind)  # type: ignore[no-any-return]

    def expand(
        self,
        builder: Builder,
        references: Sequence[Any],
        specs: Sequence[Spec | None],
        params: dict[str, Any],
        dialect: str,
        places: range | None,
    ) -> Outcome:
        """Converts the operands to their dtypes, applies the shape rule and appends the call.

        `places` numbers the Python numbers among the event's own; without it they are baked in.
        """
        common = range(len(references)) if self.common is None else self.common
        if self.dtypes == "own":
            common = range(0)
        chosen = None
        if common:
            values = [r.value if isinstance(r, Number) else None for r in references]
            chosen = promotion.rules[dialect](
                self.name, [specs[i] for i in common], [values[i] for i in common]
            )
            if not takes(self.dtypes, chosen):
                self.refuse(specs, chosen)
        slots: list[int] = []
        final: list[Spec] = []
        place = 0
        for index, (reference, own) in enumerate(zip(references, specs, strict=True)):
            if isinstance(reference, Number):
                # A number to be cast is created in the target dtype, without an intermediate rounding.
                dtype = chosen if index in common else params.get("dtype") if self is cast else None
                if dtype is None:
                    dtype = promotion.native(self.name, [], [reference.value])
                made = (
                    builder.constant(reference.value, dtype)
                    if places is None
                    else builder.number(place, dtype)
                )
                place += 1
                slots.append(made._slot)
                final.append(made._spec)
            else:
                assert own is not None
                if index in common and own.dtype != chosen:
                    assert chosen is not None
                    own = spec(own.shape, chosen)
                    reference = builder.append(cast, (reference,), {"dtype": chosen}, own).slot
                slots.append(reference)
                final.append(own)
        try:
            made_spec = self.shape(*final, **params)
        except (ShapeError, DTypeError) as error:
            raise type(error)(
                error.fact,
                origin=_origins(builder, slots, final),
                why=error.why,
                remedy=error.remedy,
                site=builder.site,
            ) from None
        return builder.append(self, slots, params, made_spec)

    def refuse(self, specs: Sequence[Spec | None], dtype: Any) -> None:
        """Raises DTypeError for operands of a dtype that this primitive does not take."""
        common = range(len(specs)) if self.common is None else self.common
        given = [(i + 1, specs[i]) for i in common if specs[i] is not None]
        # The first operand with a wrong dtype; if all are accepted, the one that would have been converted to
        # the same dtype.
        index, found = next(
            ((i, s) for i, s in given if s is not None and not takes(self.dtypes, s.dtype)),
            given[0] if given else (1, None),
        )
        other = "int64" if "i" in KINDS[self.dtypes] else "float32"
        if promotion.kind_of(np.dtype(dtype)) == "c":
            remedy = "Take its real part, imaginary part or absolute value first: real(x), imag(x), abs(x)."
        else:
            remedy = f"Convert it first, for example with astype(x, {other!r})."
        raise DTypeError(
            f"{self.name} takes {self.dtypes} operands; operand {index} is {found or np.dtype(dtype)!r}.",
            site=here_if_known(),
            remedy=remedy if found else "",
        )

    def __repr__(self) -> str:
        return f"<primitive {self.name}>"


_numbers = (bool, int, float, complex, lengths.Length, lengths.Amount)


def _origins(builder: Builder, slots: Sequence[int], specs: Sequence[Spec]) -> str:
    """Says where each operand of a refused operation came from."""
    made: dict[int, Call] = {call.slot: call for call in builder.base.node.program()}
    made.update({call.slot: call for call in builder.calls})
    lines = []
    for number, (slot, own) in enumerate(zip(slots, specs, strict=True), 1):
        call = made[slot]
        origin = describe_call(call, builder.base)
        lines.append(f"operand {number} is {own!r}: {origin}")
    return "\n".join(lines)


def describe_call(call: Call, trace: Trace) -> str:
    """Describes a value in a few words: a variable by its name, data, a number, or a result."""
    match call.primitive:
        case VariableArgument(variable=index) | Version(variable=index):
            variable: Any = trace.variables[index]
            return f"Variable {variable.path!r}, created at {variable.site}"
        case TensorArgument():
            return f"data, first used at {call.site}"
        case NumberArgument() | Constant():
            return "a number"
    return f"made by {call.within or call.primitive.name} at {call.site}"


# -- shape rules that many primitives share ---------------------------------------------------------------


def common_shape(*shapes: Shape) -> Shape:
    """Does the same as numpy.broadcast_shapes, also for unknown lengths."""
    if len(shapes) == 2 and type(shapes[0]) is type(shapes[1]) is tuple:
        # Specs are shared, and so are their shapes: most operands have one shape, or are numbers.
        first, second = shapes
        if first is second or not second:
            return first
        if not first:
            return second
    if not any(lengths.is_symbolic(shape) for shape in shapes):
        return np.broadcast_shapes(*shapes)
    rank = max(map(len, shapes))
    padded = [(1,) * (rank - len(shape)) + shape for shape in shapes]
    found = tuple([lengths.broadcast(*axis) for axis in zip(*padded, strict=True)])
    if None in found:
        raise ValueError("the shapes do not broadcast together")
    return found


def broadcast_shapes(name: str, *shapes: Shape) -> Shape:
    """Returns the shape that these shapes broadcast to; raises ShapeError if they do not."""
    try:
        return common_shape(*shapes)
    except ValueError:
        words = " and ".join(map(str, shapes))
        raise ShapeError(
            f"{name}: the shapes {words} do not broadcast together.",
            why="Counted from the last axis, lengths must be equal or one of them 1.",
            remedy="Reshape or transpose one operand so that its axes line up with the other's.",
        ) from None


def broadcasting(name: str) -> Callable[..., Spec]:
    """Returns the shape rule of an elementwise primitive: operands broadcast, the dtype is theirs."""

    def rule(*specs: Spec, **params: Any) -> Spec:
        return spec(broadcast_shapes(name, *(one.shape for one in specs)), specs[-1].dtype)

    return rule


def same(operand: Spec, **params: Any) -> Spec:
    """The shape rule of a unary elementwise primitive."""
    return operand


def boolean(name: str) -> Callable[..., Spec]:
    """Returns the shape rule of a comparison: operands broadcast, the result is boolean."""

    def rule(*specs: Spec, **params: Any) -> Spec:
        return spec(broadcast_shapes(name, *(one.shape for one in specs)), np.bool_)

    return rule


def _real_part(x: Any, dtype: Any) -> Any:
    return x.real if x.dtype.kind == "c" and dtype.kind not in "cb" else x


def _cast_numpy(x: Any, dtype: Any) -> Any:
    x = _real_part(x, dtype)
    if x.dtype.kind not in "fV" or dtype.kind not in "iu":
        return x.astype(dtype)
    # NumPy does not define the result for a value that does not fit. XLA returns the nearest one, and 0 for
    # NaN.
    limits = np.iinfo(dtype)
    wide = x.astype(np.float64)
    fits = (wide > float(limits.min)) & (wide < float(limits.max))
    whole = np.where(fits, wide, 0).astype(dtype)
    whole = np.where(wide >= float(limits.max), dtype.type(limits.max), whole)
    return np.where(wide <= float(limits.min), dtype.type(limits.min), whole)


def _cast_xla(jax: Any, x: Any, dtype: Any) -> Any:
    if dtype.kind == "b":
        return comparison_xla.true(jax, x)
    return jax.lax.convert_element_type(_real_part(x, dtype), dtype)


def _cast_vjp(ct: Tensor, y: Tensor, x: Tensor, dtype: Any) -> Tensor:
    return cast(ct, dtype=x.dtype)


def _cast_samples(rng: np.random.Generator) -> list[tuple[Any, ...]]:
    x = np.round(rng.standard_normal((2, 3)), 2)
    wide = np.dtype(np.float64)
    return [(x, {"dtype": wide}), (np.zeros((0, 2)), {"dtype": wide}), (x[0, 0], {"dtype": wide})]


cast: Primitive = Primitive(
    "cast",
    shape=lambda x, dtype: spec(x.shape, dtype),
    numpy=_cast_numpy,
    xla=_cast_xla,
    vjp=(_cast_vjp,),
    dtypes="own",
    samples=_cast_samples,
)


def widened(name: str, rule: Rule) -> Rule:
    """Makes a derivative rule compute in float32 for operands of two bytes, and round once.

    It is for rules whose intermediate results overflow, or cancel, although the derivative does not. The
    result of the primitive of that name is recomputed: the given one is rounded.
    """
    single = np.dtype(np.float32)

    def wide(ct: Tensor, y: Tensor, *inputs: Any, **params: Any) -> Tensor:
        if not promotion.is_narrow(y.dtype):
            return rule(ct, y, *inputs, **params)  # type: ignore[no-any-return]
        given = [cast(one, dtype=single) if promotion.is_narrow(one.dtype) else one for one in inputs]
        made = rule(cast(ct, dtype=single), table[name](*given, **params), *given, **params)
        return cast(made, dtype=y.dtype)

    return wide
