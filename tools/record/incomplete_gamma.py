"""Write down the incomplete gamma function of large shapes: `tests/oracles/incomplete_gamma.json`.

Usage, where mpmath 1.4 is installed:

    python tools/record/incomplete_gamma.py

Each row holds a, x, P(a, x), 1 - P(a, x) and the derivatives of P by a and by x. With 60 digits, the smaller
of P and 1 - P is integrated from the density; the derivative by a is a central difference.
"""

import json

import mpmath
from records import ORACLES

SHAPES = (30.0, 99.0, 100.0, 150.5, 1e3, 12345.678, 1e5, 1e6, 1e8, 1e10)
DEVIATIONS = (-25.0, -8.0, -3.0, -0.7, 0.0, 1.3, 9.0, 30.0)
"""How many times sqrt(a) the values x are away from a."""


def tail(a: mpmath.mpf, x: mpmath.mpf, upper: bool) -> mpmath.mpf:
    """Integrate the density from x away from a, in steps in which it falls a few times, to 30 digits."""
    logarithm = (a - 1) * mpmath.log(x) - x

    def density(t: mpmath.mpf) -> mpmath.mpf:
        return mpmath.exp((a - 1) * mpmath.log(t) - t - logarithm)

    slope = abs((a - 1) / x - 1)
    step = min(mpmath.sqrt(a) / 2, 8 / slope) if slope else mpmath.sqrt(a) / 2
    total, last = mpmath.mpf(0), x
    while True:
        following = last + step if upper else max(last - step, mpmath.mpf(0))
        share = mpmath.quad(density, sorted((last, following)))
        total, last = total + share, following
        past = last > a if upper else last < a
        if last == 0 or (past and share < total * mpmath.mpf(10) ** -30):
            return total * mpmath.exp(logarithm - mpmath.loggamma(a))


def row(shape: float, value: float) -> list[float]:
    """Return a, x, P, 1 - P, dP/da and dP/dx."""
    a, x = mpmath.mpf(shape), mpmath.mpf(value)
    upper = x >= a
    step = mpmath.sqrt(a) * mpmath.mpf(10) ** -12
    smaller, ahead, behind = (tail(one, x, upper) for one in (a, a + step, a - step))
    slope = (ahead - behind) / (2 * step)
    both = (1 - smaller, smaller) if upper else (smaller, 1 - smaller)
    density = mpmath.exp((a - 1) * mpmath.log(x) - x - mpmath.loggamma(a))
    return [shape, value, *map(float, both), float(-slope if upper else slope), float(density)]


def main() -> None:
    """Write the record."""
    mpmath.mp.dps = 60
    values = [(a, a + z * a**0.5) for a in SHAPES for z in DEVIATIONS]
    rows = [row(a, x) for a, x in values if x > 0.0]
    lines = ",\n  ".join(json.dumps(one) for one in rows)
    head = f' "mpmath": {json.dumps(mpmath.__version__)},\n "rows": [\n  '
    (ORACLES / "incomplete_gamma.json").write_text("{\n" + head + lines + "\n ]\n}\n", encoding="utf-8")
    print(f"incomplete_gamma.json: {len(rows)} rows")


if __name__ == "__main__":
    main()
