"""Run every oracle program under TensorFlow and write down what it printed, warned about and raised.

Usage, from the root of the repository, in an environment that has TensorFlow 2.21 and Keras 3.15:

    python tools/record/tensorflow_programs.py                  record all programs
    python tools/record/tensorflow_programs.py tape_used_up ... record these again, keep the others
    python tools/record/tensorflow_programs.py --check          record nothing, report what differs

Programs are `tests/oracles/programs/*.py`; the answer is `tests/oracles/tensorflow_programs.json`, in the
form that `programs.py` describes. oneDNN is off, so that numbers and messages do not depend on the processor.
Messages are kept as TensorFlow words them, with its `{{function_node ...}}` prefixes and `[Op:...] name:`
endings.
"""

import re
import sys

from reference import versions

from programs import Framework, main


def shortened(message: str) -> str:
    """Leave out where in TensorFlow and in this environment an error of a session came from."""
    if not message.startswith("Graph execution error:"):
        return message
    message = message.partition("\n\nOriginal stack trace for")[0]
    return re.sub(r"\AGraph execution error:.*?\nNode: [^\n]*\n", "", message, flags=re.DOTALL)


def tensorflow(folder: str, record: str) -> Framework:
    """Return TensorFlow with these programs and this record. That a name is old is not recorded."""
    return Framework(folder, record, "tensorflow", "is deprecated", shortened)


if __name__ == "__main__":
    sys.exit(main(tensorflow("programs", "tensorflow_programs.json"), __doc__, versions()))
