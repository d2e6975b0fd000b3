"""What can be seen and done."""

import numpy


class Space:
    """A set of things."""

    shape: tuple = ()

    def seed(self, seed=None):
        """Makes nothing less random."""


class Box(Space):
    """Arrays between two bounds."""

    def __init__(self, low, high, shape=None, dtype=numpy.float32):
        shape = numpy.shape(low) if shape is None else shape
        self.shape, self.dtype = tuple(shape), numpy.dtype(dtype)
        self.low, self.high = numpy.full(shape, low, dtype), numpy.full(shape, high, dtype)

    def sample(self):
        """Returns one of them."""
        return numpy.random.uniform(self.low, self.high).astype(self.dtype)


class Discrete(Space):
    """Numbers from 0."""

    def __init__(self, n):
        self.n, self.dtype = n, numpy.dtype("int64")

    def sample(self):
        """Returns one of them."""
        return numpy.random.randint(self.n)


class MultiDiscrete(Space):
    """Is there to be asked for."""


class MultiBinary(Space):
    """Is there to be asked for."""


class Dict(Space):
    """Is there to be asked for."""
