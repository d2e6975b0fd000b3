"""How long importing a framework takes: a Python that imports it, less one that does nothing."""

from __future__ import annotations

import statistics
import subprocess
import time
from pathlib import Path
from typing import Any

from environments import AS_INSTALLED

PAIRS = 5


def seconds(python: Path, code: str) -> float:
    # -P: no folder of ours on the module path.
    command = [str(python), "-P", "-c", code]
    start = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True, stdin=subprocess.DEVNULL, env=AS_INSTALLED)
    return time.perf_counter() - start


def measure_import(python: Path, module: str) -> dict[str, Any]:
    """Minimum and median over pairs of runs, and whether JAX came along; compiled files exist by then."""
    loaded = "import sys; print('jax' in sys.modules)"
    asked = subprocess.run(
        [str(python), "-P", "-c", f"import {module}; {loaded}"],
        capture_output=True,
        text=True,
        check=True,
        env=AS_INSTALLED,
    )
    differences = sorted(seconds(python, f"import {module}") - seconds(python, "pass") for _ in range(PAIRS))
    return {
        "framework": module,
        "workload": "import",
        "mode": "import",
        "minimum": differences[0],
        "median": statistics.median(differences),
        "jax_loaded_by_first_step": asked.stdout.split()[-1] == "True",
    }
