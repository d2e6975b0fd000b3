import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
x = tf.placeholder(tf.float32, [None, 4, 4, 2])
image = np.sin(np.arange(32.0)).reshape(1, 4, 4, 2)
edges = tf.constant(np.cos(np.arange(8.0)).reshape(2, 2, 2), tf.float32)
wide = tf.nn.dilation2d(x, edges, [1, 1, 1, 1], [1, 1, 1, 1], "SAME")
narrow = tf.nn.erosion2d(x, edges, [1, 2, 2, 1], [1, 1, 1, 1], "VALID")
best, places = tf.nn.max_pool_with_argmax(x, [1, 2, 2, 1], [1, 2, 2, 1], "SAME")
filters = tf.nn.conv2d_backprop_filter(x, [2, 2, 2, 1], tf.ones([1, 3, 3, 1]), [1, 1, 1, 1], "VALID")
depth = tf.nn.depthwise_conv2d_native_backprop_filter(x, [2, 2, 2, 1], tf.ones([1, 4, 4, 2]), [1, 1, 1, 1], "SAME")
back = tf.nn.depthwise_conv2d_native_backprop_input(
    [1, 4, 4, 2], tf.ones([2, 2, 2, 1]), tf.ones([1, 4, 4, 2]), [1, 1, 1, 1], "SAME"
)
slopes = tf.gradients([tf.reduce_sum(wide), tf.reduce_sum(narrow), tf.reduce_sum(best)], [x, edges])
kept, lengths = tf.nn.collapse_repeated(tf.constant([[1, 1, 2, 2], [3, 3, 3, 3]]), tf.constant([4, 2]))
print(wide.shape, narrow.shape, best.shape, places.dtype.name, wide.op.type)
with tf.Session() as session:
    for one in (wide, narrow, best, places, filters, depth, back, *slopes, kept, lengths):
        print(np.round(session.run(one, {x: image}), 4).tolist())
