import os
import tempfile

import numpy as np
import tensorflow as tf

folder = tempfile.mkdtemp()
path = os.path.join(folder, "rows.tfrecord")


def example(number):
    features = {
        "number": tf.train.Feature(int64_list=tf.train.Int64List(value=[number, -number])),
        "part": tf.train.Feature(float_list=tf.train.FloatList(value=[number / 3])),
        "word": tf.train.Feature(bytes_list=tf.train.BytesList(value=[b"word %d" % number])),
        "several": tf.train.Feature(int64_list=tf.train.Int64List(value=list(range(number)))),
    }
    return tf.train.Example(features=tf.train.Features(feature=features))


for compression in ("", "GZIP", "ZLIB"):
    with tf.io.TFRecordWriter(path, options=compression or None) as writer:
        for number in range(4):
            writer.write(example(number).SerializeToString())
    rows = tf.data.TFRecordDataset(path, compression_type=compression or None)
    print(len(list(rows)), [len(one.numpy()) for one in rows])
with tf.io.TFRecordWriter(path) as writer:
    for number in range(4):
        writer.write(example(number).SerializeToString())
rows = tf.data.TFRecordDataset([path])
for raw in rows.take(2):
    made = tf.train.Example()
    made.ParseFromString(raw.numpy())
    print(list(made.features.feature["number"].int64_list.value), made.features.feature["word"].bytes_list.value[0])
    print(made.features.feature["part"].WhichOneof("kind"), sorted(made.features.feature))
kinds = {
    "number": tf.io.FixedLenFeature([2], tf.int64),
    "part": tf.io.FixedLenFeature([], tf.float32),
    "word": tf.io.FixedLenFeature([], tf.string),
    "absent": tf.io.FixedLenFeature([2], tf.float32, default_value=[0.5, 1.5]),
    "several": tf.io.VarLenFeature(tf.int64),
}


def parse(raw):
    row = tf.io.parse_single_example(raw, kinds)
    row["several"] = tf.sparse.to_dense(row["several"])
    return row


for row in rows.map(parse):
    print({key: row[key].numpy().tolist() if key != "word" else row[key].numpy() for key in sorted(row)})
batch = tf.io.parse_example(tf.constant([example(n).SerializeToString() for n in (1, 3)]), kinds)
print(batch["number"].numpy().tolist(), batch["word"].numpy().tolist())
print(tf.sparse.to_dense(batch["several"]).numpy().tolist(), batch["several"].dense_shape.numpy().tolist())
print(tf.train.Example(features=tf.train.Features(feature={"a": example(1).features.feature["number"]})))
for value in (np.arange(6, dtype=np.int32).reshape(2, 3), np.float32(1.5), np.array(["a", "bc"])):
    text = tf.io.serialize_tensor(tf.constant(value))
    dtype = tf.constant(value).dtype
    print(text.numpy(), tf.io.parse_tensor(text, dtype).numpy().tolist())
print(tf.io.decode_raw(tf.constant([b"\x01\x00\x02\x00", b"\x03\x00\x04\x00"]), tf.int16).numpy().tolist())
sequence = tf.train.SequenceExample(
    context=tf.train.Features(feature={"n": tf.train.Feature(int64_list=tf.train.Int64List(value=[7]))}),
    feature_lists=tf.train.FeatureLists(feature_list={
        "steps": tf.train.FeatureList(feature=[
            tf.train.Feature(float_list=tf.train.FloatList(value=[n, n + 0.5])) for n in range(3)
        ]),
    }),
)
context, steps = tf.io.parse_single_sequence_example(
    sequence.SerializeToString(), {"n": tf.io.FixedLenFeature([], tf.int64)},
    {"steps": tf.io.FixedLenSequenceFeature([2], tf.float32)},
)
print(context["n"].numpy(), steps["steps"].numpy().tolist())
with open(path, "rb") as file:
    content = file.read()
for damaged in (content[:-3], content[:20] + b"x" + content[21:], b"no record file at all"):
    with open(path, "wb") as file:
        file.write(damaged)
    try:
        print(len(list(tf.data.TFRecordDataset(path))))
    except tf.errors.DataLossError as error:
        print("DataLossError", "corrupted" in str(error), "truncated" in str(error))
try:
    list(tf.data.TFRecordDataset(os.path.join(folder, "absent")))
except tf.errors.NotFoundError:
    print("NotFoundError")
for wrong in ({"number": tf.io.FixedLenFeature([3], tf.int64)}, {"number": tf.io.FixedLenFeature([2], tf.float32)},
              {"absent": tf.io.FixedLenFeature([], tf.int64)}):
    try:
        tf.io.parse_single_example(example(2).SerializeToString(), wrong)
    except tf.errors.InvalidArgumentError as error:
        print("InvalidArgumentError", "absent" in str(error), "required" in str(error))
