"""Prints examples with several features."""

import tensorflow as tf


def numbers(*values):
    return tf.train.Feature(int64_list=tf.train.Int64List(value=values))


for keys in ("b a c", "bb b a cc ab", "height width depth label image_raw"):
    features = tf.train.Features(feature={key: numbers(1, 2) for key in keys.split()})
    example = tf.train.Example(features=features)
    print(example)
    print(str(example) == str(tf.train.Example.FromString(example.SerializeToString())))
sequence = tf.train.SequenceExample()
for key in ("tokens0", "labels0", "tokens1"):
    sequence.feature_lists.feature_list[key].feature.add().float_list.value.append(2.0)
sequence.context.feature["length"].int64_list.value.append(3)
sequence.context.feature["words"].bytes_list.value.append(b"a")
print(sequence)
