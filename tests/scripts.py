"""Files outside of packages, such as the scripts in `tools`, as modules."""

import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

TOOLS = Path(__file__).parents[1] / "tools"


def module_in(file: Path) -> ModuleType:
    """Run a file as a module of its own, as an import does."""
    spec = spec_from_file_location(file.stem, file)
    assert spec is not None and spec.loader is not None, file
    module = sys.modules[file.stem] = module_from_spec(spec)  # where dataclasses look for it
    try:
        spec.loader.exec_module(module)
    finally:
        del sys.modules[file.stem]
    return module
