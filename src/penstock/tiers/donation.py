"""Which output is written into which argument's memory: a variable's new value into that of its old one."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

ATTRIBUTE = "tf.aliasing_output"
"""The attribute of an argument of a StableHLO program that names the output which may take its memory."""


def pair(lowered: Any, replaced: Mapping[int, int], count: int) -> None:
    """Lets the outputs named in `replaced` overwrite arguments, in a program of `count` arguments.

    JAX pairs donated arguments with outputs in order, by shape and dtype. Where a mean takes the memory of
    another layer's mean, both are needed for a while, and XLA copies each on its way in and out: twice the
    memory traffic of Adam itself. A program that is lowered in an unknown way keeps JAX's pairs, which give
    the same values.
    """
    with suppress(AttributeError, KeyError, ImportError, TypeError):
        from jax.extend.mlir import ir

        module = lowered.compiler_ir()
        main = next(one for one in module.body.operations if str(one.attributes["sym_name"]) == '"main"')
        given = main.attributes["arg_attrs"]
        present = [{one.name: one.attr for one in attributes} for attributes in given]
        if len(present) != count or {i for i, one in enumerate(present) if ATTRIBUTE in one} != set(replaced):
            # JAX has dropped an unread argument, or could not reuse some memory.
            return
        with module.context:
            number = ir.IntegerType.get_signless(32)
            for argument, output in replaced.items():
                present[argument][ATTRIBUTE] = ir.IntegerAttr.get(number, output)
            main.attributes["arg_attrs"] = ir.ArrayAttr.get([ir.DictAttr.get(one) for one in present])
