import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
tf.set_random_seed(3)
first = tf.random_uniform([2])
words = tf.train.string_input_producer(["a", "b", "c", "d"])
numbers = tf.train.range_input_producer(5, seed=8)
row, double = tf.train.slice_input_producer([tf.range(6), tf.range(6) * 2], num_epochs=2)
plain = tf.train.input_producer(tf.constant([[1.0], [2.0], [3.0]]))
mixed = tf.RandomShuffleQueue(20, 0, [tf.int32], shapes=[[]])
seeded = tf.RandomShuffleQueue(20, 0, [tf.int32], shapes=[[]], seed=5)
fill = [mixed.enqueue_many([tf.range(8)]), seeded.enqueue_many([tf.range(8)])]
pairs = tf.train.shuffle_batch([row, double], batch_size=3, capacity=50, min_after_dequeue=20)
alone = tf.train.batch([plain.dequeue()], batch_size=2)
last = tf.random_uniform([2])
taken = [words.dequeue(), numbers.dequeue(), mixed.dequeue(), seeded.dequeue()]
print(type(pairs).__name__, alone.shape)

for _ in range(2):
    with tf.Session() as session:
        session.run(tf.local_variables_initializer())
        session.run(fill)
        coordinator = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(session, coordinator)
        for one, count in zip(taken, (8, 10, 8, 8)):
            print([session.run(one) for _ in range(count)])
        print([[part.tolist() for part in session.run(pairs)] for _ in range(4)])
        print([session.run(alone).tolist() for _ in range(3)])
        print(session.run([first, last]))
        coordinator.request_stop()
