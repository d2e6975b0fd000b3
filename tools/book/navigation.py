"""The chapters of the site, in order: titles, and pages by their place in the site.

A page ends in `.md`. Those that lie in docs/ are written by hand; `pages.py` makes the others. A string that
begins with "*" stands for all pages that a function of `pages.py` makes under that name.
"""

from __future__ import annotations

from typing import Any

CHAPTERS: list[dict[str, Any]] = [
    {"Home": "index.md"},
    {"Start": [
        {"Start in five minutes": "start.md"},
        {"Running a check": "check.md"},
        {"Mistakes with gradients and updates": "pitfalls.md"},
        {"Ten claims, run": "ten-claims.md"},
    ]},
    {"Concepts": [
        {"A step is recorded": "concepts/recording.md"},
        {"Why a gradient is missing": "concepts/reasons.md"},
        {"What an update is made of": "concepts/updates.md"},
        {"Contracts and locks": "concepts/contracts.md"},
        {"Penstock from nothing": "from_nothing.md"},
    ]},
    {"Guides": [
        {"Images": "guides/convolution.md"},
        {"Transformers": "guides/transformer.md"},
        {"Diffusion": "guides/diffusion.md"},
        {"Adversarial networks": "guides/gan.md"},
        {"Actor and critic": "guides/actor-critic.md"},
        {"Variational autoencoders": "guides/vae.md"},
        {"Transfer learning": "guides/transfer.md"},
        {"Adapters": "guides/adapters.md"},
        {"Learning to learn": "guides/meta-learning.md"},
        {"Recommenders": "guides/recommender.md"},
        {"Differential equations": "guides/equations.md"},
        {"Gaussian processes": "guides/gaussian-process.md"},
        {"Data": "data.md"},
        {"Export and exchange": "exchange.md"},
        {"Your own training loop": "training.md"},
        {"Notebooks": "notebooks.md"},
        {"GPUs and mixed precision": "guides/gpus.md"},
        {"Many devices": "devices.md"},
        {"Examples": "examples.md"},
        "*more",
    ]},
    {"Coming from": [
        {"PyTorch": "coming-from/pytorch.md"},
        {"Keras and TensorFlow": "coming-from/keras.md"},
        {"JAX": "coming-from/jax.md"},
        {"PaddlePaddle": "coming-from/paddle.md"},
        {"What of TensorFlow is here": "coverage/tensorflow.md"},
        {"What of PaddlePaddle is here": "coverage/paddle.md"},
        {"Reports on PyTorch and TensorFlow programs": "frameworks.md"},
        {"Published scripts": "wild.md"},
        {"Mistakes in each vocabulary": "pairs.md"},
    ]},
    {"Findings": ["*findings"]},
    {"Reference": [
        "*reference",
        {"Functions and their gradients": "functions.md"},
        {"The array API standard": "array-standard.md"},
    ]},
    {"Benchmarks": [{"Speed": "speed.md"}, "*benchmarks"]},
    {"Project": [
        {"Documentation": "contents.md"},
        {"A map of the house": "map.md"},
        "*project",
        {"Decisions": ["*decisions"]},
    ]},
]  # fmt: skip


def filled(chapters: list[Any], groups: dict[str, list[dict[str, str]]]) -> list[Any]:
    """Returns the chapters with each "*group" replaced by its pages."""
    found: list[Any] = []
    for entry in chapters:
        if isinstance(entry, str):
            found += groups[entry.removeprefix("*")]
        else:
            ((title, inside),) = entry.items()
            found.append({title: filled(inside, groups) if isinstance(inside, list) else inside})
    return found


def listed(chapters: list[Any]) -> list[str]:
    """Returns the pages of filled chapters, in order."""
    pages: list[str] = []
    for entry in chapters:
        (inside,) = entry.values()
        pages += listed(inside) if isinstance(inside, list) else [inside]
    return pages
