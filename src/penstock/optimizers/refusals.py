"""The errors and warnings of optimizers: most functions return the error to raise."""

from __future__ import annotations

from collections.abc import Sequence
from types import FrameType
from typing import Any
from weakref import WeakValueDictionary

from penstock.errors import (
    ArgumentError,
    CaptureError,
    CheckpointError,
    DTypeError,
    NoGradientsError,
    PenstockError,
    ShapeError,
)
from penstock.grad.rows import Rows
from penstock.trace.convert import shown
from penstock.trace.source_site import here, warn
from penstock.trace.tensor import Cell, Tensor

keepers: WeakValueDictionary[int, Any] = WeakValueDictionary()
"""The optimizer that owns a variable as its state, by the variable's number."""


ELSEWHERE = {
    **dict.fromkeys(("lr", "rate", "step_size", "eta"), ("learning_rate",)),
    **dict.fromkeys(("betas", "beta"), ("beta_1", "beta_2")),
    **dict.fromkeys(("b1", "momentum"), ("beta_1",)),
    **dict.fromkeys(("b2",), ("beta_2",)),
    **dict.fromkeys(("alpha", "decay_rate"), ("rho",)),
    **dict.fromkeys(("eps",), ("epsilon",)),
    **dict.fromkeys(("decay", "wd", "l2"), ("weight_decay",)),
    **dict.fromkeys(("clip", "clip_value"), ("clipvalue",)),
    **dict.fromkeys(("max_norm", "max_grad_norm", "clip_grad_norm"), ("global_clipnorm",)),
    **dict.fromkeys(("loss_scale", "loss_scaling"), ("loss_scale_factor",)),
    **dict.fromkeys(("accumulation_steps", "accumulate_steps"), ("gradient_accumulation_steps",)),
}
"""The names of options elsewhere, with their names here."""


def unknown_option(kind: str, option: str, known: Sequence[str]) -> PenstockError:
    """An argument that no optimizer takes."""
    return PenstockError(
        f"{kind} does not take {option!r}.",
        remedy=f"{meant(option, known)}It takes {', '.join(known)}.",
        site=here(),
    )


def unknown_number(kind: str, pattern: str, option: str, known: Sequence[str]) -> PenstockError:
    """A setting that a group of variables cannot have."""
    return PenstockError(
        f"{kind}: group {pattern!r} sets {option!r}, which is not one of its hyper-parameters.",
        remedy=f"{meant(option, known)}A group may set {', '.join(known)}.",
        site=here(),
    )


def meant(option: str, known: Sequence[str]) -> str:
    """Says which of the known options a name probably means; nothing if none."""
    import difflib

    found = [one for one in ELSEWHERE.get(option, ()) if one in known]
    found = found or difflib.get_close_matches(option, known, 1)
    return f"Write {' and '.join(found)} instead of {option}. " if found else ""


def several_clips(kind: str, clips: Sequence[str]) -> PenstockError:
    """More than one way of clipping."""
    return PenstockError(
        f"{kind} was given {' and '.join(clips)}.",
        why="Gradients can be clipped in one way only: by value, by norm, or by global norm.",
        remedy="Give only one of them.",
        site=here(),
    )


def fixed(kind: str, name: str) -> PenstockError:
    """An attribute that cannot be set."""
    return PenstockError(
        f"{kind}: {name} cannot be set.",
        why="It is fixed when the optimizer is created.",
        remedy="Set a hyper-parameter of a group: optimizer.groups['head/*'].learning_rate = 0.1."
        if name == "groups"
        else "Create another optimizer.",
        site=here(),
    )


def not_separable(kind: str) -> PenstockError:
    """Lazy rows for a rule that looks at whole variables."""
    return PenstockError(
        f"{kind}: rows='lazy' would update only those rows of a table that were read.",
        why=f"{kind} scales a step by numbers computed from the whole table.",
        remedy="Leave rows at 'exact', or give the table its own optimizer, such as Adam.",
        site=here(),
    )


