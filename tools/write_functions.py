"""Writes docs/functions.md: every public function, how gradients pass through it, and its kinks.

python tools/write_functions.py
"""

import importlib
import inspect
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests"))

import penstock as ps  # noqa: E402
from oracles.vocabulary import CASES  # noqa: E402
from oracles.vocabulary_differences import DIFFERENCES  # noqa: E402
from penstock.ops.table import complete  # noqa: E402

PAGE = ROOT / "docs" / "functions.md"
table = complete()
FRAMEWORKS = {"torch": "PyTorch", "jax": "JAX", "tensorflow": "TensorFlow"}
FAMILIES = {
    "": "Array functions",
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
    return primitive.derivative if primitive is not None and family in ("", "special", "segments") else ""


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


def peers_of(call):
    """Which frameworks were recorded for functions of this name, and where they differ."""
    agree, differ = set(), []
    for case, (_, spellings) in CASES.items():
        if not case.startswith(f"ps.{call}("):
            continue
        for framework, spelling in spellings.items():
            if spelling and framework not in DIFFERENCES.get(case, {}):
                agree.add(FRAMEWORKS[framework])
        differ += [f"{FRAMEWORKS[k]}: {why}" for k, (_, why) in DIFFERENCES.get(case, {}).items()]
    return ", ".join(sorted(agree)), differ


def page():
    """The text of the page."""
    lines = [
        "# Functions, and how gradients pass through them",
        "",
        "Written by `tools/write_functions.py`; edit that. *smooth*: a derivative of every order. *flat*: it",
        "is zero wherever it exists, and no gradient passes. *discrete*: the result is whole. *wall*:",
        "nothing passes, by request. Where the second column is empty several primitives make the function.",
        "*Agrees* names the frameworks that values and derivatives were recorded from and are the same.",
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
