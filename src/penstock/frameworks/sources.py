"""The frameworks that the report can watch, and the source for each."""

from __future__ import annotations

import importlib
import importlib.machinery
import importlib.util
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from penstock.errors import PenstockError

if TYPE_CHECKING:
    from penstock.flow.observed import Source

FRAMEWORKS = {
    "torch": ("penstock.frameworks.torch.source", "Torch", "PyTorch"),
    "tensorflow": ("penstock.frameworks.tensorflow.source", "TensorFlow", "TensorFlow"),
    "jax": ("penstock.frameworks.jax.source", "Jax", "JAX"),
    "paddle": ("penstock.frameworks.paddle.source", "Paddle", "PaddlePaddle"),
}
"""By name: the module and class of the source, and the framework's usual name."""
BLOCKS = ("torch", "tensorflow", "paddle")
"""Those in which a block can be watched: what JAX has compiled before a watch cannot be looked into."""
PACKAGES = {**{name: name for name in FRAMEWORKS}, "keras": "tensorflow", "tf_keras": "tensorflow"}
"""The framework that objects of a package belong to."""


def is_installed(framework: str) -> bool:
    """Returns whether this Python has a framework; a vocabulary of Penstock under its name does not count."""
    loaded = sys.modules.get(framework)
    if loaded is not None and loaded.__name__.startswith("penstock."):
        return importlib.machinery.PathFinder.find_spec(framework) is not None
    return importlib.util.find_spec(framework) is not None


def source_for(framework: str) -> Source:
    """Returns a source that watches programs which run in a framework.

    Raises PenstockError if this Python does not have the framework, or only a version that is too old.
    """
    module, name, title = FRAMEWORKS[framework]
    if not is_installed(framework):
        raise PenstockError(
            f"--with {framework} needs {title}, which this Python ({sys.executable}) does not have.",
            remedy="Use the Python that trains, by its full path: PYTHON -m pip install penstock, then "
            f"PYTHON -m penstock check --with {framework} SCRIPT",
        )
    source: Source = getattr(importlib.import_module(module), name)()
    return source


def register(framework: str, source: Source, given: Mapping[str, Any]) -> None:
    """Tells a started source about things that were created earlier, by the names they were passed under."""
    module = FRAMEWORKS[framework][0].rpartition(".")[0]
    importlib.import_module(f"{module}.given").register(source, given)


__all__ = ["BLOCKS", "FRAMEWORKS", "PACKAGES", "is_installed", "register", "source_for"]
