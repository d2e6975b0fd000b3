"""Parts of images drawn by chance that cover their boxes, in a graph: an operation goes on with its stream."""

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
tf.logging.set_verbosity(tf.logging.ERROR)
tf.set_random_seed(3)
image = tf.placeholder(tf.float32, [None, None, 3])
box = tf.placeholder(tf.float32, [1, None, 4])
whole = [[[0.0, 0.0, 1.0, 1.0]]]
begin, size, part = tf.image.sample_distorted_bounding_box(
    tf.shape(image), box, seed=4, min_object_covered=0.2
)
other, other_size, _ = tf.image.sample_distorted_bounding_box([40, 30, 3], whole, seed=4, seed2=9)
cropped = tf.slice(image, begin, size)
print(begin.shape, size.shape, part.shape, cropped.shape, begin.dtype, part.dtype)
feeds = {image: np.zeros([50, 60, 3]), box: [[[0.1, 0.1, 0.9, 0.9]]]}
with tf.Session() as session:
    for _ in range(3):
        found = session.run([begin, size, part, other, other_size], feeds)
        print([one.round(4).tolist() for one in found])
        print(session.run(other).tolist())
    print(session.run(cropped, feeds).shape)
