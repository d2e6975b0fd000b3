"""What tests of threads share: functions that are run at the same time."""

import sys
import threading

import pytest


@pytest.fixture(autouse=True)
def many_switches():
    """Threads take turns a thousand times more often than they would."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(before)


def in_threads(*functions, timeout=60):
    """Run functions at the same time; returns what they returned, raises what the first one raised."""
    results, errors = [None] * len(functions), []
    start = threading.Barrier(len(functions))

    def run(number, function):
        try:
            start.wait()
            results[number] = function()
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=one, daemon=True) for one in enumerate(functions)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout)
        assert not thread.is_alive(), "a thread hangs"
    if errors:
        raise errors[0]
    return results


def in_a_thread(function):
    return in_threads(function)[0]
