"""About a hundred names of PyTorch, NumPy, Keras and JAX each that programs use most, of arrays and models.

Chosen by hand, as tutorials and model code have them; tools/record/common_names.py asked each library for
them.
"""

NAMES = {
    "torch": """
        tensor as_tensor from_numpy zeros ones empty full arange linspace eye zeros_like ones_like full_like
        rand randn randint randperm manual_seed no_grad inference_mode cat stack split chunk unbind reshape
        flatten squeeze unsqueeze permute transpose where gather index_select masked_fill masked_select topk
        sort argsort argmax argmin max min sum mean std var prod cumsum norm abs exp log sqrt sin cos tanh
        sigmoid relu softmax clamp matmul mm bmm einsum dot outer isnan isfinite allclose sign floor round
        pow save load compile device float32 long Tensor nn.Module nn.Parameter nn.Linear nn.Conv2d
        nn.BatchNorm2d nn.LayerNorm nn.Dropout nn.Embedding nn.LSTM nn.ReLU nn.GELU nn.Sequential
        nn.ModuleList nn.MaxPool2d nn.CrossEntropyLoss nn.MSELoss nn.BCEWithLogitsLoss nn.init
        nn.functional.cross_entropy nn.functional.mse_loss nn.functional.relu nn.functional.softmax
        nn.functional.pad nn.functional.interpolate nn.functional.one_hot nn.functional.dropout
        nn.utils.clip_grad_norm_ optim.SGD optim.Adam optim.AdamW optim.lr_scheduler autograd.grad
        utils.data.DataLoader utils.data.Dataset
    """,
    "numpy": """
        array asarray zeros ones empty full arange linspace eye zeros_like ones_like full_like concatenate
        stack vstack hstack split reshape ravel transpose squeeze expand_dims swapaxes moveaxis where take
        argmax argmin argsort sort max min amax amin sum mean std var median percentile quantile prod cumsum
        cumprod diff abs exp log log10 log2 log1p sqrt square sin cos tan tanh arctan2 power maximum minimum
        clip floor ceil round sign dot matmul outer inner tensordot einsum cross trace diag unique histogram
        bincount digitize searchsorted interp nan_to_num isnan isinf isfinite any all logical_and logical_or
        logical_not tile repeat pad roll flip meshgrid float32 int64 newaxis pi linalg.norm linalg.inv
        linalg.svd linalg.solve linalg.det linalg.eig linalg.lstsq random.default_rng fft.fft triu tril
        allclose
    """,
    "keras": """
        Model Sequential Input layers.Layer layers.Dense layers.Conv1D layers.Conv2D layers.Conv2DTranspose
        layers.MaxPooling2D layers.AveragePooling2D layers.GlobalAveragePooling2D layers.BatchNormalization
        layers.LayerNormalization layers.GroupNormalization layers.Dropout layers.Embedding layers.LSTM
        layers.GRU layers.SimpleRNN layers.Bidirectional layers.TimeDistributed layers.MultiHeadAttention
        layers.Attention layers.Flatten layers.Reshape layers.Permute layers.Activation layers.ReLU
        layers.LeakyReLU layers.Softmax layers.Add layers.Concatenate layers.Multiply layers.Average
        layers.Dot layers.ZeroPadding2D layers.UpSampling2D layers.SeparableConv2D layers.DepthwiseConv2D
        layers.RepeatVector optimizers.SGD optimizers.Adam optimizers.AdamW optimizers.RMSprop
        optimizers.Adagrad optimizers.Adadelta optimizers.schedules losses.MeanSquaredError
        losses.CategoricalCrossentropy losses.BinaryCrossentropy losses.SparseCategoricalCrossentropy
        losses.Huber losses.KLDivergence losses.CosineSimilarity metrics.Mean metrics.Accuracy metrics.AUC
        metrics.Precision metrics.Recall callbacks.EarlyStopping callbacks.ReduceLROnPlateau
        callbacks.CSVLogger callbacks.TensorBoard callbacks.ModelCheckpoint initializers.GlorotUniform
        initializers.HeNormal regularizers.L2 constraints.MaxNorm activations.relu activations.softmax
        ops.matmul ops.sum ops.mean ops.concatenate ops.stop_gradient ops.softmax ops.relu ops.one_hot
        ops.cast ops.reshape ops.transpose ops.expand_dims ops.squeeze ops.where ops.take ops.scan ops.cond
        ops.while_loop ops.argmax ops.einsum ops.logsumexp ops.convert_to_tensor random.normal
        random.uniform random.shuffle utils.to_categorical utils.set_random_seed Variable
    """,
    "jax": """
        jit grad value_and_grad vmap jacfwd jacrev jacobian hessian vjp jvp checkpoint custom_vjp custom_jvp
        pmap device_put devices eval_shape make_jaxpr tree.map random.PRNGKey random.key random.split
        random.normal random.uniform random.randint random.permutation random.categorical random.bernoulli
        random.choice random.gumbel lax.scan lax.cond lax.while_loop lax.fori_loop lax.stop_gradient lax.map
        lax.switch lax.psum lax.top_k nn.relu nn.gelu nn.silu nn.sigmoid nn.softmax nn.log_softmax
        nn.softplus nn.one_hot nn.logsumexp nn.initializers numpy.array numpy.asarray numpy.zeros numpy.ones
        numpy.full numpy.arange numpy.linspace numpy.eye numpy.concatenate numpy.stack numpy.split
        numpy.reshape numpy.transpose numpy.expand_dims numpy.squeeze numpy.where numpy.take numpy.sum
        numpy.mean numpy.std numpy.max numpy.argmax numpy.sort numpy.cumsum numpy.dot numpy.matmul
        numpy.einsum numpy.exp numpy.log numpy.sqrt numpy.square numpy.abs numpy.sign numpy.clip
        numpy.maximum numpy.tanh numpy.power numpy.linalg.norm numpy.linalg.svd numpy.linalg.eigh
        numpy.fft.fft numpy.isnan numpy.float32 numpy.newaxis scipy.special.logsumexp scipy.linalg.lu export
        tree_util.tree_map
    """,
}
