"""Run the TensorFlow programs of the audit under TensorFlow and write down what they printed and raised.

Usage, from the root of the repository, in an environment that has TensorFlow 2.21 and Keras 3.15:

    python tools/record/audit.py

Programs are `tests/programs/audit/tensorflow/*.py`; the answer is `tests/oracles/audit.json`: versions, and for
each program the lines printed and the type of the exception that ended it, or null.
"""

import json
import os
import subprocess
import sys

from reference import ORACLES, versions, write

PROGRAMS = ORACLES.parent / "programs" / "audit" / "tensorflow"


def main() -> None:
    """Run every program in a process of its own."""
    os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"
    os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
    programs = {}
    for file in sorted(PROGRAMS.glob("*.py")):
        done = subprocess.run([sys.executable, str(file)], capture_output=True, text=True, check=False)
        raised = done.stderr.strip().splitlines()[-1].partition(":")[0] if done.returncode else None
        programs[file.stem] = {"printed": done.stdout.splitlines(), "raised": raised}
        print(file.stem, json.dumps(programs[file.stem])[:100], flush=True)
    write(ORACLES / "audit.json", {"versions": versions(), "programs": programs})


if __name__ == "__main__":
    main()
