"""How the copies of a variable on several devices keep together: there is one device, so none are made."""

from __future__ import annotations

import enum

from penstock.declared import named


@named("tf.VariableAggregation")
class VariableAggregation(enum.Enum):
    """How updates of several devices come together; with one device all are the same."""

    NONE, SUM, MEAN, ONLY_FIRST_REPLICA = range(4)


@named("tf.VariableSynchronization")
class VariableSynchronization(enum.Enum):
    """When copies of a variable on several devices are brought together; there is one device."""

    AUTO, NONE, ON_WRITE, ON_READ = range(4)


__all__ = ["VariableAggregation", "VariableSynchronization"]
