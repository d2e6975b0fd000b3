"""Answers for packages that only draw, log or fetch, where they are not installed: nothing happens."""

import importlib.abc
import importlib.machinery
import sys

IDLE = (
    "matplotlib", "wandb", "tensorboard", "tensorboardX", "seaborn", "imageio", "skimage", "requests",
    "torch.utils.tensorboard", "PIL", "dotenv", "cv2",
)  # fmt: skip


class Idle:
    """Anything at all: it may be called, read and iterated over, and does nothing."""

    def __init__(self, *_arguments, **_options):
        pass

    def __call__(self, *_arguments, **_options):
        return self

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return self

    def __getitem__(self, _key):
        return self

    def __iter__(self):
        return iter((self, self))

    def __enter__(self):
        return self

    def __exit__(self, *_error):
        return None


class _Loader(importlib.abc.Loader):
    def create_module(self, spec):
        return None

    def exec_module(self, module):
        module.__path__ = []
        module.__getattr__ = _named


def _named(name):
    if name.startswith("__"):
        raise AttributeError(name)
    return Idle


class _Finder(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if any(name == one or name.startswith(f"{one}.") for one in IDLE):
            return importlib.machinery.ModuleSpec(name, _Loader(), is_package=True)
        return None


sys.meta_path.insert(0, _Finder())
