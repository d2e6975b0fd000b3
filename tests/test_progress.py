"""Progress of a loop: its lines and their times, on a terminal and elsewhere, without effect on the loop."""

import io
import linecache
import os
import pty
import re
import select
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import penstock as ps
from counting import calls_of, launches
from penstock.errors import PenstockError, ShapeError
from penstock.flow import progress as room
from penstock.interrupts import HeldInterrupts
from penstock.testing import use_engine


class Clock:
    def __init__(self):
        self.now = 100.0

    def __call__(self):
        return self.now


class Stream(io.StringIO):
    """A stream that is a terminal, or not."""

    def __init__(self, terminal=False):
        super().__init__()
        self.terminal = terminal

    def isatty(self):
        return self.terminal


@pytest.fixture
def clock(monkeypatch):
    made = Clock()
    monkeypatch.setattr(room, "clock", made)
    return made


@pytest.fixture
def lines(monkeypatch):
    """Replaces standard error by a stream that is no terminal; returns a function that gives its lines."""

    def begin():
        stream = Stream()
        monkeypatch.setattr(sys, "stderr", stream)
        return lambda: stream.getvalue().splitlines()

    return begin


@pytest.fixture
def screen(monkeypatch):
    """Makes both streams one terminal; returns a function that gives the final lines, all with `drawn`."""

    def begin():
        stream = Stream(terminal=True)
        monkeypatch.setattr(sys, "stderr", stream)
        monkeypatch.setattr(sys, "stdout", stream)
        monkeypatch.setenv("COLUMNS", "100")
        monkeypatch.setenv("TERM", "xterm")

        def stay():
            return as_seen(stream.getvalue())

        stay.text = stream.getvalue
        stay.drawn = lambda: [plain(part).strip() for part in re.split(r"\r\x1b\[2K|\n", stream.getvalue())]
        return stay

    return begin


def plain(text):
    return re.sub(r"\x1b\[[0-9;]*m", "", text)


def as_seen(output):
    """The lines that stay on the screen."""
    found = []
    for line in output.replace("\r\n", "\n").split("\n"):
        line = line.rpartition("\x1b[2K")[2] if "\x1b[2K" in line else line
        found.append(plain(line).rpartition("\r")[2])
    return found


# -- counts ------------------------------------------------------------------------------------------------


def test_it_yields_the_items_of_its_argument(lines):
    lines = lines()
    assert list(ps.Progress(3)) == [0, 1, 2]
    assert list(ps.Progress("abc")) == ["a", "b", "c"]
    assert list(ps.Progress(iter([1, 2]), total=2)) == [1, 2]
    assert list(ps.Progress(0)) == []
    endless = ps.Progress()
    for step in endless:
        if step == 5:
            break
    assert (endless.step, endless.total) == (5, None)
    again = ps.Progress(range(4))
    assert [list(again), list(again)] == [[0, 1, 2, 3]] * 2 and again.step == 4


@pytest.mark.parametrize("steps", [2.5, True, -1, object()])
def test_objects_that_cannot_be_iterated(steps):
    with pytest.raises(PenstockError, match=r"Progress was given"):
        ps.Progress(steps)
    with pytest.raises(PenstockError, match="every is -1"):
        ps.Progress(3, every=-1)


# -- lines without a terminal --------------------------------------------------------------------------------


def test_lines_are_sparse_and_go_by_time(clock, lines):
    lines = lines()
    for step in (progress := ps.Progress(100, name="training")):
        progress.show(loss=1 / (step + 1), phase="warm-up")
        clock.now += 1.0
    assert lines() == [
        *[
            f"training {n}/100  {n}%  1 steps/s  {left} left  loss {1 / n:.4g}  phase warm-up"
            for n, left in zip(range(10, 100, 10), ("1:30", "1:20", "1:10", "1:00", "0:50", "0:40", "0:30"))
        ],
        "training 80/100  80%  1 steps/s  0:20 left  loss 0.0125  phase warm-up",
        "training 90/100  90%  1 steps/s  0:10 left  loss 0.01111  phase warm-up",
        "training 100/100  100%  1 steps/s  loss 0.01  phase warm-up",
        "training: 100 steps in 1:40  1 steps/s  loss 0.01  phase warm-up",
    ]


