import numpy as np
import tensorflow as tf

n = np.arange(2 * 6 * 8 * 3, dtype=np.float32)
images = tf.constant(((n * 37) % 101 / 101).reshape(2, 6, 8, 3))


def show(x):
    x = np.asarray(x)
    print(x.shape, x.dtype, (np.round(x.astype(float).reshape(-1)[:30], 3) + 0.0).tolist())


print("colours")
for f in (tf.image.rgb_to_yiq, tf.image.yiq_to_rgb, tf.image.rgb_to_yuv, tf.image.yuv_to_rgb):
    show(f(images[0, :2]))
print("boxes")
boxes = [[0.0, 0.0, 0.5, 0.5], [0.05, 0.0, 0.5, 0.55], [0.5, 0.5, 1.0, 1.0], [0.9, 0.9, 0.4, 0.5], [0, 0, 0, 0]]
scores = [0.4, 0.9, 0.3, 0.3, 0.7]
show(tf.image.non_max_suppression(boxes, scores, 10))
show(tf.image.non_max_suppression(boxes, scores, 2, iou_threshold=0.9))
show(tf.image.non_max_suppression(boxes, scores, 10, 0.5, score_threshold=0.35))
for one in tf.image.non_max_suppression_with_scores(boxes, scores, 3):
    show(one)
show(tf.image.non_max_suppression_overlaps(tf.eye(3) * 0.5 + 0.5, [0.1, 0.3, 0.2], 3, 0.4))
which = [0, 1, 1, 0, 0]
show(tf.image.crop_and_resize(images, boxes, which, [3, 4]))
show(tf.image.crop_and_resize(images, boxes, which, [1, 2], method="nearest"))
show(tf.image.crop_and_resize(images, [[-0.5, 0.2, 0.8, 1.6]], [1], [4, 4], extrapolation_value=9.0))
print("patches and edges")
show(tf.image.extract_patches(images, [1, 2, 3, 1], [1, 2, 2, 1], [1, 1, 1, 1], "VALID"))
show(tf.image.extract_patches(images, [1, 3, 3, 1], [1, 4, 3, 1], [1, 2, 1, 1], "SAME"))
show(tf.image.sobel_edges(images))
large = tf.tile(images, [1, 3, 3, 1])
show(tf.image.ssim(large, tf.image.adjust_contrast(large, 0.7), max_val=1.0))
show(tf.image.ssim(large, large * 0.8, 1.0, filter_size=7, filter_sigma=2.0, k1=0.02, k2=0.05))
whole = tf.cast(large * 255, tf.uint8)
show(tf.image.ssim(whole, whole // 2, max_val=255))
show(tf.image.ssim(large, large * 0.8, 1.0, return_index_map=True))
print("gradients")
v = tf.Variable(images)
with tf.GradientTape(persistent=True) as tape:
    cut = tf.reduce_sum(tf.image.crop_and_resize(v, boxes, which, [3, 4]) ** 2)
    patches = tf.reduce_sum(tf.image.extract_patches(v, [1, 3, 3, 1], [1, 2, 2, 1], [1, 1, 1, 1], "SAME") ** 2)
    edges = tf.reduce_sum(tf.image.sobel_edges(v) ** 2)
    alike = tf.reduce_sum(tf.image.ssim(v, images * 0.5 + 0.1, 1.0, filter_size=5))
for loss in (cut, patches, edges, alike):
    show(tape.gradient(loss, v))
