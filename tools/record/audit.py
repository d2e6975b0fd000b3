"""Run the TensorFlow programs of the audit under TensorFlow and write down what they printed and raised.

Usage, from the root of the repository, in an environment that has TensorFlow 2.21 and Keras 3.15:

    python tools/record/audit.py                        record all programs
    python tools/record/audit.py tensorflow/gan_open    record these again, keep the others

Programs are `tests/programs/audit/tensorflow*/*.py`; the answer is `tests/oracles/audit.json`: versions, and
for each program the lines printed and the type of the exception that ended it, or null.
"""

import json
import os
import re
import subprocess
import sys

from reference import ORACLES, read, versions, write

PROGRAMS = ORACLES.parent / "programs" / "audit"
RECORD = ORACLES / "audit.json"


def main() -> None:
    """Run programs, each in a process of its own."""
    os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"
    os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
    old = read(RECORD).get("programs", {})
    programs = {}
    for file in sorted(PROGRAMS.glob("tensorflow*/*.py")):
        name = f"{file.parent.name}/{file.stem}"
        if sys.argv[1:] and name not in sys.argv[1:] and name in old:
            programs[name] = old[name]
            continue
        done = subprocess.run([sys.executable, str(file)], capture_output=True, text=True, check=False)
        raised = re.findall(r"^([A-Za-z]\w+)(?=: |$)", done.stderr, re.M)[-1:] if done.returncode else []
        programs[name] = {"printed": done.stdout.splitlines(), "raised": raised[0] if raised else None}
        print(name, json.dumps(programs[name])[:100], flush=True)
    write(RECORD, {"versions": versions(), "programs": programs})


if __name__ == "__main__":
    main()
