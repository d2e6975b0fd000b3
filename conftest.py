"""What is not collected: files that import others under their names, and those that need a framework."""

from importlib.util import find_spec

NAMES = ("fft", "linalg", "losses", "nn", "random", "segments", "special")
collect_ignore = [f"src/penstock/{name}.py" for name in NAMES]
if find_spec("torch") is None:
    collect_ignore.append("src/penstock/frameworks/torch")
