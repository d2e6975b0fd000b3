"""`penstock doctor`: reports what is installed, which device computes steps, and what would be faster."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

from penstock import __version__

NEEDED = ("numpy", "ml-dtypes", "rich", "safetensors")
OPTIONAL = ("jax", "jaxlib", "flatbuffers", "matplotlib", "ipython", "scikit-learn", "tensorboardX")
FRAMEWORKS = ("torch", "tensorflow", "keras", "paddlepaddle")
SETTINGS = (
    "PENSTOCK_ENGINE", "PENSTOCK_CHECK", "PENSTOCK_PURE", "PENSTOCK_CACHE_DIR", "PENSTOCK_CACHE_DISK",
    "PENSTOCK_ONEDNN", "PENSTOCK_TRACEBACK",
    "JAX_PLATFORMS", "JAX_ENABLE_X64", "XLA_FLAGS", "CUDA_VISIBLE_DEVICES", "OMP_NUM_THREADS", "NO_COLOR",
)  # fmt: skip


def doctor() -> int:
    """Prints the installed packages and reasons for slowness; returns 0, or 1 if something does not work."""
    failed = False
    for title, lines in (
        ("penstock", _itself()),
        ("installed", _installed()),
        ("computes on", _computes()),
        ("compiled programs", _cache()),
        ("settings", _settings()),
    ):
        for line in lines:
            print(f"{title:18} {line}")
            title = ""
    found = list(_slow())
    print()
    print("What would be faster:" if found else "Nothing here makes it slower than it has to be.")
    for what, remedy, broken in found:
        print(f"  - {what}\n    {remedy}")
        failed = failed or broken
    return int(failed)


def _itself() -> Iterator[str]:
    yield f"{__version__}, in {Path(__file__).parent}"
    yield f"Python {platform.python_version()} on {platform.system()} {platform.machine()}, {sys.executable}"
    yield "the recorder's hot path is " + ("built in C" if _built() else "in Python")


def _built() -> bool:
    from penstock.trace import fast_path

    return fast_path.accelerated


def version_of(package: str) -> str | None:
    """Returns the version of an installed package without importing it."""
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def _installed() -> Iterator[str]:
    for packages in (NEEDED, OPTIONAL, FRAMEWORKS):
        yield ", ".join(f"{one} {version_of(one) or '-'}" for one in packages)


def _computes() -> Iterator[str]:
    from penstock.ops import onednn
    from penstock.tiers import compiler

    engine = os.environ.get("PENSTOCK_ENGINE") or "auto"
    if engine == "numpy":
        yield "NumPy, by PENSTOCK_ENGINE=numpy"
        return
    lacking = compiler.lack()
    if lacking is not None:
        yield f"NumPy: {lacking.clause}"
        return
    devices = compiler.jax().devices()
    kinds = {f"{one.platform} ({one.device_kind})" for one in devices}
    first = "XLA" if engine == "xla" else "NumPy at first, XLA once a step has come back often enough"
    yield f"{first}: {len(devices)} device{'s' * (len(devices) != 1)}, {', '.join(sorted(kinds))}"
    yield f"{_processors()} processor cores"
    if onednn.described() is not None or os.environ.get(onednn.SETTING):
        why = onednn.lack()
        yield f"oneDNN: {'float32 convolutions' if why is None else f'not used: {why}'}"


def _processors() -> int:
    usable = getattr(os, "sched_getaffinity", None)
    return len(usable(0)) if usable is not None else os.cpu_count() or 1


def _cache() -> Iterator[str]:
    from penstock.tiers import disk

    where = disk.folder()
    if where is None or disk.bound() == 0:
        yield "are not kept"
        return
    if (problem := disk.trouble(where)) is not None:
        yield f"are not kept: {where}: {problem}"
        return
    sizes = [size for _, size, _ in disk.files(where)]
    yield f"{len(sizes)} in {where}, {sum(sizes) / (1 << 20):,.1f} of {disk.bound() / (1 << 20):,.0f} MiB"


def _settings() -> Iterator[str]:
    given = [f"{name}={os.environ[name]}" for name in SETTINGS if name in os.environ]
    yield ", ".join(given) or "none in the environment"


def _slow() -> Iterator[tuple[str, str, bool]]:
    """Yields each cause of slowness, what to type, and whether it is an error rather than slowness."""
    from penstock.tiers import compiler, disk

    if os.environ.get("PENSTOCK_PURE"):
        yield (
            f"PENSTOCK_PURE={os.environ['PENSTOCK_PURE']}: the hot path runs as Python.",
            "Unset it, unless you work on Penstock itself.",
            False,
        )
    elif not _built():
        yield (
            "The hot path runs as Python, as its part in C is not built: recording takes much longer.",
            "With a C compiler: pip install --force-reinstall --no-deps --no-cache-dir penstock",
            False,
        )
    engine = os.environ.get("PENSTOCK_ENGINE") or "auto"
    if engine == "numpy":
        yield (
            "PENSTOCK_ENGINE=numpy: no step is compiled.",
            "Unset it, or set it to auto, to have XLA run what comes back often.",
            False,
        )
    elif (lacking := compiler.lack()) is not None:
        absent = version_of("jax") is None
        yield f"No step is compiled: {lacking.clause}.", lacking.remedy, not absent
    else:
        only = {one.platform for one in compiler.jax().devices()} == {"cpu"}
        if only and Path("/dev/nvidia0").exists():
            yield (
                "This machine has an NVIDIA GPU, and JAX computes on the processor.",
                'Install JAX for it: pip install "penstock[cuda]"; or unset JAX_PLATFORMS if it says cpu.',
                False,
            )
    if os.environ.get("PENSTOCK_CHECK", "0") not in ("", "0"):
        yield (
            f"PENSTOCK_CHECK={os.environ['PENSTOCK_CHECK']}: every record is verified.",
            "Unset it, unless you work on Penstock itself.",
            False,
        )
    where = disk.folder()
    if where is None or disk.bound() == 0:
        yield (
            "Compiled programs are not kept, so each process compiles again.",
            "Unset PENSTOCK_CACHE_DIR and PENSTOCK_CACHE_DISK, or name a folder.",
            False,
        )
    elif (problem := disk.trouble(where)) is not None:
        yield (
            f"Compiled programs are not kept: {where}: {problem}",
            "Name a folder of your own with PENSTOCK_CACHE_DIR.",
            True,
        )
    cores = os.cpu_count() or 1
    if _processors() < cores:
        yield (
            f"This process may use {_processors()} of {cores} processor cores.",
            "Change how it was started (taskset, a container, a batch system) for more.",
            False,
        )


__all__ = ["doctor", "version_of"]
