"""Warnings of older versions of PyTorch about their own code are no errors here."""

import pytest

OLD = "ignore:.torch.cpu.amp.autocast:FutureWarning"


def pytest_collection_modifyitems(items):
    for item in items:
        # All tests of the run come here. Those of other folders would set up one more filter each.
        if "frameworks/" in item.nodeid.partition("::")[0]:
            item.add_marker(pytest.mark.filterwarnings(OLD))
