"""What is not collected: files under whose names other files of the package are imported."""

NAMES = ("fft", "linalg", "losses", "nn", "random", "segments", "special")
collect_ignore = [f"src/penstock/{name}.py" for name in NAMES]
