"""Stands in for gymnasium: worlds of random numbers, whose rewards nobody can learn."""

import os
import types

import numpy

from gymnasium import spaces, vector, wrappers

LENGTH = int(os.environ.get("WILD_EPISODE", "12"))


class Env:
    """A world that ends after so many steps; names with "Cart" or "Discrete" have two or more actions."""

    render_mode = None

    def __init__(self, name="CartPole-v1", **_options):
        self.spec = types.SimpleNamespace(reward_threshold=LENGTH - 0.5, id=name)
        self.unwrapped = self
        pendulum = "Pendulum" in name
        self.observation_space = spaces.Box(-1.0, 1.0, (3 if pendulum else 4,), numpy.float32)
        discrete = any(one in name for one in ("Cart", "Discrete", "Lunar", "Acro"))
        self.action_space = (
            spaces.Discrete(2) if discrete else spaces.Box(-1.0, 1.0, (1 if pendulum else 3,), numpy.float32)
        )
        self._random = numpy.random.default_rng(0)
        self._at = 0

    def _seen(self):
        return self._random.uniform(-1, 1, self.observation_space.shape).astype(numpy.float32)

    def reset(self, *, seed=None, options=None):
        """Begins again."""
        self._at = 0
        return self._seen(), {}

    def step(self, action):
        """Returns what is seen next, a reward, and whether the episode is over."""
        self._at += 1
        return self._seen(), self._random.uniform(0.5, 1.5), self._at >= LENGTH, False, {}

    def seed(self, seed=None):
        """Is there for old scripts."""

    def render(self):
        """Shows nothing."""

    def close(self):
        """Leaves nothing."""


def make(name, **options):
    """Returns a world."""
    return Env(name, **options)


Wrapper = wrappers.Wrapper
__all__ = ["Env", "Wrapper", "make", "spaces", "vector", "wrappers"]
