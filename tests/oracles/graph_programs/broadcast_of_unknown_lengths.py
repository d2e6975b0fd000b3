"""Many placeholders of unknown lengths, as one computation has them that hops through a graph of facts."""

import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
items = tf.placeholder(tf.int32, [None])
table = tf.get_variable("table", initializer=tf.reshape(tf.range(40.0) / 80.0 - 0.2, [10, 4]))
relations = tf.get_variable("relations", initializer=tf.reshape(tf.range(48.0) / 48.0, [3, 4, 4]))
places = [[tf.placeholder(tf.int32, [None, 2]) for _ in range(3)] for _ in range(4)]
item = tf.nn.embedding_lookup(table, items)
read = []
for heads, kinds, tails in places:
    head = tf.expand_dims(tf.nn.embedding_lookup(table, heads), 3)
    led = tf.squeeze(tf.matmul(tf.nn.embedding_lookup(relations, kinds), head), 3)
    share = tf.nn.softmax(tf.squeeze(tf.matmul(led, tf.expand_dims(item, 2)), 2))
    read.append(tf.reduce_sum(tf.nn.embedding_lookup(table, tails) * tf.expand_dims(share, 2), 1))
    item = item + read[-1]
score = tf.reduce_sum(item * sum(read), 1)
loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(labels=tf.ones_like(score), logits=score))
step = tf.train.AdamOptimizer(0.1).minimize(loss)
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    feed = {items: [1, 2, 3]}
    for number, one in enumerate(places):
        feed |= {one[0]: [[number, 1]] * 3, one[1]: [[0, 2]] * 3, one[2]: [[4, 5 + number % 3]] * 3}
    for _ in range(3):
        print(round(float(session.run([loss, step], feed)[0]), 5))
