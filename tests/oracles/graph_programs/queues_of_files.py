"""Reads lines, records and rows through queues, and trains on batches of them."""

import os
import tempfile

import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
folder = tempfile.mkdtemp()
for number in range(2):
    with open(os.path.join(folder, f"part{number}.csv"), "w") as file:
        file.write("x,y,z\n" + "".join(f"{number}.{row},{row},{2 * row + number}\n" for row in range(5)))
with tf.io.TFRecordWriter(os.path.join(folder, "rows.tfrecord")) as writer:
    for row in range(4):
        feature = {
            "x": tf.train.Feature(float_list=tf.train.FloatList(value=[row, row + 0.5])),
            "label": tf.train.Feature(int64_list=tf.train.Int64List(value=[row])),
            "raw": tf.train.Feature(bytes_list=tf.train.BytesList(value=[bytes([row] * 3)])),
        }
        writer.write(tf.train.Example(features=tf.train.Features(feature=feature)).SerializeToString())
    del feature

names = [os.path.join(folder, f"part{number}.csv") for number in range(2)]
queue = tf.train.string_input_producer(names, shuffle=False, name="filename_queue")
_, line = tf.TextLineReader(skip_header_lines=1).read(queue)
columns = tf.decode_csv(line, record_defaults=[[0.0], [0.0], [0.0]])
x, y = tf.train.batch([columns[:-1], columns[-1:]], batch_size=4)
print(line, columns[0], x, y)
weights = tf.Variable(tf.zeros([2, 1]))
loss = tf.reduce_mean(tf.square(tf.matmul(x, weights) - y))
train = tf.train.GradientDescentOptimizer(0.01).minimize(loss)
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    together = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(sess=session, coord=together)
    for _ in range(3):
        print([one.tolist() for one in session.run([x, y])])
    for _ in range(3):
        print(round(float(session.run([loss, train])[0]), 4))
    together.request_stop()
    together.join(threads)

tf.reset_default_graph()
queue = tf.train.string_input_producer([os.path.join(folder, "rows.tfrecord")], num_epochs=2, shuffle=False)
_, serialized = tf.TFRecordReader().read(queue)
parsed = tf.parse_single_example(
    serialized,
    {
        "x": tf.FixedLenFeature([2], tf.float32),
        "label": tf.FixedLenFeature([], tf.int64),
        "raw": tf.FixedLenFeature([], tf.string),
    },
)
picture = tf.reshape(tf.cast(tf.decode_raw(parsed["raw"], tf.uint8), tf.float32), [3])
batch = tf.train.batch([parsed["x"], parsed["label"], picture], 3, allow_smaller_final_batch=True)
print(parsed["label"], [one.shape for one in batch])
with tf.Session() as session:
    session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
    together = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(coord=together, sess=session)
    try:
        while not together.should_stop():
            print([one.tolist() for one in session.run(batch)])
    except tf.errors.OutOfRangeError:
        print("all rows are read")
    finally:
        together.request_stop()
    together.join(threads)

tf.reset_default_graph()
row, word = tf.train.slice_input_producer([tf.reshape(tf.range(8.0), [4, 2]), list("abcd")], 1, shuffle=False)
rows, words = tf.train.batch([row, word], 2)
with tf.Session() as session:
    session.run(tf.local_variables_initializer())
    together = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(session, together)
    print([[one.tolist() for one in session.run([rows, words])] for _ in range(2)])
    together.request_stop()
    together.join(threads)
