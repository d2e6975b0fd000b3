"""Parts of images drawn by chance that cover their boxes."""

import tensorflow as tf
tf.random.set_seed(7)
box = tf.constant([[[0.2, 0.1, 0.8, 0.7], [0.5, 0.5, 0.9, 1.0]]])
for i in range(4):
    for kw in ({}, dict(min_object_covered=0.5), dict(area_range=(0.3, 0.6), aspect_ratio_range=(0.5, 2.0)), dict(min_object_covered=0.99, max_attempts=3)):
        b, s, r = tf.image.sample_distorted_bounding_box([113, 87, 3], box, seed=5, **kw)
        print(b.numpy(), s.numpy(), r.numpy().round(5).tolist())
    b, s, r = tf.image.stateless_sample_distorted_bounding_box(tf.constant([64, 64, 3], tf.int64), box, seed=[1, i], min_object_covered=0.3)
    print(b.numpy(), s.numpy(), r.numpy().round(5).tolist(), b.dtype)
    b, s, r = tf.image.sample_distorted_bounding_box([30, 200, 3], tf.zeros([1,0,4]), seed=2, use_image_if_no_bounding_boxes=True)
    print(b.numpy(), s.numpy())
@tf.function
def f():
    b, s, r = tf.image.sample_distorted_bounding_box([113, 87, 3], box, seed=5)
    return b, s
for i in range(3): print([x.numpy().tolist() for x in f()])
def g(i):
    b, s, r = tf.image.sample_distorted_bounding_box([20, 20, 1], box, seed=3)
    return tf.slice(tf.reshape(tf.range(400), [20,20,1]), b, s)[0,0,0], s
for v in tf.data.Dataset.range(3).map(g): print(v[0].numpy(), v[1].numpy())
