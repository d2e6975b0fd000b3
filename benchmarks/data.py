"""What every framework starts from: the same NumPy arrays, made from a fixed seed, one function per workload.

Each function returns (parameters, inputs).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

Array = np.ndarray[Any, np.dtype[Any]]
Tree = Any  # a nest of dictionaries and lists of arrays
Workload = tuple[dict[str, Tree], dict[str, Tree]]


class Source:
    """A stream of float32 and int32 arrays."""

    def __init__(self, seed: int = 0) -> None:
        self.generator = np.random.default_rng(seed)

    def normal(self, *shape: int, scale: float = 0.05) -> Array:
        return self.generator.standard_normal(shape, dtype=np.float32) * np.float32(scale)

    def below(self, bound: int, *shape: int) -> Array:
        return self.generator.integers(0, bound, shape, dtype=np.int32)


def zeros(*shape: int) -> Array:
    return np.zeros(shape, np.float32)


def ones(*shape: int) -> Array:
    return np.ones(shape, np.float32)


def two_scalars() -> Workload:
    return {"x": np.float32(0), "y": np.float32(1)}, {}


def three_weights() -> Workload:
    source = Source()
    weights = {name: source.normal(5, 1, scale=1) for name in ("w1", "w2", "w3")}
    return weights, {"x": source.normal(64, 5, scale=1)}


def mlp() -> Workload:
    source = Source()
    parameters = {
        "w1": source.normal(784, 128),
        "b1": zeros(128),
        "w2": source.normal(128, 10),
        "b2": zeros(10),
    }
    return parameters, {"x": source.normal(64, 784, scale=1), "labels": source.below(10, 64)}


def cnn() -> Workload:
    """Kernels are height, width, in, out; pictures are batch, height, width, channel."""
    source = Source()
    parameters = {
        "kernel1": source.normal(3, 3, 3, 32, scale=0.1),
        "kernel2": source.normal(3, 3, 32, 64, scale=0.1),
        "dense": source.normal(4096, 10),
    }
    return parameters, {"x": source.normal(64, 32, 32, 3, scale=1), "labels": source.below(10, 64)}


def embedding() -> Workload:
    source = Source()
    return {"table": source.normal(1_000_000, 64)}, {"ids": source.below(1_000_000, 4096)}


def frozen_backbone() -> Workload:
    source = Source()
    inputs = {
        "backbone": [source.normal(1024, 1024, scale=0.03) for _ in range(8)],
        "x": source.normal(128, 1024, scale=1),
        "labels": source.below(10, 128),
    }
    return {"head": source.normal(1024, 10)}, inputs


def gan() -> Workload:
    source = Source()
    parameters = {
        "generator": [source.normal(64, 256), zeros(256), source.normal(256, 784), zeros(784)],
        "discriminator": [source.normal(784, 256), zeros(256), source.normal(256, 1), zeros(1)],
    }
    return parameters, {"real": source.normal(64, 784, scale=1), "noise": source.normal(64, 64, scale=1)}


def actor_critic() -> Workload:
    source = Source()
    parameters = {
        "actor": [source.normal(4, 64), zeros(64), source.normal(64, 2), zeros(2)],
        "critic": [source.normal(4, 64), zeros(64), source.normal(64, 1), zeros(1)],
    }
    inputs = {
        "states": source.normal(32, 4, scale=1),
        "rewards": source.normal(32, 1, scale=1),
        "actions": source.below(2, 32),
    }
    return parameters, inputs


WIDTH, HEADS, TOKENS, BATCH, VOCABULARY = 128, 4, 64, 8, 256


def transformer() -> Workload:
    source = Source()

    def block() -> dict[str, Array]:
        return {
            "qkv": source.normal(WIDTH, 3 * WIDTH),
            "out": source.normal(WIDTH, WIDTH),
            "up": source.normal(WIDTH, 4 * WIDTH),
            "down": source.normal(4 * WIDTH, WIDTH),
            "gain1": ones(WIDTH),
            "gain2": ones(WIDTH),
        }

    parameters = {
        "embed": source.normal(VOCABULARY, WIDTH),
        "position": source.normal(TOKENS, WIDTH),
        "unembed": source.normal(WIDTH, VOCABULARY),
        "blocks": [block(), block()],
    }
    return parameters, {"ids": source.below(VOCABULARY, BATCH, TOKENS + 1)}


def future_mask() -> Array:
    """0 where a token may look, -1e9 where it would look ahead."""
    return np.where(np.tril(ones(TOKENS, TOKENS)) == 1, np.float32(0), np.float32(-1e9))


def mapped(function: Callable[[Any], Any], tree: Tree) -> Tree:
    """The same nest of dictionaries and lists with `function` applied to every array."""
    if isinstance(tree, dict):
        return {name: mapped(function, branch) for name, branch in tree.items()}
    if isinstance(tree, list):
        return [mapped(function, branch) for branch in tree]
    return function(tree)


def leaves(tree: Tree) -> list[Any]:
    """The arrays (or variables) of such a nest, in order."""
    if isinstance(tree, dict):
        tree = list(tree.values())
    return [leaf for branch in tree for leaf in leaves(branch)] if isinstance(tree, list) else [tree]
