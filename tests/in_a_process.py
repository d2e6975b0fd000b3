"""Short programs in a process of their own, with a folder of executables and settings."""

import os
import subprocess
import sys


def printed(program, folder, **settings):
    """The output of a program that keeps its executables in a folder."""
    environment = {**os.environ, "PENSTOCK_CACHE_DIR": str(folder), **settings}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout
