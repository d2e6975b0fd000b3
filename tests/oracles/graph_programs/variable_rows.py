import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
def tell(name, make, session):
    try:
        print(name, "->", np.asarray(session.run(make())).tolist())
    except Exception:
        print(name, "refused")
for reference in (True, False):
    with tf.Graph().as_default(), tf.Session() as session:
        v = tf.get_variable("v", initializer=[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], use_resource=not reference)
        c = tf.get_variable("c", initializer=tf.constant(0, tf.int64), use_resource=not reference)
        start = tf.global_variables_initializer()
        tell("before", lambda: tf.is_variable_initialized(v), session)
        if not reference:
            tell("is_initialized", v.is_initialized, session)
        rows = tf.IndexedSlices(tf.constant([[2.0, 10.0], [4.0, 1.0], [0.5, 3.0]]), tf.constant([0, 2, 0]))
        for word in ("scatter_add", "scatter_sub", "scatter_max", "scatter_min", "scatter_mul", "scatter_div"):
            session.run(start)
            tell(word, lambda: getattr(v, word)(rows), session)
            tell(word + " value", lambda: v.read_value(), session)
        session.run(start)
        tell("scatter_update", lambda: v.scatter_update(tf.IndexedSlices(tf.constant([[7.0, 8.0]]), tf.constant([1]))), session)
        for word in ("scatter_nd_update", "scatter_nd_add", "scatter_nd_sub"):
            session.run(start)
            tell(word, lambda: getattr(v, word)([[0, 1], [2, 0]], [10.0, 1.0]), session)
        for word in ("scatter_mul", "scatter_div", "scatter_max", "scatter_min", "scatter_update"):
            session.run(start)
            tell("tf." + word, lambda: getattr(tf, word)(v, [0, 2], [[2.0, 4.0], [0.5, 8.0]]), session)
        session.run(start)
        if not reference:
            tell("sparse_read", lambda: v.sparse_read([2, 0]), session)
            tell("gather_nd", lambda: v.gather_nd([[0, 1]]), session)
        up = c.count_up_to(2)
        print([int(session.run(up)) for _ in range(2)], int(session.run(c)))
        try:
            session.run(up)
        except tf.errors.OutOfRangeError:
            print("reached")
        print(v.synchronization, v.aggregation)
        b = tf.get_variable("b", initializer=[[1.0, 2.0], [3.0, 4.0]], use_resource=not reference)
        session.run(b.initializer)
        tell("batch", lambda: tf.batch_scatter_update(b, tf.constant([[1], [0]]), tf.constant([[9.0], [8.0]])), session)
with tf.Graph().as_default(), tf.Session() as session:
    whole = tf.get_variable("whole", initializer=[7, -7, 9], use_resource=True)
    session.run(whole.initializer)
    tell("whole numbers", lambda: tf.scatter_div(whole, [0, 1], [2, 2]), session)
    tell("two axes", lambda: tf.scatter_mul(whole, [[0, 2], [0, 1]], [[2, 3], [5, 1]]), session)
    tell("truncatediv", lambda: tf.truncatediv(whole, [7, 2, -2]), session)
    tell("truncatemod", lambda: tf.truncatemod(whole, tf.constant([7, 2, -2])), session)
