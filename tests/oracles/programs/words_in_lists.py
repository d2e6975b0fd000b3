import tensorflow as tf

for call in (
    lambda: tf.gather(['a','b','c'],[2,0]),
    lambda: tf.gather_nd([['a','b'],['c','d']],[[0,1],[1,0]]),
    lambda: tf.gather_nd([['a','b'],['c','d']],[[1],[0]],batch_dims=1),
    lambda: tf.gather_nd(indices=[[1], [0]], params=[["a", "b"], ["c", "d"]]),
    lambda: tf.concat([["a"], ["b", "c"]], 0),
    lambda: tf.stack(["a", "b"]),
    lambda: tf.stack([["a", "b"], ["c", "d"]], axis=1),
    lambda: tf.expand_dims('a',0),
    lambda: tf.expand_dims(['a','b'],axis=1),
    lambda: tf.tile(['a','b'],[2]),
    lambda: tf.reverse(['a','b'],[0]),
    lambda: tf.boolean_mask(['a','b'],[True,False]),
    lambda: tf.size(['a','b']),
    lambda: tf.rank([['a']]),
    lambda: tf.unique(['a','b','a']),
    lambda: tf.unique_with_counts(['a','b','a']),
    lambda: tf.roll(['a','b','c'],1,0),
    lambda: tf.repeat(['a','b'],2),
):
    found = call()
    print(*[one.numpy().tolist() for one in (found if isinstance(found, tuple) else (found,))])
