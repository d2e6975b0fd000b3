"""Write down the public members of a framework's objects: of those that programs hold.

    python tools/record/members.py tensorflow
    python tools/record/members.py paddle

The Python that runs this has the framework. The objects are those of `tests/oracles/held_objects.py`; the
answer is `tests/oracles/members_FRAMEWORK.json`:

    versions    of the framework
    members     by object: its public attributes and methods, as `dir` lists them, without those that raise
                AttributeError when they are read
"""

import argparse
import importlib
import os
import sys

from records import ORACLES, write

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
sys.path.insert(0, str(ORACLES))


def readable(held: object, name: str) -> bool:
    """Whether a member is there; one that raises another error is."""
    try:
        return hasattr(held, name)
    except Exception:
        return True


def main() -> int:
    """Record the members of the framework that the command line names."""
    makers = importlib.import_module("held_objects").MAKERS
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("framework", choices=sorted(makers))
    chosen = parser.parse_args().framework
    module = importlib.import_module(chosen)
    members = {
        name: sorted(one for one in dir(held) if not one.startswith("_") and readable(held, one))
        for name, held in makers[chosen](module).items()
    }
    write(
        ORACLES / f"members_{chosen}.json",
        {"versions": {chosen: module.__version__}, "members": members},
    )
    print(f"{sum(map(len, members.values()))} members of {len(members)} objects")
    return 0


if __name__ == "__main__":
    sys.exit(main())
