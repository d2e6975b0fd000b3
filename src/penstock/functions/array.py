"""Array functions under the names of the Python Array API standard (2024.12); a family to a file."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from penstock.lazy import later

FAMILIES = {
    "penstock.functions.creation": """
        arange asarray empty empty_like eye from_dlpack full full_like linspace meshgrid one_hot ones
        ones_like tril triu zeros zeros_like
    """,
    "penstock.functions.datatypes": "astype can_cast finfo iinfo isdtype result_type",
    "penstock.functions.einsum": "einsum",
    "penstock.functions.elementwise": """
        abs acos acosh add asin asinh atan atan2 atanh bitwise_and bitwise_invert bitwise_left_shift
        bitwise_or bitwise_right_shift bitwise_xor ceil clip conj copysign cos cosh divide equal erf exp
        expm1 floor floor_divide greater greater_equal hypot imag isfinite isinf isnan less less_equal log
        log10 log1p log2 logaddexp logical_and logical_not logical_or logical_xor maximum minimum multiply
        nan_to_num negative nextafter not_equal positive pow real reciprocal remainder round rsqrt sign
        signbit sin sinh sqrt square stop_gradient subtract tan tanh trunc where
    """,
    "penstock.functions.interpolation": "interp",
    "penstock.functions.inspection": "__array_namespace_info__",
    "penstock.functions.manipulation": """
        broadcast_arrays broadcast_to concat expand_dims flip matrix_transpose moveaxis permute_dims repeat
        reshape roll squeeze stack take take_along_axis tile unstack
    """,
    "penstock.functions.ordering": """
        argmax argmin argsort nonzero searchsorted sort unique_all unique_counts unique_inverse
        unique_values
    """,
    "penstock.functions.products": "dot kron matmul tensordot vecdot",
    "penstock.functions.quantiles": "histogram median percentile quantile",
    "penstock.functions.statistics": """
        all any count_nonzero cumulative_logsumexp cumulative_max cumulative_min cumulative_prod
        cumulative_sum diff max mean min prod std sum var
    """,
}

if TYPE_CHECKING:
    from penstock.functions.creation import *  # noqa: F403
    from penstock.functions.datatypes import *  # noqa: F403
    from penstock.functions.einsum import *  # noqa: F403
    from penstock.functions.elementwise import *  # noqa: F403
    from penstock.functions.inspection import __array_namespace_info__ as __array_namespace_info__
    from penstock.functions.interpolation import *  # noqa: F403
    from penstock.functions.manipulation import *  # noqa: F403
    from penstock.functions.ordering import *  # noqa: F403
    from penstock.functions.products import *  # noqa: F403
    from penstock.functions.quantiles import *  # noqa: F403
    from penstock.functions.statistics import *  # noqa: F403
else:
    __getattr__, __dir__ = later(__name__, FAMILIES)

__array_api_version__ = "2024.12"
e, inf, nan, pi = math.e, math.inf, math.nan, math.pi
newaxis = None

__all__ = [
    *" ".join(FAMILIES.values()).split(), "__array_api_version__", "e", "inf", "nan", "newaxis", "pi",
]  # fmt: skip
