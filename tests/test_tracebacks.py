"""Tracebacks end at the user's line, where the error is one of Penstock's."""

import os
import subprocess
import sys
import threading
import traceback

import pytest

import penstock as ps
from penstock.errors import PenstockError
from penstock.trace import tracebacks
from penstock.trace.source_site import PACKAGE

PROGRAM = """
import threading
import penstock as ps
def wrong():
    return ps.reshape(ps.ones(3), (2,))
thread = threading.Thread(target=wrong)
thread.start()
thread.join()
try:
    wrong()
except ps.errors.ShapeError as error:
    raise RuntimeError("the user's own") from error
"""


def printed(program, **variables):
    """What Python prints as it ends with an error."""
    command = [sys.executable, "-c", program]
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, env=os.environ | variables, timeout=60
    )
    assert done.returncode == 1
    return done.stderr


def test_python_and_its_threads_print_the_lines_of_the_user():
    text = printed(PROGRAM)
    assert PACKAGE not in text
    assert text.count("ShapeError: reshape: (3,) has 3 elements, (2,) would have 2.") == 2
    assert text.count("in wrong") == 2 and "RuntimeError: the user's own" in text


def test_whole_tracebacks_are_there_for_the_asking():
    assert printed(PROGRAM, PENSTOCK_TRACEBACK="full").count(PACKAGE) > 4
    assert 'Set it to "full", or unset it.' in printed("import penstock", PENSTOCK_TRACEBACK="short")


def caught(call):
    with pytest.raises(Exception) as info:
        call()
    return info.value


def files_of(error):
    return [frame.f_code.co_filename for frame, _ in traceback.walk_tb(error.__traceback__)]


def test_an_error_of_another_kind_keeps_its_frames():
    def fails(_):
        raise ZeroDivisionError

    error = caught(lambda: ps.vmap(fails)(ps.ones((2, 3))))
    assert any(file.startswith(PACKAGE) for file in files_of(error))
    before = files_of(error)
    tracebacks.shorten(error)
    assert files_of(error) == before
    tracebacks.shorten(error, BaseException)
    assert files_of(error) == [__file__] * len(files_of(error))


def test_causes_are_shortened_and_a_circle_ends():
    error = caught(lambda: ps.reshape(ps.ones(3), (2,)))
    other = ValueError()
    other.__cause__, error.__context__ = error, other
    tracebacks.shorten(other)
    assert files_of(error) == [__file__] * 2


def test_the_hook_before_is_called(monkeypatch):
    seen = []
    monkeypatch.setattr(sys, "excepthook", lambda *one: seen.append(one))
    monkeypatch.setattr(threading, "excepthook", seen.append)
    monkeypatch.setattr("penstock.errors.rendered", None)
    tracebacks.install()
    error = caught(lambda: ps.reshape(ps.ones(3), (2,)))
    sys.excepthook(type(error), error, error.__traceback__)
    assert seen[0][:2] == (type(error), error) and seen[0][2] is error.__traceback__
    other = KeyError("x")
    sys.excepthook(KeyError, other, None)
    assert seen[1] == (KeyError, other, None)
    threading.excepthook(threading.ExceptHookArgs((SystemExit, None, None, None)))
    assert seen[2].exc_type is SystemExit


def test_an_error_made_by_hand_has_nothing_to_lose():
    error = PenstockError("a fact")
    tracebacks.shorten(error)
    assert error.__traceback__ is None
