"""How `penstock run --processes` treats messages from processes; none is started here."""

import io
import signal
import threading
import time
from types import SimpleNamespace

import pytest

from penstock import launched, launching
from penstock.cli import main


def process(number, **told):
    """A process as the launcher knows it; `status` is its exit status, None while it runs."""
    known = SimpleNamespace(returncode=told.pop("status", None))
    one = launching.Launched(number, known, -1, -1)
    for name, value in told.items():
        setattr(one, name, value)
    return one


@pytest.mark.parametrize(
    ("every", "said", "status"),
    [
        # The first that failed by its own fault, whichever was noticed first.
        (
            [
                process(
                    0, error="JaxRuntimeError: Gloo AllGather failed", line="train.py:9", ended=1.0, status=1
                ),
                process(1, line="train.py:7", status=-signal.SIGKILL),
            ],
            "Process 1 was killed by SIGKILL; its last joint step was at train.py:7 (the system",
            137,
        ),
        (
            [
                process(0, error="JaxRuntimeError: Connection reset by peer", ended=1.0, status=1),
                process(1, error="ValueError: no data.", line="data.py:3", ended=2.0, status=1),
            ],
            "Process 1 failed at data.py:3: ValueError: no data. ",
            1,
        ),
        (
            [
                process(0, error="KeyError: 'b'", line="a.py:2", ended=3.0),
                process(1, error="KeyError: 'a'", line="a.py:1", ended=2.0),
                process(2, line="a.py:9"),
            ],
            "Process 1 failed at a.py:1: KeyError: 'a'. The others were ended: process 2 at a.py:9.",
            1,
        ),
        ([process(0, status=3), process(1)], "Process 0 ended with status 3, before its first line. ", 3),
    ],
)
def test_the_cause_is_named_and_not_its_consequences(every, said, status):
    found, number = launching._failure(every)
    assert found.startswith(said), found
    assert found.endswith("The last saved checkpoint is complete: load it to continue from there.")
    assert number == status


def test_who_keeps_others_waiting_is_late_and_who_computes_alone_is_not(monkeypatch):
    # The clock stands still: a busy machine may take a second for these lines.
    monkeypatch.setattr(launching, "time", SimpleNamespace(monotonic=lambda: 1000.0, sleep=time.sleep))
    old = 1000.0 - 30.0
    ahead, behind = process(0, taken=5, moved=old), process(1, taken=4, moved=old)
    assert launching._late([ahead, behind], 20.0) == [behind]
    # Time enough; the others are just as far; something has moved.
    assert not launching._late([ahead, behind], 40.0)
    assert not launching._late([process(0, taken=5, moved=old), process(1, taken=5, moved=old)], 20.0)
    assert not launching._late([ahead, process(1, taken=4)], 20.0)
    # One that has ended never comes.
    ended = process(1, taken=4, moved=old, ended=1.0)
    assert launching._late([ahead, ended], 300.0) == [ended]
    said = launching._hang([ahead, ended], [ended])
    assert "Nothing has moved for 30 seconds: process 1 has finished, after 4 of 5 joint steps." in said


def test_the_line_of_the_main_thread_is_found_in_a_dump():
    main_thread = threading.get_ident()
    text = (
        f"Thread 0x{main_thread + 1:016x} (most recent call first):\n"
        '  File "somewhere/other.py", line 3 in f\n\n'
        f"Current thread 0x{main_thread:016x} (most recent call first):\n"
        f'  File "{launched.__file__}", line 12 in say\n'
        '  File "lib/site-packages/jax/array.py", line 40 in __array__\n'
        '  File "somewhere/train.py", line 31 in <module>\n'
    )
    assert launching.place_in(text, main_thread) == "somewhere/train.py:31"
    assert launching.place_in(text, 5) == ""


def test_gpus_are_shared_out_where_each_process_can_have_as_many(monkeypatch):
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "2,3,5,7")
    assert [launching._share(n, 2) for n in range(2)] == [
        {"CUDA_VISIBLE_DEVICES": "2,3"},
        {"CUDA_VISIBLE_DEVICES": "5,7"},
    ]
    assert launching._share(0, 3) == launching._share(0, 8) == {}


def test_lines_are_passed_on_with_their_number_and_chatter_is_not():
    source = io.StringIO(
        "[Gloo] Rank 1 is connected to 3 peer ranks. Expected number of connected peer ranks is : 3\n"
        "[Gloo] Rank [Gloo] Rank 2 is connected to 3 peer ranks. \n"
        "loss 3\n7\nno end"
    )
    sink = io.StringIO()
    launching._relay(1, source, sink, threading.Lock())
    assert sink.getvalue() == "[1] loss 3\n[1] 7\n[1] no end\n"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--processes", "0"], "at least 1"),
        (["--patience", "3"], "without --processes"),
        (["--processes", "2", "--patience", "0"], "seconds above 0"),
        (["--processes", "2", "--patience", "soon"], "invalid"),
    ],
)
def test_options_that_make_no_sense_are_refused(arguments, said, tmp_path, capsys):
    script = tmp_path / "script.py"
    script.write_text("raise SystemExit('this must not run')\n")
    try:
        status = main(["run", *arguments, str(script)])
    except SystemExit as error:
        status = error.code
    assert status == 2 and said in capsys.readouterr().err
