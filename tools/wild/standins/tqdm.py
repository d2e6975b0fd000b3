"""Stands in for tqdm: a loop without a bar."""


class tqdm:
    """Goes over what it is given."""

    def __init__(self, things=(), *_arguments, **_options):
        self._things = things

    def __iter__(self):
        return iter(self._things)

    def __len__(self):
        return len(self._things)

    def __getattr__(self, name):
        return lambda *_arguments, **_options: None


def trange(*bounds, **_options):
    """Counts."""
    return tqdm(range(*bounds))


auto = notebook = None