def test_a_loop_without_an_end_or_a_name(clock, lines):
    lines = lines()
    for step in ps.Progress(every=0):
        clock.now += 4.0
        if step == 1:
            break
    assert lines() == ["step 1  4 s/step", "stopped after 1 step in 8.0 s  4 s/step"]


def test_the_rate_is_the_median(clock, lines):
    """A stretch that stood still, as for a compilation, does not count."""
    lines = lines()
    for step in ps.Progress(20, every=0):
        clock.now += 50.0 if step == 3 else 0.01
    assert "100 steps/s" in lines()[-2] and "in 0:50" in lines()[-1]
    assert "step 10/20  50%  100 steps/s  0.1 s left" in lines()


def test_quiet(lines, monkeypatch):
    lines = lines()
    for _ in (progress := ps.Progress(3, quiet=True, every=0)):
        progress.show(loss=1.0)
    monkeypatch.setenv("PENSTOCK_QUIET", "1")
    assert len(list(ps.Progress(3, every=0))) == 3
    assert lines() == []
    assert len(list(ps.Progress(3, every=0, quiet=False))) == 3 and len(lines()) == 4
    monkeypatch.setenv("PENSTOCK_QUIET", "0")
    assert len(list(ps.Progress(3))) == 3 and len(lines()) == 5


def test_without_standard_error(monkeypatch):
    monkeypatch.setattr(sys, "stderr", None)
    assert list(ps.Progress(2, every=0)) == [0, 1]


def test_a_loop_that_is_no_for(clock, lines):
    lines = lines()
    with ps.Progress(30, name="rows", every=0) as progress:
        for _ in range(3):
            clock.now += 1.0
            progress.advance(10)
    assert lines()[0] == "rows 10/30  33%  10 steps/s  2.0 s left"
    assert lines()[-1] == "rows: 30 steps in 3.0 s  10 steps/s"
    with pytest.raises(PenstockError, match="outside the loop"):
        progress.advance()


# -- values ------------------------------------------------------------------------------------------------


def test_non_finite_numbers_are_marked(screen):
    screen = screen()
    for _ in (progress := ps.Progress(1, every=0)):
        progress.show(loss=ps.asarray(np.nan), norm=float("inf"), count=12345, rate=np.float32(0.5))
    assert "loss nan (not finite)  norm inf (not finite)  count 12,345  rate 0.5" in screen()[0]
    assert "\x1b[1;31mloss nan" in screen.text()


def test_values_other_than_a_single_number(lines):
    lines = lines()
    progress = ps.Progress(1)
    with pytest.raises(ShapeError, match=r"loss has the shape \(3,\)(.|\n)*show\(loss=ps.mean\(loss\)\)"):
        progress.show(loss=ps.ones((3,)))
    progress.show(loss=ps.ones((1, 1)), other=np.ones(1))


def train(progress, x, optimizer):
    for _ in progress:
        with ps.GradientTape() as tape:
            loss = x * x
        optimizer.apply_gradients([(tape.gradient(loss, x), x)])
        progress.show(loss=loss, x=x)


@pytest.mark.parametrize("every", [0, 0.5, 1e9])
def test_showing_makes_no_step_run_early(every, lines):
    """The launches of a loop do not depend on how often a line is written, or on whether any is."""
    lines = lines()
    with use_engine("xla"):
        x, optimizer = ps.Variable(3.0), ps.optimizers.SGD(0.1)
        before = launches()
        train(ps.Progress(40, every=every), x, optimizer)
        assert launches() - before == 40
        assert len(lines()) == (41 if every == 0 else 1)
        before = launches()
        train(ps.Progress(40, quiet=True), x, optimizer)
        ps.wait(x)
        assert launches() - before == 40


