"""The primitives: one entry each, in one table that both tiers, the derivative and the tests read."""

from penstock.ops import index, linear, pointwise, random, reduce, shape, window, window_pool

__all__ = ["index", "linear", "pointwise", "random", "reduce", "shape", "window", "window_pool"]
