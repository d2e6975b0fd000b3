"""Which output is written into which argument's memory: a variable's new value into that of its old one."""

from __future__ import annotations

from collections.abc import Container, Mapping
from contextlib import suppress
from typing import Any

from penstock.tiers.program import Program

ATTRIBUTE = "tf.aliasing_output"
"""Says of an argument of a StableHLO program which output may take its memory."""


def pair(lowered: Any, replaced: Mapping[int, int], count: int) -> None:
    """Has arguments overwritten by the outputs named in `replaced`, in a program of `count` arguments.

    JAX pairs what may be overwritten with outputs in order, by shape and dtype. Where a mean takes the memory
    of another layer's mean, both are needed for a while, and XLA copies each on its way in and out: twice
    the memory traffic of Adam itself. What is lowered otherwise than is known here keeps JAX's pairs, which
    give the same values.
    """
    with suppress(AttributeError, KeyError, ImportError, TypeError):
        from jax.extend.mlir import ir

        module = lowered.compiler_ir()
        main = next(one for one in module.body.operations if str(one.attributes["sym_name"]) == '"main"')
        given = main.attributes["arg_attrs"]
        present = [{one.name: one.attr for one in attributes} for attributes in given]
        if len(present) != count or {i for i, one in enumerate(present) if ATTRIBUTE in one} != set(replaced):
            # An argument that is not read was dropped, or there is memory that JAX could not use.
            return
        with module.context:
            number = ir.IntegerType.get_signless(32)
            for argument, output in replaced.items():
                present[argument][ATTRIBUTE] = ir.IntegerAttr.get(number, output)
            main.attributes["arg_attrs"] = ir.ArrayAttr.get([ir.DictAttr.get(one) for one in present])


def unchanged(program: Program, arguments: Container[int]) -> dict[int, int]:
    """Returns which of these arguments are outputs as they are: where, by their number.

    What is held of a variable's old value stays in its memory, and the new value gets memory of its own.
    """
    first = len(program.specs) + len(program.constants)
    found: dict[int, int] = {}
    for output, number in enumerate(program.outputs):
        while number >= first and program.steps[number - first].primitive.name == "identity":
            (number,) = program.steps[number - first].inputs
        if number in arguments:
            found.setdefault(number, output)
    return found
