"""Stands in for tyro: fills a dataclass from options of the command line."""

import dataclasses
import sys


def cli(kind):
    """Returns a dataclass filled: `--some-name 3` sets its field `some_name`, `--no-name` clears `name`."""
    kinds = {one.name: type(one.default) for one in dataclasses.fields(kind)}
    given, words = {}, iter(sys.argv[1:])
    for word in words:
        name = word.removeprefix("--").replace("-", "_")
        if name not in kinds and name.startswith("no_"):
            given[name.removeprefix("no_")] = False
        elif kinds[name] is bool:
            given[name] = True
        else:
            given[name] = kinds[name](next(words))
    return kind(**given)
