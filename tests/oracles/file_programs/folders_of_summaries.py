import os
import tempfile
import warnings

import numpy as np
import tensorflow as tf

os.chdir(tempfile.mkdtemp())
warnings.filterwarnings("ignore", "tf.summary")


def folders():
    print(sorted(folder for folder, _, _ in os.walk(".")))


tf.summary.create_file_writer("runs/train")
folders()
np.save("runs/history.npy", np.arange(3))
tf.summary.create_noop_writer()
tf.summary.create_file_writer(tf.constant("of a tensor"))
folders()
print(np.load("runs/history.npy"))
