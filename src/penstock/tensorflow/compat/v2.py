"""tf.compat.v2: another name of tf itself."""

from __future__ import annotations

import sys

import penstock.tensorflow

sys.modules[__name__] = penstock.tensorflow
