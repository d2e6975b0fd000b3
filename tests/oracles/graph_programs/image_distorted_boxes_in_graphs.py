"""Parts of images drawn by chance that cover their boxes, in a graph: an operation goes on with its stream."""

import numpy as np
import tensorflow as tf

tf1 = tf.compat.v1
tf1.logging.set_verbosity(tf1.logging.ERROR)
with tf.Graph().as_default():
    tf1.set_random_seed(3)
    img = tf1.placeholder(tf.float32, [None, None, 3])
    box = tf1.placeholder(tf.float32, [1, None, 4])
    b, s, r = tf1.image.sample_distorted_bounding_box(tf.shape(img), box, seed=4, min_object_covered=0.2)
    b2, s2, r2 = tf1.image.sample_distorted_bounding_box([40, 30, 3], [[[0.,0.,1.,1.]]], seed=4, seed2=9)
    b3, s3, r3 = tf.image.sample_distorted_bounding_box([40, 30, 3], [[[0.,0.,1.,1.]]], seed=4)
    cropped = tf.slice(img, b, s)
    print(b.shape, s.shape, r.shape, cropped.shape, b.dtype, r.dtype)
    with tf1.Session() as sess:
        for _ in range(3):
            o = sess.run([b, s, r, b2, s2, b3, s3], {img: np.zeros([50, 60, 3]), box: [[[.1,.1,.9,.9]]]})
            print([x.round(4).tolist() for x in o])
            print(sess.run(b2).tolist())
        print(sess.run(cropped, {img: np.zeros([50, 60, 3]), box: [[[.1,.1,.9,.9]]]}).shape)
tf1.set_random_seed(3)
for i in range(2): print([x.numpy().round(4).tolist() for x in tf1.image.sample_distorted_bounding_box([40, 30, 3], [[[0.,0.,1.,1.]]], seed=4, seed2=9)])
