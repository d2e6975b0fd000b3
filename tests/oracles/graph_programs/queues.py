"""Puts elements into queues of a graph, and takes them out, in runs of a session."""

import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
queue = tf.FIFOQueue(3, "float")
fill = queue.enqueue_many(([0.0, 1.0, 2.0],))
x = queue.dequeue()
more = queue.enqueue([x + 1])
print(x, queue.name, more.name, fill.type)
several = tf.RandomShuffleQueue(10, 0, [tf.int32, tf.string], shapes=[[], [2]])
number, words = several.dequeue_many(2)
print(number, words)
with tf.Session() as session:
    fill.run()
    for _ in range(5):
        more.run()
    print([float(session.run(queue.dequeue())) for _ in range(3)], session.run(queue.size()))
    session.run(several.enqueue([7, ["a", "b"]]))
    session.run(several.enqueue_many([[7, 7], [["a", "b"], ["a", "b"]]]))
    print([one.tolist() for one in session.run([number, words])], session.run(several.size()))
    session.run(queue.close())
    try:
        session.run(x)
    except tf.errors.OutOfRangeError:
        print("closed", session.run(queue.is_closed()))
