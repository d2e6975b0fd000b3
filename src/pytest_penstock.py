"""The plugin for pytest: a fixture `flow`, and `--penstock`. The engine is imported when either is used."""

from __future__ import annotations

from collections.abc import Generator
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from penstock.pytesting import Flow


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds the options to pytest's own."""
    group = parser.getgroup("penstock", "what training steps do to their variables")
    group.addoption(
        "--penstock", action="store_true", help="fail each test during which penstock finds something to mend"
    )
    group.addoption(
        "--penstock-with",
        metavar="FRAMEWORK",
        help="watch this framework under --penstock: torch or penstock; by default those that are imported",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Has every test watched, if that was asked for."""
    if config.getoption("--penstock-with") and not config.getoption("--penstock"):
        raise pytest.UsageError("--penstock-with says what --penstock watches: give that option, too.")
    if config.getoption("--penstock"):
        config.pluginmanager.register(_Each(config.getoption("--penstock-with")), "penstock-each")


@pytest.fixture
def flow() -> Flow:
    """Watches blocks of a test and checks what they train: see `penstock.pytesting.Flow`."""
    from penstock.pytesting import Flow

    return Flow()


class _Each:
    """Watches each test while it is called."""

    def __init__(self, framework: str | None) -> None:
        from penstock.pytesting import known

        self.framework = framework
        if framework is not None and framework not in known():
            raise pytest.UsageError(
                f"--penstock-with {framework}: penstock cannot watch it. It knows {', '.join(known())}."
            )

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None, Any, Any]:
        """Fails a test that passes and during which findings came up."""
        from penstock.pytesting import of_test, sentences

        watches, scope = of_test(str(item.path), (item.location[1] or 0) + 1, item.name, self.framework)
        with scope:
            result = yield
        said = [line for one in watches for line in sentences(one.report)]
        if said:
            pytest.fail(
                "\n".join(["Penstock found something to mend during this test.", *said]), pytrace=False
            )
        return result
