"""Parses sequences of examples that are known or fed."""

import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
message = tf.train.SequenceExample()
message.context.feature["length"].int64_list.value.append(3)
message.context.feature["id"].bytes_list.value.append(b"x")
for key, values in {"tokens": [1, 2, 3], "labels": [0, 1, 0]}.items():
    for value in values:
        message.feature_lists.feature_list[key].feature.add().int64_list.value.append(value)
context = {"length": tf.FixedLenFeature([], tf.int64), "id": tf.FixedLenFeature([], tf.string)}
steps = {
    "tokens": tf.FixedLenSequenceFeature([], tf.int64),
    "labels": tf.FixedLenSequenceFeature([], tf.int64),
}
record = tf.placeholder(tf.string, [])
fed = tf.parse_single_sequence_example(record, context, steps)
known = tf.parse_single_sequence_example(
    serialized=message.SerializeToString(), context_features=context, sequence_features=steps
)
print(fed)
with tf.Session() as session:
    for one in (session.run(fed, {record: message.SerializeToString()}), session.run(known)):
        print(one[0], {key: value.tolist() for key, value in one[1].items()})
    print(session.run(tf.reduce_sum(known[1]["tokens"])))
