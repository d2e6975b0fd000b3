"""Evaluate random expressions under TensorFlow and write down a weighted sum of each value and gradient.

Usage, from the root of the repository, in an environment that has TensorFlow 2.21:

    python tools/record/random_expressions.py [--check]

The expressions are those of `tests/oracles/random_expressions.py`; the answer is `random_expressions.json`
beside it: for each seed and expression, dtype, shape and sum of the value, and the same of its gradients.
Expressions whose numbers are too large or too small to compare are left out: null stands in their places.
"""

import math
import sys

from reference import ORACLES, compare, tf, versions, write

sys.path.insert(0, str(ORACLES))

from random_expressions import outcomes

RECORD = ORACLES / "random_expressions.json"
SEEDS = range(60)
LIMIT = 1e4


def fit(one: object) -> bool:
    """Says whether all numbers are of a size that rounding leaves comparable."""
    if isinstance(one, list):
        return all(fit(part) for part in one)
    return not isinstance(one, float) or (math.isfinite(one) and abs(one) < LIMIT)


def main() -> int:
    """Record all seeds, or compare them with the record."""
    found = {
        str(seed): [one if not isinstance(one, str) and fit(one) else None for one in outcomes(seed, tf)]
        for seed in SEEDS
    }
    record = {"versions": versions(), "seeds": found}
    if "--check" in sys.argv[1:]:
        return compare(RECORD, record)
    write(RECORD, record)
    return 0


if __name__ == "__main__":
    sys.exit(main())
