import tensorflow as tf

student = tf.Variable([4.0, 8.0])
teacher = tf.Variable([0.0, 0.0], trainable=False)
for turn in range(3):
    teacher.assign(0.5 * teacher + 0.5 * student)
    student.assign_sub(student * 0.5)
    print(student.numpy(), teacher.numpy())
