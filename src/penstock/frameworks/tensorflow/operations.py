"""TensorFlow's operations: their names and roles in reports, and whether a derivative passes."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from tensorflow.python.framework import ops

_NAMES = {
    "AddV2": "add", "Add": "add", "Sub": "subtract", "Mul": "multiply", "RealDiv": "divide", "Div": "divide",
    "DivNoNan": "divide_no_nan", "MatMul": "matmul", "BatchMatMulV2": "matmul", "BatchMatMulV3": "matmul",
    "Conv2D": "conv2d", "Conv3D": "conv3d", "Neg": "negative", "ArgMax": "argmax", "ArgMin": "argmin",
    "SelectV2": "where", "Select": "where", "ConcatV2": "concat", "GatherV2": "gather",
    "ResourceGather": "gather", "ResourceGatherNd": "gather_nd", "FusedBatchNormV3": "batch_normalization",
    "StridedSlice": "strided_slice", "SquaredDifference": "squared_difference", "L2Loss": "l2_loss",
    "ExpandDims": "expand_dims", "ClipByValue": "clip_by_value", "EagerPyFunc": "py_function",
    "PyFunc": "numpy_function", "PyFuncStateless": "numpy_function", "Pack": "stack", "Unpack": "unstack",
    "BroadcastTo": "broadcast_to", "DepthwiseConv2dNative": "depthwise_conv2d", "MaxPool": "max_pool",
    "AvgPool": "avg_pool", "ReadVariableOp": "read_value", "FloorMod": "floormod", "LeakyRelu": "leaky_relu",
    "SoftmaxCrossEntropyWithLogits": "softmax_cross_entropy_with_logits",
    "SparseSoftmaxCrossEntropyWithLogits": "sparse_softmax_cross_entropy_with_logits",
    "TensorScatterUpdate": "tensor_scatter_nd_update", "IdentityN": "identity",
}  # fmt: skip
_ROLES = {
    **dict.fromkeys(("AddV2", "Add", "Sub", "AddN"), "sum"),
    **dict.fromkeys(("Mul", "RealDiv", "Div"), "scale"),
    **dict.fromkeys(("Neg", "Sum", "Mean", "Cast", "Identity", "Reshape", "Squeeze", "ExpandDims"), "linear"),
}
FLAT = frozenset(("Round", "Rint", "Floor", "Ceil", "Sign", "FloorDiv", "TruncateDiv"))
"""Operations whose derivative is zero wherever there is one: the registry gives None for it, or zeros."""
STOPS = frozenset(("StopGradient", "PreventGradient"))
UNSEEN = frozenset(
    (
        "Shape", "ShapeN", "Size", "Rank", "ZerosLike", "OnesLike", "VariableShape", "NoOp", "Assert",
        "Print", "PrintV2", "VarHandleOp", "VarIsInitializedOp", "DestroyResourceOp", "Placeholder",
        "StringFormat", "BroadcastGradientArgs", "DeleteSessionTensor",
    )
)  # fmt: skip
"""Operations whose results do not depend on the numbers in their operands, or that have none."""
READS = frozenset(("ReadVariableOp",))
GATHERS = frozenset(("ResourceGather", "ResourceGatherNd"))
"""Operations that read a variable and do something with its value."""
ASSIGNS = {
    "AssignVariableOp": "assign", "AssignAddVariableOp": "assign_add", "AssignSubVariableOp": "assign_sub",
    "ResourceScatterUpdate": "scatter_update", "ResourceScatterAdd": "scatter_add",
    "ResourceScatterSub": "scatter_sub", "ResourceScatterMul": "scatter_mul",
    "ResourceScatterDiv": "scatter_div", "ResourceScatterMin": "scatter_min",
    "ResourceScatterMax": "scatter_max", "ResourceScatterNdUpdate": "scatter_nd_update",
    "ResourceScatterNdAdd": "scatter_nd_add", "ResourceScatterNdSub": "scatter_nd_sub",
    "ResourceStridedSliceAssign": "strided_slice_assign",
}  # fmt: skip
"""Operations that write a variable, and the names of the methods that make them."""
BODIES = ("f", "then_branch", "else_branch", "branches", "cond", "body")
"""Attributes that name a function."""


@lru_cache(4096)
def name_of(kind: str) -> str:
    """Returns the name that an operation has in programs.

    >>> name_of("AddV2"), name_of("Softplus")
    ('add', 'softplus')
    """
    known = _NAMES.get(kind)
    if known is not None:
        return known
    bare = re.sub(r"V\d$", "", kind)
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", bare).lower()


def role_of(kind: str) -> str:
    """Returns the role of an operation in a sum: "sum", "scale", "linear" or ""."""
    return _ROLES.get(kind, "")


@lru_cache(4096)
def _has_rule(kind: str) -> bool:
    """Returns whether TensorFlow has a gradient for an operation."""
    try:
        return ops.gradient_registry.lookup(kind) is not None
    except LookupError:
        return False


def is_differentiable(dtype: Any) -> bool:
    """Returns whether values of a dtype can carry a derivative; lists of tensors can."""
    return bool(dtype.is_floating or dtype.is_complex or dtype.name in ("variant", "resource"))


def link_of(kind: str, result: Any, operand: Any, overridden: bool = False) -> str:
    """Returns "" if a derivative passes from a result of an operation to an operand, otherwise the reason.

    `result` and `operand` are dtypes; `overridden` says that the program has given it another gradient.
    """
    if kind in STOPS:
        return "stopped"
    if not is_differentiable(result) or not is_differentiable(operand):
        return "discrete"
    if overridden:
        return ""
    if kind in FLAT:
        return "flat"
    return "" if _has_rule(kind) else "unruled"


__all__ = [
    "ASSIGNS", "BODIES", "FLAT", "GATHERS", "READS", "STOPS", "UNSEEN", "is_differentiable", "link_of",
    "name_of", "role_of",
]  # fmt: skip
