import os
import tempfile

import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
flags = tf.app.flags
flags.DEFINE_string("folder", "here", "a folder")
flags.DEFINE_integer("steps", 10, "how many")
flags.DEFINE_float("rate", 0.5, "how fast")
flags.DEFINE_boolean("shuffle", True, "whether")
flags.DEFINE_bool("quiet", False, "whether")
flags.DEFINE_list("layers", "3,4", "how wide")
flags.DEFINE_enum("kind", "one", ["one", "two"], "which")
FLAGS = flags.FLAGS
rest = FLAGS(["prog", "--steps=3", "data", "--rate", "0.25", "--noshuffle", "-quiet", "--layers=5, 6", "--", "--x"])
print(rest, FLAGS.folder, FLAGS.steps, FLAGS.rate, FLAGS.shuffle, FLAGS.quiet, FLAGS.layers, FLAGS.kind)
FLAGS.folder = "there"
print(FLAGS.folder, "steps" in FLAGS, FLAGS.is_parsed(), tf.flags.FLAGS is FLAGS, FLAGS["steps"].default)
for words in (["--steps=x"], ["--kind=three"], ["--quiet=maybe"], ["--steps"]):
    try:
        FLAGS(["prog", *words])
    except flags.Error as error:
        print(type(error).__name__, "|", error)
try:
    flags.DEFINE_integer("steps", 11, "again")
except flags.Error as error:
    print(type(error).__name__)
try:
    FLAGS.missing
except AttributeError as error:
    print("AttributeError", error)

with tempfile.TemporaryDirectory() as folder:
    below = os.path.join(folder, "a", "b")
    tf.gfile.MakeDirs(below)
    with tf.gfile.GFile(os.path.join(below, "one.txt"), "w") as file:
        file.write("first\nsecond\n")
    with tf.gfile.Open(os.path.join(below, "one.txt")) as file:
        print([line.strip() for line in file], tf.gfile.FastGFile is not None)
    tf.gfile.Copy(os.path.join(below, "one.txt"), os.path.join(folder, "two.txt"))
    tf.gfile.Rename(os.path.join(folder, "two.txt"), os.path.join(folder, "three.txt"))
    print(sorted(tf.gfile.ListDirectory(folder)), tf.gfile.IsDirectory(below), tf.gfile.Exists(folder + "/no"))
    print([os.path.basename(one) for one in tf.gfile.Glob(os.path.join(folder, "*.txt"))])
    print(tf.gfile.Stat(os.path.join(folder, "three.txt")).length)
    tf.gfile.Remove(os.path.join(folder, "three.txt"))
    tf.gfile.DeleteRecursively(os.path.join(folder, "a"))
    print(tf.gfile.ListDirectory(folder))
print(tf.nest.flatten({"b": [1, (2, 3)], "a": 0}), tf.version.VERSION == tf.VERSION)
with tf.Session() as session:
    left = tf.placeholder(tf.int32, [3])
    print(session.run(tf.bitwise.bitwise_and(left, 6), {left: [1, 2, 7]}))
    print(session.run(tf.signal.frame(tf.constant([1.0, 2.0, 3.0, 4.0]), 2, 1)))


def main(arguments):
    print("main", arguments[1:], FLAGS.steps)


try:
    tf.app.run(main, ["prog", "--steps=7", "word", "--unknown=1"])
except SystemExit as error:
    print("exit", error.code)