def test_values_are_those_of_the_latest_step_that_was_run(tier, lines):
    lines = lines()
    x, optimizer = ps.Variable(3.0), ps.optimizers.SGD(0.0)
    for step in (progress := ps.Progress(4, every=0)):
        with ps.GradientTape() as tape:
            loss = x * 0.0 + float(step)
        optimizer.apply_gradients([(tape.gradient(loss, x), x)])
        progress.show(loss=loss)
    assert "loss" not in lines()[0]
    assert [line.rpartition("loss ")[2] for line in lines()[1:]] == ["0", "1", "2", "3"]


def test_a_value_that_is_never_run_holds_nothing_up(clock, lines):
    """A loop that opens no tape: the line is drawn without it, and the last one looks."""
    lines = lines()
    for step in (progress := ps.Progress(3, every=1)):
        progress.show(loss=ps.asarray(2.0) * step)
        clock.now += 1.0
    assert lines()[0].startswith("step 1/3") and "loss" not in lines()[0]
    assert lines()[-1].endswith("loss 4")


def test_show_in_a_captured_step_is_refused(lines):
    lines = lines()
    progress = ps.Progress(1)

    @ps.step
    def step():
        progress.show(loss=ps.asarray(1.0))

    with pytest.raises(PenstockError, match="Return the value from the step, and call show in the loop"):
        step()


def test_nothing_is_held_after_the_loop(lines):
    lines = lines()
    import weakref

    for _ in (progress := ps.Progress(1)):
        loss = ps.asarray(1.0) * 2
        progress.show(loss=loss)
    held = weakref.ref(loss)
    del loss
    assert held() is None and lines()[-1].endswith("loss 2")


# -- a terminal --------------------------------------------------------------------------------------------


def test_one_line_is_rewritten_every_half_second(clock, screen):
    screen = screen()
    for step in (progress := ps.Progress(50, name="training")):
        progress.show(loss=float(step))
        clock.now += 0.125
        if step == 20:
            print("half way")
    assert screen() == ["half way", "training: 50 steps in 6.2 s  8 steps/s  loss 49", ""]
    drawn = [line for line in screen.drawn() if line.startswith("training ")]
    assert len(drawn) == 12
    assert drawn[0] == "training 4/50  8%  8 steps/s  5.8 s left  loss 3"


def test_output_that_is_no_whole_line_is_left_alone(clock, screen):
    screen = screen()
    for step in ps.Progress(4, every=0):
        clock.now += 1.0
        print("a" if step % 2 else "b", end="\n" if step % 2 else " ")
    assert screen()[:2] == ["b a", "b a"] and screen()[2].startswith("4 steps")


def test_the_streams_are_given_back(screen):
    screen = screen()
    before = sys.stdout, sys.stderr
    for _ in ps.Progress(1):
        assert sys.stderr is not before[1]
    assert (sys.stdout, sys.stderr) == before
    with pytest.raises(ZeroDivisionError), ps.Progress(3) as progress:
        for step in progress:
            1 / (step - 1)
    assert (sys.stdout, sys.stderr) == before
    assert screen()[-2].startswith("stopped after 1 of 3 steps")


def test_a_loop_in_a_loop_shares_the_line(clock, screen):
    screen = screen()
    for epoch in (outer := ps.Progress(3, name="epoch")):
        outer.show(accuracy=0.5 + epoch / 10)
        for batch in (inner := ps.Progress(4, name="batch")):
            inner.show(loss=float(batch))
            clock.now += 0.5
    assert screen() == ["epoch: 3 steps in 6.0 s  2 s/step  accuracy 0.7", ""]
    drawn = screen.drawn()
    assert drawn[1].startswith("epoch 0/3  0%  accuracy 0.5  batch 2/4  50%  2 steps/s  1.0 s left  loss 1")
    assert any(line.startswith("epoch 2/3  67%") and "batch 3/4" in line for line in drawn)


