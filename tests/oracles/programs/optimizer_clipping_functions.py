import tensorflow as tf

gradients = [tf.constant([3.0, 4.0]), tf.constant([0.0, -12.0])]
print(tf.clip_by_norm(gradients[0], 2.5).numpy(), tf.clip_by_norm(gradients[0], 10.0).numpy())
clipped, norm = tf.clip_by_global_norm(gradients, 6.5)
print([part.numpy().tolist() for part in clipped], norm.numpy())
print(tf.linalg.global_norm(gradients).numpy(), tf.norm(gradients[0]).numpy())
