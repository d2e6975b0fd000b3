"""Which output is written into which argument's memory: a variable's new value into that of its old one."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

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
