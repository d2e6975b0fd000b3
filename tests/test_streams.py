"""What Penstock imports on the way leaves the user's random numbers alone."""

import subprocess
import sys
import textwrap

import pytest

LIBRARIES = """
    import random, sys
    import numpy as np
    {imported}
    random.seed(0)
    np.random.seed(0)
    states = random.getstate(), np.random.get_state()[1].tolist()
    assert "rich" not in sys.modules
    {used}
    assert "rich" in sys.modules
    assert states == (random.getstate(), np.random.get_state()[1].tolist())
"""
PROGRAM = """
    import sys
    import numpy as np
    {imported}
    np.random.seed(0)
    wanted = np.random.RandomState(0)
    assert "jax" not in sys.modules
    x = ps.Variable(1.0)
    for _ in range(20):
        assert np.random.rand() == wanted.rand()
        with ps.GradientTape() as tape:
            loss = x * x
        x.assign_sub(0.1 * tape.gradient(loss, x))
        float(loss)
    assert "jax" in sys.modules
"""


@pytest.mark.xla
@pytest.mark.parametrize("imported", ["import penstock as ps", "import penstock.tensorflow as ps"])
def test_the_import_of_jax_in_a_loop_does_not_move_the_stream_of_numpy(imported):
    program = textwrap.dedent(PROGRAM.format(imported=imported))
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)
    assert found.returncode == 0, found.stderr


SUMMARY = "ps.layers.Sequential([ps.layers.Dense(2)]).summary()"
REPORT = """
    with ps.watch() as seen:
        x = ps.Variable(1.0)
        with ps.GradientTape() as tape:
            loss = x * x
        ps.optimizers.SGD(0.1).apply_gradients([(tape.gradient(loss, x), x)])
    print(seen)
"""


@pytest.mark.parametrize("used", [SUMMARY, REPORT], ids=["summary", "report"])
def test_the_import_of_rich_does_not_move_the_streams_of_python_and_numpy(used):
    program = textwrap.dedent(LIBRARIES).format(imported="import penstock as ps", used=textwrap.dedent(used))
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)
    assert found.returncode == 0, found.stderr


THREADS = """
    import random, sys, threading
    import numpy as np
    from penstock.streams import streams_kept
    random.seed(0)
    np.random.seed(0)
    wanted = random.Random(0), np.random.RandomState(0)
    drawn = []
    def draw():
        drawn.extend((random.random(), np.random.rand(), np.random.sample(), np.random.randint(9)))
    draw()
    with streams_kept():
        other = threading.Thread(target=draw)
        other.start()
        other.join()
        from numpy.random import rand
        from random import random as uniform
        random.random(), np.random.rand(), np.random.ranf(), rand(3), uniform()
        random.seed(4)
        np.random.seed(4)
    draw()
    drawn.extend((uniform(), rand()))
    python, numpy = wanted
    for _ in range(3):
        assert drawn[:4] == [python.random(), numpy.rand(), numpy.random_sample(), numpy.randint(9)]
        del drawn[:4]
    assert drawn == [python.random(), numpy.rand()]
    assert np.random.rand.__self__ is np.random.mtrand._rand
"""


def test_draws_of_another_thread_during_an_import_are_neither_lost_nor_repeated():
    program = textwrap.dedent(THREADS)
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)
    assert found.returncode == 0, found.stderr
