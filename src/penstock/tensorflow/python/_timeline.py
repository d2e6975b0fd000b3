"""tensorflow.python.client.timeline: what a run noted about its operations, as a trace for Chrome."""

from __future__ import annotations

import json
from typing import Any


class Timeline:
    """The operations of a run: none, since a run is one executable and its metadata notes nothing.

    `step_stats` and `graph` do nothing.

    >>> from penstock.tensorflow.python.client import timeline
    >>> timeline.Timeline(None).generate_chrome_trace_format()
    '{"traceEvents": []}'
    """

    def __init__(self, step_stats: Any, graph: Any = None) -> None:
        pass

    def generate_chrome_trace_format(
        self, show_dataflow: bool = True, show_memory: bool = False, op_time: str = "schedule"
    ) -> str:
        """Returns a trace without events. `show_dataflow`, `show_memory` and `op_time` do nothing."""
        return json.dumps({"traceEvents": []})