def no_variable(value: Any) -> PenstockError:
    """Something to update that is not a variable."""
    return PenstockError(
        f"apply_gradients was given {type(value).__name__} {shown(value)} to update.",
        why="Only a Variable can be updated. Assigning to a name with `=` rebinds the name to a "
        "plain tensor.",
        remedy="Pass the Variable, and write to it with variable.assign(...).",
        site=here(),
    )


def warn_of_no_pairs(frame: FrameType) -> None:
    """Warns of a call without any variable, which changes nothing."""
    warn(
        "apply_gradients was given no variables: nothing is updated. A layer creates its variables when "
        "it is first called, or by build(): list them after that. If gradients that are None were left out, "
        "penstock check says why they are None.",
        frame=frame,
    )


def check_pairs(pairs: Sequence[Any]) -> None:
    """Raises ArgumentError for a list that does not consist of pairs."""
    for position, pair in enumerate(pairs):
        if not isinstance(pair, tuple | list) or len(pair) != 2:
            raise ArgumentError(
                f"apply_gradients was given {shown(pair)} at position {position}, not a pair of a gradient "
                "and its variable.",
                remedy="Write optimizer.apply_gradients(zip(gradients, variables)).",
                site=here(),
            )


def check(gradient: Any, variable: Any) -> None:
    """Raises an error if a pair is wrong."""
    given = getattr(gradient, "_spec", None)
    if isinstance(variable, Cell) and given is not None and given.shape == variable._spec.shape:
        return
    if not isinstance(variable, Cell):
        raise no_variable(variable)
    path: str = variable.path  # type: ignore[attr-defined]
    if isinstance(gradient, Tensor | Cell | Rows):
        raise ShapeError(
            f"The gradient for Variable {path!r} is {gradient._spec!r}, the Variable is {variable._spec!r}.",
            origin=f"Variable created at {variable.site}",  # type: ignore[attr-defined]
            why="An update must have the shape of its variable.",
            remedy="Pair each gradient with its own variable: zip(gradients, variables).",
            site=here(),
        )
    raise PenstockError(
        f"The gradient for Variable {path!r} is {type(gradient).__name__}.",
        remedy="Give a tensor, for example with asarray(...).",
        site=here(),
    )


def no_gradients(
    lines: str,
    among: str = "",
    remedy: str = "Fix the path at the lines above; penstock.explain(target, variable) says more.",
) -> NoGradientsError:
    """No gradient at all, with the reason for each variable; `among` is a dialect's end of the sentence."""
    return NoGradientsError(
        f"No gradients provided for any variable{among}.",
        origin=lines,
        why="Every gradient is None, so there is nothing to apply.",
        remedy=remedy,
        site=here(),
    )


def unknown_variable(kind: str, variable: Any) -> PenstockError:
    """A variable that did not exist when the optimizer was built."""
    return PenstockError(
        f"{kind} was not built for Variable {variable.path!r}.",
        origin=f"Variable created at {variable.site}",
        why="build(...) fixed which variables it updates and what state it keeps for them.",
        remedy="Build it for this one too: optimizer.build([...]) with all variables, before the first "
        "update.",
        site=here(),
    )


def state_of_another(kind: str, variable: Any, keeper: Any) -> PenstockError:
    """A variable that an optimizer keeps as its own state."""
    return PenstockError(
        f"{kind} was given Variable {variable.path!r}, which {type(keeper).__name__} {keeper.name!r} keeps "
        "for itself.",
        why="It is part of that optimizer's state, not of the model.",
        remedy="Pass the variables of the model, not optimizer.variables.",
        site=here(),
    )


