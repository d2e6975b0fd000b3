import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
pictures = tf.placeholder(tf.uint8, [None, 4, 4, 3])
words = tf.placeholder(tf.string, [None])
number = tf.placeholder(tf.int32, [])

files = tf.map_fn(tf.image.encode_png, pictures, dtype=tf.string)
back = tf.map_fn(
    lambda one: tf.cast(tf.image.decode_png(one, channels=3), tf.float32), files, dtype=tf.float32
)
digits = tf.map_fn(lambda one: tf.as_string(one + number), tf.range(3), dtype=tf.string)
pairs = tf.map_fn(lambda one: (tf.as_string(one), one * 2), tf.constant([1, 2]), dtype=(tf.string, tf.int32))
lengths = tf.map_fn(tf.strings.length, words, dtype=tf.int32)
known = tf.map_fn(tf.strings.length, tf.constant(["a", "bcd"]), dtype=tf.int32)
larger = tf.cond(number > 1, lambda: tf.as_string(number), lambda: tf.constant("one"))
chosen = tf.case([(number > 5, lambda: tf.constant("many"))], default=lambda: words[0])
large = tf.placeholder(tf.uint8, [None, 200, 200, 3])
large_files = tf.map_fn(tf.image.encode_png, large, dtype=tf.string)
large_words = tf.as_string(tf.zeros([300, 300], tf.int32) + number)
for one in (files, digits, pairs[0], pairs[1], lengths, known, larger, large_files, large_words):
    print(one.dtype.name, one.shape)

with tf.Session() as session:
    made = np.arange(96).reshape(2, 4, 4, 3).astype(np.uint8)
    print([one[:4] for one in session.run(files, {pictures: made})])
    print(np.array_equal(session.run(back, {pictures: made}), made))
    print([one[:4] for one in session.run(large_files, {large: np.zeros((2, 200, 200, 3))})])
    print(session.run(large_words, {number: 4})[0, :2])
    print(session.run(digits, {number: 5}), session.run(pairs), session.run(known))
    print(session.run(lengths, {words: ["x", "yz"]}), session.run(lengths, {words: ["abc"]}))
    for value in (1, 7):
        print(session.run([larger, chosen], {number: value, words: ["few"]}))
