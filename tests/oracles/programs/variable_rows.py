import numpy as np
import tensorflow as tf

def tell(name, make):
    try:
        found = make()
        print(name, "->", found.numpy().tolist() if hasattr(found, "numpy") else found)
    except Exception:
        print(name, "refused")
def fresh():
    return tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
rows = tf.IndexedSlices(tf.constant([[2.0, 10.0], [4.0, 1.0], [0.5, 3.0]]), tf.constant([0, 2, 0]))
for word in ("scatter_update", "scatter_add", "scatter_sub", "scatter_max", "scatter_min", "scatter_mul", "scatter_div"):
    v = fresh()
    if word == "scatter_update":
        rows2 = tf.IndexedSlices(tf.constant([[2.0, 10.0], [4.0, 1.0]]), tf.constant([0, 2]))
        tell(word, lambda: getattr(v, word)(rows2))
    else:
        tell(word, lambda: getattr(v, word)(rows))
    tell(word + " value", lambda: v.value())
for word in ("scatter_nd_update", "scatter_nd_add", "scatter_nd_sub", "scatter_nd_max", "scatter_nd_min"):
    v = fresh()
    tell(word, lambda: getattr(v, word)([[0, 1], [2, 0]], [10.0, 1.0]))
    v = fresh()
    tell(word + " rows", lambda: getattr(v, word)([[1]], [[3.5, 3.5]]))
v = fresh()
tell("batch", lambda: tf.Variable([[1.0, 2.0], [3.0, 4.0]]).batch_scatter_update(tf.IndexedSlices(tf.constant([[9.0], [8.0]]), tf.constant([[1], [0]]))))
tell("gather_nd", lambda: v.gather_nd([[0, 1], [2, 0]]))
tell("sparse_read", lambda: v.sparse_read([2, 0]))
tell("set_shape", lambda: (v.set_shape([3, 2]), v.set_shape([None, 2])))
tell("set_shape other", lambda: v.set_shape([2, 2]))
tell("sync", lambda: (v.synchronization, v.aggregation))
c = tf.Variable(0, dtype=tf.int64)
tell("count", lambda: [int(c.count_up_to(2)), int(c.count_up_to(2)), int(c)])
tell("count end", lambda: c.count_up_to(2))
tell("count of floats", lambda: v.count_up_to(2))
tell("read", lambda: v.read_value_no_copy())
tell("ints", lambda: tf.Variable([1, 2]).scatter_div(tf.IndexedSlices(tf.constant([2]), tf.constant([1]))))
tell("scalar updates", lambda: fresh().scatter_mul(tf.IndexedSlices(tf.constant(2.0), tf.constant([0, 1]))))
tell("outside", lambda: fresh().scatter_max(tf.IndexedSlices(tf.constant([[1.0, 1.0]]), tf.constant([5]))))
tell("dtype", lambda: fresh().scatter_max(tf.IndexedSlices(tf.constant([[1, 1]]), tf.constant([0]))))
with tf.GradientTape() as tape:
    v = fresh()
    v.scatter_mul(tf.IndexedSlices(tf.constant([[2.0, 2.0]]), tf.constant([1])))
    loss = tf.reduce_sum(v * v)
tell("gradient", lambda: tape.gradient(loss, v))