def dtype_refused(kind: str, variable: Any) -> DTypeError:
    """A variable whose dtype the rule cannot update."""
    dtype = variable._spec.dtype
    whole = dtype.kind in "iub"
    return DTypeError(
        f"{kind} cannot move Variable {variable.path!r}, which is {variable._spec!r}.",
        origin=f"Variable created at {variable.site}",
        why="An update is a fraction, which an integer cannot hold."
        if whole
        else "The rule divides by squares, and the square of a complex number is not its squared size.",
        remedy="Create it with a floating-point value, such as 0.0."
        if whole
        else "Use SGD, or keep the real and imaginary parts as two variables.",
        site=here(),
    )


def two_groups(kind: str, variable: Any, one: str, other: str) -> PenstockError:
    """A variable that matches two groups."""
    return PenstockError(
        f"{kind}: Variable {variable.path!r} is in two groups, {one!r} and {other!r}.",
        why="The optimizer cannot tell which group's settings to use.",
        remedy="Narrow the patterns so that each variable is in one group.",
        site=here(),
    )


def twice(kind: str, members: Sequence[Any]) -> PenstockError:
    """A variable that is listed twice while gradients are accumulated."""
    paths = [member.variable.path for member in members]
    path = next(one for one in paths if paths.count(one) > 1)
    return PenstockError(
        f"{kind} was given two gradients for Variable {path!r} while it accumulates gradients.",
        why="Each call adds one part to the sum.",
        remedy="Add the two gradients first.",
        site=here(),
    )


def more_rows(kind: str, variable: Any, gradient: Any, capacity: int) -> PenstockError:
    """A row gradient that does not fit its accumulator."""
    given = f"{gradient.indices._spec.size} rows" if isinstance(gradient, Rows) else "a dense gradient"
    return PenstockError(
        f"{kind} accumulates gradients of {capacity} rows a call for Variable {variable.path!r}, "
        f"and was given {given}.",
        why="Rows are kept until the window is full, in a buffer whose size the first call fixed.",
        remedy="Put the largest batch first, or always give dense gradients: gradient.dense().",
        site=here(),
    )


def unscaled(kind: str) -> str:
    """The warning that gradients are divided by a loss scale that the loss was not multiplied by."""
    return (
        f"{kind} divides gradients by its loss scale, but scale_loss was never called: if the loss was not "
        "multiplied, every step is smaller by that factor. Differentiate optimizer.scale_loss(loss)."
    )


def no_scale(kind: str, path: str, value: Any) -> CheckpointError:
    """A value in a file that cannot be a loss scale."""
    return CheckpointError(
        f"{kind} cannot take {path!r} from the file, which is {value.tolist()!r} there.",
        why="The loss is multiplied by it and gradients are divided by it: every step would be skipped.",
        remedy="Load an earlier checkpoint; or load the model alone, with ps.load(path, model), and create "
        "a new optimizer.",
        site=here(),
    )


def stalled(by: str, first: int, last: int, reason: str) -> str:
    """The warning that an optimizer skips step after step."""
    return (
        f"{by} skipped every step from {first} to {last}, and the next: {reason} "
        "No variable changes until this is fixed. Fix that line or its data, or lower the learning rate; "
        "`penstock check SCRIPT` reports every step that is skipped."
    )


def uncounted(kind: str, step: str) -> CaptureError:
    """A call of a Python schedule where only the program knows the number of updates."""
    return CaptureError(
        f"{kind} is applied in the captured step {step!r} after its count of updates was written there, and "
        "a Python function gives its learning rate.",
        why="The rate depends on the count, which has no value inside the step that Python code could see.",
        remedy="Write the schedule with tensors (ps.exp, ps.where), which makes it part of the step; apply "
        "the optimizer once in it; or remove @ps.step.",
        site=here(),
    )


def no_averages(kind: str, wanted: bool) -> PenstockError:
    """Averages that do not exist."""
    return PenstockError(
        f"{kind} has no averages of variables.",
        why="No variable has been updated yet." if wanted else "It was created without use_ema=True.",
        remedy="Apply gradients first." if wanted else f"Create it with {kind}(..., use_ema=True).",
        site=here(),
    )
