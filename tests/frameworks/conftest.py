"""Warnings of older versions of PyTorch about their own code are no errors here."""

import pytest

OLD = "ignore:.torch.cpu.amp.autocast:FutureWarning"


def pytest_collection_modifyitems(items):
    for item in items:
        item.add_marker(pytest.mark.filterwarnings(OLD))
