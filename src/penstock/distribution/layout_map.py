"""Layouts by the paths of variables, with patterns."""

from __future__ import annotations

import re
from collections.abc import Iterator, MutableMapping, Sequence
from typing import Any

from penstock.distribution.mesh import Axis, DeviceMesh, TensorLayout, is_pattern
from penstock.errors import ArgumentError
from penstock.trace.source_site import Site, here


class LayoutMap(MutableMapping[str, TensorLayout]):
    """Layouts by patterns of variable paths: `layout_map["dense.*kernel"] = (None, "model")`.

    A pattern is a regular expression, as in Keras, and applies to every variable in whose path it is found; a
    complete path has priority. A layout is a TensorLayout or a tuple of axis names. Variables that no pattern
    matches are copied to every device. Raises ArgumentError for a pattern that exists already or is not a
    regular expression, and if several patterns match one variable.

    Args:
        device_mesh: a `DeviceMesh`; None for all devices in a row.

    Raises:
        ArgumentError: if a pattern or a layout is invalid.

    >>> import penstock as ps
    >>> mesh = ps.distribution.DeviceMesh((1,), ["model"], ["cpu:0"])
    >>> layouts = ps.distribution.LayoutMap(mesh)
    >>> layouts["dense.*kernel"] = (None, "model")
    >>> layouts["encoder/dense_3/kernel"], layouts["encoder/dense_3/bias"]
    (TensorLayout((None, 'model')), None)
    """

    def __init__(self, device_mesh: DeviceMesh) -> None:
        if not isinstance(device_mesh, DeviceMesh):
            raise ArgumentError(
                f"LayoutMap was given {device_mesh!r} ({type(device_mesh).__name__}).",
                remedy="Give a DeviceMesh, such as DeviceMesh((2, 4), ['batch', 'model']).",
                site=here(),
            )
        self._mesh = device_mesh
        self._layouts: dict[str, TensorLayout] = {}
        self.sites: dict[str, Site] = {}
        """The line that gave each pattern its layout."""

    @property
    def device_mesh(self) -> DeviceMesh:
        """The mesh whose axes the layouts name."""
        return self._mesh

    def __setitem__(self, pattern: str, layout: TensorLayout | Sequence[Axis]) -> None:
        site = here()
        if pattern in self._layouts:
            raise ArgumentError(
                f"The LayoutMap already has the pattern {pattern!r}, with {self._layouts[pattern]!r}.",
                origin=f"set at {self.sites[pattern]}",
                remedy=f"Write del layout_map[{pattern!r}] before, or another pattern.",
                site=site,
            )
        if not is_pattern(pattern):
            raise ArgumentError(
                f"The pattern {pattern!r} is not a regular expression.",
                why="A LayoutMap looks for its patterns in paths as Python's re.search does.",
                remedy=f"Write {re.sub(r'(?<![.])[*]', '.*', pattern)!r}: '.*' matches any characters.",
                site=site,
            )
        if not isinstance(layout, TensorLayout):
            layout = TensorLayout(layout)
        layout.device_mesh = self._mesh
        layout.site = site
        self._layouts[pattern] = layout
        self.sites[pattern] = site

    def __getitem__(self, path: str) -> Any:
        found = self.pattern_of(path)
        return None if found is None else self._layouts[found]

    def pattern_of(self, path: str) -> str | None:
        """Returns the pattern that matches a path, or None. Raises ArgumentError if there are several."""
        if path in self._layouts:
            return path
        found = [one for one in self._layouts if re.search(one, path)]
        if len(found) > 1:
            lines = "\n".join(f"{one!r} set at {self.sites[one]}" for one in found)
            raise ArgumentError(
                f"{len(found)} patterns of the LayoutMap match {path!r}: {', '.join(map(repr, found))}.",
                origin=lines,
                why="A variable has one layout.",
                remedy="Make the patterns narrower, or give this path its own layout: "
                f"layout_map[{path!r}] = ...",
                site=here(),
            )
        return found[0] if found else None

    def __delitem__(self, pattern: str) -> None:
        del self._layouts[pattern]
        del self.sites[pattern]

    def __iter__(self) -> Iterator[str]:
        return iter(self._layouts)

    def __len__(self) -> int:
        return len(self._layouts)

    def __contains__(self, pattern: object) -> bool:
        return pattern in self._layouts

    def __repr__(self) -> str:
        return f"LayoutMap({self._layouts})"
