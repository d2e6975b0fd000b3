"""What the site generator is told: the chapters, and the pages that are made instead of written."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from mkdocs.structure.files import File, Files
from pages import chapters, pages


def on_config(config: Any) -> Any:
    """Gives the generator the chapters."""
    config.nav = chapters()
    return config


def on_files(files: Files, config: Any) -> Files:
    """Gives the generator every page: with links as they are in the site, and with what is made."""
    for name in [one.src_uri for one in files if one.src_uri.endswith(".md")]:
        files.remove(files.src_uris[name])
    for name, text in pages().items():
        files.append(File.generated(config, name, content=text))
    return files
