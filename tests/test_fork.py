"""A forked child process continues with NumPy, whatever its parent had compiled or left pending."""

import functools
import json
import os
import signal
import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")

PROGRAM = """
import os, sys, threading, warnings
warnings.simplefilter("ignore")
import numpy as np
import penstock as ps

x, y = ps.Variable([1.0, 2.0], name="x"), ps.Variable(1.0, name="y")
optimizer = ps.optimizers.Adam(0.1)

def turn():
    with ps.GradientTape() as tape:
        loss = ps.sum(x * x) + y
    optimizer.apply_gradients(zip(tape.gradient(loss, [x, y]), [x, y]))
    return loss

def in_child(function):
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        status = 1
        try:
            function()
            status = 0
        except BaseException:
            import traceback
            traceback.print_exc()
        finally:
            sys.stderr.flush()
            os._exit(status)
    _, status = os.waitpid(child, 0)
    assert status == 0, status
"""

CASES = {
    "trains on": """
for _ in range(40):
    turn()
ps.wait(x)
def child():
    before = x.numpy()
    for _ in range(40):
        loss = turn()
    assert float(loss) < float(ps.sum(before * before)) + 1.0
    assert (np.abs(x.numpy()) < np.abs(before)).all()
    assert isinstance(x._value, np.ndarray)
in_child(child)
before = x.numpy()
for _ in range(5):
    turn()
assert (x.numpy() != before).all()
""",
    "child and parent compute the same": """
for _ in range(30):
    turn()
ps.wait(x)
read, write = os.pipe()
def child():
    for _ in range(10):
        turn()
    os.write(write, x.numpy().tobytes() + y.numpy().tobytes())
in_child(child)
theirs = np.frombuffer(os.read(read, 100), np.float32)
for _ in range(10):
    turn()
mine = np.concatenate([x.numpy(), [y.numpy()]])
assert np.allclose(mine, theirs, rtol=1e-5), (mine, theirs)
""",
    "with work pending": """
for _ in range(30):
    turn()
x.assign_add([1.0, 1.0])
held = x * 2.0
def child():
    assert np.allclose(held.numpy(), 2.0 * x.numpy())
    turn()
    assert np.isfinite(x.numpy()).all()
in_child(child)
assert np.allclose(held.numpy(), 2.0 * x.numpy())
""",
    "with values not ready yet": """
big = ps.Variable(np.eye(600, dtype=np.float32))
def grow():
    big.assign(big @ big + big * 0.001)
for _ in range(25):
    grow()
ps.wait(big)
big.assign(np.full((600, 600), 1e-3, np.float32))
for _ in range(6):
    grow()
def child():
    assert np.isfinite(big.numpy()).all()
    grow()
    big.numpy()
in_child(child)
""",
    "inside a tape": """
for _ in range(30):
    turn()
def child():
    pass
with ps.GradientTape() as tape:
    z = ps.sum(x * x)
    def child():
        assert np.allclose(tape.gradient(z, x).numpy(), 2.0 * x.numpy())
    in_child(child)
    z = z * 2.0
assert np.allclose(tape.gradient(z, x).numpy(), 4.0 * x.numpy())
""",
    "while another thread computes": """
stop = threading.Event()
other = ps.Variable(0.0)
def busy():
    while not stop.is_set():
        other.assign_add(1.0)
        float(other)
thread = threading.Thread(target=busy, daemon=True)
thread.start()
for _ in range(30):
    turn()
def child():
    for _ in range(5):
        turn()
    assert np.isfinite(x.numpy()).all()
    v = ps.Variable(1.0)
    v.assign_add(1.0)
    assert float(v) == 2.0
for _ in range(5):
    in_child(child)
stop.set()
thread.join()
""",
    "while another thread records a step": """
recording, over = threading.Event(), threading.Event()
captured = ps.step(turn)
@ps.step
def slow():
    recording.set()
    over.wait()
    return captured()
thread = threading.Thread(target=slow, daemon=True)
thread.start()
recording.wait()
def child():
    recording.clear()
    over.set()
    assert np.isfinite(float(slow())) and recording.is_set()
in_child(child)
over.set()
thread.join()
""",
    "a child of a child": """
for _ in range(30):
    turn()
def grandchild():
    turn()
    x.numpy()
def child():
    turn()
    in_child(grandchild)
    x.numpy()
in_child(child)
""",
    "before anything was compiled": """
turn()
def child():
    for _ in range(30):
        turn()
    x.numpy()
in_child(child)
for _ in range(30):
    turn()
x.numpy()
""",
    "multiprocessing": """
import multiprocessing
for _ in range(30):
    turn()
ps.wait(x)
def work(number):
    v = ps.Variable(float(number))
    with ps.GradientTape() as tape:
        z = v * v * ps.sum(x)
    return float(tape.gradient(z, v)) / float(ps.sum(x))
with multiprocessing.get_context("fork").Pool(2) as pool:
    assert np.allclose(pool.map(work, range(6)), [2.0 * n for n in range(6)], rtol=1e-5)
""",
}


FIRST = "before anything was compiled"
"""A case for a process in which nothing was."""
RUN = """
import json, sys, traceback, types
head, cases = json.loads(sys.argv[1])
head = compile(head, "<head>", "exec")
for name, case in cases.items():
    # Each has variables of its own; what is compiled is compiled once.
    main = sys.modules["__main__"] = types.ModuleType("__main__")
    print("begun", name, file=sys.stderr, flush=True)
    try:
        exec(head, vars(main))
        exec(compile(case, "<case>", "exec"), vars(main))
    except BaseException:
        traceback.print_exc()
    else:
        print("passed", name, file=sys.stderr, flush=True)
"""


@functools.cache
def run(engine, names):
    """The output of a process that runs the cases one after the other."""
    process = subprocess.Popen(
        [sys.executable, "-c", RUN, json.dumps([PROGRAM, {name: CASES[name] for name in names}])],
        env=os.environ | {"PENSTOCK_ENGINE": engine},
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        _, errors = process.communicate(timeout=25)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)  # the child that hangs, too
        _, errors = process.communicate()
        errors += "\na child hangs"
    return errors


@pytest.mark.parametrize("engine", ["auto", "xla"])
@pytest.mark.parametrize("case", CASES)
def test_a_child_goes_on(case, engine):
    errors = run(engine, (FIRST,) if case == FIRST else tuple(one for one in CASES if one != FIRST))
    assert f"passed {case}\n" in errors, errors[-6000:]
