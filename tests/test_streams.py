"""What Penstock imports on the way leaves the user's random numbers alone."""

import subprocess
import sys
import textwrap

import pytest

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
