"""Arguments that do nothing here, and why: a test demands that every other one is read.

What does nothing in one function alone is said in its docstring: "`shift` does nothing, as in TensorFlow."
"""

from __future__ import annotations

PARALLEL = "how work is spread over threads and devices changes no result"
MEMORY = "where values are kept for a backward pass changes no result"
PLACEMENT = "there is one device, and variables are copied nowhere"
CHECKED = "shapes are known and checked in any case"
GRAPHS = "there is no graph to be rewritten or compiled: operations are recorded with or without it"
SHOWN = "it words or orders what is shown, and changes no result"
FRAMEWORK = "it does nothing in TensorFlow either"
UNWRITTEN = "files have one format"
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
        ),
        CHECKED,
    ),
    **dict.fromkeys(
        (
            "autograph",
            "jit_compile",
            "experimental_implements",
            "experimental_attributes",
            "experimental_autograph_options",
            "experimental_compile",
            "experimental_follow_type_hints",
            "fallback_to_while_loop",
            "handle",
            "flow",
        ),
        GRAPHS,
    ),
    **dict.fromkeys(("summarize", "warn", "run_metadata", "accept_options", "read_value", "stable"), SHOWN),
    **dict.fromkeys(("values", "expand_composites", "partial", "strict"), FRAMEWORK),
    **dict.fromkeys(("example_names", "example_name", "save_debug_info"), SHOWN),
    **dict.fromkeys(("strip_default_attrs", "write_version"), UNWRITTEN),
    **dict.fromkeys(("logs", "epoch", "batch", "force", "training", "options"), CALLED),
}
"""By the name of an argument, wherever it is taken."""

NOTHING_IN = {
    ("RNN.compute_mask", "inputs"): CALLED,
    ("Trainer.compute_loss", "x"): CALLED,
    ("placeholder_kernel", "runner"): CALLED,
    ("SessionRunHook.before_run", "run_context"): CALLED,
    ("StopAtStepHook.after_create_session", "coord"): CALLED,
    ("StopAtStepHook.before_run", "run_context"): CALLED,
    ("NanTensorHook.before_run", "run_context"): CALLED,
    ("LoggingTensorHook.before_run", "run_context"): CALLED,
    ("LoggingTensorHook.after_run", "run_context"): CALLED,
    ("CheckpointSaverHook.after_create_session", "coord"): CALLED,
    ("CheckpointSaverHook.before_run", "run_context"): CALLED,
    ("CheckpointSaverHook.after_run", "run_values"): CALLED,
    ("FeedFnHook.before_run", "run_context"): CALLED,
    ("strict", "numbers"): CALLED,
    ("SummedSquares.start", "spec"): CALLED,
    ("SummedSquares.shares", "value"): CALLED,
    ("MeanSquares.start", "spec"): CALLED,
    ("MeanSquares.shares", "value"): CALLED,
}
"""By the name of a function, which users do not call, and of its argument."""