def test_a_loop_that_was_left_inside_another(clock, screen):
    screen = screen()
    for _ in ps.Progress(2, name="outer"):
        for step in ps.Progress(5, name="inner"):
            if step == 2:
                break
    assert len(screen()) == 2 and screen()[0].startswith("outer: 2 steps")
    assert not room._open.loops and not room._drawing.locked()


def test_threads_have_separate_loops(screen):
    """One draws; the others' last lines come at the end."""
    screen = screen()
    gate, errors = threading.Barrier(3), []

    def work(number):
        try:
            gate.wait()
            for _ in ps.Progress(20, name=f"worker {number}", every=0):
                time.sleep(0.002)
            gate.wait()
        except BaseException as error:
            errors.append(error)

    workers = [threading.Thread(target=work, args=(n,)) for n in range(3)]
    for one in workers:
        one.start()
    for one in workers:
        one.join()
    assert not errors
    kept = [line for line in screen() if line]
    assert sorted(line.partition(":")[0] for line in kept) == ["worker 0", "worker 1", "worker 2"]
    assert len({line.partition("/")[0].partition(" 1")[0] for line in screen.drawn() if "/20" in line}) >= 1


def test_a_last_line_takes_the_place_of_another_threads_line(screen):
    """A loop that began when nothing was drawn yet ends while another thread's line is on the terminal."""
    screen = screen()
    begun, drawn = threading.Event(), threading.Event()

    def work():
        for _ in ps.Progress(1, name="worker"):
            begun.set()
            drawn.wait(10)

    worker = threading.Thread(target=work)
    with room._drawing:  # another thread is about to draw
        worker.start()
        assert begun.wait(10)
    for step in ps.Progress(2, name="main", every=0):
        if step == 1:
            assert screen.drawn()[-1].startswith("main 1/2")
            drawn.set()
            worker.join()
    assert [line.partition(":")[0] for line in screen() if line] == ["worker", "main"]


def test_another_threads_values_are_refused(lines):
    lines = lines()
    found = []

    def show():
        try:
            progress.show(loss=1.0)
        except PenstockError as error:
            found.append(str(error))

    for _ in (progress := ps.Progress(1)):
        other = threading.Thread(target=show)
        other.start()
        other.join()
    assert len(found) == 1 and "another thread than the loop's" in found[0] and "queue" in found[0]


# -- a real terminal ---------------------------------------------------------------------------------------

SCRIPT = """
import signal, sys, time
import penstock as ps
# Whoever starts the tests in the background has them ignore interrupts, and this process with them.
signal.signal(signal.SIGINT, signal.default_int_handler)
x = ps.Variable(1.0)
print("before", flush=True)
for step in (progress := ps.Progress(1000, name="training", every=0.01)):
    x.assign_add(1.0)
    progress.show(x=x)
    time.sleep(0.005)
    if step == 20 and sys.argv[1] == "raise":
        raise ValueError("broken")
    if step == 20 and sys.argv[1] == "end":
        break
print("after", flush=True)
"""


