"""Array functions under the names of the Python Array API standard (2024.12); a family to a file."""

from __future__ import annotations

import math

from penstock.functions import (
    creation,
    datatypes,
    elementwise,
    manipulation,
    ordering,
    products,
    statistics,
)
from penstock.functions.creation import *  # noqa: F403
from penstock.functions.datatypes import *  # noqa: F403
from penstock.functions.elementwise import *  # noqa: F403
from penstock.functions.inspection import __array_namespace_info__
from penstock.functions.manipulation import *  # noqa: F403
from penstock.functions.ordering import *  # noqa: F403
from penstock.functions.products import *  # noqa: F403
from penstock.functions.statistics import *  # noqa: F403

__array_api_version__ = "2024.12"
e, inf, nan, pi = math.e, math.inf, math.nan, math.pi
newaxis = None

__all__ = [
    *creation.__all__, *datatypes.__all__, *elementwise.__all__, *manipulation.__all__, *ordering.__all__,
    *products.__all__, *statistics.__all__, "__array_api_version__", "__array_namespace_info__", "e", "inf",
    "nan", "newaxis", "pi",
]  # fmt: skip
