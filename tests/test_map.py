"""docs/map.md is what tools/write_map.py draws from the code as it is."""

import importlib.util
from pathlib import Path

TOOL = Path(__file__).parents[1] / "tools" / "write_map.py"


def test_the_map_shows_the_house_as_it_is():
    spec = importlib.util.spec_from_file_location("write_map", TOOL)
    drawn = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(drawn)
    assert drawn.PAGE.read_text(encoding="utf-8") == drawn.page(), "run python tools/write_map.py"
