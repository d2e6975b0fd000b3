import numpy as np
import tensorflow as tf


def show(*values):
    print(*[np.round(value.numpy().astype(float), 4).tolist() for value in values])


images = np.sin(np.arange(2 * 5 * 6 * 3)).reshape(2, 5, 6, 3).astype(np.float32)
edges = np.sort(np.cos(np.arange(2 * 12 * 2 * 2)).reshape(2, 12, 2, 2) * 0.7 + 0.5, -1)
boxes = edges.transpose(0, 1, 3, 2).reshape(2, 12, 4).astype(np.float32)
show(tf.image.draw_bounding_boxes(images, boxes, None))
show(tf.image.draw_bounding_boxes(images[..., :1], boxes, None))
show(tf.image.draw_bounding_boxes(images, boxes, [[0.1, 0.2, 0.3], [0.5, 0.6, 0.7]]))
for wrong in ((images[0], boxes, None), (images, boxes[0], None), (images, boxes, [[1.0, 1.0]])):
    try:
        tf.image.draw_bounding_boxes(*wrong)
    except tf.errors.InvalidArgumentError:
        print("refused")
scores = np.abs(np.sin(np.arange(2 * 12 * 3) * 1.7)).reshape(2, 12, 3).astype(np.float32)
every = np.stack([boxes, boxes[::-1], boxes[:, ::-1]], 2)
for given in (boxes[:, :, None], every):
    for options in ({}, {"pad_per_class": True}, {"score_threshold": 0.6}, {"iou_threshold": 0.3, "clip_boxes": False}):
        show(*tf.image.combined_non_max_suppression(given, scores, 3, 10, **options))

read = tf.SparseTensor([[0, 0, 0], [1, 0, 0], [1, 0, 1], [1, 1, 0]], ["a", "b", "c", "d"], [2, 2, 2])
told = tf.SparseTensor([[0, 1, 0], [1, 0, 0], [1, 0, 1], [1, 1, 0]], ["a", "b", "a", "b"], [2, 2, 2])
show(tf.edit_distance(read, told), tf.edit_distance(read, told, normalize=False))
words = [
    tf.SparseTensor([[0, i] for i in range(len(word))], [ord(one) for one in word], [1, len(word)])
    for word in ("kitten", "sitting")
]
show(tf.edit_distance(*words), tf.edit_distance(*words, normalize=False), tf.edit_distance(*words[::-1]))
