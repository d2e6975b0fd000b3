import tensorflow as tf

for encoding in ("UTF8", "utf-8", "latin1", "ISO-8859-1", "US-ASCII", "UTF-16LE", "UTF-16BE"):
    print(encoding, tf.strings.unicode_decode(b"a\x00b\x00", encoding).numpy().tolist())
print(tf.strings.unicode_transcode("abc", "UTF8", "UTF-16-BE").numpy())
for wrong in (lambda: tf.strings.unicode_encode([97], "UTF8"), lambda: tf.strings.unicode_decode("a", "nothing")):
    try:
        wrong()
    except tf.errors.InvalidArgumentError as error:
        print(type(error).__name__)