def on_a_terminal(how, interrupt=False):
    """The output of the script on a new terminal, and its exit status."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-c", SCRIPT, how],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env=os.environ | {"COLUMNS": "80", "TERM": "xterm", "PENSTOCK_ENGINE": "numpy"},
        start_new_session=True,
    )
    os.close(theirs)
    output, deadline = b"", time.monotonic() + 60
    while time.monotonic() < deadline:
        if select.select([ours], [], [], 0.5)[0]:
            try:
                part = os.read(ours, 4096)
            except OSError:
                break
            if not part:
                break
            output += part
        if interrupt and b"steps/s" in output:
            process.send_signal(signal.SIGINT)
            interrupt = False
    os.close(ours)
    return output.decode(), process.wait(timeout=60)


@pytest.mark.parametrize("how", ["end", "raise", "interrupt"])
def test_the_terminal_is_left_clean(how):
    output, status = on_a_terminal(how, interrupt=how == "interrupt")
    assert re.search(r"training \d+/1,000", output) and "\x1b[2K" in output
    seen = [line for line in as_seen(output) if line]
    assert seen[0] == "before" and not any(re.search(r"\d+/1,000", line) for line in seen), seen
    stopped = [line for line in seen if line.startswith("training: stopped after ")]
    assert len(stopped) == 1, output
    if how == "end":
        assert status == 0 and seen[-1] == "after" and "stopped after 20 of 1,000 steps" in stopped[0]
    else:
        assert status != 0 and "Traceback (most recent call last):" in seen
        assert any(line.startswith("ValueError" if how == "raise" else "KeyboardInterrupt") for line in seen)


def interrupted(call, number):
    """Calls, with a signal at the display's line with this number; returns whether there are that many.

    Lines without a call are not counted: Python checks for signals at calls.
    """
    left = number

    def at_line(frame, event, _):
        nonlocal left
        if event == "line" and "(" in linecache.getline(frame.f_code.co_filename, frame.f_lineno):
            left -= 1
            if left == -1:
                signal.raise_signal(signal.SIGINT)
        return at_line

    def at_call(frame, event, _):
        code = frame.f_code
        # The lines that hold back interrupts precede every possible loss, or are tried again.
        inside = os.path.basename(code.co_filename) == "progress.py"
        return at_line if inside and code.co_name not in ("__init__", "__exit__", "_begin", "_end") else None

    before = sys.gettrace(), signal.signal(signal.SIGINT, signal.default_int_handler)
    sys.settrace(at_call)
    try:
        call()
    except KeyboardInterrupt:
        return True
    finally:
        sys.settrace(before[0])
        signal.signal(signal.SIGINT, before[1])
    assert left >= 0, "the interrupt was lost"
    return False


@pytest.mark.parametrize("way", ["for", "with"])
def test_an_interrupt_at_any_line_leaves_the_last_line_and_a_clean_terminal(way, screen):
    def loop():
        progress = ps.Progress(2, name="training", every=0.0)
        if way == "for":
            for _ in progress:
                progress.show(loss=1.0)
        else:
            with progress:
                progress.advance(2)

    number = 0
    while True:
        stay = screen()
        ours = sys.stderr
        again = interrupted(loop, number)
        last = [line for line in stay() if line.startswith("training: ")]
        assert sys.stderr is ours and not room._open.loops, number
        assert room._drawing.acquire(blocking=False), number
        room._drawing.release()
        # Before the loop begins there is nothing to report.
        assert len(last) == 1 or (number < 5 and not last), (number, stay())
        if not again:
            break
        number += 1
    assert number > 60 and last[0].startswith("training: 2 steps in ")


def test_an_interrupt_while_the_last_line_is_written_comes_after_it_and_a_second_at_once():
    order = []
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt), HeldInterrupts():
            signal.raise_signal(signal.SIGINT)
            order.append("written")
        with pytest.raises(KeyboardInterrupt), HeldInterrupts():
            signal.raise_signal(signal.SIGINT)
            signal.raise_signal(signal.SIGINT)
            order.append("never")
        with pytest.raises(KeyboardInterrupt), HeldInterrupts(all=True):
            signal.raise_signal(signal.SIGINT)
            signal.raise_signal(signal.SIGINT)
            order.append("both held")
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        with HeldInterrupts():
            signal.raise_signal(signal.SIGINT)
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)
    assert order == ["written", "both held"]


def test_it_costs_little():
    """The price of a step of the loop: a look at the clock, and a dictionary that is updated."""

    def steps():
        for _ in (progress := ps.Progress(1_000, quiet=True)):
            progress.show(loss=1.0)

    with use_engine("numpy"):
        called = calls_of(steps)
    # Few of a thousand steps draw a line, and those call more.
    assert called.total() <= 1_000 * 4 + 200, called.most_common(8)
