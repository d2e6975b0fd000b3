import tensorflow as tf

matrix = tf.Variable([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
print(matrix[0].numpy(), matrix[-1].numpy(), matrix[1, 2].numpy(), matrix[0][1].numpy())
print(matrix[:, 1].numpy(), matrix[:, ::-1].numpy().tolist(), matrix[..., 0].numpy(), matrix[1:].shape)
print(matrix[:, tf.newaxis].shape, matrix[tf.constant(1), 0].numpy(), matrix[-2:, 1:3].numpy().tolist())
print(matrix[matrix > 2.5].numpy())
tensor = tf.constant([5, 6, 7])
print(tensor[1].numpy(), tensor[:2].numpy(), tensor[::-2].numpy())
