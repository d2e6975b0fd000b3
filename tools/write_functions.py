"""Writes docs/functions.md: every public function, how gradients pass through it, and its kinks.

python tools/write_functions.py
"""

import contextlib
import doctest
import functools
import importlib
import inspect
import io
import sys
from pathlib import Path

import numpy as np

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests"))

import penstock as ps  # noqa: E402
from oracles.vocabulary import CASES  # noqa: E402
from oracles.vocabulary_differences import DIFFERENCES  # noqa: E402
from penstock.grad.rows import Rows  # noqa: E402
from penstock.ops.table import complete  # noqa: E402
from penstock.trace.leaf import Argument, Constant, Version  # noqa: E402
from penstock.trace.local import local  # noqa: E402
from penstock.trace.tensor import Cell, Tensor  # noqa: E402

PAGE = ROOT / "docs" / "functions.md"
table = complete()
FRAMEWORKS = {"torch": "PyTorch", "jax": "JAX", "tensorflow": "TensorFlow"}
FAMILIES = {
    "": "Array functions",
    "linalg": "Linear algebra (`ps.linalg`)",
    "fft": "Fourier transforms (`ps.fft`)",
    "nn": "Neural networks (`ps.nn`)",
    "losses": "Losses (`ps.losses`)",
    "special": "Special functions (`ps.special`)",
    "segments": "Segments (`ps.segments`)",
    "random": "Random numbers (`ps.random`)",
}
# What functions of a random key are, and which draws follow their parameters.
FOLLOWING = {
    "beta", "dirichlet", "exponential", "gamma", "gumbel", "laplace", "logistic", "multivariate_normal",
    "normal", "truncated_normal", "uniform",
}  # fmt: skip


def functions_of(family):
    """The public functions of a family, by name."""
    module = getattr(ps, family) if family else importlib.import_module("penstock.functions.array")
    names = getattr(module, "__all__", None) or [name for name in dir(module) if not name.startswith("_")]
    found = {name: getattr(module, name) for name in sorted(names)}
    return {
        name: one
        for name, one in found.items()
        if inspect.isfunction(one) and one.__module__.startswith("penstock.functions") and name != "composite"
    }


def class_of(family, name):
    """The derivative class of a function: that of its primitive, or smooth where it is made of several."""
    if family == "random":
        return "smooth in its parameters" if name in FOLLOWING else "discrete"
    primitive = table.get({"pow": "power", "gammaln": "lgamma"}.get(name, name))
    if primitive is not None and family in ("", "special", "segments"):
        return primitive.derivative
    return class_of_composed(family, name)


# -- functions that several primitives make ------------------------------------------------------------------

EXAMPLES = {
    "astype": ["import penstock as ps\n", "found = ps.astype(ps.asarray([1.0]), 'float64')\n"],
    "meshgrid": ["import penstock as ps\n", "found = ps.meshgrid(ps.asarray([1.0]), ps.asarray([2.0]))\n"],
}
"""Examples of functions that show themselves on whole numbers."""
CLASSES = ("wall", "discrete", "flat", "smooth")
"""From the one that lets least of a gradient through to the one that lets all of it."""


def worse(a, b):
    """The one of two classes that lets less through."""
    return min(a, b, key=CLASSES.index)


def on_the_way(calls, slot, operands, known):
    """What a gradient meets from a slot back to an operand, on the way that lets most of it through, or None.

    Of one way it is the worst of its primitives.
    """
    if slot in known:
        return known[slot]
    known[slot] = None
    call = calls[slot]
    if slot in operands or isinstance(call.primitive, Argument):
        found = "smooth" if call.spec.dtype.kind in "fcV" else "discrete"
    elif isinstance(call.primitive, Constant):
        found = None
    else:
        ways = [on_the_way(calls, one, operands, known) for one in call.inputs]
        rules = getattr(call.primitive, "vjp", ())
        smooth = call.primitive.derivative == "smooth"
        if smooth and rules and len(rules) == len(ways):
            # An operand without a derivative, such as an index.
            ways = [
                way if rule is not None or way is None else worse(way, "discrete")
                for way, rule in zip(ways, rules, strict=True)
            ]
        ways = [way for way in ways if way is not None]
        own = "smooth" if isinstance(call.primitive, Version) else call.primitive.derivative
        found = worse(max(ways, key=CLASSES.index), own) if ways else None
    known[slot] = found
    return found


def tensors_in(result):
    """The tensors in a result."""
    if isinstance(result, Rows):
        return [result.values]
    if isinstance(result, list | tuple):
        return [one for part in result for one in tensors_in(part)]
    return [result] if isinstance(result, Tensor) else []


