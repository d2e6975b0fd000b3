"""tensorflow.python.ops.control_flow_util: the switch between TensorFlow's two forms of control flow."""

from __future__ import annotations

ENABLE_CONTROL_FLOW_V2 = True
"""Programs set it; nothing reads it, since conditions and loops have one form here."""
