"""Stands in for torchvision: the names that training scripts use, with random pictures."""

from torchvision import datasets, models, transforms, utils

__version__ = "0.0"
__all__ = ["datasets", "models", "transforms", "utils"]
