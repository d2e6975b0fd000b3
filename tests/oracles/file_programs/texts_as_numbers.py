import numpy as np
import tensorflow as tf

text = tf.keras.preprocessing.text
lines = ["The cat sat on the mat.", "The dog ate, my homework!", "a cat & a dog"]
for options in ({}, {"num_words": 5}, {"oov_token": "<unk>", "num_words": 5}, {"char_level": True}, {"lower": False}):
    words = text.Tokenizer(**options)
    words.fit_on_texts(lines)
    print(words.word_index, words.document_count)
    numbers = words.texts_to_sequences(["the cat bit my dog", "mat"])
    print(numbers, words.sequences_to_texts(numbers))
    print(sorted(words.word_docs.items())[:4], sorted(words.index_docs.items())[:4])
words = text.Tokenizer(num_words=7)
words.fit_on_texts(lines)
for mode in ("binary", "count", "freq", "tfidf"):
    print(np.round(words.texts_to_matrix(["the the cat", "dog sat"], mode=mode), 4).tolist())
again = text.tokenizer_from_json(words.to_json())
print(again.word_index == words.word_index, again.texts_to_sequences(["the dog"]))
print(text.text_to_word_sequence("A b-c, D", lower=False), text.hashing_trick("a b c", 20, "md5"))
sequence = tf.keras.preprocessing.sequence
print(np.round(sequence.make_sampling_table(6), 6).tolist())
couples, labels = sequence.skipgrams([1, 2, 0, 3], 10, window_size=1, negative_samples=0, shuffle=False)
print(couples, labels)
couples, labels = sequence.skipgrams([1, 2, 3], 10, negative_samples=0, categorical=True, seed=4)
print(couples, labels)
rows = sequence.TimeseriesGenerator(
    np.arange(20).reshape(10, 2), np.arange(10), 3, sampling_rate=2, stride=2, batch_size=2, reverse=True
)
print(len(rows), [one.tolist() for one in rows[1]])
data = tf.keras.utils.timeseries_dataset_from_array(
    np.arange(12), np.arange(12) * 10, 3, sequence_stride=2, sampling_rate=2, batch_size=3, start_index=1
)
for x, y in data:
    print(x.numpy().tolist(), y.numpy().tolist())
for x in tf.keras.utils.timeseries_dataset_from_array(np.arange(6), None, 4, end_index=5):
    print(x.numpy().tolist())
left, right = tf.keras.utils.split_dataset(np.arange(10), left_size=0.7)
print([int(one) for one in left], [int(one) for one in right])
left, right = tf.keras.utils.split_dataset(tf.data.Dataset.range(5), right_size=2)
print([int(one) for one in left], [int(one) for one in right])
