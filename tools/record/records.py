"""Where the oracles lie, and reading and writing their records."""

import json
from pathlib import Path

ORACLES = Path(__file__).resolve().parents[2] / "tests" / "oracles"
WIDTH = 110


def read(path: Path) -> dict[str, object]:
    """Return a record, or an empty one where there is none."""
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def write(path: Path, record: dict[str, object]) -> None:
    """Write a record."""
    path.write_text(lay_out(record) + "\n", encoding="utf-8")


def compare(path: Path, record: dict[str, object]) -> int:
    """Say whether a record is as it was, and return the exit status for that."""
    same = read(path) == json.loads(lay_out(record))
    print(f"{path.name}: {'as recorded' if same else 'differs from the record'}")
    return 0 if same else 1


def lay_out(value: object, indent: int = 0) -> str:
    """Return JSON text in which everything that fits on one line stands on one line."""
    line = json.dumps(value, ensure_ascii=False, allow_nan=False)
    if not isinstance(value, dict | list) or not value or indent + len(line) <= WIDTH:
        return line
    inner = "\n" + " " * (indent + 1)
    if isinstance(value, dict):
        entries = [
            f"{json.dumps(key, ensure_ascii=False)}: {lay_out(entry, indent + 1)}"
            for key, entry in value.items()
        ]
        return "{" + inner + ("," + inner).join(entries) + "\n" + " " * indent + "}"
    entries = [lay_out(entry, indent + 1) for entry in value]
    return "[" + inner + ("," + inner).join(entries) + "\n" + " " * indent + "]"
