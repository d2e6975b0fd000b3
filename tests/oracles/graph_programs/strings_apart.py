import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
parts = tf.strings.split(["a b", "c", "d e f"])
with tf.Session() as session:
    found = session.run([parts.values, tf.strings.length(["abc", "d"]), tf.strings.join(["a", "b"], "-")])
    print([one.tolist() if hasattr(one, "tolist") else one for one in found])
    print(session.run(tf.strings.substr(["hello", "world"], 1, 2)).tolist())
    print(session.run(tf.strings.substr("hello", 1, 3)))
    print(session.run(tf.strings.length("hello", unit="UTF8_CHAR") + 1))
    print(session.run(tf.strings.split(["a,b,c"], ",", 1, result_type="RaggedTensor").values).tolist())
    print(session.run(tf.strings.reduce_join([["a", "b"], ["c", "d"]], 1, keep_dims=True)).tolist())
    print(session.run(tf.strings.to_number(["1.5", "2"], tf.float64)).tolist())
    print(session.run(tf.strings.split("x y").values).tolist(), session.run(tf.strings.upper("ab")))
