import os
import tempfile

import numpy as np
import tensorflow as tf

folder = tempfile.mkdtemp()
path = os.path.join(folder, "table.csv")
tf.io.write_file(path, "size,price,kind\n1,2.5,a\n2,,b\n3,4.5,\"c,d\"\n")
print(tf.io.read_file(path).numpy())
for line in tf.data.TextLineDataset(path).skip(1):
    print(line.numpy(), tf.io.decode_csv(line, [0, 0.5, ""])[1].numpy())
for row in tf.data.experimental.CsvDataset(path, [tf.int32, 9.5, ""], header=True):
    print([one.numpy() for one in row])
for row in tf.data.experimental.CsvDataset(path, [0.0, tf.string], header=True, select_cols=[0, 2]):
    print([one.numpy() for one in row])
rows = tf.data.experimental.make_csv_dataset(path, 2, label_name="size", num_epochs=1, shuffle=False)
for x, y in rows:
    print({key: x[key].numpy().tolist() for key in sorted(x)}, y.numpy().tolist())
lines = tf.constant(["1,2", "3,4"])
print([one.numpy().tolist() for one in tf.io.decode_csv(lines, [[0], [0]])])
words = tf.data.TextLineDataset([path, path]).map(lambda line: tf.strings.upper(line)).batch(3)
print([one.numpy().tolist() for one in words])
tf.io.write_file(os.path.join(folder, "b.txt"), "12345678")
pieces = tf.data.FixedLengthRecordDataset(os.path.join(folder, "b.txt"), 2, header_bytes=1, footer_bytes=1)
print([one.numpy() for one in pieces])
print([os.path.basename(one.numpy().decode()) for one in tf.data.Dataset.list_files(folder + "/*", shuffle=False)])
with tf.io.gfile.GFile(path) as file:
    print(file.readline().strip(), len(file.readlines()))
print(tf.io.gfile.exists(path), sorted(tf.io.gfile.listdir(folder)), len(tf.io.gfile.glob(folder + "/*.txt")))
strings = tf.constant([" One ", "two", "three"])
print(tf.strings.strip(strings).numpy().tolist(), tf.strings.length(strings).numpy().tolist())
print(tf.strings.join([strings, "!"], separator="-").numpy().tolist(), tf.strings.lower(strings)[0].numpy())
print(tf.strings.substr(strings, 1, 2).numpy().tolist(), tf.strings.regex_replace(strings, "[aeo]", "_").numpy().tolist())
print(tf.strings.to_number(["1.5", "2"]).numpy().tolist(), tf.strings.as_string([1, 2]).numpy().tolist())
print(tf.strings.as_string([1.5, 2.25]).numpy().tolist(), tf.strings.as_string(3.14159, precision=2).numpy())
print(tf.strings.split("a b  c").numpy().tolist(), tf.strings.split("a,b", ",").numpy().tolist())
print((strings == "two").numpy().tolist(), strings.shape, strings.dtype, strings.dtype == tf.string)
print(tf.strings.reduce_join([["a", "b"], ["c", "d"]], axis=1).numpy().tolist(), tf.strings.reduce_join(["a", "b"]).numpy())
print(tf.strings.regex_full_match(strings, "t.*").numpy().tolist(), tf.strings.bytes_split("abc").numpy().tolist())
print(strings)
print(repr(strings[1]), tf.constant("text").numpy())
for wrong in (lambda: tf.io.decode_csv("1", [0, 0]), lambda: tf.io.decode_csv("x", [0]),
              lambda: tf.strings.to_number("x"), lambda: tf.io.decode_csv(",1", [tf.constant([], tf.int32), 0])):
    try:
        wrong()
    except tf.errors.InvalidArgumentError as error:
        print("InvalidArgumentError")
