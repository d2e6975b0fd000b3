"""A toy engine of numbers, and a source for Penstock's reports: all that a framework has to provide."""

import itertools
import sys

from penstock.flow.graph import Event, Graph, Region, Request, Tape, Value, Wall, Write
from penstock.flow.observed import Passage, Variable, Wrote
from penstock.flow.words import Words
from penstock.trace.source_site import site_of


class Weight(Variable):
    """A number that is trained; the engine and the report share the object."""

    shape, dtype = (), "float64"
    replaced, unregistered = None, ""
    words = Words()
    _numbers = itertools.count()

    def __init__(self, path, value, trainable=True):
        self.path, self.value, self.trainable = path, value, trainable
        self.uid, self.site = next(self._numbers), site_of(sys._getframe(1))


class Written(Wrote):
    """What one update does to a weight."""

    by, kind, own, terms, size, numbers_steps = "sgd", "apply", False, ("gradient",), 1, True
    made, trainable, idle = None, True, False

    def __init__(self, weight, site, event, change):
        self.variable, self.uid, self.site, self.event = weight, weight.uid, site, event
        self.change = lambda: abs(change)


class Toy(Passage):
    """The engine: records numbers, walks back through them, and is its own source and passage."""

    words, conservation, missed, ends_step = Weight.words, None, (), True
    framework, remarks = ("toy", "1"), ()

    def start(self, sink):
        self.sink, self.paths = sink, {}
        self.begin()

    def begin(self):
        self.graph, self.variables, self.numbers_now = Graph(words=self.words), [], []
        self.graph.tapes.append(Tape(0, True, [(0, None)], [None]))

    def stop(self):
        del self.sink

    def finish(self):
        return None

    def end(self):
        pass

    def is_meant(self, finding):
        return False

    def value(self, name, kind, number, inputs=(), links=(), weight=None):
        graph, site = self.graph, site_of(sys._getframe(2))
        at = len(graph.values)
        graph.events.append(Event(len(graph.events), "operation", name, site, at, at + 1))
        index = None
        if weight is not None:
            if weight not in self.variables:
                self.variables.append(weight)
                graph.variables += 1
            index = self.variables.index(weight)
        trainable = weight is not None and weight.trainable
        graph.values.append(
            Value(at, kind, name, "float64[]", True, inputs, links, site, at, index, trainable)
        )
        self.numbers_now.append(number)
        return at

    def read(self, weight):
        return self.value(weight.path, "variable", weight.value, weight=weight)

    def data(self, number):
        return self.value("data", "data", number)

    def times(self, a, b):
        return self.value("times", "operation", self.numbers_now[a] * self.numbers_now[b], (a, b), ("", ""))

    def hold(self, a):
        at = self.value("hold", "operation", self.numbers_now[a], (a,), ("stopped",))
        self.graph.barriers.append(Wall(self.graph.site(at), at, (at,), (a,), (at,), (a,)))
        return at

    def sgd(self, loss, weights, rate):
        """Asks for the gradients of a product, and takes a step against those that are there."""
        graph, site, values = self.graph, site_of(sys._getframe(1)), self.numbers_now
        slopes = {loss: 1.0}
        for value in reversed(graph.values[: loss + 1]):
            for place, (source, link) in enumerate(zip(value.inputs, value.links, strict=True)):
                if not link and value.number in slopes:
                    other = values[value.inputs[1 - place]] if value.name == "times" else 1.0
                    slopes[source] = slopes.get(source, 0.0) + slopes[value.number] * other
        reads = [graph.versions(self.variables.index(one))[-1] for one in weights]
        found = tuple(one in slopes for one in reads)
        region = Region.whole(graph)
        graph.events.append(Event(len(graph.events), "gradient", "gradient", site, len(values), len(values)))
        graph.requests.append(Request(len(graph.events) - 1, site, region, (loss,), tuple(reads), found))
        event = len(graph.events)
        graph.events.append(Event(event, "apply", "sgd", site, len(values), len(values)))
        writes = []
        for weight, read, got in zip(weights, reads, found, strict=True):
            if got:
                writes.append(Written(weight, site, event, rate * slopes[read]))
                graph.writes.append(Write(event, self.variables.index(weight), read, False, ("gradient",)))
                weight.value -= rate * slopes[read]
        path = tuple((one.name, one.site) for one in graph.events)
        self.program, self.facts = self.paths.setdefault(path, (object(), {}))
        self.sink.passed(self, writes)
        self.begin()
