"""Warnings that older versions of PyTorch give of themselves are no errors here."""

import pytest

OLD = "ignore:.torch.cpu.amp.autocast:FutureWarning"


def pytest_collection_modifyitems(items):
    for item in items:
        item.add_marker(pytest.mark.filterwarnings(OLD))
