"""Marks that several files of this dialect share: objects that layers do not track."""

from __future__ import annotations


class Untracked:
    """An object whose variables are not those of the layer that holds it."""


class Metric(Untracked):
    """A metric: see `tf.keras.metrics`."""