def noted(function, found):
    """The function, which notes the class of each call whose result is recorded."""

    @functools.wraps(function)
    def wrapper(*arguments, **options):
        # What is recorded before the call is an operand.
        trace = local.trace
        data = (Tensor, Cell, np.ndarray, np.generic, float, list)
        if not any(isinstance(one, Tensor | Cell | np.ndarray | list | tuple) for one in arguments):
            arguments = [ps.asarray(one) if type(one) is float else one for one in arguments]
        given = any(isinstance(one, data) for one in (*arguments, *options.values()))
        size, generation = trace.node.size, trace.generation
        result = function(*arguments, **options)
        for tensor in tensors_in(result):
            home = tensor._trace if tensor._trace is not None else tensor._past
            if home is None or tensor._spec.dtype.kind not in "fcV":
                found.append("constant" if tensor._spec.dtype.kind in "fcV" else "discrete")
                continue
            operands = set(range(size)) if home is trace and trace.generation == generation else set()
            way = on_the_way(home.node.program(), tensor._slot, operands, {})
            found.append(way or ("constant" if not given else "discrete"))
        if not tensors_in(result):
            found.append("no tensor")
        return result

    return wrapper


def class_of_composed(family, name):
    """The class of a function made of several primitives, by what it records for the example it shows."""
    module = getattr(ps, family) if family else importlib.import_module("penstock.functions.array")
    function, found = getattr(module, name), []
    modules = (module, ps, *(getattr(ps, one) for one in FAMILIES if one))
    homes = [home for home in modules if getattr(home, name, None) is function]
    sources = [EXAMPLES[name]] if name in EXAMPLES else []
    sources += [[one.source for one in doctest.DocTestParser().get_examples(function.__doc__ or "")]]
    for case, (operands, _) in CASES.items():
        if case.startswith(f"ps.{family}.{name}(" if family else f"ps.{name}("):
            given = [f"{key} = ps.asarray({value!r})\n" for key, value in operands.items()]
            sources.append(["import penstock as ps\n", *given, f"found = {case}\n"])
    for home in homes:
        setattr(home, name, noted(function, found))
    try:
        for lines in sources:
            names = {}
            with contextlib.redirect_stdout(io.StringIO()):
                for line in lines:
                    exec(compile(line, "example", "single"), names)
            if found:
                break
    finally:
        for home in homes:
            setattr(home, name, function)
    known = [one for one in found if one in CLASSES]
    return max(known, key=CLASSES.index) if known else found[0] if found else "no tensor"


def numbers(values):
    """Numbers one after the other."""
    return ", ".join(map(str, values))


def kinks_of(name):
    """What the table of primitives declares, a sentence for each kink."""
    primitive = table.get({"pow": "power"}.get(name, name))
    return [
        f"at {numbers(kink.at)} the slope is {numbers(kink.gradients)}: {kink.because}"
        for kink in (primitive.kinks if primitive is not None else ())
    ]


NOT_COMPARED = "·"
"""What stands for the frameworks of a function that was compared with none."""


def peers_of(call):
    """Which frameworks agree on functions of this name, as a cell of the table, and where others differ."""
    agree, differ = set(), []
    for case, (_, spellings) in CASES.items():
        if not case.startswith(f"ps.{call}("):
            continue
        for framework, spelling in spellings.items():
            if spelling and framework not in DIFFERENCES.get(case, {}):
                agree.add(FRAMEWORKS[framework])
        differ += [f"{FRAMEWORKS[k]}: {why}" for k, (_, why) in DIFFERENCES.get(case, {}).items()]
    return ", ".join(sorted(agree)) or ("none" if differ else NOT_COMPARED), differ


def page():
    """The text of the page."""
    lines = [
        "# Functions, and how gradients pass through them",
        "",
        "Written by `tools/write_functions.py`; edit that file. *smooth*: it has derivatives of every order.",
        "*flat*: the derivative is zero wherever it exists, and no gradient passes. *discrete*: the result",
        "is integers or booleans. *wall*: it blocks gradients on purpose. *constant*: it has no operand that",
        "a gradient could pass to. If a function is made of several primitives, the class of a path through",
        "its example is that of the worst primitive on it, and the function has the class of its best path.",
        "*Agrees* lists the frameworks whose recorded values and derivatives are the same; *none* says that",
        f"all that were recorded differ, and {NOT_COMPARED} that none was recorded for this table. Array",
        "functions and their derivatives were compared with those of TensorFlow elsewhere",
        "(`tests/oracles/derivatives.json`).",
    ]
    for family, title in FAMILIES.items():
        lines += [
            "",
            f"## {title}",
            "",
            "| function | class | agrees | kinks, and where others differ |",
            "|---|---|---|---|",
        ]
        for name in functions_of(family):
            call = f"{family}.{name}" if family else name
            agree, differ = peers_of(call)
            notes = "; ".join([*kinks_of(name), *differ]).replace("|", "\\|")
            lines.append(f"| `ps.{call}` | {class_of(family, name)} | {agree} | {notes} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
