"""Arguments that do nothing here, and why: a test demands that every other one is read."""

from __future__ import annotations

PARALLEL = "how work is spread over threads and devices changes no result"
MEMORY = "where values are kept for a backward pass changes no result"
PLACEMENT = "there is one device, and variables are copied nowhere"
CHECKED = "shapes are known and checked in any case"
GRAPHS = "there is no graph to be rewritten or compiled: operations are recorded with or without it"
SHOWN = "it words or orders what is shown, and changes no result"
FRAMEWORK = "it does nothing in TensorFlow either"
UNWRITTEN = "no graph is written, and files have one format"
CALLED = "it is a part of a signature that the framework calls"

NOTHING = {
    **dict.fromkeys(
        (
            "use_locking",
            "parallel_iterations",
            "num_parallel_calls",
            "gate_gradients",
            "num_parallel_reads",
            "deterministic",
            "sloppy",
            "prefetch_buffer_size",
            "sharded",
            "restore_sequentially",
        ),
        PARALLEL,
    ),
    **dict.fromkeys(("back_prop", "swap_memory", "aggregation_method", "free_memory"), MEMORY),
    **dict.fromkeys(
        (
            "caching_device",
            "partitioner",
            "partition_info",
            "synchronization",
            "aggregation",
            "use_resource",
            "colocate_gradients_with_ops",
            "colocate_with_first_write_call",
            "device_name_or_function",
            "device_policy",
            "execution_mode",
            "config",
            "target",
            "import_scope",
            "variable_def",
        ),
        PLACEMENT,
    ),
    **dict.fromkeys(
        (
            "validate_indices",
            "validate_args",
            "validate_shape",
            "infer_shape",
            "element_shape",
            "shape_invariants",
            "expected_shape",
            "verify_shape",
            "output_shapes",
        ),
        CHECKED,
    ),
    **dict.fromkeys(
        (
            "autograph",
            "jit_compile",
            "reduce_retracing",
            "experimental_implements",
            "experimental_attributes",
            "experimental_autograph_options",
            "experimental_relax_shapes",
            "experimental_compile",
            "experimental_follow_type_hints",
            "fallback_to_while_loop",
            "handle",
            "flow",
            "tensor_array_name",
        ),
        GRAPHS,
    ),
    **dict.fromkeys(("summarize", "warn", "run_metadata", "accept_options", "read_value", "stable"), SHOWN),
    **dict.fromkeys(("values", "expand_composites", "partial", "strict"), FRAMEWORK),
    **dict.fromkeys(("example_names", "example_name", "save_debug_info"), SHOWN),
    **dict.fromkeys(
        ("meta_graph_suffix", "write_meta_graph", "strip_default_attrs", "write_version", "tags"), UNWRITTEN
    ),
    **dict.fromkeys(("logs", "epoch", "batch", "force", "training", "options"), CALLED),
}
"""By the name of an argument, wherever it is taken."""

NOTHING_IN = {
    ("diag", "align"): "one diagonal has nothing to be aligned with",
    ("diag_part", "align"): "one diagonal has nothing to be aligned with",
    ("set_diag", "align"): "one diagonal has nothing to be aligned with",
    ("diag_part", "padding_value"): "one diagonal is nowhere padded",
    ("top_k", "sorted"): "the largest come in order in any case",
    ("split", "num"): "the number of parts follows from the lengths",
    ("moments", "shift"): FRAMEWORK,
    ("ctc_loss", "unique"): "it is worked out in any case",
    ("enable_eager_execution", "config"): PLACEMENT,
    ("tuple_", "control_inputs"): "values of one run belong together in any case",
    ("Dataset.cache", "filename"): "elements are kept in memory",
    ("Dataset.prefetch", "buffer_size"): PARALLEL,
    ("TFRecordDataset.__init__", "buffer_size"): PARALLEL,
    ("TextLineDataset.__init__", "buffer_size"): PARALLEL,
    ("FixedLengthRecordDataset.__init__", "buffer_size"): PARALLEL,
    ("CsvDataset.__init__", "buffer_size"): PARALLEL,
    ("experimental.prefetch_to_device", "buffer_size"): PARALLEL,
    ("Saver.__init__", "save_relative_paths"): "paths in the folder of the file are relative in any case",
    ("list_local_devices", "session_config"): PLACEMENT,
    **{
        ("start_queue_runners", name): "there are no queues"
        for name in ("sess", "coord", "daemon", "start", "collection")
    },
    **{(name, "partition_strategy"): "a table is one piece" for name in ("nce_loss", "sampled_softmax_loss")},
    **{
        (name, "allow_nan_stats"): "no statistic of these distributions is undefined"
        for name in (
            "Normal.__init__",
            "Uniform.__init__",
            "Categorical.__init__",
            "Bernoulli.__init__",
            "kl_divergence",
        )
    },
    ("RNN.compute_mask", "inputs"): CALLED,
    ("to_graph", "recursive"): "nothing is converted",
    ("to_graph", "experimental_optional_features"): "nothing is converted",
    ("ReplicaContext.all_reduce", "reduce_op"): "there is one replica",
    ("Strategy.gather", "axis"): "there is one replica",
    ("StaticHashTable.__init__", "experimental_is_anonymous"): "a table belongs to who made it",
    ("unique", "sorted"): "values come in order in any case",
    ("scan", "unroll"): GRAPHS,
    ("stateless_normal", "alg"): "draws are not TensorFlow's, whatever the algorithm is called",
    ("stateless_truncated_normal", "alg"): "draws are not TensorFlow's, whatever the algorithm is called",
    ("stateless_uniform", "alg"): "draws are not TensorFlow's, whatever the algorithm is called",
    ("Generator.from_seed", "alg"): "draws are not TensorFlow's, whatever the algorithm is called",
    ("Generator.from_non_deterministic_state", "alg"): "draws are not TensorFlow's",
    ("Trainer.compute_loss", "x"): CALLED,
    ("UnknownShape.is_compatible_with", "other"): "nothing is known of the shape",
    ("ResourceVariable.__init__", "more"): FRAMEWORK,
    (
        "strided_slice",
        "var",
    ): "a slice is not assigned to",
    ("FileWriter.__init__", "graph"): "nothing is drawn, as a warning says",
    ("create_file_writer", "arguments"): "no event files are written, as a warning says",
    ("SummaryWriter.as_default", "step"): "no event files are written, as a warning says",
    ("record_if", "condition"): "no event files are written",
    ("graph", "graph_data"): "no event files are written",
    ("TensorBoard.__init__", "write_graph"): "there is no graph to be drawn",
    ("Metric.add_variable", "aggregation"): PLACEMENT,
    ("Metric.add_variable", "layout"): PLACEMENT,
    ("placeholder_kernel", "runner"): CALLED,
    ("strict", "numbers"): CALLED,
    ("SummedSquares.start", "spec"): CALLED,
    ("SummedSquares.shares", "value"): CALLED,
    ("MeanSquares.start", "spec"): CALLED,
    ("MeanSquares.shares", "value"): CALLED,
    ("Trainer.compiled_loss", "regularization_losses"): "compute_loss adds the losses of the model itself",
}
"""By the name of a function and of its argument."""
