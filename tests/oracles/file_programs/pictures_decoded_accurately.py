"""A picture in the format JPEG, decoded accurately: numbers of every pixel."""

import base64

import tensorflow as tf

TEXT = """
/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAA0JCgsKCA0LCgsODg0PEyAVExISEyccHhcgLikxMC4pLSwzOko+MzZGNywtQFdBRkxO
UlNSMj5aYVpQYEpRUk//2wBDAQ4ODhMREyYVFSZPNS01T09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09P
T09PT09PT0//wAARCAAQABgDASIAAhEBAxEB/8QAGAAAAwEBAAAAAAAAAAAAAAAAAAIFAQT/xAAgEAABBAIBBQAAAAAAAAAAAAAB
AAIDBQYRBBIhQVFx/8QAFgEBAQEAAAAAAAAAAAAAAAAABAMF/8QAHBEAAgMAAwEAAAAAAAAAAAAAAQIAAwQSMUHx/9oADAMBAAIR
AxEAPwB8qIhDQsq9zV5+LjzSbqma0KzjPH3VFxHhGx0cMqsZLc50111J0DJ1PCIrPZ9oSP5AgsHaPfeghaO7TVQyq4JJHn2L36Vo
da18An//2Q==
"""
picture = base64.b64decode(TEXT)
made = tf.io.decode_jpeg(picture, dct_method="INTEGER_ACCURATE")
print(made.shape, made.numpy().reshape(16, -1).tolist())
print(tf.io.decode_jpeg(picture, channels=1, dct_method="INTEGER_ACCURATE")[::5, ::5, 0].numpy().tolist())
print(tf.io.decode_jpeg(picture).shape, tf.io.decode_jpeg(picture).dtype.name)
