import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
rows = tf.data.Dataset.from_tensor_slices(([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], [0, 1, 0])).batch(2)
once = tf.data.make_one_shot_iterator(rows)
x, y = once.get_next()
weight = tf.Variable([1.0, 1.0])
loss = tf.reduce_sum(x * weight)
slope = tf.gradients(loss, weight)[0]
again = tf.data.make_initializable_iterator(rows.map(lambda x, y: (x * 2, y)))
pair = again.get_next()
kept = tf.data.make_one_shot_iterator(tf.data.Dataset.range(8).repeat())
number = kept.get_next()
print(x.shape, x.dtype, y.dtype, pair[0].shape)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    while True:
        try:
            print([one.tolist() for one in sess.run([loss, slope, x, y])])
        except tf.errors.OutOfRangeError as problem:
            print("end", type(problem).__name__)
            break
    for _ in range(2):
        sess.run(again.initializer)
        print([one.tolist() for one in sess.run(pair)])
    print([int(sess.run(number)) for _ in range(10)])
    print([int(one) for one in sess.run([number, number])])
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(loss), sess.run(number))
