"""Call a framework's functions with each argument at a value of its own, and write down what comes out.

Usage, from the root of the repository, the first line with Penstock, the second with the framework:

    python tests/oracles/arguments.py tensorflow > signatures.json
    python tools/record/arguments.py tensorflow signatures.json

(or `paddle`). The answer is `tests/oracles/arguments_tensorflow.json`: for each name that could be called,
the operands it was called on, what that gave, and for each argument with a default the values that were tried
and what they gave. Of the values that the framework takes, those are kept first that change the result. Names
that the answer has already are not called again: take them out of it for that.
"""

import contextlib
import io
import json
import os
import sys
import time
import warnings

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")
os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "0")

from records import ORACLES, read, write

sys.path.insert(0, str(ORACLES))

from arguments import KEPT, bases, evaluate, same, space, text_of, values_for

SECONDS = 2.0


def attempt(text: str, names: dict) -> object:
    """Return what a call gives; None if it is refused, or gives something else the second time."""
    try:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            found, again = evaluate(text, names), evaluate(text, names)
    except BaseException as problem:
        if isinstance(problem, KeyboardInterrupt):
            raise
        return None
    return found if same(found, again) else None


def recorded(label: str, one: dict, names: dict) -> object:
    """Return the operands, the result and the results of other values; None if no trial succeeds."""
    kind, begun = one["kind"], time.monotonic()
    for base in bases(label, one):
        plain = attempt(text_of(label, kind, base, {}), names)
        if plain:
            break
        if time.monotonic() - begun > SECONDS:
            return None
    else:
        return None
    others: dict[str, dict[str, object]] = {}
    for name, default in one["others"].items():
        if time.monotonic() - begun > 5.0 * SECONDS:
            break
        different, alike = {}, {}
        for value in values_for(name, default):
            found = attempt(text_of(label, kind, base, {name: value}), names)
            if found:
                (alike if same(found, plain) else different)[value] = found
            if len(different) == KEPT:
                break
        chosen = dict(list(different.items())[:KEPT]) or dict(list(alike.items())[:1])
        if chosen:
            others[name] = {
                value: "as before" if value in alike else found for value, found in chosen.items()
            }
    return {"kind": kind, "base": base, "gives": plain, "others": others}


def main() -> None:
    """Record what can be called."""
    warnings.simplefilter("ignore")
    dialect, path = sys.argv[1:3]
    if dialect == "tensorflow":
        import tensorflow as module
    else:
        import paddle as module
    with open(path, encoding="utf-8") as file:
        asked = json.load(file)
    path = ORACLES / f"arguments_{dialect}.json"
    known, record, missed = read(path).get("calls", {}), {}, []
    for number, (label, one) in enumerate(asked.items()):
        found = known.get(label) or recorded(label, one, space(dialect, module))
        if found is None:
            missed.append(label)
        else:
            record[label] = found
        if number % 20 == 0:
            write(path, {"version": module.__version__, "calls": {**known, **record}})
    write(path, {"version": module.__version__, "calls": record})
    count = sum(len(one["others"]) for one in record.values())
    of = sum(len(one["others"]) for one in asked.values())
    print(f"{len(record)} of {len(asked)} names, {count} of {of} arguments. Not called: {' '.join(missed)}")


if __name__ == "__main__":
    main()
